package certs

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestOptionsReportAllFaults(t *testing.T) {
	_, err := NewAuthority(Options{
		Namespace: "Hooks", SecretName: "",
		CAValidity: time.Hour, LeafValidity: 10 * time.Minute, RotationDelay: -1,
		Webhooks: []Webhooks{{Kind: "Service", Name: "x"}},
	})
	if err == nil {
		t.Fatal("accepted")
	}
	var begins []string
	for _, line := range strings.Split(err.Error(), "\n") {
		begins = append(begins, strings.Join(strings.SplitN(line, ":", 4)[:2], ":"))
	}
	want := []string{
		"certificates: no client",
		`certificates: namespace "Hooks"`,
		`certificates: name of the Secret ""`,
		"certificates: no name to serve under",
		"certificates: life of a serving certificate 10m0s",
		"certificates: rotation delay -1ns",
		`certificates: webhook configuration "x"`,
		`certificates: webhook configuration "x"`,
	}
	if diff := cmp.Diff(want, begins); diff != "" {
		t.Errorf("faults (-want +got):\n%s\n%s", diff, err)
	}
}

func TestOptionsDefaults(t *testing.T) {
	a := newCluster(t).authority(nil, nil)
	o := a.options
	if o.CAValidity != DefaultCAValidity || o.LeafValidity != DefaultLeafValidity || o.RotationDelay != DefaultRotationDelay ||
		o.FieldManager != DefaultFieldManager || o.Time == nil || o.Clock == nil {
		t.Errorf("defaults are not filled in: %+v", o)
	}
	if got, want := o.retention(), 48*time.Hour+2*time.Minute; got != want {
		t.Errorf("retention %s, want %s", got, want)
	}
}
