package native

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// farText accesses memory at OFF after the pointer at 0x10000: by a load, a store, an addition to
// memory, with a sum before, and by an index.
const farText = `
data 8192
func @main () -> () FLAGS {
b0:
  v1 = const ptr 0x10000
  v2 = load ptr v1 [0]
  v3 = load i64 v1 [8]
  v4 = ACCESS
  ret
}
entry @main
`

var farAccesses = []string{
	"load i64 v2 [OFF]\n  store v1 v4 [16]",
	"load i8 v2 [OFF]\n  store v1 v4 [16]",
	"const i64 5\n  store v2 v4 [OFF]",
	"load i64 v2 [OFF]\n  v5 = add i64 v4 v3\n  store v2 v5 [OFF]",
	"const i64 OFF\n  v5 = ptradd ptr v2 v4\n  v6 = load i64 v5 [OFF]\n  store v1 v6 [16]",
	"ptridx ptr v2 v3 [8, OFF]\n  v5 = load i64 v4 [OFF]\n  store v1 v5 [16]",
	"const i64 8\n  v5 = ptridx ptr v2 v4 [8, OFF]\n  v6 = load i64 v5 [OFF]\n  store v1 v6 [16]",
	"const ptr 0x7ffffff0\n  v5 = load i64 v4 [OFF]\n  store v1 v5 [16]",
}

// TestDisplacements: no access of machine code adds more than memory.MaxDisplacement to a pointer,
// whatever the offset of its operation, and none beyond the guest's memory passes the guard. The
// test tries offsets up to the limit of the verifier.
func TestDisplacements(t *testing.T) {
	widest := int64(0)
	for _, off := range []int64{0, 8, 1 << 16, 1 << 20, widestOfAll - 8, widestOfAll,
		widestOfAll + 1, memory.GuardSize, 1 << 29, ir.MaxAccessOffset} {
		for _, access := range farAccesses {
			for _, flags := range []string{"", " flags unsafe"} {
				text := strings.ReplaceAll(strings.Replace(farText, "ACCESS", access, 1), "OFF", fmt.Sprint(off))
				widest = max(widest, widestDisplacement(t, strings.Replace(text, " FLAGS", flags, 1)))
				for _, p := range []uint64{0x10000, 1<<32 - 8, 1<<32 - 1} {
					err := runForged(t, text, flags, p, 1)
					if err != nil && !rt.IsAddress(err) {
						t.Errorf("%q%s, offset %#x behind %#x: %v", access, flags, off, p, err)
					}
				}
			}
		}
	}
	if widest != widestOfAll {
		t.Errorf("the widest displacement behind a pointer is %#x, want %#x", widest, widestOfAll)
	}
}

// entryCode returns the machine code of a module's first function.
func entryCode(t *testing.T, text string) []byte {
	t.Helper()
	mod, err := ir.ParseModule(text)
	if err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if err := ir.VerifyModule(mod); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	prog, err := NewModule(nil, mod, Options{})
	if err != nil {
		t.Skip(err)
	}
	f, err := prog.Compile(mod.Entry.Index)
	if err != nil {
		t.Fatal(err)
	}
	return f.Code
}

// TestGuard: accesses of bulk routines and vectors beyond an offset and a displacement lie in the
// guard too.
func TestGuard(t *testing.T) {
	const widestAccess = 1 << 20 // far more than any routine accesses before it leaves for the handler
	if memory.MaxDisplacement+widestAccess > memory.GuardSize {
		t.Errorf("a guard of %#x bytes for displacements of %#x", memory.GuardSize, memory.MaxDisplacement)
	}
}
