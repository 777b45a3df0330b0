package irtest

import "github.com/gyrvm/gyr/internal/ir"

// memory makes an access within the window or a local.
func (g *generator) memory() {
	r := g.r
	if len(g.f.Locals) > 0 && r.IntN(3) == 0 {
		g.local()
		return
	}
	t := varTypes[r.IntN(len(varTypes)-1)]
	var p *ir.Value
	off := int64(r.IntN(64))
	switch r.IntN(4) {
	case 0:
		p = g.pick(ir.Ptr)
	case 1:
		p = g.value(ir.OpPtrAdd, ir.Ptr, 0, g.value(ir.OpConst, ir.Ptr, ir.DataBase),
			g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 127)))
	default:
		i := g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 7))
		base := g.value(ir.OpConst, ir.Ptr, ir.DataBase)
		p = g.value(ir.OpPtrIdx, ir.Ptr, t.Size(), base, i)
		p.Aux2 = int64(r.IntN(2)) * 8
		if r.IntN(6) == 0 {
			p.Aux = 12
		}
		if g.traps && r.IntN(2) == 0 {
			g.effect(ir.OpBounds, int64(ir.TrapIndex), i, g.value(ir.OpConst, ir.I64, 8))
		}
		if r.IntN(2) == 0 {
			off = 0
		}
	}
	if r.IntN(3) == 0 {
		g.effect(ir.OpNilCheck, 0, p)
	}
	if r.IntN(6) == 0 {
		g.assign(p)
	}
	switch r.IntN(12) {
	case 9: // the header of a string or slice
		v := g.value(ir.OpLoad, ir.Ptr, off, p)
		g.assign(g.value(ir.OpLoad, ir.I64, off+8, p))
		g.assign(g.value(ir.OpPtrToInt, ir.I64, 0, v))
	case 10, 11: // x.f op= y
		t := []ir.Type{ir.I64, ir.I64, ir.I32, ir.I16, ir.I8, ir.F64, ir.F64, ir.F32}[r.IntN(8)]
		op := []ir.Op{ir.OpAdd, ir.OpSub}[r.IntN(2)]
		if t.IsFloat() {
			op += ir.OpFAdd - ir.OpAdd
		}
		x, y := g.value(ir.OpLoad, t, off, p), g.pick(t)
		if r.IntN(5) == 0 {
			g.step()
		}
		if r.IntN(2) == 0 {
			x, y = y, x
		}
		g.effect(ir.OpStore, off, p, g.value(op, t, 0, x, y))
	case 0, 1, 2:
		if r.IntN(4) == 0 && t == ir.I64 { // an element of an array of pointers
			g.assign(g.value(ir.OpPtrToInt, ir.I64, 0, g.value(ir.OpLoad, ir.Ptr, off, p)))
			break
		}
		v := g.value(ir.OpLoad, t, off, p)
		if t.IsInt() && t != ir.I8 && r.IntN(3) == 0 { // narrowed, extended, and used at once
			v = g.value(ir.OpTrunc, t-1, 0, v)
			w := g.value([]ir.Op{ir.OpSExt, ir.OpZExt}[r.IntN(2)], ir.I64, 0, v)
			op := []ir.Op{ir.OpMul, ir.OpMulHiU, ir.OpAdd, ir.OpShrU}[r.IntN(4)]
			g.assign(g.value(op, ir.I64, 0, g.pick(ir.I64), w))
			if r.IntN(2) == 0 {
				g.assign(w)
			}
			t--
		}
		g.assign(v)
		if t.IsInt() && t != ir.I64 && r.IntN(2) == 0 {
			g.assign(g.value(ir.OpZExt, ir.I64, 0, v))
		}
	case 3, 4, 5:
		g.effect(ir.OpStore, off, p, g.pick(t))
	case 6:
		q := g.pick(ir.Ptr)
		if r.IntN(2) == 0 {
			g.effect(ir.OpMove, int64([]int{8, 16, 24, 32, 5, 40, 1}[r.IntN(7)]), p, q)
		} else {
			g.effect(ir.OpMoveN, 0, p, q, g.small())
		}
	case 7:
		if r.IntN(2) == 0 {
			g.effect(ir.OpClear, int64([]int{8, 16, 3, 40, 64}[r.IntN(5)]), p)
		} else {
			g.effect(ir.OpClearN, 0, p, g.small())
		}
	default:
		q := g.pick(ir.Ptr)
		switch r.IntN(3) {
		case 0:
			g.assign(g.value(ir.OpMemEq, ir.I8, 0, p, q, g.small()))
		case 1:
			g.assign(g.value(ir.OpMemCmp, ir.I64, 0, p, g.small(), q, g.small()))
		default:
			g.assign(g.value(ir.OpIndexByte, ir.I64, 0, p, g.small(), g.pick(ir.I64)))
		}
	}
}

// newLocals gives the function arrays of zeros. Their addresses do not escape.
func (g *generator) newLocals() {
	for range g.r.IntN(4) {
		size := int64(8) << g.r.IntN(4)
		l := g.f.AddLocal(ir.Local{Size: size, Align: 8})
		g.effect(ir.OpClear, size, g.value(ir.OpLocalAddr, ir.Ptr, l))
	}
}

// place returns the address of an element of a local, as a base and an offset. An element of size
// bytes fits there.
func (g *generator) place(size int64) (p *ir.Value, off int64) {
	r := g.r
	n := r.IntN(len(g.f.Locals))
	most := g.f.Locals[n].Size / size
	p = g.value(ir.OpLocalAddr, ir.Ptr, int64(n))
	if r.IntN(2) == 0 {
		return p, size * int64(r.IntN(int(most)))
	}
	i := g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, most-1))
	return g.value(ir.OpPtrIdx, ir.Ptr, size, p, i), 0
}

// local makes an access within a local.
func (g *generator) local() {
	r := g.r
	t := varTypes[r.IntN(len(varTypes)-1)]
	p, off := g.place(t.Size())
	switch r.IntN(10) {
	case 0, 1, 2, 3:
		g.assign(g.value(ir.OpLoad, t, off, p))
	case 4, 5, 6:
		g.effect(ir.OpStore, off, p, g.pick(t))
	case 7: // a[i]++
		if t.IsInt() {
			x := g.value(ir.OpLoad, t, off, p)
			g.effect(ir.OpStore, off, p, g.value(ir.OpAdd, t, 0, x, g.value(ir.OpConst, t, 1)))
		}
	case 8: // from or to the window, or another local
		n := t.Size()
		p = g.value(ir.OpPtrAdd, ir.Ptr, 0, p, g.value(ir.OpConst, ir.I64, off))
		q := g.value(ir.OpConst, ir.Ptr, ir.DataBase+n*int64(r.IntN(8)))
		if r.IntN(2) == 0 {
			q, off = g.place(n)
			q = g.value(ir.OpPtrAdd, ir.Ptr, 0, q, g.value(ir.OpConst, ir.I64, off))
		}
		if r.IntN(2) == 0 {
			p, q = q, p
		}
		g.effect(ir.OpMove, n, p, q)
	case 9: // the whole local
		n := r.IntN(len(g.f.Locals))
		g.effect(ir.OpClear, g.f.Locals[n].Size, g.value(ir.OpLocalAddr, ir.Ptr, int64(n)))
	}
}

func (g *generator) small() *ir.Value {
	return g.value(ir.OpAnd, ir.I64, 0, g.pick(ir.I64), g.value(ir.OpConst, ir.I64, 31))
}
