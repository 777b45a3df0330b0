package lower_test

import (
	"context"
	"go/token"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
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
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{file}, Unsafe: api.UnsafeAll})
	if err != nil {
		t.Fatal(err)
	}
	return lower.Program(p, nil)
}

func find(t *testing.T, m *ir.Module, name string) *ir.Func {
	t.Helper()
	for _, f := range m.Funcs() {
		if f != nil && f.Name == name {
			return f
		}
	}
	t.Fatalf("no function %s", name)
	return nil
}

func has(m *ir.Module, name string) bool {
	for _, f := range m.Funcs() {
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

// charges counts the charges of a function.
func charges(f *ir.Func) int {
	return count(f, ir.OpGas) + count(f, ir.OpGasLoop) + count(f, ir.OpGasN)
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
	if n := charges(f); n != 0 {
		t.Errorf("%d charges before they are placed", n)
	}
	if err := gas.Place(m); err != nil {
		t.Fatal(err)
	}
	if n := count(f, ir.OpGasLoop); n != 2 {
		t.Errorf("%d loop charges, want 2:\n%s", n, f)
	}
}

// dominates reports whether every path from the entry to b leads through a.
func dominates(f *ir.Func, a, b *ir.Block) bool {
	seen := map[*ir.Block]bool{a: true}
	for list := []*ir.Block{f.Entry}; len(list) > 0; {
		x := list[len(list)-1]
		list = list[:len(list)-1]
		if seen[x] {
			continue
		}
		if seen[x] = true; x == b {
			return false
		}
		list = append(list, x.Succs...)
	}
	return true
}

// A call of the runtime has a fixed price. Its body charges for its loops: once on each path from
// an iteration to the next, and never where a goroutine may give way.
func TestRuntimeCharges(t *testing.T) {
	m := lowered(t, `package main
type T struct { a, b any }
func main() { m := map[string]int{}; m["a"]++; var x, y any = T{1, 2}, T{3, 4}; println(len(m), x == y) }
`)
	if err := gas.Place(m); err != nil {
		t.Fatal(err)
	}
	loops := 0
	for _, f := range m.Funcs() {
		if f == nil || f.Flags&ir.Runtime == 0 {
			continue
		}
		if count(f, ir.OpGasLoop) != 0 {
			t.Errorf("a goroutine may give way in %s", f.Name)
		}
		if gas.ChargesItself(f) {
			continue
		}
		// Latches: blocks that jump back to a block from which they can be reached.
		for _, b := range f.Blocks {
			charges, latch := false, false
			for _, v := range b.Values {
				charges = charges || v.Op == ir.OpGas
			}
			for _, to := range b.Succs {
				latch = latch || dominates(f, to, b)
			}
			if latch {
				loops++
			}
			if latch && !charges {
				t.Errorf("%s: an iteration from block %d on is free", f.Name, b.ID)
			}
			if charges && !latch && !strings.HasPrefix(f.Name, "internal/runtime/maps.") {
				t.Errorf("%s: block %d charges", f.Name, b.ID)
			}
		}
	}
	if loops < 20 {
		t.Errorf("only %d loops in the runtime", loops)
	}
	if f := find(t, m, "type:.eq.main.T"); count(f, ir.OpGas) == 0 {
		t.Error("the equality function of T charges nothing")
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
		"main.init.func1", "main.main.func1", "main.main.func1.1", "main.main.func2", "main.main-range1", "main.main.deferwrap1"} {
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

// The cost of a block is charged at its head, line by line. A loop's quantum may end after the last
// of these charges.
func TestEveryLineIsCharged(t *testing.T) {
	m := lowered(t, `package main
func main() { println(f(3, 4)) }
func f(x, y int) int {
	s := 0
	for s < x {
		a := x / y
		b := a / x * s
		s += b%y + a
	}
	return s
}
`)
	if err := gas.Place(m); err != nil {
		t.Fatal(err)
	}
	f := find(t, m, "main.f")
	lines := map[int32]int64{}
	for _, b := range f.Blocks {
		seen := map[ir.Pos]bool{}
		var last *ir.Value
		for i, v := range b.Values {
			if v.Op != ir.OpGas && v.Op != ir.OpGasLoop {
				continue
			}
			if last != nil && b.Values[i-1] != last {
				t.Errorf("charges of %s are apart:\n%s", b, f)
			}
			if last != nil && last.Op == ir.OpGasLoop {
				t.Errorf("a charge behind the loop charge of %s", b)
			}
			if seen[v.Pos] {
				t.Errorf("two charges of one line in %s", b)
			}
			if v.Aux <= 0 {
				t.Errorf("a charge of %d", v.Aux)
			}
			seen[v.Pos], last = true, v
			_, line := m.Line(v.Pos)
			lines[int32(line)] += v.Aux
		}
	}
	// Two divisions cost more than one.
	if lines[5] < 1 || lines[6] < 2 || lines[7] < 2 || lines[8] < 2 || lines[7] < lines[6] {
		t.Errorf("gas by line: %v\n%s", lines, f)
	}
}
