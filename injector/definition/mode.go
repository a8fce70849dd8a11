package definition

import (
	"fmt"
	"strconv"

	"gopkg.in/yaml.v3"
)

// modes warns about file modes that were meant to be octal: 755 is not 0755. It
// looks at every field of that name below n; only volumes have them.
func (r *reader) modes(n *yaml.Node, path string) {
	for i, child := range n.Content {
		if n.Kind == yaml.SequenceNode {
			if child.Kind != yaml.ScalarNode {
				r.modes(child, path+"["+strconv.Itoa(i)+"]")
			}
			continue
		}
		if i%2 == 0 {
			continue
		}
		key := n.Content[i-1].Value
		at := join(path, key)
		switch {
		case child.Kind != yaml.ScalarNode:
			r.modes(child, at)
		case (key == "defaultMode" || key == "mode") && looksOctal(child):
			r.fault(child.Line, child.Column, true, fmt.Sprintf("%s: %s is a decimal number here, %s as a file mode: write 0%s if that is meant", at, child.Value, octal(child.Value), child.Value))
		}
	}
}

// looksOctal says whether a decimal number is more likely an octal one without
// its zero: beyond 0777, or one of those that make sense as octal only.
func looksOctal(n *yaml.Node) bool {
	if n.Tag != "!!int" || n.Value == "" || n.Value[0] < '1' || n.Value[0] > '7' {
		return false
	}
	switch n.Value {
	case "400", "440", "444", "500":
		return true
	}
	if _, err := strconv.ParseUint(n.Value, 8, 32); err != nil {
		return false
	}
	v, err := strconv.ParseUint(n.Value, 10, 32)
	return err == nil && v > 0o777
}

// octal writes a decimal number as an octal one.
func octal(decimal string) string {
	v, err := strconv.ParseUint(decimal, 10, 32)
	if err != nil {
		return decimal
	}
	return "0" + strconv.FormatUint(v, 8)
}
