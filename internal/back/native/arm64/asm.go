// Package arm64 compiles for 64-bit ARM.
//
// An [Asm] appends instructions to a buffer. Operations on registers are rows of a table (ops.go),
// which says which forms an operation has. [Asm.RRR], [Asm.RR], [Asm.RRI] and the like name the kinds
// of operands in the order of Arm's manual: destination first, R a register, I an immediate. A form
// that the table does not have is a defect of the compiler and panics; so is an immediate that does
// not fit.
//
// Jumps go to labels, which may be bound later; [Asm.Finish] patches them. A conditional jump reaches
// 1 MiB, one that tests a bit 32 KiB. Code for which that is not enough is written again in a longer
// form ([Asm.reach]).
//
// Encodings follow the Arm Architecture Reference Manual for A-profile, chapter C4 and C6. The tests
// compare every form with what GNU as writes, and decode with golang.org/x/arch what that knows.
package arm64

import (
	"encoding/binary"
	"fmt"
	"math/bits"

	"github.com/gyrvm/gyr/internal/back/native/arena"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
)

// A Reg is a register. Its low five bits are its number in encodings.
type Reg = regalloc.Reg

// Registers. X31 is the zero register, or in addresses and sums with an immediate the stack pointer of
// the system, which this compiler never uses.
const (
	X0 Reg = iota
	X1
	X2
	X3
	X4
	X5
	X6
	X7
	X8
	X9
	X10
	X11
	X12
	X13
	X14
	X15
	X16
	X17
	X18
	X19
	X20
	X21
	X22
	X23
	X24
	X25
	X26
	X27
	X28
	X29
	X30
	ZR
	V0
	NumRegs = 64

	V16 = V0 + 16
	V31 = V0 + 31

	// NoReg stands for an absent index.
	NoReg Reg = 0xff
)

// isVector reports whether r is a vector register.
func isVector(r Reg) bool { return r >= V0 && r < NumRegs }

func number(r Reg) uint32 { return uint32(r) & 31 }

// Mem is a memory operand: Base + Disp, or Base + Index << Shift.
type Mem struct {
	Base, Index Reg
	Shift       uint8 // 0, or the logarithm of the size of the access
	Disp        int32 // 0 with an index
}

// At is the operand base + disp.
func At(base Reg, disp int32) Mem { return Mem{Base: base, Index: NoReg, Disp: disp} }

// Label is a place in the code, bound once.
type Label = plan.Label

// An Asm appends machine code to Buf. The zero value is ready to use; Reset restores it and keeps
// the memory.
type Asm struct {
	plan.Buffer

	reach Reach
	fixes []fix
}

// A Reach says how far jumps have to go.
type Reach uint8

const (
	Reach32K Reach = iota
	Reach1M
	Reach128M
)

// A fix is a reference to a label: the field of an instruction that holds the distance.
type fix struct {
	at    int32
	from  int32 // where the distance begins
	label Label
	field field
}

// A field is a place for a distance, in units of 4 bytes, or of 1 for addresses.
type field uint8

const (
	imm26 field = iota
	imm19
	imm14
	imm21 // of bytes, in two parts
	low16 // of bytes, the lower half
	high16
)

// Reset empties the assembler.
func (a *Asm) Reset() {
	a.Buffer.Reset()
	a.fixes, a.reach = arena.Kept(a.fixes), Reach32K
}

// Finish patches the references to labels. It reports false if the distance of one does not fit: then
// the code must be written again, with a longer reach. It panics if a label is not bound.
func (a *Asm) Finish() bool {
	for _, f := range a.fixes {
		if !a.Bound(f.label) {
			panic("arm64: jump to a label that is not bound")
		}
		d := int64(a.Offset(f.label)) - int64(f.from)
		if !f.field.fits(d) {
			return false
		}
		w := binary.LittleEndian.Uint32(a.Buf[f.at:])
		binary.LittleEndian.PutUint32(a.Buf[f.at:], w|f.field.of(d))
	}
	a.fixes = a.fixes[:0]
	return true
}

