package arm64

import (
	"bytes"
	"debug/elf"
	"encoding/binary"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/arch/arm64/arm64asm"
)

// An encoding is what the encoder wrote for an instruction, beside the instruction as text.
type encoding struct {
	text string
	word uint32
}

// A recorder writes instructions and their texts.
type recorder struct {
	Asm
	list []encoding
}

// add records the one instruction that write appends.
func (r *recorder) add(text string, write func()) {
	at := len(r.Buf)
	write()
	if len(r.Buf) != at+4 {
		panic(text + ": not one instruction")
	}
	r.list = append(r.list, encoding{text, binary.LittleEndian.Uint32(r.Buf[at:])})
}

// named returns the name of a register as an operand of a width.
func named(r Reg, size Size) string {
	switch {
	case isVector(r) && size == S64:
		return fmt.Sprintf("d%d", r-V0)
	case isVector(r):
		return fmt.Sprintf("s%d", r-V0)
	case size == S64 && r == ZR:
		return "xzr"
	case size == S64:
		return fmt.Sprintf("x%d", r)
	case r == ZR:
		return "wzr"
	}
	return fmt.Sprintf("w%d", r)
}

var (
	someInts   = []Reg{X0, X1, X9, X17, X26, X30, ZR}
	someFloats = []Reg{V0, V0 + 7, V16, V31}
	bothSizes  = []Size{S32, S64}
	shifts     = []string{"lsl", "lsr", "asr", "ror"}
	extensions = []string{"uxtb", "uxth", "uxtw", "uxtx", "sxtb", "sxth", "sxtw", "sxtx"}
)

// someOf calls f with triples of registers in which each is in each place.
func someOf(list []Reg, f func(d, n, m Reg)) {
	for i, d := range list {
		f(d, list[(i+1)%len(list)], list[(i+3)%len(list)])
		f(d, d, list[(i+2)%len(list)])
	}
}

// operations records the operations of the table.
func (r *recorder) operations() {
	for op := OpNone + 1; op < NumOps; op++ {
		row := &rows[op]
		if op >= CNT8B || op >= FCVTSD && op <= FMOVFromFloat {
			continue
		}
		regs := someInts
		if op >= FADD {
			regs = someFloats
		}
		sizes := bothSizes
		if row.wide == fixed {
			sizes = []Size{S64}
			if op == REVW || op >= CRC32B && op <= CRC32CX && op != CRC32X && op != CRC32CX {
				sizes = []Size{S32}
			}
		}
		for _, size := range sizes {
			someOf(regs, func(d, n, m Reg) {
				D, N, M := named(d, size), named(n, size), named(m, size)
				if op == CRC32X || op == CRC32CX {
					D, N = named(d, S32), named(n, S32)
				}
				if row.rrr != 0 {
					r.add(fmt.Sprintf("%s %s, %s, %s", row.name, D, N, M), func() { r.RRR(op, size, d, n, m) })
				}
				if row.rr != 0 {
					r.add(fmt.Sprintf("%s %s, %s", row.name, D, N), func() { r.RR(op, size, d, n) })
				}
				if row.rrrr != 0 {
					r.add(fmt.Sprintf("%s %s, %s, %s, %s", row.name, D, N, M, named(regs[0], size)), func() { r.RRRR(op, size, d, n, m, regs[0]) })
				}
				if op <= BIC {
					for s, name := range shifts[:3] {
						for _, by := range []int{1, 7, size.Bits() - 1} {
							r.add(fmt.Sprintf("%s %s, %s, %s, %s #%d", row.name, D, N, M, name, by), func() { r.RRS(op, size, d, n, m, Shift(s), by) })
						}
					}
				}
				if row.ext != 0 && d != ZR && n != ZR {
					for x, name := range extensions {
						M := named(m, S32)
						if x&3 == 3 {
							M = named(m, size)
						}
						if size == S32 && x&3 == 3 {
							continue
						}
						for by := 1; by <= 4; by++ {
							r.add(fmt.Sprintf("%s %s, %s, %s, %s #%d", row.name, D, N, M, name, by), func() { r.RRX(op, size, d, n, m, Extend(x), by) })
						}
					}
				}
				if row.imm == 0 || n == ZR || d == ZR {
					return
				}
				for _, imm := range immediates(size) {
					if fitsImm(op, size, imm) {
						r.add(fmt.Sprintf("%s %s, %s, #%#x", row.name, D, N, uint64(imm)), func() { r.RRI(op, size, d, n, imm) })
					}
				}
			})
		}
	}
}

