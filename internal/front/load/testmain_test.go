package load

import (
	"go/ast"
	"slices"
	"testing"
)

// tables returns the functions that a generated main package lists in a table.
func tables(t *testing.T, p *Packages, name string) (out []string) {
	t.Helper()
	for _, f := range p.Package("main").Files {
		for _, d := range f.Decls {
			g, ok := d.(*ast.GenDecl)
			if !ok {
				continue
			}
			for _, s := range g.Specs {
				v, ok := s.(*ast.ValueSpec)
				if !ok || v.Names[0].Name != name {
					continue
				}
				for _, e := range v.Values[0].(*ast.CompositeLit).Elts {
					sel := e.(*ast.CompositeLit).Elts[1].(*ast.SelectorExpr)
					out = append(out, sel.X.(*ast.Ident).Name+"."+sel.Sel.Name)
				}
			}
		}
	}
	return out
}

func TestTestMain(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module m
go 1.26
-- lib.go --
package m
import "m/dep"
func F() int { return dep.V }
-- dep/dep.go --
package dep
const V = 1
-- lib_test.go --
package m
import "testing"
func TestF(t *testing.T) { F() }
func BenchmarkF(b *testing.B) {}
func FuzzF(f *testing.F) {}
func Testify() {}
func TestMain(m *testing.M) { m.Run() }
-- x_test.go --
package m_test
import ("fmt"; "m"; "m/user"; "testing")
func TestX(t *testing.T) { m.F(); user.G() }
func ExampleF() {
	fmt.Println(m.F())
	// Output: 1
}
func Example_silent() {}
-- user/user.go --
package user
import "m"
func G() int { return m.F() }
`, Options{Test: true, cacheOverlay: true})
	for name, want := range map[string][]string{
		"tests":       {"_test.TestF", "_xtest.TestX"},
		"benchmarks":  {"_test.BenchmarkF"},
		"fuzzTargets": {"_test.FuzzF"},
		"examples":    {"_xtest.ExampleF"},
	} {
		if got := tables(t, p, name); !slices.Equal(got, want) {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
	// The package with its tests is the only one with its path.
	if p.Package("m").SSA.Func("TestF") == nil || p.Package("m_test") == nil {
		t.Error("the tests are not in the program")
	}
	if imp := p.Package("m/user").Imports; !slices.Contains(imp, p.Package("m")) {
		t.Error("m/user imports another package m")
	}
	if p.Main != p.Package("main").SSA || p.Main.Func("main") == nil {
		t.Error("no main function")
	}
}

// TestDependencyTests loads the tests of a package of another module, whose path
// begins with a host name.
func TestDependencyTests(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module m
require example.com/d/v2 v2.0.0
replace example.com/d/v2 => ./d
-- d/go.mod --
module example.com/d/v2
-- d/p/p.go --
package p
-- d/p/p_test.go --
package p
import "testing"
func TestP(t *testing.T) {}
-- d/p/x_test.go --
package p_test
import (
	"testing"
	_ "example.com/d/v2/p"
)
func TestX(t *testing.T) {}
`, Options{Test: true, Patterns: []string{"example.com/d/v2/p"}, cacheOverlay: true})
	if got := tables(t, p, "tests"); !slices.Equal(got, []string{"_test.TestP", "_xtest.TestX"}) {
		t.Errorf("tests: %v", got)
	}
}

// TestStdTests loads the tests of a package of the standard library: functions that only tests name
// keep their bodies, and the rest is still pruned.
func TestStdTests(t *testing.T) {
	p, err := Load(t.Context(), Options{Test: true, Patterns: []string{"strings"}, Overlay: overlay, cacheOverlay: true})
	if err != nil {
		t.Fatal(err)
	}
	if n := len(tables(t, p, "tests")); n < 50 {
		t.Errorf("%d tests", n)
	}
	for fn := range reachable(p) {
		if p.Pruned(fn) {
			t.Errorf("%s is reachable, but was pruned", fn)
		}
	}
	if fn := p.Package("os").SSA.Func("Chtimes"); !p.Pruned(fn) {
		t.Error("os.Chtimes is not pruned")
	}
	// Packages that import the package under test belong to the tests.
	for path, want := range map[string]bool{"strings": true, "strings_test": true, "os": false, "unicode": false, "flag": true, "main": true} {
		if pkg := p.Package(path); pkg == nil || pkg.Test != want {
			t.Errorf("%s: want Test to be %v", path, want)
		}
	}
	if _, err := Load(t.Context(), Options{Test: true, Patterns: []string{"runtime"}, Overlay: overlay, cacheOverlay: true}); err == nil ||
		err.Error() != "package runtime is part of the engine: its tests cannot run" {
		t.Errorf("tests of runtime: %v", err)
	}
}

func TestOnlyTestFiles(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module m
-- x_test.go --
package m_test
import "testing"
func TestX(t *testing.T) {}
`, Options{Test: true, cacheOverlay: true})
	if got := tables(t, p, "tests"); !slices.Equal(got, []string{"_xtest.TestX"}) {
		t.Errorf("tests: %v", got)
	}
}
