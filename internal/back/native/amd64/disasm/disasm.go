// Package disasm decodes the machine code of package amd64, for listings.
package disasm

import (
	"bytes"
	"fmt"

	"golang.org/x/arch/x86/x86asm"

	"github.com/gyrvm/gyr/internal/back/native/plan"
)

// Decode decodes the first instruction of code, at address pc. It is a plan.Decoder.
func Decode(code []byte, syntax string, pc uint64, symbol func(uint64) (string, uint64)) (d plan.Decoded) {
	inst, n := split(code)
	d.Len = n
	if symbol != nil {
		d.Text = text(inst, code[:n], syntax, pc, symbol)
	}
	for _, x := range inst.Args {
		switch x := x.(type) {
		case x86asm.Rel:
			d.Jumps, d.To = true, pc+uint64(n)+uint64(x)
		case x86asm.Mem:
			switch {
			case x.Base == x86asm.R15 && x.Index == 0 && int32(x.Disp) < 0:
				d.Context = int32(x.Disp)
			case x.Base == x86asm.RIP:
				d.Near = pc + uint64(n) + uint64(x.Disp)
			}
		}
	}
	return d
}

// vzeroupper is the one instruction of this compiler that x86asm takes for a longer one.
var vzeroupper = []byte{0xc5, 0xf8, 0x77}

// split decodes an instruction and returns its length. What x86asm does not know is a byte without an
// operation.
func split(code []byte) (x86asm.Inst, int) {
	if bytes.HasPrefix(code, vzeroupper) {
		return x86asm.Inst{}, len(vzeroupper)
	}
	inst, err := x86asm.Decode(code, 64)
	if err != nil || inst.Len == 0 {
		return x86asm.Inst{}, 1
	}
	return inst, inst.Len
}

func text(inst x86asm.Inst, code []byte, syntax string, pc uint64, symbol x86asm.SymLookup) string {
	switch {
	case len(code) == len(vzeroupper) && inst.Op == 0:
		return "vzeroupper"
	case inst.Op == 0:
		return fmt.Sprintf(".byte % x", code)
	case syntax == "go":
		return x86asm.GoSyntax(inst, pc, symbol)
	case syntax == "intel":
		return x86asm.IntelSyntax(inst, pc, symbol)
	}
	return x86asm.GNUSyntax(inst, pc, symbol)
}
