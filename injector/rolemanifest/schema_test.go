package rolemanifest

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// The schema takes every good case, except what is known to be a slip.
func TestSchemaTakesGoodCases(t *testing.T) {
	v := newValidator(t)
	files, _ := filepath.Glob("testdata/*.good.yml")
	for _, file := range append(files, "../../examples/sidecar/role-manifest.yml") {
		name := filepath.Base(file)
		if name == "slips.good.yml" || name == "empty-misplaced.good.yml" || name == "superseded.good.yml" || name == "anchors.good.yml" {
			continue
		}
		if faults := v.file(t, file); len(faults) > 0 {
			t.Errorf("%s: %s", file, strings.Join(faults, "\n\t"))
		}
	}
}

// The schema finds the kinds of faults that an editor can show.
func TestSchemaFindsFaults(t *testing.T) {
	v := newValidator(t)
	for file, want := range map[string][]string{
		"container.bad.yml": {`imagePullPolcy`, `restartPolicy`, `roles[1].placement`, `roles[1].container.env[0].value`, `roles[1].container.ports`},
		"state.bad.yml":     {`persistentVolumeClaim`, `hostPath`, `ephemeral`, `csi`, `volumeDevices`},
		"resources.bad.yml": {`roles[1].run.memory`, `roles[1].run.virtual-cpus`},
		"keys.bad.yml":      {`colocated-containers`, `virtual_cpus`, `roles[6].type`},
		"slips.good.yml":    {`relases`},
	} {
		faults := strings.Join(v.file(t, "testdata/"+file), "\n")
		for _, w := range want {
			if !strings.Contains(faults, w) {
				t.Errorf("%s: nothing about %s in\n%s", file, w, faults)
			}
		}
	}
}

// validator understands the part of JSON Schema that the schema uses, and fails
// for any other keyword, so that nothing in the schema goes unchecked.
type validator struct {
	t    *testing.T
	root map[string]any
}

func newValidator(t *testing.T) *validator {
	v := &validator{t: t}
	if err := json.Unmarshal(Schema(), &v.root); err != nil {
		t.Fatal(err)
	}
	return v
}

func (v *validator) file(t *testing.T, file string) []string {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	root, errs := yamldoc.Parse(data, yamldoc.Options{AllowNull: true})
	if errs.Err() != nil {
		t.Fatal(errs)
	}
	text, err := yamldoc.JSON(root)
	if err != nil {
		return []string{err.Error()} // such as .inf, which JSON does not have
	}
	var value any
	if err := json.Unmarshal(text, &value); err != nil {
		t.Fatal(err)
	}
	return v.check(v.root, value, "")
}

func (v *validator) check(schema any, value any, path string) (faults []string) {
	s, ok := schema.(map[string]any)
	if !ok {
		if schema == false {
			return []string{path + " is not allowed"}
		}
		return nil
	}
	for keyword, arg := range s {
		switch keyword {
		case "$schema", "$id", "$defs", "title", "description", "deprecated", "properties", "patternProperties":
		case "$ref":
			name := strings.TrimPrefix(arg.(string), "#/$defs/")
			target, known := v.root["$defs"].(map[string]any)[name]
			if !known {
				v.t.Fatalf("the schema refers to %q, which it does not define", name)
			}
			faults = append(faults, v.check(target, value, path)...)
		case "type":
			if !slices.Contains(words(arg), kindOf(value)) && !(kindOf(value) == "integer" && slices.Contains(words(arg), "number")) {
				faults = append(faults, fmt.Sprintf("%s is %s, not %v", path, kindOf(value), arg))
			}
		case "enum":
			if !slices.Contains(arg.([]any), value) {
				faults = append(faults, fmt.Sprintf("%s is %v, none of %v", path, value, arg))
			}
		case "pattern":
			if text, isText := value.(string); isText && !regexp.MustCompile(arg.(string)).MatchString(text) {
				faults = append(faults, fmt.Sprintf("%s does not match %v", path, arg))
			}
		case "required":
			if object, isObject := value.(map[string]any); isObject {
				for _, name := range words(arg) {
					if _, has := object[name]; !has {
						faults = append(faults, fmt.Sprintf("%s lacks %s", path, name))
					}
				}
			}
		case "anyOf":
			if !slices.ContainsFunc(arg.([]any), func(one any) bool { return len(v.check(one, value, path)) == 0 }) {
				faults = append(faults, path+" is none of the alternatives")
			}
		case "items":
			if list, isList := value.([]any); isList {
				for i, item := range list {
					faults = append(faults, v.check(arg, item, fmt.Sprintf("%s[%d]", path, i))...)
				}
			}
		case "additionalProperties":
		default:
			v.t.Fatalf("the test does not know the keyword %q", keyword)
		}
	}
	if object, isObject := value.(map[string]any); isObject {
		faults = append(faults, v.members(s, object, path)...)
	}
	return faults
}

func (v *validator) members(s, object map[string]any, path string) (faults []string) {
	properties, _ := s["properties"].(map[string]any)
	patterns, _ := s["patternProperties"].(map[string]any)
	for name, member := range object {
		at := join(path, name)
		if p, known := properties[name]; known {
			faults = append(faults, v.check(p, member, at)...)
			continue
		}
		matched := false
		for pattern, p := range patterns {
			if regexp.MustCompile(pattern).MatchString(name) {
				matched = true
				faults = append(faults, v.check(p, member, at)...)
			}
		}
		if rest, given := s["additionalProperties"]; given && !matched {
			faults = append(faults, v.check(rest, member, at)...)
		}
	}
	return faults
}

func words(v any) []string {
	switch v := v.(type) {
	case string:
		return []string{v}
	case []any:
		out := make([]string, len(v))
		for i := range v {
			out[i] = v[i].(string)
		}
		return out
	}
	return nil
}

func kindOf(v any) string {
	switch v := v.(type) {
	case nil:
		return "null"
	case bool:
		return "boolean"
	case string:
		return "string"
	case float64:
		if v == float64(int64(v)) {
			return "integer"
		}
		return "number"
	case []any:
		return "array"
	}
	return "object"
}

// The schema has every field of the vendored Kubernetes types but those that a
// manifest cannot give.
func TestSchemaHasEveryField(t *testing.T) {
	v := newValidator(t)
	var k kubeTypes
	for name, kind := range map[string]reflect.Type{"kubernetes.Container": containerType, "kubernetes.Volume": volumesType.Elem()} {
		have := v.root["$defs"].(map[string]any)[name].(map[string]any)["properties"].(map[string]any)
		_, fields := k.fields(kind)
		for _, field := range fields {
			if _, has := have[field]; has == leftOut(kind, field) {
				t.Errorf("%s.%s: in the schema: %v", name, field, has)
			}
		}
	}
}
