package ir

import (
	"cmp"
	"fmt"
	"math/bits"
	"slices"
	"strings"
)

// Limits that the verifier holds every module to.
const (
	MaxAccessOffset = 1 << 30 // of Load and Store
	MaxObject       = 1 << 31 // bytes of one object, local, move or clear
	maxFrame        = 1 << 31 // bytes of all locals of a function
	maxID           = 1 << 28
)

// Verify checks that f is well formed: operand and result types by the op table, definitions that
// dominate their uses, one phi operand per predecessor, edges that agree on both sides, and the
// rules that the op table states in words. After a nil result back ends need not check any of it.
//
// The function may come from a hostile image: nothing in it is trusted, and the module's tables
// (f.Module) are checked if they exist. Time is linear in the size of f, up to logarithms.
func Verify(f *Func) error {
	v := &verifier{f: f}
	if f == nil {
		return fmt.Errorf("ir: function is nil")
	}
	if err := v.check(); err != nil {
		return fmt.Errorf("ir: function %s: %w", f.Name, err)
	}
	return nil
}

// VerifyModule checks the tables of a module and all of its functions, except those of its base.
func VerifyModule(m *Module) error {
	if m == nil {
		return fmt.Errorf("ir: module is nil")
	}
	if err := verifyTables(m); err != nil {
		return fmt.Errorf("ir: module: %w", err)
	}
	for _, f := range m.Own() {
		if err := Verify(f); err != nil {
			return err
		}
	}
	return nil
}

