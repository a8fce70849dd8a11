// Package product builds colocate, installs it on an API server that runs beside
// it, and runs its webhook as processes of this machine: what an installation is
// without nodes.
package product

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Build compiles the command into a folder and returns the binary's path. It must
// run inside the module.
func Build(ctx context.Context, folder string) (string, error) {
	binary := filepath.Join(folder, "colocate")
	command := exec.CommandContext(ctx, "go", "build", "-buildvcs=false", "-o", binary, "colocate.dev/colocate/cmd/colocate")
	command.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := command.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build colocate: %w\n%s", err, out)
	}
	return binary, nil
}
