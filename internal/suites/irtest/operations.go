package irtest

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Case is a module that tries operations with error-prone operands.
type Case struct {
	Name  string
	Mod   *ir.Module
	Limit int64 // of gas; 0: none
	Addrs bool  // it computes or accesses addresses
}

// Operations returns the cases of all operations: first operations that only compute, in every type
// and with all forms of operands, then the others. Each call makes new modules.
func Operations() []Case {
	var list []Case
	for op := ir.Op(1); op < ir.NumOps; op++ {
		for _, v := range variants(op) {
			list = append(list, v.module())
		}
	}
	for _, c := range slices.Concat(accesses(), bulk(), checks(), control()) {
		c.Addrs = true
		list = append(list, c)
	}
	return list
}

// Operands by type. They are truncated to narrower integer types.
var (
	edgeInts = []int64{0, 1, -1, 2, -2, 7, 127, -128, 255, 32767, -32768, 65535, math.MaxInt32, math.MinInt32,
		math.MaxUint32, 1 << 32, 0x0123456789abcdef, math.MaxInt64, math.MinInt64, math.MinInt64 + 1}
	fewInts = []int64{0, 1, -1, 5, 0x55aa, math.MaxInt64, math.MinInt64, -0x0123456789abcdef}

	edgeFloats = []float64{0, math.Copysign(0, -1), 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 0.49999999999999994, 1e10, -1e300,
		math.SmallestNonzeroFloat64, -2.2250738585072009e-308, 2.2250738585072014e-308, math.SmallestNonzeroFloat32,
		1.1754942e-38, 1.1754944e-38,
		math.MaxFloat32, math.MaxFloat64, 1<<24 + 1, 1<<52 + 0.5, 1<<53 + 2, math.MaxInt32 + 0.5, -1 << 31, 1 << 32,
		1<<63 - 1024, 1 << 63, -1 << 63, -1<<63 - 2048, 1<<64 - 2048, 1 << 64,
		math.Inf(1), math.Inf(-1), math.NaN()}
	fewFloats = []float64{0, math.Copysign(0, -1), 1.5, -3, 1.5 + 1.0/(1<<52), 1e-310, -3e-45, 1 << 60, math.MaxFloat32,
		-math.MaxFloat64, math.Inf(1), math.Inf(-1), math.NaN()}

	// NaNs with a sign and payload, quiet and signalling.
	oddNaNs = map[ir.Type][]int64{
		ir.F64: {-0x0007_ffff_ffff_fffd, 0x7ff0_0000_0000_0001, -0x000f_ffff_ffff_ffff},
		ir.F32: {0xffc0_1234, 0x7f80_0001, 0xff80_0001},
	}
)

// inMemory are the bits in memory of an operand with some bits.
func inMemory(t ir.Type, bits uint64) uint64 {
	if t.IsFloat() {
		return ir.MemoryNaN(t, bits)
	}
	return bits
}

// operands returns the bits of operands of a type.
func operands(t ir.Type, few bool) (list []int64) {
	add := func(x int64) {
		if !slices.Contains(list, x) {
			list = append(list, x)
		}
	}
	switch t {
	case ir.Ptr:
		for _, x := range []int64{0, ir.DataBase, ir.DataBase + 8, ir.DataBase + 24, 1 << 31, math.MaxUint32} {
			add(x)
		}
	case ir.F32, ir.F64:
		values := edgeFloats
		if few {
			values = fewFloats
		}
		for _, x := range values {
			if t == ir.F32 {
				add(int64(math.Float32bits(float32(x))))
			} else {
				add(int64(math.Float64bits(x)))
			}
		}
		for _, x := range oddNaNs[t] {
			add(x)
		}
	default:
		values := edgeInts
		if few {
			values = fewInts
		}
		for _, x := range values {
			add(ir.TruncConst(t, x))
		}
	}
	return list
}

var (
	intTypes   = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64}
	floatTypes = []ir.Type{ir.F32, ir.F64}
	allTypes   = []ir.Type{ir.I8, ir.I16, ir.I32, ir.I64, ir.F32, ir.F64, ir.Ptr}
)

// A variant is an operation that only computes, with its types.
type variant struct {
	op        ir.Op
	res       ir.Type
	args      []ir.Type
	aux, aux2 int64
}