func verifyTables(m *Module) error {
	if m.NumFuncs() == 0 || m.Func(0) != nil {
		return fmt.Errorf("function 0 exists")
	}
	if m.NumFuncs() > maxID {
		return fmt.Errorf("too many functions")
	}
	b := &Module{own: make([]*Func, 1)}
	if m.Base != nil {
		b = m.Base
	}
	if err := cmp.Or(m.LoadShapes(), b.LoadShapes()); err != nil {
		return err
	}
	if m.Base != nil && !continues(m, b) {
		return fmt.Errorf("the base's tables do not come first")
	}
	first := max(1, m.FirstOwn())
	for i, f := range m.Own() {
		i += first
		switch {
		case f == nil:
			return fmt.Errorf("function %d is missing", i)
		case int(f.Index) != i:
			return fmt.Errorf("function %s has number %d in place %d", f.Name, f.Index, i)
		case f.Module != m:
			return fmt.Errorf("function %s belongs to another module", f.Name)
		case f.Shape < 0 || int(f.Shape) > len(m.Shapes):
			return fmt.Errorf("function %s: shape %d out of range", f.Name, f.Shape)
		case f.Shape > 0 && m.Shapes[f.Shape-1] != nil && !m.Shapes[f.Shape-1].Sig.Equal(&f.Sig):
			return fmt.Errorf("function %s: its shape has another signature", f.Name)
		case f.Flags&(AnySignature|MakeFuncStub) != 0 && (len(f.Sig.Params)+len(f.Sig.Results) > 0 || returns(f)):
			return fmt.Errorf("function %s: it cannot be called with any signature", f.Name)
		}
	}
	there := func(i int32) bool { return i > 0 && int(i) < m.NumFuncs() }
	owns := func(f *Func) bool { return f != nil && there(f.Index) && m.Func(int(f.Index)) == f }
	if m.Entry != nil {
		if !owns(m.Entry) || len(m.Entry.Sig.Params)+len(m.Entry.Sig.Results) > 0 {
			return fmt.Errorf("bad entry function")
		}
	}
	for i := range m.Inits {
		in := &m.Inits[i]
		switch {
		case !owns(in.Func) || len(in.Func.Sig.Params)+len(in.Func.Sig.Results) > 0:
			return fmt.Errorf("initialisation of %s: bad function", in.Path)
		case i > 0 && in.Std && !m.Inits[i-1].Std:
			return fmt.Errorf("initialisation of %s: a std package behind others", in.Path)
		}
		for _, d := range in.Deps {
			if d < 0 || int(d) >= len(m.Inits) {
				return fmt.Errorf("initialisation of %s: dependency %d out of range", in.Path, d)
			}
		}
	}
	for name, f := range m.Runtime {
		if f != nil && !owns(f) {
			return fmt.Errorf("runtime function %q is not in the module", name)
		}
	}
	for _, t := range Traps {
		// Tiers call it in the middle of an operation that cannot continue.
		if f := m.Runtime[t.Func]; f != nil && (f.Sig.Key() != strings.Repeat("l", t.Args)+":" || returns(f)) {
			return fmt.Errorf("runtime function %q has another signature or returns", t.Func)
		}
	}
	for _, name := range RuntimeEntries {
		if f := m.Runtime[name]; f != nil && f.Sig.Key() != ":" {
			return fmt.Errorf("runtime function %q has another signature", name)
		}
	}
	if m.BSS < 0 || m.BSS > MaxObject || int64(m.DataSize()) > MaxObject-DataBase-m.BSS {
		return fmt.Errorf("data segment of %d and %d bytes", m.DataSize(), m.BSS)
	}
	if err := m.verifyLines(); err != nil {
		return err
	}
	for i := range m.Layouts {
		if err := verifyLayout(m.Layouts[i].Size, m.Layouts[i].Ptrs); err != nil {
			return fmt.Errorf("layout %d: %w", i, err)
		}
	}
	end := DataBase + int64(m.DataSize()) + m.BSS
	for name, a := range m.Vars {
		if int64(a) < DataBase || int64(a) > end-8 {
			return fmt.Errorf("variable %q lies outside of the data segment", name)
		}
	}
	if len(m.Layouts) > 0 && len(m.Layouts[NoPointers].Ptrs) > 0 {
		return fmt.Errorf("layout %d has pointers", NoPointers)
	}
	left := end - DataBase // roots do not overlap, so looking at all of them takes no longer than looking at the segment
	for i, r := range m.Roots {
		if r.Layout < 0 || int(r.Layout) >= max(1, len(m.Layouts)) || r.Count < 0 || r.Addr%8 != 0 || r.Addr < DataBase {
			return fmt.Errorf("root %d out of range", i)
		}
		if r.Layout > 0 && m.Layouts[r.Layout].Size*int64(r.Count) > end-int64(r.Addr) {
			return fmt.Errorf("root %d ends behind the data segment", i)
		}
		if r.Layout > 0 {
			if left -= m.Layouts[r.Layout].Size * int64(r.Count); left < 0 {
				return fmt.Errorf("roots overlap")
			}
		}
	}
	for a, l := range m.TypeLayouts {
		if l < 0 || int(l) >= max(1, len(m.Layouts)) || int64(a) < DataBase || int64(a) >= end {
			return fmt.Errorf("layout of type 0x%x out of range", a)
		}
	}
	for i := range m.Primitives {
		if !validSig(&m.Primitives[i].Sig) || len(m.Primitives[i].Sig.Params) > 16 || len(m.Primitives[i].Sig.Results) > 16 {
			return fmt.Errorf("host function %d: bad signature", i)
		}
	}
	for i, s := range m.Shapes {
		if s == nil {
			continue
		}
		n := len(s.Sig.Params) + len(s.Sig.Results)
		if !validSig(&s.Sig) || len(s.Offsets) != n || len(s.ByRef) != n || len(s.Sizes) != n || s.Size < 0 ||
			s.RetOff < 0 || s.RetOff > s.Size {
			return fmt.Errorf("shape %d: bad tables", i)
		}
		for j := range s.Offsets {
			if s.Offsets[j] < 0 || s.Sizes[j] < 0 || int64(s.Offsets[j])+int64(s.Sizes[j]) > int64(s.Size) {
				return fmt.Errorf("shape %d: scalar %d lies outside of the frame", i, j)
			}
		}
		if s.Unpack != 0 && (!there(s.Unpack) || m.Func(int(s.Unpack)).Sig.Key() != "pp:") {
			return fmt.Errorf("shape %d: bad unpack function", i)
		}
		if s.Pack != 0 && (!there(s.Pack) || !m.Func(int(s.Pack)).Sig.Equal(&s.Sig)) {
			return fmt.Errorf("shape %d: bad pack function", i)
		}
	}
	return nil
}

