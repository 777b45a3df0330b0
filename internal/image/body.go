package image

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// The body of a function:
//
//	locals    count; name, size, alignment, pointer mask each
//	recovery  number of the block plus 1, or 0
//	live      optimised form: whether safepoints name sets of live locals; the sets
//	values, operands, blocks, edges: their total numbers (an edge is at
//	          both its ends)
//	blocks    for each kind and likelihood, number of values, cases, successors,
//	          predecessors, position
//	code      for each block its values, then the operands of its terminator
//
// Facts that follow from other parts are left out: types that the op table or a signature fixes,
// fixed numbers of operands, signatures of direct calls and host functions. An operand is the
// distance back from its user.

// An opForm says what is written of an operation, derived from the op table.
type opForm struct {
	typ   ir.Type // type of the result if it is fixed
	typed bool    // the result's type is written
	aux   uint8   // how many of Aux and Aux2 are written
	args  int     // operands; -1: their number is written
	call  bool    // has a signature
	first int     // calls: operands before the arguments
	late  bool    // comes after lowering: charges, keeps
	safe  bool    // a safepoint
}

var opForms = func() (t [ir.NumOps]opForm) {
	for i := range t {
		op := ir.Op(i)
		info := op.Info()
		f := &t[i]
		f.args = len(info.Args)
		switch info.Result {
		case 'v':
		case 'l':
			f.typ = ir.I64
		case 'b':
			f.typ = ir.I8
		case 'p':
			f.typ = ir.Ptr
		default:
			f.typed = true
		}
		if info.Aux != "" {
			f.aux = 1
			for _, r := range info.Aux {
				if r == ',' {
					f.aux = 2
				}
			}
		}
		switch op {
		case ir.OpGas, ir.OpGasLoop, ir.OpGasN, ir.OpGasLeft:
			f.late = true
		case ir.OpKeep:
			f.args, f.late = -1, true
		case ir.OpCheck, ir.OpPhi:
			f.args = -1
		case ir.OpCallClosure, ir.OpCallIndex:
			f.first = 1
			fallthrough
		case ir.OpCall, ir.OpHost:
			f.call, f.typed = true, false
		}
		f.safe = info.Effects&ir.Safepoint != 0
	}
	return t
}()

func (e *encoder) body(w *writer, f *ir.Func) error {
	w.uint(len(f.Locals))
	for i := range f.Locals {
		l := &f.Locals[i]
		w.string(l.Name)
		w.uvarint(uint64(l.Size))
		w.uvarint(uint64(l.Align))
		w.words(l.Ptrs)
	}
	e.nums, e.blocks = resize(e.nums, f.NumValues()), resize(e.blocks, f.NumBlocks())
	values, operands, edges := int32(0), 0, 0
	for i, b := range f.Blocks {
		edges += len(b.Succs) + len(b.Preds)
		e.blocks[b.ID] = int32(i) + 1
		for _, v := range b.Values {
			values++
			e.nums[v.ID] = values
			operands += len(v.Args)
		}
		operands += len(b.Rets)
	}
	if f.Recover == nil {
		w.uint(0)
	} else {
		w.uint(int(e.blocks[f.Recover.ID]))
	}
	live := f.LocalLive != nil
	if f.RootsFixed && e.form == Lowered {
		return fmt.Errorf("the roots are fixed")
	}
	if e.form != Lowered {
		w.bool(f.RootsFixed)
		w.uvarint(uint64(f.Size))
		w.uvarint(uint64(f.Moved))
		w.bool(live)
		if live {
			s := f.LocalLive.Sets()
			w.uint(int(s.Recover))
			w.uint(int(s.Entry))
			w.bool(s.Coarse)
			w.bool(s.All)
			w.words(s.Words)
		}
	}
	w.uint(int(values))
	w.uint(operands)
	w.uint(len(f.Blocks))
	w.uint(edges)
	pos := int64(0)
	for i, b := range f.Blocks {
		w.b = append(w.b, byte(b.Kind)|byte(b.Likely+1)<<4)
		w.uint(len(b.Values))
		if b.Kind == ir.BlockSwitch {
			w.uint(len(b.Cases))
			last := int64(0)
			for _, c := range b.Cases {
				w.varint(c - last)
				last = c
			}
		}
		if len(b.Succs) != successors(b.Kind, len(b.Cases)) {
			return fmt.Errorf("%s: %d successors", b, len(b.Succs))
		}
		for _, s := range b.Succs {
			w.varint(int64(e.blocks[s.ID]) - 1 - int64(i))
		}
		w.uint(len(b.Preds))
		for _, p := range b.Preds {
			w.varint(int64(e.blocks[p.ID]) - 1 - int64(i))
		}
		w.varint(int64(b.Pos) - pos)
		pos = int64(b.Pos)
	}
	n := int32(0)
	pos = 0
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			n++
			if err := e.value(w, b, v, n, live); err != nil {
				return fmt.Errorf("%s: %w", v.LongString(), err)
			}
			w.varint(int64(v.Pos) - pos)
			pos = int64(v.Pos)
		}
		if needsCtrl(b.Kind) != (b.Ctrl != nil) {
			return fmt.Errorf("%s: operand of the terminator", b)
		}
		if b.Ctrl != nil {
			w.varint(int64(n) + 1 - int64(e.nums[b.Ctrl.ID]))
		}
		if b.Kind == ir.BlockReturn && len(b.Rets) != len(f.Sig.Results) {
			return fmt.Errorf("%s: %d results", b, len(b.Rets))
		}
		for _, r := range b.Rets {
			w.varint(int64(n) + 1 - int64(e.nums[r.ID]))
		}
	}
	return nil
}

