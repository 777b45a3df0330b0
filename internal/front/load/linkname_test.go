package load

import (
	"fmt"
	"go/types"
	"strings"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load/directive"
)

// TestPulls: the overlay answers each line of the list with an object of the layout that the line
// says.
func TestPulls(t *testing.T) {
	p, err := Load(t.Context(), Options{FS: files("-- main.go --\npackage main\nimport _ \"reflect\"\nimport _ \"crypto/tls\"\nfunc main() {}\n"), Patterns: []string{"main.go"}, NoPrune: true})
	if err != nil {
		t.Fatal(err)
	}
	scope := p.Std("runtime").Types.Scope()
	seen := map[string]bool{}
	for _, a := range directive.Answers() {
		if key := a.Symbol + " " + a.Leaves(); seen[key] {
			t.Errorf("%s stands there twice", a.Symbol)
		} else {
			seen[key] = true
		}
		got := ""
		switch obj := scope.Lookup(a.Target).(type) {
		case *types.Func:
			got = directive.FuncLeaves(obj.Signature())
		case *types.Var:
			got = strings.Join(directive.Leaves(obj.Type()), " ")
		case nil:
			if fn := p.Func(a.Link()); fn != nil {
				got = directive.FuncLeaves(fn.Signature)
			} else if g := p.Global(a.Link()); g != nil {
				got = strings.Join(directive.Leaves(g.Object().Type()), " ")
			}
		}
		if got != a.Leaves() {
			t.Errorf("%s: the layout of %s is %q, the list says %s: %q", a.Symbol, a.Target, got, a.Sig, a.Leaves())
		}
		if a.Price == "" || a.Why == "" {
			t.Errorf("%s has no price or no reason", a.Symbol)
		}
	}
}

func TestLeaves(t *testing.T) {
	p := mustLoad(t, `
-- main.go --
package main

import "unsafe"

type pair struct {
	a int32
	b [1]struct{ s string }
}

func a(p *int, q unsafe.Pointer, m map[int]int, f func(), c chan int) {}
func b(x, y, z uintptr) (int, bool)                                   { return 0, false }
func c(s string, list []byte, e any) complex64                        { return 0 }
func d(p pair, big [3]int, none struct{}, five struct{ a, b, c, d, e int8 }) {}
func (p *pair) method(x float32) error { return nil }

func main() {}
`, Options{Patterns: []string{"main.go"}, Unsafe: api.UnsafeAll})
	fn := func(name string) *types.Signature { return p.Main.Func(name).Signature }
	method := types.NewMethodSet(types.NewPointer(p.Main.Type("pair").Type())).At(0).Obj().(*types.Func)
	for _, c := range []struct {
		sig  *types.Signature
		want string
	}{
		{fn("a"), "p p p p p -> "},
		{fn("b"), "8 8 8 -> 8 1"},
		{fn("c"), "p 8 p 8 8 p p -> f4 f4"},
		{fn("d"), "4 p 8 {[3](8)} {1 1 1 1 1} -> "},
		{method.Signature(), "p f4 -> p p"},
	} {
		if got := directive.FuncLeaves(c.sig); got != c.want {
			t.Errorf("%s: %q, want %q", c.sig, got, c.want)
		}
	}
}

