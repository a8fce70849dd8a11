package definition

import "regexp"

// configMapKind finds the kind of a ConfigMap or List at the top level of a YAML
// document, or in a JSON document.
var configMapKind = regexp.MustCompile(`(?m)^(?:\s*\{.*?"kind"|kind|"kind"|'kind'|[ \t]{1,4}"kind")\s*:\s*["']?(?:ConfigMap|ConfigMapList|List)\b`)

// IsConfigMap tells a file that [Parse] reads from a role manifest, which has no
// kind.
func IsConfigMap(data []byte) bool { return configMapKind.Match(data) }