func (e *encoder) value(w *writer, b *ir.Block, v *ir.Value, n int32, live bool) error {
	if v.Op >= ir.NumOps {
		return fmt.Errorf("unknown operation")
	}
	f := &opForms[v.Op]
	if f.late && e.form == Lowered {
		return fmt.Errorf("%s in IR as lowered", v.Op)
	}
	w.uint(int(v.Op))
	if f.typed {
		w.b = append(w.b, byte(v.Type))
	}
	if f.aux > 0 {
		w.varint(v.Aux)
	}
	if f.aux > 1 {
		w.varint(v.Aux2)
	}
	args := f.args
	if f.call {
		if v.Sig == nil {
			return fmt.Errorf("a call without a signature")
		}
		switch v.Op {
		case ir.OpCall:
			w.uint(funcIndex(v.Fn))
		case ir.OpCallClosure:
			w.uint(e.sig(v.Sig))
			w.uint(int(v.Shape))
		case ir.OpCallIndex:
			w.uint(e.sig(v.Sig))
		}
		args = f.first + len(v.Sig.Params)
	}
	switch v.Op {
	case ir.OpPhi:
		args = len(b.Preds)
	case ir.OpCheck, ir.OpKeep:
		args = len(v.Args)
		w.uint(args)
	}
	if len(v.Args) != args {
		return fmt.Errorf("%d operands", len(v.Args))
	}
	for _, a := range v.Args {
		w.varint(int64(n) - int64(e.nums[a.ID]))
	}
	if live && f.safe {
		w.uint(int(v.Live))
	}
	return nil
}

func successors(k ir.BlockKind, cases int) int {
	switch k {
	case ir.BlockJump:
		return 1
	case ir.BlockIf:
		return 2
	case ir.BlockSwitch:
		return cases + 1
	}
	return 0
}

func needsCtrl(k ir.BlockKind) bool { return k == ir.BlockIf || k == ir.BlockSwitch }

func resize(s []int32, n int) []int32 {
	if cap(s) < n {
		return make([]int32, n)
	}
	s = s[:n]
	clear(s)
	return s
}

// Bodies decodes the bodies of one module's functions.
type Bodies struct {
	im    *Image
	m     *ir.Module
	funcs funcTable
}

// Decode decodes the body of a function of the module. Different functions may be decoded at the
// same time; nothing else may use this one meanwhile. After an error the function has no body.
func (bs *Bodies) Decode(f *ir.Func) error {
	n := int(f.Index) - bs.im.base.funcs
	if f.Module != bs.m || n < 0 || n >= bs.funcs.n {
		return formatError("function %s is not of this module", f.Name)
	}
	r := bs.funcs.record(n)
	if r.from == r.to {
		return nil // declared only
	}
	var b []byte
	if read := bs.im.late; read == nil {
		b = bs.im.sections[secBodies][r.from:r.to]
	} else {
		var err error
		if b, err = read(r.from, r.to); err != nil {
			return err
		}
	}
	d := decoder{cursor: cursor{b: b}, im: bs.im, f: f, m: bs.m}
	d.body()
	if err := d.end("function " + f.Name); err != nil {
		f.Locals, f.Entry, f.Recover, f.Blocks, f.LocalLive = nil, nil, nil, nil, nil
		return err
	}
	return nil
}

