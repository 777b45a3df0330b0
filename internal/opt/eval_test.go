package opt

import (
	"encoding/binary"
	"fmt"
	"math"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// A machine evaluates IR directly, one operation at a time, and keeps a trace of everything
// observable: calls out of the module with their arguments, traps, allocations, loop headers, each
// with the gas used so far. It shares no code with the passes; package irtest defines the results
// of operations.
type machine struct {
	mod      *ir.Module
	mem      []byte
	heap     uint32
	stack    uint32
	gas      int64
	limit    int64
	quantum  int64 // gas after which a loop header is an event
	since    int64 // the last one
	steps    int
	maxSteps int
	depth    int
	frames   int64
	trace    []string
	addrs    bool // addresses are part of the trace
}

const (
	globalBase = ir.DataBase
	globalSize = 4096
	stackBase  = globalBase + globalSize
	heapBase   = stackBase + 1<<14
	memSize    = heapBase + 1<<15
)

type outcome struct {
	status string // "ok", "trap", "gas", "steps"
	vals   []int64
}

func newMachine(m *ir.Module) *machine {
	mc := &machine{mod: m, mem: make([]byte, memSize), heap: heapBase, stack: stackBase, limit: math.MaxInt64, quantum: 1, maxSteps: 20000}
	copy(mc.mem[globalBase:], m.Data)
	return mc
}

func (mc *machine) event(format string, args ...any) {
	mc.trace = append(mc.trace, fmt.Sprintf(format, args...)+fmt.Sprintf(" @%d", mc.gas))
}

func (mc *machine) bytes(p uint32, n int64) []byte {
	if p < globalBase || n < 0 || int64(p)+n > memSize {
		panic(badAccess(fmt.Sprintf("access of %d bytes at 0x%x", n, p)))
	}
	return mc.mem[p : int64(p)+n]
}

// A badAccess is a mistake of the program under test: lowering and passes never make one.
type badAccess string

func (mc *machine) load(p uint32, t ir.Type) int64 {
	b := mc.bytes(p, t.Size())
	switch t {
	case ir.I8:
		return int64(int8(b[0]))
	case ir.I16:
		return int64(int16(binary.LittleEndian.Uint16(b)))
	case ir.I32:
		return int64(int32(binary.LittleEndian.Uint32(b)))
	case ir.F32, ir.Ptr:
		return int64(binary.LittleEndian.Uint32(b))
	}
	return int64(binary.LittleEndian.Uint64(b))
}

func (mc *machine) store(p uint32, t ir.Type, x int64) {
	b := mc.bytes(p, t.Size())
	switch t.Size() {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, uint64(x))
	}
}

// charge returns false when the gas is used up.
func (mc *machine) charge(n int64) bool {
	if n < 0 {
		n = 1 << 62
	}
	if n > mc.limit-mc.gas {
		mc.gas = mc.limit
		return false
	}
	mc.gas += n
	return true
}

// run calls a function and tells how it ended.
func (mc *machine) run(f *ir.Func, closure int64, args []int64) (out outcome) {
	if mc.depth > 50 {
		return outcome{status: "steps"}
	}
	mc.depth++
	mc.frames++
	frame := mc.frames
	savedStack := mc.stack
	defer func() {
		mc.depth--
		mc.stack = savedStack
	}()
	locals := make([]uint32, len(f.Locals))
	for i, l := range f.Locals {
		mc.stack = (mc.stack + uint32(l.Align) - 1) &^ (uint32(l.Align) - 1)
		locals[i] = mc.stack
		mc.stack += uint32(l.Size)
		if mc.stack > heapBase {
			return outcome{status: "steps"}
		}
		clear(mc.mem[locals[i]:mc.stack])
	}
	vals := make([]int64, f.NumValues())
	b, from := f.Entry, (*ir.Block)(nil)
	for {
		out, next := mc.block(f, b, from, vals, locals, closure, args, frame)
		if next == nil {
			if out.status == "trap" && f.Recover != nil {
				mc.event("recover %s", f.Name)
				for i := range vals {
					vals[i] = 0x5a5a5a5a
				}
				b, from = f.Recover, nil
				f := f
				// A second trap leaves the function.
				for {
					out, next := mc.block(f, b, from, vals, locals, closure, args, frame)
					if next == nil {
						return out
					}
					b, from = next, b
				}
			}
			return out
		}
		b, from = next, b
	}
}

