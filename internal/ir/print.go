package ir

import (
	"bufio"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"sort"
	"strconv"
	"strings"
)

// The text form of the IR is both the language of the tests and a debugging
// tool: what [Print] writes, [ParseModule] reads back. One operation a line:
//
//	func @main.f #3 (i64, ptr) -> (i64) flags noinline {
//	  local 0 "x" size 16 align 8 ptrs 0x1
//	b0:
//	  v1 = arg i64 [0]
//	  v2 = arg ptr [1]
//	  gas [5]
//	  store v2 v1 [8]
//	  v3 = call i64 @main.g v1 v2 : (i64, ptr) -> (i64)
//	  v4 = lts i8 v1 v3
//	  if v4 b1 b2 likely
//	b1: <- b0
//	  ret v3
//	b2: <- b0
//	  unreachable
//	}
//
// Operands come first, then the numbers of Aux and Aux2 in brackets, then the extra operands of
// calls, then the position as !number. Operations without a result show no number, and get new ones
// when they are read. Predecessors are in the order of phi operands. Function names with blanks or
// quotes are quoted; a number after a name (@f#3) distinguishes functions of equal names.

var flagNames = []struct {
	flag FuncFlags
	name string
}{
	{NoInline, "noinline"},
	{Wrapper, "wrapper"},
	{HasDefer, "hasdefer"},
	{HasRecover, "hasrecover"},
	{NoReturn, "noreturn"},
	{Runtime, "runtime"},
	{NoPreempt, "nopreempt"},
	{MakeFuncStub, "makefuncstub"},
	{AnySignature, "anysignature"},
	{NoEscape, "noescape"},
	{Unsafe, "unsafe"},
	{ByName, "byname"},
	{Measured, "measured"},
	{InlineMore, "inlinemore"},
}

// A Printer writes the text form.
type Printer struct {
	Positions bool // write the positions of operations (needed to read a module back whole)

	twins map[string]bool // names that several functions have
}

// String returns the text form of f, without positions.
func (f *Func) String() string {
	var b strings.Builder
	(&Printer{}).Func(&b, f)
	return b.String()
}

// Print writes the whole module with everything that it holds.
func Print(w io.Writer, m *Module) error {
	return (&Printer{Positions: true}).Module(w, m)
}