// variants returns the types that an operation may have, or none if it does more than compute.
func variants(op ir.Op) (list []variant) {
	info := op.Info()
	if !op.Pure() || info.Args == "" {
		return nil
	}
	add := func(res ir.Type, args ...ir.Type) { list = append(list, variant{op: op, res: res, args: args}) }
	switch op {
	case ir.OpSExt, ir.OpZExt, ir.OpTrunc:
		for _, from := range intTypes {
			for _, to := range intTypes {
				if from.Bits() < to.Bits() == (op != ir.OpTrunc) && from != to {
					add(to, from)
				}
			}
		}
	case ir.OpFCvt:
		add(ir.F64, ir.F32)
		add(ir.F32, ir.F64)
	case ir.OpBitcast:
		add(ir.I32, ir.F32)
		add(ir.F32, ir.I32)
		add(ir.I64, ir.F64)
		add(ir.F64, ir.I64)
	case ir.OpFToI:
		for _, t := range floatTypes {
			add(ir.I32, t)
			add(ir.I64, t)
		}
	case ir.OpPtrAdd:
		add(ir.Ptr, ir.Ptr, ir.I64)
	case ir.OpPtrIdx:
		for _, aux := range [][2]int64{{1, 0}, {2, 4}, {3, 0}, {4, -8}, {5, 0}, {8, 16}, {9, 0}, {12, 4}, {16, 0}, {24, 8},
			{40, 0}, {100, 1000}} {
			list = append(list, variant{op, ir.Ptr, []ir.Type{ir.Ptr, ir.I64}, aux[0], aux[1]})
		}
	default:
		// Each type that a letter may stand for; it is the same for all operands.
		letter := info.Result
		if i := slices.IndexFunc([]byte(info.Args),
			func(c byte) bool { return c != 'b' && c != 'l' && c != 'p' }); letter == 'b' || letter == 'l' || letter == 'p' {
			if i >= 0 {
				letter = info.Args[i]
			}
		}
		types := map[byte][]ir.Type{'i': intTypes, 'u': intTypes, 'f': floatTypes, 't': allTypes, 's': allTypes,
			'x': {ir.I8, ir.I16, ir.I32, ir.I64, ir.Ptr}}[letter]
		if types == nil {
			types = []ir.Type{ir.I64} // no letter
		}
		fixed := map[byte]ir.Type{'b': ir.I8, 'l': ir.I64, 'p': ir.Ptr}
		for _, t := range types {
			v := variant{op: op, res: t}
			if f, ok := fixed[info.Result]; ok {
				v.res = f
			}
			for i := range info.Args {
				a, ok := fixed[info.Args[i]]
				if !ok {
					a = t
				}
				v.args = append(v.args, a)
			}
			list = append(list, v)
		}
	}
	return list
}

// lists returns the operands for each position.
func (v *variant) lists() (lists [][]int64) {
	for i, t := range v.args {
		lists = append(lists, operands(t, len(v.args) == 3 || len(v.args) == 2 && t.IsFloat()))
		switch {
		case v.op == ir.OpSelect && i == 0:
			lists[0] = []int64{0, 1}
		case v.op == ir.OpPtrAdd || v.op == ir.OpPtrIdx:
			// Addresses within one object.
			lists[i] = [][]int64{{ir.DataBase + 4096, ir.DataBase + 5001}, {0, 1, -1, 2, 3, 7, 8, 15, 16, 20, -16}}[i]
		case v.shifts() && i == 0:
			lists[0] = operands(t, true)
		case v.shifts():
			lists[1] = nil
			for n := range int64(256) {
				lists[1] = append(lists[1], n)
			}
			lists[1] = append(lists[1], 256, 1<<32, 1<<32+1, math.MaxInt64, math.MinInt64, math.MinInt64+3, -1, -64)
		}
	}
	return lists
}

func (v *variant) shifts() bool { return v.op.IsShift() }

// defined reports whether the operation has a meaning for operands.
func (v *variant) defined(x []int64) bool {
	return !v.op.Divides() || x[1] != 0
}

// tuples returns all combinations of operands.
func (v *variant) tuples(lists [][]int64) (all [][]int64) {
	all = [][]int64{nil}
	for _, list := range lists {
		var longer [][]int64
		for _, head := range all {
			for _, x := range list {
				longer = append(longer, append(slices.Clone(head), x))
			}
		}
		all = longer
	}
	return slices.DeleteFunc(all, func(x []int64) bool { return !v.defined(x) })
}

// Where an operand comes from.
const (
	fromArg   = iota
	fromMem   // loaded from an address that is the function's parameter
	fromConst // known at compile time
	fromFirst // the first operand again
)

// build appends the operation with its operands to a function.
func (v *variant) build(b *Builder, args ...*ir.Value) *ir.Value {
	x := b.Add(v.op, v.res, v.aux, args...)
	x.Aux2 = v.aux2
	return x
}

