package arm64

import "github.com/gyrvm/gyr/internal/back/native/plan"

// Size is the width of an operation: W registers for S32, X registers for S64; for floats S and D.
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
	EQ Cond = iota
	NE
	HS // unsigned >=; carry
	LO // unsigned <
	MI // negative
	PL // not negative
	VS // overflow; unordered
	VC // no overflow; ordered
	HI // unsigned >
	LS // unsigned <=
	GE // signed >=
	LT // signed <
	GT // signed >
	LE // signed <=
)

// Not returns the opposite condition.
func (c Cond) Not() Cond { return c ^ 1 }

var condNames = [...]string{"eq", "ne", "hs", "lo", "mi", "pl", "vs", "vc", "hi", "ls", "ge", "lt", "gt", "le"}

func (c Cond) String() string { return condNames[c] }

// A Shift is a kind of shift of the last operand, as instructions encode it.
type Shift uint8

const (
	LSL Shift = iota
	LSR
	ASR
	ROR
)

// An Extend is an extension of the last operand, as instructions encode it.
type Extend uint8

const (
	UXTB Extend = iota
	UXTH
	UXTW
	UXTX
	SXTB
	SXTH
	SXTW
	SXTX
)

// A wide says where the code of an operation has its width.
type wide uint8

const (
	fixed   wide = iota // nowhere
	sized               // bit 31: 64 bits
	float               // bit 22: float64
	bitmask             // bits 31 and 22
)

// A row is the encoding of an operation: the code without operands, by form. 0: it has no such form.
type row struct {
	name string
	wide wide
	rrr  uint32 // d, n, m
	imm  uint32 // d, n, immediate of 12 bits or a logical one
	ext  uint32 // d, n, m extended
	rrrr uint32 // d, n, m, a
	rr   uint32 // d, n
}

// An Op is an operation on registers.
type Op uint8

const (
	OpNone Op = iota

	// Integers.
	ADD
	ADDS
	SUB
	SUBS
	AND
	ANDS
	ORR
	ORN
	EOR
	BIC
	ADC
	ADCS
	SBCS
	LSLV
	LSRV
	ASRV
	RORV
	UDIV
	SDIV
	MUL
	SMULH
	UMULH
	MSUB
	RBIT
	REV16
	REVW // of 32 bits
	REVX
	CLZ
	CRC32B
	CRC32H
	CRC32W
	CRC32X
	CRC32CB
	CRC32CH
	CRC32CW
	CRC32CX

	// Floats.
	FADD
	FSUB
	FMUL
	FDIV
	FMADD
	FMOV
	FABS
	FNEG
	FSQRT
	FRINTM
	FRINTP
	FRINTZ
	FCVTSD // to float32
	FCVTDS // to float64

	// Between integers and floats. The first letter after an underscore is the integer's width.
	SCVTF_X
	UCVTF_X
	FCVTZS_X
	FMOVToFloat   // the bits of an integer register of the float's width
	FMOVFromFloat // and back

	// Vectors.
	CNT8B  // ones of each of 8 bytes
	ADDV8B // sum of 8 bytes
	CMEQ16B
	ORR16B
	SUB16B
	ADD4S
	UADDLP16B // sums of pairs of bytes
	UADALP8H  // adds the sums of pairs of 16 bits to words of 32
	ADDV4S
	DUP16B // of the low byte of a W register
	MOVI0  // all zeros
	SHRN4  // of each of 8 halfwords the 8 bits from bit 4 on
	USHR4  // of each byte the upper half
	AND16B
	EOR16B
	UQSUB16B // differences, not below 0
	UMAXV16B // the greatest byte
	TBL16B   // of n the bytes that m names
	EXT13    // 16 bytes from byte 13 of n and m together on
	EXT14
	EXT15
	REV32B   // the bytes of each of four words
	SHA256H  // four rounds: the first half of the state
	SHA256H2 // and the second
	SHA256SU0
	SHA256SU1

	NumOps
)

