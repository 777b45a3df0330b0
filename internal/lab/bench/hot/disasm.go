package hot

import (
	"debug/elf"
	"fmt"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"
)

// A machineInstr is an instruction of a native binary.
type machineInstr struct {
	len    int
	text   string // in the syntax of guest listings
	to     uint64 // target of a jump or call
	jumps  bool
	calls  bool
	fills  bool // padding between functions
	leaves bool // execution does not continue after it: an unconditional jump, a return
}

// A symbolizer names addresses.
type symbolizer func(at uint64) (name string, base uint64)

// disassemblers decode the first instruction of code, at address pc.
var disassemblers = map[elf.Machine]func(code []byte, pc uint64, name symbolizer) machineInstr{
	elf.EM_X86_64:  disasmX86,
	elf.EM_AARCH64: disasmARM64,
}

func disasmX86(code []byte, pc uint64, name symbolizer) machineInstr {
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Len == 0 {
		return machineInstr{len: 1, text: fmt.Sprintf(".byte %#x", code[0])}
	}
	x := machineInstr{len: in.Len, text: x86asm.GNUSyntax(in, pc, x86asm.SymLookup(name))}
	if rel, ok := in.Args[0].(x86asm.Rel); ok {
		x.to, x.jumps = pc+uint64(in.Len)+uint64(rel), true
	}
	x.calls, x.fills = in.Op == x86asm.CALL, in.Op == x86asm.INT
	switch in.Op {
	case x86asm.JMP, x86asm.RET, x86asm.UD2, x86asm.INT:
		x.leaves = true
	}
	return x
}

func disasmARM64(code []byte, pc uint64, name symbolizer) machineInstr {
	if len(code) < 4 {
		return machineInstr{len: len(code), text: "?"}
	}
	in, err := arm64asm.Decode(code)
	if err != nil {
		return machineInstr{len: 4, text: fmt.Sprintf(".word %#x", code[:4]), fills: [4]byte(code) == [4]byte{}}
	}
	x := machineInstr{len: 4, text: arm64asm.GNUSyntax(in)}
	for _, a := range in.Args {
		if rel, ok := a.(arm64asm.PCRel); ok && in.Op != arm64asm.ADR && in.Op != arm64asm.ADRP && in.Op != arm64asm.LDR {
			x.to, x.jumps = pc+uint64(rel), true
		}
	}
	x.calls, x.fills = in.Op == arm64asm.BL || in.Op == arm64asm.BLR, [4]byte(code) == [4]byte{}
	_, conditional := in.Args[0].(arm64asm.Cond)
	x.leaves = in.Op == arm64asm.B && !conditional || in.Op == arm64asm.BR || in.Op == arm64asm.RET
	return x
}

// coldCalls are functions of Go's runtime for unlikely events. A block that ends with a call of one
// is cold.
var coldCalls = []string{"runtime.morestack", "runtime.panic", "runtime.gopanic", "runtime.goPanic", "runtime.throw", "runtime.fatal"}

func isColdCall(name string) bool {
	for _, c := range coldCalls {
		if strings.HasPrefix(name, c) {
			return true
		}
	}
	return false
}
