package apiserver

import "testing"

// StartForTest is Start for tests: the test fails, with what to do, where the
// control plane cannot be had, and the control plane ends with the test.
func StartForTest(t testing.TB, options Options) *Server {
	t.Helper()
	server, err := Start(t.Context(), options)
	if err != nil {
		t.Fatalf("start a control plane: %v", err)
	}
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("the API server's last lines:\n%s", server.api.Tail())
		}
		if err := server.Stop(); err != nil {
			t.Errorf("stop the control plane: %v", err)
		}
	})
	return server
}
