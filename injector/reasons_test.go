package injector

import (
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"testing"
)

// Every constant of the type Reason is in the table, once, and explained.
func TestTableHasEveryReason(t *testing.T) {
	file, err := parser.ParseFile(token.NewFileSet(), "reasons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	declared := map[Reason]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		if v, ok := n.(*ast.ValueSpec); ok && v.Type != nil && len(v.Values) == 1 {
			if id, ok := v.Type.(*ast.Ident); ok && id.Name == "Reason" {
				text, err := strconv.Unquote(v.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				declared[Reason(text)] = true
			}
		}
		return true
	})
	if len(declared) < 20 {
		t.Fatalf("found %d constants in reasons.go", len(declared))
	}
	for _, r := range Reasons() {
		if !declared[r.Code] {
			t.Errorf("%s is in the table twice, or is no constant", r.Code)
		}
		delete(declared, r.Code)
		if r.Means == "" || r.Means[len(r.Means)-1] != '.' {
			t.Errorf("%s: %q is not a sentence", r.Code, r.Means)
		}
	}
	for code := range declared {
		t.Errorf("%s is not in the table", code)
	}
}
