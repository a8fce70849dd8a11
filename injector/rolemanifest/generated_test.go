package rolemanifest

import "testing"

// The generated documents are committed; a stale one fails here.
func TestGeneratedDocuments(t *testing.T) {
	golden(t, "../../docs/role-manifest.md", Docs())
	golden(t, "../../docs/role-manifest.schema.json", Schema())
}
