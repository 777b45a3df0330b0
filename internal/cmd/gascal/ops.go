package main

import (
	"fmt"
	"regexp"
	"strings"

	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
)

// An opCase measures one operation. build prepares the loop and returns the function that adds copy
// number i. A copy may also hold one exclusive or (or one float addition) that uses the operation's
// result.
type opCase struct {
	name  string
	units float64
	waits bool   // measure it again with copies that wait for one another
	with  string // the other operation in a copy: "", "xor i64", "fadd f64", …
	build func(l *loop) func(i int)
}

// price returns the price of an operation without the part for its size.
func price(op ir.Op) float64 { return priceOf(&ir.Value{Op: op}) }

func priceOf(v *ir.Value) float64 { return float64(gas.Op(v)) / 10 }

// four variables take turns, so that a copy does not wait for the previous one, unless the loop is
// serial.
func four(l *loop, typ, init string) func(i int) int {
	var v [4]int
	for i := range v {
		v[i] = l.variable(typ, init)
	}
	if l.serial {
		return func(int) int { return v[0] }
	}
	return func(i int) int { return v[i%4] }
}

// chain makes a case of an operation whose result is an operand of the same type.
func chain(op ir.Op, typ, init string, rest ...string) opCase {
	return opCase{op.String() + " " + typ, price(op), true, "", func(l *loop) func(int) {
		v := four(l, typ, init)
		args := ""
		for j := 0; j+1 < len(rest); j += 2 {
			args += " " + l.in(rest[j], rest[j+1])
		}
		return func(i int) { l.set(v(i), l.val("%s %s %s%s", op, typ, l.get(v(i)), args)) }
	}}
}

// used makes a case of an operation whose result goes into an exclusive or.
func used(name string, units float64, res string, one func(l *loop, args []string, i int) string,
	inputs ...string) opCase {
	with, use, init := "xor", "xor", "0"
	if res[0] == 'f' {
		with, use, init = "fadd", "fadd", "1.0"
	}
	return opCase{name, units, false, with + " " + res, func(l *loop) func(int) {
		v := four(l, res, init)
		var args []string
		for j := 0; j+1 < len(inputs); j += 2 {
			args = append(args, l.in(inputs[j], inputs[j+1]))
		}
		return func(i int) {
			r := one(l, args, i)
			l.set(v(i), l.val("%s %s %s %s", use, res, l.get(v(i)), r))
		}
	}}
}

// op2 uses the operation in a comparison.
func op2(op ir.Op, in, a, b string) opCase {
	return used(op.String()+" "+in, price(op), "i8", func(l *loop, args []string, i int) string {
		return l.val("%s i8 %s %s", op, args[i%2], args[2])
	}, in, a, in, a, in, b)
}

func op1(op ir.Op, res, in, a string) opCase {
	return used(op.String()+" "+in+" "+res, price(op), res, func(l *loop, args []string, i int) string {
		return l.val("%s %s %s", op, res, args[i%2])
	}, in, a, in, a)
}

// effect makes a case of an operation without result.
func effect(name string, units float64, one func(l *loop, args []string, i int), inputs ...string) opCase {
	return opCase{name, units, false, "", func(l *loop) func(int) {
		var args []string
		for j := 0; j+1 < len(inputs); j += 2 {
			args = append(args, l.in(inputs[j], inputs[j+1]))
		}
		return func(i int) { one(l, args, i) }
	}}
}

const big = "1311768467463790320"

