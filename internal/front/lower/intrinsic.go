package lower

import (
	"go/types"
	"hash/crc32"
	"strings"
	"sync"

	"golang.org/x/tools/go/ssa"

	"github.com/gyrvm/gyr/internal/ir"
)

// An intrinsic lowers a call in place of the function's body.
type intrinsic func(c *fn, call *ssa.CallCommon, a []val) []val

// one wraps a single result.
func one(v *ir.Value) []val { return []val{{v}} }

// un, bin and wide make intrinsics out of operations.
func un(op ir.Op) intrinsic {
	return func(c *fn, _ *ssa.CallCommon, a []val) []val { return one(c.op(op, a[0][0].Type, a[0][0])) }
}

func bin(op ir.Op) intrinsic {
	return func(c *fn, _ *ssa.CallCommon, a []val) []val { return one(c.op(op, a[0][0].Type, a[0][0], a[1][0])) }
}

// count is un for the bit-counting functions, whose result is an int.
func count(op ir.Op) intrinsic {
	return func(c *fn, _ *ssa.CallCommon, a []val) []val {
		v := c.op(op, a[0][0].Type, a[0][0])
		if v.Type != ir.I64 {
			v = c.op(ir.OpZExt, ir.I64, v)
		}
		return one(v)
	}
}

// bitLen returns the width less the leading zeros.
func bitLen(c *fn, _ *ssa.CallCommon, a []val) []val {
	x := a[0][0]
	v := c.op(ir.OpClz, x.Type, x)
	if v.Type != ir.I64 {
		v = c.op(ir.OpZExt, ir.I64, v)
	}
	return one(c.op(ir.OpSub, ir.I64, c.i64(int64(x.Type.Bits())), v))
}

func cast(t ir.Type) intrinsic {
	return func(c *fn, _ *ssa.CallCommon, a []val) []val { return one(c.op(ir.OpBitcast, t, a[0][0])) }
}

// Atomics: one goroutine runs at a time and gives way only at calls and loop
// heads, so plain loads and stores are atomic.

func atomicLoad(c *fn, call *ssa.CallCommon, a []val) []val {
	c.nilcheck(a[0][0])
	t := call.Signature().Results().At(0).Type()
	return one(c.load(c.l.flat(t).irType(0), a[0][0], 0))
}

func atomicStore(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.nilcheck(a[0][0])
	c.store(a[0][0], a[1][0], 0)
	return nil
}

func atomicSwap(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.nilcheck(a[0][0])
	old := c.load(a[1][0].Type, a[0][0], 0)
	c.store(a[0][0], a[1][0], 0)
	return one(old)
}

func atomicCAS(c *fn, _ *ssa.CallCommon, a []val) []val {
	p, old, new := a[0][0], a[1][0], a[2][0]
	c.nilcheck(p)
	cur := c.load(old.Type, p, 0)
	return []val{c.cond(c.op(ir.OpEq, ir.I8, cur, old), 1, func() val {
		c.store(p, new, 0)
		return val{c.bool(true)}
	}, func() val { return val{c.bool(false)} })}
}

// atomicRMW reads, modifies and writes. The result is the new or the old value.
func atomicRMW(op ir.Op, newValue bool) intrinsic {
	return func(c *fn, call *ssa.CallCommon, a []val) []val {
		p, x := a[0][0], a[1][0]
		c.nilcheck(p)
		old := c.load(x.Type, p, 0)
		n := c.op(op, x.Type, old, x)
		c.store(p, n, 0)
		if call.Signature().Results().Len() == 0 {
			return nil
		}
		if newValue {
			return one(n)
		}
		return one(old)
	}
}

// funcPC returns the function index in a function value passed as an interface.
func funcPC(c *fn, call *ssa.CallCommon, a []val) []val {
	return one(c.load(ir.I64, a[0][1], 0))
}

func nop(c *fn, _ *ssa.CallCommon, a []val) []val { return nil }

func identity(c *fn, _ *ssa.CallCommon, a []val) []val { return []val{a[0]} }

