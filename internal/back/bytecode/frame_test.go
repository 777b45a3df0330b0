package bytecode_test

import (
	"encoding/binary"
	"testing"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
)

// frames has functions whose frames hold little more than parameters and results, and one function
// that does not exist.
const frames = `
func @gone #1 () -> () {
b0:
  ret
}
func @unused #2 (i64, i64, i64, i64, i64, i64) -> () {
b0:
  ret
}
func @returns #3 () -> (i64, i64, i64, i64, i64, i64) {
b0:
  v1 = const i64 7
  ret v1 v1 v1 v1 v1 v1
}
entry @unused
`

// TestFrames: a frame has room for all parameters and results, used or not. A call of a missing
// function has code that reports it.
func TestFrames(t *testing.T) {
	mod, err := ir.ParseModule(frames)
	if err != nil {
		t.Fatal(err)
	}
	list := mod.Funcs()
	list[1] = nil
	mod.SetFuncs(list)
	p, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	for _, i := range []int32{2, 3} {
		fc, err := p.Compile(i)
		if err != nil {
			t.Fatal(err)
		}
		if want := 2 + 6 + 1; fc.Slots < want {
			t.Errorf("%s has %d slots, want %d: two, one for each parameter or result, and one for moves", fc.Fn.Name, fc.Slots, want)
		}
	}
	for _, i := range []int32{0, 1} {
		fc, err := p.Compile(i)
		if err != nil {
			t.Fatal(err)
		}
		w := fc.Code[len(fc.Code)-1]
		if bytecode.OpOf(w) != bytecode.Missing || bytecode.Imm32(w) != int64(i) {
			t.Errorf("function %d, which is not there, has the code %v of function %d", i, bytecode.OpOf(w), bytecode.Imm32(w))
		}
	}
}

// TestRestoreRefusesNumbers: stored code of a function that the module does not have is an error:
// number 0 and those after the last.
func TestRestoreRefusesNumbers(t *testing.T) {
	mod, err := ir.ParseModule(frames)
	if err != nil {
		t.Fatal(err)
	}
	p, err := bytecode.NewModule(nil, mod)
	if err != nil {
		t.Fatal(err)
	}
	empty, n := p.Save(nil)
	if n != 0 {
		t.Fatalf("%d functions saved, none is compiled", n)
	}
	if _, err := p.Compile(2); err != nil {
		t.Fatal(err)
	}
	b, _ := p.Save(nil)
	at := len(empty) // the number of the only function follows the common parts
	if got := binary.LittleEndian.Uint32(b[at:]); got != 2 {
		t.Fatalf("the stored number is %d, want 2", got)
	}
	for number, good := range map[uint32]bool{0: false, 1: true, 2: true, 3: true, 4: false, 1 << 31: false, 1<<32 - 1: false} {
		binary.LittleEndian.PutUint32(b[at:], number)
		if _, err := bytecode.Restore(nil, mod, b); (err == nil) != good {
			t.Errorf("code of function %d: %v", number, err)
		}
	}
}