var opCases = func() []opCase {
	list := []opCase{
		chain(ir.OpAdd, "i64", "1", "i64", "3"), chain(ir.OpAdd, "i32", "1", "i32", "3"),
		chain(ir.OpSub, "i64", "1", "i64", "3"),
		chain(ir.OpMul, "i64", "3", "i64", "3"), chain(ir.OpAnd, "i64", "1", "i64", "3"),
		chain(ir.OpOr, "i64", "1", "i64", "3"),
		chain(ir.OpXor, "i64", "1", "i64", "3"), chain(ir.OpAndNot, "i64", "1", "i64", "3"),
		chain(ir.OpShl, "i64", "1", "i64", "3"), chain(ir.OpShrS, "i64", "1", "i64", "3"),
		chain(ir.OpShrU, "i64", "1", "i64", "3"),
		chain(ir.OpRotl, "i64", "1", "i64", "3"), chain(ir.OpNeg, "i64", "1"), chain(ir.OpNot, "i64", "1"),
		chain(ir.OpMulHiU, "i64", big, "i64", big), chain(ir.OpMulHiS, "i64", big, "i64", big),
		chain(ir.OpDivS, "i64", big, "i64", "1"), chain(ir.OpDivU, "i64", big, "i64", "1"),
		chain(ir.OpDivS, "i32", "123456789", "i32", "1"),
		chain(ir.OpRemS, "i64", "1311768467463790319", "i64", big),
		chain(ir.OpRemU, "i64", "1311768467463790319", "i64", big),
		op1(ir.OpClz, "i64", "i64", big), op1(ir.OpCtz, "i64", "i64", big), op1(ir.OpPopcnt, "i64", "i64", big),
		op1(ir.OpBswap, "i64", "i64", big),

		op2(ir.OpEq, "i64", "1", "2"), op2(ir.OpNe, "i64", "1", "2"), op2(ir.OpLtS, "i64", "1", "2"),
		op2(ir.OpLeS, "i64", "1", "2"),
		op2(ir.OpLtU, "i64", "1", "2"), op2(ir.OpLeU, "i64", "1", "2"),
		op2(ir.OpFEq, "f64", "1.0", "2.0"), op2(ir.OpFNe, "f64", "1.0", "2.0"), op2(ir.OpFLt, "f64", "1.0", "2.0"),
		op2(ir.OpFLe, "f64", "1.0", "2.0"),
		used("select", price(ir.OpSelect), "i64", func(l *loop, a []string, i int) string {
			return l.val("select i64 %s %s %s", a[i%2], a[2], a[3])
		}, "i8", "1", "i8", "0", "i64", "5", "i64", "6"),

		op1(ir.OpSExt, "i64", "i32", "-5"), op1(ir.OpZExt, "i64", "i8", "5"),
		used("inttoptr", price(ir.OpIntToPtr), "i64", func(l *loop, a []string, i int) string {
			return l.val("ptrtoint i64 %s", l.val("inttoptr ptr %s", a[i%2]))
		}, "i64", "4096", "i64", "8192"),
		op1(ir.OpIToF, "f64", "i64", "7"), op1(ir.OpUToF, "f64", "i64", "7"), op1(ir.OpFToI, "i64", "f64", "7.5"),
		op1(ir.OpFToU, "i64", "f64", "7.5"),
		op1(ir.OpFCvt, "f64", "f32", "7.5"), op1(ir.OpBitcast, "i64", "f64", "7.5"), op1(ir.OpBitcast, "f64", "i64", big),

		chain(ir.OpFAdd, "f64", "1.0", "f64", "0.5"), chain(ir.OpFAdd, "f32", "1.0", "f32", "0.5"),
		chain(ir.OpFSub, "f64", "1.0", "f64", "0.5"),
		chain(ir.OpFMul, "f64", "1.0", "f64", "0.99999999"), chain(ir.OpFDiv, "f64", "1.0", "f64", "0.99999999"),
		chain(ir.OpFNeg, "f64", "1.0"),
		chain(ir.OpFSqrt, "f64", "1.5"), chain(ir.OpFAbs, "f64", "1.5"), chain(ir.OpFFloor, "f64", "1.5"),
		chain(ir.OpFCeil, "f64", "1.5"), chain(ir.OpFTrunc, "f64", "1.5"),
		chain(ir.OpFMA, "f64", "1.5", "f64", "0.5", "f64", "0.25"), chain(ir.OpFCopysign, "f64", "1.5", "f64", "-1.0"),

		chain(ir.OpPtrAdd, "ptr", "65536", "i64", "0"),
		{"ptridx", price(ir.OpPtrIdx), true, "", func(l *loop) func(int) {
			v, z := four(l, "ptr", "65536"), l.in("i64", "0")
			return func(i int) { l.set(v(i), l.val("ptridx ptr %s %s [8, 16]", l.get(v(i)), z)) }
		}},
		effect("localaddr", price(ir.OpLocalAddr)+price(ir.OpStore), func(l *loop, a []string, i int) {
			p := l.val("localaddr ptr [0]")
			l.do("store %s %s [8]", p, a[0])
		}, "i64", "1"),
		effect("nilcheck", price(ir.OpNilCheck), func(l *loop, a []string, i int) { l.do("nilcheck %s", a[i%2]) }, "ptr",
			"65536", "ptr", "65544"),
		effect("bounds", price(ir.OpBounds), func(l *loop, a []string,
			i int) {
			l.do("bounds %s %s [index]", a[i%2], a[2])
		}, "i64", "1", "i64", "2", "i64", "3"),
		effect("check", price(ir.OpCheck), func(l *loop, a []string, i int) { l.do("check %s [divide]", a[i%2]) }, "i8",
			"1", "i8", "1"),
		branch("compare and branch", ir.OpLtS),
	}
	for _, t := range []string{"i8", "i32", "i64", "f64", "ptr"} {
		res := t
		if t == "ptr" {
			res = "ptr"
		}
		list = append(list, load(t, res), effect("store "+t, price(ir.OpStore), func(l *loop, a []string, i int) {
			l.do("store %s %s [%d]", a[0], a[1], 8*(i%16))
		}, "ptr", "73728", t, zero(t)))
	}
	for _, n := range []int64{24, 40, 64, 256, 1024} {
		list = append(list,
			effect(fmt.Sprintf("move %d", n), priceOf(&ir.Value{Op: ir.OpMove, Aux: n}),
				func(l *loop, a []string, i int) { l.do("move %s %s [%d]", a[0], a[1], n) }, "ptr", "81920", "ptr", "90112"),
			effect(fmt.Sprintf("clear %d", n), priceOf(&ir.Value{Op: ir.OpClear, Aux: n}),
				func(l *loop, a []string, i int) { l.do("clear %s [%d]", a[0], n) }, "ptr", "81920"),
		)
	}
	for _, n := range []int64{8, 64, 1024, 4096} {
		bulk := float64(gas.MoveWeight*n) / (1 << gas.BulkShift)
		size := fmt.Sprint(n)
		list = append(list,
			effect("moven "+size, price(ir.OpMoveN)+bulk,
				func(l *loop, a []string, i int) { l.do("moven %s %s %s", a[0], a[1], a[2]) }, "ptr", "131072", "ptr", "262144",
				"i64", size),
			effect("clearn "+size, price(ir.OpClearN)+bulk,
				func(l *loop, a []string, i int) { l.do("clearn %s %s", a[0], a[1]) }, "ptr", "131072", "i64", size),
			used("memeq "+size, price(ir.OpMemEq)+bulk, "i8", func(l *loop, a []string, i int) string {
				return l.val("memeq i8 %s %s %s", a[0], a[1], a[2])
			}, "ptr", "131072", "ptr", "262144", "i64", size),
			used("memcmp "+size, price(ir.OpMemCmp)+bulk, "i64", func(l *loop, a []string, i int) string {
				return l.val("memcmp i64 %s %s %s %s", a[0], a[2], a[1], a[2])
			}, "ptr", "131072", "ptr", "262144", "i64", size),
			used("memhash "+size, price(ir.OpMemHash)+float64(gas.HashWeight*n)/(1<<gas.BulkShift), "i64", func(l *loop, a []string, i int) string {
				return l.val("memhash i64 %s %s %s", a[0], a[1], a[1])
			}, "ptr", "131072", "i64", size),
			used("indexbyte "+size, price(ir.OpIndexByte)+bulk, "i64", func(l *loop, a []string, i int) string {
				return l.val("indexbyte i64 %s %s %s", a[0], a[1], a[2])
			}, "ptr", "131072", "i64", size, "i64", "1"),
		)
	}
	for _, n := range []int64{16, 64, 256, 1024} {
		n := n
		list = append(list,
			used(fmt.Sprintf("new %d", n), priceOf(&ir.Value{Op: ir.OpNew, Aux2: n}), "i64",
				func(l *loop, a []string, i int) string {
					return l.val("ptrtoint i64 %s", l.val("new ptr [0, %d]", n))
				}),
			used(fmt.Sprintf("newarray %d", n), price(ir.OpNewArray)+arrayUnits(n), "i64",
				func(l *loop, a []string, i int) string {
					return l.val("ptrtoint i64 %s", l.val("newarray ptr %s [0, 1]", a[0]))
				}, "i64", fmt.Sprint(n)),
		)
	}
	for _, c := range []struct {
		fn   string
		args int
	}{{"f0", 0}, {"f1", 1}, {"f4", 4}, {"f8", 8}} {
		units := priceOf(&ir.Value{Op: ir.OpCall, Args: make([]*ir.Value, c.args)})
		sig, args := "(", ""
		for j := range c.args {
			if j > 0 {
				sig += ", "
			}
			sig += "i64"
			args += fmt.Sprintf(" %%[%d]s", 1)
		}
		if c.args == 0 {
			list = append(list, effect("call, 0 arguments", units,
				func(l *loop, a []string, i int) { l.do("call @f0 : () -> ()") }))
			continue
		}
		list = append(list, opCase{fmt.Sprintf("call, %d arguments", c.args), units, false, "", func(l *loop) func(int) {
			v := four(l, "i64", "1")
			return func(i int) {
				l.set(v(i), l.val("call i64 @"+c.fn+args+" : "+sig+") -> (i64)", l.get(v(i))))
			}
		}})
	}
	list = append(list,
		opCase{"callindex", price(ir.OpCallIndex), false, "", func(l *loop) func(int) {
			v, f := four(l, "i64", "1"), l.in("i64", "3")
			return func(i int) { l.set(v(i), l.val("callindex i64 %s %s : (i64) -> (i64)", f, l.get(v(i)))) }
		}},
		opCase{"callclosure", price(ir.OpCallClosure), false, "", func(l *loop) func(int) {
			v := four(l, "i64", "1")
			f := l.in("i64", "3")
			p := l.define(&l.setup, "const ptr 0x11800")
			fmt.Fprintf(&l.setup, "  store %s %s [0]\n", p, f)
			return func(i int) { l.set(v(i), l.val("callclosure i64 %s %s : (i64) -> (i64)", p, l.get(v(i)))) }
		}},
		used("host", price(ir.OpHost), "i64", func(l *loop, a []string, i int) string {
			return l.val("host i64 [1] : () -> (i64)")
		}),
		used("frameid", price(ir.OpFrameID), "i64", func(l *loop, a []string, i int) string { return l.val("frameid i64") }),
	)
	return list
}()

