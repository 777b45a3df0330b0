// Package irtest is for tests of the tiers. It has a naive evaluator of the IR (eval.go), which
// states the meaning of an operation as directly as possible, and generators of modules to compare
// it with a tier (compare.go): random functions (random.go), cases of all operations
// (operations.go, effects.go), patterns that back ends combine (patterns.go), and modules on a base
// (base.go).
package irtest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/big"
	"math/bits"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/exec"
)

// An Eval evaluates functions of a module. Values are kept as the bits of their type,
// zero-extended. Objects and locals are zeroed memory after the module's, which is never freed. The
// only host function that it knows is tracegas.
type Eval struct {
	Mod    *ir.Module
	Mem    []byte   // guest memory from ir.DataBase on
	Gas    int64    // used so far
	Limit  int64    // of gas; 0: none
	Failed ir.Pos   // of the charge that failed
	Steps  int      // operations evaluated; Eval gives up after MaxSteps
	Counts []uint64 // by coverage counter

	// See, if not nil, is called for each operation with a result except phis, with the bits of the
	// result.
	See func(v *ir.Value, x uint64)

	// Quantum is the goroutine quantum. Preempts gets the gas used at each loop header where a
	// quantum ended.
	Quantum  int64
	Preempts []int64
	qstart   int64
	depth    int
	frames   uint64 // activations so far
}

// An activation is the state of a call that its operations can access.
type activation struct {
	id      uint64
	args    []uint64
	closure uint64
	locals  []uint64 // addresses
}

// An unwound ends the activations above the one that continues at its recovery block.
type unwound struct{ id uint64 }

func (*unwound) Error() string { return "unwind to no activation" }

// MaxSteps bounds an evaluation.
const MaxSteps = 3_000_000

// Reasons why an evaluation ends.
var (
	ErrGas   = errors.New("out of gas")
	ErrSteps = errors.New("too many steps")
	// ErrMeaning says that the evaluator lacks an operation.
	ErrMeaning = errors.New("irtest: no meaning")
)

// A Trap is a failed check.
type Trap struct {
	Kind ir.Trap
	Args []uint64
	Pos  ir.Pos
}

func (t *Trap) Error() string { return fmt.Sprintf("trap %s%v", ir.Traps[t.Kind].Name, t.Args) }

// NewEval makes an evaluator with the module's memory.
func NewEval(mod *ir.Module) *Eval {
	e := &Eval{Mod: mod, Counts: make([]uint64, mod.Counters), Mem: make([]byte, int64(len(mod.Data))+mod.BSS)}
	copy(e.Mem, mod.Data)
	return e
}

func (e *Eval) mem(p uint64, n uint64) []byte {
	p -= ir.DataBase
	n = uint64(max(int64(n), 0)) // a negative length counts as 0
	return e.Mem[p : p+n]
}

func mask(t ir.Type, x uint64) uint64 {
	switch t {
	case ir.I8:
		return x & 0xff
	case ir.I16:
		return x & 0xffff
	case ir.I32, ir.F32, ir.Ptr:
		return x & 0xffffffff
	}
	return x
}

func signed(t ir.Type, x uint64) int64 {
	sh := 64 - t.Bits()
	if t == ir.Ptr {
		return int64(x)
	}
	return int64(x<<sh) >> sh
}

