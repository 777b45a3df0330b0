package load

import (
	"go/types"
	"slices"
	"testing"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/front/load/directive"
)

// library is a program that uses enough of the standard library for the tests of link symbols.
const library = `
-- main.go --
package main

import (
	"os"
	"sync"
	"sync/atomic"
)

//go:noinline
func f() {}

type T struct{}

func (T) V()  {}
func (*T) P() {}

func g[E any](E) {}

func main() {
	var m sync.Mutex
	m.Lock()
	f()
	T{}.V()
	(&T{}).P()
	g(1)
	os.Args = nil
	os.Exit(0)
	p, _ := os.FindProcess(1)
	p.Release()
	var c sync.Cond
	c.Wait()
	new(atomic.Int32).Add(1)
	func() {}()
	wg := sync.WaitGroup{}
	wg.Wait()
	os.Getenv("")
	map[string]int(nil)["a"] = 1
}
`

func TestLinknames(t *testing.T) {
	p := mustLoad(t, library, Options{Patterns: []string{"main.go"}, cacheOverlay: true})
	fn := func(path, name string) *ssa.Function {
		t.Helper()
		f := p.Package(path).SSA.Func(name)
		if f == nil {
			t.Fatalf("no function %s.%s", path, name)
		}
		return f
	}
	// Symbols.
	main := p.Package("main")
	T := main.Types.Scope().Lookup("T").Type()
	method := func(t types.Type, name string) *ssa.Function {
		return p.SSA.LookupMethod(t, main.Types, name)
	}
	for _, tt := range []struct {
		fn   *ssa.Function
		want string
	}{
		{fn("main", "f"), "main.f"},
		{method(T, "V"), "main.T.V"},
		{method(types.NewPointer(T), "P"), "main.(*T).P"},
		{fn("os", "runtime_args"), "os.runtime_args"},
		{fn("runtime", "os_runtime_args"), "os.runtime_args"},
		{fn("runtime", "sync_fatal"), "sync.fatal"},
		{fn("os", "runtime_rand"), "runtime.rand"},
	} {
		if got := p.Symbol(tt.fn); got != tt.want {
			t.Errorf("symbol of %s: %s, want %s", tt.fn, got, tt.want)
		}
	}
	for m := range allFunctions(p) {
		if m.Origin() != nil && m.Origin().Name() == "g" && p.Symbol(m) != "main.g" {
			t.Errorf("symbol of %s: %s", m, p.Symbol(m))
		}
	}
	// A push: another function, with another name, has the body.
	if got := p.Resolve(fn("os", "runtime_args")); got != fn("runtime", "os_runtime_args") {
		t.Errorf("os.runtime_args resolves to %v", got)
	}
	if got := p.Func("sync.fatal"); got != fn("runtime", "sync_fatal") {
		t.Errorf("Func(sync.fatal) = %v", got)
	}
	// A pull: the function has the symbol of another.
	if got := p.Resolve(fn("os", "runtime_rand")); got != fn("runtime", "rand") {
		t.Errorf("os.runtime_rand resolves to %v", got)
	}
	// An ordinary function resolves to itself. A function that has no body anywhere resolves to
	// nil.
	if got := p.Resolve(fn("main", "f")); got != fn("main", "f") {
		t.Errorf("main.f resolves to %v", got)
	}
	if got := p.Resolve(fn("sync", "runtime_notifyListWait")); got != nil {
		t.Errorf("sync.runtime_notifyListWait resolves to %v", got)
	}
	if p.Pruned(fn("sync", "runtime_notifyListWait")) {
		t.Error("a function that never had a body passes for pruned")
	}
	if f := p.Package("os").SSA.Func("Rename"); f.Blocks != nil || !p.Pruned(f) {
		t.Error("os.Rename is not pruned")
	}
	if f := p.Func("internal/runtime/maps.(*Map).Clear"); f == nil || f.Blocks == nil {
		t.Error("a method of KeepNames has no body")
	}
	// Host functions and other directives.
	if m, n, ok := p.WasmImport(fn("syscall", "fd_close")); m != "wasi_snapshot_preview1" || n != "fd_close" || !ok {
		t.Errorf("syscall.fd_close is imported from %q %q", m, n)
	}
	if _, _, ok := p.WasmImport(fn("main", "f")); ok {
		t.Error("main.f is imported")
	}
	if p.Pragma(fn("main", "f")) != directive.NoInline || p.Pragma(fn("main", "main")) != 0 || p.Pragma(fn("runtime", "panicText")) != directive.NoInline {
		t.Error("go:noinline is not seen")
	}
	// Shared variables: both a push with a value and a pull.
	maps := p.Package("internal/runtime/maps").SSA
	rt := p.Package("runtime").SSA
	if got := p.ResolveGlobal(maps.Var("zeroVal")); got != rt.Var("zeroVal") {
		t.Errorf("maps.zeroVal is %v", got)
	}
	a, b := p.ResolveGlobal(maps.Var("errNilAssign")), p.ResolveGlobal(rt.Var("maps_errNilAssign"))
	if a != b || a == nil {
		t.Errorf("errNilAssign is %v and %v", a, b)
	}
	if g := p.Package("os").SSA.Var("Args"); p.ResolveGlobal(g) != g {
		t.Error("os.Args is not itself")
	}
}

