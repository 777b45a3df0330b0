package arm64

import (
	"encoding/binary"
	"strings"

	"golang.org/x/sys/cpu"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// CPU is 64-bit ARM from version 8.0 on, with floats and vectors.
type CPU struct {
	Reach Reach // of all code, for tests; code that needs more gets it
}

// Desc implements plan.CPU.
func (CPU) Desc() *plan.Desc { return &description }

// NewWriter implements plan.CPU.
func (c CPU) NewWriter() plan.Writer { return &emitter{least: c.Reach} }

// NewAssembler implements plan.CPU.
func (CPU) NewAssembler() plan.Assembler { return new(Asm) }

// Relocate implements plan.CPU. A table's entry takes the address of a page and a load from there, all
// else is a jump.
func (CPU) Relocate(code []byte, r abi.Reloc, at, to uintptr) {
	put := func(off int32, bits uint32) {
		b := code[r.PC+off:]
		binary.LittleEndian.PutUint32(b, binary.LittleEndian.Uint32(b)|bits)
	}
	pc := at + uintptr(r.PC)
	if r.Kind != abi.RelTable {
		put(0, imm26.of(int64(to-pc)))
		return
	}
	put(0, imm21.of(int64(to>>12-pc>>12)))
	put(4, uint32(to&(1<<12-1))>>3<<10)
}

// Features that code uses if the processor has them.
var (
	hasCRC32 = cpu.ARM64.HasCRC32
	hasSHA2  = cpu.ARM64.HasSHA2
)

// Features implements plan.CPU.
func (CPU) Features() string {
	list := []string{"arm64"}
	if hasCRC32 {
		list = append(list, "CRC32")
	}
	if hasSHA2 {
		list = append(list, "SHA2")
	}
	return strings.Join(list, " ")
}

// Missing implements plan.CPU.
func (CPU) Missing() string {
	var list []string
	if !cpu.ARM64.HasFP {
		list = append(list, "FP")
	}
	if !cpu.ARM64.HasASIMD {
		list = append(list, "ASIMD")
	}
	return strings.Join(list, ", ")
}
