package native

import "unsafe"

// makeVisible makes new code visible to the instruction fetches of all processors. The caller makes its
// address known afterwards.
func makeVisible(code []byte) error {
	lo := uintptr(unsafe.Pointer(&code[0]))
	flush(lo, lo+uintptr(len(code)))
	return synchronize()
}

// flush is written in assembly.
func flush(lo, hi uintptr)