var rows = [NumOps]row{
	ADD:  {name: "add", wide: sized, rrr: 0x0b000000, imm: 0x11000000, ext: 0x0b200000},
	ADDS: {name: "adds", wide: sized, rrr: 0x2b000000, imm: 0x31000000, ext: 0x2b200000},
	SUB:  {name: "sub", wide: sized, rrr: 0x4b000000, imm: 0x51000000, ext: 0x4b200000},
	SUBS: {name: "subs", wide: sized, rrr: 0x6b000000, imm: 0x71000000, ext: 0x6b200000},
	AND:  {name: "and", wide: sized, rrr: 0x0a000000, imm: 0x12000000},
	ANDS: {name: "ands", wide: sized, rrr: 0x6a000000, imm: 0x72000000},
	ORR:  {name: "orr", wide: sized, rrr: 0x2a000000, imm: 0x32000000},
	EOR:  {name: "eor", wide: sized, rrr: 0x4a000000, imm: 0x52000000},
	ORN:  {name: "orn", wide: sized, rrr: 0x2a200000},
	BIC:  {name: "bic", wide: sized, rrr: 0x0a200000},
	ADC:  {name: "adc", wide: sized, rrr: 0x1a000000},
	ADCS: {name: "adcs", wide: sized, rrr: 0x3a000000},
	SBCS: {name: "sbcs", wide: sized, rrr: 0x7a000000},
	LSLV: {name: "lsl", wide: sized, rrr: 0x1ac02000},
	LSRV: {name: "lsr", wide: sized, rrr: 0x1ac02400},
	ASRV: {name: "asr", wide: sized, rrr: 0x1ac02800},
	RORV: {name: "ror", wide: sized, rrr: 0x1ac02c00},
	UDIV: {name: "udiv", wide: sized, rrr: 0x1ac00800},
	SDIV: {name: "sdiv", wide: sized, rrr: 0x1ac00c00},
	MUL:  {name: "mul", wide: sized, rrr: 0x1b007c00},

	SMULH: {name: "smulh", rrr: 0x9b407c00}, UMULH: {name: "umulh", rrr: 0x9bc07c00},
	MSUB: {name: "msub", wide: sized, rrrr: 0x1b008000},
	RBIT: {name: "rbit", wide: sized, rr: 0x5ac00000}, REV16: {name: "rev16", wide: sized, rr: 0x5ac00400},
	REVW: {name: "rev", rr: 0x5ac00800}, REVX: {name: "rev", rr: 0xdac00c00}, CLZ: {name: "clz", wide: sized, rr: 0x5ac01000},
	CRC32B: {name: "crc32b", rrr: 0x1ac04000}, CRC32H: {name: "crc32h", rrr: 0x1ac04400},
	CRC32W: {name: "crc32w", rrr: 0x1ac04800}, CRC32X: {name: "crc32x", rrr: 0x9ac04c00},
	CRC32CB: {name: "crc32cb", rrr: 0x1ac05000}, CRC32CH: {name: "crc32ch", rrr: 0x1ac05400},
	CRC32CW: {name: "crc32cw", rrr: 0x1ac05800}, CRC32CX: {name: "crc32cx", rrr: 0x9ac05c00},

	FADD: {name: "fadd", wide: float, rrr: 0x1e202800}, FSUB: {name: "fsub", wide: float, rrr: 0x1e203800},
	FMUL: {name: "fmul", wide: float, rrr: 0x1e200800}, FDIV: {name: "fdiv", wide: float, rrr: 0x1e201800},
	FMADD: {name: "fmadd", wide: float, rrrr: 0x1f000000},
	FMOV:  {name: "fmov", wide: float, rr: 0x1e204000}, FABS: {name: "fabs", wide: float, rr: 0x1e20c000},
	FNEG: {name: "fneg", wide: float, rr: 0x1e214000}, FSQRT: {name: "fsqrt", wide: float, rr: 0x1e21c000},
	FRINTM: {name: "frintm", wide: float, rr: 0x1e254000}, FRINTP: {name: "frintp", wide: float, rr: 0x1e24c000},
	FRINTZ: {name: "frintz", wide: float, rr: 0x1e25c000},
	FCVTSD: {name: "fcvt", rr: 0x1e624000}, FCVTDS: {name: "fcvt", rr: 0x1e22c000},

	SCVTF_X: {name: "scvtf", wide: float, rr: 0x9e220000}, UCVTF_X: {name: "ucvtf", wide: float, rr: 0x9e230000},
	FCVTZS_X:    {name: "fcvtzs", wide: float, rr: 0x9e380000},
	FMOVToFloat: {name: "fmov", wide: bitmask, rr: 0x1e270000}, FMOVFromFloat: {name: "fmov", wide: bitmask, rr: 0x1e260000},

	CNT8B: {name: "cnt", rr: 0x0e205800}, ADDV8B: {name: "addv", rr: 0x0e31b800},
	CMEQ16B: {name: "cmeq", rrr: 0x6e208c00}, ORR16B: {name: "orr", rrr: 0x4ea01c00},
	SUB16B:    {name: "sub", rrr: 0x6e208400},
	ADD4S:     {name: "add", rrr: 0x4ea08400},
	UADDLP16B: {name: "uaddlp", rr: 0x6e202800},
	UADALP8H:  {name: "uadalp", rr: 0x6e606800}, ADDV4S: {name: "addv", rr: 0x4eb1b800},
	DUP16B: {name: "dup", rr: 0x4e010c00}, MOVI0: {name: "movi", rr: 0x6f00e400}, SHRN4: {name: "shrn", rr: 0x0f0c8400},
	USHR4: {name: "ushr", rr: 0x6f0c0400}, AND16B: {name: "and", rrr: 0x4e201c00}, EOR16B: {name: "eor", rrr: 0x6e201c00},
	UQSUB16B: {name: "uqsub", rrr: 0x6e202c00}, UMAXV16B: {name: "umaxv", rr: 0x6e30a800}, TBL16B: {name: "tbl", rrr: 0x4e000000},
	EXT13: {name: "ext", rrr: 0x6e006800}, EXT14: {name: "ext", rrr: 0x6e007000}, EXT15: {name: "ext", rrr: 0x6e007800},
	REV32B: {name: "rev32", rr: 0x6e200800}, SHA256H: {name: "sha256h", rrr: 0x5e004000},
	SHA256H2: {name: "sha256h2", rrr: 0x5e005000}, SHA256SU0: {name: "sha256su0", rr: 0x5e282800},
	SHA256SU1: {name: "sha256su1", rrr: 0x5e006000},
}

