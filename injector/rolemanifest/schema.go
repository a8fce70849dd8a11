package rolemanifest

import (
	"bytes"
	"encoding/json"
	"reflect"
	"slices"
	"strings"
)

// SchemaID is the identifier of the JSON Schema of role manifests.
const SchemaID = "https://colocate.dev/role-manifest.schema.json"

// object of JSON; maps are marshalled with sorted keys, so that the schema's
// bytes are stable.
type jsonObject = map[string]any

// Schema is the JSON Schema (draft 2020-12) of role manifests, for completion and
// checks in editors. It comes from the table of keys that the reader uses and, for
// `container` and `volumes`, from the Kubernetes types of the vendored version.
func Schema() []byte {
	k := &kubeSchema{defs: jsonObject{}}
	for _, w := range places() {
		k.defs[defName(w)] = placeSchema(w, k)
	}
	root := jsonObject{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     SchemaID,
		"title":   "Role manifest",
		"$ref":    "#/$defs/" + defName(InManifest),
		"$defs":   k.defs,
	}
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	e.SetIndent("", " ")
	if err := e.Encode(root); err != nil {
		return nil // maps of strings cannot fail
	}
	return b.Bytes()
}

// places are the mappings of the table in its order.
func places() (all []Where) {
	for i := range keyTable {
		for _, w := range keyTable[i].In {
			if !slices.Contains(all, w) {
				all = append(all, w)
			}
		}
	}
	return all
}

// defName is the name of a place in the schema: `a volume of run` is volumeOfRun.
func defName(w Where) string {
	words := strings.FieldsFunc(string(w), func(c rune) bool { return c == ' ' || c == '.' || c == '_' })
	name := ""
	for _, word := range words {
		switch {
		case word == "a" || word == "the":
		case name == "":
			name = word
		default:
			name += strings.ToUpper(word[:1]) + word[1:]
		}
	}
	return name
}

func placeSchema(w Where, k *kubeSchema) jsonObject {
	properties := jsonObject{}
	for i := range keyTable {
		key := &keyTable[i]
		if !slices.Contains(key.In, w) || key.Handling == Misplaced {
			continue
		}
		properties[key.Name] = keySchema(key, k)
	}
	s := jsonObject{"type": []string{"object", "null"}, "properties": properties}
	switch w {
	case InProperties: // a job's properties are its own
	case InManifest:
		s["type"] = "object"
		s["anyOf"] = []any{jsonObject{"required": []string{"instance_groups"}}, jsonObject{"required": []string{"roles"}}}
		s["patternProperties"] = jsonObject{`^(x-|\.)`: true}
		s["additionalProperties"] = false
	case InRole:
		s["type"] = "object"
		s["required"] = []string{"name"}
		s["additionalProperties"] = false
	default:
		s["additionalProperties"] = false
	}
	return s
}

func keySchema(key *Key, k *kubeSchema) jsonObject {
	s := typeSchema(key, k)
	if d := key.describe(); d != "" {
		s["description"] = d
	}
	if key.Handling == Superseded {
		s["deprecated"] = true
	}
	return s
}

// describe is the key's meaning with its unit, default and layouts.
func (k *Key) describe() string {
	parts := []string{}
	if k.Means != "" {
		parts = append(parts, k.Means)
	}
	if k.Unit != "" {
		parts = append(parts, "Unit: "+k.Unit+".")
	}
	if k.Default != "" {
		parts = append(parts, "Default: "+k.Default+".")
	}
	if k.Handling == Ignored {
		parts = append(parts, "Accepted and not used.")
	}
	if k.layouts() != everyPart {
		parts = append(parts, "Layouts: "+k.layouts().String()+".")
	}
	return strings.Join(parts, " ")
}

