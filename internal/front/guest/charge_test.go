package guest_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestBulkWorkOfLinknames: a function that package runtime gives to others by linkname is called
// like any function, for a fixed price. If its work grows with a number of bytes that it is told,
// it charges for them.
func TestBulkWorkOfLinknames(t *testing.T) {
	handles := []string{"memhash"} // functions of package runtime itself that the standard library takes
	files, err := filepath.Glob("_src/runtime/*.go")
	if err != nil || len(files) == 0 {
		t.Fatal("no sources")
	}
	checked := 0
	for _, name := range files {
		fset := token.NewFileSet()
		f, err := parser.ParseFile(fset, name, nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		given := map[string]bool{}
		for _, g := range f.Comments {
			for _, c := range g.List {
				w := strings.Fields(c.Text)
				if len(w) > 1 && w[0] == "//go:linkname" && (len(w) > 2 || slices.Contains(handles, w[1])) {
					given[w[1]] = true
				}
			}
		}
		for _, d := range f.Decls {
			fn, ok := d.(*ast.FuncDecl)
			if !ok || !given[fn.Name.Name] {
				continue
			}
			bulk, charges := "", false
			ast.Inspect(fn, func(n ast.Node) bool {
				c, _ := n.(*ast.CallExpr)
				if c == nil {
					return true
				}
				id, _ := c.Fun.(*ast.Ident)
				switch {
				case id == nil:
				case id.Name == "charge":
					charges = true
				case strings.HasPrefix(id.Name, "ir_mem"):
					if _, constant := c.Args[len(c.Args)-1].(*ast.BasicLit); !constant {
						bulk = id.Name
					}
				}
				return true
			})
			if bulk == "" {
				continue
			}
			checked++
			if !charges {
				t.Errorf("%s: %s calls %s and does not charge for the bytes", fset.Position(fn.Pos()), fn.Name.Name, bulk)
			}
		}
	}
	if checked < 4 {
		t.Errorf("%d functions were looked at", checked)
	}
}