// fields have the bits of a distance in bytes, with its sign.
var fields = [...]int{imm26: 28, imm19: 21, imm14: 16, imm21: 21, low16: 32, high16: 32}

func (f field) fits(d int64) bool {
	n := fields[f] - 1
	return d >= -1<<n && d < 1<<n
}

// of returns the bits of an instruction for a distance in bytes.
func (f field) of(d int64) uint32 {
	switch x := uint32(d >> 2); f {
	case imm26:
		return x & (1<<26 - 1)
	case imm19:
		return x & (1<<19 - 1) << 5
	case imm14:
		return x & (1<<14 - 1) << 5
	case low16:
		return uint32(d) & (1<<16 - 1) << 5
	case high16:
		return uint32(d) >> 16 << 5
	}
	return uint32(d)&3<<29 | uint32(d>>2)&(1<<19-1)<<5
}

// word appends an instruction.
func (a *Asm) word(x uint32) {
	a.Instruction()
	a.raw(x)
}

// raw appends an instruction for which begin was called.
func (a *Asm) raw(x uint32) { a.Buf = binary.LittleEndian.AppendUint32(a.Buf, x) }

func bad(op fmt.Stringer, form string) {
	panic(fmt.Sprintf("arm64: %s has no form %s", op, form))
}

// at returns the code of an operation for a size.
func (r row) at(code uint32, size Size) uint32 {
	if size != S64 {
		return code
	}
	switch r.wide {
	case sized:
		code |= 1 << 31
	case float:
		code |= 1 << 22
	case bitmask:
		code |= 1<<31 | 1<<22
	}
	return code
}

// RRR appends op d, n, m.
func (a *Asm) RRR(op Op, size Size, d, n, m Reg) {
	r := rows[op]
	if r.rrr == 0 {
		bad(op, "RRR")
	}
	a.word(r.at(r.rrr, size) | number(m)<<16 | number(n)<<5 | number(d))
}

// RRS appends op d, n, m shifted by a constant: of sums and logical operations.
func (a *Asm) RRS(op Op, size Size, d, n, m Reg, s Shift, by int) {
	if op > BIC || uint(by) >= uint(size.Bits()) {
		bad(op, "RRS")
	}
	r := rows[op]
	a.word(r.at(r.rrr, size) | uint32(s)<<22 | number(m)<<16 | uint32(by)<<10 | number(n)<<5 | number(d))
}

// RRX appends op d, n, m extended and shifted left by up to 4.
func (a *Asm) RRX(op Op, size Size, d, n, m Reg, x Extend, by int) {
	r := rows[op]
	if r.ext == 0 || uint(by) > 4 {
		bad(op, "RRX")
	}
	a.word(r.at(r.ext, size) | number(m)<<16 | uint32(x)<<13 | uint32(by)<<10 | number(n)<<5 | number(d))
}

// RRRR appends op d, n, m, x: n*m, added to x or subtracted from it.
func (a *Asm) RRRR(op Op, size Size, d, n, m, x Reg) {
	r := rows[op]
	if r.rrrr == 0 {
		bad(op, "RRRR")
	}
	a.word(r.at(r.rrrr, size) | number(m)<<16 | number(x)<<10 | number(n)<<5 | number(d))
}

// RR appends op d, n.
func (a *Asm) RR(op Op, size Size, d, n Reg) {
	r := rows[op]
	if r.rr == 0 {
		bad(op, "RR")
	}
	a.word(r.at(r.rr, size) | number(n)<<5 | number(d))
}

// RRI appends op d, n, imm, where fitsImm says that the immediate fits.
func (a *Asm) RRI(op Op, size Size, d, n Reg, imm int64) {
	r := rows[op]
	x, ok := immediate(op, size, imm)
	if r.imm == 0 || !ok {
		panic(fmt.Sprintf("arm64: immediate %#x of %s does not fit", imm, op))
	}
	a.word(r.at(r.imm, size) | x | number(n)<<5 | number(d))
}

// fitsImm reports whether RRI has a form with the immediate.
func fitsImm(op Op, size Size, imm int64) bool {
	_, ok := immediate(op, size, imm)
	return ok
}