// Module writes a module: its tables, then its functions in order of their index. The base's part
// is written as if it were the module's own.
func (p *Printer) Module(w io.Writer, m *Module) error {
	bw := bufio.NewWriter(w)
	p.setModule(m)
	sites, pos, err := m.lines()
	if err != nil {
		return err
	}
	for i, name := range m.Files {
		fmt.Fprintf(bw, "file %d %s\n", i, strconv.Quote(name))
	}
	for i, s := range sites {
		if i > 0 {
			fmt.Fprintf(bw, "site %d func %d file %d line %d\n", i, s.Func, s.File, s.Line)
		}
	}
	for i, e := range pos {
		if i > 0 {
			fmt.Fprintf(bw, "pos %d site %d parent %d\n", i, e.Site, e.Parent)
		}
	}
	for i, l := range m.Layouts {
		if i > 0 {
			fmt.Fprintf(bw, "layout %d size %d%s\n", i, l.Size, ptrsString(l.Ptrs))
		}
	}
	for _, r := range m.Roots {
		fmt.Fprintf(bw, "root 0x%x layout %d count %d\n", r.Addr, r.Layout, r.Count)
	}
	addrs := make([]uint32, 0, len(m.TypeLayouts))
	for b := m; b != nil; b = b.Base {
		for a := range b.TypeLayouts {
			addrs = append(addrs, a)
		}
	}
	sort.Slice(addrs, func(i, j int) bool { return addrs[i] < addrs[j] })
	for _, a := range addrs {
		l, _ := m.TypeLayout(a)
		fmt.Fprintf(bw, "typelayout 0x%x %d\n", a, l)
	}
	for i := range m.Primitives {
		fmt.Fprintf(bw, "host %d %s %s\n", i, strconv.Quote(m.Primitives[i].Name), sigString(&m.Primitives[i].Sig))
	}
	if err := m.LoadShapes(); err != nil {
		return err
	}
	for i, s := range m.Shapes {
		if s == nil {
			fmt.Fprintf(bw, "shape %d nil\n", i)
			continue
		}
		byRef := make([]int32, len(s.ByRef))
		for i, r := range s.ByRef {
			if r {
				byRef[i] = 1
			}
		}
		fmt.Fprintf(bw, "shape %d %s offsets %s byref %s sizes %s ret %d size %d", i, sigString(&s.Sig),
			intsString(s.Offsets), intsString(byRef), intsString(s.Sizes), s.RetOff, s.Size)
		if s.Unpack != 0 {
			fmt.Fprintf(bw, " unpack %s", p.funcRef(m.Func(int(s.Unpack))))
		}
		if s.Pack != 0 {
			fmt.Fprintf(bw, " pack %s", p.funcRef(m.Func(int(s.Pack))))
		}
		bw.WriteByte('\n')
	}
	if m.Entry != nil {
		fmt.Fprintf(bw, "entry %s\n", p.funcRef(m.Entry))
	}
	names := make([]string, 0, len(m.Runtime))
	for n := range m.Runtime {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		if m.Runtime[n] != nil {
			fmt.Fprintf(bw, "runtime %s %s\n", strconv.Quote(n), p.funcRef(m.Runtime[n]))
		}
	}
	for _, in := range m.Inits {
		fmt.Fprintf(bw, "init %s %s closure 0x%x", strconv.Quote(in.Path), p.funcRef(in.Func), in.Closure)
		if in.Std {
			fmt.Fprintf(bw, " std deps %s", intsString(in.Deps))
		}
		bw.WriteByte('\n')
	}
	if err := m.LoadData(); err != nil {
		return err
	}
	if len(m.Data) > 0 {
		printData(bw, m.Data)
	}
	if m.BSS != 0 {
		fmt.Fprintf(bw, "bss %d\n", m.BSS)
	}
	for _, f := range m.Funcs() {
		if f != nil {
			bw.WriteByte('\n')
			p.fn(bw, f)
		}
	}
	return bw.Flush()
}

// Func writes one function.
func (p *Printer) Func(w io.Writer, f *Func) error {
	bw := bufio.NewWriter(w)
	p.fn(bw, f)
	return bw.Flush()
}

func (p *Printer) setModule(m *Module) {
	p.twins = map[string]bool{}
	seen := map[string]bool{}
	for _, f := range m.Funcs() {
		if f == nil {
			continue
		}
		if seen[f.Name] {
			p.twins[f.Name] = true
		}
		seen[f.Name] = true
	}
}

func (p *Printer) fn(bw *bufio.Writer, f *Func) {
	keyword := "func"
	if f.Entry == nil && len(f.Blocks) == 0 {
		keyword = "declare"
	}
	fmt.Fprintf(bw, "%s @%s #%d %s", keyword, quoteName(f.Name), f.Index, sigString(&f.Sig))
	if f.Flags != 0 {
		bw.WriteString(" flags ")
		bw.WriteString(f.Flags.String())
	}
	if f.Shape != 0 {
		fmt.Fprintf(bw, " shape %d", f.Shape-1)
	}
	if p.Positions && f.Pos != 0 {
		fmt.Fprintf(bw, " !%d", f.Pos)
	}
	if keyword == "declare" {
		bw.WriteByte('\n')
		return
	}
	bw.WriteString(" {\n")
	for i := range f.Locals {
		l := &f.Locals[i]
		fmt.Fprintf(bw, "  local %d %s size %d align %d%s\n", i, strconv.Quote(l.Name), l.Size, l.Align, ptrsString(l.Ptrs))
	}
	if f.Recover != nil {
		fmt.Fprintf(bw, "  recover b%d\n", f.Recover.ID)
	}
	for _, b := range f.Blocks {
		if b == nil {
			bw.WriteString("b?:\n")
			continue
		}
		fmt.Fprintf(bw, "b%d:", b.ID)
		for i, pr := range b.Preds {
			if i == 0 {
				bw.WriteString(" <-")
			}
			bw.WriteByte(' ')
			bw.WriteString(blockName(pr))
		}
		bw.WriteByte('\n')
		for _, v := range b.Values {
			bw.WriteString("  ")
			p.value(bw, v)
			bw.WriteByte('\n')
		}
		bw.WriteString("  ")
		p.terminator(bw, b)
		bw.WriteByte('\n')
	}
	bw.WriteString("}\n")
}

