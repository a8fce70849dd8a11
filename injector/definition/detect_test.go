package definition

import "testing"

func TestIsConfigMap(t *testing.T) {
	for text, want := range map[string]bool{
		"apiVersion: v1\nkind: ConfigMap\n":                         true,
		"kind: \"List\"\r\nitems: []\n":                             true,
		"# x\n---\napiVersion: v1\nkind: ConfigMap # y\n":           true,
		`{"apiVersion":"v1","kind":"ConfigMap","data":{}}`:          true,
		"{\n    \"apiVersion\": \"v1\",\n    \"kind\": \"List\"\n}": true,
		"roles:\n- name: a\n  kind: ConfigMap\n":                    false,
		"kind: ConfigMapper\n":                                      false,
		"instance_groups: []\n":                                     false,
		"":                                                          false,
	} {
		if got := IsConfigMap([]byte(text)); got != want {
			t.Errorf("IsConfigMap(%q) = %v, want %v", text, got, want)
		}
	}
}
