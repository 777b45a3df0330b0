//go:build !(linux && (amd64 || arm64))

package native

// A codeRange is the place of an arena.
type codeRange struct{}

// watchCode does nothing: a fault in machine code ends the process.
func watchCode(lo, hi uintptr) *codeRange { return nil }

func (*codeRange) unwatch() {}

func handleFaults() error { return nil }
