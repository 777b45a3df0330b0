package amd64

import (
	"fmt"
	"strings"
	"testing"

	"golang.org/x/arch/x86/x86asm"
)

// decode returns the instructions of a buffer as text in the decoder's own
// notation, normalised.
func decode(t *testing.T, code []byte) []string {
	t.Helper()
	var out []string
	for len(code) > 0 {
		in, err := x86asm.Decode(code, 64)
		if err != nil {
			t.Fatalf("% x: %v", code, err)
		}
		s := strings.ToLower(in.Op.String())
		for _, p := range in.Prefix {
			if p == x86asm.PrefixREP && (in.Op == x86asm.MOVSB || in.Op == x86asm.STOSB) {
				s = "rep " + s
			}
		}
		var args []string
		for _, x := range in.Args {
			if x == nil {
				break
			}
			if k, ok := x.(x86asm.Imm); ok {
				args = append(args, immediate(int64(k), bytesOf(&in)))
				continue
			}
			args = append(args, argument(x))
		}
		if len(args) > 0 {
			s += " " + strings.Join(args, ", ")
		}
		out = append(out, s)
		code = code[in.Len:]
	}
	return out
}

// bytesOf returns the size of an instruction's first operand.
func bytesOf(in *x86asm.Inst) int {
	if r, ok := in.Args[0].(x86asm.Reg); ok {
		switch {
		case r < x86asm.AX:
			return 1
		case r < x86asm.EAX:
			return 2
		case r < x86asm.RAX:
			return 4
		}
		return 8
	}
	return in.MemBytes
}

// immediate shows a number as n bytes hold it.
func immediate(x int64, n int) string {
	if n == 0 {
		n = 8
	}
	return fmt.Sprintf("%#x", uint64(x)<<(64-8*n)>>(64-8*n))
}

func argument(x x86asm.Arg) string {
	switch x := x.(type) {
	case x86asm.Reg:
		return register(x)
	case x86asm.Mem:
		m := Mem{Index: NoReg, Base: NoReg, Scale: x.Scale, Disp: int32(x.Disp)}
		if x.Base != 0 {
			m.Base = number(x.Base)
		}
		if x.Index != 0 {
			m.Index = number(x.Index)
		}
		return m.String()
	case x86asm.Rel:
		return fmt.Sprintf("rel%+d", int32(x))
	}
	return x.String()
}

func (m Mem) String() string {
	s := "[" + named(m.Base)
	if m.Index != NoReg {
		s += fmt.Sprintf("+%s*%d", named(m.Index), m.Scale)
	}
	if m.Disp != 0 || m.Base == RIP {
		s += fmt.Sprintf("%+#x", m.Disp)
	}
	return s + "]"
}

// named returns the name of a register of 64 bits or more.
func named(r Reg) string {
	switch {
	case r == NoReg:
		return "none"
	case r == RIP:
		return "rip"
	case isXMM(r):
		return fmt.Sprintf("xmm%d", r-X0)
	}
	return name(r, S64)
}

// number returns this package's number of a 64-bit register of the decoder.
func number(r x86asm.Reg) Reg {
	switch {
	case r >= x86asm.RAX && r <= x86asm.R15:
		return Reg(r - x86asm.RAX)
	case r >= x86asm.X0 && r <= x86asm.X15:
		return X0 + Reg(r-x86asm.X0)
	case r == x86asm.RIP:
		return RIP
	}
	return 0xf0
}

func register(r x86asm.Reg) string { return strings.ToLower(r.String()) }

// name returns the decoder's name of a register at a size.
func name(r Reg, s Size) string {
	if isXMM(r) {
		return fmt.Sprintf("x%d", r-X0)
	}
	switch s {
	case S8:
		switch {
		case r >= R8:
			return fmt.Sprintf("r%db", r)
		case r >= RSP:
			return register(x86asm.SPB + x86asm.Reg(r-RSP))
		}
		return register(x86asm.AL + x86asm.Reg(r))
	case S16:
		if r >= R8 {
			return fmt.Sprintf("r%dw", r)
		}
		return register(x86asm.AX + x86asm.Reg(r))
	case S32:
		if r >= R8 {
			return fmt.Sprintf("r%dl", r)
		}
		return register(x86asm.EAX + x86asm.Reg(r))
	}
	return register(x86asm.RAX + x86asm.Reg(r))
}

