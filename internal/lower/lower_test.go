package lower_test

import (
	"context"
	"go/token"
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/load"
	"github.com/gyrvm/gyr/internal/lower"
)

// lowered lowers one file and verifies the whole module.
func lowered(t *testing.T, src string) *ir.Module {
	t.Helper()
	m, err := tryLower(t, src)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyModule(m); err != nil {
		t.Fatal(err)
	}
	return m
}

func tryLower(t *testing.T, src string) (*ir.Module, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.go")
	if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Config{Patterns: []string{file}, Unsafe: true})
	if err != nil {
		t.Fatal(err)
	}
	return lower.Program(p)
}

func find(t *testing.T, m *ir.Module, name string) *ir.Func {
	t.Helper()
	for _, f := range m.Funcs {
		if f != nil && f.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

func has(m *ir.Module, name string) bool {
	for _, f := range m.Funcs {
		if f != nil && f.Name == name {
			return true
		}
	}
	return false
}

func count(f *ir.Func, op ir.Op) int {
	n := 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == op {
				n++
			}
		}
	}
	return n
}

func TestTablesAreData(t *testing.T) {
	m := lowered(t, `package main
type row struct { lo, hi uint16; d [2]int32; name string }
var table = []row{{1, 2, [2]int32{3, 4}, "a"}, {5, 6, [2]int32{7, 8}, "b"}}
var byPtr = &row{lo: 9}
var iface any = "boxed"
var dynamic = len(table) * two()
func two() int { return 2 }
func main() { println(len(table), byPtr.lo, iface.(string), dynamic) }
`)
	f := find(t, m, "main.init")
	if n := count(f, ir.OpNew) + count(f, ir.OpMove); n != 0 {
		t.Errorf("main.init allocates or copies for static tables:\n%s", f)
	}
	if count(f, ir.OpStore) != 1 || count(f, ir.OpCall) != 1 {
		t.Errorf("main.init should only initialise dynamic:\n%s", f)
	}
}

func TestOnlyCalledMethodsAreLowered(t *testing.T) {
	m := lowered(t, `package main
type I interface{ Called() int }
type T struct{ n int }
func (t T) Called() int { return t.n }
func (t T) Never() int { return t.n + 1 }
func use(i I) int { return i.Called() }
func main() { println(use(T{1})) }
`)
	if !has(m, "main.T.Called") {
		t.Error("main.T.Called is missing")
	}
	if has(m, "main.T.Never") {
		t.Error("main.T.Never is lowered although nothing calls it")
	}
}

func TestLoopsChargeAtTheirHeads(t *testing.T) {
	m := lowered(t, `package main
func main() {
	s := 0
	for i := 0; i < 10; i++ {
		for j := range 10 {
			s += i * j
		}
	}
	println(s)
}
`)
	f := find(t, m, "main.main")
	if n := count(f, ir.OpGasLoop); n != 2 {
		t.Errorf("%d loop charges, want 2:\n%s", n, f)
	}
}

func TestRuntimeIsFree(t *testing.T) {
	m := lowered(t, `package main
func main() { m := map[string]int{}; m["a"]++; println(len(m)) }
`)
	for _, f := range m.Funcs {
		if f == nil || f.Flags&ir.Runtime == 0 {
			continue
		}
		if n := count(f, ir.OpGas) + count(f, ir.OpGasLoop) + count(f, ir.OpGasN); n != 0 {
			t.Errorf("%s charges gas", f.Name)
		}
	}
	f := find(t, m, "main.main")
	if count(f, ir.OpGas) == 0 {
		t.Error("main.main charges nothing")
	}
}

func TestNames(t *testing.T) {
	m := lowered(t, `package main
type T struct{}
func (*T) M() { func() { println(1) }() }
func (T) V() { println(2) }
func gen[X any](x X) { func() { println(3) }() }
var v = func() int { return 4 }
func main() {
	t := &T{}
	t.M()
	t.V()
	gen(1)
	func() { func() { println(v()) }() }()
	for range func(yield func() bool) { yield() } { println(5) }
	defer println(6)
	var f func() = t.V
	f()
}
`)
	for _, name := range []string{"main.(*T).M", "main.(*T).M.func1", "main.T.V", "main.gen[...]", "main.gen[...].func1",
		"main.init.func1", "main.main.func1", "main.main.func1.1", "main.main.func2", "main.main-range1", "main.main.deferwrap"} {
		if !has(m, name) {
			t.Errorf("no function %s", name)
		}
	}
}

func TestLinkErrorNamesWhoReaches(t *testing.T) {
	e := &lower.LinkError{Func: "os.absent", From: "main.reach", Pos: token.Position{Filename: "x.go", Line: 4, Column: 6}}
	if got, want := e.Error(), "x.go:4:6: link: function os.absent has no body, reached from main.reach"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
