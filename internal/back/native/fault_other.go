//go:build !(linux && (amd64 || arm64))

package native

// FaultsAreCaught says that a fault in machine code ends the run and not the process.
const FaultsAreCaught = false

// A codeRange is the place of an arena.
type codeRange struct{}

// watchCode does nothing: a fault in machine code ends the process.
func watchCode(lo, hi uintptr) *codeRange { return nil }

func (*codeRange) unwatch() {}

func handleFaults() error { return nil }
