package images

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// standIns are the images of the examples, by the stand-in that runs in them.
func standIns() map[string]string {
	return map[string]string{
		"example.org/pause:1":                 "pause",
		"example.org/nginx:1.27":              "web",
		"example.org/log-forwarder:1.4":       "log-forwarder",
		"example.org/log-forwarder:1.5":       "log-forwarder",
		"example.org/shop:1.0":                "client",
		"example.org/database-ambassador:2.1": "ambassador",
		"example.org/counter:3.2":             "counter",
		"example.org/metrics-adapter:0.9":     "adapter",
		"example.org/report:5.0":              "worker",
		"example.org/settings:1.1":            "prepare",
		"example.org/store:2.0":               "store",
	}
}

// StandIns builds examples/images and writes one archive with all of its images
// into folder. It must run inside the module.
func StandIns(ctx context.Context, folder string) (archive string, err error) {
	const name = "stand-in"
	program := filepath.Join(folder, name)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid=", "-o", program,
		"colocate.dev/colocate/examples/images")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS=linux")
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the stand-ins: %w\n%s", err, out)
	}
	var images []image
	for _, ref := range slices.Sorted(maps.Keys(standIns())) {
		images = append(images, image{name: ref, entrypoint: []string{"/" + name, standIns()[ref]}})
	}
	archive = filepath.Join(folder, "stand-ins.tar")
	file, err := os.Create(archive)
	if err != nil {
		return "", err
	}
	return archive, errors.Join(writeArchive(file, runtime.GOARCH, program, images), file.Close())
}

// Product is colocate's own image and the binary in it.
type Product struct {
	// Archive is a file in the format of `docker save`.
	Archive string
	// Binary is the Linux program that was copied into the image.
	Binary string
}

// BuildProduct runs `make image` for an image name and a version, and writes its
// archive into folder. It must run inside the module. What make prints goes to log.
func BuildProduct(ctx context.Context, folder, name, version string, log io.Writer) (Product, error) {
	root, err := moduleRoot(ctx)
	if err != nil {
		return Product{}, err
	}
	p := Product{
		Archive: filepath.Join(folder, strings.NewReplacer("/", "-", ":", "-").Replace(name)+".tar"),
		Binary:  filepath.Join(root, "bin", "linux-"+runtime.GOARCH, "colocate"),
	}
	args := []string{"--no-print-directory", "image", "IMAGE=" + name, "ARCHIVE=" + p.Archive, "ARCH=" + runtime.GOARCH}
	if version != "" {
		args = append(args, "VERSION="+version)
	}
	command := exec.CommandContext(ctx, "make", args...)
	command.Dir, command.Stdout, command.Stderr = root, log, log
	if err := command.Run(); err != nil {
		return Product{}, fmt.Errorf("make image: %w", err)
	}
	return p, nil
}

func moduleRoot(ctx context.Context) (string, error) {
	out, err := exec.CommandContext(ctx, "go", "list", "-m", "-f", "{{.Dir}}").Output()
	if err != nil {
		return "", fmt.Errorf("find the module: %w", err)
	}
	return strings.TrimSpace(string(out)), nil
}