// verifyLines checks the positions and sites that are not the base's.
func (m *Module) verifyLines() error {
	if err := m.LoadLines(); err != nil {
		return err
	}
	sites, _ := m.NumLines()
	firstSite, firstPos := m.FirstLines()
	for k, e := range m.Pos {
		// Parents come first, so that chains end.
		i := firstPos + k
		if i > 0 && (e.Site < 0 || int(e.Site) >= max(1, sites) || e.Parent < 0 || int(e.Parent) >= i) {
			return fmt.Errorf("position %d out of range", i)
		}
	}
	for k, s := range m.Sites {
		i := firstSite + k
		if i > 0 && (s.Func < 0 || int(s.Func) >= m.NumFuncs() || s.File < 0 || int(s.File) >= max(1, len(m.Files))) {
			return fmt.Errorf("site %d out of range", i)
		}
	}
	return nil
}

// continues reports whether the tables of a base are prefixes of the module's, as far as their
// lengths and shared elements show.
func continues(m, b *Module) bool {
	if b.NumFuncs() == 0 || len(m.Shapes) < len(b.Shapes) ||
		len(m.Layouts) < len(b.Layouts) || len(m.Roots) < len(b.Roots) || len(m.Files) < len(b.Files) ||
		len(m.Primitives) < len(b.Primitives) || m.DataSize() < b.DataSize() {
		return false
	}
	return slices.Equal(b.Shapes, m.Shapes[:len(b.Shapes)])
}

// returns reports whether a block of f ends with a return.
func returns(f *Func) bool {
	for _, b := range f.Blocks {
		if b != nil && b.Kind == BlockReturn {
			return true
		}
	}
	return false
}

func verifyLayout(size int64, ptrs []uint64) error {
	if size < 0 || size > MaxObject {
		return fmt.Errorf("size %d", size)
	}
	if len(ptrs) == 0 {
		return nil
	}
	if size == 0 {
		return fmt.Errorf("pointers in nothing")
	}
	if size%8 != 0 {
		return fmt.Errorf("size %d of a layout with pointers is not a multiple of 8", size)
	}
	last := int64(len(ptrs)) - 1
	if last > size/512 {
		return fmt.Errorf("pointer map is longer than the object")
	}
	for ; last >= 0; last-- {
		if ptrs[last] != 0 {
			if word := last*64 + 63 - int64(bits.LeadingZeros64(ptrs[last])); word >= size/8 {
				return fmt.Errorf("pointer map is longer than the object")
			}
			break
		}
	}
	return nil
}

func validSig(s *Sig) bool {
	if len(s.Params) > 1<<16 || len(s.Results) > 1<<16 {
		return false
	}
	for _, t := range s.Params {
		if !t.Valid() {
			return false
		}
	}
	for _, t := range s.Results {
		if !t.Valid() {
			return false
		}
	}
	return true
}

type verifier struct {
	f     *Func
	pos   []int32 // by value ID: place in its block, from 1; 0: not in the function
	vals  []*Value
	block []*Block // by block ID
	dom   *Dom
}

