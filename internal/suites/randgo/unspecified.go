package randgo

import (
	"fmt"
	"strings"
)

// These shapes use what the specification leaves open and both builds of gc, and so gyr, decide in
// the same way.

// misbehaving ranges over an iterator that violates the protocol, in nested loops that are left in
// all ways.
func (g *gen) misbehaving() []*node {
	seq, user, kept := g.fresh(g.pre+"seq"), g.fresh(g.pre+"iter"), g.fresh(g.pre+"kept")
	g.decls = append(g.decls, line("var "+kept+" func(int) bool"))
	call := func() *node {
		return line(g.pick("yield(i)", "if !yield(i) { mix(1) }", "mix(bit(yield(i)))", "protect(func() { yield(i) })", "protect(func() { mix(bit(yield(i))) })",
			"if i == 1 { protect(func() { "+kept+"(7) }) }", kept+" = yield"))
	}
	body := []*node{line(g.pick("mix(2)", "defer func() { if e := recover(); e != nil { mixS(panicText(e)) } }()",
		"defer func() { if e := recover(); e != nil { mixS(panicText(e)); panic(e) } }()", "defer func() { protect(func() { yield(9) }) }()"))}
	if g.chance(70) {
		body = append(body, line(kept+" = yield"))
	}
	calls := []*node{line("_ = i")}
	for range g.between(1, 3) {
		calls = append(calls, call())
	}
	body = append(body, block(text{"for i := range n"}, calls), line("mix(5)"))
	g.decl("func "+seq+"(n int) func(func(int) bool)", block(text{"return func(yield func(int) bool)"}, body))
	leave := func(in string) *node {
		return block(text{fmt.Sprintf("if %s == %d", in, g.n(3))}, []*node{line(g.pick("break", "break outer", "continue", "continue outer", "return i*10 + n",
			"panic(int64(i))", "goto done", "defer mix(uint64(i))", "protect(func() { "+kept+"(3) })"))})
	}
	inner := block(text{fmt.Sprintf("for j := range %s(%d)", seq, g.between(1, 4))}, []*node{line("mix(uint64(j))"), leave("j"), leave("i + j")})
	rounds := []*node{line("mix(uint64(i))"), leave("i")}
	if g.chance(70) {
		rounds = append(rounds, inner)
	}
	rounds = append(rounds, leave("i"), block(text{"if i > 100"}, []*node{line("continue outer")}), block(text{"if i > 101"}, []*node{line("goto done")}))
	first := g.pick("defer guard(\"misbehaving\")", "defer func() { if e := recover(); e != nil { mixS(panicText(e)); res++ } }()")
	g.decl("func "+user+"(n int) (res int)", line(first), block(text{"outer:\nfor i := range " + seq + "(n)"}, rounds),
		line("done:\nres += 100"), line("return res"))
	var list []*node
	for range g.between(1, 3) {
		list = append(list, line(fmt.Sprintf("mix(uint64(%s(%d)))", user, g.between(1, 5))))
		if g.chance(50) {
			list = append(list, line("protect(func() { if "+kept+" != nil { mix(bit("+kept+"(2))) } })"))
		}
	}
	return list
}

// floatToInts converts floats that are out of an integer type's range.
func (g *gen) floatToInts() []*node {
	t := g.pick("float64", "float32")
	values := []string{"1.9", "-1.9", "-0.5", "127.9", "128", "-129", "255.9", "256", "32768", "-32769", "65536", "70000", "2147483520", "2147483648", "-2147483648",
		"-2147484160", "3e9", "4294967040", "4294967296", "5e9", "-5e9", "1e12", "9223371487098961920", "9223372036854775808", "-9223372036854775808", "1.2e19",
		"18446744073709551616", "2e19", "-2e19", "1e30", "-1e30"}
	var list []string
	for range g.between(2, 12) {
		list = append(list, values[g.n(len(values))])
	}
	f, s := g.fresh("f"), g.fresh("s")
	head := fmt.Sprintf("%s := []%s{%s, %s}", s, t, strings.Join(list, ", "), t+"("+g.pick("inf", "-inf", "nan", "tiny", "negZero")+")")
	convert := func() string {
		of := f
		switch g.n(5) {
		case 0:
			of += g.pick("+1", "*2", "/3", "-1e9")
		case 1:
			of = g.pick("float32", "float64") + "(" + f + ")"
		case 2:
			of = "-" + f
		}
		return ints[g.n(len(ints))].name + "(" + of + ")"
	}
	var body []*node
	for range g.between(2, 6) {
		c := convert()
		body = append(body, line([]string{
			"mix(uint64(" + c + "))", "mix(uint64(" + c + " >> 3))", "mix(bit(" + c + " < 3))",
			"mix(uint64(" + c + " & 0x55))", "mix(uint64(" + ints[g.n(len(ints))].name + "(" + c + ")))", "mixF(float64(" + c + "))",
		}[g.n(6)]))
	}
	all := []*node{line(head), block(text{"for _, " + f + " := range " + s}, body)}
	if g.chance(50) { // a value that the compiler knows
		c := convert()
		all = append(all, scoped(line(f+" := "+t+"("+list[0]+")"), line("mix(uint64("+c+"))")))
	}
	return all
}