func typeSchema(key *Key, k *kubeSchema) jsonObject {
	nullable := func(types ...string) jsonObject { return jsonObject{"type": append(types, "null")} }
	listOf := func(items any) jsonObject {
		s := nullable("array")
		s["items"] = items
		return s
	}
	text := jsonObject{"type": "string"}
	switch key.Type {
	case String:
		s := nullable("string")
		if len(key.Values) > 0 {
			values := []any{nil}
			for _, v := range key.Values {
				values = append(values, v)
			}
			s["enum"] = values
		}
		return s
	case Integer:
		return nullable("integer")
	case Number:
		return nullable("number")
	case Bool:
		return nullable("boolean")
	case PortRange, Quantity:
		return nullable("integer", "string")
	case StringList:
		return listOf(text)
	case StringMap:
		s := nullable("object")
		s["additionalProperties"] = text
		return s
	case Mapping:
		return jsonObject{"$ref": "#/$defs/" + defName(key.Of)}
	case MappingList:
		return listOf(jsonObject{"$ref": "#/$defs/" + defName(key.Of)})
	case Environment:
		named := jsonObject{"type": "object", "properties": jsonObject{"name": text, "value": text}, "required": []string{"name", "value"}, "additionalProperties": false}
		return jsonObject{"anyOf": []any{
			listOf(jsonObject{"anyOf": []any{jsonObject{"type": "string", "pattern": "="}, named}}),
			jsonObject{"type": "object", "additionalProperties": text},
		}}
	case SecretList:
		named := jsonObject{"type": "object", "properties": jsonObject{"name": text}, "required": []string{"name"}, "additionalProperties": false}
		return listOf(jsonObject{"anyOf": []any{text, named}})
	case KubeObject:
		return jsonObject{"$ref": k.ref(containerType)}
	case KubeVolumes:
		return jsonObject{"type": "array", "items": jsonObject{"$ref": k.ref(volumesType.Elem())}}
	}
	return jsonObject{}
}

// kubeSchema collects the definitions of Kubernetes types.
type kubeSchema struct {
	types kubeTypes
	defs  jsonObject
}

// ref is the reference of a struct type, whose definition it adds.
func (k *kubeSchema) ref(t reflect.Type) string {
	name := "kubernetes." + t.Name()
	if _, done := k.defs[name]; done {
		return "#/$defs/" + name
	}
	s := jsonObject{"type": "object", "additionalProperties": false}
	k.defs[name] = s
	docs := swaggerDoc(t)
	if d := docs[""]; d != "" {
		s["description"] = d
	}
	fields, order := k.types.fields(t)
	properties := jsonObject{}
	for _, field := range order {
		if leftOut(t, field) {
			continue
		}
		p := k.schema(fields[field].typ)
		if d := docs[field]; d != "" {
			p["description"] = d
		}
		properties[field] = p
	}
	s["properties"] = properties
	return "#/$defs/" + name
}

// leftOut says which fields of Kubernetes types have no place in a manifest.
func leftOut(t reflect.Type, field string) bool {
	switch t {
	case containerType:
		return field == "restartPolicy" || field == "restartPolicyRules" || field == "volumeDevices"
	case volumesType.Elem():
		return field != "name" && !slices.Contains(stateless, field)
	}
	return false
}

func (k *kubeSchema) schema(t reflect.Type) jsonObject {
	t = bare(t)
	switch {
	case t == quantityType:
		return jsonObject{"type": []string{"string", "number"}}
	case t == intOrString:
		return jsonObject{"type": []string{"string", "integer"}}
	}
	switch t.Kind() {
	case reflect.Struct:
		return jsonObject{"$ref": k.ref(t)}
	case reflect.Map:
		return jsonObject{"type": "object", "additionalProperties": k.schema(t.Elem())}
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return jsonObject{"type": "string"}
		}
		return jsonObject{"type": "array", "items": k.schema(t.Elem())}
	case reflect.Bool:
		return jsonObject{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64:
		return jsonObject{"type": "integer"}
	}
	return jsonObject{"type": "string"}
}

// swaggerDoc is what Kubernetes says about a type and its fields, embedded ones
// included.
func swaggerDoc(t reflect.Type) map[string]string {
	docs := map[string]string{}
	if d, ok := reflect.Zero(t).Interface().(interface{ SwaggerDoc() map[string]string }); ok {
		for name, text := range d.SwaggerDoc() {
			docs[name] = text
		}
	}
	for i := range t.NumField() {
		if f := t.Field(i); f.Anonymous && f.Type.Kind() == reflect.Struct {
			for name, text := range swaggerDoc(f.Type) {
				if _, known := docs[name]; !known && name != "" {
					docs[name] = text
				}
			}
		}
	}
	return docs
}
