# `make help` lists the targets. Nothing but Go, git, make and a C compiler (for
# the race detector) is needed; every other tool is built from a Go module.
SHELL := /bin/sh
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:

GO        ?= go
FUZZTIME  ?= 20s
PODS      ?= 10000
COUNT     ?= 6
IMAGE     ?= colocate:dev
ARCH      ?= $(shell $(GO) env GOARCH)

# What `colocate version` says. The date is the commit's, so that one commit
# always gives the same bytes.
VERSION   ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
COMMIT    ?= $(shell git rev-parse HEAD 2>/dev/null || echo unknown)
DATE      ?= $(shell TZ=UTC0 git show -s --date=format-local:%Y-%m-%dT%H:%M:%SZ --format=%cd HEAD 2>/dev/null || echo unknown)
LDFLAGS   := -s -w -buildid= -X main.version=$(VERSION) -X main.commit=$(COMMIT) -X main.date=$(DATE)

BINARIES  := .cache/control-plane/bin
LINT      := $(GO) tool -modfile=tools/golangci-lint/go.mod golangci-lint
BENCHSTAT := $(GO) tool -modfile=tools/benchstat/go.mod benchstat
# Suites that need more than an API server, or long to build, have targets of their own.
CLUSTER   := /e2e/(alerts|chaos|chart|cluster|scale)(/|$$)
UNIT       = $(shell $(GO) list ./... | grep -v /e2e)
APISERVER  = $(shell $(GO) list ./e2e/... | grep -vE '$(CLUSTER)')

##@ Every day

.PHONY: help
help: ## List the targets
	@awk 'BEGIN {FS = ":.*## "} /^##@/ {printf "\n%s\n", substr($$0, 5)} \
	  /^[a-z0-9-]+:.*## / {printf "  %-18s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

.PHONY: build
build: ## Build bin/colocate for this machine
	CGO_ENABLED=0 $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/colocate ./cmd/colocate

.PHONY: demo
demo: control-plane ## Show an injection on a real API server; leaves nothing running
	@$(GO) run ./e2e/demo

.PHONY: test
test: control-plane lint test-unit test-apiserver ## Lint, unit tests with the race detector, API-server suite

.PHONY: test-unit
test-unit: ## Unit tests with the race detector
	$(GO) test -race $(UNIT)

.PHONY: test-apiserver
test-apiserver: control-plane ## Tests that talk to a real etcd and kube-apiserver
	$(GO) test -timeout 10m $(APISERVER)

.PHONY: lint
lint: ## golangci-lint (about 2 minutes the first time, when it is built)
	$(LINT) run

.PHONY: format
format: ## Rewrite the Go files the way lint wants them
	$(LINT) fmt

##@ Generated files

.PHONY: generate
generate: ## Write what is generated: manifests, reference pages, schemas
	$(GO) generate ./...

.PHONY: verify
verify: ## Fail where a generated file or go.mod is not up to date
	@GO='$(GO)' tools/verify.sh

##@ Longer runs

.PHONY: fuzz
fuzz: ## Run the fuzz targets that match FUZZ (all) for FUZZTIME (20s) each
	@GO='$(GO)' tools/fuzz.sh $(FUZZTIME) '$(FUZZ)'

.PHONY: test-alerts
test-alerts: ## Alert rules, played by promtool (about 5 minutes the first time, when it is built)
	$(GO) test ./e2e/alerts

.PHONY: test-chart
test-chart: control-plane ## The Helm chart, with Helm (about 3 minutes the first time, when it is built)
	$(GO) test ./e2e/chart

.PHONY: bench
bench: control-plane ## Benchmarks COUNT (6) times, summed up with benchstat; then admissions against a yardstick
	@mkdir -p bin
	$(GO) test -run '^$$' -bench . -benchmem -count $(COUNT) ./injector/... ./webhook/... | tee bin/bench.txt
	$(BENCHSTAT) bin/bench.txt
	$(GO) run ./e2e/bench -apiserver -json bin/performance.json

.PHONY: bench-chart
bench-chart: ## Draw docs/performance.svg from docs/performance.json
	$(GO) run -C tools/barchart . $(CURDIR)/docs/performance.json $(CURDIR)/docs/performance.svg

.PHONY: chaos
chaos: control-plane ## Break an installation of three replicas while PODS (10000) pods are created
	$(GO) test -count=1 -timeout 20m -v ./e2e/chaos/... -args -pods $(PODS)

.PHONY: scale
scale: control-plane cluster-binaries ## Deployments of 2000 pods with and without the webhook
	$(GO) test -count=1 -timeout 20m -v ./e2e/scale/...

.PHONY: e2e
e2e: ## The cluster suite on kind (needs Docker)
	$(GO) test -count=1 -timeout 40m -v ./e2e/cluster/... -args -provider=kind

.PHONY: e2e-local
e2e-local: control-plane cluster-binaries ## The cluster suite on a real node started here (needs root on Linux)
	$(GO) test -count=1 -timeout 40m -v ./e2e/cluster/... -args -provider=local

##@ What the suites run on

.PHONY: control-plane
control-plane: ## Build etcd, kube-apiserver and kubectl where missing (about 7 minutes the first time)
	@$(GO) run ./tools/control-plane -out $(BINARIES) api

.PHONY: cluster-binaries
cluster-binaries: ## Build the rest of a cluster: kubelet, containerd, CNI plugins, … (about 7 minutes more)
	@$(GO) run ./tools/control-plane -out $(BINARIES) node

##@ Delivery

.PHONY: image
image: ## Build the image IMAGE (colocate:dev) with docker or buildah; into the file ARCHIVE, if given
	CGO_ENABLED=0 GOOS=linux GOARCH=$(ARCH) $(GO) build -trimpath -buildvcs=false -ldflags '$(LDFLAGS)' -o bin/linux-$(ARCH)/colocate ./cmd/colocate
	tools/image.sh $(IMAGE) $(ARCH) $(ARCHIVE)

.PHONY: clean
clean: ## Remove what was built, but keep the control plane
	rm -rf bin dist coverage.*

.PHONY: clean-all
clean-all: clean ## Remove the control plane, too
	rm -rf .cache
