package irtest

import (
	"fmt"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// # Memory

// An address is a way to compute the address `at` bytes after a base.
type address struct {
	name string
	make func(b *Builder, base, index *ir.Value) *ir.Value // index is 3
	at   int64
}

var addresses = []address{
	{"base", func(b *Builder, base, index *ir.Value) *ir.Value { return base }, 0},
	{"constant", func(b *Builder, base, index *ir.Value) *ir.Value { return b.Const(ir.Ptr, scratchBase) }, 0},
	{"sum", func(b *Builder, base, index *ir.Value) *ir.Value { return b.Add(ir.OpPtrAdd, ir.Ptr, 0, base, index) }, 3},
	{"sum with a constant", func(b *Builder, base, index *ir.Value) *ir.Value {
		return b.Add(ir.OpPtrAdd, ir.Ptr, 0, base, b.Const(ir.I64, 200))
	}, 200},
	{"difference", func(b *Builder, base, index *ir.Value) *ir.Value {
		return b.Add(ir.OpPtrAdd, ir.Ptr, 0, b.Add(ir.OpPtrAdd, ir.Ptr, 0, base, b.Const(ir.I64, 64)),
			b.Add(ir.OpNeg, ir.I64, 0, index))
	}, 61},
	{"sum of sums", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, b.Add(ir.OpPtrAdd, ir.Ptr, 0, base, b.Const(ir.I64, 40)), index, 8, -16)
	}, 48},
	{"element 1", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 1, 0) }, 3},
	{"element 2", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 2, 5) }, 11},
	{"element 4", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 4, 0) }, 12},
	{"element 8", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 8, 300) }, 324},
	{"element 3", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 3, 0) }, 9},
	{"element 24", func(b *Builder, base, index *ir.Value) *ir.Value { return indexed(b, base, index, 24, 8) }, 80},
	{"element by a constant", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, base, b.Const(ir.I64, 7), 16, 0)
	}, 112},
	{"element 8 by a constant", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, base, b.Const(ir.I64, 7), 8, 0)
	}, 56},
	{"element 1 by a constant", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, base, b.Const(ir.I64, 9), 1, 0)
	}, 9},
	{"element by 32 bits", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, base, b.Add(ir.OpZExt, ir.I64, 0, b.Add(ir.OpTrunc, ir.I32, 0, index)), 8, 0)
	}, 24},
	{"element by a signed byte", func(b *Builder, base, index *ir.Value) *ir.Value {
		return indexed(b, base, b.Add(ir.OpSExt, ir.I64, 0, b.Add(ir.OpTrunc, ir.I8, 0, index)), 4, 0)
	}, 12},
}

func indexed(b *Builder, base, index *ir.Value, scale, off int64) *ir.Value {
	p := b.Add(ir.OpPtrIdx, ir.Ptr, scale, base, index)
	p.Aux2 = off
	return p
}

// scratchBase is the address of the accesses: a part of the memory before the table.
const scratchBase = ResultAddr + 1024 + 1024

// accesses are loads and stores of all types, by all addresses, with the operations that back ends
// combine with them.
func accesses() (list []Case) {
	for _, t := range allTypes {
		d := newDriver()
		for _, addr := range addresses {
			for _, off := range []int64{0, 8, 120, 500} {
				for kind := range numAccesses {
					if f, tuples := accessForm(d.mod, t, addr, off, kind); f.Func != nil {
						d.try(f, tuples)
					}
				}
			}
		}
		list = append(list, Case{Name: fmt.Sprint("accesses ", t), Mod: d.module()})
	}
	return list
}

// Ways to use an address.
const (
	accessLoad   = iota // store 64 bits, or a float, load
	accessSigned        // and extend
	accessZero
	accessPart   // load more, truncate, extend
	accessStore  // store, load 64 bits
	accessConst  // store a constant
	accessUpdate // load, operate, store
	accessUpdateConst
	accessOperand // as the operand of an operation
	accessTwice   // the address has two uses
	numAccesses
)

