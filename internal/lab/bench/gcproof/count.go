package gcproof

import (
	"debug/elf"
	"strings"

	"golang.org/x/arch/arm64/arm64asm"
	"golang.org/x/arch/x86/x86asm"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// A kind is what an instruction does.
type kind uint8

const (
	filler  kind = iota // nothing: it keeps the place of an inlined call
	support             // it moves, compares or jumps
	fixed               // it stores at a fixed address
	call
	load    // of what is no constant
	store   // at an address that may differ in each iteration
	compute // it makes a value of others
	adds    // it adds a constant, or the like
	kinds
)

// decoders decode the first instruction of code, at address pc.
var decoders = map[elf.Machine]func(code []byte, pc uint64, b *sample.Binary) instr{
	elf.EM_X86_64:  decodeX86,
	elf.EM_AARCH64: decodeARM64,
}

// A tally counts instructions by kind.
type tally [kinds]int

// count counts the instructions of a loop in a function that each iteration may execute. found: the
// function has the loop.
func (f *function) count(l *proof.Loop) (t tally, found bool) {
	reports := map[int]bool{}
	for i := range f.code {
		in := &f.code[i]
		if callee, _ := f.b.Symbol(in.to); in.kind == call && in.to != 0 && strings.HasPrefix(callee, "testing.(*common).") {
			reports[in.block] = true
		}
	}
	for i := range f.code {
		in := &f.code[i]
		level := in.within(l)
		if level < 0 || !in.cycle {
			continue
		}
		found = true
		switch {
		case reports[in.block] || in.ofHarness():
		case in.kind == adds && level > 0: // a function was inlined for it
			t[compute]++
		default:
			t[in.kind]++
		}
	}
	return t, found
}

// has reports whether any instruction but a filler belongs to lines of a file.
func (f *function) has(lines *proof.Loop) bool {
	for i := range f.code {
		if in := &f.code[i]; in.kind != filler && in.within(lines) >= 0 {
			return true
		}
	}
	return false
}

// minus is what is left of a tally without another one.
func (t tally) minus(o tally) tally {
	for k := range t {
		t[k] = max(0, t[k]-o[k])
	}
	return t
}

// payload is the number of instructions that do something.
func (t tally) payload() int { return t.work() + t[adds] }

// work is the number of those that are more than an addition of a constant.
func (t tally) work() int { return t[call] + t[load] + t[store] + t[compute] }

// # x86

// moves are operations that compute nothing.
var moves = map[x86asm.Op]bool{x86asm.CMP: true, x86asm.TEST: true, x86asm.UCOMISD: true, x86asm.UCOMISS: true, x86asm.COMISD: true, x86asm.COMISS: true,
	x86asm.MOV: true, x86asm.MOVSD_XMM: true, x86asm.MOVSS: true, x86asm.MOVUPS: true, x86asm.MOVAPS: true, x86asm.MOVUPD: true, x86asm.MOVAPD: true,
	x86asm.MOVDQU: true, x86asm.MOVDQA: true, x86asm.MOVQ: true, x86asm.MOVD: true, x86asm.MOVZX: true, x86asm.MOVSX: true, x86asm.MOVSXD: true,
	x86asm.PUSH: true, x86asm.POP: true, x86asm.RET: true, x86asm.INT: true, x86asm.UD2: true, x86asm.JMP: true, x86asm.PAUSE: true}

// zeroing are operations that make a zero of two equal operands.
var zeroing = map[x86asm.Op]bool{x86asm.XOR: true, x86asm.XORPS: true, x86asm.XORPD: true, x86asm.PXOR: true, x86asm.SUB: true}

// adding are operations that are no work with a constant.
var adding = map[x86asm.Op]bool{x86asm.ADD: true, x86asm.SUB: true, x86asm.XOR: true, x86asm.OR: true, x86asm.AND: true}

func decodeX86(code []byte, pc uint64, b *sample.Binary) instr {
	in, err := x86asm.Decode(code, 64)
	if err != nil || in.Len == 0 {
		// An instruction that the decoder does not know, such as one of AVX, computes.
		return instr{len: 1, kind: compute}
	}
	x := instr{len: in.Len, kind: compute}
	if rel, ok := in.Args[0].(x86asm.Rel); ok {
		x.to = pc + uint64(in.Len) + uint64(rel)
	}
	switch in.Op {
	case x86asm.NOP, x86asm.FNOP:
		x.kind = filler
		return x
	case x86asm.XCHG:
		if in.Args[0] == in.Args[1] {
			x.kind = filler
			return x
		}
	case x86asm.CALL:
		x.kind = call
		return x
	case x86asm.JMP, x86asm.RET, x86asm.UD2, x86asm.INT:
		x.kind, x.leaves, x.jumps = support, true, in.Op == x86asm.JMP
		return x
	case x86asm.INC, x86asm.DEC:
		x.kind = adds
		return x
	}
	if x.to != 0 { // a conditional jump
		x.kind, x.jumps = support, true
		return x
	}
	_, constant := in.Args[1].(x86asm.Imm)
	mem, at := memory(in)
	local := at >= 0 && mem.Base == x86asm.RSP && mem.Index == 0
	global := at >= 0 && mem.Base == x86asm.RIP
	switch {
	case in.Op == x86asm.LEA && global, in.Op == x86asm.LEA && local, zeroing[in.Op] && in.Args[0] == in.Args[1]:
		x.kind = support
	case in.Op == x86asm.LEA && mem.Index == 0:
		x.kind = adds
	case in.Op == x86asm.LEA:
	case adding[in.Op] && constant:
		x.kind = adds
	case !moves[in.Op]:
	case at < 0 || local:
		x.kind = support
	case at == 0 && in.Op != x86asm.CMP && in.Op != x86asm.TEST:
		x.kind = store
		if global {
			x.kind = fixed
		}
	default:
		x.kind = load
		if global && b.Constant(pc+uint64(in.Len)+uint64(mem.Disp)) {
			x.kind = support
		}
	}
	return x
}

// memory is the operand of an instruction that is in memory, and its number; -1: none.
func memory(in x86asm.Inst) (x86asm.Mem, int) {
	for i, a := range in.Args {
		if m, ok := a.(x86asm.Mem); ok {
			return m, i
		}
	}
	return x86asm.Mem{}, -1
}

// # ARM64

func decodeARM64(code []byte, pc uint64, _ *sample.Binary) instr {
	if len(code) < 4 {
		return instr{len: len(code)}
	}
	in, err := arm64asm.Decode(code)
	if err != nil {
		return instr{len: 4, kind: compute}
	}
	x := instr{len: 4, kind: compute}
	for _, a := range in.Args {
		if rel, ok := a.(arm64asm.PCRel); ok && in.Op != arm64asm.ADR && in.Op != arm64asm.ADRP && in.Op != arm64asm.LDR {
			x.to, x.jumps = pc+uint64(rel), in.Op != arm64asm.BL
		}
	}
	_, conditional := in.Args[0].(arm64asm.Cond)
	x.leaves = in.Op == arm64asm.B && !conditional || in.Op == arm64asm.BR || in.Op == arm64asm.RET || in.Op == arm64asm.BRK
	name := in.Op.String()
	var constant bool
	for _, a := range in.Args[1:] {
		switch a.(type) {
		case arm64asm.Imm, arm64asm.Imm64, arm64asm.ImmShift:
			constant = true
		}
	}
	local, global := false, false
	for _, a := range in.Args {
		if m, ok := a.(arm64asm.MemImmediate); ok {
			local = m.Base == arm64asm.RegSP(arm64asm.SP)
			global = m.Base == arm64asm.RegSP(arm64asm.X27) // in which the assembler makes addresses of variables
		}
	}
	switch {
	case in.Op == arm64asm.NOP || in.Op == arm64asm.HINT:
		x.kind = filler
	case in.Op == arm64asm.BL || in.Op == arm64asm.BLR:
		x.kind = call
	case x.jumps || x.leaves || local:
		x.kind = support
	case strings.HasPrefix(name, "LD"):
		x.kind = load
	case strings.HasPrefix(name, "ST") && global:
		x.kind = fixed
	case strings.HasPrefix(name, "ST"):
		x.kind = store
	case strings.HasPrefix(name, "MOV"), strings.HasPrefix(name, "FMOV"), strings.HasPrefix(name, "CMP"), strings.HasPrefix(name, "CMN"),
		strings.HasPrefix(name, "TST"), strings.HasPrefix(name, "FCMP"), in.Op == arm64asm.ADR, in.Op == arm64asm.ADRP:
		x.kind = support
	case (in.Op == arm64asm.ADD || in.Op == arm64asm.SUB || in.Op == arm64asm.EOR || in.Op == arm64asm.AND || in.Op == arm64asm.ORR) && constant:
		x.kind = adds
	}
	return x
}
