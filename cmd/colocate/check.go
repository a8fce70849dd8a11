package main

import (
	"context"
	"encoding/json"
	"fmt"
	"time"

	"github.com/spf13/cobra"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/controller-runtime/pkg/client"

	"colocate.dev/colocate/injector"
)

// checkCommand looks at a live cluster for the person on call.
type checkCommand struct {
	*program
	clusterFlags
	podsIn  string
	role    string
	output  string
	timeout time.Duration

	client   client.Client
	config   *rest.Config
	snapshot *injector.Snapshot
	// target is where the webhook is reached; empty where there is no configuration.
	target   admissionregistrationv1.WebhookClientConfig
	findings []finding
}

// finding is one line of the answer.
type finding struct {
	// Check names what was looked at.
	Check string `json:"check"`
	// Level is ok, warn or fail.
	Level string `json:"level"`
	Text  string `json:"text"`
	// Remedy says what to do; "" for ok.
	Remedy string `json:"remedy,omitempty"`
}

const (
	levelOK   = "ok"
	levelWarn = "warn"
	levelFail = "fail"
)

func (p *program) checkCommand() *cobra.Command {
	k := &checkCommand{program: p}
	c := &cobra.Command{
		Use:   "check",
		Short: "Look at a live installation and say what is wrong and what to do",
		Long: `Look at a live installation, line by line: the API server's version, the webhook
configuration as it is against as it should be, caBundle and certificate, endpoints,
definitions, a pod sent through the API server (dry run: nothing is created), and
annotated pods that run without their containers. Exit code 1 where a line says fail.`,
		Args: noArgs,
		RunE: func(c *cobra.Command, _ []string) error { return k.run(c.Context()) },
	}
	k.clusterFlags.add(c)
	c.Flags().StringVar(&k.podsIn, "in", "default", "namespace for the dry-run pod")
	c.Flags().StringVar(&k.role, "role", "", "role for the dry-run pod; default: the first that can be used")
	c.Flags().StringVarP(&k.output, "output", "o", "text", "text or json")
	c.Flags().DurationVar(&k.timeout, "timeout", 30*time.Second, "for each question to the API server")
	c.Example = "  colocate check\n  colocate check --role nginx --in shop -o json"
	return c
}

func (k *checkCommand) run(ctx context.Context) error {
	if k.output != "text" && k.output != "json" {
		return usagef(`--output is %q; it can be "text" or "json"`, k.output)
	}
	if k.timeout <= 0 {
		return usagef("--timeout is %s: it must be more than nothing", k.timeout)
	}
	var err error
	if k.config, err = k.clusterFlags.config("colocate-check/" + k.version.Version); err != nil {
		return err
	}
	k.config.Timeout = k.timeout
	if k.client, err = newClient(k.config); err != nil {
		return err
	}
	if !k.checkVersion(ctx) {
		return k.show() // nobody answers: the rest would say the same
	}
	k.checkConfigurations(ctx)
	k.checkEndpoints(ctx)
	k.checkDefinitions(ctx)
	k.checkPod(ctx)
	k.checkBare(ctx)
	return k.show()
}

func (k *checkCommand) ok(check, format string, args ...any) {
	k.findings = append(k.findings, finding{check, levelOK, fmt.Sprintf(format, args...), ""})
}

func (k *checkCommand) warn(check, remedy, format string, args ...any) {
	k.findings = append(k.findings, finding{check, levelWarn, fmt.Sprintf(format, args...), remedy})
}

func (k *checkCommand) fail(check, remedy, format string, args ...any) {
	k.findings = append(k.findings, finding{check, levelFail, fmt.Sprintf(format, args...), remedy})
}

func (k *checkCommand) show() error {
	failed := false
	for _, f := range k.findings {
		failed = failed || f.Level == levelFail
	}
	if k.output == "json" {
		e := json.NewEncoder(k.out)
		e.SetIndent("", "  ")
		if err := e.Encode(struct {
			Findings []finding `json:"findings"`
		}{k.findings}); err != nil {
			return err
		}
	} else {
		for _, f := range k.findings {
			fmt.Fprintf(k.out, "%s  %-14s %s\n", k.paint(f.Level), f.Check, f.Text)
			if f.Remedy != "" {
				fmt.Fprintf(k.out, "      %-14s → %s\n", "", f.Remedy)
			}
		}
	}
	if failed {
		return errFaults
	}
	return nil
}

// paint is a level in four columns, in colour on a terminal.
func (k *checkCommand) paint(level string) string {
	text := fmt.Sprintf("%-4s", level)
	if !k.color {
		return text
	}
	colour := map[string]string{levelOK: "32", levelWarn: "33", levelFail: "31"}[level]
	return "\x1b[" + colour + "m" + text + "\x1b[0m"
}