// hideStrings returns its operand. If the operand's only pointers are those of strings, their bytes
// do not count as returned: the caller copies them.
func hideStrings(c *fn, call *ssa.CallCommon, a []val) []val {
	if pointsBesidesStrings(call.Args[0].Type()) {
		return []val{a[0]}
	}
	hidden := make(val, len(a[0]))
	for i, v := range a[0] {
		if v.Type == ir.Ptr {
			// See opt/escape.go.
			v = c.op(ir.OpIntToPtr, ir.Ptr, c.op(ir.OpXor, ir.I64, c.op(ir.OpPtrToInt, ir.I64, v), c.i64(0)))
		}
		hidden[i] = v
	}
	return []val{hidden}
}

// pointsBesidesStrings reports whether values of a type hold pointers other than those of strings.
func pointsBesidesStrings(t types.Type) bool {
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer
	case *types.Array:
		return pointsBesidesStrings(u.Elem())
	case *types.Struct:
		for i := range u.NumFields() {
			if pointsBesidesStrings(u.Field(i).Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// constResult answers a call with a constant of the result type.
func constResult(n int64) intrinsic {
	return func(c *fn, call *ssa.CallCommon, a []val) []val {
		t := c.l.flat(call.Signature().Results().At(0).Type()).irType(0)
		return one(c.iconst(t, n))
	}
}

func mul64(c *fn, _ *ssa.CallCommon, a []val) []val {
	return []val{{c.op(ir.OpMulHiU, ir.I64, a[0][0], a[1][0])}, {c.op(ir.OpMul, ir.I64, a[0][0], a[1][0])}}
}

// rotate takes any integer count.
func rotate(c *fn, call *ssa.CallCommon, a []val) []val {
	return one(c.op(ir.OpRotl, a[0][0].Type, a[0][0], c.extend(a[1][0], types.Typ[types.Int], ir.I64)))
}

// compareBytes lowers bytealg.Compare over slices or strings.
func compareBytes(c *fn, _ *ssa.CallCommon, a []val) []val {
	return one(c.op(ir.OpMemCmp, ir.I64, a[0][0], a[0][1], a[1][0], a[1][1]))
}

// firstPiece is the number of bytes that a search for a byte looks at before it checks whether it
// must go on.
const firstPiece = 256

// indexByte searches piece by piece, and each piece is as long as all before it. Each piece has its
// own charge, so a search pays for at most about twice the bytes that it looks at, not for all that
// follow. Otherwise dividing a text into lines would cost the square of its length.
//
// The code keeps the loop's result between -1 and n-1 in a form that package opt understands, so
// that slicing at the result needs no check.
func indexByte(c *fn, _ *ssa.CallCommon, a []val) []val {
	p, n, x := a[0][0], a[0][1], c.op(ir.OpZExt, ir.I64, a[1][0])
	first := c.i64(firstPiece)
	r := c.op(ir.OpIndexByte, ir.I64, p, c.least(n, first), x)
	done := c.op(ir.OpOr, ir.I8, c.op(ir.OpLeS, ir.I8, c.i64(0), r), c.op(ir.OpLeS, ir.I8, n, first))
	return []val{c.cond(done, 1, func() val { return val{r} }, func() val {
		head, more, none, found, join := c.f.NewBlock(), c.f.NewBlock(), c.f.NewBlock(), c.f.NewBlock(), c.f.NewBlock()
		c.jump(head)
		c.b = head
		i := c.phi(ir.I64, first)
		k := c.least(c.op(ir.OpSub, ir.I64, n, i), i)
		at := c.op(ir.OpIndexByte, ir.I64, c.element(p, i, 1), k, x)
		c.branch(c.op(ir.OpLtS, ir.I8, at, c.i64(0)), more, found, 0)
		c.b = more
		end := c.op(ir.OpAdd, ir.I64, i, k)
		i.Args = append(i.Args, end)
		c.branch(c.op(ir.OpLtS, ir.I8, end, n), head, none, 0)
		c.b = found
		at = c.op(ir.OpAdd, ir.I64, i, at)
		c.jump(join)
		c.b = none
		minus := c.i64(-1)
		c.jump(join)
		c.b = join
		at = c.least(c.phi(ir.I64, at, minus), c.op(ir.OpSub, ir.I64, n, c.i64(1)))
		minus = c.i64(-1)
		return val{c.op(ir.OpSelect, ir.I64, c.op(ir.OpLtS, ir.I8, at, minus), minus, at)}
	})}
}

// least returns the smaller of two numbers.
func (b *builder) least(x, y *ir.Value) *ir.Value {
	return b.op(ir.OpSelect, x.Type, b.op(ir.OpLtS, ir.I8, x, y), x, y)
}

// equalBytes lowers bytealg.Equal and bytes.Equal.
func equalBytes(c *fn, _ *ssa.CallCommon, a []val) []val {
	return one(c.equal(types.Typ[types.String], val{a[0][0], a[0][1]}, val{a[1][0], a[1][1]}))
}

func memequal(c *fn, _ *ssa.CallCommon, a []val) []val {
	return one(c.op(ir.OpMemEq, ir.I8, a[0][0], a[1][0], a[2][0]))
}

func memmove(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.op(ir.OpMoveN, ir.Void, a[0][0], a[1][0], a[2][0])
	return nil
}

func memclr(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.op(ir.OpClearN, ir.Void, a[0][0], a[1][0])
	return nil
}

// sha256block lowers the block function. Its operands are a digest, which begins with its eight
// words, and bytes.
func sha256block(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.nilcheck(a[0][0])
	c.host("sha256block", a[0][0], a[1][0], a[1][1])
	return nil
}

// leastSum is the least number of bytes for which hash/crc32 uses its eight tables.
const leastSum = 16

// updateCRC adds bytes to a checksum by eight tables. Entry 128 of the first table is the
// polynomial. The kernel knows two polynomials.
func updateCRC(c *fn, call *ssa.CallCommon, a []val) []val {
	callee := call.StaticCallee()
	itself := func() val { return c.itself(callee, call, a) }
	sum, tables, p, n := a[0][0], a[1][0], a[2][0], a[2][1]
	return []val{c.cond(c.op(ir.OpLeS, ir.I8, c.i64(leastSum), n), 0, func() val {
		c.nilcheck(tables)
		poly := c.op(ir.OpZExt, ir.I64, c.load(ir.I32, tables, 4*128))
		is := func(x int64) *ir.Value { return c.op(ir.OpEq, ir.I8, poly, c.i64(x)) }
		return c.cond(c.op(ir.OpOr, ir.I8, is(crc32.IEEE), is(crc32.Castagnoli)), 1, func() val {
			return c.host("crc32", sum, poly, p, n)
		}, itself)
	}, itself)}
}

// leastCount is the least number of bytes that a kernel counts in.
const leastCount = 1

// countByte counts a byte in a slice or string.
func countByte(c *fn, call *ssa.CallCommon, a []val) []val {
	callee := call.StaticCallee()
	p, n := a[0][0], a[0][1]
	long := c.op(ir.OpLeS, ir.I8, c.i64(leastCount), n)
	return []val{c.cond(long, 0, func() val {
		return c.host("countbyte", p, n, c.op(ir.OpZExt, ir.I64, a[1][0]))
	}, func() val { return c.itself(callee, call, a) })}
}

// leastValid is the least number of bytes that a kernel validates.
const leastValid = 24

// validUTF8 tells if a slice or string is valid UTF-8.
func validUTF8(c *fn, call *ssa.CallCommon, a []val) []val {
	callee := call.StaticCallee()
	p, n := a[0][0], a[0][1]
	long := c.op(ir.OpLeS, ir.I8, c.i64(leastValid), n)
	return []val{c.cond(long, 0, func() val {
		return val{c.op(ir.OpNe, ir.I8, c.host("validutf8", p, n)[0], c.i64(0))}
	}, func() val { return c.itself(callee, call, a) })}
}

// itself calls the function that an intrinsic replaces.
func (c *fn) itself(callee *ssa.Function, call *ssa.CallCommon, a []val) val {
	f := c.l.funcOf(callee)
	return c.emitCall(call.Signature(), a, func(all []*ir.Value, s *ir.Sig) *ir.Value {
		v := c.op(ir.OpCall, ir.Void, all...)
		v.Fn = f
		return v
	}, &f.Sig)[0]
}

// leastVector is the least number of words of a kernel's vectors.
const leastVector = 1

// bigVector lowers one of math/big's functions over two or three vectors and words. It calls a
// kernel if the vectors have words and one length, and for a shift if the kernel takes the count.
// Otherwise it calls the function itself, which also reports what is wrong with its operands.
func bigVector(kernel string, vectors int) intrinsic {
	return func(c *fn, call *ssa.CallCommon, a []val) []val {
		callee := call.StaticCallee()
		n := a[0][1]
		fits := c.op(ir.OpLeS, ir.I8, c.i64(leastVector), n)
		and := func(x *ir.Value) { fits = c.op(ir.OpAnd, ir.I8, fits, x) }
		args := []*ir.Value{a[0][0]}
		for _, v := range a[1:vectors] {
			and(c.op(ir.OpEq, ir.I8, v[1], n))
			args = append(args, v[0])
		}
		if vectors == 2 {
			args = append(args, a[1][0])
		}
		args = append(args, n)
		for _, w := range a[vectors:] {
			args = append(args, w[0])
		}
		if kernel == "bigshl" || kernel == "bigshr" {
			s := a[vectors][0]
			and(c.op(ir.OpLtU, ir.I8, c.op(ir.OpSub, ir.I64, s, c.i64(1)), c.i64(63)))
		}
		return []val{c.cond(fits, 0, func() val { return c.host(kernel, args...) },
			func() val { return c.itself(callee, call, a) })}
	}
}

func callFn(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.callClosure(types.NewSignatureType(nil, nil, nil, nil, nil, false), a[0][0], nil)
	return nil
}

// callStub calls Unpack(fn, frame) by its index.
func callStub(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.l.reflCall = true
	v := c.op(ir.OpCallIndex, ir.Void, a[0][0], a[1][0], a[2][0])
	c.results(v, &stubSig)
	return nil
}

func unwind(c *fn, _ *ssa.CallCommon, a []val) []val {
	c.op(ir.OpUnwind, ir.Void, a[0][0])
	return nil
}

func frameIDOf(c *fn, _ *ssa.CallCommon, a []val) []val { return one(c.frameID()) }

// theIntrinsics holds the table of intrinsics, which is made at its first use: a program from the
// cache does not need it. It has no initial value because lowering refers to it.
var theIntrinsics struct {
	once  sync.Once
	table map[string]intrinsic
}

// intrinsics returns the intrinsics by go/ssa name without type arguments: "pkg.Func" or
// "(pkg.T).Method".
func intrinsics() map[string]intrinsic {
	theIntrinsics.once.Do(func() { theIntrinsics.table = intrinsicTable() })
	return theIntrinsics.table
}

func intrinsicTable() map[string]intrinsic {
	table := map[string]intrinsic{
		"math.Abs": un(ir.OpFAbs), "math.abs": un(ir.OpFAbs), "math.Sqrt": un(ir.OpFSqrt), "math.sqrt": un(ir.OpFSqrt),
		"math.Floor": un(ir.OpFFloor), "math.floor": un(ir.OpFFloor), "math.archFloor": un(ir.OpFFloor),
		"math.Ceil": un(ir.OpFCeil), "math.ceil": un(ir.OpFCeil), "math.archCeil": un(ir.OpFCeil),
		"math.Trunc": un(ir.OpFTrunc), "math.trunc": un(ir.OpFTrunc), "math.archTrunc": un(ir.OpFTrunc),
		"math.Copysign": bin(ir.OpFCopysign),
		"math.FMA": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			return one(c.op(ir.OpFMA, ir.F64, a[0][0], a[1][0], a[2][0]))
		},
		"math.Float64bits": cast(ir.I64), "math.Float64frombits": cast(ir.F64), "math.Float32bits": cast(ir.I32),
		"math.Float32frombits": cast(ir.F32),

		"math/bits.LeadingZeros64": count(ir.OpClz), "math/bits.LeadingZeros32": count(ir.OpClz),
		"math/bits.LeadingZeros16": count(ir.OpClz), "math/bits.LeadingZeros8": count(ir.OpClz),
		"math/bits.LeadingZeros":    count(ir.OpClz),
		"math/bits.TrailingZeros64": count(ir.OpCtz), "math/bits.TrailingZeros32": count(ir.OpCtz),
		"math/bits.TrailingZeros16": count(ir.OpCtz), "math/bits.TrailingZeros8": count(ir.OpCtz),
		"math/bits.TrailingZeros": count(ir.OpCtz),
		"math/bits.OnesCount64":   count(ir.OpPopcnt), "math/bits.OnesCount32": count(ir.OpPopcnt),
		"math/bits.OnesCount16": count(ir.OpPopcnt), "math/bits.OnesCount8": count(ir.OpPopcnt),
		"math/bits.OnesCount": count(ir.OpPopcnt),
		"math/bits.Len64":     bitLen, "math/bits.Len32": bitLen, "math/bits.Len16": bitLen, "math/bits.Len8": bitLen,
		"math/bits.Len":          bitLen,
		"math/bits.RotateLeft64": rotate, "math/bits.RotateLeft32": rotate, "math/bits.RotateLeft16": rotate,
		"math/bits.RotateLeft8": rotate, "math/bits.RotateLeft": rotate,
		"math/bits.ReverseBytes64": un(ir.OpBswap), "math/bits.ReverseBytes32": un(ir.OpBswap),
		"math/bits.ReverseBytes16": un(ir.OpBswap),
		"math/bits.Mul64":          mul64, "math/bits.Mul": mul64,

		"internal/runtime/sys.LeadingZeros64": count(ir.OpClz), "internal/runtime/sys.LeadingZeros8": count(ir.OpClz),
		"internal/runtime/sys.TrailingZeros64": count(ir.OpCtz), "internal/runtime/sys.TrailingZeros32": count(ir.OpCtz),
		"internal/runtime/sys.TrailingZeros8": count(ir.OpCtz),
		"internal/runtime/sys.Len64":          bitLen, "internal/runtime/sys.Len8": bitLen,
		"internal/runtime/sys.OnesCount64": count(ir.OpPopcnt),
		"internal/runtime/sys.Bswap64":     un(ir.OpBswap), "internal/runtime/sys.Bswap32": un(ir.OpBswap),
		"internal/runtime/sys.Prefetch": nop, "internal/runtime/sys.PrefetchStreamed": nop,
		"internal/runtime/math.Mul64":      mul64,
		"internal/runtime/sys.GetCallerPC": constResult(0), "internal/runtime/sys.GetCallerSP": constResult(0),

		"internal/bytealg.Compare": compareBytes, "internal/bytealg.CompareString": compareBytes,
		"internal/bytealg.IndexByte": indexByte, "internal/bytealg.IndexByteString": indexByte,
		"internal/bytealg.Equal": equalBytes, "bytes.Equal": equalBytes,
		"internal/bytealg.abigen_runtime_memequal": memequal,

		// Kernels of the host; see rt/kernels.go.
		"crypto/internal/fips140/sha256.block": sha256block,
		"internal/bytealg.Count":               countByte, "internal/bytealg.CountString": countByte,
		"hash/crc32.slicingUpdate": updateCRC,
		"unicode/utf8.Valid":       validUTF8, "unicode/utf8.ValidString": validUTF8,
		"math/big.addVV":      bigVector("bigadd", 3),
		"math/big.subVV":      bigVector("bigsub", 3),
		"math/big.mulAddVWW":  bigVector("bigmul", 2),
		"math/big.addMulVVWW": bigVector("bigmuladd", 3),
		"math/big.lshVU":      bigVector("bigshl", 2),
		"math/big.rshVU":      bigVector("bigshr", 2),

		// A bool is 0 or 1 in a byte.
		"crypto/internal/constanttime.boolToUint8": identity,

		"internal/abi.FuncPCABI0": funcPC, "internal/abi.FuncPCABIInternal": funcPC,
		"internal/abi.EscapeNonString": nop, "internal/abi.EscapeToResultNonString": hideStrings,

		// Here package os tells which environment variable it was asked for. If the run fails, the
		// user hears of the flag that grants it. The logger of tests is not called.
		"internal/testlog.Getenv": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			c.host("askenv", a[0][0], a[0][1])
			return nil
		},

		"runtime.ir_memmove": memmove, "runtime.ir_memclr": memclr, "runtime.ir_memequal": memequal,
		"runtime.ir_memcmp": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			return one(c.op(ir.OpMemCmp, ir.I64, a[0][0], a[1][0], a[2][0], a[3][0]))
		},
		"runtime.ir_memhash": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			return one(c.op(ir.OpMemHash, ir.I64, a[0][0], a[1][0], a[2][0]))
		},
		"internal/runtime/maps.memHash32Fallback": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			return one(c.hashWord(c.op(ir.OpZExt, ir.I64, a[0][0]), a[1][0], 4))
		},
		"internal/runtime/maps.memHash64Fallback": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			return one(c.hashWord(a[0][0], a[1][0], 8))
		},
		"runtime.ir_newbytes": func(c *fn, _ *ssa.CallCommon, a []val) []val {
			v := c.opAux(ir.OpNewArray, ir.Ptr, ir.NoPointers, a[0][0])
			v.Aux2 = 1
			return one(v)
		},
		"runtime.ir_frameid": frameIDOf, "runtime.ir_callfn": callFn, "runtime.ir_unwind": unwind,
		"runtime.ir_callstub": callStub,
	}
	for _, t := range []string{"Int32", "Int64", "Uint32", "Uint64", "Uintptr", "Pointer"} {
		p := "sync/atomic."
		table[p+"Load"+t] = atomicLoad
		table[p+"Store"+t] = atomicStore
		table[p+"Swap"+t] = atomicSwap
		table[p+"CompareAndSwap"+t] = atomicCAS
		if t != "Pointer" {
			table[p+"Add"+t] = atomicRMW(ir.OpAdd, true)
			table[p+"And"+t] = atomicRMW(ir.OpAnd, false)
			table[p+"Or"+t] = atomicRMW(ir.OpOr, false)
		}
	}
	return table
}

