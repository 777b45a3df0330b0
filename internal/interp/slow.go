package interp

import (
	"bytes"
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/profile"
	"github.com/gyrvm/gyr/internal/rt"
)

// slowOp does the instruction whose first word m.pc is behind.
func (m *Machine) slowOp() rt.Status {
	w := m.word()
	fp := pointer(m.fp)
	switch op := bytecode.OpOf(w); op {
	case bytecode.Compile:
		return m.compile(int32(w >> 32))
	case bytecode.MakeFunc:
		return m.makeFunc()
	case bytecode.Missing:
		name := "?"
		if f := m.vm.Mod.Funcs[uint32(w>>32)]; f != nil {
			name = f.Name
		}
		return m.fail("call", fmt.Errorf("function %s has no body", name))
	case bytecode.StackEnd:
		if m.cur == 1 {
			return rt.Exit
		}
		return m.fail("run", errors.New("the first function of an execution stack returned"))
	case bytecode.Host:
		return m.host(uint32(w>>32), int(bytecode.A(w)))
	case bytecode.CallFar:
		return m.callFar(w)
	case bytecode.FarReturn:
		far := (*[2]uint64)(unsafe.Add(fp, -16))
		m.fp -= uintptr(far[0]) * 8
		m.pc = uintptr(far[1])
	case bytecode.FarLoad:
		*pa(fp, w) = *(*uint64)(unsafe.Add(fp, w>>32*8))
	case bytecode.FarStore:
		*(*uint64)(unsafe.Add(fp, w>>32*8)) = ra(fp, w)
	case bytecode.Unwind:
		return m.unwind(ra(fp, w))

	case bytecode.New:
		head := m.extension()
		addr, st := m.vm.Alloc(uint32(head>>32), uint64(uint32(head))*8)
		*pa(pointer(m.fp), w) = uint64(addr)
		return st
	case bytecode.NewArray:
		e := m.extension()
		count := rb(fp, w)
		if count > 1<<32 || count*(e>>32) >= 1<<32 {
			return rt.OutOfMemory
		}
		addr, st := m.vm.Alloc(uint32(e), count*(e>>32))
		*pa(pointer(m.fp), w) = uint64(addr)
		return st
	case bytecode.EnterLocals:
		return m.pushChunk(uint32(w>>32), (*[2]uint64)(unsafe.Pointer(pa(fp, w))))
	case bytecode.LeaveLocals:
		p := (*[2]uint64)(unsafe.Pointer(pa(fp, w)))
		return m.popChunk(uint32(p[1]))

	case bytecode.Move:
		return m.move(ra(fp, w), rb(fp, w), uint64(uint32(m.extension())))
	case bytecode.MoveN:
		return m.move(ra(fp, w), rb(fp, w), rc(fp, w))
	case bytecode.Clear:
		return m.clear(ra(fp, w), uint64(uint32(m.extension())))
	case bytecode.ClearN:
		return m.clear(ra(fp, w), rb(fp, w))
	case bytecode.MemEq:
		e := m.extension()
		return m.memEq(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e)))
	case bytecode.MemCmp:
		e := m.extension()
		return m.memCmp(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e)), *slot(fp, uint16(e>>16)))
	case bytecode.MemHash:
		e := m.extension()
		return m.memHash(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e)))
	case bytecode.IndexByte:
		e := m.extension()
		return m.indexByte(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e)))

	case bytecode.FFloor64:
		*qa(fp, w) = math.Floor(fb(fp, w))
	case bytecode.FCeil64:
		*qa(fp, w) = math.Ceil(fb(fp, w))
	case bytecode.FTrunc64:
		*qa(fp, w) = math.Trunc(fb(fp, w))
	case bytecode.FMA64:
		*qa(fp, w) = math.FMA(fb(fp, w), fc(fp, w), math.Float64frombits(*slot(fp, uint16(m.extension()))))
	case bytecode.FFloor32:
		*pa(fp, w) = u32(float32(math.Floor(float64(f32(rb(fp, w))))))
	case bytecode.FCeil32:
		*pa(fp, w) = u32(float32(math.Ceil(float64(f32(rb(fp, w))))))
	case bytecode.FTrunc32:
		*pa(fp, w) = u32(float32(math.Trunc(float64(f32(rb(fp, w))))))
	case bytecode.FMA32:
		*pa(fp, w) = u32(fma32(f32(rb(fp, w)), f32(rc(fp, w)), f32(*slot(fp, uint16(m.extension())))))
	default:
		return m.fail("run", fmt.Errorf("no instruction %v", op))
	}
	return rt.OK
}