// immediate returns the bits of an immediate.
func immediate(op Op, size Size, imm int64) (uint32, bool) {
	if op < AND {
		switch {
		case imm >= 0 && imm < 1<<12:
			return uint32(imm) << 10, true
		case imm >= 0 && imm < 1<<24 && imm&(1<<12-1) == 0:
			return 1<<22 | uint32(imm>>12)<<10, true
		}
		return 0, false
	}
	x := uint64(imm)
	if size != S64 {
		x = x&(1<<32-1) | x<<32
	}
	return logical(x)
}

// logical returns the fields N, immr and imms of a logical immediate: a repeated pattern of 2 to 64
// bits, which is a run of ones that was rotated.
func logical(x uint64) (uint32, bool) {
	if x == 0 || x == ^uint64(0) {
		return 0, false
	}
	n := 64
	for n > 2 {
		h := n / 2
		if x&(1<<h-1) != x>>h&(1<<h-1) {
			break
		}
		n = h
	}
	mask := ^uint64(0) >> (64 - n)
	x &= mask
	// Rotated so that the run begins at bit 0.
	rot := 0
	if x&1 != 0 { // the run may wrap
		if wrapped := bits.LeadingZeros64(^(x << (64 - n))); wrapped > 0 {
			rot = n - wrapped
		}
	} else {
		rot = bits.TrailingZeros64(x)
	}
	y := (x>>rot | x<<(n-rot)) & mask
	ones := bits.OnesCount64(y)
	if y != 1<<ones-1 {
		return 0, false
	}
	immr := uint32(n-rot) % uint32(n)
	imms := uint32(-2*n)&63 | uint32(ones-1)
	if n == 64 {
		return 1<<22 | immr<<16 | uint32(ones-1)<<10, true
	}
	return immr<<16 | imms<<10, true
}

// Moves and shifts of bit fields.

// bitfield appends SBFM (code 0x13000000), BFM (0x33000000) or UBFM (0x53000000).
func (a *Asm) bitfield(code uint32, size Size, d, n Reg, r, s int) {
	if size == S64 {
		code |= 1<<31 | 1<<22
	}
	a.word(code | uint32(r)<<16 | uint32(s)<<10 | number(n)<<5 | number(d))
}

// Lsl, Lsr and Asr shift by a constant below the width.
func (a *Asm) Lsl(size Size, d, n Reg, by int) {
	w := size.Bits()
	a.bitfield(0x53000000, size, d, n, (w-by)%w, w-1-by)
}

func (a *Asm) Lsr(size Size, d, n Reg, by int) { a.bitfield(0x53000000, size, d, n, by, size.Bits()-1) }

func (a *Asm) Asr(size Size, d, n Reg, by int) { a.bitfield(0x13000000, size, d, n, by, size.Bits()-1) }

// Ror rotates right by a constant below the width.
func (a *Asm) Ror(size Size, d, n Reg, by int) {
	code := uint32(0x13800000)
	if size == S64 {
		code |= 1<<31 | 1<<22
	}
	a.word(code | number(n)<<16 | uint32(by)<<10 | number(n)<<5 | number(d))
}

// Bfi writes the low count bits of n to d from bit lsb on; the others stay.
func (a *Asm) Bfi(size Size, d, n Reg, lsb, count int) {
	w := size.Bits()
	a.bitfield(0x33000000, size, d, n, (w-lsb)%w, count-1)
}

// Uxt and Sxt extend the low bits of n, Uxt to 64 and Sxt to size.
func (a *Asm) Uxt(d, n Reg, count int) { a.bitfield(0x53000000, S32, d, n, 0, count-1) }

func (a *Asm) Sxt(size Size, d, n Reg, count int) { a.bitfield(0x13000000, size, d, n, 0, count-1) }

// Mov copies a register, either 64 bits of it or the low 32 with zeros above.
func (a *Asm) Mov(size Size, d, n Reg) { a.RRR(ORR, size, d, ZR, n) }

