// Package disasm decodes the machine code of package arm64, for listings.
package disasm

import (
	"encoding/binary"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"

	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// Decode decodes the first instruction of code, at address pc. It is a plan.Decoder.
func Decode(code []byte, syntax string, pc uint64, symbol func(uint64) (string, uint64)) (d plan.Decoded) {
	if len(code) < 4 {
		d.Len = len(code)
		if symbol != nil {
			d.Text = fmt.Sprintf(".byte % x", code)
		}
		return d
	}
	d.Len = 4
	x := binary.LittleEndian.Uint32(code)
	switch {
	case x&0x7c000000 == 0x14000000: // b, bl
		d.Jumps, d.To = true, distance(pc, x, 26, 0)
	case x&0xff000010 == 0x54000000, x&0x7e000000 == 0x34000000: // b.cond, cbz, cbnz
		d.Jumps, d.To = true, distance(pc, x, 19, 5)
	case x&0x7e000000 == 0x36000000: // tbz, tbnz
		d.Jumps, d.To = true, distance(pc, x, 14, 5)
	case x&0x3b000000 == 0x18000000: // ldr of what is near
		d.Near = distance(pc, x, 19, 5)
	case x&0x9f000000 == 0x10000000: // adr
		d.Near = pc + uint64(pages(x))
	case x&0x9f000000 == 0x90000000 && len(code) >= 8: // adrp, with the load after it
		d.Near = pc&^0xfff + uint64(pages(x))<<12 + uint64(binary.LittleEndian.Uint32(code[4:])>>10&0xfff)<<3
	case x&0x3b200c00 == 0x38000000 && x>>5&31 == 26: // a load or store with a displacement, after the base
		d.Context = min(int32(x<<11)>>23, 0)
	}
	if symbol != nil {
		d.Text = text(x, code[:4], syntax, pc, d, symbol)
	}
	return d
}

// distance returns the target of a jump: bits from a place on, in instructions.
func distance(pc uint64, x uint32, bits, from int) uint64 {
	return pc + uint64(int64(int32(x<<(32-bits-from))>>(32-bits)))<<2
}

// pages returns the operand of adr and adrp.
func pages(x uint32) int64 { return int64(int32(x<<8)>>13)<<2 | int64(x>>29&3) }

// text prints an instruction. x/arch knows no names, and prints targets as distances.
func text(x uint32, code []byte, syntax string, pc uint64, d plan.Decoded, symbol func(uint64) (string, uint64)) string {
	inst, err := arm64asm.Decode(code)
	if err != nil {
		return fmt.Sprintf(".inst %#08x", x)
	}
	if syntax == "go" {
		return arm64asm.GoSyntax(inst, pc, symbol, nil)
	}
	s := arm64asm.GNUSyntax(inst)
	if i := strings.LastIndexByte(s, '.'); i >= 0 && (d.Jumps || d.Near != 0) {
		to := d.To
		if !d.Jumps {
			to = d.Near
		}
		name, base := symbol(to)
		switch {
		case name == "":
			name = fmt.Sprintf("%#x", to)
		case base != to:
			name = fmt.Sprintf("%s+%#x", name, to-base)
		}
		return s[:i] + name
	}
	return s
}