// LongString returns the operation as a line of the text form.
func (v *Value) LongString() string {
	var b strings.Builder
	bw := bufio.NewWriter(&b)
	(&Printer{}).value(bw, v)
	bw.Flush()
	return b.String()
}

// String returns the name of the operation's result, v and its number.
func (v *Value) String() string {
	if v == nil {
		return "v?"
	}
	return "v" + strconv.Itoa(int(v.ID))
}

// String returns the block's name, b and its number.
func (b *Block) String() string { return blockName(b) }

// TerminatorString returns the block's end as a line of the text form.
func (b *Block) TerminatorString() string {
	var sb strings.Builder
	bw := bufio.NewWriter(&sb)
	(&Printer{}).terminator(bw, b)
	bw.Flush()
	return sb.String()
}

func (p *Printer) value(bw *bufio.Writer, v *Value) {
	if v == nil {
		bw.WriteString("v? = nil")
		return
	}
	if v.Type != Void {
		fmt.Fprintf(bw, "v%d = ", v.ID)
	}
	bw.WriteString(v.Op.String())
	if v.Type != Void {
		bw.WriteByte(' ')
		bw.WriteString(v.Type.String())
	}
	if v.Op >= NumOps {
		return
	}
	if v.Op == OpCall {
		bw.WriteByte(' ')
		bw.WriteString(p.funcRef(v.Fn))
	}
	for _, a := range v.Args {
		bw.WriteByte(' ')
		bw.WriteString(a.String())
	}
	info := &Ops[v.Op]
	switch {
	case v.Op == OpConst:
		bw.WriteByte(' ')
		bw.WriteString(constString(v))
	case v.Op == OpBounds || v.Op == OpCheck:
		if v.Aux >= 0 && v.Aux < int64(NumTraps) {
			fmt.Fprintf(bw, " [%s]", Traps[v.Aux].Name)
		} else {
			fmt.Fprintf(bw, " [%d]", v.Aux)
		}
	case info.Aux == "" || v.Op == OpMoveN && v.Aux2 == 0:
	case (v.Op == OpMove || v.Op == OpGas) && v.Aux2 == 0:
		fmt.Fprintf(bw, " [%d]", v.Aux)
	case strings.Contains(info.Aux, ","):
		fmt.Fprintf(bw, " [%d, %d]", v.Aux, v.Aux2)
	default:
		fmt.Fprintf(bw, " [%d]", v.Aux)
	}
	if info.Effects&IsCall != 0 && v.Sig != nil {
		bw.WriteString(" : ")
		bw.WriteString(sigString(v.Sig))
	}
	if v.Shape != 0 {
		fmt.Fprintf(bw, " shape %d", v.Shape-1)
	}
	if p.Positions && v.Pos != 0 {
		fmt.Fprintf(bw, " !%d", v.Pos)
	}
}

func (p *Printer) terminator(bw *bufio.Writer, b *Block) {
	succ := func(i int) string {
		if i < len(b.Succs) {
			return blockName(b.Succs[i])
		}
		return "b?"
	}
	switch b.Kind {
	case BlockJump:
		bw.WriteString("jump " + succ(0))
	case BlockIf:
		fmt.Fprintf(bw, "if %s %s %s", b.Ctrl, succ(0), succ(1))
		switch {
		case b.Likely > 0:
			bw.WriteString(" likely")
		case b.Likely < 0:
			bw.WriteString(" unlikely")
		}
	case BlockSwitch:
		fmt.Fprintf(bw, "switch %s", b.Ctrl)
		for i, c := range b.Cases {
			fmt.Fprintf(bw, " %d: %s", c, succ(i))
		}
		bw.WriteString(" default " + succ(len(b.Cases)))
	case BlockReturn:
		bw.WriteString("ret")
		for _, r := range b.Rets {
			bw.WriteByte(' ')
			bw.WriteString(r.String())
		}
	case BlockUnreachable:
		bw.WriteString("unreachable")
	default:
		bw.WriteString("invalid")
	}
	if p.Positions && b.Pos != 0 {
		fmt.Fprintf(bw, " !%d", b.Pos)
	}
}