// accessForm makes a function (base, index, value) that returns the loaded value.
func accessForm(mod *ir.Module, t ir.Type, addr address, off int64, kind int) (f tried, tuples [][]int64) {
	in := t
	if kind < accessStore && !t.IsFloat() {
		in = ir.I64
	}
	b := NewFunc(mod, "access", ir.Sig{Params: []ir.Type{ir.Ptr, ir.I64, in}})
	args := b.Args()
	p := addr.make(b, args[0], args[1])
	load := func(t ir.Type) *ir.Value { return b.Add(ir.OpLoad, t, off, p) }
	store := func(x *ir.Value) { b.Add(ir.OpStore, ir.Void, off, p, x) }
	add := ir.OpAdd
	if t.IsFloat() {
		add = ir.OpFAdd
	}
	var res *ir.Value
	extends := t.IsInt() && t != ir.I64
	switch {
	case kind == accessLoad:
		store(args[2])
		res = load(t)
	case kind == accessSigned && extends:
		store(args[2])
		res = b.Add(ir.OpSExt, ir.I64, 0, load(t))
	case kind == accessZero && extends:
		store(args[2])
		res = b.Add(ir.OpZExt, ir.I64, 0, load(t))
	case kind == accessPart && extends:
		store(args[2])
		x := b.Add(ir.OpTrunc, t, 0, load(ir.I64))
		res = b.Add(ir.OpAdd, ir.I64, 0, b.Add(ir.OpSExt, ir.I64, 0, x), b.Add(ir.OpZExt, ir.I64, 0, x))
	case kind == accessStore:
		b.Add(ir.OpStore, ir.Void, off, p, b.Const(ir.I64, -1))
		store(args[2])
		res = load(ir.I64)
	case kind == accessConst:
		b.Add(ir.OpStore, ir.Void, off, p, args[1])
		list := operands(t, true)
		store(b.Const(t, list[int(addr.at+off)%len(list)]))
		res = load(ir.I64)
	case kind == accessUpdate && t != ir.Ptr:
		store(b.Const(t, operands(t, true)[2]))
		store(b.Add(add, t, 0, load(t), args[2]))
		res = load(t)
	case kind == accessUpdateConst && t.IsInt():
		store(args[2])
		store(b.Add(ir.OpSub, t, 0, load(t), b.Const(t, 3)))
		store(b.Add(ir.OpXor, t, 0, load(t), b.Const(t, -100)))
		res = load(t)
	case kind == accessOperand && t != ir.Ptr:
		store(args[2])
		res = b.Add(add, t, 0, load(t), b.Add(add, t, 0, args[2], load(t)))
	case kind == accessTwice:
		store(args[2])
		b.Add(ir.OpStore, ir.Void, off+16, p, args[2])
		res = b.Add(ir.OpPtrToInt, ir.I64, 0, p)
	default:
		mod.SetFuncs(mod.Funcs()[:mod.NumFuncs()-1])
		return tried{}, nil
	}
	b.Return(res)
	b.F.Sig.Results = []ir.Type{res.Type}
	for _, x := range operands(in, true) {
		tuples = append(tuples, []int64{scratchBase, 3, x})
	}
	return tried{b.F, "\x00\x00\x00"}, tuples
}

// bulkSizes are sizes around the limits between the methods for bulk memory.
var bulkSizes = []int64{0, 1, 2, 3, 4, 5, 7, 8, 9, 12, 15, 16, 17, 24, 31, 32, 33, 47, 48, 63, 64, 65, 96, 127, 128,
	129, 255, 256, 257, 639, 640}