// symbolOf returns the key of a function of the standard library in the table of intrinsics, and ""
// for all others.
func (l *lowerer) symbolOf(fn *ssa.Function) string {
	if o := fn.Origin(); o != nil {
		fn = o
	}
	if fn.Parent() != nil || fn.Signature.Recv() != nil {
		return ""
	}
	path := l.stdPath(fn)
	if path == "" {
		return ""
	}
	return path + "." + fn.Name()
}

// isIntrinsic reports whether lowering replaces calls of a function.
func (l *lowerer) isIntrinsic(fn *ssa.Function) bool {
	if _, ok := intrinsics()[l.symbolOf(fn)]; ok {
		return true
	}
	if len(fn.Blocks) > 0 {
		return false
	}
	_, ok := l.hostName(fn)
	return ok
}

// hostName returns the host function that a bodyless function names: host_NAME
// of the overlay, or a WebAssembly import.
func (l *lowerer) hostName(fn *ssa.Function) (string, bool) {
	if len(fn.Blocks) > 0 {
		return "", false
	}
	if module, name, ok := l.prog.WasmImport(fn); ok {
		return module + "." + name, true
	}
	if l.stdPath(fn) == "runtime" {
		if name, ok := strings.CutPrefix(fn.Name(), "host_"); ok {
			return name, true
		}
	}
	return "", false
}