// Fresh returns a copy of a function of the module with the body in the image, whatever has become
// of the function's own.
func (bs *Bodies) Fresh(f *ir.Func) (*ir.Func, error) {
	g := &ir.Func{Name: f.Name, Index: f.Index, Sig: f.Sig, Flags: f.Flags, Pos: f.Pos, Shape: f.Shape, Module: f.Module}
	return g, bs.Decode(g)
}

// A decoder reads one body.
type decoder struct {
	cursor
	im     *Image
	m      *ir.Module
	f      *ir.Func
	values []ir.Value
	args   []*ir.Value // room for operands
	blocks []ir.Block
	ends   []*ir.Block // room for successors and predecessors
	live   bool        // safepoints name sets
}

func (d *decoder) body() {
	f := d.f
	if n := d.count(4); n > 0 {
		f.Locals = make([]ir.Local, n)
		for i := range f.Locals {
			l := &f.Locals[i]
			l.Name = d.string()
			l.Size, l.Align = d.size(), d.size()
			l.Ptrs = d.words()
		}
	}
	recovery := d.uvarint()
	var sets ir.LocalSets
	if d.im.header.Form != Lowered {
		f.RootsFixed = d.bool()
		f.Size, f.Moved = d.size(), d.size()
		if d.live = d.bool(); d.live {
			sets = ir.LocalSets{Recover: d.int32(), Entry: d.int32(), Coarse: d.bool(), All: d.bool(), Words: d.words()}
		}
	}
	values, args, blocks, edges := d.count(2), d.count(1), d.count(4), d.count(1)
	if 2*values+args+4*blocks+edges > d.left() {
		d.fail("truncated: more elements than bytes")
	}
	if recovery > uint64(blocks) {
		d.fail("recovery block out of range")
	}
	if d.err != nil {
		return
	}
	if blocks == 0 {
		d.fail("no blocks")
		return
	}
	d.values, d.args, d.blocks = make([]ir.Value, values), make([]*ir.Value, args), make([]ir.Block, blocks)
	d.ends = make([]*ir.Block, edges)
	d.edges()
	f.Blocks = make([]*ir.Block, blocks)
	n := 0
	pos := ir.Pos(0)
	for i := range d.blocks {
		b := &d.blocks[i]
		f.Blocks[i] = b
		for _, v := range b.Values {
			v.Block = b
			d.value(v, n)
			pos = d.pos(pos)
			v.Pos = pos
			n++
		}
		if needsCtrl(b.Kind) {
			b.Ctrl = d.ref(n)
		}
		if b.Kind == ir.BlockReturn {
			b.Rets = d.operands(len(f.Sig.Results), n)
		}
		if d.err != nil {
			return
		}
	}
	if len(d.args) > 0 || len(d.ends) > 0 {
		d.fail("fewer operands or edges than announced")
	}
	f.Entry = f.Blocks[0]
	if recovery > 0 {
		f.Recover = f.Blocks[recovery-1]
	}
	f.Renumber()
	if d.live && d.err == nil {
		if err := f.SetLocalLive(sets); err != nil {
			d.fail("live locals: %v", err)
		}
	}
}

// edges reads the table of blocks and gives each its values, still empty.
func (d *decoder) edges() {
	values := make([]*ir.Value, len(d.values))
	for i := range values {
		values[i] = &d.values[i]
	}
	pos := ir.Pos(0)
	for i := range d.blocks {
		b := &d.blocks[i]
		b.Func = d.f
		k := d.byte()
		b.Kind, b.Likely = ir.BlockKind(k&15), int8(k>>4)-1
		if b.Kind > ir.BlockUnreachable || b.Likely > 1 {
			d.fail("unknown kind of block")
		}
		n := d.uvarint()
		if n > uint64(len(values)) {
			d.fail("more values than announced")
			return
		}
		if n > 0 {
			b.Values, values = values[:n:n], values[n:]
		}
		if b.Kind == ir.BlockSwitch {
			b.Cases = make([]int64, d.count(1))
			last := int64(0)
			for k := range b.Cases {
				last += d.varint()
				b.Cases[k] = last
			}
		}
		b.Succs = d.edgeEnds(successors(b.Kind, len(b.Cases)), i)
		b.Preds = d.edgeEnds(d.count(1), i)
		pos = d.pos(pos)
		b.Pos = pos
		if d.err != nil {
			return
		}
	}
	if len(values) > 0 {
		d.fail("fewer values than announced")
	}
}

