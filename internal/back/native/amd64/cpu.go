package amd64

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// CPU is x86-64 at the level x86-64-v3.
type CPU struct{}

// Desc implements plan.CPU.
func (CPU) Desc() *plan.Desc { return &description }

// NewWriter implements plan.CPU.
func (CPU) NewWriter() plan.Writer { return new(emitter) }

// Relocate implements plan.CPU: places are distances of 32 bits from their end.
func (CPU) Relocate(code []byte, r abi.Reloc, distance int64) {
	binary.LittleEndian.PutUint32(code[r.PC:], uint32(distance)-uint32(r.PC)-4)
}

// features are the extensions of the instruction set that the code needs. LZCNT belongs to the level, too.
var features = []struct {
	name string
	has  *bool
}{
	{"SSE4.1", &cpu.X86.HasSSE41}, {"POPCNT", &cpu.X86.HasPOPCNT}, {"BMI1", &cpu.X86.HasBMI1},
	{"BMI2", &cpu.X86.HasBMI2}, {"FMA", &cpu.X86.HasFMA}, {"AVX2", &cpu.X86.HasAVX2},
}

// Features implements plan.CPU.
func (CPU) Features() string {
	list := make([]string, len(features))
	for i, f := range features {
		list[i] = f.name
	}
	return "amd64 " + strings.Join(list, " ")
}

// Missing implements plan.CPU.
func (CPU) Missing() string {
	var list []string
	for _, f := range features {
		if !*f.has {
			list = append(list, f.name)
		}
	}
	return strings.Join(list, ", ")
}
