package amd64

import (
	"os"
	"strings"

	"golang.org/x/sys/cpu"
)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// hasSHA reports whether the processor has the SHA extensions, which package cpu does not know. Like
// the Go runtime, it honours GODEBUG.
var hasSHA = func() bool {
	if most, _, _, _ := cpuid(0, 0); most < 7 || !cpu.X86.HasSSE41 || strings.Contains(os.Getenv("GODEBUG"), "cpu.sha=off") {
		return false
	}
	_, b, _, _ := cpuid(7, 0)
	return b>>29&1 != 0
}()