// module makes the module of a variant. For each form of operands it has functions that main calls
// with all combinations.
func (v *variant) module() Case {
	d := newDriver()
	lists := v.lists()
	all := v.tuples(lists)
	forms := func(from []int, consts []int64, tuples [][]int64) {
		for use := range v.uses() {
			var some [][]int64 // the tuples' arguments; for less common uses only some tuples
			for i, x := range tuples {
				if use > useBranch && i%3 != use%3 && len(tuples) > 2 {
					continue
				}
				var in []int64
				for k := range x {
					if from[k] == fromArg || from[k] == fromMem {
						in = append(in, int64(inMemory(v.args[k], uint64(x[k]))))
					}
				}
				some = append(some, in)
			}
			d.try(v.form(d.mod, from, consts, use), some)
		}
	}
	n := len(v.args)
	forms(make([]int, n), nil, all)
	d.try(v.alive(d.mod), all)
	for i := range n {
		// One operand from memory; one constant operand.
		from := make([]int, n)
		from[i] = fromMem
		forms(from, nil, all)
		if n == 1 {
			continue
		}
		from[i] = fromConst
		rest := slices.Clone(lists)
		for _, x := range lists[i] {
			rest[i] = []int64{x}
			consts := make([]int64, n)
			consts[i] = x
			if tuples := v.tuples(rest); len(tuples) > 0 {
				forms(from, consts, tuples)
			}
		}
		if i > 0 && v.args[i] == v.args[0] {
			from[i] = fromFirst
			rest[i] = []int64{1}
			same := v.tuples(rest)
			for _, x := range same {
				x[i] = x[0]
			}
			forms(from, nil, slices.DeleteFunc(same, func(x []int64) bool { return !v.defined(x) }))
		}
	}
	// All operands known: some of the combinations.
	from := slices.Repeat([]int{fromConst}, n)
	for i := 0; i < len(all); i += 1 + len(all)/60 {
		forms(from, all[i], all[i:i+1])
	}
	name := fmt.Sprintf("%v %v %v", v.op, v.res, v.args)
	if v.aux != 0 {
		name += fmt.Sprint(" ", v.aux, " ", v.aux2)
	}
	return Case{Name: name, Mod: d.module(), Addrs: slices.Contains(v.args, ir.Ptr) || v.res == ir.Ptr}
}

// Uses of a result: it is returned, or it decides.
const (
	useValue = iota
	useBranch
	useBranchNot
	useSelect
	useSelectFloat
	useTwice
	numUses
)

// uses is the number of uses for the operation.
func (v *variant) uses() int {
	if v.op.IsComparison() {
		return numUses
	}
	return 1
}

// A tried is a function that takes its operands from a table, some of them by address.
type tried struct {
	*ir.Func
	byAddr string // a byte for each parameter, 1: the address of the operand
}

// form makes a function of one form; it returns one value.
func (v *variant) form(mod *ir.Module, from []int, consts []int64, use int) tried {
	var sig ir.Sig
	var byAddr []byte
	for i, t := range v.args {
		switch from[i] {
		case fromArg:
			sig.Params = append(sig.Params, t)
			byAddr = append(byAddr, 0)
		case fromMem:
			sig.Params = append(sig.Params, ir.Ptr)
			byAddr = append(byAddr, 1)
		}
	}
	b := NewFunc(mod, "form", sig)
	params := b.Args()
	args := make([]*ir.Value, len(v.args))
	for i, t := range v.args {
		switch from[i] {
		case fromArg:
			args[i], params = params[0], params[1:]
		case fromMem:
			args[i], params = b.Add(ir.OpLoad, t, 0, params[0]), params[1:]
		case fromConst:
			args[i] = b.Const(t, consts[i])
		case fromFirst:
			args[i] = args[0]
		}
	}
	x := v.build(b, args...)
	res := x.Type
	switch use {
	case useValue:
		b.Return(x)
	case useBranch, useBranchNot:
		yes, no := b.If(x)
		if use == useBranchNot {
			b.B.Succs[0], b.B.Succs[1] = no.B, yes.B
			yes, no = no, yes
		}
		res = ir.I64
		yes.Return(yes.Const(res, 11))
		no.Return(no.Const(res, 22))
	case useSelect:
		res = ir.I64
		b.Return(b.Add(ir.OpSelect, res, 0, x, b.Const(res, 11), b.Const(res, 22)))
	case useSelectFloat:
		res = ir.F64
		b.Return(b.Add(ir.OpSelect, res, 0, x, b.Const(res, 0x3ff0000000000000), b.Const(res, 0x4000000000000000)))
	case useTwice:
		res = ir.I64
		y := b.Add(ir.OpSelect, res, 0, x, b.Const(res, 11), b.Const(res, 22))
		b.Return(b.Add(ir.OpAdd, res, 0, y, b.Add(ir.OpZExt, res, 0, x)))
	}
	b.F.Sig.Results = []ir.Type{res}
	return tried{b.F, string(byAddr)}
}

// alive makes a function whose operands stay live: it returns them after the result.
func (v *variant) alive(mod *ir.Module) tried {
	b := NewFunc(mod, "alive", ir.Sig{Params: v.args, Results: append([]ir.Type{v.res}, v.args...)})
	args := b.Args()
	b.Return(append([]*ir.Value{v.build(b, args...)}, args...)...)
	return tried{b.F, string(make([]byte, len(args)))}
}

