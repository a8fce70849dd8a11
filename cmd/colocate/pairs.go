package main

import "strings"

// pairs reads the values of a repeatable flag of the form key=value.
func pairs(flag string, values []string) (map[string]string, error) {
	out := map[string]string{}
	for _, v := range values {
		key, value, ok := strings.Cut(v, "=")
		if !ok || key == "" || value == "" {
			return nil, usagef("%s is %q; it has the form name=value", flag, v)
		}
		if have, twice := out[key]; twice && have != value {
			return nil, usagef("%s gives %q twice: %q and %q", flag, key, have, value)
		}
		out[key] = value
	}
	return out, nil
}
