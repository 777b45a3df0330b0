package research

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"strings"
	"testing"
)

// TestTables: the files that call a package's tests and benchmarks use what they import, whichever
// of these the package has.
func TestTables(t *testing.T) {
	for k := range 16 {
		has := func(bit int, name string) []string {
			if k>>bit&1 == 0 {
				return nil
			}
			return []string{name}
		}
		p := &sourcePackage{innerName: "p", outerName: "p_test", tests: has(0, "TestA"), outer: has(1, "ExampleB"),
			benches: [2][]string{has(2, "BenchmarkC"), has(3, "BenchmarkD")}}
		for name, text := range map[string]string{"suite": p.suite("probe"), "outer table": p.outerTable("probe")} {
			if name == "outer table" && len(p.outer)+len(p.benches[1]) == 0 {
				continue // not written
			}
			fset := token.NewFileSet()
			f, err := parser.ParseFile(fset, "table_test.go", text, 0)
			if err != nil {
				t.Fatalf("%s of %d: %v\n%s", name, k, err, text)
			}
			config := types.Config{Importer: emptyPackages{}, Error: func(err error) {
				if strings.Contains(err.Error(), "and not used") {
					t.Errorf("%s of %d: %v", name, k, err)
				}
			}}
			config.Check("p", fset, []*ast.File{f}, nil)
		}
	}
}

// emptyPackages imports packages that declare nothing.
type emptyPackages struct{}

func (emptyPackages) Import(path string) (*types.Package, error) {
	p := types.NewPackage(path, path)
	p.MarkComplete()
	return p, nil
}