func b2i(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// alloc returns the address of n zero bytes.
func (e *Eval) alloc(n int64) uint64 {
	at := (len(e.Mem) + 15) &^ 15
	e.Mem = append(e.Mem, make([]byte, at+int(n)-len(e.Mem))...)
	return ir.DataBase + uint64(at)
}

// Call evaluates a call.
func (e *Eval) Call(f *ir.Func, args []uint64) ([]uint64, error) {
	res, err := e.call(f, 0, args)
	// late charges that no other charge has followed
	if _, trap := err.(*Trap); (err == nil || trap) && e.Limit != 0 && e.Gas > e.Limit {
		e.Gas, e.Failed = e.Limit, 0
		return nil, ErrGas
	}
	return res, err
}

func (e *Eval) call(f *ir.Func, closure uint64, args []uint64) ([]uint64, error) {
	if e.depth++; e.depth > 200 {
		return nil, ErrSteps
	}
	defer func() { e.depth-- }()
	e.frames++
	a := &activation{id: e.frames, args: args, closure: closure}
	for _, l := range f.Locals {
		a.locals = append(a.locals, e.alloc(l.Size))
	}
	r, err := e.run(f, f.Entry, a)
	if u, ok := err.(*unwound); ok && u.id == a.id && f.Recover != nil {
		r, err = e.run(f, f.Recover, a)
	}
	return r, err
}

// callee finds the function that a call with operands a calls. It returns the function value and
// the remaining operands.
func (e *Eval) callee(v *ir.Value, a []uint64) (f *ir.Func, closure uint64, args []uint64) {
	switch v.Op {
	case ir.OpCallClosure:
		return e.Mod.Func(int(e.load(ir.I64, a[0]))), a[0], a[1:]
	case ir.OpCallIndex:
		return e.Mod.Func(int(a[0])), 0, a[1:]
	}
	return v.Fn, 0, a
}

// run evaluates an activation, starting with block b.
func (e *Eval) run(f *ir.Func, b *ir.Block, act *activation) ([]uint64, error) {
	vals := make([]uint64, f.NumValues())
	var results map[*ir.Value][]uint64 // of calls with several results
	var phis []uint64
	operands := make([]uint64, 0, 8)
	var prev *ir.Block
	edge := 0 // index of the taken edge among prev's successors
	for {
		// All phis are read before any is written.
		phis = phis[:0]
		if len(b.Values) > 0 && b.Values[0].Op == ir.OpPhi {
			from := predIndex(prev, edge, b)
			for i := 0; i < len(b.Values) && b.Values[i].Op == ir.OpPhi; i++ {
				phis = append(phis, vals[b.Values[i].Args[from].ID])
			}
		}
		for i, v := range b.Values[:len(phis)] {
			vals[v.ID] = phis[i]
		}
		for _, v := range b.Values[len(phis):] {
			if e.Steps++; e.Steps > MaxSteps {
				return nil, ErrSteps
			}
			switch v.Op {
			case ir.OpArg:
				vals[v.ID] = mask(v.Type, act.args[v.Aux])
			case ir.OpClosure:
				vals[v.ID] = act.closure
			case ir.OpLocalAddr:
				vals[v.ID] = act.locals[v.Aux]
			case ir.OpFrameID:
				vals[v.ID] = act.id
			case ir.OpCall, ir.OpCallClosure, ir.OpCallIndex:
				a := make([]uint64, len(v.Args))
				for i, x := range v.Args {
					a[i] = vals[x.ID]
				}
				r, err := e.call(e.callee(v, a))
				if err != nil {
					return nil, err
				}
				if len(r) > 0 {
					vals[v.ID] = r[0]
				}
				if len(r) > 1 {
					if results == nil {
						results = map[*ir.Value][]uint64{}
					}
					results[v] = r
				}
			case ir.OpResult:
				if vals[v.ID] = vals[v.Args[0].ID]; v.Aux > 0 {
					vals[v.ID] = results[v.Args[0]][v.Aux]
				}
			default:
				a := operands[:0]
				for _, x := range v.Args {
					a = append(a, vals[x.ID])
				}
				r, err := e.op(v, a)
				if err != nil {
					return nil, err
				}
				if v.Type != ir.Void {
					vals[v.ID] = mask(v.Type, r)
				}
			}
			if e.See != nil && v.Type != ir.Void {
				e.See(v, vals[v.ID])
			}
		}
		prev = b
		switch b.Kind {
		case ir.BlockJump:
			edge = 0
		case ir.BlockIf:
			edge = 1 - int(vals[b.Ctrl.ID])
		case ir.BlockSwitch:
			edge = len(b.Cases)
			for i, c := range b.Cases {
				if signed(b.Ctrl.Type, vals[b.Ctrl.ID]) == c {
					edge = i
					break
				}
			}
		case ir.BlockReturn:
			var r []uint64
			for _, v := range b.Rets {
				r = append(r, vals[v.ID])
			}
			return r, nil
		default:
			return nil, errors.New("unreachable block")
		}
		b = b.Succs[edge]
		if e.Steps++; e.Steps > MaxSteps {
			return nil, ErrSteps
		}
	}
}

// predIndex finds the phi operand in b for edge number edge of prev.
func predIndex(prev *ir.Block, edge int, b *ir.Block) int {
	nth := 0
	for _, s := range prev.Succs[:edge] {
		if s == b {
			nth++
		}
	}
	for i, p := range b.Preds {
		if p == prev {
			if nth == 0 {
				return i
			}
			nth--
		}
	}
	panic("no such edge")
}

func (e *Eval) charge(v *ir.Value, n int64) error {
	if e.Limit != 0 && n > e.Limit-e.Gas && !v.IsLate() {
		e.Gas, e.Failed = e.Limit, v.Pos
		return ErrGas
	}
	e.Gas += n
	return nil
}

// gasLeft returns what can be charged before the quantum or the gas ends.
func (e *Eval) gasLeft() int64 {
	left := int64(math.MaxInt64)
	if e.Limit != 0 {
		left = e.Limit - e.Gas
	}
	if e.Quantum > 0 {
		left = min(left, e.Quantum-1-(e.Gas-e.qstart))
	}
	return left
}

// Compute evaluates an operation that only computes. Its operands are zero-extended. Only the bits
// of its type count in the result. The error is that of an operation without a meaning here
// ([ErrMeaning]).
func Compute(v *ir.Value, a []uint64) (uint64, error) {
	if !v.Op.Pure() {
		return 0, fmt.Errorf("%w: %v does more than compute", ErrMeaning, v.Op)
	}
	return (&Eval{}).op(v, a)
}

func (e *Eval) op(v *ir.Value, a []uint64) (uint64, error) {
	switch v.Op.Class() {
	case ir.ClassArithmetic, ir.ClassDivision, ir.ClassShift, ir.ClassBitCount:
		return integer(v, a)
	case ir.ClassComparison, ir.ClassFloatComparison:
		return comparison(v, a)
	case ir.ClassConversion, ir.ClassFloatConversion:
		return conversion(v, a)
	case ir.ClassFloatArithmetic, ir.ClassFloatFunction:
		return float(v, a)
	case ir.ClassAccess, ir.ClassBulk:
		return e.memory(v, a)
	}
	switch v.Op {
	case ir.OpConst:
		return uint64(v.Aux), nil
	case ir.OpCopy, ir.OpOpaque:
		return a[0], nil
	case ir.OpSelect:
		if a[0] == 1 {
			return a[1], nil
		}
		return a[2], nil
	case ir.OpPtrAdd:
		return a[0] + a[1], nil
	case ir.OpPtrIdx:
		return a[0] + a[1]*uint64(v.Aux) + uint64(v.Aux2), nil
	case ir.OpNew:
		return e.alloc(v.Aux2), nil
	case ir.OpNewArray:
		return e.alloc(int64(a[0]) * v.Aux2), nil
	case ir.OpCount:
		e.Counts[v.Aux]++
	case ir.OpCountIf:
		for i, x := range a {
			if x&1 == uint64(v.Aux2)>>i&1 {
				return 0, nil
			}
		}
		e.Counts[v.Aux]++
	case ir.OpHost:
		if k := v.Aux - hostKernels; k >= 0 && int(k) < len(Kernels) {
			return Kernels[k].eval(e, a), nil
		}
		if v.Aux != hostTraceGas {
			return 0, fmt.Errorf("irtest: no meaning for host function %d", v.Aux)
		}
		return uint64(e.Gas), nil
	case ir.OpUnwind:
		return 0, &unwound{a[0]}
	case ir.OpNilCheck:
		if a[0] == 0 {
			return 0, &Trap{ir.TrapNil, nil, v.Pos}
		}
	case ir.OpBounds:
		if a[0] >= a[1] {
			return 0, &Trap{ir.Trap(v.Aux), slices.Clone(a), v.Pos}
		}
	case ir.OpCheck:
		if a[0] == 0 {
			return 0, &Trap{ir.Trap(v.Aux), slices.Clone(a[1:]), v.Pos}
		}
	case ir.OpKeep, ir.OpConsume:
	case ir.OpGas:
		return 0, e.charge(v, v.Aux)
	case ir.OpGasLoop:
		if err := e.charge(v, v.Aux); err != nil {
			return 0, err
		}
		if e.Quantum > 0 && e.Gas-e.qstart >= e.Quantum {
			e.qstart = e.Gas
			e.Preempts = append(e.Preempts, e.Gas)
		}
	case ir.OpGasLeft:
		return uint64(e.gasLeft()), nil
	case ir.OpGasN:
		n := int64(a[0])
		if n < 0 {
			n = 1 << 62
		}
		return 0, e.charge(v, n)
	default:
		return noMeaning(v)
	}
	return 0, nil
}

func noMeaning(v *ir.Value) (uint64, error) { return 0, fmt.Errorf("%w: %v", ErrMeaning, v.Op) }

// integer evaluates an operation on integers of one width.
func integer(v *ir.Value, a []uint64) (uint64, error) {
	at := v.Args[0].Type
	w := uint64(at.Bits())
	switch v.Op {
	case ir.OpAdd:
		return a[0] + a[1], nil
	case ir.OpSub:
		return a[0] - a[1], nil
	case ir.OpMul:
		return a[0] * a[1], nil
	case ir.OpDivS, ir.OpRemS:
		// Go's operators have the same meaning, even for MinInt64 / -1.
		x, y := signed(at, a[0]), signed(at, a[1])
		if v.Op == ir.OpRemS {
			return uint64(x % y), nil
		}
		return uint64(x / y), nil
	case ir.OpDivU:
		return a[0] / a[1], nil
	case ir.OpRemU:
		return a[0] % a[1], nil
	case ir.OpAnd:
		return a[0] & a[1], nil
	case ir.OpOr:
		return a[0] | a[1], nil
	case ir.OpXor:
		return a[0] ^ a[1], nil
	case ir.OpAndNot:
		return a[0] &^ a[1], nil
	case ir.OpShl:
		if a[1] >= w {
			return 0, nil
		}
		return a[0] << a[1], nil
	case ir.OpShrU:
		if a[1] >= w {
			return 0, nil
		}
		return a[0] >> a[1], nil
	case ir.OpShrS:
		return uint64(signed(at, a[0]) >> min(a[1], w-1)), nil
	case ir.OpRotl:
		k := a[1] % w
		if k == 0 {
			return a[0], nil
		}
		return a[0]<<k | a[0]>>(w-k), nil
	case ir.OpNeg:
		return -a[0], nil
	case ir.OpNot:
		return ^a[0], nil
	case ir.OpMulHiU:
		hi, _ := bits.Mul64(a[0], a[1])
		return hi, nil
	case ir.OpMulHiS:
		var p big.Int
		p.Mul(big.NewInt(int64(a[0])), big.NewInt(int64(a[1])))
		p.Rsh(&p, 64)
		return uint64(p.Int64()), nil
	case ir.OpClz:
		return uint64(bits.LeadingZeros64(a[0])) - (64 - w), nil
	case ir.OpCtz:
		return min(uint64(bits.TrailingZeros64(a[0])), w), nil
	case ir.OpPopcnt:
		return uint64(bits.OnesCount64(a[0])), nil
	case ir.OpBswap:
		return bits.ReverseBytes64(a[0]) >> (64 - w), nil
	}
	return noMeaning(v)
}

func comparison(v *ir.Value, a []uint64) (uint64, error) {
	at := v.Args[0].Type
	switch v.Op {
	case ir.OpEq:
		return b2i(a[0] == a[1]), nil
	case ir.OpNe:
		return b2i(a[0] != a[1]), nil
	case ir.OpLtS:
		return b2i(signed(at, a[0]) < signed(at, a[1])), nil
	case ir.OpLeS:
		return b2i(signed(at, a[0]) <= signed(at, a[1])), nil
	case ir.OpLtU:
		return b2i(a[0] < a[1]), nil
	case ir.OpLeU:
		return b2i(a[0] <= a[1]), nil
	case ir.OpFEq:
		return b2i(flt(at, a[0]) == flt(at, a[1])), nil
	case ir.OpFNe:
		return b2i(flt(at, a[0]) != flt(at, a[1])), nil
	case ir.OpFLt:
		return b2i(flt(at, a[0]) < flt(at, a[1])), nil
	case ir.OpFLe:
		return b2i(flt(at, a[0]) <= flt(at, a[1])), nil
	}
	return noMeaning(v)
}

func conversion(v *ir.Value, a []uint64) (uint64, error) {
	t, at := v.Type, v.Args[0].Type
	switch v.Op {
	case ir.OpSExt:
		return uint64(signed(at, a[0])), nil
	case ir.OpZExt, ir.OpTrunc, ir.OpPtrToInt, ir.OpIntToPtr:
		return a[0], nil
	case ir.OpIToF:
		if t == ir.F32 {
			return uint64(math.Float32bits(float32(int64(a[0])))), nil
		}
		return math.Float64bits(float64(int64(a[0]))), nil
	case ir.OpUToF:
		if t == ir.F32 {
			return uint64(math.Float32bits(float32(a[0]))), nil
		}
		return math.Float64bits(float64(a[0])), nil
	case ir.OpFToI:
		return ftoi(t, flt(at, a[0])), nil
	case ir.OpFToU:
		if x := flt(at, a[0]); x < 1<<63 {
			return ftoi(t, x), nil
		} else {
			return ftoi(t, x-1<<63) | 1<<63, nil
		}
	case ir.OpFCvt:
		return unflt(t, flt(at, a[0])), nil
	case ir.OpBitcast:
		if at == ir.F64 && t == ir.I64 && math.IsNaN(flt(at, a[0])) {
			return ir.NaN64, nil
		}
		if at == ir.F32 && t == ir.I32 && math.IsNaN(flt(at, a[0])) {
			return ir.NaN32, nil
		}
		return a[0], nil
	}
	return noMeaning(v)
}

// float evaluates an operation on floats with a result of their type.
func float(v *ir.Value, a []uint64) (uint64, error) {
	t := v.Type
	w := uint64(t.Bits())
	switch v.Op {
	case ir.OpFAdd, ir.OpFSub, ir.OpFMul, ir.OpFDiv:
		return arith(v.Op, t, a[0], a[1]), nil
	case ir.OpFNeg:
		return a[0] ^ 1<<(w-1), nil
	case ir.OpFAbs:
		return a[0] &^ (1 << (w - 1)), nil
	case ir.OpFCopysign:
		sign := a[1] & (1 << (w - 1))
		if math.IsNaN(flt(t, a[1])) {
			sign = 0
		}
		return a[0]&^(1<<(w-1)) | sign, nil
	case ir.OpFSqrt:
		return unflt(t, math.Sqrt(flt(t, a[0]))), nil
	case ir.OpFFloor:
		return unflt(t, math.Floor(flt(t, a[0]))), nil
	case ir.OpFCeil:
		return unflt(t, math.Ceil(flt(t, a[0]))), nil
	case ir.OpFTrunc:
		return unflt(t, math.Trunc(flt(t, a[0]))), nil
	case ir.OpFMA:
		x, y, z := flt(t, a[0]), flt(t, a[1]), flt(t, a[2])
		if t == ir.F64 {
			return unflt(t, math.FMA(x, y, z)), nil
		}
		return uint64(math.Float32bits(fma32(x, y, z))), nil
	}
	return noMeaning(v)
}

func (e *Eval) memory(v *ir.Value, a []uint64) (uint64, error) {
	switch v.Op {
	case ir.OpLoad:
		return e.load(v.Type, a[0]+uint64(v.Aux)), nil
	case ir.OpStore:
		e.store(v.Args[1].Type, a[0]+uint64(v.Aux), a[1])
	case ir.OpMove:
		copy(e.mem(a[0], uint64(v.Aux)), e.mem(a[1], uint64(v.Aux)))
	case ir.OpMoveN:
		copy(e.mem(a[0], a[2]), e.mem(a[1], a[2]))
	case ir.OpClear:
		clear(e.mem(a[0], uint64(v.Aux)))
	case ir.OpClearN:
		clear(e.mem(a[0], a[1]))
	case ir.OpMemEq:
		return b2i(bytes.Equal(e.mem(a[0], a[2]), e.mem(a[1], a[2]))), nil
	case ir.OpMemCmp:
		return uint64(int64(bytes.Compare(e.mem(a[0], a[1]), e.mem(a[2], a[3])))), nil
	case ir.OpIndexByte:
		return uint64(int64(bytes.IndexByte(e.mem(a[0], a[1]), byte(a[2])))), nil
	case ir.OpMemHash:
		return exec.MemHash(e.mem(a[0], a[2]), a[1]), nil
	default:
		return noMeaning(v)
	}
	return 0, nil
}

func flt(t ir.Type, x uint64) float64 {
	if t == ir.F32 {
		return float64(math.Float32frombits(uint32(x)))
	}
	return math.Float64frombits(x)
}

// unflt rounds to t.
func unflt(t ir.Type, x float64) uint64 {
	if t == ir.F32 {
		return uint64(math.Float32bits(float32(x)))
	}
	return math.Float64bits(x)
}

func arith(op ir.Op, t ir.Type, a, b uint64) uint64 {
	if t == ir.F32 {
		return uint64(math.Float32bits(arithOf(op, math.Float32frombits(uint32(a)), math.Float32frombits(uint32(b)))))
	}
	return math.Float64bits(arithOf(op, math.Float64frombits(a), math.Float64frombits(b)))
}

func arithOf[T float32 | float64](op ir.Op, x, y T) T {
	switch op {
	case ir.OpFAdd:
		return x + y
	case ir.OpFSub:
		return x - y
	case ir.OpFMul:
		return x * y
	}
	return x / y
}

// ftoi implements OpFToI, sign-extended.
func ftoi(t ir.Type, x float64) uint64 {
	if t == ir.I32 {
		if x > -1<<31-1 && x < 1<<31 {
			return uint64(int64(x))
		}
		return 1<<64 - 1<<31
	}
	if x >= -1<<63 && x < 1<<63 {
		return uint64(int64(x))
	}
	return 1 << 63
}

// fma32 computes x*y + z exactly and rounds it to float32.
func fma32(x, y, z float64) float32 {
	if math.IsNaN(x) || math.IsNaN(y) || math.IsNaN(z) || math.IsInf(x, 0) || math.IsInf(y, 0) || math.IsInf(z, 0) {
		return float32(x*y + z)
	}
	bx := new(big.Float).SetPrec(2000).SetFloat64(x)
	by := new(big.Float).SetPrec(2000).SetFloat64(y)
	bz := new(big.Float).SetPrec(2000).SetFloat64(z)
	bx.Mul(bx, by)
	bx.Add(bx, bz)
	if bx.Sign() == 0 {
		return float32(x*y + z) // for the sign of zero
	}
	f, _ := bx.Float32()
	return f
}

func (e *Eval) load(t ir.Type, p uint64) uint64 {
	switch t.Size() {
	case 1:
		return uint64(e.mem(p, 1)[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(e.mem(p, 2)))
	case 4:
		return uint64(binary.LittleEndian.Uint32(e.mem(p, 4)))
	}
	return binary.LittleEndian.Uint64(e.mem(p, 8))
}

func (e *Eval) store(t ir.Type, p uint64, x uint64) {
	x = inMemory(t, x)
	switch t.Size() {
	case 1:
		e.mem(p, 1)[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(e.mem(p, 2), uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(e.mem(p, 4), uint32(x))
	default:
		binary.LittleEndian.PutUint64(e.mem(p, 8), mask(t, x))
	}
}