func (mc *machine) block(f *ir.Func, b, from *ir.Block, vals []int64, locals []uint32, closure int64, args []int64, frame int64) (outcome, *ir.Block) {
	phis := b.Phis()
	if len(phis) > 0 {
		k := b.PredIndex(from)
		in := make([]int64, len(phis))
		for i, v := range phis {
			in[i] = vals[v.Args[k].ID]
		}
		for i, v := range phis {
			vals[v.ID] = in[i]
		}
	}
	var results []int64
	for _, v := range b.Values[len(phis):] {
		if mc.steps++; mc.steps > mc.maxSteps {
			return outcome{status: "steps"}, nil
		}
		a := func(i int) int64 { return vals[v.Args[i].ID] }
		p := func(i int) uint32 { return uint32(vals[v.Args[i].ID]) }
		switch v.Op {
		case ir.OpArg:
			vals[v.ID] = args[v.Aux]
		case ir.OpClosure:
			vals[v.ID] = closure
		case ir.OpFrameID:
			vals[v.ID] = frame
		case ir.OpLocalAddr:
			vals[v.ID] = int64(locals[v.Aux])
		case ir.OpLoad:
			vals[v.ID] = mc.load(p(0)+uint32(v.Aux), v.Type)
		case ir.OpStore:
			mc.store(p(0)+uint32(v.Aux), v.Args[1].Type, a(1))
		case ir.OpMove:
			copy(mc.bytes(p(0), v.Aux), mc.bytes(p(1), v.Aux))
		case ir.OpMoveN:
			if a(2) > 0 {
				copy(mc.bytes(p(0), a(2)), mc.bytes(p(1), a(2)))
			}
		case ir.OpClear:
			clear(mc.bytes(p(0), v.Aux))
		case ir.OpClearN:
			clear(mc.bytes(p(0), a(1)))
		case ir.OpMemEq:
			vals[v.ID] = toInt(string(mc.bytes(p(0), a(2))) == string(mc.bytes(p(1), a(2))))
		case ir.OpMemCmp:
			vals[v.ID] = int64(strings.Compare(string(mc.bytes(p(0), a(1))), string(mc.bytes(p(2), a(3)))))
		case ir.OpIndexByte:
			vals[v.ID] = int64(strings.IndexByte(string(mc.bytes(p(0), a(1))), byte(a(2))))
		case ir.OpNew, ir.OpNewArray:
			n := v.Aux2
			if v.Op == ir.OpNewArray {
				n *= a(0)
			}
			vals[v.ID] = int64(mc.heap)
			mc.heap += uint32(n+15) &^ 7
			if mc.heap > memSize-512 || n > 1<<14 {
				return outcome{status: "steps"}, nil
			}
			mc.event("new %d %d", v.Aux, n)
		case ir.OpNilCheck:
			if p(0) == 0 {
				mc.event("trap nil")
				return outcome{status: "trap"}, nil
			}
		case ir.OpBounds:
			if uint64(a(0)) >= uint64(a(1)) {
				mc.event("trap %d %d %d", v.Aux, a(0), a(1))
				return outcome{status: "trap"}, nil
			}
		case ir.OpCheck:
			if a(0) == 0 {
				s := ""
				for i := 1; i < len(v.Args); i++ {
					s += fmt.Sprint(" ", a(i))
				}
				mc.event("trap %d%s", v.Aux, s)
				return outcome{status: "trap"}, nil
			}
		case ir.OpGas, ir.OpGasLoop:
			if !mc.charge(v.Aux) {
				return outcome{status: "gas"}, nil
			}
			if v.Op == ir.OpGasLoop && mc.gas-mc.since >= mc.quantum {
				mc.event("loop")
				mc.since = mc.gas
			}
		case ir.OpGasLeft:
			vals[v.ID] = min(mc.limit-mc.gas, mc.quantum-1-(mc.gas-mc.since))
		case ir.OpGasN:
			if !mc.charge(a(0)) {
				return outcome{status: "gas"}, nil
			}
		case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex:
			out := mc.call(v, vals)
			if out.status != "ok" {
				return out, nil
			}
			results = out.vals
			if len(results) > 0 {
				vals[v.ID] = results[0]
			}
		case ir.OpResult:
			vals[v.ID] = results[v.Aux]
		default:
			vals[v.ID] = evalOp(v, a)
		}
	}
	return leave(b, vals)
}