// bulk are operations on ranges of bytes: with known and unknown sizes, on ranges that overlap,
// that are equal except for one byte, or nearly so.
func bulk() []Case {
	const (
		p    = scratchBase
		room = 700
		q    = p + room
	)
	d := newDriver()
	fill := func(b *Builder) {
		for i := int64(0); i < 2*room; i += 8 {
			x := i * 0x0101_0203_0509_1101
			if i >= room {
				x = (i - room) * 0x0101_0203_0509_1101 // the same data with small differences
			}
			b.Add(ir.OpStore, ir.Void, i, b.Const(ir.Ptr, p), b.Const(ir.I64, x))
		}
	}
	filler := NewFunc(d.mod, "fill", ir.Sig{})
	fill(filler)
	filler.Return()
	sum := func(b *Builder) *ir.Value {
		return b.Add(ir.OpMemHash, ir.I64, 0, b.Const(ir.Ptr, p), b.Const(ir.I64, 1), b.Const(ir.I64, 2*room))
	}
	places := [][2]int64{{p, q}, {q, p}, {p + 3, p}, {p, p + 3}, {p + 40, p}, {p, p + 40}, {p + 5, p + 5}, {p + 1, q + 1}}
	sizes := append([]int64{-1}, bulkSizes...)
	// Sizes and addresses that are known only at run time.
	unknown := func(res ir.Type, op ir.Op, tuples [][]int64, args func(b *Builder, x []*ir.Value) []*ir.Value) {
		b := NewFunc(d.mod, "unknown", ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr, ir.I64, ir.I64},
			Results: []ir.Type{ir.I64, ir.I64}})
		in := b.Args()
		b.Call(filler.F)
		x := b.Add(op, res, 0, args(b, in)...)
		if res == ir.Void || res == ir.I8 {
			x = b.Const(ir.I64, 0)
		}
		b.Return(x, sum(b))
		d.try(tried{b.F, "\x00\x00\x00\x00"}, tuples)
	}
	var all [][]int64
	for _, at := range places {
		for i, n := range sizes {
			all = append(all, []int64{at[0], at[1], n, sizes[(i*7+3)%len(sizes)]}, []int64{at[0], at[1], n, n})
		}
	}
	unknown(ir.Void, ir.OpMoveN, all, func(b *Builder, x []*ir.Value) []*ir.Value { return []*ir.Value{x[0], x[1], x[2]} })
	unknown(ir.Void, ir.OpClearN, all, func(b *Builder, x []*ir.Value) []*ir.Value { return []*ir.Value{x[0], x[2]} })
	unknown(ir.I64, ir.OpMemCmp, all, func(b *Builder,
		x []*ir.Value) []*ir.Value {
		return []*ir.Value{x[0], x[2], x[1], x[3]}
	})
	unknown(ir.I64, ir.OpMemHash, all, func(b *Builder,
		x []*ir.Value) []*ir.Value {
		return []*ir.Value{x[0], x[3], x[2]}
	})
	unknown(ir.I64, ir.OpIndexByte, all, func(b *Builder,
		x []*ir.Value) []*ir.Value {
		return []*ir.Value{x[0], x[2], x[3]}
	})
	// Equality of ranges, as a value and as a condition, when one byte is changed or none.
	for _, branch := range []bool{false, true} {
		for _, known := range append([]int64{-1}, bulkSizes...) {
			b := NewFunc(d.mod, "equal", ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr, ir.I64, ir.I64}, Results: []ir.Type{ir.I64}})
			in := b.Args()
			n, tuples := in[2], [][]int64(nil)
			for _, size := range bulkSizes {
				if known >= 0 && size != known {
					continue
				}
				for _, at := range []int64{0, size / 2, size - 1, size} {
					tuples = append(tuples, []int64{p, q, size, max(at, 0)}, []int64{p + 1, p + 1, size, max(at, 0)})
				}
			}
			if known >= 0 {
				n = b.Const(ir.I64, known)
			}
			b.Call(filler.F)
			b.Add(ir.OpMoveN, ir.Void, 0, in[1], in[0], n)
			at := b.Add(ir.OpPtrAdd, ir.Ptr, 0, in[0], in[3])
			b.Add(ir.OpStore, ir.Void, 0, at, b.Add(ir.OpXor, ir.I8, 0, b.Add(ir.OpLoad, ir.I8, 0, at), b.Const(ir.I8, -128)))
			eq := b.Add(ir.OpMemEq, ir.I8, 0, in[0], in[1], n)
			if branch {
				yes, no := b.If(eq)
				yes.Return(yes.Const(ir.I64, 1))
				no.Return(no.Const(ir.I64, 2))
			} else {
				b.Return(b.Add(ir.OpZExt, ir.I64, 0, eq))
			}
			d.try(tried{b.F, "\x00\x00\x00\x00"}, tuples)
		}
	}
	// Known sizes.
	for i, n := range bulkSizes {
		for _, op := range []ir.Op{ir.OpMove, ir.OpClear, ir.OpMoveN, ir.OpClearN, ir.OpMemCmp, ir.OpMemHash,
			ir.OpIndexByte} {
			b := NewFunc(d.mod, "known", ir.Sig{Params: []ir.Type{ir.Ptr, ir.Ptr}, Results: []ir.Type{ir.I64, ir.I64}})
			in := b.Args()
			b.Call(filler.F)
			size := b.Const(ir.I64, n)
			x := size
			switch op {
			case ir.OpMove:
				b.Add(op, ir.Void, max(n, 1), in[0], in[1])
			case ir.OpClear:
				b.Add(op, ir.Void, max(n, 1), in[0])
			case ir.OpMoveN:
				b.Add(op, ir.Void, 0, in[0], in[1], size)
			case ir.OpClearN:
				b.Add(op, ir.Void, 0, in[0], size)
			case ir.OpMemCmp:
				x = b.Add(op, ir.I64, 0, in[0], size, in[1], b.Const(ir.I64, bulkSizes[(i*5+1)%len(bulkSizes)]))
			case ir.OpMemHash:
				x = b.Add(op, ir.I64, 0, in[0], b.Const(ir.I64, n*77), size)
			case ir.OpIndexByte:
				x = b.Add(op, ir.I64, 0, in[0], size, b.Const(ir.I64, 0x5f))
			}
			b.Return(x, sum(b))
			var tuples [][]int64
			for _, at := range places {
				tuples = append(tuples, at[:])
			}
			d.try(tried{b.F, "\x00\x00"}, tuples)
		}
	}
	return []Case{{Name: "bulk memory", Mod: d.module()}}
}