func (op Op) String() string { return rows[op].name }

// A MemOp is a load or store.
type MemOp uint8

const (
	LDRB MemOp = iota
	LDRH
	LDRW
	LDRX
	LDRSB // to 64 bits
	LDRSH
	LDRSW
	STRB
	STRH
	STRW
	STRX
	LDRS // of floats
	LDRD
	LDRQ
	STRS
	STRD
	STRQ
	NumMemOps
)

// memRows have the size of an access, as a logarithm, and the bits of its code: size, V and opc.
var memRows = [NumMemOps]struct {
	name string
	log  uint8
	bits uint32
}{
	LDRB: {"ldrb", 0, 0x00400000}, LDRH: {"ldrh", 1, 0x40400000}, LDRW: {"ldr", 2, 0x80400000}, LDRX: {"ldr", 3, 0xc0400000},
	LDRSB: {"ldrsb", 0, 0x00800000}, LDRSH: {"ldrsh", 1, 0x40800000}, LDRSW: {"ldrsw", 2, 0x80800000},
	STRB: {"strb", 0, 0x00000000}, STRH: {"strh", 1, 0x40000000}, STRW: {"str", 2, 0x80000000}, STRX: {"str", 3, 0xc0000000},
	LDRS: {"ldr", 2, 0x84400000}, LDRD: {"ldr", 3, 0xc4400000}, LDRQ: {"ldr", 4, 0x04c00000},
	STRS: {"str", 2, 0x84000000}, STRD: {"str", 3, 0xc4000000}, STRQ: {"str", 4, 0x04800000},
}

func (op MemOp) String() string { return memRows[op].name }

// bytes is the size of an access.
func (op MemOp) bytes() int32 { return 1 << memRows[op].log }

// A PairOp is a load or store of two registers.
type PairOp uint8

const (
	LDPX PairOp = iota
	STPX
	LDPD
	STPD
	LDPQ
	STPQ
	NumPairOps
)

var pairRows = [NumPairOps]struct {
	name string
	log  uint8
	code uint32
}{
	LDPX: {"ldp", 3, 0xa9400000}, STPX: {"stp", 3, 0xa9000000}, LDPD: {"ldp", 3, 0x6d400000}, STPD: {"stp", 3, 0x6d000000},
	LDPQ: {"ldp", 4, 0xad400000}, STPQ: {"stp", 4, 0xad000000},
}