// mems are memory operands of every class: each base, index, scale and width of displacement.
func mems() []Mem {
	var list []Mem
	for b := RAX; b <= R15; b++ {
		for _, d := range []int32{0, 1, -128, 127, 128, -129, 1 << 30, -1 << 31} {
			list = append(list, At(b, d))
		}
		for x := RAX; x <= R15; x++ {
			if x != RSP {
				list = append(list, At(b, int32(x)*40).Plus(x, 1<<(x%4)))
			}
		}
	}
	return list
}

func gprs() (list []Reg) {
	for r := RAX; r <= R15; r++ {
		list = append(list, r)
	}
	return list
}

func xmms() (list []Reg) {
	for r := X0; r <= X15; r++ {
		list = append(list, r)
	}
	return list
}

// A checker compares assembled with decoded instructions.
type checker struct {
	t    *testing.T
	a    Asm
	want []string
	n    int
}

func (c *checker) expect(format string, args ...any) {
	c.want = append(c.want, fmt.Sprintf(format, args...))
	c.n++
	if len(c.want) > 256 {
		c.flush()
	}
}

func (c *checker) flush() {
	c.t.Helper()
	got := decode(c.t, c.a.Buf)
	for i := range max(len(got), len(c.want)) {
		g, w := "nothing", "nothing"
		if i < len(got) {
			g = got[i]
		}
		if i < len(c.want) {
			w = c.want[i]
		}
		if g != w {
			c.t.Fatalf("instruction %d: %s, want %s", i, g, w)
		}
	}
	c.a.Reset()
	c.want = c.want[:0]
}

var intSizes = []Size{S8, S16, S32, S64}

func TestIntegers(t *testing.T) {
	c := &checker{t: t}
	all := mems()
	sizes := func(op Op) []Size {
		switch op {
		case LEA, IMUL, BSF, BSR, LZCNT, TZCNT, POPCNT:
			return []Size{S32, S64}
		}
		return intSizes
	}
	for _, op := range []Op{ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST, MOV, XCHG, IMUL, BSF, BSR, LZCNT, TZCNT, POPCNT, LEA} {
		f := &forms[op]
		for _, s := range sizes(op) {
			if op != LEA {
				for _, d := range gprs() {
					for _, r := range gprs() {
						if (op == XCHG) && (d == RAX || r == RAX) {
							continue // decoded as the short form
						}
						c.a.RR(op, s, d, r)
						if x, y := name(d, s), name(r, s); op == XCHG { // either way round
							c.expect("%s %s, %s", op, y, x)
						} else {
							c.expect("%s %s, %s", op, x, y)
						}
					}
				}
			}
			for i, m := range all {
				r := Reg(i % 16)
				if f.rm.ok && op != XCHG {
					c.a.RM(op, s, r, m)
					c.expect("%s %s, %s", op, name(r, s), m)
				}
				if f.mr.ok {
					c.a.MR(op, s, m, r)
					c.expect("%s %s, %s", op, m, name(r, s))
				}
			}
		}
	}
	c.flush()
	t.Logf("%d instructions", c.n)
}

func TestExtensions(t *testing.T) {
	c := &checker{t: t}
	for _, x := range []struct {
		op  Op
		src Size
	}{{MOVZX8, S8}, {MOVZX16, S16}, {MOVSX8, S8}, {MOVSX16, S16}, {MOVSX32, S32}} {
		for _, s := range []Size{S32, S64} {
			if x.op == MOVSX32 && s == S32 {
				continue
			}
			for _, d := range gprs() {
				for _, r := range gprs() {
					c.a.RR(x.op, s, d, r)
					c.expect("%s %s, %s", x.op, name(d, s), name(r, x.src))
				}
			}
			for i, m := range mems() {
				c.a.RM(x.op, s, Reg(i%16), m)
				c.expect("%s %s, %s", x.op, name(Reg(i%16), s), m)
			}
		}
	}
	c.flush()
}