// immediates are constants at the borders of what instructions hold, and all runs of ones for some
// widths of a pattern.
func immediates(size Size) (list []int64) {
	list = []int64{1, 2, 5, 4094, 4095, 4096, 4097, 0xfff000, 0x1000000, 0x5555, 0x123456}
	for _, n := range []int{2, 4, 8, 16, 32, 64} {
		if n > size.Bits() {
			break
		}
		for ones := 1; ones < n; ones += 1 + ones/5 {
			for rot := 0; rot < n; rot += 1 + rot/3 {
				x := uint64(1)<<ones - 1
				x = x<<rot | x>>(n-rot)
				if n < 64 {
					x &= 1<<n - 1
				}
				for k := n; k < size.Bits(); k *= 2 {
					x |= x << k
				}
				list = append(list, int64(x))
			}
		}
	}
	return list
}

// others records all other instructions.
func (r *recorder) others() {
	for _, size := range bothSizes {
		w := size.Bits()
		someOf(someInts, func(d, n, m Reg) {
			D, N, M := named(d, size), named(n, size), named(m, size)
			for _, by := range []int{1, 8, w - 1} {
				r.add(fmt.Sprintf("lsl %s, %s, #%d", D, N, by), func() { r.Lsl(size, d, n, by) })
				r.add(fmt.Sprintf("lsr %s, %s, #%d", D, N, by), func() { r.Lsr(size, d, n, by) })
				r.add(fmt.Sprintf("asr %s, %s, #%d", D, N, by), func() { r.Asr(size, d, n, by) })
				r.add(fmt.Sprintf("ror %s, %s, #%d", D, N, by), func() { r.Ror(size, d, n, by) })
				if n != ZR {
					r.add(fmt.Sprintf("bfi %s, %s, #%d, #%d", D, N, by, 1), func() { r.Bfi(size, d, n, by, 1) })
					r.add(fmt.Sprintf("bfi %s, %s, #%d, #%d", D, N, by, w-by), func() { r.Bfi(size, d, n, by, w-by) })
				}
			}
			r.add(fmt.Sprintf("uxtb %s, %s", named(d, S32), named(n, S32)), func() { r.Uxt(d, n, 8) })
			r.add(fmt.Sprintf("uxth %s, %s", named(d, S32), named(n, S32)), func() { r.Uxt(d, n, 16) })
			for bits, name := range map[int]string{8: "sxtb", 16: "sxth", 32: "sxtw"} {
				if size == S64 || bits < 32 {
					r.add(fmt.Sprintf("%s %s, %s", name, D, named(n, S32)), func() { r.Sxt(size, d, n, bits) })
				}
			}
			r.add(fmt.Sprintf("mov %s, %s", D, N), func() { r.Mov(size, d, n) })
			r.add(fmt.Sprintf("cmp %s, %s", N, M), func() { r.Cmp(size, n, m) })
			r.add(fmt.Sprintf("tst %s, %s", N, M), func() { r.Tst(size, n, m) })
			for c := EQ; c <= LE; c++ {
				r.add(fmt.Sprintf("csel %s, %s, %s, %s", D, N, M, c), func() { r.Csel(size, d, n, m, c) })
				r.add(fmt.Sprintf("csinv %s, %s, %s, %s", D, N, M, c), func() { r.Csinv(size, d, n, m, c) })
				if n != m {
					r.add(fmt.Sprintf("csinc %s, %s, %s, %s", D, N, M, c), func() { r.Csinc(size, d, n, m, c) })
				}
				r.add(fmt.Sprintf("ccmp %s, %s, #%d, %s", N, M, c, c), func() { r.Ccmp(size, n, m, uint8(c), c) })
				r.add(fmt.Sprintf("ccmn %s, #%d, #%d, %s", N, 2*c, c, c), func() { r.CcmnImm(size, n, uint8(2*c), uint8(c), c) })
			}
			for _, x := range []int64{0, 1, 4095, 4096, 0xfff000} {
				if n != ZR {
					r.add(fmt.Sprintf("cmp %s, #%#x", N, x), func() { r.CmpImm(size, n, x) })
					if x > 0 {
						r.add(fmt.Sprintf("cmn %s, #%#x", N, x), func() { r.CmpImm(size, n, -x) })
					}
				}
			}
		})
		someOf(someFloats, func(d, n, m Reg) {
			D, N, M := named(d, size), named(n, size), named(m, size)
			r.add(fmt.Sprintf("fcmp %s, %s", N, M), func() { r.Fcmp(size, n, m) })
			for c := EQ; c <= LE; c++ {
				r.add(fmt.Sprintf("fcsel %s, %s, %s, %s", D, N, M, c), func() { r.Fcsel(size, d, n, m, c) })
			}
			x := someInts[int(d)%len(someInts)]
			X := named(x, S64)
			r.add(fmt.Sprintf("scvtf %s, %s", D, X), func() { r.RR(SCVTF_X, size, d, x) })
			r.add(fmt.Sprintf("ucvtf %s, %s", D, X), func() { r.RR(UCVTF_X, size, d, x) })
			r.add(fmt.Sprintf("fcvtzs %s, %s", X, N), func() { r.RR(FCVTZS_X, size, x, n) })
			r.add(fmt.Sprintf("fmov %s, %s", D, named(x, size)), func() { r.RR(FMOVToFloat, size, d, x) })
			r.add(fmt.Sprintf("fmov %s, %s", named(x, size), N), func() { r.RR(FMOVFromFloat, size, x, n) })
			if size == S64 {
				r.add(fmt.Sprintf("fcvt %s, %s", named(d, S32), N), func() { r.RR(FCVTSD, S64, d, n) })
				r.add(fmt.Sprintf("fcvt %s, %s", D, named(n, S32)), func() { r.RR(FCVTDS, S64, d, n) })
			}
		})
		for x := range 256 {
			v := floatOfImm(uint8(x))
			bits := math.Float64bits(v)
			if size == S32 {
				bits = uint64(math.Float32bits(float32(v)))
			}
			imm, ok := floatImm(size, bits)
			if !ok || imm != uint8(x) {
				panic(fmt.Sprint("floatImm of ", v))
			}
			r.add(fmt.Sprintf("fmov %s, #%.18e", named(V0+5, size), v), func() { r.FmovImm(size, V0+5, imm) })
		}
	}
	r.memory()
	r.vectors()
	r.jumps()
	r.add("nop", r.Nop)
}