// # Control

// text makes a case of a module's text. Its main stores results at 0x10000.
func text(name string, limit int64, body string) Case {
	mod, err := ir.ParseModule("data 8192\nhost 0 \"exit\" (i32) -> ()\nhost 1 \"tracegas\" () -> (i64)\n" + body +
		"\nentry @main\n")
	if err != nil {
		panic(fmt.Sprint(name, ": ", err))
	}
	for _, f := range mod.Funcs()[1:] {
		f.FixRoots()
	}
	return Case{Name: name, Mod: mod, Limit: limit}
}

// checks are checks that hold and that fail, of known and unknown operands.
func checks() (list []Case) {
	for _, p := range []string{"0", "0x10000"} {
		for _, where := range []string{"v1 = const ptr " + p,
			"v9 = const ptr " + p + "\n v8 = const ptr 0x10100\n store v8 v9 [0]\n v1 = load ptr v8 [0]"} {
			list = append(list, text("nilcheck "+where, 0, `
func @main () -> () {
b0:
  `+where+`
  nilcheck v1
  v2 = const ptr 0x10000
  v3 = const i64 5
  store v2 v3 [8]
  ret
}`))
		}
	}
	type pair struct{ x, y int64 }
	pairs := []pair{{0, 0}, {0, 1}, {1, 0}, {4, 5}, {5, 5}, {-1, 5}, {5, -1}, {-1, -1}, {1 << 32, 1<<32 + 1},
		{-1 << 63, 1<<63 - 1}, {1<<63 - 1, -1 << 63}, {100, 1 << 40}}
	for _, known := range []string{"", "x", "y", "xy"} {
		for _, p := range pairs {
			// The operands come from memory, or are constants.
			get := func(name string, n int, x int64) string {
				if strings.Contains(known, name) {
					return fmt.Sprintf("  v%d = const i64 %d\n", n, x)
				}
				return fmt.Sprintf("  v%d = load i64 v10 [%d]\n", n, 8*n)
			}
			head := fmt.Sprintf("func @main () -> () {\nb0:\n  v10 = const ptr 0x10000\n  v11 = const i64 %d\n  v12 = const i64 %d\n  store v10 v11 [8]\n  store v10 v12 [16]\n", p.x, p.y)
			head += get("x", 1, p.x) + get("y", 2, p.y)
			name := fmt.Sprintf("%d %d known %q", p.x, p.y, known)
			list = append(list, text("bounds "+name, 0, head+"  bounds v1 v2 [1]\n  store v10 v1 [24]\n  ret\n}"))
			for i, op := range []string{"eq", "ne", "lts", "les", "ltu", "leu"} {
				list = append(list, text("check "+op+" "+name, 0,
					head+fmt.Sprintf("  v3 = %s i8 v1 v2\n  check v3 v2 v1 [%d]\n  store v10 v1 [24]\n  ret\n}", op, 7+i%2)))
			}
			if known == "" {
				for _, op := range []string{"feq", "fne", "flt", "fle"} {
					list = append(list, text("check "+op+" "+name, 0,
						head+"  v4 = bitcast f64 v1\n  v5 = itof f64 v2\n  v3 = "+op+" i8 v4 v5\n  check v3 [18]\n  store v10 v1 [24]\n  ret\n}"))
				}
			}
		}
	}
	return list
}

