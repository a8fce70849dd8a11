// Package cluster is the suite that runs on a cluster with nodes: colocate is
// installed from its own image and manifests, and what is looked at are running
// containers.
//
//	go test ./e2e/cluster -args -provider=local       a node of this machine; root on Linux
//	go test ./e2e/cluster -args -provider=kind        needs Docker
//	go test ./e2e/cluster -args -provider=existing -kubeconfig=FILE
package cluster

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"sigs.k8s.io/e2e-framework/klient"
	"sigs.k8s.io/e2e-framework/pkg/env"
	"sigs.k8s.io/e2e-framework/pkg/envconf"
	"sigs.k8s.io/e2e-framework/pkg/types"

	"colocate.dev/colocate/e2e/images"
	"colocate.dev/colocate/e2e/localnode"
	"colocate.dev/colocate/e2e/product"
	"colocate.dev/colocate/e2e/provider"
	"colocate.dev/colocate/manifests"
)

// nextImage is what the installed image is upgraded to.
const nextImage = "colocate:next"

// suite is what TestMain prepares for all tests.
var suite struct {
	environment types.Environment
	cluster     provider.Cluster
	// folder holds what is built; binary is the command line for this machine.
	folder, binary string
}

func TestMain(m *testing.M) {
	os.Exit(run(m)) //nolint:forbidigo // the code must tell a failed clean-up, too
}

func run(m *testing.M) (code int) {
	name := flag.String("provider", "local", strings.Join(provider.Names(), ", ")+": where the cluster comes from")
	kubeconfig := flag.String("kubeconfig", "", "kubeconfig of the existing cluster")
	archives := flag.String("archives", "", "folder with colocate-dev.tar and colocate-next.tar, built before; default: build them")
	flag.Parse()
	steps := newSteps(os.Stderr)
	folder, err := os.MkdirTemp("", "colocate-suite-")
	if err != nil {
		return steps.failed(err)
	}
	suite.folder = folder
	stop := sync.OnceFunc(func() {
		if suite.cluster != nil {
			if err := suite.cluster.Stop(); err != nil {
				code = steps.failed(err)
			}
		}
		if err := os.RemoveAll(folder); err != nil {
			code = steps.failed(err)
		}
		steps.done("took everything down")
	})
	defer stop()
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, os.Interrupt, syscall.SIGTERM)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() {
		<-signals
		steps.say("interrupted: taking everything down")
		cancel()
		stop()
		os.Exit(130) //nolint:forbidigo // tests cannot be ended otherwise
	}()
	if err := prepare(ctx, steps, *name, *kubeconfig, *archives); err != nil {
		return steps.failed(err)
	}
	code = suite.environment.Run(m)
	steps.done("ran the tests")
	return code
}

// prepare builds, starts and loads everything.
func prepare(ctx context.Context, steps *steps, name, kubeconfig, archives string) error {
	standIns, err := images.StandIns(ctx, suite.folder)
	if err != nil {
		return err
	}
	steps.done("built the stand-ins' images")
	if archives == "" {
		archives = suite.folder
		if err := buildImages(ctx, steps); err != nil {
			return err
		}
	}
	if suite.binary == "" {
		if suite.binary, err = product.Build(ctx, suite.folder); err != nil {
			return err
		}
		steps.done("built the command line")
	}
	if suite.cluster, err = provider.Start(ctx, name, kubeconfig, os.Stderr); err != nil {
		return err
	}
	steps.done("started a cluster (%s)", name)
	for _, archive := range []string{standIns, filepath.Join(archives, "colocate-dev.tar"), filepath.Join(archives, "colocate-next.tar")} {
		if err := suite.cluster.Load(ctx, archive); err != nil {
			return err
		}
	}
	steps.done("loaded the images")
	client, err := klient.NewWithKubeConfigFile(suite.cluster.Kubeconfig())
	if err != nil {
		return err
	}
	client.RESTConfig().QPS = -1
	config := envconf.NewWithKubeConfig(suite.cluster.Kubeconfig()).WithClient(client).WithParallelTestEnabled()
	suite.environment = env.NewWithConfig(config)
	suite.environment.Setup(func(ctx context.Context, config *envconf.Config) (context.Context, error) {
		err := install(ctx, config, manifests.Image)
		if err == nil {
			steps.done("installed colocate and the definitions of the examples")
		}
		return ctx, err
	})
	return nil
}

// buildImages builds what is installed and what it is upgraded to, with buildah
// where no Docker runs.
func buildImages(ctx context.Context, steps *steps) error {
	if exec.CommandContext(ctx, "docker", "info").Run() != nil {
		if err := localnode.InstallPackages(ctx, os.Stderr, map[string]string{"buildah": "buildah"}); err != nil {
			return err
		}
	}
	for _, image := range []struct{ name, version string }{{nextImage, "next"}, {manifests.Image, ""}} {
		built, err := images.BuildProduct(ctx, suite.folder, image.name, image.version, os.Stderr)
		if err != nil {
			return err
		}
		if runtime.GOOS == "linux" {
			suite.binary = built.Binary
		}
		steps.done("built the image %s", image.name)
	}
	return nil
}

// steps prints what is done, and how long each step took.
type steps struct {
	mu   sync.Mutex // the signal handler prints, too
	w    io.Writer
	last time.Time
}

func newSteps(w io.Writer) *steps { return &steps{w: w, last: time.Now()} }

func (s *steps) done(format string, args ...any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	now := time.Now()
	fmt.Fprintf(s.w, "suite: %6.1f s  %s\n", now.Sub(s.last).Seconds(), fmt.Sprintf(format, args...))
	s.last = now
}

func (s *steps) say(text string) { fmt.Fprintln(s.w, "suite:", text) }

// failed prints an error and gives the exit code.
func (s *steps) failed(err error) int {
	if !errors.Is(err, context.Canceled) {
		s.say(err.Error())
	}
	return 1
}