// lateOperands returns operands beside calls that change them.
func (g *gen) lateOperands() []*node {
	n, m := g.between(1, 3), g.between(10, 90)
	list := []*node{
		line(fmt.Sprintf("x, s, arr, p, mp := %d, []int{%[1]d, 2, 3, 4}, [4]int{5, 6, 7, %d}, addr(%[2]d), map[int]int{1: 2, 2: 3}", n, m)),
		line("fn, e, str := func(k int) int { mix(uint64(k)); return k + 1 }, any(x), \"a\""),
		line("calls := 0"),
		block(text{"f := func() int"}, []*node{
			line("calls++; s[0]++; *p += 3"),
			line(fmt.Sprintf("x, s, arr[1], p, mp, e, str = x+%d, []int{x, calls, 9, 8}, arr[1]+calls, addr(x), map[int]int{1: x, 2: calls}, calls, str+\"b\"", n)),
			line("fn = func(k int) int { mix(uint64(k)); return k - 1 }"),
			line("return calls"),
		}),
		line("two := func(a, b int) int { mix(uint64(a)); mix(uint64(b)); return b }"),
		line("_, _, _, _, _, _, _, _, _ = s, arr, p, mp, fn, e, str, f, two"),
	}
	operand := func() string {
		return g.pick("x", "x", "(x + 1)", "(-x)", "s[1]", "s[x&3]", "arr[1]", "arr[x&3]", "(*p)", "mp[1]", "mp[x]", "len(s[x&3:])", "len(str)", "s[x&1:][1]",
			"e.(int)", "fn(x)", "fn(f())", "min(x, 50)", "append(s, x)[4]", "[2]int{x, 1}[0]", "[]int{x}[0]", "map[int]int{1: x}[1]", "int(bit(x > 3 && s[0] < 9))",
			"int(int8(x))", "int(bit(e == any(x)))", "int((str + \"c\")[0])", "int([]byte(str)[0])", "two(x, f())", "f()")
	}
	for range g.between(3, 10) {
		a, b := operand(), operand()
		stmt := g.pick(
			"mix(uint64(two(A, f())))", "mix(uint64(two(f(), A)))", "mix(uint64(A + f()))", "mix(uint64(A - f() + B))", "mix(bit(A < f()))", "mix(bit(A == f() == (B == f())))",
			"{ a, b := A, f(); mix(uint64(a)); mix(uint64(b)) }", "{ var a, b = A, f(); mix(uint64(a - b)) }", "s[A & 3] = f()", "s[A & 3] += f()", "arr[x & 3] = A + f()", "mp[A] = f()",
			"mp[A] += f()", "*p = A + f()", "x = A*2 + f()&7", "s[A & 1], x = f(), B & 63", "mix(uint64([]int{A, f(), B}[0]))", "mix(uint64(map[string]int{\"a\": A, \"b\": f()}[\"a\"]))",
			"if A < f() || B > f() { mix(11) }", "switch A + f() { case B, 3: mix(12); case f(): mix(13) }", "for i := 0; i < 3 && A + f() < 1000; i++ { mix(uint64(i)) }",
			"func() { defer two(A, f()); mix(14) }()", "mix(uint64(func() int { a, b := func() (int, int) { return A, f() }(); return a - b }()))", "{ c := make(chan int, 1); c <- A + f(); mix(uint64(<-c)) }",
			"mixS(fmt.Sprint(A, f(), B))", "mix(uint64(fn(f())))", "mixS(str + fmt.Sprint(f()) + str)", "protect(func() { mix(uint64(s[f() + 3] + A)) })", "protect(func() { two(s[9], f()) })")
		list = append(list, line(strings.NewReplacer("A", a, "B", b).Replace(stmt)))
	}
	list = append(list, line("mix(uint64(x)); mix(uint64(calls)); mix(uint64(*p)); mixS(fmt.Sprint(s, arr, mp, str, e))"))
	return []*node{scoped(list...)}
}
