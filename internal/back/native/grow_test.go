//go:build (unix && amd64) || (arm64 && (linux || darwin))

package native

import (
	"sort"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/back/interp"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// wideStack is a recursion of two functions, one with a local, above two frames of more than 1 GiB.
const wideStack = `
func @main () -> () {
  local 0 "x" size 1100000000 align 8
b0:
  v1 = localaddr ptr [0]
  v2 = call i64 @wide v1 : (ptr) -> (i64)
  store v1 v2 [0]
  ret
}
func @wide (ptr) -> (i64) {
  local 0 "x" size 1100000000 align 8
b0:
  v0 = arg ptr [0]
  v1 = localaddr ptr [0]
  store v1 v0 [0]
  v2 = const i64 3000
  v3 = call i64 @even v2 v1 : (i64, ptr) -> (i64)
  ret v3
}
func @even (i64, ptr) -> (i64) {
  local 0 "y" size 400 align 8
b0:
  v0 = arg i64 [0]
  v1 = arg ptr [1]
  v2 = const i64 0
  v3 = eq i8 v0 v2
  if v3 b1 b2
b1: <- b0
  ret v2
b2: <- b0
  v4 = const i64 1
  v5 = sub i64 v0 v4
  v6 = localaddr ptr [0]
  store v6 v0 [8]
  v7 = call i64 @odd v5 v6 : (i64, ptr) -> (i64)
  v8 = add i64 v7 v0
  ret v8
}
func @odd (i64, ptr) -> (i64) {
b0:
  v0 = arg i64 [0]
  v1 = arg ptr [1]
  v2 = const i64 0
  v3 = eq i8 v0 v2
  if v3 b1 b2
b1: <- b0
  ret v2
b2: <- b0
  v4 = const i64 1
  v5 = sub i64 v0 v4
  v6 = call i64 @even v5 v1 : (i64, ptr) -> (i64)
  v7 = mul i64 v6 v0
  ret v7
}
entry @main
`

// TestWideFrames: the least stack on which a recursion ends is the same in both tiers. The frames
// differ much from their guest size, by more than 2 GiB together. Native code walks them when the
// stack grows, and the interpreter does not.
func TestWideFrames(t *testing.T) {
	needsCode(t)
	mod, err := ir.ParseModule(wideStack)
	if err != nil {
		t.Fatal(err)
	}
	irtest.AddTraps(mod)
	for _, f := range mod.Funcs()[1:] {
		f.FixFrame()
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	code, err := NewModule(nil, mod, Options{})
	if err != nil {
		t.Fatal(err)
	}
	registers, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	const low, span = 2_200_000_000, 4 << 20
	var least [2]int
	for i := range least {
		least[i] = sort.Search(span, func(more int) bool {
			vm, err := rt.New(mod, rt.Config{Config: api.Config{Memory: 4 << 30, Stack: uint64(low + more)}})
			if err != nil {
				t.Fatal(err)
			}
			defer vm.Close()
			var m interface{ Run() rt.Status }
			if i == 0 {
				m, err = New(vm, code, exec.Options{})
			} else {
				m, err = interp.New(vm, registers, interp.Options{})
			}
			if err != nil {
				t.Fatal(err)
			}
			st := m.Run()
			if err := vm.Finish(st); st != rt.Exit && st != rt.StackLimit {
				t.Fatal(st, err)
			}
			return st == rt.Exit
		})
	}
	if n := least[0]; n != least[1] || n < 1000 || n == span {
		t.Errorf("the recursion ends on a stack of %d bytes more than %d in machine code, of %d in the interpreter", least[0], low, least[1])
	}
	t.Logf("%d bytes more than %d", least[0], low)
}
