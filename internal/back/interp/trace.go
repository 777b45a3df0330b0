package interp

import (
	"io"
	"unsafe"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/back/bytecode"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/profile"
)

// Profiles of gas and memory are exact: between two instructions runObserved sees every change
// of the frame and of the gas register, and reports it to the tracer. The tracer keeps the context
// of each frame of each stack. For each context it keeps the units of each charge of its function.
//
// After a charge execution continues at the offset that the function's table of charges names, so
// the offset identifies the charge. Loop operations, which make two charges at once, are skipped
// while a tracer follows: the steps after them do the same.

// A tracer follows one machine.
type tracer struct {
	// The loop compares these with its registers.
	fp  uintptr
	gas int64

	m      *Machine
	tree   *profile.Tree
	memory *profile.Memory // nil: not wanted

	cur     *traceContext   // of the frame
	stacks  [][]tracedFrame // by number of the stack, innermost last
	used    int64           // units that were counted, or must not be
	stopped bool            // nothing counts any more
	last    *int64          // the counter that was increased last
	code    map[*bytecode.FuncCode]*tracedCode
	root    *traceContext
	walked  []tracedFrame // scratch
	pcs     []uintptr     // scratch
}

// A tracedFrame is a frame and its context.
type tracedFrame struct {
	off uintptr // distance from the stack's start
	ctx *traceContext
}

// A traceContext is the tracer's data about a node of the tree.
type traceContext struct {
	node  *profile.Node
	code  *tracedCode
	units []int64 // by charge plus 1; 0: no charge is known

	calls    map[calledFrom]*traceContext
	lastCall calledFrom // the last call, which is often the next one too
	lastCtx  *traceContext
}

// A calledFrom is a call as the frames show it.
type calledFrom struct{ ret, pc uintptr }

// tracedCode is the data that the contexts of one function share.
type tracedCode struct {
	fc         *bytecode.FuncCode
	start, end uintptr
	charge     []int32 // by offset: index in fc.Charges plus 1
}

// holds reports whether pc, the address after an instruction or of the next one, is in the
// function.
func (c *tracedCode) holds(pc uintptr) bool { return pc > c.start && pc <= c.end }

// newTracer makes the tracer for a machine's profiles of gas, memory or both.
func newTracer(m *Machine, memory bool) *tracer {
	t := &tracer{m: m, tree: profile.NewTree(m.VM.Mod), code: map[*bytecode.FuncCode]*tracedCode{}}
	if memory {
		h := m.Heap.Stats()
		t.memory = profile.NewMemory(t.tree, profile.Objects{Count: h.Mallocs, Bytes: h.TotalAlloc})
	}
	main, _ := m.prog.Boot()
	boot, _ := m.prog.FuncAt(uintptr(main))
	t.root = &traceContext{node: t.tree.Root, code: t.codeOf(boot), units: make([]int64, 1)}
	t.cur = t.root
	t.last = &t.root.units[0]
	return t
}

func (t *tracer) codeOf(fc *bytecode.FuncCode) *tracedCode {
	c := t.code[fc]
	if c == nil {
		start := uintptr(fc.At(0))
		c = &tracedCode{fc: fc, start: start, end: start + uintptr(len(fc.Code))*8, charge: make([]int32, len(fc.Code)+1)}
		for i := range fc.Charges {
			c.charge[fc.Charges[i].PC] = int32(i) + 1
		}
		t.code[fc] = c
	}
	return c
}

// step is called between two instructions when the frame or the gas changed. The next instruction
// is at pc.
//
//go:noinline
func (t *tracer) step(pc uintptr, fp unsafe.Pointer, gas int64) {
	if uintptr(fp) != t.fp && !t.enter(pc, uintptr(fp)) {
		return // a function that is not compiled yet, and has charged nothing
	}
	t.gas = gas
	if used := t.m.UsedAt(gas); used != t.used {
		t.charge(pc, used-t.used)
		t.used = used
	}
}

// sync is step for a machine whose loop does not run. Before the loop resumes, the current frame
// may change to that of another function, or of another stack.
func (t *tracer) sync() {
	t.fp = 0
	t.step(t.m.pc, pointer(t.m.fp), t.m.Gas)
	t.fp = 0
}

// charge counts units that were charged on the way to pc.
func (t *tracer) charge(pc uintptr, units int64) {
	if t.stopped {
		return
	}
	c := t.cur
	t.last = &c.units[c.code.charge[(pc-c.code.start)/8]]
	*t.last += units
}

// refund takes back a charge that will be made again, step by step.
func (t *tracer) refund(pc uintptr, units int64) {
	t.charge(pc, -units)
	t.used -= units
}