// arrayUnits is the charge of lowering for the size of an array with a counted length.
func arrayUnits(n int64) float64 { return float64(gas.AllocWeight*n) / (1 << gas.BulkShift) }

func zero(t string) string {
	if t[0] == 'f' {
		return "1.0"
	}
	return "0"
}

func load(t, res string) opCase {
	if t == "ptr" {
		return opCase{"load ptr", price(ir.OpLoad), true, "", func(l *loop) func(int) {
			// A pointer that points to itself.
			v := four(l, "ptr", "73728")
			p := l.define(&l.setup, "const ptr 73728")
			fmt.Fprintf(&l.setup, "  store %s %s [0]\n", p, p)
			return func(i int) { l.set(v(i), l.val("load ptr %s [0]", l.get(v(i)))) }
		}}
	}
	return used("load "+t, price(ir.OpLoad), res, func(l *loop, a []string, i int) string {
		return l.val("load %s %s [%d]", t, a[0], 8*(i%16))
	}, "ptr", "73728")
}

// branch makes a case of a comparison that decides a branch, taken every other time.
func branch(name string, op ir.Op) opCase {
	return opCase{name, price(op) + gas.Branch/10.0, false, "", func(l *loop) func(int) {
		a, b, c := l.in("i64", "1"), l.in("i64", "2"), l.in("i64", "3")
		return func(i int) {
			x := b
			if i%2 == 0 {
				x = a
			}
			cond := l.val("%s i8 %s %s", op, c, x)
			from := l.block
			l.block++
			side := l.block
			l.do("if %s b%d b%d", cond, side+1, side)
			l.do("b%d: <- b%d", side, from)
			l.do("jump b%d", side+1)
			l.block++
			l.beginBlock(from, side)
		}
	}}
}

// measureOps measures the operations whose names match.
func (mt *meter) measureOps(re *regexp.Regexp) ([]row, error) {
	uses := map[string]float64{"": 0} // the time of the operation that uses a result
	var rows []row
	for _, c := range opCases {
		if !re.MatchString(c.name) {
			continue
		}
		if _, ok := uses[c.with]; !ok {
			use, typ, _ := strings.Cut(c.with, " ")
			op, init := ir.OpXor, "1"
			if use == "fadd" {
				op, init = ir.OpFAdd, "1.0"
			}
			ns, err := mt.perCopy(chain(op, typ, init, typ, init).build, false, false)
			if err != nil {
				return nil, err
			}
			uses[c.with] = ns
		}
		ns, err := mt.perCopy(c.build, strings.HasPrefix(c.name, "new"), false)
		if err == nil && c.waits {
			var waiting float64
			waiting, err = mt.perCopy(c.build, false, true)
			ns = (ns + waiting) / 2
		}
		if err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		f, err := mt.figure(ns - uses[c.with])
		if err != nil {
			return nil, err
		}
		rows = append(rows, mt.row(c.name, c.units, f))
	}
	return rows, nil
}