// control are calls, frames, allocations, charges and other operations with effects.
func control() []Case {
	list := []Case{
		text("charges", 0, charges), text("charges that end it", 29, charges),
		text("charges that end it at once", 1, charges),
		text("a negative charge", 1000, strings.Replace(charges, "const i64 5", "const i64 -5", 1)),
		text("a charge of nothing", 0, strings.Replace(charges, "const i64 5", "const i64 0", 1)),
		text("allocations", 0, allocations),
		text("locals", 0, locals),
		text("function values", 0, functionValues),
		text("unwinding", 0, unwinding),
		text("measured loops", 0, measured),
		text("rounds that the gas covers", 0, covered), text("rounds that the gas ends", 29, covered),
	}
	counted := text("counts of coverage", 0, counts)
	counted.Mod.Counters = 600
	return append(list, manyArguments(), oddNaNsInMemory(), counted)
}

// measured is a loop that counts down, with operands that passes must not know, in the form that
// lowering gives measured loops. Every iteration must compute what it consumes, and a local whose
// address is consumed holds what was stored.
const measured = `
func @main () -> () {
  local 0 "l" size 16 align 8
b0:
  v0 = const ptr 0x10000
  v1 = const i64 5
  v2 = const i64 3
  v3 = const f64 4609434218613702656
  v4 = localaddr ptr [0]
  v5 = const i64 0
  jump b1
b1: <- b0 b1
  v6 = phi i64 v1 v16
  v7 = phi i64 v2 v11
  v8 = phi ptr v4 v12
  v9 = phi f64 v3 v13
  v10 = phi i64 v5 v17
  v11 = opaque i64 v7
  v12 = opaque ptr v8
  v13 = opaque f64 v9
  v14 = mul i64 v11 v11
  v15 = fadd f64 v13 v13
  store v4 v14 [8]
  consume v14
  consume v15
  consume v4
  v18 = load i64 v12 [8]
  v17 = add i64 v10 v18
  consume v18
  v19 = const i64 1
  v16 = sub i64 v6 v19
  v20 = ne i8 v16 v5
  if v20 b1 b2
b2: <- b1
  store v0 v17 [0]
  v21 = const i8 1
  v22 = opaque i8 v21
  store v0 v22 [8]
  store v0 v13 [16]
  ret
}`

// covered is a loop with two rounds at once where the gas covers them, in the form that pass unroll
// gives loops. It charges the same whichever way rounds go: a host that wants a look at the run makes
// less gas appear to be left.
const covered = `
func @main () -> () {
b0:
  v0 = const ptr 0x10000
  v1 = const i64 0
  v2 = const i64 20
  jump b1
b1: <- b0 b3 b4
  v3 = phi i64 v1 v7 v9
  v4 = lts i8 v3 v2
  if v4 b2 b5
b2: <- b1
  v5 = gasleft i64
  v6 = const i64 6
  v10 = les i8 v6 v5
  v13 = const i64 19
  v14 = lts i8 v3 v13
  v15 = and i8 v10 v14
  if v15 b3 b4
b3: <- b2
  v11 = const i64 2
  v7 = add i64 v3 v11
  gas [6, 1]
  jump b1
b4: <- b2
  gasloop [3]
  v12 = const i64 1
  v9 = add i64 v3 v12
  jump b1
b5: <- b1
  store v0 v3 [0]
  ret
}`