// MovImm loads a constant by the fewest instructions.
func (a *Asm) MovImm(d Reg, x int64) {
	u := uint64(x)
	size, halves := S64, 4
	if u>>32 == 0 {
		size, halves = S32, 2
	}
	sf := uint32(0)
	if size == S64 {
		sf = 1 << 31
	}
	half := func(i int) uint32 { return uint32(u>>(16*i)) & 0xffff }
	zeros, ones := 0, 0
	for i := range halves {
		switch half(i) {
		case 0:
			zeros++
		case 0xffff:
			ones++
		}
	}
	// As many as are not taken from the background.
	background, code := uint32(0), uint32(0x52800000)
	if ones > zeros {
		background, code = 0xffff, 0x12800000
	}
	if halves-max(zeros, ones) > 1 {
		if bits, ok := immediate(ORR, size, x); ok {
			a.word(rows[ORR].at(rows[ORR].imm, size) | bits | number(ZR)<<5 | number(d))
			return
		}
	}
	first := 0 // half that is not the background
	for first < halves-1 && half(first) == background {
		first++
	}
	if half(first) == background {
		first = 0
	}
	a.word(code | sf | uint32(first)<<21 | (half(first)^background)<<5 | number(d))
	for i := first + 1; i < halves; i++ {
		if h := half(i); h != background {
			a.word(0x72800000 | sf | uint32(i)<<21 | h<<5 | number(d))
		}
	}
}

// Comparisons and what depends on the flags.

// Cmp compares registers.
func (a *Asm) Cmp(size Size, n, m Reg) { a.RRR(SUBS, size, ZR, n, m) }

// CmpImm compares with a constant for which fitsCmp holds.
func (a *Asm) CmpImm(size Size, n Reg, x int64) {
	if x < 0 {
		a.RRI(ADDS, size, ZR, n, -x)
		return
	}
	a.RRI(SUBS, size, ZR, n, x)
}

func fitsCmp(x int64) bool { return fitsImm(ADD, S64, x) || fitsImm(ADD, S64, -x) }

// Tst sets the flags of n & m.
func (a *Asm) Tst(size Size, n, m Reg) { a.RRR(ANDS, size, ZR, n, m) }

// Csel writes n to d if the condition holds, else m; Csinc writes m+1 else, Csinv ^m.
func (a *Asm) Csel(size Size, d, n, m Reg, c Cond) { a.csel(0x1a800000, size, d, n, m, c) }

func (a *Asm) Csinc(size Size, d, n, m Reg, c Cond) { a.csel(0x1a800400, size, d, n, m, c) }

func (a *Asm) Csinv(size Size, d, n, m Reg, c Cond) { a.csel(0x5a800000, size, d, n, m, c) }

func (a *Asm) csel(code uint32, size Size, d, n, m Reg, c Cond) {
	if size == S64 {
		code |= 1 << 31
	}
	a.word(code | number(m)<<16 | uint32(c)<<12 | number(n)<<5 | number(d))
}

// Cset writes 1 to d if the condition holds, else 0.
func (a *Asm) Cset(d Reg, c Cond) { a.Csinc(S32, d, ZR, ZR, c.Not()) }

// Ccmp compares n and m if the condition holds; else the flags become nzcv. CcmnImm compares n with the
// negative of a constant below 32.
func (a *Asm) Ccmp(size Size, n, m Reg, nzcv uint8, c Cond) {
	a.ccmp(0x7a400000, size, n, number(m), nzcv, c)
}

func (a *Asm) CcmnImm(size Size, n Reg, imm uint8, nzcv uint8, c Cond) {
	a.ccmp(0x3a400800, size, n, uint32(imm)&31, nzcv, c)
}

func (a *Asm) ccmp(code uint32, size Size, n Reg, m uint32, nzcv uint8, c Cond) {
	if size == S64 {
		code |= 1 << 31
	}
	a.word(code | m<<16 | uint32(c)<<12 | number(n)<<5 | uint32(nzcv))
}

// Fcmp compares floats.
func (a *Asm) Fcmp(size Size, n, m Reg) {
	a.word(floatCode(0x1e202000, size) | number(m)<<16 | number(n)<<5)
}

