package yamldoc_test

import (
	"testing"

	"colocate.dev/colocate/injector/internal/yamldoc"
)

func TestSyntaxErrorsHavePositions(t *testing.T) {
	tests := []struct{ name, in, want string }{
		{"dedented key", "a: 1\nb:\n  c: 1\n d: 2\ne: 3\nf: 4\n", "4:2: Syntax"},
		{"dedented key in a long file", "# x\n\nz:\n- a: 1\n  b: 2\n\n c: 3\n\nd: 1\ne: 2\n", "7:2: Syntax"},
		{"key without colon", "a: 1\nb: 2\nc\nd: 3\n", "3:1: Syntax"},
		{"key without colon, far from the next", "a:\n  b: 1\n\n\n  c\n\n# x\n\nd: 3\n", "5:3: Syntax"},
		{"text after quotes", "a: 'it''s' x\nb: 3\n", "1:1: Syntax"},
		{"open bracket", "a: 1\nb: [1, 2\nc: 3\n", "2:1: Syntax"},
		{"list without a comma", "a: 1\nb: [\n  \"x\",\n  # y\n\n  \"z\"\n  \"w\",\n  \"v\",\n]\nc: 3\n", "2:1: Syntax"},
		{"mapping without a comma", "a: 1\nb: [1]\nc: {\n  \"x\": 1\n  \"y\": 2}\nc: [3]\n", "3:1: Syntax"},
		{"open brace at the end", "x: {a: 1, b: 2\n", "1:1: Syntax"},
		{"open quote", "a: 1\nb: \"foo\nb: 3\n\nc: 4\n", "2:4: Syntax"},
		{"open quote on the first line", "b: 'foo\nb: 3\n\nc: 4\n", "1:4: Syntax"},
		{"reserved character", "a: 1\nb: @foo\n", "2:4: Syntax"},
		{"reserved character at the end", "a: `", "1:4: Syntax"},
		{"reserved character after a byte order mark", "\ufeffa: ü\nb: @x\n", "2:4: Syntax"},
		{"reserved character, CRLF", "a: 1\r\nb: %x\r\n", "2:4: Syntax"},
		{"colon in a value", "aü: b: c\n", "1:6: Syntax"},
		{"list after mapping", "a: 1\n- b\n", "2:1: Syntax"},
		{"mapping after list", "a:\n  - x\n  y: 1\n", "3:3: Syntax"},
		{"dedented block text", "a: |\n  foo\n bar\n", "3:2: Syntax"},
		{"stray brace", "a: 1 # c\n\n\n\n\nb: }\n", "6:1: Syntax"},
		{"tab as indentation", "a: 1\nb:\n\tc: 1\n", "3:1: Tab"},
		{"tab in a folded text", "a: >\n\tfoo\n", "2:1: Tab"},
		{"tab in a plain text", "a: foo\n\tbar: x\n", "2:1: Tab"},
		{"tab in an item", "-\ta: 1\n\tb: 2\n", "1:2: Tab"},
		{"control character", "a: 1\nb: \x01\n", "2:4: Syntax"},
		{"unknown anchor", "a: 1\nb: [x, *foo]\nc: 1\n", "2:8: Alias"},
		{"unknown escape", "a: \"\\q\"\n", "1:1: Syntax"},
		{"other version", "%YAML 3.0\n---\na: 1\n", "1:1: Syntax"},
		{"invalid UTF-8", "a: 1\nbü: \xff\n", "2:5: Encoding"},
		{"UTF-16", "\xff\xfea\x00:\x00", "1:1: Encoding"},
		{"UTF-16, other end, no mark", "\x00a\x00:\x00 \x001", "1:1: Encoding"},
		{"UTF-32", "\xff\xfe\x00\x00a\x00\x00\x00", "1:1: Encoding"},
		{"UTF-32, other end, no mark", "\x00\x00\x00a", "1:1: Encoding"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			root, errs := yamldoc.Parse([]byte(tt.in), yamldoc.Options{})
			if root != nil {
				t.Fatalf("got a tree")
			}
			if got := summary(errs); got != tt.want {
				t.Errorf("got %s, want %s\n%v", got, tt.want, errs)
			}
		})
	}
}