// edgeEnds reads n blocks at the other ends of edges of block i.
func (d *decoder) edgeEnds(n, i int) []*ir.Block {
	if n == 0 {
		return nil
	}
	if n > len(d.ends) {
		d.fail("more edges than announced")
		return nil
	}
	list := d.ends[:n:n]
	d.ends = d.ends[n:]
	for e := range list {
		k := int64(i) + d.varint()
		if k < 0 || k >= int64(len(d.blocks)) {
			d.fail("block out of range")
			return nil
		}
		list[e] = &d.blocks[k]
	}
	return list
}

func (d *decoder) pos(prev ir.Pos) ir.Pos {
	p := d.delta(int32(prev))
	if int(p) >= max(1, d.im.counts.pos) {
		d.fail("position out of range")
		return 0
	}
	return ir.Pos(p)
}

// ref reads an operand of the element with number n.
func (d *decoder) ref(n int) *ir.Value {
	k := int64(n) - d.varint()
	if k < 0 || k >= int64(len(d.values)) {
		d.fail("operand out of range")
		return nil
	}
	return &d.values[k]
}

func (d *decoder) operands(count, n int) []*ir.Value {
	if count == 0 {
		return nil
	}
	if count > len(d.args) {
		d.fail("more operands than announced")
		return nil
	}
	list := d.args[:count:count]
	d.args = d.args[count:]
	for i := range list {
		list[i] = d.ref(n)
	}
	return list
}

// value reads the operation with number n.
func (d *decoder) value(v *ir.Value, n int) {
	op := d.uvarint()
	if op >= uint64(ir.NumOps) {
		d.fail("unknown operation %d", op)
		return
	}
	v.Op = ir.Op(op)
	f := &opForms[op]
	if f.late && d.im.header.Form == Lowered {
		d.fail("%s in IR as lowered", v.Op)
		return
	}
	if v.Type = f.typ; f.typed {
		v.Type = d.typ()
	}
	if f.aux > 0 {
		v.Aux = d.varint()
	}
	if f.aux > 1 {
		v.Aux2 = d.varint()
	}
	args := f.args
	if f.call {
		d.call(v)
		if d.err != nil {
			return
		}
		if len(v.Sig.Results) > 0 {
			v.Type = v.Sig.Results[0]
		}
		args = f.first + len(v.Sig.Params)
	} else if args < 0 {
		if args = len(v.Block.Preds); v.Op != ir.OpPhi {
			args = d.count(1)
		}
	}
	v.Args = d.operands(args, n)
	if f.safe && d.live {
		v.Live = d.int32()
	}
}

func (d *decoder) typ() ir.Type {
	t := ir.Type(d.byte())
	if !t.Valid() {
		d.fail("unknown type %d", t)
	}
	return t
}

func (d *decoder) call(v *ir.Value) {
	switch v.Op {
	case ir.OpCall:
		if i := d.index(d.im.counts.funcs); i > 0 {
			v.Fn = d.m.Func(i)
			v.Sig = &v.Fn.Sig
			return
		}
		d.fail("call of no function")
	case ir.OpHost:
		if v.Aux < 0 || v.Aux >= int64(len(d.m.Primitives)) {
			d.fail("host function out of range")
			return
		}
		v.Sig = &d.m.Primitives[v.Aux].Sig
	default:
		i := d.index(len(d.im.sigs))
		if d.err != nil {
			return
		}
		v.Sig = &d.im.sigs[i]
		if v.Op == ir.OpCallClosure {
			if v.Shape = d.int32(); int(v.Shape) > d.im.counts.shapes {
				d.fail("shape out of range")
			}
		}
	}
}
