package amd64

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// CPU is x86-64 from SSE4.1 and POPCNT on.
type CPU struct{}

// Desc implements plan.CPU.
func (CPU) Desc() *plan.Desc { return &description }

// NewWriter implements plan.CPU.
func (CPU) NewWriter() plan.Writer { return new(emitter) }

// NewAssembler implements plan.CPU.
func (CPU) NewAssembler() plan.Assembler { return new(Asm) }

// Relocate implements plan.CPU: places are distances of 32 bits from their end.
func (CPU) Relocate(code []byte, r abi.Reloc, at, to uintptr) {
	binary.LittleEndian.PutUint32(code[r.PC:], uint32(to-at)-uint32(r.PC)-4)
}

// A feature is an extension of the instruction set.
type feature struct {
	name string
	has  *bool // what package cpu found, which GODEBUG=cpu.NAME=off changes
}

// needed are the features without which there is no code. SSSE3 comes with SSE4.1.
var needed = []feature{{"SSE4.1", &cpu.X86.HasSSE41}, {"POPCNT", &cpu.X86.HasPOPCNT}}

// Features that code uses if the processor has them. Without one, other instructions compute the same.
var (
	hasLZCNT     = cpu.X86.HasLZCNT
	hasBMI1      = cpu.X86.HasBMI1 // ANDN, TZCNT
	hasBMI2      = cpu.X86.HasBMI2 // shifts that keep the flags, MULX
	hasAVX       = cpu.X86.HasAVX  // float operations with three operands
	hasAVX2      = cpu.X86.HasAVX2 && hasAVX
	hasFMA       = cpu.X86.HasFMA && hasAVX
	hasPCLMULQDQ = cpu.X86.HasPCLMULQDQ
)

// Features implements plan.CPU.
func (CPU) Features() string {
	list := []string{"amd64"}
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"LZCNT", hasLZCNT}, {"BMI1", hasBMI1}, {"BMI2", hasBMI2}, {"AVX", hasAVX}, {"AVX2", hasAVX2}, {"FMA", hasFMA},
		{"PCLMULQDQ", hasPCLMULQDQ}, {"VPCLMULQDQ", hasVPCLMULQDQ}, {"SHA", hasSHA},
	} {
		if f.has {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, " ")
}

// Missing implements plan.CPU.
func (CPU) Missing() string {
	var list []string
	for _, f := range needed {
		if !*f.has {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
}