func (c *verifier) check() error {
	f := c.f
	if f.Entry == nil || len(f.Blocks) == 0 || f.Blocks[0] != f.Entry {
		return fmt.Errorf("the entry is not the first block")
	}
	if !validSig(&f.Sig) {
		return fmt.Errorf("bad signature")
	}
	if f.nextValue < 0 || f.nextValue > maxID || f.nextBlock < 0 || f.nextBlock > maxID {
		return fmt.Errorf("too many values or blocks")
	}
	if err := c.locals(); err != nil {
		return err
	}
	if err := c.membership(); err != nil {
		return err
	}
	if err := c.edges(); err != nil {
		return err
	}
	c.dom = NewDom(f)
	for _, b := range f.Blocks {
		for i, v := range b.Values {
			if err := c.value(b, i, v); err != nil {
				return fmt.Errorf("%s: %s: %w", b, v.LongString(), err)
			}
		}
		if err := c.terminator(b); err != nil {
			return fmt.Errorf("%s: %s: %w", b, b.TerminatorString(), err)
		}
	}
	return nil
}

func (c *verifier) locals() error {
	total := int64(0)
	for i := range c.f.Locals {
		l := &c.f.Locals[i]
		if err := verifyLayout(l.Size, l.Ptrs); err != nil {
			return fmt.Errorf("local %d: %w", i, err)
		}
		if l.Align < 1 || l.Align > 4096 || l.Align&(l.Align-1) != 0 {
			return fmt.Errorf("local %d: alignment %d", i, l.Align)
		}
		if len(l.Ptrs) > 0 && l.Align < 8 {
			return fmt.Errorf("local %d holds pointers and has alignment %d", i, l.Align)
		}
		if total += l.Size + l.Align; total > maxFrame {
			return fmt.Errorf("the locals are too large")
		}
	}
	return nil
}

// membership checks that blocks and values belong to the function and have unique numbers, and
// records the place of each value.
func (c *verifier) membership() error {
	f := c.f
	c.block = make([]*Block, f.nextBlock)
	c.pos = make([]int32, f.nextValue)
	c.vals = make([]*Value, f.nextValue)
	for _, b := range f.Blocks {
		switch {
		case b == nil:
			return fmt.Errorf("a block is nil")
		case b.Func != f:
			return fmt.Errorf("%s belongs to another function", b)
		case b.ID < 0 || b.ID >= f.nextBlock:
			return fmt.Errorf("%s: number out of range", b)
		case c.block[b.ID] != nil:
			return fmt.Errorf("%s: number used twice", b)
		}
		c.block[b.ID] = b
		for i, v := range b.Values {
			switch {
			case v == nil:
				return fmt.Errorf("%s: a value is nil", b)
			case v.Block != b:
				return fmt.Errorf("%s: %s is marked as of another block", b, v)
			case v.ID < 0 || v.ID >= f.nextValue:
				return fmt.Errorf("%s: number out of range", v)
			case c.vals[v.ID] != nil:
				return fmt.Errorf("%s: number used twice", v)
			}
			c.vals[v.ID] = v
			c.pos[v.ID] = int32(i) + 1
		}
	}
	if f.Recover != nil {
		if !c.ownsBlock(f.Recover) || f.Recover == f.Entry {
			return fmt.Errorf("bad recovery block")
		}
		if len(f.Recover.Preds) > 0 {
			return fmt.Errorf("the recovery block has predecessors")
		}
	}
	if (f.Recover != nil) != (f.Flags&HasDefer != 0) {
		return fmt.Errorf("flag hasdefer does not agree with the recovery block")
	}
	if len(f.Entry.Preds) > 0 {
		return fmt.Errorf("the entry has predecessors")
	}
	return nil
}

func (c *verifier) ownsBlock(b *Block) bool {
	return b != nil && b.ID >= 0 && int(b.ID) < len(c.block) && c.block[b.ID] == b
}

func (c *verifier) ownsValue(v *Value) bool {
	return v != nil && v.ID >= 0 && int(v.ID) < len(c.vals) && c.vals[v.ID] == v
}

