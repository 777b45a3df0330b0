package interp

import (
	"encoding/binary"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// parse reads a module and checks it.
func parse(t testing.TB, text string) *ir.Module {
	t.Helper()
	mod, err := ir.ParseModule(text)
	if err != nil {
		t.Fatal(err)
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatal(err)
	}
	return mod
}

// machine makes an instance of a module that runs in this tier.
func machine(t testing.TB, mod *ir.Module, rc rt.Config, c Options) *Machine {
	t.Helper()
	vm, err := rt.New(mod, rc)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { vm.Close() })
	prog, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	m, err := New(vm, prog, c)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// word reads a 64-bit word of guest memory.
func (m *Machine) testWord(t testing.TB, addr uint64) uint64 {
	b, ok := m.VM.Space.Bytes(addr, 8)
	if !ok {
		t.Fatalf("no memory at %#x", addr)
	}
	return binary.LittleEndian.Uint64(b)
}

const fibText = `
data 16
func @main () -> () {
b0:
  v1 = const i64 20
  v2 = call i64 @fib v1 : (i64) -> (i64)
  v3 = const ptr 0x10000
  store v3 v2 [0]
  ret
}
func @fib (i64) -> (i64) {
b0:
  v1 = arg i64 [0]
  gas [3]
  v2 = const i64 2
  v3 = lts i8 v1 v2
  if v3 b1 b2
b1: <- b0
  ret v1
b2: <- b0
  gas [5]
  v4 = const i64 -1
  v5 = add i64 v1 v4
  v6 = call i64 @fib v5 : (i64) -> (i64)
  v7 = sub i64 v1 v2
  v8 = call i64 @fib v7 : (i64) -> (i64)
  v9 = add i64 v6 v8
  ret v9
}
entry @main
`

func TestFib(t *testing.T) {
	m := machine(t, parse(t, fibText), rt.Config{}, Options{})
	if st := m.Run(); st != rt.Exit {
		t.Fatalf("status %d: %v", st, m.VM.Finish(st))
	}
	if got := m.testWord(t, 0x10000); got != 6765 {
		t.Fatalf("fib(20) = %d", got)
	}
	if got := m.GasUsed(); got != 21891*3+10945*5 {
		t.Fatalf("gas %d", got)
	}
}
