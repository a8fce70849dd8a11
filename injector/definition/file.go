package definition

import (
	"bytes"
	"fmt"
	"strings"

	"gopkg.in/yaml.v3"

	"colocate.dev/colocate/injector"
	"colocate.dev/colocate/injector/internal/yamldoc"
)

// Parse reads the definitions in the YAML or JSON of ConfigMaps: one document,
// several, or a List, as `colocate build` and `kubectl get -o yaml` print them.
// Objects of other kinds and ConfigMaps without our label are passed over; where
// nothing is left, that is a fault. Source is the file's name for messages; faults have
// positions in the file where a definition stands in a literal block, else
// inside its key.
func Parse(data []byte, source string) ([]injector.Definition, []injector.Fault) {
	f := &file{source: source, lines: bytes.Split(data, []byte{'\n'})}
	docs, errs := yamldoc.ParseAll(data, yamldoc.Options{AllowNull: true})
	for _, e := range errs {
		f.fault(e.Line, e.Column, e.Text())
	}
	for _, doc := range docs {
		f.object(doc, 0)
	}
	if f.found == 0 && len(f.faults) == 0 {
		f.fault(0, 0, fmt.Sprintf("there is no ConfigMap with the label %s: %q: give the output of colocate build", injector.DefinitionsLabel, injector.DefinitionsVersion))
	}
	return f.defs, f.faults
}

// IsConfigMap tells the text of ConfigMaps and lists, which [Parse] reads, from a
// role manifest. It may be asked about text that is not well formed.
func IsConfigMap(data []byte) bool {
	for line := range strings.Lines(string(bytes.TrimPrefix(data, []byte("\ufeff")))) {
		if kind, ok := strings.CutPrefix(line, "kind:"); ok && listed(kind) {
			return true
		}
	}
	if trimmed := bytes.TrimSpace(data); len(trimmed) == 0 || trimmed[0] != '{' {
		return false
	}
	docs, _ := yamldoc.ParseAll(data, yamldoc.Options{AllowNull: true})
	for _, doc := range docs {
		if kind := yamldoc.Lookup(doc, "kind"); kind != nil && listed(kind.Value) {
			return true
		}
	}
	return false
}

// listed says whether the rest of a line names a kind that Parse reads.
func listed(kind string) bool {
	kind, _, _ = strings.Cut(kind, " #")
	switch strings.Trim(kind, " \t\r\n\"'") {
	case "ConfigMap", "ConfigMapList", "List":
		return true
	}
	return false
}

// file collects what is in one text.
type file struct {
	source string
	lines  [][]byte
	found  int // ConfigMaps of ours
	defs   []injector.Definition
	faults []injector.Fault
}

func (f *file) fault(line, column int, message string) {
	f.faults = append(f.faults, injector.Fault{
		Origin: injector.Origin{Source: f.source, Line: line, Column: column},
		Reason: injector.ReasonUnreadableDefinition, Message: message,
	})
}

// object reads an object of any kind; lists may hold lists, to some depth.
func (f *file) object(n *yaml.Node, depth int) {
	const maxDepth = 4
	kind := yamldoc.Lookup(n, "kind")
	if kind == nil || depth > maxDepth {
		return
	}
	if items := yamldoc.Lookup(n, "items"); strings.HasSuffix(kind.Value, "List") && items != nil {
		for _, item := range items.Content {
			f.object(item, depth+1)
		}
		return
	}
	if kind.Value == "ConfigMap" {
		f.configMap(n)
	}
}

func (f *file) configMap(n *yaml.Node) {
	label := yamldoc.Lookup(n, "metadata", "labels", injector.DefinitionsLabel)
	if label == nil {
		return
	}
	f.found++
	if label.Value != injector.DefinitionsVersion {
		f.fault(label.Line, label.Column, fmt.Sprintf("%s: version %q of definitions is not known here: write %q", injector.DefinitionsLabel, label.Value, injector.DefinitionsVersion))
		return
	}
	f.data(yamldoc.Lookup(n, "data"))
	if binary := yamldoc.Lookup(n, "binaryData"); binary != nil && binary.Kind == yaml.MappingNode {
		for i := 0; i+1 < len(binary.Content); i += 2 {
			f.faults = append(f.faults, binaryFault(f.origin(binary.Content[i])))
		}
	}
}

func (f *file) data(data *yaml.Node) {
	if data == nil || data.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i+1 < len(data.Content); i += 2 {
		key, value := data.Content[i], data.Content[i+1]
		if value.Kind != yaml.ScalarNode || !isText(value) {
			f.fault(value.Line, value.Column, fmt.Sprintf("data: key %q holds %s, text is wanted: write the definition as a literal block", key.Value, nodeName(value)))
			continue
		}
		defs, faults := load(key.Value, value.Value, f.origin(key))
		for _, fault := range faults {
			f.faults = append(f.faults, f.placed(fault, value))
		}
		f.defs = append(f.defs, defs...)
	}
}

// origin is that of a definition: its key's, and where the key stands.
func (f *file) origin(key *yaml.Node) injector.Origin {
	return injector.Origin{Source: f.source, Key: key.Value}
}

// placed moves a fault's position from the key to the file, which needs a literal
// block: there a line of the key is a line of the file.
func (f *file) placed(fault injector.Fault, value *yaml.Node) injector.Fault {
	line := value.Line + fault.Origin.Line
	if fault.Origin.Line == 0 || value.Style&yaml.LiteralStyle == 0 || line > len(f.lines) {
		return fault
	}
	inFile := f.lines[line-1]
	inKey := lineOf(value.Value, fault.Origin.Line)
	before, ok := strings.CutSuffix(string(bytes.TrimRight(inFile, "\r")), inKey)
	if !ok || strings.TrimLeft(before, " ") != "" {
		return fault
	}
	fault.Origin = injector.Origin{Source: f.source, Line: line, Column: len(before) + fault.Origin.Column}
	return fault
}

// lineOf is a line of a text, counted from 1, "" beyond its end.
func lineOf(text string, n int) string {
	for line := range strings.SplitSeq(text, "\n") {
		if n--; n == 0 {
			return line
		}
	}
	return ""
}