// edges checks the number of successors by kind, and that each edge is in both lists.
func (c *verifier) edges() error {
	f := c.f
	count := make([]int, f.nextBlock) // edges into a block not yet found among its predecessors
	for _, b := range f.Blocks {
		want := -1
		switch b.Kind {
		case BlockJump:
			want = 1
		case BlockIf:
			want = 2
		case BlockSwitch:
			want = len(b.Cases) + 1
		case BlockReturn, BlockUnreachable:
			want = 0
		default:
			return fmt.Errorf("%s has no end", b)
		}
		if len(b.Succs) != want {
			return fmt.Errorf("%s has %d successors, not %d", b, len(b.Succs), want)
		}
		for _, s := range b.Succs {
			if !c.ownsBlock(s) {
				return fmt.Errorf("%s has a successor of another function", b)
			}
			count[s.ID]++
		}
		if b.Kind == BlockIf && b.Succs[0] == b.Succs[1] {
			return fmt.Errorf("%s: both ways lead to the same block", b)
		}
	}
	for _, b := range f.Blocks {
		if len(b.Preds) != count[b.ID] {
			return fmt.Errorf("%s has %d predecessors, %d edges lead to it", b, len(b.Preds), count[b.ID])
		}
		for _, p := range b.Preds {
			if !c.ownsBlock(p) {
				return fmt.Errorf("%s has a predecessor of another function", b)
			}
		}
	}
	// Each side has the same number of edges; equal counts for each pair make them the same.
	return c.matchEdges()
}

func (c *verifier) matchEdges() error {
	// in[s] lists the sources of edges into s, grouped by walking blocks in order.
	f := c.f
	in := make([][]int32, f.nextBlock)
	for _, b := range f.Blocks {
		for _, s := range b.Succs {
			in[s.ID] = append(in[s.ID], b.ID)
		}
	}
	seen := make([]int32, f.nextBlock)
	for _, b := range f.Blocks {
		for _, p := range in[b.ID] {
			seen[p]++
		}
		for _, p := range b.Preds {
			seen[p.ID]--
			if seen[p.ID] < 0 {
				return fmt.Errorf("%s lists %s as predecessor more often than there are edges", b, p)
			}
		}
	}
	return nil
}

// use checks that v may be used at place i (from 1) of block b.
func (c *verifier) use(b *Block, i int32, v *Value) error {
	if !c.ownsValue(v) {
		return fmt.Errorf("operand %s is not a value of the function", v)
	}
	if v.Type == Void {
		return fmt.Errorf("operand %s has no result", v)
	}
	if v.Block == b {
		if c.pos[v.ID] >= i {
			return fmt.Errorf("operand %s is defined later", v)
		}
		return nil
	}
	if !c.dom.Dominates(v.Block, b) {
		return fmt.Errorf("%s, where operand %s is defined, does not dominate", v.Block, v)
	}
	return nil
}

func (c *verifier) value(b *Block, i int, v *Value) error {
	if v.Op <= OpInvalid || v.Op >= NumOps {
		return fmt.Errorf("unknown operation")
	}
	if v.Op == OpPhi {
		return c.phi(b, i, v)
	}
	for _, a := range v.Args {
		if err := c.use(b, int32(i)+1, a); err != nil {
			return err
		}
	}
	if err := c.types(v); err != nil {
		return err
	}
	if v.Fn != nil && v.Op != OpCall || v.Sig != nil && v.Op.Effects()&IsCall == 0 || v.Shape != 0 &&
		v.Op != OpCallClosure {
		return fmt.Errorf("call fields in another operation")
	}
	return c.meaning(b, i, v)
}

func (c *verifier) phi(b *Block, i int, v *Value) error {
	if i > 0 && b.Values[i-1].Op != OpPhi {
		return fmt.Errorf("phi behind other operations")
	}
	if !v.Type.Valid() {
		return fmt.Errorf("bad type")
	}
	if len(v.Args) != len(b.Preds) || len(v.Args) == 0 {
		return fmt.Errorf("%d operands for %d predecessors", len(v.Args), len(b.Preds))
	}
	for k, a := range v.Args {
		p := b.Preds[k]
		if err := c.use(p, int32(len(p.Values))+1, a); err != nil {
			return err
		}
		if a.Type != v.Type {
			return fmt.Errorf("operand %s has type %s", a, a.Type)
		}
		// Several edges of a switch may lead to one block: then they carry one value.
		if len(p.Succs) > 2 && k > 0 {
			for j := k - 1; j >= 0 && b.Preds[j] == p; j-- {
				if v.Args[j] != a {
					return fmt.Errorf("edges of one predecessor carry different values")
				}
				break
			}
		}
	}
	return nil
}