// extension reads the next word of the code.
func (m *Machine) extension() uint64 {
	e := *(*uint64)(pointer(m.pc))
	m.pc += 8
	return e
}

// fma32 rounds x*y + z once. The product of two float32 is exact in float64;
// the sum is rounded to odd there, after which rounding to float32 is right.
func fma32(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	b := math.Float64bits(s)
	if b&0x1fffffff != 0x10000000 || math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s) // not halfway between two float32
	}
	// The error of the sum (two-sum) says to which side the exact value lies.
	bb := s - p
	err := (p - (s - bb)) + (float64(z) - bb)
	switch {
	case err == 0:
	case (err > 0) == (s > 0):
		b++
	default:
		b--
	}
	return float32(math.Float64frombits(b))
}

// compile compiles a function at its first call and enters it. The stub's
// header charged nothing, and its instruction does not count: another instance may
// have called the function before.
func (m *Machine) compile(f int32) rt.Status {
	if m.tallies {
		m.tally--
	}
	back := m.cpu.Enter(profile.Compiler, "")
	_, err := m.prog.Compile(f)
	m.cpu.Leave(back)
	if err != nil {
		return m.fail("compile", err)
	}
	m.jumpTo(f)
	return m.enter()
}

// makeFunc enters the Pack function of the shape that the call site names, in
// place of the function that reflect made.
func (m *Machine) makeFunc() rt.Status {
	link := *(*uint64)(pointer(m.fp))
	_, site := m.at(uintptr(link << 16 >> 16))
	if site == nil || site.Shape <= 0 || int(site.Shape) > len(m.vm.Mod.Shapes) {
		return m.fail("call", errors.New("a function made by reflection is called from a place without a shape"))
	}
	p := m.vm.Mod.Shapes[site.Shape-1].Pack
	if p == nil {
		return m.fail("call", errors.New("shape without a Pack function"))
	}
	m.jumpTo(p.Index)
	return m.enter()
}

// callFar makes a call whose frame begins beyond the slots that a field can name.
func (m *Machine) callFar(w uint64) rt.Status {
	base := int(w >> 32)
	e := m.extension()
	if bytecode.A(w) == bytecode.FarHost {
		return m.host(uint32(e), base)
	}
	f := e
	if kind := bytecode.A(w); kind != bytecode.FarDirect {
		f = *(*uint64)(unsafe.Add(pointer(m.fp), (base+1)*8))
		if kind == bytecode.FarClosure {
			f = *(*uint64)(unsafe.Add(m.base, uint32(f)))
		}
		if f >= m.nfuncs {
			return m.badCall()
		}
		if s := uint64(*(*uint32)(unsafe.Add(m.entryOf(int32(f)), -16))); s != e && s != bytecode.AnySig {
			return m.badCall()
		}
	}
	return m.call(int32(f), base)
}

// host calls host function number i with the operands of a call at base.
func (m *Machine) host(i uint32, base int) rt.Status {
	h := &m.hosts[i]
	at := uintptr(base+2) * 8
	copy(m.args[:h.args], unsafe.Slice((*uint64)(pointer(m.fp+at)), h.args))
	back := m.cpu.Enter(profile.Runtime, h.frame)
	m.inHost = true
	st := h.fn(m.vm, &m.args)
	m.inHost = false
	m.cpu.Leave(back)
	switch st {
	case rt.OK:
		out := unsafe.Slice((*uint64)(pointer(m.fp+at)), len(h.results))
		for i, t := range h.results {
			x := m.args[i]
			switch t {
			case ir.I8:
				x = uint64(int8(x))
			case ir.I16:
				x = uint64(int16(x))
			case ir.I32:
				x = uint64(int32(x))
			case ir.Ptr, ir.F32:
				x = uint64(uint32(x))
			}
			out[i] = x
		}
		return rt.OK
	case rt.Switch:
		m.switchStack()
		return rt.OK
	}
	return st
}

// Bulk memory operations work on at most this many bytes between polls.
const piece = 64 << 10

