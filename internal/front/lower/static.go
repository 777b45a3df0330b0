package lower

import (
	"encoding/binary"
	"go/token"
	"go/types"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// Static initialisation. go/ssa has no static data: code fills a table, and the tables of package
// unicode alone take 80,000 instructions. So lowering a package's init function runs, at compile
// time, the instructions that need nothing from run time: variables made at a known address, stores
// of constants and of addresses, slices of whole arrays. Their effect goes into the data segment.
// The rest is lowered as code.
//
// So the effect of an instruction may come before that of earlier dynamic instructions. As in gc,
// no program can tell: the language orders initialisation by dependencies, and a location is
// written statically at most once.

// A static is the memory form of a value known at compile time.
type static []byte

// word returns the pointer that a static holds.
func (x static) word() uint32 { return uint32(binary.LittleEndian.Uint64(x)) }

func staticPtr(a uint32) static { return binary.LittleEndian.AppendUint64(nil, uint64(a)) }

// Composite values are built in local variables and then copied. Such a local
// exists only while lowering: its addresses start here, above all data.
const scratchBase = 1 << 31

type staticInit struct {
	c       *fn
	vals    map[ssa.Value]static
	able    map[ssa.Value]bool
	written map[uint32]bool
	scratch []byte
}

// staticInit runs the instructions of a package's init function that can run at compile time.
func (c *fn) staticInit() {
	s := &staticInit{c: c, vals: map[ssa.Value]static{}, able: map[ssa.Value]bool{}, written: map[uint32]bool{}}
	for _, b := range c.src.Blocks {
		if !c.runsOnce(b) {
			continue
		}
		for _, in := range b.Instrs {
			if s.run(in) {
				c.skip[in] = true
			}
		}
	}
	c.static = s.vals
}

// runsOnce reports whether a block of an init function is executed exactly once:
// it dominates every return and lies in no loop.
func (c *fn) runsOnce(b *ssa.BasicBlock) bool {
	for _, x := range c.src.Blocks {
		if len(x.Instrs) == 0 {
			continue
		}
		if _, ok := x.Instrs[len(x.Instrs)-1].(*ssa.Return); ok && x != c.src.Recover && !b.Dominates(x) {
			return false
		}
	}
	for _, p := range b.Preds {
		if b.Dominates(p) {
			return false
		}
	}
	return true
}

// can reports whether an operand's value is known at compile time.
func (s *staticInit) can(v ssa.Value) bool {
	switch v := v.(type) {
	case *ssa.Const, *ssa.Global:
		return true
	case *ssa.Function:
		return true
	case ssa.Instruction:
		ok, seen := s.able[v.(ssa.Value)]
		if !seen {
			s.able[v.(ssa.Value)] = false // a cycle is not static
			ok = s.c.runsOnce(v.Block()) && s.canInstr(v)
			s.able[v.(ssa.Value)] = ok
		}
		return ok
	}
	return false
}

func (s *staticInit) canInstr(in ssa.Instruction) bool {
	l := s.c.l
	switch in := in.(type) {
	case *ssa.Alloc:
		t := in.Type().Underlying().(*types.Pointer).Elem()
		if n := l.lay.Sizeof(t); n == 0 || n > 1<<20 {
			return false
		}
		if in.Heap {
			switch in.Comment {
			case "complit", "slicelit":
				return true // not "new": as in gc its object is on the heap, where the runtime can attach things to it
			}
			return false
		}
		return in.Comment == "complit" && s.onlyBuilt(in, in.Block())
	case *ssa.FieldAddr:
		return s.can(in.X)
	case *ssa.IndexAddr:
		pt, ok := in.X.Type().Underlying().(*types.Pointer)
		if !ok || !s.can(in.X) {
			return false
		}
		i, isConst := constInt(in.Index)
		return isConst && i >= 0 && i < pt.Elem().Underlying().(*types.Array).Len()
	case *ssa.Slice:
		_, ok := in.X.Type().Underlying().(*types.Pointer)
		if a, isAlloc := in.X.(*ssa.Alloc); isAlloc && !a.Heap {
			return false
		}
		return ok && in.Low == nil && in.High == nil && in.Max == nil && s.can(in.X)
	case *ssa.ChangeType:
		return s.can(in.X)
	case *ssa.MakeInterface:
		if k, ok := in.X.(*ssa.Const); ok && k.Value != nil {
			u, ok := k.Type().Underlying().(*types.Basic)
			return ok && u.Kind() != types.UnsafePointer
		}
		return l.directIface(in.X.Type()) && s.can(in.X)
	case *ssa.UnOp:
		return in.Op == token.MUL && isLocalBase(in.X) && s.can(in.X)
	}
	return false
}

// isLocalBase reports whether an address lies in a local variable.
func isLocalBase(v ssa.Value) bool {
	x, ok := object(v).(*ssa.Alloc)
	return ok && !x.Heap
}

// onlyBuilt reports whether a local is only filled with static values and read
// as a value, all in one block.
func (s *staticInit) onlyBuilt(addr ssa.Value, b *ssa.BasicBlock) bool {
	for _, r := range *addr.Referrers() {
		if r.Block() != b {
			return false
		}
		switch r := r.(type) {
		case *ssa.DebugRef:
		case *ssa.UnOp:
		case *ssa.Store:
			if r.Addr != addr || !s.can(r.Val) {
				return false
			}
		case *ssa.FieldAddr:
			if !s.onlyBuilt(r, b) {
				return false
			}
		case *ssa.IndexAddr:
			if _, ok := constInt(r.Index); !ok || !s.onlyBuilt(r, b) {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// value returns the static value of an operand that can have one.
func (s *staticInit) value(v ssa.Value) static {
	switch v := v.(type) {
	case *ssa.Const:
		return s.c.l.constBytes(v)
	case *ssa.Global:
		return staticPtr(s.c.l.globalAddr(v))
	case *ssa.Function:
		return staticPtr(s.c.l.funcClosure(v))
	}
	return s.vals[v]
}

// constBytes returns the memory form of a constant.
func (l *lowerer) constBytes(k *ssa.Const) static {
	f := l.flat(k.Type())
	buf := make(static, f.size)
	if k.Value == nil {
		return buf
	}
	b := builder{l: l, f: &ir.Func{}}
	b.b = b.f.NewBlock()
	for i, x := range b.constant(k) {
		for n := range f.fields[i].typ.Size() {
			buf[f.fields[i].off+n] = byte(x.Aux >> (8 * n))
		}
	}
	return buf
}

// run executes an instruction if everything that it needs is static.
func (s *staticInit) run(in ssa.Instruction) bool {
	l := s.c.l
	if st, ok := in.(*ssa.Store); ok {
		if !s.can(st.Addr) || !s.can(st.Val) {
			return false
		}
		if isBlankField(st.Addr) {
			return true
		}
		p, x := s.value(st.Addr).word(), s.value(st.Val)
		if p >= scratchBase {
			copy(s.scratch[p-scratchBase:], x)
			return true
		}
		if len(x) > 0 {
			if s.written[p] {
				return false
			}
			s.written[p] = true
			l.lay.SetBytes(p, x)
		}
		return true
	}
	v, ok := in.(ssa.Value)
	if !ok || !s.can(v) {
		return false
	}
	switch in := in.(type) {
	case *ssa.Alloc:
		t := in.Type().Underlying().(*types.Pointer).Elem()
		if in.Heap {
			s.vals[in] = staticPtr(l.lay.GlobalOf(t, ""))
			break
		}
		s.vals[in] = staticPtr(scratchBase + uint32(len(s.scratch)))
		s.scratch = append(s.scratch, make([]byte, l.lay.Sizeof(t))...)
	case *ssa.FieldAddr:
		st := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Struct)
		s.vals[in] = staticPtr(s.value(in.X).word() + uint32(l.lay.Offsets(st)[in.Field]))
	case *ssa.IndexAddr:
		at := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array)
		i, _ := constInt(in.Index)
		s.vals[in] = staticPtr(s.value(in.X).word() + uint32(i*l.lay.Sizeof(at.Elem())))
	case *ssa.Slice:
		n := in.X.Type().Underlying().(*types.Pointer).Elem().Underlying().(*types.Array).Len()
		x := staticPtr(s.value(in.X).word())
		x = binary.LittleEndian.AppendUint64(x, uint64(n))
		s.vals[in] = binary.LittleEndian.AppendUint64(x, uint64(n))
	case *ssa.ChangeType:
		s.vals[in] = s.value(in.X)
	case *ssa.MakeInterface:
		t := in.X.Type()
		data := s.value(in.X)
		if !l.directIface(t) {
			data = staticPtr(l.lay.Bytes(data, 8))
		}
		tab := uint32(0)
		if in.Type().Underlying().(*types.Interface).NumMethods() == 0 {
			tab = l.lay.Type(t)
		} else {
			tab = l.lay.Itab(in.Type(), t)
		}
		s.vals[in] = append(staticPtr(tab), data[:8]...)
	case *ssa.UnOp:
		p := s.value(in.X).word() - scratchBase
		s.vals[in] = append(static(nil), s.scratch[p:int64(p)+l.lay.Sizeof(in.Type())]...)
	}
	return true
}

// staticValue emits the constants of a static value where it is used.
func (c *fn) staticValue(t types.Type, x static) val {
	f := c.l.flat(t)
	if f.mem {
		return val{c.ptr(c.l.lay.Bytes(x, 8))}
	}
	v := make(val, len(f.fields))
	for i, fd := range f.fields {
		bits := int64(0)
		for n := range fd.typ.Size() {
			bits |= int64(x[fd.off+n]) << (8 * n)
		}
		switch fd.typ {
		case ir.F32, ir.F64, ir.Ptr:
			v[i] = c.opAux(ir.OpConst, fd.typ, bits)
		default:
			v[i] = c.iconst(fd.typ, bits)
		}
	}
	return v
}
