package amd64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// Size is the width of an integer operation. Operations on vector registers take S32 unless their
// row says otherwise.
type Size = plan.Size

// The sizes, by short names.
const (
	S8  = plan.S8
	S16 = plan.S16
	S32 = plan.S32
	S64 = plan.S64
)

// A Cond is a condition code as instructions encode it.
type Cond uint8

const (
	O  Cond = iota // overflow
	NO             // no overflow
	B              // below: unsigned <; carry
	AE             // unsigned >=
	E              // equal, zero
	NE             // not equal
	BE             // unsigned <=
	A              // unsigned >
	S              // negative
	NS             // not negative
	P              // parity even: unordered
	NP             // parity odd
	L              // signed <
	GE             // signed >=
	LE             // signed <=
	G              // signed >
)

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

var condNames = [16]string{"o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "p", "np", "l", "ge", "le", "g"}

func (c Cond) String() string { return condNames[c&15] }

// opcode spaces, numbered as in VEX prefixes
type space uint8

const (
	spaceOne space = iota
	space0F
	space0F38
	space0F3A
)

// An enc is the encoding of one form.
type enc struct {
	ok     bool
	prefix byte // 66, F2 or F3
	space  space
	op     byte
	digit  byte // of ModRM, if it holds no register
	w      bool // REX.W always
	now    bool // never REX.W: the operation implies the size
	sized  bool // the opcode minus one is the one for bytes
	vex    bool
	wide   bool // VEX: vectors of 256 bits
	vvvv   Reg  // of VEX
}

// A form lists the operands that an operation can take.
type form struct {
	rm      enc // reg, reg/mem
	mr      enc // reg/mem, reg
	ri      enc // reg/mem, imm
	ri8     enc // reg/mem, sign-extended byte
	rmi     enc // reg, reg/mem, imm
	rmi8    enc // reg, reg/mem, byte
	rvm     enc // reg, reg, reg/mem (VEX)
	vm      enc // reg, reg/mem (VEX.vvvv is the first)
	m       enc // reg/mem
	bare    []byte
	byteSrc bool // the second operand is a byte whatever the size
	shift   bool // the immediate is a count
	countV  bool // VEX.vvvv is the last operand
	leads   bool // the next instruction need not be executed next
}

// An Op is an operation.
type Op uint8

const (
	OpNone Op = iota

	// Integers: two operands.
	ADD
	OR
	ADC
	SBB
	AND
	SUB
	XOR
	CMP
	TEST
	MOV
	XCHG
	LEA
	MOVZX8  // dst = zero-extended byte
	MOVZX16 // dst = zero-extended 16 bits
	MOVSX8
	MOVSX16
	MOVSX32 // dst (64 bits) = sign-extended 32 bits
	IMUL
	BSF
	BSR
	LZCNT
	TZCNT
	POPCNT

	// One operand.
	NOT
	NEG
	MUL1  // rdx:rax = rax * operand
	IMUL1 // the same, signed
	DIV
	IDIV
	INC
	DEC
	JMPR // to the address in the operand
	CALLR
	BSWAP

	// Shifts: by an immediate, or (one operand) by CL.
	SHL
	SHR
	SAR
	ROL
	SHLX
	SHRX
	SARX
	RORX
	ANDN
	BLSR // clears the lowest bit that is set
	BLSI // leaves only that bit

	// No operands.
	RET
	CDQ
	CQO
	UD2

	// Floats and vectors.
	MOVSS
	MOVSD
	MOVAPS
	MOVUPS
	MOVD  // between a 32-bit (64-bit: MOVQ) general register or memory and a vector register
	MOVDT // from a vector register to a general one
	ADDSS
	ADDSD
	SUBSS
	SUBSD
	MULSS
	MULSD
	DIVSS
	DIVSD
	SQRTSS
	SQRTSD
	UCOMISS
	UCOMISD
	CVTSI2SS
	CVTSI2SD
	CVTTSS2SI
	CVTTSD2SI
	CVTSS2SD
	CVTSD2SS
	ANDPS
	ORPS
	XORPS
	ROUNDSS
	ROUNDSD
	PXOR
	PAND
	PCMPEQB
	PMOVMSKB
	PSHUFD
	PADDB
	PADDD
	PADDQ
	PSUBB
	PSADBW // sums of the differences of eight bytes each
	PSHUFB
	VFMADD231SS
	VFMADD231SD
	VADDSS
	VADDSD
	VSUBSS
	VSUBSD
	VMULSS
	VMULSD
	VDIVSS
	VDIVSD
	PALIGNR
	PBLENDW
	PSRLDQ
	PSLLDQ
	PSRLW
	PSUBUSB
	PCLMULQDQ
	SHA256RNDS2 // uses X0
	SHA256MSG1
	SHA256MSG2
	MULX     // dst:src1 = rdx * src2
	VMOVUPSY // 32 bytes
	VXORPSY
	VPCMPEQBY
	VPANDY
	VPORY
	VPMOVMSKBY
	VPBROADCASTDY
	VPCLMULQDQY
	VPERMQY
	VZEROUPPER

	NumOps
)

func (o Op) String() string {
	if int(o) < len(names) && names[o] != "" {
		return names[o]
	}
	return "op?"
}

// alu is one of the eight operations that share a scheme of opcodes.
func alu(n byte) form {
	return form{
		rm:  enc{ok: true, op: n<<3 | 3, sized: true},
		mr:  enc{ok: true, op: n<<3 | 1, sized: true},
		ri:  enc{ok: true, op: 0x81, digit: n, sized: true},
		ri8: enc{ok: true, op: 0x83, digit: n},
	}
}

func one(op, digit byte) form { return form{m: enc{ok: true, op: op, digit: digit, sized: true}} }

func shift(digit byte) form {
	return form{m: enc{ok: true, op: 0xd3, digit: digit, sized: true},
		ri8: enc{ok: true, op: 0xc1, digit: digit, sized: true}, shift: true}
}

func shiftX(prefix byte) form {
	return form{rvm: enc{ok: true, vex: true, prefix: prefix, space: space0F38, op: 0xf7}, countV: true}
}

// rm0F is an operation reg, reg/mem of the second opcode page.
func rm0F(prefix, op byte) form {
	return form{rm: enc{ok: true, prefix: prefix, space: space0F, op: op}}
}

// sse is rm0F on vector registers, whose sizes are not encoded.
func sse(prefix, op byte) form {
	return form{rm: enc{ok: true, prefix: prefix, space: space0F, op: op, now: true}}
}

// sseMove has both directions.
func sseMove(prefix, load, store byte) form {
	f := sse(prefix, load)
	f.mr = enc{ok: true, prefix: prefix, space: space0F, op: store, now: true}
	return f
}

func ext(op byte) form { f := rm0F(0, op); f.byteSrc = op&1 == 0; return f }

// sse38 is like sse, of the third opcode page.
func sse38(prefix, op byte) form {
	return form{rm: enc{ok: true, prefix: prefix, space: space0F38, op: op, now: true}}
}

func sse4(op byte) form {
	return form{rmi8: enc{ok: true, prefix: 0x66, space: space0F3A, op: op, now: true}}
}

func fma(w bool) form {
	return form{rvm: enc{ok: true, vex: true, prefix: 0x66, space: space0F38, op: 0xb9, w: w, now: true}}
}

// avx is an operation on scalars whose result overwrites nothing.
func avx(prefix, op byte) form {
	return form{rvm: enc{ok: true, vex: true, prefix: prefix, space: space0F, op: op, now: true}}
}

var forms = [NumOps]form{
	ADD: alu(0), OR: alu(1), ADC: alu(2), SBB: alu(3), AND: alu(4), SUB: alu(5), XOR: alu(6), CMP: alu(7),
	TEST: {mr: enc{ok: true, op: 0x85, sized: true}, ri: enc{ok: true, op: 0xf7, sized: true}},
	MOV: {
		rm: enc{ok: true, op: 0x8b, sized: true},
		mr: enc{ok: true, op: 0x89, sized: true},
		ri: enc{ok: true, op: 0xc7, sized: true},
	},
	XCHG:    {rm: enc{ok: true, op: 0x87, sized: true}},
	LEA:     {rm: enc{ok: true, op: 0x8d}},
	MOVZX8:  ext(0xb6),
	MOVZX16: ext(0xb7),
	MOVSX8:  ext(0xbe),
	MOVSX16: ext(0xbf),
	MOVSX32: {rm: enc{ok: true, op: 0x63, w: true}},
	IMUL: {
		rm:   enc{ok: true, space: space0F, op: 0xaf},
		rmi:  enc{ok: true, op: 0x69},
		rmi8: enc{ok: true, op: 0x6b},
	},
	BSF: rm0F(0, 0xbc), BSR: rm0F(0, 0xbd),
	LZCNT: rm0F(0xf3, 0xbd), TZCNT: rm0F(0xf3, 0xbc), POPCNT: rm0F(0xf3, 0xb8),

	NOT: one(0xf7, 2), NEG: one(0xf7, 3), MUL1: one(0xf7, 4), IMUL1: one(0xf7, 5), DIV: one(0xf7, 6), IDIV: one(0xf7, 7),
	INC: one(0xff, 0), DEC: one(0xff, 1),
	CALLR: {leads: true, m: enc{ok: true, op: 0xff, digit: 2, now: true}},
	JMPR:  {leads: true, m: enc{ok: true, op: 0xff, digit: 4, now: true}},
	BSWAP: {}, // see Asm.Bswap

	SHL: shift(4), SHR: shift(5), SAR: shift(7), ROL: shift(0),
	SHLX: shiftX(0x66), SHRX: shiftX(0xf2), SARX: shiftX(0xf3),
	RORX: {rmi8: enc{ok: true, vex: true, prefix: 0xf2, space: space0F3A, op: 0xf0}},
	ANDN: {rvm: enc{ok: true, vex: true, space: space0F38, op: 0xf2}},
	BLSR: {vm: enc{ok: true, vex: true, space: space0F38, op: 0xf3, digit: 1}},
	BLSI: {vm: enc{ok: true, vex: true, space: space0F38, op: 0xf3, digit: 3}},

	RET: {leads: true, bare: []byte{0xc3}},
	CDQ: {bare: []byte{0x99}},
	CQO: {bare: []byte{0x48, 0x99}},
	UD2: {bare: []byte{0x0f, 0x0b}},

	MOVSS: sseMove(0xf3, 0x10, 0x11), MOVSD: sseMove(0xf2, 0x10, 0x11),
	MOVAPS: sseMove(0, 0x28, 0x29), MOVUPS: sseMove(0, 0x10, 0x11),
	MOVD:  rm0F(0x66, 0x6e),
	MOVDT: {mr: enc{ok: true, prefix: 0x66, space: space0F, op: 0x7e}},
	ADDSS: sse(0xf3, 0x58), ADDSD: sse(0xf2, 0x58), SUBSS: sse(0xf3, 0x5c), SUBSD: sse(0xf2, 0x5c),
	MULSS: sse(0xf3, 0x59), MULSD: sse(0xf2, 0x59), DIVSS: sse(0xf3, 0x5e), DIVSD: sse(0xf2, 0x5e),
	SQRTSS: sse(0xf3, 0x51), SQRTSD: sse(0xf2, 0x51),
	UCOMISS: sse(0, 0x2e), UCOMISD: sse(0x66, 0x2e),
	CVTSI2SS: rm0F(0xf3, 0x2a), CVTSI2SD: rm0F(0xf2, 0x2a),
	CVTTSS2SI: rm0F(0xf3, 0x2c), CVTTSD2SI: rm0F(0xf2, 0x2c),
	CVTSS2SD: sse(0xf3, 0x5a), CVTSD2SS: sse(0xf2, 0x5a),
	ANDPS: sse(0, 0x54), ORPS: sse(0, 0x56), XORPS: sse(0, 0x57),
	ROUNDSS: sse4(0x0a), ROUNDSD: sse4(0x0b),
	PXOR: sse(0x66, 0xef), PAND: sse(0x66, 0xdb), PCMPEQB: sse(0x66, 0x74),
	PMOVMSKB: sse(0x66, 0xd7), PADDB: sse(0x66, 0xfc), PADDD: sse(0x66, 0xfe),
	PADDQ: sse(0x66, 0xd4), PSUBB: sse(0x66, 0xf8), PSADBW: sse(0x66, 0xf6), PSHUFB: sse38(0x66, 0x00),
	PSHUFD:      {rmi8: enc{ok: true, prefix: 0x66, space: space0F, op: 0x70, now: true}},
	VFMADD231SS: fma(false), VFMADD231SD: fma(true),
	VADDSS: avx(0xf3, 0x58), VADDSD: avx(0xf2, 0x58), VSUBSS: avx(0xf3, 0x5c), VSUBSD: avx(0xf2, 0x5c),
	VMULSS: avx(0xf3, 0x59), VMULSD: avx(0xf2, 0x59), VDIVSS: avx(0xf3, 0x5e), VDIVSD: avx(0xf2, 0x5e),
	PALIGNR: sse4(0x0f), PBLENDW: sse4(0x0e), PCLMULQDQ: sse4(0x44),
	PSRLDQ:      {ri8: enc{ok: true, prefix: 0x66, space: space0F, op: 0x73, digit: 3, now: true}, shift: true},
	PSLLDQ:      {ri8: enc{ok: true, prefix: 0x66, space: space0F, op: 0x73, digit: 7, now: true}, shift: true},
	PSRLW:       {ri8: enc{ok: true, prefix: 0x66, space: space0F, op: 0x71, digit: 2, now: true}, shift: true},
	PSUBUSB:     sse(0x66, 0xd8),
	SHA256RNDS2: sse38(0, 0xcb), SHA256MSG1: sse38(0, 0xcc), SHA256MSG2: sse38(0, 0xcd),
	MULX: {rvm: enc{ok: true, vex: true, prefix: 0xf2, space: space0F38, op: 0xf6}},
	VMOVUPSY: {
		rm: enc{ok: true, vex: true, wide: true, now: true, space: space0F, op: 0x10},
		mr: enc{ok: true, vex: true, wide: true, now: true, space: space0F, op: 0x11},
	},
	VPCMPEQBY:     {rvm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F, op: 0x74}},
	VPANDY:        {rvm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F, op: 0xdb}},
	VPORY:         {rvm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F, op: 0xeb}},
	VPMOVMSKBY:    {rm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F, op: 0xd7}},
	VPBROADCASTDY: {rm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F38, op: 0x58}},
	VPCLMULQDQY:   {rvm: enc{ok: true, vex: true, wide: true, now: true, prefix: 0x66, space: space0F3A, op: 0x44}},
	VPERMQY:       {rmi8: enc{ok: true, vex: true, wide: true, w: true, now: true, prefix: 0x66, space: space0F3A, op: 0x00}},
	VXORPSY:       {rvm: enc{ok: true, vex: true, wide: true, now: true, space: space0F, op: 0x57}},
	VZEROUPPER:    {bare: []byte{0xc5, 0xf8, 0x77}},
}