// intrinsic lowers a call of an intrinsic or a host function.
func (c *fn) intrinsic(callee *ssa.Function, call *ssa.CallCommon, args []val) ([]val, bool) {
	if in, ok := intrinsics()[c.l.symbolOf(callee)]; ok {
		return in(c, call, args), true
	}
	if len(callee.Blocks) == 0 {
		if f := c.l.resolve(callee); f != nil && f != callee {
			return c.intrinsicBody(f, call, args)
		}
	}
	if name, ok := c.l.hostName(callee); ok {
		return c.hostCall(name, callee.Signature, args), true
	}
	return nil, false
}

// intrinsicBody is intrinsic for the function that supplies the body by a linkname.
func (c *fn) intrinsicBody(body *ssa.Function, call *ssa.CallCommon, args []val) ([]val, bool) {
	if in, ok := intrinsics()[c.l.symbolOf(body)]; ok {
		return in(c, call, args), true
	}
	return nil, false
}

func (c *builder) hostCall(name string, sig *types.Signature, args []val) []val {
	s := c.l.sigOf(sig)
	i := c.l.hostIndex(name, s)
	return c.emitCall(sig, args, func(all []*ir.Value, s *ir.Sig) *ir.Value {
		return c.opAux(ir.OpHost, ir.Void, i, all...)
	}, &c.l.m.Primitives[i].Sig)
}

