package definition

import (
	"cmp"
	"maps"
	"reflect"
	"slices"
)

// orderedKeys are the keys of an object of type t in the order in which people
// read them: apiVersion and name first, then as the Go type lists its fields; keys of maps
// by their bytes.
func orderedKeys[V any](object map[string]V, t reflect.Type) []string {
	keys := slices.Sorted(maps.Keys(object))
	fields := fieldsOf(t)
	if fields == nil {
		return keys
	}
	rank := func(key string) int {
		f, known := fields[key]
		switch {
		case key == "apiVersion":
			return -2
		case key == "name":
			return -1
		case !known:
			return len(fields)
		}
		return f.rank
	}
	slices.SortStableFunc(keys, func(a, b string) int { return cmp.Compare(rank(a), rank(b)) })
	return keys
}

// fieldsOf are the fields of a struct type, nil for other types and for nil.
func fieldsOf(t reflect.Type) map[string]field {
	if t == nil {
		return nil
	}
	return structs()[deref(t)]
}

// below is the type of a member of an object of type t, nil where it is not known.
func below(t reflect.Type, key string) reflect.Type {
	if t == nil {
		return nil
	}
	t = deref(t)
	if t.Kind() == reflect.Map {
		return t.Elem()
	}
	if f, known := structs()[t][key]; known {
		return f.typ
	}
	return nil
}

// itemOf is the type of the items of a list type, nil where it is not known.
func itemOf(t reflect.Type) reflect.Type {
	if t == nil {
		return nil
	}
	if t = deref(t); t.Kind() == reflect.Slice {
		return t.Elem()
	}
	return nil
}
