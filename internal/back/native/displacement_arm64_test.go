package native

import (
	"encoding/binary"
	"testing"
)

// widestOfAll is what widestDisplacement returns for TestDisplacements.
const widestOfAll int64 = 4095

// widestDisplacement returns the largest displacement in the loads and stores of the module's first
// function that do not begin at the stack pointer.
func widestDisplacement(t *testing.T, text string) (widest int64) {
	t.Helper()
	for code := entryCode(t, text); len(code) > 0; code = code[4:] {
		x := binary.LittleEndian.Uint32(code)
		if x&0x3b000000 == 0x39000000 && x>>5&31 != 27 { // with an unsigned displacement, in units of the size
			widest = max(widest, int64(x>>10&0xfff)<<(x>>30))
		}
	}
	return widest
}
