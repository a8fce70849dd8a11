package yamldoc_test

import (
	"fmt"
	"strings"
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

// summary is `line:column: Code` of every error.
func summary(errs yamldoc.Errors) string {
	var parts []string
	for _, e := range errs {
		parts = append(parts, fmt.Sprintf("%d:%d: %s", e.Line, e.Column, e.Code))
	}
	return strings.Join(parts, ", ")
}

func TestParseGivesJSON(t *testing.T) {
	null := yamldoc.Options{AllowNull: true}
	tests := []struct {
		name, in, want string
		o              yamldoc.Options
	}{
		{"keys are sorted", "b: 1\na: 2\nB: 3\n", `{"B":3,"a":2,"b":1}`, null},
		{"decimal numbers stay", "[0, -0, 12, 1.50, 1e3, 1E-3, -2.5e+10, 12345678901234567890123]", `[0,-0,12,1.50,1e3,1E-3,-2.5e+10,12345678901234567890123]`, null},
		{"other numbers are converted", "[0x10, -0x10, 0o17, 0755, -0755, 0b11, -0b11, 1_000, +1, .5, -.5e1, 5., 1_0.5, 08, 007.5]", `[16,-16,15,493,-493,3,-3,1000,1,0.5,-0.5e1,5.0,10.5,8,7.5]`, null},
		{"truth values", "[true, True, TRUE, false, False]", `[true,true,true,false,false]`, null},
		{"nulls", "[null, ~, Null, ]\n", `[null,null,null]`, null},
		{"empty value", "a:\n", `{"a":null}`, null},
		{"words stay text", "[yes, no, on, off, y, n, 2020-01-02, 1:30, 1.2.3, 0x, '<<', tRue]", `["yes","no","on","off","y","n","2020-01-02","1:30","1.2.3","0x","<<","tRue"]`, null},
		{"quoted scalars are text", `["1", '2', "true", "null", "~", ""]`, `["1","2","true","null","~",""]`, null},
		{"tags of the core schema", "[!!str 1, !!str true, !!int 3, !!int '4', !!float 5, !!float 6.5, !!bool true, !!null '', !!map {}, !!seq []]", `["1","true",3,4,5,6.5,true,null,{},[]]`, null},
		{"escapes", `"\" \\ / \n \r \t \b \f \x01 \x7f <&> é \U0001F600"`, `"\" \\ / \n \r \t \b \f \u0001 ` + "\x7f" + ` <&> é 😀"`, null},
		{"block text", "a: |\n  x\n  y\nb: >-\n  x\n  y\n", `{"a":"x\ny\n","b":"x y"}`, null},
		{"alias", "a: &x {k: [1]}\nb: *x\n", `{"a":{"k":[1]},"b":{"k":[1]}}`, null},
		{"alias of a scalar, and as a key", "a: &x k\n*x : 1\n", `{"a":"k","k":1}`, null},
		{"anchor on a key", "&x a: 1\nb: *x\n", `{"a":1,"b":"a"}`, null},
		{"merge", "a: &x {k: 1, l: 2}\nb:\n  <<: *x\n  l: 3\n", `{"a":{"k":1,"l":2},"b":{"k":1,"l":3}}`, null},
		{"own keys win wherever they stand", "a: &x {k: 1}\nb:\n  k: 2\n  <<: *x\n", `{"a":{"k":1},"b":{"k":2}}`, null},
		{"earlier merges win", "a: &x {k: 1}\nb: &y {k: 2, l: 2}\nc:\n  <<: [*x, *y]\nd:\n  <<: *y\n  <<: *x\n", `{"a":{"k":1},"b":{"k":2,"l":2},"c":{"k":1,"l":2},"d":{"k":2,"l":2}}`, null},
		{"merge of a merge", "a: &x {k: 1}\nb: &y\n  <<: *x\n  l: 1\nc:\n  <<: *y\n", `{"a":{"k":1},"b":{"k":1,"l":1},"c":{"k":1,"l":1}}`, null},
		{"merge of a mapping written there", "<<: {a: 1}\nb: 2\n", `{"a":1,"b":2}`, null},
		{"merged mappings stay as they were", "a: &x {k: {l: 1}}\nb:\n  <<: *x\n  k: {m: 1}\nc: *x\n", `{"a":{"k":{"l":1}},"b":{"k":{"m":1}},"c":{"k":{"l":1}}}`, null},
		{"quoted merge key is a key", "'<<': 1\n", `{"<<":1}`, null},
		{"keys by their text", "1: a\ntrue: b\n0x10: c\n2020-01-02: d\n", `{"0x10":"c","1":"a","2020-01-02":"d","true":"b"}`, null},
		{"byte order mark and CRLF", "\ufeffa: 1\r\nb: |\r\n  x\r\n", `{"a":1,"b":"x\n"}`, null},
		{"documents without content do not count", "---\n---\na: 1\n---\n# nothing\n---\n...\n", `{"a":1}`, null},
		{"no end of line", "a", `"a"`, yamldoc.Options{}},
		{"strict and fine", "a: [yesterday, 0755, 'no', \"on\", 0.5, 0]\n'1': x\n\"y\": x\n", `{"1":"x","a":["yesterday",493,"no","on",0.5,0],"y":"x"}`, yamldoc.Options{StringKeys: true, RefuseAmbiguous: true}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, errs := yamldoc.Parse([]byte(tt.in), tt.o)
			if errs != nil {
				t.Fatalf("errors: %v", errs)
			}
			got, err := yamldoc.JSON(root)
			if err != nil {
				t.Fatal(err)
			}
			if string(got) != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

func TestParseRefuses(t *testing.T) {
	strict := yamldoc.Options{StringKeys: true, RefuseAmbiguous: true}
	lenient := yamldoc.Options{AllowNull: true}
	deep := strings.Repeat("[", 201) + strings.Repeat("]", 201)
	tests := []struct {
		name, in, want string
		o              yamldoc.Options
	}{
		{"nothing", "", "1:1: Empty", lenient},
		{"comment only", "# x\n---\n", "1:1: Empty", lenient},
		{"second document", "a: 1\n---\nb: 1\n", "3:1: Documents", lenient},
		{"duplicate keys", "a: 1\nb: {c: 1, c: 2}\n'a': 2\n", "2:11: DuplicateKey, 3:1: DuplicateKey", lenient},
		{"duplicate keys by their text", "1: a\n\"1\": b\n", "2:1: DuplicateKey", lenient},
		{"nulls", "a:\nb: [null, ~]\nc: {d: Null}\n", "1:3: Null, 2:5: Null, 2:11: Null, 3:8: Null", strict},
		{"null written with a tag", "a: !!null ''\n", "1:4: Null", strict},
		{"null key", "~: 1\n? \n: 2\n", "1:1: Key, 2:2: Key", lenient},
		{"list as a key", "[a]: 1\n{b: 1}: 1\n", "1:1: Key, 2:1: Key", lenient},
		{"alias of a list as a key", "a: &x [1]\n*x : 1\n", "2:1: Key", lenient},
		{"keys that are no text", "1: a\ntrue: b\n1.5: c\n", "1:1: Key, 2:1: Key, 3:1: Key", strict},
		{"custom tags", "a: !foo 1\nb: !!binary aGk=\nc: !!set {a}\nd: !foo [1]\ne: !!timestamp 2020-01-01\n", "1:4: Tag, 2:4: Tag, 3:4: Tag, 4:4: Tag, 5:4: Tag", lenient},
		{"custom tag on a key", "!foo a: 1\n", "1:1: Tag", lenient},
		{"tag and value disagree", "a: !!int x\nb: !!bool yes\nc: !!null x\nd: !!float 'q'\ne: !!seq {a: 1}\n", "1:4: Tag, 2:4: Tag, 3:4: Tag, 4:4: Tag, 5:4: Tag", lenient},
		{"words that some readers take for truth values", "a: yes\nb: [No, ON, y]\noff: 1\n", "1:4: Ambiguous, 2:5: Ambiguous, 2:9: Ambiguous, 2:13: Ambiguous, 3:1: Ambiguous", strict},
		{"number that begins like an octal one", "a: 08\nb: -09.5\n", "1:4: Ambiguous, 2:4: Ambiguous", strict},
		{"anchor that contains its alias", "a: &x\n  b: [*x]\n", "2:7: Alias", lenient},
		{"merge of what contains it", "a: &x\n  <<: *x\n", "2:7: Alias", lenient},
		{"anchor of an earlier document", "a: &x 1\n---\nb: *x\n", "3:4: Alias", lenient},
		{"merge of no mapping", "<<: 1\n", "1:5: Merge", lenient},
		{"merge of a list with something else", "a: &x {k: 1}\nb:\n  <<: [*x, 1]\n", "3:12: Merge", lenient},
		{"too deep", deep, "1:201: Depth", lenient},
		{"too deep through aliases", "a: &x [[[[1]]]]\nb: [[[[*x]]]]\n", "2:8: Depth", yamldoc.Options{MaxDepth: 8}},
		{"too many values", "[1, 2, 3, 4]", "1:11: Size", yamldoc.Options{MaxNodes: 4}},
		{"too much text", "a: &x 123456789\nb: [*x, *x]\n", "2:4: Size", yamldoc.Options{MaxBytes: 28}},
		{"alias bomb", bomb(40), "6:53: Size", lenient},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, errs := yamldoc.Parse([]byte(tt.in), tt.o)
			if root != nil {
				t.Fatalf("got a tree")
			}
			if got := summary(errs); got != tt.want {
				t.Errorf("got  %s\nwant %s\n%v", got, tt.want, errs)
			}
		})
	}
}

// bomb is a list of ten nines, of ten such lists, and so on.
func bomb(levels int) string {
	var b strings.Builder
	b.WriteString("- &a0 [9, 9, 9, 9, 9, 9, 9, 9, 9, 9]\n")
	for i := 1; i < levels; i++ {
		fmt.Fprintf(&b, "- &a%d [%s]\n", i, strings.TrimSuffix(strings.Repeat(fmt.Sprintf("*a%d, ", i-1), 10), ", "))
	}
	return b.String()
}

func TestMessagesSayWhereAndWhatToDo(t *testing.T) {
	in := "spec:\n  container:\n    args: [a, null]\n    image: a\n    image: b\n"
	_, errs := yamldoc.Parse([]byte(in), yamldoc.Options{})
	want := "3:15: spec.container.args[1]: null is no value here: give it a value, or remove it\n" +
		"5:5: spec.container: key \"image\" stands here again, first at 4:5: remove one of the two"
	if got := fmt.Sprint(errs.Err()); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

func TestErrorsAreBounded(t *testing.T) {
	_, errs := yamldoc.Parse([]byte(strings.Repeat("- null\n", 5000)), yamldoc.Options{})
	if len(errs) != 100 {
		t.Errorf("%d errors", len(errs))
	}
}

func TestParseAllKeepsWhatItCouldRead(t *testing.T) {
	docs, errs := yamldoc.ParseAll([]byte("a: 1\n---\nb: null\n---\nc: 1\n---\nd: @\n"), yamldoc.Options{})
	if got := summary(errs); got != "3:4: Null, 7:4: Syntax" {
		t.Errorf("errors: %s", got)
	}
	var got []string
	for _, d := range docs {
		got = append(got, d.Content[0].Value)
	}
	if strings.Join(got, ",") != "a,c" {
		t.Errorf("documents: %v", got)
	}
}

func TestMergeKeepsOrderAndPositions(t *testing.T) {
	root, errs := yamldoc.Parse([]byte("a: &x {k: 1, l: 2}\nb:\n  m: 1\n  <<: *x\n  l: 3\n"), yamldoc.Options{})
	if errs != nil {
		t.Fatal(errs)
	}
	var got []string
	for _, n := range yamldoc.Lookup(root, "b").Content {
		got = append(got, fmt.Sprintf("%s@%d:%d", n.Value, n.Line, n.Column))
	}
	if s := strings.Join(got, " "); s != "m@3:3 1@3:6 k@1:8 1@1:11 l@5:3 3@5:6" {
		t.Error(s)
	}
}

func TestJSONRefusesWhatJSONLacks(t *testing.T) {
	for _, in := range []string{"a: .inf", "a: -.Inf", "a: .nan"} {
		root, errs := yamldoc.Parse([]byte(in), yamldoc.Options{})
		if errs != nil {
			t.Fatal(errs)
		}
		if got, err := yamldoc.JSON(root); err == nil || !strings.HasPrefix(err.Error(), "1:4: ") {
			t.Errorf("%s: %s, %v", in, got, err)
		}
	}
}
