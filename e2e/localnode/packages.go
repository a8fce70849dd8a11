package localnode

import (
	"context"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"slices"
	"strings"
)

// InstallPackages installs the Debian packages of those programs that are missing;
// wanted maps a program to its package. It says so in log. Where apt-get or root
// is missing, the error names what to install.
func InstallPackages(ctx context.Context, log io.Writer, wanted map[string]string) error {
	var programs, packages []string
	for _, program := range slices.Sorted(maps.Keys(wanted)) {
		if _, err := exec.LookPath(program); err != nil {
			programs, packages = append(programs, program), append(packages, wanted[program])
		}
	}
	if len(packages) == 0 {
		return nil
	}
	list := strings.Join(packages, " ")
	if _, err := exec.LookPath("apt-get"); err != nil || os.Geteuid() != 0 {
		return fmt.Errorf("missing programs: %s; install them (Debian: apt-get install %s)", strings.Join(programs, ", "), list)
	}
	steps := newSteps(log)
	for _, command := range []string{"apt-get update -qq", "apt-get install -y -qq --no-install-recommends " + list} {
		fmt.Fprintf(log, "localnode: running %s\n", command)
		words := strings.Fields(command)
		run := exec.CommandContext(ctx, words[0], words[1:]...)
		run.Env = append(os.Environ(), "DEBIAN_FRONTEND=noninteractive")
		if out, err := run.CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w\n%s", command, err, out)
		}
		steps.done("%s", command)
	}
	return nil
}
