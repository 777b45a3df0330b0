package native

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	gyrexec "github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// forgedText reads and writes elements of a forged slice at 0x11000, from an index at 0x10000, in a
// loop: the address of the elements is worth a register.
const forgedText = `
data 8192
func @main () -> () FLAGS {
b0:
  v1 = const ptr 0x10000
  v2 = load i64 v1 [0]
  v15 = load i64 v1 [8]
  v3 = inttoptr ptr v15
  v4 = const i64 0
  jump b1
b1: <- b0 b2
  v5 = phi i64 v4 v14
  v6 = const i64 4
  v7 = lts i8 v5 v6
  if v7 b2 b3
b2: <- b1
  v8 = add i64 v2 v5
  v9 = ptridx ptr v3 v8 [8, 0]
  v10 = load i64 v9 [0]
  v11 = add i64 v10 v5
  store v9 v11 [0]
  v12 = load i64 v9 [8]
  store v9 v12 [16]
  v13 = const i64 1
  v14 = add i64 v5 v13
  jump b1
b3: <- b1
  ret
}
entry @main
`

// forgedCall calls a forged function value at 0x10000.
const forgedCall = `
data 64
func @main () -> () FLAGS {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 7
  v3 = callclosure i64 v1 v2 : (i64) -> (i64)
  v4 = load i64 v1 [0]
  v5 = add i64 v4 v3
  store v1 v5 [8]
  ret
}
func @other (i64, i64) -> (f64, i64) {
b0:
  v1 = arg i64 [0]
  v2 = arg i64 [1]
  v3 = const f64 1.5
  v4 = add i64 v1 v2
  ret v3 v4
}
entry @main
`

// runForged runs forged code with its FLAGS replaced, with these words at the start of its data.
func runForged(t *testing.T, text, flags string, words ...uint64) error {
	mod, err := ir.ParseModule(strings.Replace(text, " FLAGS", flags, 1))
	if err != nil {
		t.Fatal(err)
	}
	prog, err := NewModule(nil, mod, Options{})
	if err != nil {
		t.Skip(err)
	}
	vm, err := rt.New(mod, rt.Config{})
	if err != nil {
		t.Fatal(err)
	}
	defer vm.Close()
	b, ok := vm.Space.Bytes(0x10000, uint64(8*len(words)))
	if !ok {
		t.Fatal("no memory")
	}
	for i, w := range words {
		binary.LittleEndian.PutUint64(b[8*i:], w)
	}
	m, err := New(vm, prog, gyrexec.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return vm.Finish(m.Run())
}

// TestUnsafeCalls: a call by value compares the signature in functions that use unsafe, though the
// program is not checked. Without the flag the function of another signature is called.
func TestUnsafeCalls(t *testing.T) {
	const other = 2 // its number
	if err := runForged(t, forgedCall, " flags unsafe", other); err == nil || !strings.Contains(err.Error(), "function value of another type") {
		t.Errorf("a call of another signature: error %v", err)
	}
	if err := runForged(t, forgedCall, "", other); err != nil {
		t.Errorf("without the flag the call is refused too: the test shows nothing: %v", err)
	}
}

// TestUnsafeFunctions: code of functions that use unsafe is checked though the program is not. An
// index that no bounds check has seen then ends at an address of the guest. The same functions
// without the flag show that the index would go elsewhere: to an address that the guest cannot
// name.
func TestUnsafeFunctions(t *testing.T) {
	outside := func(flags string, index uint64) bool {
		err := runForged(t, forgedText, flags, index, 0x11000)
		return err != nil && !rt.IsAddress(err)
	}
	unchecked := 0
	for _, index := range []uint64{1 << 29, 1 << 30, 1<<50 + 12345, 1 << 60, 1<<64 - 1<<40} {
		if outside(" flags unsafe", index) {
			t.Errorf("index %#x: an access outside of the guest's addresses", index)
		}
		if outside("", index) {
			unchecked++
		}
	}
	if unchecked == 0 {
		t.Error("without the flag no access leaves the guest's addresses: the test shows nothing")
	}
}