// leave evaluates the end of a block: the block that follows, or how the call ends.
func leave(b *ir.Block, vals []int64) (outcome, *ir.Block) {
	switch b.Kind {
	case ir.BlockJump:
		return outcome{}, b.Succs[0]
	case ir.BlockIf:
		c := vals[b.Ctrl.ID]
		if c != 0 && c != 1 {
			panic(badAccess("condition is not 0 or 1"))
		}
		if c == 1 {
			return outcome{}, b.Succs[0]
		}
		return outcome{}, b.Succs[1]
	case ir.BlockSwitch:
		for i, c := range b.Cases {
			if c == vals[b.Ctrl.ID] {
				return outcome{}, b.Succs[i]
			}
		}
		return outcome{}, b.Succs[len(b.Cases)]
	case ir.BlockReturn:
		out := outcome{status: "ok"}
		for _, r := range b.Rets {
			out.vals = append(out.vals, vals[r.ID])
		}
		return out, nil
	}
	panic(badAccess("unreachable block reached"))
}

// call evaluates a call of the guest.
func (mc *machine) call(v *ir.Value, vals []int64) outcome {
	callee := v.Fn
	clo := int64(0)
	first := 1
	switch v.Op {
	case ir.OpCall:
		first = 0
	case ir.OpCallClosure:
		clo = vals[v.Args[0].ID]
		callee = mc.mod.Func(int(mc.load(uint32(vals[v.Args[0].ID]), ir.I64)))
	case ir.OpCallIndex:
		callee = mc.mod.Func(int(vals[v.Args[0].ID]))
	}
	in := make([]int64, 0, 8)
	for i := first; i < len(v.Args); i++ {
		in = append(in, vals[v.Args[i].ID])
	}
	if callee.Entry == nil {
		return mc.extern(callee, in)
	}
	return mc.run(callee, clo, in)
}

// extern plays an outside function: it depends on the contents of the memory that its pointer
// arguments name, and changes it.
func (mc *machine) extern(f *ir.Func, args []int64) outcome {
	h := uint64(14695981039346656037)
	mix := func(x uint64) {
		h = (h ^ x) * 1099511628211
	}
	desc := ""
	for i, t := range f.Sig.Params {
		if t == ir.Ptr && !mc.addrs {
			if p := uint32(args[i]); p >= globalBase && p < memSize-8 {
				x := mc.load(p, ir.I64)
				if x > 0xffff && x < memSize {
					x = 1 // a pointer, perhaps
				}
				mix(uint64(x))
				desc += fmt.Sprintf(" *%d", x)
				if !strings.HasPrefix(f.Name, "pure") {
					mc.store(p, ir.I64, int64(h>>40))
				}
				continue
			}
		}
		mix(uint64(args[i]))
		desc += fmt.Sprintf(" %d", args[i])
	}
	mc.event("call %s%s", f.Name, desc)
	mc.charge(7)
	if strings.HasPrefix(f.Name, "trap") && h>>8&3 == 0 {
		return outcome{status: "trap"}
	}
	out := outcome{status: "ok"}
	for i, t := range f.Sig.Results {
		x := int64(h >> uint(8+i))
		if t == ir.Ptr {
			x = globalBase + int64(h>>20%64*8)
		}
		if t == ir.I8 {
			x &= 1
		}
		out.vals = append(out.vals, ir.TruncConst(t, x))
	}
	return out
}

func zeroExtended(t ir.Type, x int64) uint64 {
	return uint64(x) & (math.MaxUint64 >> (64 - t.Bits()))
}

func toInt(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

// evalOp evaluates an operation that only computes, as [irtest.Compute] does, on sign-extended
// operands. The NaN that a computation makes is one of two, whatever the operands were.
func evalOp(v *ir.Value, a func(int) int64) int64 {
	var buf [4]uint64
	in := buf[:0]
	for i, x := range v.Args {
		in = append(in, zeroExtended(x.Type, a(i)))
	}
	r, err := irtest.Compute(v, in)
	if err != nil {
		panic(err)
	}
	switch {
	case !v.Op.IsFloatMath() || v.Op == ir.OpFNeg || v.Op == ir.OpFAbs || v.Op == ir.OpBitcast:
	case v.Type == ir.F32 && isNaN32(int64(r)):
		r = 0x7fc00000
	case v.Type == ir.F64 && isNaN64(int64(r)):
		r = 0x7ff8000000000001
	}
	return ir.TruncConst(v.Type, int64(r))
}
