package workload

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
)

// operation is an RFC 6902 operation; the plan has only "add".
type operation struct {
	Op    string          `json:"op"`
	Path  string          `json:"path"`
	Value json.RawMessage `json:"value"`
}

func readPatch(patch []byte) ([]operation, error) {
	var ops []operation
	if err := json.Unmarshal(patch, &ops); err != nil {
		return nil, fmt.Errorf("patch cannot be read: %w", err)
	}
	for _, op := range ops {
		if op.Op != "add" || len(op.Value) == 0 || op.Path != "" && op.Path[0] != '/' {
			return nil, fmt.Errorf("patch operation %q on %q is not an addition", op.Op, op.Path)
		}
	}
	return ops, nil
}

// tokens takes a JSON pointer (RFC 6901) apart.
func tokens(pointer string) []string {
	if pointer == "" {
		return nil
	}
	parts := strings.Split(pointer[1:], "/")
	for i, p := range parts {
		parts[i] = strings.ReplaceAll(strings.ReplaceAll(p, "~1", "/"), "~0", "~")
	}
	return parts
}

// position is where in a list of length n a pointer's last token adds.
func position(token string, n int) (int, error) {
	if token == "-" {
		return n, nil
	}
	i, err := strconv.Atoi(token)
	if err != nil || i < 0 || i > n || strconv.Itoa(i) != token {
		return 0, fmt.Errorf("%q is not a position in a list of %d", token, n)
	}
	return i, nil
}

// add applies one addition to a generic value and returns the value that is
// there now. It is written apart from the editor on purpose: it is the
// yardstick that the editor is measured by.
func add(doc any, path []string, value any) (any, error) {
	if len(path) == 0 {
		return value, nil
	}
	switch at := doc.(type) {
	case map[string]any:
		child, ok := at[path[0]]
		if !ok && len(path) > 1 {
			return nil, fmt.Errorf("member %q does not exist", path[0])
		}
		next, err := add(child, path[1:], value)
		if err != nil {
			return nil, err
		}
		at[path[0]] = next
		return at, nil
	case []any:
		if len(path) == 1 {
			i, err := position(path[0], len(at))
			if err != nil {
				return nil, err
			}
			at = append(at, nil)
			copy(at[i+1:], at[i:])
			at[i] = value
			return at, nil
		}
		i, err := position(path[0], len(at)-1)
		if err != nil || path[0] == "-" {
			return nil, fmt.Errorf("%q is not an element of a list of %d", path[0], len(at))
		}
		at[i], err = add(at[i], path[1:], value)
		return at, err
	}
	return nil, fmt.Errorf("nothing can be added at %q", path[0])
}