// floatOfImm returns the float that eight bits of an instruction mean.
func floatOfImm(x uint8) float64 {
	e := int(x >> 4 & 7)
	if e < 4 {
		e += 8
	}
	v := math.Ldexp(1+float64(x&15)/16, e-7)
	if x&0x80 != 0 {
		v = -v
	}
	return v
}

func (r *recorder) memory() {
	for op := range NumMemOps {
		row := &memRows[op]
		size, regs := S64, someInts
		switch op {
		case LDRB, LDRH, LDRW, STRB, STRH, STRW, LDRS, STRS:
			size = S32
		}
		if op >= LDRS {
			regs = someFloats
		}
		name := func(t Reg) string {
			if op == LDRQ || op == STRQ {
				return fmt.Sprintf("q%d", t-V0)
			}
			return named(t, size)
		}
		for i, t := range regs {
			base, index := someInts[(i+1)%6], someInts[(i+3)%7]
			for _, d := range []int32{0, 1 << row.log, 3 << row.log, 4095 << row.log, 1, 255, -1, -256, 255 << row.log} {
				if !reaches(op, d) {
					continue
				}
				text := row.name
				if !scaledDisp(row.log, d) {
					text = strings.Replace(strings.Replace(text, "ldr", "ldur", 1), "str", "stur", 1)
				}
				text = fmt.Sprintf("%s %s, [%s, #%d]", text, name(t), named(base, S64), d)
				if d == 0 {
					text = fmt.Sprintf("%s %s, [%s]", row.name, name(t), named(base, S64))
				}
				r.add(text, func() { r.Mem(op, t, At(base, d)) })
			}
			r.add(fmt.Sprintf("%s %s, [%s, %s]", row.name, name(t), named(base, S64), named(index, S64)), func() { r.Mem(op, t, Mem{Base: base, Index: index}) })
			if row.log > 0 {
				r.add(fmt.Sprintf("%s %s, [%s, %s, lsl #%d]", row.name, name(t), named(base, S64), named(index, S64), row.log),
					func() { r.Mem(op, t, Mem{Base: base, Index: index, Shift: row.log}) })
			}
			if t == base {
				continue
			}
			for _, d := range []int32{8, -8, 255, -256} {
				r.add(fmt.Sprintf("%s %s, [%s, #%d]!", row.name, name(t), named(base, S64), d), func() { r.MemPre(op, t, base, d) })
				r.add(fmt.Sprintf("%s %s, [%s], #%d", row.name, name(t), named(base, S64), d), func() { r.MemPost(op, t, base, d) })
			}
		}
	}
	for op := range NumPairOps {
		row := &pairRows[op]
		name := func(t Reg) string {
			switch row.log {
			case 4:
				return fmt.Sprintf("q%d", t-V0)
			}
			return named(t, S64)
		}
		regs := someInts
		if op >= LDPD {
			regs = someFloats
		}
		for i, t := range regs {
			u, base := regs[(i+1)%len(regs)], someInts[(i+2)%6]
			for _, d := range []int32{0, 1 << row.log, 63 << row.log, -1 << row.log, -64 << row.log} {
				text := fmt.Sprintf("%s %s, %s, [%s, #%d]", row.name, name(t), name(u), named(base, S64), d)
				if d == 0 {
					text = fmt.Sprintf("%s %s, %s, [%s]", row.name, name(t), name(u), named(base, S64))
				}
				r.add(text, func() { r.Pair(op, t, u, base, d) })
			}
		}
	}
}