// names are the operations' names as the decoder of the tests prints them.
var names = [NumOps]string{
	ADD: "add", OR: "or", ADC: "adc", SBB: "sbb", AND: "and", SUB: "sub", XOR: "xor", CMP: "cmp", TEST: "test", MOV: "mov",
	XCHG: "xchg", LEA: "lea", MOVZX8: "movzx", MOVZX16: "movzx", MOVSX8: "movsx", MOVSX16: "movsx", MOVSX32: "movsxd",
	IMUL: "imul", BSF: "bsf", BSR: "bsr", LZCNT: "lzcnt", TZCNT: "tzcnt", POPCNT: "popcnt",
	NOT: "not", NEG: "neg", MUL1: "mul", IMUL1: "imul", DIV: "div", IDIV: "idiv", INC: "inc", DEC: "dec", JMPR: "jmp",
	CALLR: "call", BSWAP: "bswap",
	SHL: "shl", SHR: "shr", SAR: "sar", ROL: "rol", SHLX: "shlx", SHRX: "shrx", SARX: "sarx", RORX: "rorx",
	ANDN: "andn", BLSR: "blsr", BLSI: "blsi",
	RET: "ret", CDQ: "cdq", CQO: "cqo", UD2: "ud2",
	MOVSS: "movss", MOVSD: "movsd_xmm", MOVAPS: "movaps", MOVUPS: "movups", MOVD: "movd", MOVDT: "movd",
	ADDSS: "addss", ADDSD: "addsd", SUBSS: "subss", SUBSD: "subsd", MULSS: "mulss", MULSD: "mulsd", DIVSS: "divss",
	DIVSD:  "divsd",
	SQRTSS: "sqrtss", SQRTSD: "sqrtsd", UCOMISS: "ucomiss", UCOMISD: "ucomisd",
	CVTSI2SS: "cvtsi2ss", CVTSI2SD: "cvtsi2sd", CVTTSS2SI: "cvttss2si", CVTTSD2SI: "cvttsd2si", CVTSS2SD: "cvtss2sd",
	CVTSD2SS: "cvtsd2ss",
	ANDPS:    "andps", ORPS: "orps", XORPS: "xorps", ROUNDSS: "roundss", ROUNDSD: "roundsd",
	PXOR: "pxor", PAND: "pand", PCMPEQB: "pcmpeqb", PMOVMSKB: "pmovmskb", PSHUFD: "pshufd",
	PADDB: "paddb", PADDD: "paddd", PADDQ: "paddq", PSUBB: "psubb", PSADBW: "psadbw",
	PSHUFB:      "pshufb",
	VFMADD231SS: "vfmadd231ss", VFMADD231SD: "vfmadd231sd",
	VADDSS: "vaddss", VADDSD: "vaddsd", VSUBSS: "vsubss", VSUBSD: "vsubsd", VMULSS: "vmulss", VMULSD: "vmulsd",
	VDIVSS: "vdivss", VDIVSD: "vdivsd",
	PALIGNR: "palignr", PBLENDW: "pblendw", PSRLDQ: "psrldq", PSLLDQ: "pslldq", PSRLW: "psrlw", PSUBUSB: "psubusb", PCLMULQDQ: "pclmulqdq",
	SHA256RNDS2: "sha256rnds2", SHA256MSG1: "sha256msg1", SHA256MSG2: "sha256msg2", MULX: "mulx",
	VMOVUPSY: "vmovups", VXORPSY: "vxorps", VPCMPEQBY: "vpcmpeqb", VPANDY: "vpand", VPORY: "vpor", VPMOVMSKBY: "vpmovmskb",
	VPBROADCASTDY: "vpbroadcastd", VPCLMULQDQY: "vpclmulqdq", VPERMQY: "vpermq", VZEROUPPER: "vzeroupper",
}

// Bswap reverses the bytes of a register of 32 or 64 bits.
func (a *Asm) Bswap(size Size, r Reg) {
	a.Instruction()
	a.rexB(size == S64, r)
	a.u8(0x0f, 0xc8|low(r))
}
