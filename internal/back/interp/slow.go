package interp

import (
	"errors"
	"fmt"
	"math"
	"unsafe"

	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/profile"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// slowOp executes the instruction whose first word is just before m.pc.
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
		if f := m.VM.Mod.Func(int(uint32(w >> 32))); f != nil {
			name = f.Name
		}
		return m.Fail("call", fmt.Errorf("function %s has no body", name))
	case bytecode.StackEnd:
		if m.CurStack() == 1 {
			return m.LastLook(rt.Exit)
		}
		return m.Fail("run", errors.New("the first function of an execution stack returned"))
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
		addr, st := m.New(uint32(head>>32), uint64(uint32(head))*8)
		*pa(pointer(m.fp), w) = addr
		return m.pay(st)
	case bytecode.NewArray:
		e := m.extension()
		count := rb(fp, w)
		if count > 1<<32 || count*(e>>32) >= 1<<32 {
			return rt.OutOfMemory
		}
		addr, st := m.New(uint32(e), count*(e>>32))
		*pa(pointer(m.fp), w) = addr
		return m.pay(st)
	case bytecode.EnterLocals:
		return m.PushChunk(uint32(w>>32), (*[2]uint64)(unsafe.Pointer(pa(fp, w))))
	case bytecode.LeaveLocals:
		p := (*[2]uint64)(unsafe.Pointer(pa(fp, w)))
		return m.PopChunk(uint32(p[1]))

	case bytecode.Move:
		return m.bulk(m.Move(ra(fp, w), rb(fp, w), uint64(uint32(m.extension()))))
	case bytecode.MoveN:
		return m.bulk(m.Move(ra(fp, w), rb(fp, w), rc(fp, w)))
	case bytecode.Clear:
		return m.bulk(m.Clear(ra(fp, w), uint64(uint32(m.extension()))))
	case bytecode.ClearN:
		return m.bulk(m.Clear(ra(fp, w), rb(fp, w)))
	case bytecode.MemEq:
		e := m.extension()
		return m.bulk(m.MemEq(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e))))
	case bytecode.MemCmp:
		e := m.extension()
		return m.bulk(m.MemCmp(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e)), *slot(fp, uint16(e>>16))))
	case bytecode.MemHash:
		e := m.extension()
		return m.bulk(m.MemHash(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e))))
	case bytecode.IndexByte:
		e := m.extension()
		return m.bulk(m.IndexByte(pa(fp, w), rb(fp, w), rc(fp, w), *slot(fp, uint16(e))))

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
		*pa(fp, w) = u32(exec.FMA32(f32(rb(fp, w)), f32(rc(fp, w)), f32(*slot(fp, uint16(m.extension())))))
	default:
		return m.Fail("run", fmt.Errorf("no instruction %v", op))
	}
	return rt.OK
}

// pay calls the guest's function that charges for collections if a payment is due.
func (m *Machine) pay(st rt.Status) rt.Status {
	if st != rt.OK {
		return st
	}
	f := m.Payment()
	if f == 0 {
		return rt.OK
	}
	fc, _ := m.prog.FuncAt(m.pc)
	if fc == nil {
		return m.Fail("run", memory.ErrCorrupt)
	}
	return m.call(f, fc.Slots)
}

// extension reads the next word of the code.
func (m *Machine) extension() uint64 {
	e := *(*uint64)(pointer(m.pc))
	m.pc += 8
	return e
}

// compile compiles a function at its first call and enters it. The stub's header charged nothing,
// and its instruction does not count: another instance may have called the function before.
func (m *Machine) compile(f int32) rt.Status {
	if m.tallies {
		m.tally--
	}
	failure.At("in the interpreter")
	back := m.CPU.Enter(profile.Compiler, "")
	done, over := m.VM.Until()
	_, err := m.prog.CompileUntil(f, done)
	over()
	m.CPU.Leave(back)
	if errors.Is(err, cancel.ErrStopped) {
		if st := m.VM.Poll(); st != rt.OK {
			return st
		}
	}
	if err != nil {
		return m.Fail("compile", err)
	}
	m.jumpTo(f)
	return m.enter()
}

// makeFunc enters the Pack function of the shape that the call site names, in place of the function
// made by reflect.
func (m *Machine) makeFunc() rt.Status {
	link := *(*uint64)(pointer(m.fp))
	_, site := m.at(uintptr(link << 16 >> 16))
	var shape *ir.Shape
	if site != nil {
		shape = m.VM.Mod.Shape(site.Shape)
	}
	if shape == nil {
		return m.Fail("call", errors.New("a function made by reflection is called from a place without a shape"))
	}
	if shape.Pack == 0 {
		return m.Fail("call", errors.New("shape without a Pack function"))
	}
	m.jumpTo(shape.Pack)
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
			f = *(*uint64)(unsafe.Add(m.Base, uint32(f)))
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
	args, results := m.HostArity(i)
	at := uintptr(base+2) * 8
	copy(m.args[:args], unsafe.Slice((*uint64)(pointer(m.fp+at)), args))
	switch st := m.CallHost(i, &m.args); st {
	case rt.OK:
		copy(unsafe.Slice((*uint64)(pointer(m.fp+at)), results), m.args[:results])
		return m.pay(rt.OK)
	case rt.Switch:
		m.switchStack()
		return rt.OK
	case rt.Yield:
		m.yielded = yielded{i, base}
		return st
	default:
		return st
	}
}

// yielded is the call of a host function that ended the run with [rt.Yield].
type yielded struct {
	i    uint32
	base int
}