// vectorTexts are the operands of vector operations: %d, %n and %m are numbers.
var vectorTexts = map[Op]string{
	CNT8B: "cnt v%d.8b, v%n.8b", ADDV8B: "addv b%d, v%n.8b", CMEQ16B: "cmeq v%d.16b, v%n.16b, v%m.16b",
	ORR16B: "orr v%d.16b, v%n.16b, v%m.16b", SUB16B: "sub v%d.16b, v%n.16b, v%m.16b", ADD4S: "add v%d.4s, v%n.4s, v%m.4s",
	UADDLP16B: "uaddlp v%d.8h, v%n.16b",
	UADALP8H:  "uadalp v%d.4s, v%n.8h", ADDV4S: "addv s%d, v%n.4s", DUP16B: "dup v%d.16b, w%n", MOVI0: "movi v%d.2d, #0x0",
	SHRN4: "shrn v%d.8b, v%n.8h, #4", USHR4: "ushr v%d.16b, v%n.16b, #4", AND16B: "and v%d.16b, v%n.16b, v%m.16b",
	EOR16B: "eor v%d.16b, v%n.16b, v%m.16b", UQSUB16B: "uqsub v%d.16b, v%n.16b, v%m.16b", UMAXV16B: "umaxv b%d, v%n.16b",
	TBL16B: "tbl v%d.16b, {v%n.16b}, v%m.16b", EXT13: "ext v%d.16b, v%n.16b, v%m.16b, #13",
	EXT14: "ext v%d.16b, v%n.16b, v%m.16b, #14", EXT15: "ext v%d.16b, v%n.16b, v%m.16b, #15",
	REV32B: "rev32 v%d.16b, v%n.16b", SHA256H: "sha256h q%d, q%n, v%m.4s",
	SHA256H2: "sha256h2 q%d, q%n, v%m.4s", SHA256SU0: "sha256su0 v%d.4s, v%n.4s", SHA256SU1: "sha256su1 v%d.4s, v%n.4s, v%m.4s",
}

func (r *recorder) vectors() {
	for op := CNT8B; op < NumOps; op++ {
		someOf(someFloats, func(d, n, m Reg) {
			if op == MOVI0 {
				n = V0
			}
			text := vectorTexts[op]
			for mark, reg := range map[string]Reg{"%d": d, "%n": n, "%m": m} {
				text = strings.ReplaceAll(text, mark, fmt.Sprint(number(reg)))
			}
			if op == DUP16B && n == V31 {
				text = strings.ReplaceAll(text, "w31", "wzr")
			}
			if rows[op].rrr != 0 {
				r.add(text, func() { r.RRR(op, S32, d, n, m) })
			} else {
				r.add(text, func() { r.RR(op, S32, d, n) })
			}
		})
	}
}

