package native

import (
	"testing"

	"golang.org/x/arch/x86/x86asm"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// widestOfAll is what widestDisplacement returns for TestDisplacements.
const widestOfAll int64 = memory.MaxDisplacement

// widestDisplacement returns the largest displacement, besides the base and a pointer, in the
// accesses to guest memory of the module's first function.
func widestDisplacement(t *testing.T, text string) (widest int64) {
	t.Helper()
	for code := entryCode(t, text); len(code) > 0; {
		inst, err := x86asm.Decode(code, 64)
		if err != nil {
			t.Fatalf("%v: % x", err, code[:min(len(code), 16)])
		}
		for _, a := range inst.Args {
			m, ok := a.(x86asm.Mem)
			if ok && m.Base == x86asm.R15 && m.Index != 0 && inst.Op != x86asm.LEA {
				widest = max(widest, m.Disp)
			}
		}
		code = code[inst.Len:]
	}
	return widest
}
