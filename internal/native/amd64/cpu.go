package amd64

import (
	"strings"

	"golang.org/x/sys/cpu"
)

// features are the extensions of the instruction set that the code needs.
var features = []struct {
	name string
	has  *bool
}{
	{"SSE4.1", &cpu.X86.HasSSE41}, {"POPCNT", &cpu.X86.HasPOPCNT}, {"BMI1", &cpu.X86.HasBMI1}, {"BMI2", &cpu.X86.HasBMI2}, {"FMA", &cpu.X86.HasFMA}, {"AVX2", &cpu.X86.HasAVX2},
}

// Features names what the code needs, for what is stored.
func Features() string {
	list := make([]string, len(features))
	for i, f := range features {
		list[i] = f.name
	}
	return "amd64 " + strings.Join(list, " ")
}

// Supported reports whether this processor has what the code needs: the level
// x86-64-v3, which has LZCNT too.
func Supported() bool { return Missing() == "" }

// Missing names the extensions that this processor lacks.
func Missing() string {
	var list []string
	for _, f := range features {
		if !*f.has {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
}