// jumps records jumps to a place 8 bytes before and after them.
func (r *recorder) jumps() {
	for _, d := range []int{-8, 8} {
		for i, x := range someInts {
			near := func(text string, write func(l Label)) {
				all := r.Asm
				r.Asm = Asm{}
				l, at := r.NewLabel(), 0
				if d < 0 {
					r.Bind(l)
					r.Nop()
					r.Nop()
					at = -d
				}
				write(l)
				if d > 0 {
					r.Nop()
					r.Bind(l)
				}
				if !r.Finish() {
					panic("too far")
				}
				code := r.Buf[at : at+4]
				r.Asm = all
				r.add(fmt.Sprintf("%s.%+d", text, d), func() { r.Buf = append(r.Buf, code...) })
			}
			if i == 0 {
				near("b ", func(l Label) { r.B(l) })
				near("bl ", func(l Label) { r.Bl(l) })
				for c := EQ; c <= LE; c++ {
					near("b."+c.String()+" ", func(l Label) { r.Bcond(c, l) })
				}
			}
			for _, size := range bothSizes {
				near("cbz "+named(x, size)+", ", func(l Label) { r.Cbz(size, x, l) })
				near("cbnz "+named(x, size)+", ", func(l Label) { r.Cbnz(size, x, l) })
				near("ldr "+named(x, size)+", ", func(l Label) { r.Near(x, size, l) })
				v := someFloats[i%len(someFloats)]
				near("ldr "+named(v, size)+", ", func(l Label) { r.Near(v, size, l) })
			}
			near(fmt.Sprintf("ldr q%d, ", i), func(l Label) { r.Near(V0+Reg(i), S8, l) })
			near("adr "+named(x, S64)+", ", func(l Label) { r.Adr(x, l) })
			for _, bit := range []int{0, 31, 32, 63} {
				size := S32
				if bit > 31 {
					size = S64
				}
				near(fmt.Sprintf("tbz %s, #%d, ", named(x, size), bit), func(l Label) { r.Tbz(x, bit, l) })
				near(fmt.Sprintf("tbnz %s, #%d, ", named(x, size), bit), func(l Label) { r.Tbnz(x, bit, l) })
			}
		}
	}
	for _, x := range someInts {
		r.add("br "+named(x, S64), func() { r.Br(x) })
		r.add("blr "+named(x, S64), func() { r.Blr(x) })
	}
	r.add("ret", r.Ret)
}

// all returns all forms.
func all() []encoding {
	var r recorder
	r.operations()
	r.others()
	return r.list
}

// TestAssembler compares all forms with what GNU as writes for their texts, and for the texts into which
// golang.org/x/arch decodes them.
func TestAssembler(t *testing.T) {
	as, err := exec.LookPath("aarch64-linux-gnu-as")
	if err != nil {
		t.Skip("no aarch64-linux-gnu-as, of Debian's package binutils-aarch64-linux-gnu")
	}
	list := all()
	var text bytes.Buffer
	text.WriteString(".arch armv8-a+crc+crypto\n")
	for _, e := range all() {
		inst, err := arm64asm.Decode(binary.LittleEndian.AppendUint32(nil, e.word))
		if err != nil {
			t.Fatalf("%s: %v", e.text, err)
		}
		list = append(list, encoding{arm64asm.GNUSyntax(inst), e.word})
	}
	for _, e := range list {
		fmt.Fprintln(&text, e.text)
	}
	dir := t.TempDir()
	in, out := filepath.Join(dir, "a.s"), filepath.Join(dir, "a.o")
	if err := os.WriteFile(in, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := exec.Command(as, "-o", out, in).CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, b[:min(len(b), 4000)])
	}
	f, err := elf.Open(out)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	code, err := f.Section(".text").Data()
	if err != nil {
		t.Fatal(err)
	}
	if len(code) != 4*len(list) {
		t.Fatalf("%d bytes for %d instructions", len(code), len(list))
	}
	bad := 0
	for i, e := range list {
		if want := binary.LittleEndian.Uint32(code[4*i:]); e.word != want {
			if bad++; bad < 40 {
				t.Errorf("%s: %#08x, want %#08x", e.text, e.word, want)
			}
		}
	}
	t.Logf("%d instructions, %d wrong", len(list), bad)
}