// counts are counts that are always made, and counts on conditions: known and unknown, inverted and
// not, several at once, and the condition of the branch after them, with little and much code
// between them and the loop.
const counts = `
func @main () -> () {
b0:
  count [0]
  v1 = const i64 0
  v2 = const i64 1
  v3 = const i8 1
  v4 = const i8 0
  v20 = const ptr 0x10000
  countif v3 [1, 0]
  countif v3 [2, 1]
  countif v4 [3, 0]
  countif v4 [4, 1]
  jump b1
b1: <- b0 b4
  v5 = phi i64 v1 v6
  v7 = const i64 10
  v8 = lts i8 v5 v7
  countif v8 [5, 0]
  countif v8 [6, 1]
  if v8 b2 b5
b2: <- b1
  v9 = and i64 v5 v2
  v10 = eq i8 v9 v1
  v11 = const i64 4
  v12 = lts i8 v5 v11
  countif v10 [7, 0]
  countif v10 [8, 1]
  countif v10 v12 [9, 0]
  countif v10 v12 [10, 1]
  countif v10 v12 [11, 2]
  countif v12 v10 [12, 3]
  countif v12 v10 v8 [599, 0]
  if v12 b3 b4
b3: <- b2
  count [13]
  store v20 v5 [0]
  jump b4
b4: <- b2 b3
  count [14]
  v6 = add i64 v5 v2
  jump b1
b5: <- b1
  count [598]
  ret
}`

const charges = `
func @main () -> () {
b0:
  gas [7]
  v1 = const i64 5
  v2 = const ptr 0x10000
  v3 = const i64 0
  jump b1
b1: <- b0 b2
  v4 = phi i64 v3 v5
  gasloop [3]
  v6 = lts i8 v4 v1
  if v6 b2 b3
b2: <- b1
  v7 = const i64 1
  v5 = add i64 v4 v7
  v8 = host i64 [1] : () -> (i64)
  store v2 v8 [0]
  jump b1
b3: <- b1
  gasn v1
  v9 = host i64 [1] : () -> (i64)
  store v2 v9 [8]
  gas [100000]
  gas [3000000000]
  v10 = host i64 [1] : () -> (i64)
  store v2 v10 [16]
  ret
}`

const allocations = `
layout 1 size 16 ptrs 0x1
func @main () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 0
  v20 = const ptr 0
  jump b1
b1: <- b0 b2
  v3 = phi i64 v2 v4
  v5 = phi ptr v20 v6
  v21 = phi i64 v2 v22
  gasloop [1]
  v7 = const i64 400
  v8 = lts i8 v3 v7
  if v8 b2 b3
b2: <- b1
  v6 = new ptr [1, 16]
  v9 = load i64 v6 [8]
  v10 = const i64 1
  v4 = add i64 v3 v10
  store v6 v5 [0]
  store v6 v4 [8]
  v11 = const i64 31
  v12 = and i64 v3 v11
  v13 = newarray ptr v12 [0, 7]
  v14 = newarray ptr v12 [1, 16]
  v15 = new ptr [0, 9000]
  v16 = const i64 100
  v17 = and i64 v3 v16
  v18 = newarray ptr v17 [0, 700]
  v33 = newarray ptr v4 [0, 8]
  v34 = newarray ptr v4 [0, 8]
  v35 = ptridx ptr v33 v3 [8, 0]
  v36 = ptridx ptr v34 v3 [8, 0]
  store v35 v4 [0]
  store v36 v10 [0]
  store v34 v2 [0]
  v37 = load i64 v35 [0]
  store v1 v37 [40]
  v19 = load i64 v15 [8992]
  v23 = const i64 700
  v24 = memhash i64 v15 v2 v23
  v25 = add i64 v9 v19
  v26 = add i64 v25 v24
  v22 = add i64 v21 v26
  store v15 v4 [8992]
  v27 = const i64 7
  v28 = mul i64 v12 v27
  v29 = memhash i64 v13 v2 v28
  store v1 v29 [8]
  moven v13 v15 v28
  jump b1
b3: <- b1
  v30 = load i64 v5 [8]
  v31 = load ptr v5 [0]
  v32 = load i64 v31 [8]
  store v1 v30 [16]
  store v1 v32 [24]
  store v1 v21 [32]
  ret
}`

