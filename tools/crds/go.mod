// This module holds no code. It pins the projects whose CustomResourceDefinitions
// the tests install, so that the API server can judge our objects of those kinds;
// the files come with the modules (go mod download).
module colocate.dev/colocate/tools/crds

go 1.26.0

require (
	github.com/cert-manager/cert-manager v1.21.2
	github.com/prometheus-operator/prometheus-operator v0.85.0
)
