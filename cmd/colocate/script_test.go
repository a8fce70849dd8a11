package main

import (
	"errors"
	"flag"
	"os"
	"os/exec"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite what the scripts and docs/cli.md expect")

// TestMain makes this binary stand in for colocate where a script runs it.
func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"colocate": func() {
		p := program{
			in: os.Stdin, out: os.Stdout, err: os.Stderr,
			version: buildInfo{Version: "v1.2.3", Commit: "0123456", Date: "2026-01-02T03:04:05Z"},
		}
		os.Exit(p.run(os.Args[1:])) //nolint:forbidigo // it stands in for main
	}})
}

// TestScripts runs whole command lines: testdata/script has one story a file.
func TestScripts(t *testing.T) {
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits": exits,
		},
	})
}

// exits CODE COMMAND… runs a command and wants that exit code.
func exits(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: exits CODE COMMAND [ARGUMENT…]")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec(args[1], args[2:]...); err != nil {
		var exit *exec.ExitError
		if !errors.As(err, &exit) {
			ts.Fatalf("%v: %v", args[1:], err)
		}
		got = exit.ExitCode()
	}
	if got != want {
		ts.Fatalf("%v: exit code %d, want %d", args[1:], got, want)
	}
}