// String spells the flags as the text form does.
func (fl FuncFlags) String() string {
	var names []string
	for _, n := range flagNames {
		if fl&n.flag != 0 {
			names = append(names, n.name)
			fl &^= n.flag
		}
	}
	if fl != 0 {
		names = append(names, fmt.Sprintf("0x%x", uint32(fl)))
	}
	return strings.Join(names, ",")
}

// String spells the signature as the text form does: (i64, ptr) -> (i64).
func (s *Sig) String() string { return sigString(s) }

func sigString(s *Sig) string {
	var b strings.Builder
	list := func(ts []Type) {
		b.WriteByte('(')
		for i, t := range ts {
			if i > 0 {
				b.WriteString(", ")
			}
			b.WriteString(t.String())
		}
		b.WriteByte(')')
	}
	list(s.Params)
	b.WriteString(" -> ")
	list(s.Results)
	return b.String()
}

func (p *Printer) funcRef(f *Func) string {
	if f == nil {
		return "@?"
	}
	s := "@" + quoteName(f.Name)
	if p.twins[f.Name] {
		s += "#" + strconv.Itoa(int(f.Index))
	}
	return s
}

func quoteName(name string) string {
	if name == "" || strings.ContainsAny(name, " \t\r\n\"#") || !strconv.CanBackquote(name) {
		return strconv.Quote(name)
	}
	return name
}

func blockName(b *Block) string {
	if b == nil {
		return "b?"
	}
	return "b" + strconv.Itoa(int(b.ID))
}

// constString spells a constant: integers in decimal, floats in decimal if that is exact, else
// their bits.
func constString(v *Value) string {
	switch v.Type {
	case F64:
		x := math.Float64frombits(uint64(v.Aux))
		if x == x && !math.IsInf(x, 0) {
			return floatString(x, 64)
		}
		return fmt.Sprintf("bits:0x%x", uint64(v.Aux))
	case F32:
		x := math.Float32frombits(uint32(v.Aux))
		if v.Aux == int64(uint32(v.Aux)) && x == x && !math.IsInf(float64(x), 0) {
			return floatString(float64(x), 32)
		}
		return fmt.Sprintf("bits:0x%x", uint64(v.Aux))
	case Ptr:
		if v.Aux > 0 {
			return fmt.Sprintf("0x%x", v.Aux)
		}
	}
	return strconv.FormatInt(v.Aux, 10)
}

func floatString(x float64, bits int) string {
	s := strconv.FormatFloat(x, 'g', -1, bits)
	if !strings.ContainsAny(s, ".e") {
		s += ".0"
	}
	return s
}

func ptrsString(ptrs []uint64) string {
	var b strings.Builder
	for i, p := range ptrs {
		if i == 0 {
			b.WriteString(" ptrs ")
		} else {
			b.WriteByte(',')
		}
		fmt.Fprintf(&b, "0x%x", p)
	}
	return b.String()
}

func intsString(xs []int32) string {
	if len(xs) == 0 {
		return "-"
	}
	var b strings.Builder
	for i, x := range xs {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(strconv.Itoa(int(x)))
	}
	return b.String()
}

// printData writes the data segment, 32 bytes a line, without lines of zeros.
func printData(bw *bufio.Writer, data []byte) {
	fmt.Fprintf(bw, "data %d\n", len(data))
	for off := 0; off < len(data); off += 32 {
		line := data[off:min(off+32, len(data))]
		zero := true
		for _, c := range line {
			if c != 0 {
				zero = false
				break
			}
		}
		if !zero {
			fmt.Fprintf(bw, "  0x%x %s\n", DataBase+off, hex.EncodeToString(line))
		}
	}
}