// TestInitOrder checks the Go 1.21 rule; the expected order is what gc's programs print.
func TestInitOrder(t *testing.T) {
	p := mustLoad(t, `
-- go.mod --
module m
go 1.26
-- main.go --
package main
import ( _ "m/c"; _ "m/a"; _ "m/b"; _ "m/aa" )
func init() { println("main") }
func main() {}
-- a/a.go --
package a
import _ "m/z"
func init() { println("a") }
-- aa/aa.go --
package aa
import _ "m/y"
func init() { println("aa") }
-- b/b.go --
package b
func init() { println("b") }
-- c/c.go --
package c
func init() { println("c") }
-- y/y.go --
package y
// Nothing to initialise: it does not delay aa.
var T = [...]struct{ a int; p *int; f func() }{{1, &x, F}}
var x int
func F() {}
-- z/z.go --
package z
func init() { println("z") }
`, Options{cacheOverlay: true})
	var got []string
	for _, q := range p.Packages {
		if !q.Std && q.Path != "m/y" {
			got = append(got, q.Path)
		}
	}
	want := []string{"m/aa", "m/b", "m/c", "m/z", "m/a", "main"}
	if !slices.Equal(got, want) {
		t.Errorf("order %v, want %v", got, want)
	}
	seen := map[*Package]bool{}
	for _, q := range p.Packages {
		for _, imp := range q.Imports {
			if !seen[imp] {
				t.Errorf("%s stands before %s, which it imports", q.Path, imp.Path)
			}
		}
		seen[q] = true
	}
}

// TestDefersInRangeFunc checks the workaround for the bug of go/ssa that rewrite/defers.go
// describes.
func TestDefersInRangeFunc(t *testing.T) {
	p := mustLoad(t, `
-- main.go --
package main

func seq(yield func(int) bool) { yield(1) }

func lost() {
	for range seq {
		defer println()
	}
}
func nested() func() {
	return func() {
		for range 3 {
			for range seq {
				defer println()
			}
		}
	}
}
func generic[F ~func(func(int) bool)](f F) {
	for range f {
		defer println()
	}
}
func ordinary(s []int) {
	for range s {
		defer println()
	}
}
func closure() {
	for range seq {
		func() { defer println() }()
	}
}
func both() {
	defer println()
	for range seq {
		defer println()
	}
}

var v = func() {
	for range seq {
		defer println()
	}
}

func main() { generic(seq) }
`, Options{Patterns: []string{"main.go"}, cacheOverlay: true})
	count := func(fn *ssa.Function) (defers, runs int) {
		for _, b := range fn.Blocks {
			for _, i := range b.Instrs {
				switch i.(type) {
				case *ssa.Defer:
					defers++
				case *ssa.RunDefers:
					runs++
				}
			}
		}
		return
	}
	check := func(fn *ssa.Function, wantDefers int, wantRuns bool) {
		t.Helper()
		d, r := count(fn)
		if d != wantDefers || r > 0 != wantRuns {
			t.Errorf("%s has %d Defer and %d RunDefers", fn, d, r)
		}
	}
	main := p.Main
	check(main.Func("lost"), 1, true)
	check(main.Func("nested"), 0, false)
	check(main.Func("nested").AnonFuncs[0], 1, true)
	check(main.Func("ordinary"), 1, true)
	check(main.Func("closure"), 0, false)
	check(main.Func("both"), 2, true)
	for fn := range allFunctions(p) {
		if o := fn.Origin(); o != nil && o == main.Func("generic") {
			check(fn, 1, true)
		}
		if fn.Parent() != nil && fn.Parent() == main.Func("init") {
			check(fn, 1, true)
		}
	}
}
