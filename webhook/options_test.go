package webhook

import (
	"strings"
	"testing"
	"time"

	"k8s.io/client-go/rest"
)

func TestOptions(t *testing.T) {
	fine := func() Options {
		return Options{Certificates: newOwnCertificate(t), Snapshot: snapshotOf(t)}
	}
	cases := map[string]struct {
		edit func(*Options)
		want []string
	}{
		"defaults": {func(*Options) {}, nil},
		"nothing":  {func(o *Options) { *o = Options{} }, []string{"certificates: no source is given", "definitions: give a cluster or a snapshot"}},
		"both":     {func(o *Options) { o.Cluster = &Cluster{Config: &rest.Config{}, Namespace: "x"} }, []string{"definitions: give a cluster or a snapshot, not both"}},
		"no namespace": {
			func(o *Options) { o.Snapshot, o.Cluster = nil, &Cluster{Config: &rest.Config{}} },
			[]string{"cluster: give its configuration and the namespace of the definitions"},
		},
		"no port":   {func(o *Options) { o.Address = "localhost" }, []string{`address "localhost": `}},
		"port":      {func(o *Options) { o.Address = ":https" }, []string{`address ":https": port "https": must be a number from 1 to 65535`}},
		"high port": {func(o *Options) { o.Address = ":70000" }, []string{`address ":70000": port "70000": must be`}},
		"grace":     {func(o *Options) { o.Grace = -time.Second }, []string{"grace period -1s: must not be negative"}},
	}
	for name, c := range cases {
		t.Run(name, func(t *testing.T) {
			o := fine()
			c.edit(&o)
			_, err := New(o)
			if (err == nil) != (c.want == nil) {
				t.Fatalf("%v", err)
			}
			for _, want := range c.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("%v: no %s", err, want)
				}
			}
		})
	}
}
