package amd64

import (
	"os"
	"strings"

	"golang.org/x/sys/cpu"
)

func cpuid(leaf, sub uint32) (a, b, c, d uint32)

// leaf7 returns the registers of the leaf of extended features, which package cpu does not know all of.
func leaf7() (b, c uint32) {
	if most, _, _, _ := cpuid(0, 0); most < 7 {
		return 0, 0
	}
	_, b, c, _ = cpuid(7, 0)
	return b, c
}

// off reports whether GODEBUG switches a feature off, as the Go runtime reads it.
func off(feature string) bool { return strings.Contains(os.Getenv("GODEBUG"), "cpu."+feature+"=off") }

var (
	ebx, ecx = leaf7()

	hasSHA        = ebx>>29&1 != 0 && cpu.X86.HasSSE41 && !off("sha")
	hasVPCLMULQDQ = ecx>>10&1 != 0 && hasAVX2 && hasPCLMULQDQ && !off("vpclmulqdq")
)