// window is guest memory as bytes; false if it leaves the 4 GiB.
func (m *Machine) window(p, n uint64) ([]byte, bool) {
	p = uint64(uint32(p))
	if n > 1<<32-p {
		return nil, false
	}
	return unsafe.Slice((*byte)(unsafe.Add(m.base, p)), n), true
}

func (m *Machine) badRange(p, n uint64) rt.Status {
	return m.fail("memory", fmt.Errorf("%w: %d bytes at %#x", rt.ErrAddress, n, uint32(p)))
}

func (m *Machine) move(dst, src, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	d, ok1 := m.window(dst, n)
	s, ok2 := m.window(src, n)
	if !ok1 || !ok2 {
		return m.badRange(dst, n)
	}
	if n <= piece {
		copy(d, s)
		return rt.OK
	}
	up := uint32(dst) <= uint32(src)
	for n := len(d); n > 0; {
		k := min(n, piece)
		if up {
			copy(d[:k], s[:k])
			d, s = d[k:], s[k:]
		} else {
			copy(d[n-k:], s[n-k:])
			d, s = d[:n-k], s[:n-k]
		}
		if n -= k; n > 0 {
			if st := m.vm.Poll(); st != rt.OK {
				return st
			}
		}
	}
	return rt.OK
}

func (m *Machine) clear(p, n uint64) rt.Status {
	if int64(n) <= 0 {
		return rt.OK
	}
	d, ok := m.window(p, n)
	if !ok {
		return m.badRange(p, n)
	}
	for len(d) > piece {
		clear(d[:piece])
		d = d[piece:]
		if st := m.vm.Poll(); st != rt.OK {
			return st
		}
	}
	clear(d)
	return rt.OK
}

// pieces calls f for the two ranges piece by piece until it returns false.
func (m *Machine) memEq(res *uint64, p, q, n uint64) rt.Status {
	*res = 1
	if int64(n) <= 0 || uint32(p) == uint32(q) {
		return rt.OK
	}
	x, ok1 := m.window(p, n)
	y, ok2 := m.window(q, n)
	if !ok1 || !ok2 {
		return m.badRange(p, n)
	}
	for {
		k := min(len(x), piece)
		if !bytes.Equal(x[:k], y[:k]) {
			*res = 0
			return rt.OK
		}
		if x, y = x[k:], y[k:]; len(x) == 0 {
			return rt.OK
		}
		if st := m.vm.Poll(); st != rt.OK {
			return st
		}
	}
}

func (m *Machine) memCmp(res *uint64, p, n, q, l uint64) rt.Status {
	n, l = uint64(max(int64(n), 0)), uint64(max(int64(l), 0))
	x, ok1 := m.window(p, n)
	y, ok2 := m.window(q, l)
	if !ok1 || !ok2 {
		return m.badRange(p, n)
	}
	for len(x) > piece && len(y) > piece {
		if c := bytes.Compare(x[:piece], y[:piece]); c != 0 {
			*res = uint64(int64(c))
			return rt.OK
		}
		x, y = x[piece:], y[piece:]
		if st := m.vm.Poll(); st != rt.OK {
			return st
		}
	}
	*res = uint64(int64(bytes.Compare(x, y)))
	return rt.OK
}

func (m *Machine) indexByte(res *uint64, p, n, b uint64) rt.Status {
	*res = math.MaxUint64
	if int64(n) <= 0 {
		return rt.OK
	}
	x, ok := m.window(p, n)
	if !ok {
		return m.badRange(p, n)
	}
	for at := 0; ; at += piece {
		k := min(len(x)-at, piece)
		if i := bytes.IndexByte(x[at:at+k], byte(b)); i >= 0 {
			*res = uint64(at + i)
			return rt.OK
		}
		if at+k == len(x) {
			return rt.OK
		}
		if st := m.vm.Poll(); st != rt.OK {
			return st
		}
	}
}

func (m *Machine) memHash(res *uint64, p, seed, n uint64) rt.Status {
	if int64(n) <= 0 {
		n = 0
	}
	x, ok := m.window(p, n)
	if !ok {
		return m.badRange(p, n)
	}
	h := hashStart(seed, n)
	for len(x) > piece {
		h = hashBlocks(h, x[:piece])
		x = x[piece:]
		if st := m.vm.Poll(); st != rt.OK {
			return st
		}
	}
	*res = hashEnd(h, x)
	return rt.OK
}