const locals = `
func @main () -> () {
b0:
  v1 = const i64 40
  v2 = call i64 @f v1 : (i64) -> (i64)
  v3 = const ptr 0x10000
  store v3 v2 [0]
  ret
}
func @f (i64) -> (i64) {
  local 0 "a" size 48 align 8 ptrs 0x1
  local 1 "b" size 1000 align 8
  local 2 "c" size 1 align 1
b0:
  v0 = arg i64 [0]
  gas [2]
  v1 = localaddr ptr [0]
  v2 = localaddr ptr [1]
  v3 = localaddr ptr [2]
  v4 = load ptr v1 [0]
  v5 = ptrtoint i64 v4
  v6 = const i64 0
  store v1 v0 [40]
  store v2 v0 [992]
  v7 = trunc i8 v0
  store v3 v7 [0]
  v8 = eq i8 v0 v6
  if v8 b1 b2
b1: <- b0
  ret v5
b2: <- b0
  v9 = const i64 1
  v10 = sub i64 v0 v9
  v11 = call i64 @f v10 : (i64) -> (i64)
  v12 = load i64 v1 [40]
  v13 = load i64 v2 [992]
  v14 = load i8 v3 [0]
  v15 = zext i64 v14
  v16 = add i64 v11 v12
  v17 = mul i64 v16 v13
  v18 = xor i64 v17 v15
  v19 = add i64 v18 v5
  ret v19
}`

const functionValues = `
func @main #1 () -> () {
b0:
  v1 = const ptr 0x10000
  v2 = const i64 2
  store v1 v2 [64]
  v3 = const i64 42
  store v1 v3 [72]
  v4 = const ptr 0x10040
  v5 = callclosure i64 v4 v3 : (i64) -> (i64, f32)
  v6 = result f32 v5 [1]
  store v1 v5 [0]
  store v1 v6 [8]
  v7 = const i64 3
  v8 = callindex f32 v7 v6 v5 : (f32, i64) -> (f32, i8)
  v9 = result i8 v8 [1]
  store v1 v8 [16]
  store v1 v9 [24]
  ret
}
func @closure #2 (i64) -> (i64, f32) {
b0:
  v1 = arg i64 [0]
  v2 = closure ptr
  v3 = load i64 v2 [8]
  v4 = mul i64 v1 v3
  v5 = itof f32 v4
  ret v4 v5
}
func @index #3 (f32, i64) -> (f32, i8) {
b0:
  v1 = arg f32 [0]
  v2 = arg i64 [1]
  v3 = trunc i8 v2
  v4 = fneg f32 v1
  ret v4 v3
}`