func TestImmediates(t *testing.T) {
	c := &checker{t: t}
	values := map[Size][]int64{
		S8:  {0, 1, -1, 127, -128},
		S16: {0, 1, -1, 127, 128, -129, 32767},
		S32: {0, 1, -1, 127, 128, -129, 1<<31 - 1, -1 << 31},
		S64: {0, 1, -1, 127, 128, -129, 1<<31 - 1, -1 << 31},
	}
	// The decoder shows an immediate as encoded or extended: compare what fits the operand's
	// size.
	show := func(x int64, s Size) string { return immediate(x, 1<<s) }
	for _, op := range []Op{ADD, OR, ADC, SBB, AND, SUB, XOR, CMP, TEST, MOV} {
		for _, s := range intSizes {
			for _, x := range values[s] {
				for _, d := range gprs() {
					c.a.RI(op, s, d, x)
					c.expect("%s %s, %s", op, name(d, s), show(x, s))
				}
				for _, m := range mems() {
					c.a.MI(op, s, m, x)
					c.expect("%s %s, %s", op, m, show(x, s))
				}
			}
		}
	}
	for _, op := range []Op{SHL, SHR, SAR, ROL} {
		for _, s := range intSizes {
			for _, d := range gprs() {
				c.a.RI(op, s, d, 5)
				c.expect("%s %s, 0x5", op, name(d, s))
				c.a.R(op, s, d)
				c.expect("%s %s, cl", op, name(d, s))
			}
			c.a.MI(op, s, At(R13, 0), 3)
			c.expect("%s [r13], 0x3", op)
		}
	}
	for _, s := range []Size{S32, S64} {
		for _, d := range gprs() {
			for _, x := range []int64{3, -3, 127, 128, 100000, -100000} {
				c.a.RRI(IMUL, s, d, R9, x)
				c.expect("imul %s, %s, %s", name(d, s), name(R9, s), show(x, s))
			}
		}
	}
	c.flush()
}

func TestOneOperand(t *testing.T) {
	c := &checker{t: t}
	for _, op := range []Op{NOT, NEG, MUL1, IMUL1, DIV, IDIV, INC, DEC} {
		for _, s := range intSizes {
			for _, r := range gprs() {
				c.a.R(op, s, r)
				c.expect("%s %s", op, name(r, s))
			}
			for _, m := range mems() {
				c.a.M(op, s, m)
				c.expect("%s %s", op, m)
			}
		}
	}
	for _, r := range gprs() {
		c.a.R(JMPR, S64, r)
		c.expect("jmp %s", named(r))
		c.a.R(CALLR, S64, r)
		c.expect("call %s", named(r))
		c.a.Push(r)
		c.expect("push %s", named(r))
		c.a.Pop(r)
		c.expect("pop %s", named(r))
		c.a.Bswap(S32, r)
		c.expect("bswap %s", name(r, S32))
		c.a.Bswap(S64, r)
		c.expect("bswap %s", named(r))
		for cc := O; cc <= G; cc++ {
			c.a.Setcc(cc, r)
			c.expect("set%s %s", cc, name(r, S8))
			c.a.Cmov(cc, S64, r, R11)
			c.expect("cmov%s %s, r11", cc, named(r))
			c.a.Cmov(cc, S32, RCX, r)
			c.expect("cmov%s ecx, %s", cc, name(r, S32))
		}
		for _, x := range []int64{0, 1, 1<<32 - 1, 1 << 31} {
			c.a.MovImm(r, x)
			c.expect("mov %s, %#x", name(r, S32), x)
		}
		for _, x := range []int64{-1, -1 << 31, 1 << 32, -1 << 63, 0x123456789abcdef} {
			c.a.MovImm(r, x)
			c.expect("mov %s, %#x", named(r), uint64(x))
		}
	}
	for _, op := range []Op{RET, CDQ, CQO, UD2} {
		c.a.None(op)
		c.expect("%s", op)
	}
	c.flush()
}

func TestVectors(t *testing.T) {
	c := &checker{t: t}
	for op := MOVSS; op < VFMADD231SS; op++ {
		f := &forms[op]
		switch op {
		case MOVD, MOVDT, CVTSI2SS, CVTSI2SD, CVTTSS2SI, CVTTSD2SI, PMOVMSKB, ROUNDSS, ROUNDSD, PSHUFD:
			continue
		}
		for _, d := range xmms() {
			for _, r := range xmms() {
				c.a.RR(op, S32, d, r)
				c.expect("%s %s, %s", op, name(d, S64), name(r, S64))
			}
		}
		for i, m := range mems() {
			r := X0 + Reg(i%16)
			c.a.RM(op, S32, r, m)
			c.expect("%s %s, %s", op, name(r, S64), m)
			if f.mr.ok {
				c.a.MR(op, S32, m, r)
				c.expect("%s %s, %s", op, m, name(r, S64))
			}
		}
	}
	for _, x := range xmms() {
		for _, r := range gprs() {
			for _, s := range []Size{S32, S64} {
				q := map[Size]string{S32: "movd", S64: "movq"}[s]
				c.a.RR(MOVD, s, x, r)
				c.expect("%s %s, %s", q, name(x, s), name(r, s))
				c.a.RR(MOVDT, s, r, x)
				c.expect("%s %s, %s", q, name(r, s), name(x, s))
				for _, op := range []Op{CVTSI2SS, CVTSI2SD} {
					c.a.RR(op, s, x, r)
					c.expect("%s %s, %s", op, name(x, s), name(r, s))
				}
				for _, op := range []Op{CVTTSS2SI, CVTTSD2SI} {
					c.a.RR(op, s, r, x)
					c.expect("%s %s, %s", op, name(r, s), name(x, s))
				}
			}
			c.a.RR(PMOVMSKB, S32, r, x)
			c.expect("pmovmskb %s, %s", name(r, S32), name(x, S32))
		}
		for _, op := range []Op{ROUNDSS, ROUNDSD, PSHUFD} {
			c.a.RRI(op, S32, x, X9, 3)
			c.expect("%s %s, x9, 0x3", op, name(x, S32))
		}
	}
	c.flush()
}