// Fcsel writes n to d if the condition holds, else m.
func (a *Asm) Fcsel(size Size, d, n, m Reg, c Cond) {
	a.word(floatCode(0x1e200c00, size) | number(m)<<16 | uint32(c)<<12 | number(n)<<5 | number(d))
}

// FmovImm loads a constant that floatImm encodes.
func (a *Asm) FmovImm(size Size, d Reg, imm uint8) {
	a.word(floatCode(0x1e201000, size) | uint32(imm)<<13 | number(d))
}

func floatCode(code uint32, size Size) uint32 {
	if size == S64 {
		code |= 1 << 22
	}
	return code
}

// floatImm returns the eight bits of a float that an instruction may hold: a sign, three bits of an
// exponent from -3 to 4, four bits of a fraction.
func floatImm(size Size, x uint64) (uint8, bool) {
	fraction, exponent := 52, 11
	if size == S32 {
		fraction, exponent = 23, 8
	}
	if x&(1<<(fraction-4)-1) != 0 {
		return 0, false
	}
	e := x >> fraction & (1<<exponent - 1)
	bias := uint64(1)<<(exponent-1) - 1
	if e < bias-3 || e > bias+4 {
		return 0, false
	}
	sign := x >> (fraction + exponent) & 1
	return uint8(sign<<7 | (e-bias-1)&7<<4 | x>>(fraction-4)&15), true
}

// Memory.

// Mem appends a load or store for which reaches holds.
func (a *Asm) Mem(op MemOp, t Reg, m Mem) {
	r := memRows[op]
	code := 0x38000000 | r.bits | number(m.Base)<<5 | number(t)
	switch {
	case m.Index != NoReg:
		s := uint32(0)
		if m.Shift != 0 {
			s = 1 << 12
		}
		if m.Disp != 0 || m.Shift != 0 && m.Shift != r.log {
			bad(op, fmt.Sprintf("with %+v", m))
		}
		a.word(code | 1<<21 | number(m.Index)<<16 | uint32(UXTX)<<13 | s | 2<<10)
	case scaledDisp(r.log, m.Disp):
		a.word(code | 1<<24 | uint32(m.Disp>>r.log)<<10)
	case m.Disp >= -256 && m.Disp < 256:
		a.word(code | uint32(m.Disp)&(1<<9-1)<<12)
	default:
		bad(op, fmt.Sprintf("with %+v", m))
	}
}

func scaledDisp(log uint8, d int32) bool { return d >= 0 && d&(1<<log-1) == 0 && d>>log < 1<<12 }

// reaches reports whether an access has a form with the displacement.
func reaches(op MemOp, d int32) bool {
	return scaledDisp(memRows[op].log, d) || d >= -256 && d < 256
}

// MemPre moves the base by disp before the access, MemPost after it.
func (a *Asm) MemPre(op MemOp, t, base Reg, disp int32) { a.memStep(op, t, base, disp, 3<<10) }

func (a *Asm) MemPost(op MemOp, t, base Reg, disp int32) { a.memStep(op, t, base, disp, 1<<10) }

func (a *Asm) memStep(op MemOp, t, base Reg, disp int32, mode uint32) {
	if disp < -256 || disp > 255 {
		bad(op, "with a step")
	}
	a.word(0x38000000 | memRows[op].bits | uint32(disp)&(1<<9-1)<<12 | mode | number(base)<<5 | number(t))
}

// Pair loads or stores two registers.
func (a *Asm) Pair(op PairOp, t, u, base Reg, disp int32) {
	if !pairReaches(op, disp) {
		panic(fmt.Sprintf("arm64: displacement %d of a pair", disp))
	}
	r := pairRows[op]
	a.word(r.code | uint32(disp>>r.log)&(1<<7-1)<<15 | number(u)<<10 | number(base)<<5 | number(t))
}

func pairReaches(op PairOp, disp int32) bool {
	log := pairRows[op].log
	return disp&(1<<log-1) == 0 && disp>>log >= -64 && disp>>log < 64
}