// bitsInMemory are the intrinsics whose own bodies look at the memory of a float. There a NaN has other
// bits than a program may see (ir.MemoryNaN64), so where their values are called, too, the operation
// takes the body's place.
var bitsInMemory = map[string]bool{
	"math.Float64bits": true, "math.Float64frombits": true, "math.Float32bits": true, "math.Float32frombits": true,
}

// intrinsicWrapper returns a function that performs an intrinsic, for the
// places that need its value.
func (l *lowerer) intrinsicWrapper(of *ssa.Function) *ir.Func {
	if f := l.funcs[of]; f != nil || !l.isIntrinsic(of) {
		return f
	}
	if len(of.Blocks) > 0 || l.base.fn(l.funcKey(of)) != nil {
		return nil // its own body will do, here or in the base
	}
	f := l.newFunc(l.nameOf(of), l.sigOf(of.Signature), l.flagsOf(of))
	l.funcs[of] = f
	f.Shape = l.shapeOf(of.Signature, false) + 1
	l.intrinsicBody(of, f)
	return f
}

// intrinsicBody gives f the body of an intrinsic.
func (l *lowerer) intrinsicBody(src *ssa.Function, f *ir.Func) {
	l.wrapperBody(src, f, func(c *fn, args []val) []val {
		parts, ok := c.intrinsic(src, &ssa.CallCommon{Value: src}, args)
		if !ok {
			panic(&LinkError{Func: l.prog.Symbol(src), From: l.from})
		}
		return parts
	})
}

