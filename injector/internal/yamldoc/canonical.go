package yamldoc

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
)

// Canonical rewrites any JSON text in the form of [JSON]. Numbers stay as they
// are written. One key twice in an object is an error, as is anything that
// follows the value.
func Canonical(data []byte) ([]byte, error) {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	dst, err := canonical(make([]byte, 0, len(data)), d, 0)
	if err != nil {
		return nil, fmt.Errorf("JSON cannot be read: %w", err)
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return nil, errors.New("JSON goes on after its value: give exactly one value")
	}
	return dst, nil
}

func canonical(dst []byte, d *json.Decoder, depth int) ([]byte, error) {
	token, err := d.Token()
	if err != nil {
		return nil, err
	}
	switch v := token.(type) {
	case json.Delim:
		if depth >= DefaultMaxDepth {
			return nil, fmt.Errorf("values are nested more than %d levels deep", DefaultMaxDepth)
		}
		if v == '{' {
			return canonicalObject(dst, d, depth)
		}
		return canonicalArray(dst, d, depth)
	case string:
		return AppendString(dst, v), nil
	case json.Number:
		return append(dst, v...), nil
	case bool:
		return fmt.Append(dst, v), nil
	}
	return append(dst, "null"...), nil
}

func canonicalArray(dst []byte, d *json.Decoder, depth int) ([]byte, error) {
	dst = append(dst, '[')
	for first := true; d.More(); first = false {
		if !first {
			dst = append(dst, ',')
		}
		var err error
		if dst, err = canonical(dst, d, depth+1); err != nil {
			return nil, err
		}
	}
	_, err := d.Token()
	return append(dst, ']'), err
}

func canonicalObject(dst []byte, d *json.Decoder, depth int) ([]byte, error) {
	members := map[string][]byte{}
	for d.More() {
		token, err := d.Token()
		if err != nil {
			return nil, err
		}
		key, _ := token.(string)
		if _, twice := members[key]; twice {
			return nil, fmt.Errorf("key %q stands twice in an object", key)
		}
		value, err := canonical(nil, d, depth+1)
		if err != nil {
			return nil, err
		}
		members[key] = value
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	dst = append(dst, '{')
	for i, key := range slices.Sorted(maps.Keys(members)) {
		if i > 0 {
			dst = append(dst, ',')
		}
		dst = AppendString(dst, key)
		dst = append(dst, ':')
		dst = append(dst, members[key]...)
	}
	return append(dst, '}'), nil
}