// enter finds the context of the frame at fp, which is about to execute the instruction at pc. It
// reports false if the code there is not a function's.
func (t *tracer) enter(pc, fp uintptr) bool {
	m := t.m
	for int(m.CurStack()) >= len(t.stacks) {
		t.stacks = append(t.stacks, nil)
	}
	low, off := pointer(m.low), fp-m.low
	fs := t.stacks[m.CurStack()]
	for len(fs) > 0 && fs[len(fs)-1].off > off {
		fs = fs[:len(fs)-1]
	}
	ctx := (*traceContext)(nil)
	if n := len(fs); n > 0 && fs[n-1].off == off {
		if ctx = fs[n-1].ctx; ctx.code.holds(pc) {
			t.stacks[m.CurStack()] = fs
			t.cur, t.fp = ctx, fp
			return true
		}
		fs = fs[:n-1] // another function took the frame over
	}
	// Frames that are not known yet: usually one.
	walk, pcs := t.walked[:0], t.pcs[:0]
	parent := t.root
	for {
		walk, pcs = append(walk, tracedFrame{off: off}), append(pcs, pc)
		if off == 0 {
			break
		}
		var ok bool
		if pc, off, ok = m.callerOf(low, off); !ok {
			return false
		}
		for len(fs) > 0 && (fs[len(fs)-1].off > off || fs[len(fs)-1].off == off && !fs[len(fs)-1].ctx.code.holds(pc)) {
			fs = fs[:len(fs)-1]
		}
		if n := len(fs); n > 0 && fs[n-1].off == off {
			parent = fs[n-1].ctx
			break
		}
	}
	t.walked, t.pcs = walk, pcs
	for i := len(walk) - 1; i >= 0; i-- {
		ret := uintptr(0)
		if walk[i].off != 0 {
			ret, _, _ = m.callerOf(low, walk[i].off)
		}
		if ctx = t.callee(parent, calledFrom{ret, pcs[i]}); ctx == nil {
			t.stacks[m.CurStack()] = fs
			return false
		}
		fs = append(fs, tracedFrame{walk[i].off, ctx})
		parent = ctx
	}
	t.stacks[m.CurStack()] = fs
	t.cur, t.fp = ctx, fp
	return true
}

// callee returns the context of a function that was called, nil if its pc is in no code.
func (t *tracer) callee(c *traceContext, call calledFrom) *traceContext {
	if c.lastCall == call && c.lastCtx != nil {
		return c.lastCtx
	}
	ctx := c.calls[call]
	if ctx == nil {
		fc, _ := t.m.prog.FuncAt(call.pc)
		if fc == nil {
			return nil
		}
		if fc.Fn == nil {
			return t.root
		}
		if _, site := t.m.at(call.ret); site != nil {
			ctx = t.context(t.tree.Child(c.node, site.Pos, fc.Fn.Index), fc)
		} else {
			ctx = t.context(t.tree.Child(c.node, 0, fc.Fn.Index), fc)
		}
		if c.calls == nil {
			c.calls = map[calledFrom]*traceContext{}
		}
		c.calls[call] = ctx
	}
	c.lastCall, c.lastCtx = call, ctx
	return ctx
}

func (t *tracer) context(n *profile.Node, fc *bytecode.FuncCode) *traceContext {
	if c, ok := n.Tier.(*traceContext); ok {
		return c
	}
	c := &traceContext{node: n, code: t.codeOf(fc), units: make([]int64, len(fc.Charges)+1)}
	n.Tier = c
	return c
}

// forget drops the frames of a stack that is made anew.
func (t *tracer) forget(id uint32) {
	if int(id) < len(t.stacks) {
		t.stacks[id] = t.stacks[id][:0]
	}
}

// restart drops all units: earlier charges do not count.
func (t *tracer) restart() {
	t.each(func(c *traceContext) { clear(c.units) })
	t.used = t.m.UsedUnits()
}

func (t *tracer) each(f func(*traceContext)) {
	f(t.root)
	t.tree.Nodes(func(n *profile.Node) {
		if c, ok := n.Tier.(*traceContext); ok {
			f(c)
		}
	})
}

// finish makes the units equal to the machine's figure when a run ends: a
// charge that failed counts up to the limit.
func (t *tracer) finish() {
	used := t.m.UsedUnits()
	if _, over := t.m.FreeUnits(); !over {
		t.restart()
		return
	}
	if !t.stopped {
		*t.last += used - t.used
	}
	t.used = used
}

// flush moves what was counted to the tree.
func (t *tracer) flush() {
	t.each(func(c *traceContext) {
		for i, units := range c.units {
			switch {
			case units == 0:
			case i == 0:
				t.tree.AddGas(c.node, 0, units)
			default:
				t.spread(c, &c.code.fc.Charges[i-1], units)
			}
		}
		clear(c.units)
	})
}

// spread counts units at the positions of a charge.
func (t *tracer) spread(c *traceContext, ch *bytecode.Charge, units int64) {
	if ch.Steps != 0 && ch.Units != 0 {
		fc := c.code.fc
		times := units / int64(ch.Units)
		units %= int64(ch.Units)
		for at, sum := ch.Steps, uint32(0); sum < ch.Units; at++ {
			n := uint32(fc.Code[at] >> 32)
			if step := fc.Charge(at + 1); step != nil {
				t.tree.AddGas(c.node, step.Pos, times*int64(n))
			}
			sum += n
		}
	}
	t.tree.AddGas(c.node, ch.Pos, units)
}

// Allocated implements rt.Watcher.
func (t *tracer) Allocated(addr uint32, size uint64) {
	pos := ir.Pos(0)
	if _, site := t.m.at(t.m.pc); site != nil {
		pos = site.Pos
	}
	t.memory.Alloc(t.cur.node, pos, addr, size)
}

// Sweeping implements rt.Watcher.
func (t *tracer) Sweeping() { t.memory.Sweep(t.m.Heap.Reached) }

// WriteGasProfile writes the profile of gas of a machine whose loop does not run.
func (m *Machine) WriteGasProfile(w io.Writer) error {
	m.trace.flush()
	return m.trace.tree.WriteGas(w)
}

// GasLines returns the lines that gas was used for, of a machine whose loop does not run.
func (m *Machine) GasLines() []api.LineGas {
	m.trace.flush()
	return m.trace.tree.GasLines()
}

// WriteMemProfile writes the profile of memory.
func (m *Machine) WriteMemProfile(w io.Writer) error {
	h := m.Heap.Stats()
	return m.trace.memory.Write(w, profile.Objects{Count: h.HeapObjects, Bytes: h.HeapAlloc})
}