// Near loads what is at a label: of integers and floats of 32 and 64 bits, and vectors (S8).
func (a *Asm) Near(t Reg, size Size, l Label) {
	code := uint32(0x18000000)
	if isVector(t) {
		code |= 1 << 26
		if size == S8 {
			code |= 2 << 30
		}
	}
	if size == S64 {
		code |= 1 << 30
	}
	a.ref(code|number(t), l, imm19)
}

// Adr loads the address of a label. With a reach of 128 MiB it changes scratch.
func (a *Asm) Adr(d Reg, l Label) {
	if a.reach != Reach128M {
		a.ref(0x10000000|number(d), l, imm21)
		return
	}
	a.Instruction()
	from := a.Pos()
	a.raw(0x10000000 | number(d)) // of itself
	a.Instruction()
	a.refFrom(0x52800000|number(scratch), l, low16, from)
	a.Instruction()
	a.refFrom(0x72a00000|number(scratch), l, high16, from)
	a.RRX(ADD, S64, d, d, scratch, SXTW, 0)
}

// Jumps.

func (a *Asm) ref(code uint32, l Label, f field) {
	a.Instruction()
	a.refFrom(code, l, f, a.Pos())
}

func (a *Asm) refFrom(code uint32, l Label, f field, from int) {
	a.fixes = append(a.fixes, fix{at: int32(a.Pos()), from: int32(from), label: l, field: f})
	a.raw(code)
}

// B, Bl, Bcond, Cbz and Cbnz, Tbz and Tbnz jump to a label.
func (a *Asm) B(l Label) {
	a.ref(0x14000000, l, imm26)
	a.Leads = true
}

func (a *Asm) Bl(l Label) {
	a.ref(0x94000000, l, imm26)
	a.Leads = true
}

func (a *Asm) Bcond(c Cond, l Label) { a.conditional(0x54000000|uint32(c), 1, l, imm19) }

func (a *Asm) Cbz(size Size, r Reg, l Label) { a.compareBranch(0x34000000, size, r, l) }

func (a *Asm) Cbnz(size Size, r Reg, l Label) { a.compareBranch(0x35000000, size, r, l) }

func (a *Asm) compareBranch(code uint32, size Size, r Reg, l Label) {
	if size == S64 {
		code |= 1 << 31
	}
	a.conditional(code|number(r), 1<<24, l, imm19)
}

// Tbz and Tbnz need a reach of 32 KiB.
func (a *Asm) Tbz(r Reg, bit int, l Label) { a.testBranch(0x36000000, r, bit, l) }

func (a *Asm) Tbnz(r Reg, bit int, l Label) { a.testBranch(0x37000000, r, bit, l) }

func (a *Asm) testBranch(code uint32, r Reg, bit int, l Label) {
	a.conditional(code|uint32(bit)>>5<<31|uint32(bit)&31<<19|number(r), 1<<24, l, imm14)
}

// conditional appends a conditional jump. opposite is the bit that turns its condition round.
func (a *Asm) conditional(code, opposite uint32, l Label, f field) {
	if a.reach == Reach128M || a.reach == Reach1M && f == imm14 {
		over := a.NewLabel()
		a.ref(code^opposite, over, f)
		a.Leads = true
		a.B(l)
		a.Bind(over)
		return
	}
	a.ref(code, l, f)
	a.Leads = true
}

// Br jumps to the address in a register, Blr calls it, Ret returns there.
func (a *Asm) Br(r Reg) { a.indirect(0xd61f0000, r) }

func (a *Asm) Blr(r Reg) { a.indirect(0xd63f0000, r) }

func (a *Asm) Ret() { a.indirect(0xd65f0000, X30) }

func (a *Asm) indirect(code uint32, r Reg) {
	a.word(code | number(r)<<5)
	a.Leads = true
}

// Nop does nothing.
func (a *Asm) Nop() { a.word(0xd503201f) }

// Align pads with nops to a multiple of n, a power of two.
func (a *Asm) Align(n int) {
	for len(a.Buf)&(n-1) != 0 {
		a.Nop()
	}
}

// trapByte fills space that is never executed: four of them are an undefined instruction.
const trapByte = 0