func TestLabels(t *testing.T) {
	var a Asm
	top, end := a.NewLabel(), a.NewLabel()
	a.Bind(top)
	a.Jmp(end) // 5 bytes, over 2+6+5+7+2
	a.Jmp(top)
	a.Jcc(NE, end)
	a.Call(end)
	a.RM(MOVSD, S32, X3, AtLabel(end)) // 8 bytes
	a.MI(CMP, S8, AtLabel(end), 7)
	a.Bind(end)
	a.Jcc(B, top)
	a.Finish()
	got := strings.Join(decode(t, a.Buf), "; ")
	want := "jmp rel+28; jmp rel-7; jne rel+20; call rel+15; movsd_xmm x3, [rip+0x7]; cmp [rip+0x0], 0x7; jb rel-35"
	if got != want {
		t.Errorf("%s, want %s", got, want)
	}
	for n := 0; n < 30; n++ {
		a.Reset()
		a.Nop(n)
		if len(a.Buf) != n {
			t.Errorf("%d bytes of nops, want %d", len(a.Buf), n)
		}
		for _, s := range decode(t, a.Buf) {
			if !strings.HasPrefix(s, "nop") {
				t.Errorf("%s", s)
			}
		}
	}
}

func TestVEX(t *testing.T) {
	c := &checker{t: t}
	for _, op := range []Op{SHLX, SHRX, SARX, ANDN, MULX} {
		for _, s := range []Size{S32, S64} {
			for _, d := range gprs() {
				for _, r := range gprs() {
					c.a.RRR(op, s, d, r, R9)
					c.expect("%s %s, %s, %s", op, name(d, s), name(r, s), name(R9, s))
					c.a.RRR(op, s, d, RCX, r)
					c.expect("%s %s, %s, %s", op, name(d, s), name(RCX, s), name(r, s))
				}
			}
		}
	}
	for _, s := range []Size{S32, S64} {
		for _, d := range gprs() {
			c.a.RRI(RORX, s, d, R10, 7)
			c.expect("rorx %s, %s, 0x7", name(d, s), name(R10, s))
		}
	}
	for _, op := range []Op{BLSR, BLSI} {
		for _, s := range []Size{S32, S64} {
			for _, d := range gprs() {
				for _, r := range gprs() {
					c.a.RR(op, s, d, r)
					c.expect("%s %s, %s", op, name(d, s), name(r, s))
				}
			}
		}
	}
	for op := VFMADD231SS; op <= VDIVSD; op++ {
		for _, d := range xmms() {
			for _, r := range xmms() {
				c.a.RRR(op, S32, d, r, X9)
				c.expect("%s %s, %s, x9", op, name(d, S64), name(r, S64))
			}
		}
	}
	for op := VADDSS; op <= VDIVSD; op++ {
		for i, m := range mems() {
			x := X0 + Reg(i%16)
			c.a.RRM(op, S32, x, X9, m)
			c.expect("%s %s, x9, %s", op, name(x, S64), m)
		}
	}
	c.flush()
}

// TestKernelOps: operations of the kernels.
func TestKernelOps(t *testing.T) {
	c := &checker{t: t}
	for _, x := range xmms() {
		for _, y := range xmms() {
			for _, op := range []Op{PALIGNR, PBLENDW, PCLMULQDQ} {
				c.a.RRI(op, S32, x, y, 0x11)
				c.expect("%s %s, %s, 0x11", op, name(x, S32), name(y, S32))
			}
		}
		c.a.RI(PSRLDQ, S32, x, 8)
		c.expect("psrldq %s, 0x8", name(x, S32))
	}
	c.flush()
}