// unwinding drops frames with and without locals; the code after it works as before.
const unwinding = `
func @main () -> () {
b0:
  v1 = const i64 45
  v2 = call i64 @top v1 : (i64) -> (i64)
  v3 = const ptr 0x10000
  store v3 v2 [0]
  v4 = const i64 3
  v5 = call i64 @top v4 : (i64) -> (i64)
  store v3 v5 [8]
  v6 = const i64 150
  v7 = const i64 0
  v8 = call i64 @down v6 v7 : (i64, i64) -> (i64)
  store v3 v8 [16]
  ret
}
func @top (i64) -> (i64) flags hasdefer {
  recover b1
  local 0 "result" size 8 align 8
b0:
  v0 = arg i64 [0]
  v1 = localaddr ptr [0]
  store v1 v0 [0]
  v2 = frameid i64
  v3 = call i64 @down v0 v2 : (i64, i64) -> (i64)
  ret v3
b1:
  v4 = localaddr ptr [0]
  v5 = load i64 v4 [0]
  v6 = const i64 1000
  v7 = add i64 v5 v6
  ret v7
}
func @down (i64, i64) -> (i64) {
  local 0 "x" size 200 align 8
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [1]
  gas [1]
  v2 = localaddr ptr [0]
  store v2 v0 [192]
  v3 = const i64 0
  v4 = eq i8 v0 v3
  if v4 b1 b2
b1: <- b0
  v5 = eq i8 v1 v3
  if v5 b3 b4
b2: <- b0
  v6 = const i64 1
  v7 = sub i64 v0 v6
  v8 = const i64 7
  v9 = and i64 v0 v8
  v10 = eq i8 v9 v3
  if v10 b5 b6
b3: <- b1
  ret v3
b4: <- b1
  unwind v1
  unreachable
b5: <- b2
  v11 = call i64 @plain v7 v1 : (i64, i64) -> (i64)
  ret v11
b6: <- b2
  v12 = call i64 @down v7 v1 : (i64, i64) -> (i64)
  v13 = load i64 v2 [192]
  v14 = add i64 v12 v13
  ret v14
}
func @plain (i64, i64) -> (i64) {
b0:
  v0 = arg i64 [0]
  v1 = arg i64 [1]
  v2 = call i64 @down v0 v1 : (i64, i64) -> (i64)
  v3 = add i64 v2 v0
  ret v3
}`

// oddNaNsInMemory has a function with package unsafe load floats where memory holds integers, among
// them NaNs of any kind, compute, and store.
func oddNaNsInMemory() Case {
	mod := NewModule(make([]byte, 256), 4096)
	b := NewFunc(mod, "main", ir.Sig{})
	b.F.Flags |= ir.Unsafe
	mod.Entry = b.F
	p := b.Const(ir.Ptr, ir.DataBase)
	out := int64(0)
	for _, t := range floatTypes {
		in := ir.I64
		if t == ir.F32 {
			in = ir.I32
		}
		for _, bits := range oddNaNs[t] {
			b.Add(ir.OpStore, ir.Void, 240, p, b.Const(in, bits))
			x := b.Add(ir.OpLoad, t, 240, p)
			sum := b.Add(ir.OpFAdd, t, 0, b.Const(t, 0), x)
			for _, y := range []*ir.Value{x, sum, b.Add(ir.OpFNeg, t, 0, x), b.Add(ir.OpFSub, t, 0, x, sum)} {
				b.Add(ir.OpStore, ir.Void, out, p, y)
				out += 8
			}
		}
	}
	b.Return()
	return Case{Name: "NaNs in memory", Mod: mod}
}

// manyArguments calls functions with more arguments and results than registers.
func manyArguments() Case {
	d := newDriver()
	var sig ir.Sig
	var tuple []int64
	for i := range 40 {
		t := allTypes[i*5%len(allTypes)]
		sig.Params = append(sig.Params, t)
		list := operands(t, true)
		tuple = append(tuple, list[i%len(list)])
	}
	sig.Results = append(sig.Results, sig.Params...)
	sig.Results[0], sig.Results[39] = sig.Params[39], sig.Params[0]
	leaf := NewFunc(d.mod, "leaf", sig)
	args := leaf.Args()
	args[0], args[39] = args[39], args[0]
	leaf.Return(args...)
	b := NewFunc(d.mod, "many", sig)
	call := b.Call(leaf.F, b.Args()...)
	results := []*ir.Value{call}
	for k := 1; k < len(sig.Results); k++ {
		results = append(results, b.Add(ir.OpResult, sig.Results[k], int64(k), call))
	}
	b.Return(results...)
	d.try(tried{b.F, string(make([]byte, len(sig.Params)))}, [][]int64{tuple, tuple})
	return Case{Name: "many arguments", Mod: d.module()}
}
