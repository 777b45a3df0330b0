package guest

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// TestSymbols: the table pushed in symbols.go lists the functions that the overlay gives to other
// packages by linkname, with their names there. The functions of testdeps are ours alone and keep
// their names.
func TestSymbols(t *testing.T) {
	want := map[string]string{}
	var table *ast.FuncDecl
	files, err := fs.Glob(Source, "runtime/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources", err)
	}
	for _, name := range files {
		b, err := fs.ReadFile(Source, name)
		if err != nil {
			t.Fatal(err)
		}
		f, err := parser.ParseFile(token.NewFileSet(), name, b, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		bodies := map[string]bool{}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Body != nil {
				bodies[fn.Name.Name] = true
				if fn.Name.Name == "pushed" {
					table = fn
				}
			}
		}
		for _, g := range f.Comments {
			for _, c := range g.List {
				w := strings.Fields(c.Text)
				if len(w) == 3 && w[0] == "//go:linkname" && bodies[w[1]] && w[2] != "runtime."+w[1] && !strings.HasPrefix(w[2], "testing/internal/testdeps.") {
					want[w[1]] = w[2]
				}
			}
		}
	}
	if table == nil || len(want) < 100 {
		t.Fatalf("%d linknames", len(want))
	}
	got := map[string]string{}
	ast.Inspect(table, func(n ast.Node) bool {
		if c, ok := n.(*ast.CaseClause); ok && len(c.List) == 1 {
			key, _ := strconv.Unquote(c.List[0].(*ast.BasicLit).Value)
			got[key], _ = strconv.Unquote(c.Body[0].(*ast.ReturnStmt).Results[0].(*ast.BasicLit).Value)
		}
		return true
	})
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if got[name] != want[name] {
			t.Errorf("symbols.go: add\n\tcase %q:\n\t\treturn %q", name, want[name])
		}
		delete(got, name)
	}
	for name := range got {
		t.Errorf("symbols.go: %s is given to nobody", name)
	}
}