// types checks operands and result against the op table.
func (c *verifier) types(v *Value) error {
	info := &Ops[v.Op]
	call := v.Op.HasSig()
	switch info.Result {
	case 'v':
		if v.Type != Void {
			return fmt.Errorf("the operation has no result")
		}
	case 't':
		if !v.Type.Valid() && !(call && v.Type == Void) {
			return fmt.Errorf("bad type")
		}
	default:
		if !letterAllows(info.Result, v.Type) {
			return fmt.Errorf("bad result type")
		}
	}
	var any Type // the type that u or x or f operands share
	n := 0
	for k := 0; k < len(info.Args); k++ {
		l := info.Args[k]
		if l == '*' {
			n = len(v.Args)
			break
		}
		if n >= len(v.Args) {
			return fmt.Errorf("%d operands", len(v.Args))
		}
		t := v.Args[n].Type
		n++
		ok := false
		switch l {
		case 't':
			ok = t == v.Type
		case 'u', 'x', 'f':
			ok = letterAllows(l, t) && (any == Void || any == t)
			any = t
		default:
			ok = letterAllows(l, t)
		}
		if !ok {
			return fmt.Errorf("operand %s has type %s", v.Args[n-1], t)
		}
	}
	if n != len(v.Args) {
		return fmt.Errorf("%d operands", len(v.Args))
	}
	return nil
}

func letterAllows(l byte, t Type) bool {
	switch l {
	case 'i', 'u':
		return t.IsInt()
	case 'l':
		return t == I64
	case 'w':
		return t == I32 || t == I64
	case 'b':
		return t == I8
	case 'p':
		return t == Ptr
	case 'f':
		return t.IsFloat()
	case 's':
		return t.Valid()
	case 'x':
		return t.IsInt() || t == Ptr
	}
	return false
}

