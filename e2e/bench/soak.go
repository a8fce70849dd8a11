package main

import (
	"context"
	"fmt"
	"os"
	"time"

	"colocate.dev/colocate/e2e/product"
)

// soakRow is the resident memory of a replica after some time under load.
type soakRow struct {
	Seconds float64 `json:"seconds"`
	MiB     float64 `json:"MiB"`
}

// marks is how often memory is looked at.
const marks = 20

// soakFor sends all reviews in turn for that long.
func (b *bench) soakFor(ctx context.Context, replica *product.Replica, long time.Duration, into *results) error {
	all, err := reviews()
	if err != nil {
		return err
	}
	t := target{name: "colocate", url: urlOf(replica.Port), pid: replica.PID(), quiet: true}
	client := newClient(b.atOnce)
	defer client.CloseIdleConnections()
	began := time.Now()
	for next := long / marks; ; {
		for _, r := range all {
			if _, err := fire(ctx, client, t, r, 500, b.atOnce); err != nil {
				return err
			}
			into.SoakReviews += 500
		}
		passed := time.Since(began)
		if passed < next {
			continue
		}
		now, err := memory(replica.PID())
		if err != nil {
			return err
		}
		into.Soak = append(into.Soak, soakRow{passed.Round(time.Second).Seconds(), now})
		fmt.Fprintf(os.Stderr, "%s: %.1f MiB\n", passed.Round(time.Second), now)
		if next += long / marks; passed >= long {
			return nil
		}
	}
}