// A driver makes a module whose main calls functions with operands from a table and stores their
// results.
type driver struct {
	mod    *ir.Module
	main   *Builder
	table  []byte
	at     map[string]int64 // addresses of tables
	loops  map[string]*ir.Func
	out    int64 // bytes of results
	starts []*ir.Value
}

// tableBase is the address of the table: after the window and the area that traps write. The
// results follow the table.
const tableBase = 4096

func newDriver() *driver {
	d := &driver{mod: NewModule(nil, 0), at: map[string]int64{}, loops: map[string]*ir.Func{}}
	d.main = NewFunc(d.mod, "main", ir.Sig{})
	d.mod.Entry = d.main.F
	return d
}

// try makes main call f with each of the tuples.
func (d *driver) try(f tried, tuples [][]int64) {
	key := fmt.Sprint(f.Sig.Key(), f.byAddr, tuples)
	at, ok := d.at[key]
	if !ok {
		at = int64(len(d.table))
		d.at[key] = at
		for _, tuple := range tuples {
			for k, x := range tuple {
				if f.byAddr[k] == 0 {
					x = int64(inMemory(f.Sig.Params[k], uint64(x)))
				}
				d.table = binary.LittleEndian.AppendUint64(d.table, uint64(x))
			}
		}
	}
	b := d.main
	out := b.Const(ir.Ptr, d.out)
	d.starts = append(d.starts, out)
	d.out += int64(8 * len(tuples) * len(f.Sig.Results))
	b.Call(d.loop(f), b.Const(ir.I64, int64(f.Index)), b.Const(ir.Ptr, ir.DataBase+tableBase+at), out,
		b.Const(ir.I64, int64(len(tuples))))
}

// loop returns a function that calls functions like f by their index.
func (d *driver) loop(f tried) *ir.Func {
	key := f.Sig.Key() + f.byAddr
	if l := d.loops[key]; l != nil {
		return l
	}
	b := NewFunc(d.mod, "loop", ir.Sig{Params: []ir.Type{ir.I64, ir.Ptr, ir.Ptr, ir.I64}})
	args := b.Args()
	zero, one := b.Const(ir.I64, 0), b.Const(ir.I64, 1)
	head := &Builder{b.F, b.F.NewBlock()}
	b.Jump(head.B)
	i := head.Add(ir.OpPhi, ir.I64, 0, zero)
	head.Add(ir.OpGasLoop, ir.Void, 3)
	body, end := head.If(head.Add(ir.OpLtS, ir.I8, 0, i, args[3]))
	end.Return()
	row := args[1]
	if n := len(f.byAddr); n > 0 {
		row = body.Add(ir.OpPtrIdx, ir.Ptr, int64(8*n), row, i)
	}
	operands := []*ir.Value{args[0]}
	for k, t := range f.Sig.Params {
		if f.byAddr[k] != 0 {
			operands = append(operands, body.Add(ir.OpPtrAdd, ir.Ptr, 0, row, body.Const(ir.I64, int64(8*k))))
		} else {
			operands = append(operands, body.Add(ir.OpLoad, t, int64(8*k), row))
		}
	}
	call := body.Add(ir.OpCallIndex, f.Sig.Result(), 0, operands...)
	sig := f.Sig
	call.Sig = &sig
	results := []*ir.Value{call}
	for k := 1; k < len(sig.Results); k++ {
		results = append(results, body.Add(ir.OpResult, sig.Results[k], int64(k), call))
	}
	to := body.Add(ir.OpPtrIdx, ir.Ptr, int64(8*len(sig.Results)), args[2], i)
	for k, r := range results {
		body.Add(ir.OpStore, ir.Void, int64(8*k), to, r)
	}
	next := body.Add(ir.OpAdd, ir.I64, 0, i, one)
	i.Args = append(i.Args, next)
	body.Jump(head.B)
	d.loops[key] = b.F
	return b.F
}

// module ends main and gives the module its memory.
func (d *driver) module() *ir.Module {
	d.main.Return()
	d.mod.Data = append(make([]byte, tableBase), d.table...)
	base := ir.DataBase + int64(len(d.mod.Data))
	for _, v := range d.starts {
		v.Aux += base
	}
	d.mod.BSS = d.out
	return d.mod
}

// A Variant is an operation that only computes, with the types of its result and operands.
type Variant struct {
	Op        ir.Op
	Type      ir.Type
	Args      []ir.Type
	Aux, Aux2 int64
}

// Variants returns the types that an operation may have, or none if it does more than compute.
func Variants(op ir.Op) (list []Variant) {
	for _, v := range variants(op) {
		list = append(list, Variant{v.op, v.res, v.args, v.aux, v.aux2})
	}
	return list
}