// TestOwnLinks checks what directives of a program tie together.
func TestOwnLinks(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module example.com/m.v2
go 1.26
-- main.go --
package main

import (
	_ "example.com/m.v2/a"
	b "example.com/m.v2/b.v3"
	_ "unsafe"
)

//go:linkname pulled example.com/m.v2/b%2ev3.hidden
func pulled()

//go:linkname method example.com/m.v2/b%2ev3.T.m
func method(b.T)

//go:linkname std runtime.procPin
func std() int

//go:linkname refused runtime.mstart
func refused()

//go:linkname renamed example.com/m.v2/a.other
func renamed() {}

//go:linkname lost main.renamed
func lost()

//go:linkname v example.com/m.v2/a.v
var v []int

//go:linkname wrong example.com/m.v2/a.v
var wrong [3]int

func main() {}
-- a/a.go --
package a

import _ "unsafe"

var v = []string{"x"}

func other()

//go:linkname given example.com/m.v2/b%2ev3.Given
func given() {}
-- a/a.s --
-- b.v3/b.go --
package b

import _ "unsafe"

type T struct{ a, b int }

func (T) m() {}

func hidden() {}

//go:linkname Given
func Given()
-- b.v3/b.s --
// nothing
`, Options{Unsafe: api.UnsafeAll})
	fn := func(path, name string) *ssa.Function { return p.Package(path).SSA.Func(name) }
	const a, b = "example.com/m.v2/a", "example.com/m.v2/b.v3"
	for _, c := range []struct{ from, want *ssa.Function }{
		{p.Main.Func("pulled"), fn(b, "hidden")},
		{p.Main.Func("renamed"), p.Main.Func("renamed")},
		{fn(a, "other"), p.Main.Func("renamed")},
		{fn(b, "Given"), fn(a, "given")},
		{p.Main.Func("std"), p.Std("runtime").SSA.Func("procPin")},
		{p.Main.Func("refused"), nil},
		{p.Main.Func("lost"), nil},
	} {
		if got := p.Resolve(c.from); got != c.want {
			t.Errorf("%s is %v, want %v", c.from, got, c.want)
		}
	}
	if got := p.Resolve(p.Main.Func("method")); got == nil || got.String() != "("+b+".T).m" {
		t.Errorf("the method is %v", got)
	}
	if got := p.ResolveGlobal(p.Main.Var("v")); got != p.Package(a).SSA.Var("v") {
		t.Errorf("v is %v", got)
	}
	for name, want := range map[string]string{
		"refused": "main.go:18:1: //go:linkname refused runtime.mstart: programs cannot take this from the standard library",
		"lost":    "main.go:24:1: //go:linkname lost main.renamed: no package of the program has a function with this symbol",
		"pulled":  "",
	} {
		if got := fmt.Sprint(p.Refusal(p.Main.Func(name))); got != want && (want != "" || got != "<nil>") {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
	const misfit = "main.go:30:1: //go:linkname wrong example.com/m.v2/a.v does not fit: its type is []string"
	if got := fmt.Sprint(p.RefusalOf(p.Main.Var("wrong"))); got != misfit {
		t.Errorf("wrong: %s", got)
	}
	if p.Unsafe != "example.com/m.v2" {
		t.Errorf("the package with unsafe is %q", p.Unsafe)
	}
}

// TestUnsafeDeps checks which packages belong to other modules.
func TestUnsafeDeps(t *testing.T) {
	const (
		lib    = "package lib\nimport \"unsafe\"\nconst Size = unsafe.Sizeof(1)\n"
		user   = "package main\nimport \"example.org/lib\"\nfunc main() { println(lib.Size) }\n"
		module = "-- go.mod --\nmodule example.com/m\ngo 1.26\n"
		direct = "-- main.go --\npackage main\nimport _ \"unsafe\"\nfunc main() {}\n"
	)
	for _, c := range []struct {
		name, files string
		policy      api.UnsafePolicy
		dir, want   string
	}{
		{"replaced", module + "require example.org/lib v1.0.0\nreplace example.org/lib => ./lib\n-- lib/go.mod --\nmodule example.org/lib\ngo 1.26\n-- lib/lib.go --\n" +
			lib + "-- main.go --\n" + user, api.UnsafeDependencies, "", ""},
		{"vendored", module + "require example.org/lib v1.0.0\n-- vendor/modules.txt --\n# example.org/lib v1.0.0\n## explicit; go 1.26\nexample.org/lib\n-- vendor/example.org/lib/lib.go --\n" +
			lib + "-- main.go --\n" + user, api.UnsafeDependencies, "", ""},
		{"in a workspace", "-- go.work --\ngo 1.26\nuse (\n./m\n./lib\n)\n-- m/go.mod --\nmodule example.com/m\ngo 1.26\n-- lib/go.mod --\nmodule example.org/lib\ngo 1.26\n-- lib/lib.go --\n" +
			lib + "-- m/main.go --\n" + user, api.UnsafeDependencies, "m", `import of "unsafe" is allowed in other modules only`},
		{"in the main module", module + direct, api.UnsafeDependencies, "", `main.go:2:8: import of "unsafe" is allowed in other modules only: use -unsafe=on, a host Source.Unsafe`},
		{"without a module", direct, api.UnsafeDependencies, "", `import of "unsafe" is allowed in other modules only`},
		{"off", module + direct, api.NoUnsafe, "", `import of "unsafe" is not allowed`},
		{"on", module + direct, api.UnsafeAll, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := Options{Unsafe: c.policy, Dir: c.dir}
			if c.name == "without a module" {
				cfg.Patterns = []string{"main.go"}
			}
			_, err := loadText(c.files, cfg)
			if got := fmt.Sprint(err); c.want == "" && err != nil || !strings.Contains(got, c.want) {
				t.Errorf("%v, want %q", err, c.want)
			}
		})
	}
}