// meaning checks the rules that the op table states in words.
func (c *verifier) meaning(b *Block, i int, v *Value) error {
	f := c.f
	m := f.Module
	if v.Op.HasSig() {
		return c.call(v)
	}
	switch v.Op {
	case OpConst:
		return checkConst(v)
	case OpArg:
		if b != f.Entry {
			return fmt.Errorf("parameter outside of the entry block")
		}
		if v.Aux < 0 || v.Aux >= int64(len(f.Sig.Params)) || f.Sig.Params[v.Aux] != v.Type {
			return fmt.Errorf("no such parameter")
		}
	case OpClosure:
		if b != f.Entry {
			return fmt.Errorf("closure outside of the entry block")
		}
	case OpResult:
		return c.result(b, i, v)
	case OpSExt, OpZExt:
		if v.Args[0].Type.Size() >= v.Type.Size() {
			return fmt.Errorf("extension to a type that is not wider")
		}
	case OpTrunc:
		if v.Args[0].Type.Size() <= v.Type.Size() {
			return fmt.Errorf("truncation to a type that is not narrower")
		}
	case OpFCvt:
		if v.Args[0].Type == v.Type {
			return fmt.Errorf("conversion to the same type")
		}
	case OpBitcast:
		from := v.Args[0].Type
		if from.Size() != v.Type.Size() || from.IsFloat() == v.Type.IsFloat() || from == Ptr || v.Type == Ptr {
			return fmt.Errorf("cast from %s", from)
		}
	case OpLocalAddr:
		if v.Aux < 0 || v.Aux >= int64(len(f.Locals)) {
			return fmt.Errorf("no such local")
		}
	case OpPtrIdx:
		if v.Aux != int64(int32(v.Aux)) || v.Aux2 != int64(int32(v.Aux2)) {
			return fmt.Errorf("scale or offset out of range")
		}
	case OpLoad, OpStore:
		if v.Aux < 0 || v.Aux > MaxAccessOffset {
			return fmt.Errorf("offset out of range")
		}
	case OpMove, OpMoveN, OpClear:
		if v.Aux < 0 || v.Aux > MaxObject || v.Op == OpMoveN && v.Aux != 0 {
			return fmt.Errorf("size out of range")
		}
		if v.Aux2 != 0 && (v.Aux2 != 1 || v.Op == OpClear) {
			return fmt.Errorf("neither with nor without pointers")
		}
	case OpNew, OpNewArray:
		if v.Aux < 0 || m != nil && v.Aux >= int64(max(1, len(m.Layouts))) {
			return fmt.Errorf("no such layout")
		}
		if v.Aux2 < 0 || v.Aux2 > MaxObject {
			return fmt.Errorf("size out of range")
		}
		if v.Aux > 0 && m != nil {
			l := &m.Layouts[v.Aux]
			if len(l.Ptrs) > 0 && (l.Size == 0 || v.Aux2%8 != 0) {
				return fmt.Errorf("size does not suit the layout")
			}
		}
	case OpBounds:
		if v.Aux < 0 || v.Aux >= int64(NumTraps) || Traps[v.Aux].Args != 2 {
			return fmt.Errorf("bad trap")
		}
	case OpCheck:
		if v.Aux < 0 || v.Aux >= int64(NumTraps) || Traps[v.Aux].Args != len(v.Args)-1 {
			return fmt.Errorf("bad trap")
		}
		for _, a := range v.Args[1:] {
			if a.Type != I64 {
				return fmt.Errorf("operand %s has type %s", a, a.Type)
			}
		}
	case OpGas, OpGasLoop:
		if v.Aux < 0 || v.Aux > 1<<40 {
			return fmt.Errorf("charge out of range")
		}
		if v.Aux2 != 0 && (v.Aux2 != GasLate && v.Aux2 != GasEntry || v.Op != OpGas) {
			return fmt.Errorf("a charge is late or not")
		}
	case OpCount, OpCountIf:
		if v.Aux < 0 || m != nil && v.Aux >= int64(m.Counters) {
			return fmt.Errorf("no such counter")
		}
		if v.Aux2>>len(v.Args) != 0 {
			return fmt.Errorf("more inversions than conditions")
		}
		for _, a := range v.Args {
			if a.Type != I8 {
				return fmt.Errorf("operand %s has type %s", a, a.Type)
			}
		}
	case OpPhi:
		return fmt.Errorf("misplaced phi")
	}
	return nil
}

func checkConst(v *Value) error {
	ok := true
	switch v.Type {
	case I8:
		ok = v.Aux == int64(int8(v.Aux))
	case I16:
		ok = v.Aux == int64(int16(v.Aux))
	case I32:
		ok = v.Aux == int64(int32(v.Aux))
	case F32, Ptr:
		ok = v.Aux == int64(uint32(v.Aux))
	}
	if !ok {
		return fmt.Errorf("constant out of range of its type")
	}
	return nil
}