// pricedWrapper returns a function that calls of, a declared function of the runtime, for the
// places that need its value. The price of the runtime's functions is charged where they are called
// by name, and not where they are called by value. So a call by value reaches the wrapper, which
// pays. For other functions pricedWrapper returns nil.
func (l *lowerer) pricedWrapper(of *ssa.Function) *ir.Func {
	if of.Signature.Recv() != nil || of.Parent() != nil || l.isIntrinsic(of) {
		return nil
	}
	g := l.funcOf(of)
	if g.Flags&ir.ByName == 0 {
		return nil
	}
	f := l.priced[of]
	if f == nil {
		f = l.newFunc(l.nameOf(of), l.sigOf(of.Signature), ir.Wrapper|ir.NoInline)
		l.priced[of] = f
		f.Shape = l.shapeOf(of.Signature, false) + 1
		l.wrapperBody(of, f, func(c *fn, args []val) []val {
			return c.emitCall(of.Signature, args, func(all []*ir.Value, _ *ir.Sig) *ir.Value {
				v := c.op(ir.OpCall, ir.Void, all...)
				v.Fn = g
				return v
			}, &g.Sig)
		})
	}
	return f
}

// wrapperBody gives f a body that do makes from the parameters. f has the signature of src.
func (l *lowerer) wrapperBody(src *ssa.Function, f *ir.Func, do func(c *fn, args []val) []val) {
	c := &fn{builder: builder{l: l, f: f}, src: src, vals: map[ssa.Value]val{}, tuples: map[ssa.Value][]val{}}
	c.b = f.NewBlock()
	n := int64(0)
	var args []val
	for i := range src.Signature.Params().Len() {
		fl := l.flat(src.Signature.Params().At(i).Type())
		v := make(val, fl.n())
		for k := range v {
			v[k] = c.opAux(ir.OpArg, fl.irType(k), n)
			n++
		}
		args = append(args, v)
	}
	var rets []*ir.Value
	for _, p := range do(c, args) {
		rets = append(rets, p...)
	}
	c.b.Rets = rets
	c.b.Kind = ir.BlockReturn
}

// specialFunc declares functions whose bodies do not come from the source.
func (l *lowerer) specialFunc(src *ssa.Function, f *ir.Func) bool {
	if len(src.Blocks) == 0 && l.isIntrinsic(src) {
		l.queue = append(l.queue, func() { l.intrinsicBody(src, f) })
		return true
	}
	if callee, inline := l.prog.Loop(src); callee != nil {
		f.Flags |= ir.Measured | ir.NoInline
		if inline {
			f.Flags |= ir.InlineMore
		}
		l.queue = append(l.queue, func() { l.measuredLoop(src, callee, f) })
		return true
	}
	if recv := src.Signature.Recv(); recv != nil && l.stdPath(src) == "reflect" {
		switch src.Name() {
		case "Method", "MethodByName":
			l.useReflectMethods()
		}
	}
	return false
}