func (c *verifier) call(v *Value) error {
	f := c.f
	if v.Sig == nil {
		return fmt.Errorf("call without a signature")
	}
	if !validSig(v.Sig) {
		return fmt.Errorf("bad signature")
	}
	first := 0
	switch v.Op {
	case OpCall:
		if v.Fn == nil {
			return fmt.Errorf("call of no function")
		}
		if m := f.Module; m != nil && (v.Fn.Index <= 0 || int(v.Fn.Index) >= m.NumFuncs() || m.Func(int(v.Fn.Index)) != v.Fn) {
			return fmt.Errorf("the function called is not in the module")
		}
		if !v.Sig.Equal(&v.Fn.Sig) {
			return fmt.Errorf("the function called has signature %s", &v.Fn.Sig)
		}
	case OpCallClosure:
		first = 1
		if v.Shape < 0 || f.Module != nil && int(v.Shape) > f.Module.NumShapes() {
			return fmt.Errorf("no such shape")
		}
		if f.Module != nil && v.Shape > 0 {
			if s := f.Module.Shape(v.Shape); s == nil || !s.Sig.Equal(v.Sig) {
				return fmt.Errorf("the shape has another signature")
			}
		}
	case OpCallIndex:
		first = 1
	case OpHost:
		if m := f.Module; m != nil {
			if v.Aux < 0 || v.Aux >= int64(len(m.Primitives)) {
				return fmt.Errorf("no such host function")
			}
			if !v.Sig.Equal(&m.Primitives[v.Aux].Sig) {
				return fmt.Errorf("the host function has signature %s", &m.Primitives[v.Aux].Sig)
			}
		}
	}
	if len(v.Args)-first != len(v.Sig.Params) {
		return fmt.Errorf("%d arguments", len(v.Args)-first)
	}
	for k, t := range v.Sig.Params {
		if v.Args[k+first].Type != t {
			return fmt.Errorf("argument %d has type %s", k, v.Args[k+first].Type)
		}
	}
	want := Void
	if len(v.Sig.Results) > 0 {
		want = v.Sig.Results[0]
	}
	if v.Type != want {
		return fmt.Errorf("the call's type is not that of its first result")
	}
	return nil
}

// result checks that v names a result of the call before it, with only other results of that call
// between.
func (c *verifier) result(b *Block, i int, v *Value) error {
	call := v.Args[0]
	if call.Block != b || call.Sig == nil {
		return fmt.Errorf("not the result of a call in this block")
	}
	if v.Aux < 1 || v.Aux >= int64(len(call.Sig.Results)) || call.Sig.Results[v.Aux] != v.Type {
		return fmt.Errorf("no such result")
	}
	prev := b.Values[i-1]
	if prev != call && !(prev.Op == OpResult && len(prev.Args) == 1 && prev.Args[0] == call && prev.Aux < v.Aux) {
		return fmt.Errorf("not directly behind its call, in order")
	}
	return nil
}

func (c *verifier) terminator(b *Block) error {
	f := c.f
	end := int32(len(b.Values)) + 1
	switch b.Kind {
	case BlockIf, BlockSwitch:
		if b.Ctrl == nil {
			return fmt.Errorf("no operand")
		}
		if err := c.use(b, end, b.Ctrl); err != nil {
			return err
		}
		if b.Kind == BlockIf && b.Ctrl.Type != I8 || !b.Ctrl.Type.IsInt() {
			return fmt.Errorf("operand of type %s", b.Ctrl.Type)
		}
		if b.Kind == BlockSwitch {
			seen := make(map[int64]bool, len(b.Cases))
			for _, x := range b.Cases {
				if seen[x] {
					return fmt.Errorf("case %d twice", x)
				}
				seen[x] = true
			}
		}
	default:
		if b.Ctrl != nil {
			return fmt.Errorf("an operand that is not used")
		}
	}
	if b.Kind != BlockSwitch && len(b.Cases) > 0 {
		return fmt.Errorf("cases in another kind of block")
	}
	if b.Kind != BlockReturn {
		if len(b.Rets) > 0 {
			return fmt.Errorf("results in another kind of block")
		}
		return nil
	}
	if len(b.Rets) != len(f.Sig.Results) {
		return fmt.Errorf("%d results", len(b.Rets))
	}
	for k, r := range b.Rets {
		if err := c.use(b, end, r); err != nil {
			return err
		}
		if r.Type != f.Sig.Results[k] {
			return fmt.Errorf("result %d has type %s", k, r.Type)
		}
	}
	return nil
}
