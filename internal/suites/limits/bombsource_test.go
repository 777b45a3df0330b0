package limits

import (
	"fmt"
	"strings"
)

// A bomb is a small source that is expensive to compile.
type bomb struct {
	name    string
	end     string // "": an answer; "error"; or the limit
	source  func() string
	trusted bool // under the default limits instead of those for strangers
}

// each joins the results of f for 0 to n-1.
func each(n int, f func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(f(i))
	}
	return b.String()
}

// line is each with a format that may use i several times.
func line(n int, format string) string {
	verbs := strings.Count(format, "%d") + strings.Count(format, "%[")
	return each(n, func(i int) string {
		if verbs == 0 {
			return format
		}
		if strings.Contains(format, "%[") {
			return fmt.Sprintf(format, i, i+1)
		}
		args := make([]any, verbs)
		for k := range args {
			args[k] = i
		}
		return fmt.Sprintf(format, args...)
	})
}

func nest(n int, open, inner, shut string) string {
	return strings.Repeat(open, n) + inner + strings.Repeat(shut, n)
}

// top is a program made of declarations; in is a program with a body for its main function.
func top(decls string) func() string { return func() string { return "package main\n" + decls } }
func in(body, decls string) func() string {
	return top(decls + "\nfunc main() {\n" + body + "\n}\n")
}

const empty = "\nfunc main() {}\n"

// bombs are the sources of TestBombs. All but the largest are below the limit of SourceBytes for
// strangers.
var bombs = []bomb{
	// Depth: it overflows the stack of a recursive descent.
	{name: "parentheses", end: "Nesting", source: top("var x = " + nest(200_000, "(", "1", ")") + empty)},
	{name: "function literals", end: "Nesting", source: in(nest(60_000, "func() {", "", "}()"), "")},
	{name: "function literals, few", source: in("n := 0\n"+nest(50, "func() { n++\n", "", "}()\n")+"println(n)", "")},
	{name: "blocks", end: "Nesting", source: in(nest(100_000, "{", "", "}"), "")},
	{name: "if statements", end: "Nesting", source: in(nest(50_000, "if x {", "", "}"), "var x bool")},
	{name: "composite literals", end: "Nesting", source: top("type T struct{ p *T }\nvar x = " + nest(50_000, "&T{", "nil", "}") + empty)},
	{name: "unary operators", end: "error", source: top("var x = " + strings.Repeat("-+", 100_000) + "1" + empty)},
	{name: "binary operators", end: "error", source: top("var y = 1\nvar x = y" + strings.Repeat("+y", 200_000) + empty)},
	{name: "binary operators, fewer", end: "Nesting", source: top("var y = 1\nvar x = y" + strings.Repeat("+y", 50_000) + empty)},
	{name: "binary operators, default", source: top("var y = 1\nvar x = y" + strings.Repeat("+y", 8_000) + empty), trusted: true},
	{name: "pointers to pointers", end: "Nesting", source: top("var x " + strings.Repeat("*", 90_000) + "int" + empty)},
	{name: "slices of slices", end: "Nesting", source: top("var x " + strings.Repeat("[]", 90_000) + "int" + empty)},
	{name: "functions of functions", end: "Nesting", source: top("var x " + strings.Repeat("func() ", 50_000) + empty)},
	{name: "calls of calls", end: "Nesting", source: top("type F func() F\nvar f F\nvar x = f" + strings.Repeat("()", 90_000) + empty)},
	{name: "selectors", end: "Nesting", source: top("type T struct{ p *T }\nvar t T\nvar x = t" + strings.Repeat(".p", 90_000) + empty)},
	{name: "else if", end: "Nesting", source: in(strings.Repeat("if y == 1 {} else ", 30_000)+"{}", "var y int")},
	{name: "labels", end: "error", source: in(line(100_000, "L%d: ")+";", "")},
	{name: "chain of constants", end: "Nesting", source: top(line(30_000, "const c%[1]d = c%[2]d + 1\n") + "const c30000 = 1" + empty)},
	{name: "chain of variables", end: "Nesting", source: top(line(30_000, "var c%[1]d = c%[2]d + 1\n") + "var c30000 = 1" + empty)},
	{name: "chain of types", end: "Nesting", source: top(line(30_000, "type T%[1]d struct{ p *T%[2]d }\n") + "type T30000 int" + empty)},

	// Constants.
	{name: "doubled string", end: "ConstantBytes", source: in("println(len(s30))", `const s0 = "abcdefgh"`+"\n"+line(30, "const s%[2]d = s%[1]d + s%[1]d\n"))},
	{name: "doubled string, default", end: "ConstantBytes", source: in("println(len(s30))", `const s0 = "abcdefgh"`+"\n"+line(30, "const s%[2]d = s%[1]d + s%[1]d\n")), trusted: true},
	{name: "doubled in blocks", end: "ConstantBytes", source: in(`const s = "abcdefgh"`+"\n"+nest(30, "{ const s = s + s\n", "println(len(s))", "}"), "")},
	{name: "doubled in array lengths", end: "ConstantBytes", source: top(`const s0 = "abcdefgh"` + "\n" + line(30, "const s%[2]d = s%[1]d + s%[1]d\n") + "var a [len(s30)]byte" + empty)},
	{name: "string by conversions", end: "ConstantBytes", source: top("type S string\n" + `const s0 = S("abcdefgh")` + "\n" + line(30, "const s%[2]d = S(s%[1]d + (s%[1]d))\n") + empty)},
	{name: "unused string", end: "ConstantBytes", source: top(`const s = "` + strings.Repeat("a", 4000) + "\"\nconst _ = s" + strings.Repeat(" + s", 900) + "\n" + strings.Repeat("const _ = s"+strings.Repeat(" + s", 900)+"\n", 9) + empty)},
	{name: "string of min", end: "ConstantBytes", source: top(`const s0 = "abcdefgh"` + "\n" + line(30, "const s%[2]d = min(s%[1]d, s%[1]d) + max(s%[1]d, s%[1]d)\n") + empty)},
	{name: "one long literal", source: in("println(len(s))", "var s = `"+strings.Repeat("a", 900_000)+"`")},
	{name: "fractions", end: "ConstantWork", source: top("const a0 = 1.0/3.0\n" + line(20_000, "const a%[2]d = a%[1]d*a%[1]d/7.13 + a%[1]d/3\n") + empty)},
	{name: "integers of 500 bits", end: "ConstantWork", source: top("const a0 = 1<<500\n" + line(20_000, "const a%[2]d = a%[1]d*3/3%%(1<<509-1)\n") + empty)},
	{name: "repeated constants", end: "ConstantWork", source: top("const (\na = iota" + strings.Repeat("+iota*3", 400) + "\n" + line(60_000, "a%d\n") + ")" + empty)},
	{name: "large shift", end: "error", source: top("const a = 1 << 1000000000" + empty)},
	{name: "large exponent", end: "error", source: top("const a = 1e1000000000\nconst b = a * a" + empty)},
	{name: "exponent of a thousand", end: "error", source: in("println(a*a*a*a)", "const a = 1e1000000")},
	{name: "long number", end: "error", source: top("const a = " + strings.Repeat("9", 900_000) + empty)},
	{name: "complex powers", end: "ConstantWork", source: top("const a0 = 1.5 + 0.3i\n" + line(20_000, "const a%[2]d = a%[1]d*a%[1]d/(1.1+2i)\n") + empty)},

	// Types.
	{name: "tower of structs", end: "TypeExpansion", source: top("type T0 struct{ a, b int }\n" + line(23, "type T%[2]d struct{ a, b T%[1]d }\n") + "var p, q T23\nvar x = p == q" + empty)},
	{name: "tower of structs, default", end: "TypeExpansion", source: top("type T0 struct{ a, b int }\n" + line(40, "type T%[2]d struct{ a, b T%[1]d }\n") + "var p, q T40\nvar x = p == q" + empty), trusted: true},
	{name: "embedding diamonds", end: "TypeExpansion", source: top("type T0 struct{ x int }\n" + line(24, "type A%[2]d struct{ T%[1]d }\ntype B%[2]d struct{ T%[1]d }\ntype T%[2]d struct{ A%[2]d; B%[2]d }\n") + "var t *T24" + empty)},
	{name: "interface diamonds", end: "TypeExpansion", source: top("type T0 interface{ M() }\n" + line(24, "type A%[2]d interface{ T%[1]d }\ntype B%[2]d interface{ T%[1]d }\ntype T%[2]d interface{ A%[2]d; B%[2]d }\n") + "var t T24" + empty)},
	{name: "tower of arrays", end: "TypeSize", source: top("type A0 [256]int\n" + line(12, "type A%[2]d [256]A%[1]d\n") + "var p *A12" + empty)},
	{name: "large array", end: "TypeSize", source: top("var a *[1<<62]int" + empty)},
	{name: "large array, default", end: "error", source: top("var a *[1<<62]int" + empty), trusted: true},
	{name: "large variable", end: "TypeSize", source: in("println(a[5])", "var a [1<<40]byte")},
	{name: "variables of 3 GiB", end: "error", source: in("println(a[5], b[6], c[7])", "var a, b, c [1<<30]byte")},
	{name: "literal with a last element", source: in("println(a[5])", "var a = [1<<28]byte{1<<28 - 1: 1}")},
	{name: "comparison of arrays", source: in("println(a == b)", "type A0 [2]string\n"+line(20, "type A%[2]d [2]A%[1]d\n")+"var a, b A20")},
	{name: "comparison of fields", source: in("println(a == b)", "type T struct {\n"+line(5_000, "f%d string\n")+"}\nvar a, b T")},
	{name: "embedding chain", end: "TypeExpansion", source: top("type T0 struct{}\nfunc (T0) M() {}\n" + line(1_600, "type T%[2]d struct{ T%[1]d }\n") + "var x interface{ M() } = T1600{}" + empty)},
	{name: "interface chain", end: "TypeExpansion", source: top("type I0 interface{ M0() }\n" + line(1_600, "type I%[2]d interface{ I%[1]d; M%[2]d() }\n") + empty)},
	{name: "types of each other", source: top(each(3_000, func(i int) string {
		return fmt.Sprintf("type T%d struct{ a *T%d; b []T%d }\n", i, (i*7919+1)%3_000, (i*31+7)%3_000)
	}) + "var x T0" + empty)},
	{name: "wide struct", end: "CheckWork", source: in("var t T\n"+line(18_000, "t.f%d++\n"), "type T struct {\n"+line(18_000, "f%d int\n")+"}")},
	{name: "large interface", end: "CheckWork", source: in("var x I\n"+strings.Repeat("x = T(1)\n", 20_000)+"_ = x", "type I interface {\n"+line(3_000, "M%d()\n")+"}\ntype T int\n"+line(3_000, "func (T) M%d() {}\n"))},
	{name: "type switch", end: "CheckWork", source: in("var x any\nswitch x.(type) {\n"+line(18_000, "case T%d:\n")+"}", line(18_000, "type T%d int\n"))},
	{name: "union", end: "error", source: top("type I interface{ int" + line(900, " | [%d]int") + " }" + empty)},
	{name: "promoted methods", source: top(line(300, "type E%[1]d struct{}\nfunc (E%[1]d) M%[1]d() {}\n") + "type T struct {\n" + line(300, "E%d\n") + "}\ntype U struct{ *T }\nvar x any = U{}" + empty)},

	// Generics.
	{name: "instances of functions", end: "Instances", source: in("f16(1)", "func f0[T any](x T) {}\n"+line(16, "func f%[2]d[T any](x T) { f%[1]d[[1]T]([1]T{x}); f%[1]d[*T](&x) }\n"))},
	{name: "instances, default", end: "Instances", source: in("f20(1)", "func f0[T any](x T) {}\n"+line(20, "func f%[2]d[T any](x T) { f%[1]d[[1]T]([1]T{x}); f%[1]d[*T](&x) }\n")), trusted: true},
	{name: "instances of types", end: "Instances", source: top("type T0[P any] struct{ a P }\n" + line(20, "type T%[2]d[P any] struct{ a *T%[1]d[[1]P]; b *T%[1]d[*P] }\n") + "var x T20[int]" + empty)},
	{name: "instances of doubled arguments", end: "TypeExpansion", source: top("type D[P, Q any] struct{}\ntype T0[P any] struct{ a P }\n" + line(30, "type T%[2]d[P any] struct{ a *T%[1]d[D[P, P]] }\n") + "var x T30[int]" + empty)},
	{name: "instances of wide types", end: "Instances", source: top("type T0[P any] struct{ a P }\n" + line(11, "type T%[2]d[P any] struct{ a *T%[1]d[[1]P]; b *T%[1]d[*P]\n"+line(80, "f%d [8]P; ")+"\n}\n") + "var x T11[int]" + empty)},
	{name: "instances by methods", end: "Instances", source: in("var x T20[int]; x.M()", "type T0[P any] struct{ a P }\nfunc (T0[P]) M() {}\n"+line(20, "type T%[2]d[P any] struct{}\nfunc (T%[2]d[P]) M() { T%[1]d[[1]P]{}.M(); T%[1]d[*P]{}.M() }\n"))},
	{name: "endless function", end: "error", source: in("f(1)", "func f[T any](x T) { f[[]T](nil) }")},
	{name: "endless type", end: "error", source: top("type T[P any] struct{ p *T[[]P] }\nvar x T[int]" + empty)},
	{name: "inferred pairs", end: "TypeExpansion", source: in("x0 := 1\n"+line(40, "x%[2]d := mk(x%[1]d, x%[1]d)\n")+"_ = x40", "type D[A, B any] struct{}\nfunc mk[A, B any](a A, b B) (d D[A, B]) { return }")},
	{name: "inferred fields", end: "TypeExpansion", source: in("x0 := 1\n"+line(40, "x%[2]d := mk(x%[1]d)\n")+"_ = x40", "type D[A any] struct{ a, b A }\nfunc mk[A any](a A) (d D[A]) { return }")},
	{name: "inferred by methods", end: "TypeExpansion", source: in("var x D[int, int]\n_ = x"+strings.Repeat(".M()", 40), "type D[A, B any] struct{}\nfunc (d D[A, B]) M() (e D[D[A, B], D[A, B]]) { return }")},
	{name: "inferred by variables", end: "TypeExpansion", source: top("type D[A, B any] struct{}\nfunc mk[A, B any](a A, b B) (d D[A, B]) { return }\nvar x0 = 1\n" + line(40, "var x%[2]d = mk(x%[1]d, x%[1]d)\n") + empty)},
	{name: "aliases", end: "TypeExpansion", source: top("type D[A, B any] struct{}\ntype A0 = int\n" + line(40, "type A%[2]d = D[A%[1]d, A%[1]d]\n") + "var x A40" + empty)},
	{name: "nested arguments", end: "TypeExpansion", source: top("type D[P any] struct{ a, b P }\nvar x " + nest(40, "D[", "int", "]") + empty)},
	{name: "many instances", end: "Instances", source: in(line(9_000, "f[[%d]int]()\n"), "func f[T any]() {}")},
	{name: "instances that are fine", source: in(line(1_000, "f[[%d]int]()\n"), "func f[T any]() { var x T; _ = x }")},

	// Many of one kind.
	{name: "closures of a variable", source: in("n := 0\n"+line(1_600, "defer func() { n += %d }()\n"), "")},
	{name: "closures of a variable, more", source: in("n := 0\n"+line(20_000, "defer func() { n += %d }()\n"), "")},
	{name: "goroutines of a variable", source: in("n := 0\n"+line(10_000, "go func() { n += %d }()\n"), "")},
	{name: "captured variables", source: in(line(3_000, "v%[1]d := len(fs) + %[1]d\n")+"fs = append(fs, func() int { return 0"+strings.Repeat("", 1)+line(900, " + v%d")+" })\n"+line(3_000, "_ = v%d\n"), "var fs []func() int")},
	{name: "cases", end: "CheckWork", source: in("switch x {\n"+line(10_000, "case %d: x = 1\n")+"}", "var x int")},
	{name: "cases, too many", end: "CheckWork", source: in("switch x {\n"+line(45_000, "case %d: x = 1\n")+"}", "var x int")},
	{name: "cases of strings", source: in("switch x {\n"+line(5_000, "case \"k%d\": x = \"\"\n")+"}", "var x string")},
	{name: "goto", end: "CheckWork", source: in("x := 0\n"+each(10_000, func(i int) string {
		return fmt.Sprintf("L%d: x++\nif c[%d] { goto L%d }\n", i, i%10, i*7919%10_000)
	}), "var c [10]bool")},
	{name: "phis", end: "CheckWork", source: in("a, b, d := 1, 2, 3\n"+line(10_000, "if c[%d%%10] { a, b = b+1, d } else { d = a }\n")+"println(a, b, d)", "var c [10]bool")},
	{name: "loops", end: "CheckWork", source: in("s := 0\n"+line(10_000, "for i := 0; i < %d; i++ { s += i }\n")+"println(s)", "")},
	{name: "select cases", end: "CheckWork", source: in("c := make(chan int)\nselect {\n"+strings.Repeat("case <-c:\n", 60_000)+"default:\n}", "")},
	{name: "elements", end: "CheckWork", source: top("var x = []int{" + strings.Repeat("1,", 400_000) + "}" + empty)},
	{name: "map elements", source: top("var x = map[int]int{" + line(20_000, "%d: 1,") + "}" + empty)},
	{name: "elements that are computed", source: top("var y = 1\nvar x = []int{" + strings.Repeat("y,", 30_000) + "}" + empty)},
	{name: "one function", source: in(line(20_000, "a[%d%%100] += a[7] * %d\n"), "var a [100]int")},
	{name: "functions", source: top(line(20_000, "func f%d() {}\n") + empty)},
	{name: "functions that are used", source: top(line(10_000, "func f%[1]d() { println(%[1]d) }\n") + "var t = []func(){" + line(10_000, "f%d,") + "}" + empty)},
	{name: "chain of functions", source: in("println(f0(1))", line(3_000, "func f%[1]d(x int) int { return f%[2]d(x+1) + 1 }\n")+"func f3000(x int) int { return x }")},
	{name: "calls that are inlined", source: in("println(f40(1))", "func f0(x int) int { return x + 1 }\n"+line(40, "func f%[2]d(x int) int { return f%[1]d(x) + f%[1]d(x+1) + f%[1]d(x+2) }\n"))},
	{name: "initialisers", source: top(strings.Repeat("func init() {}\n", 10_000) + empty)},
	{name: "interface tables", source: in("var is []I\n"+line(3_000, "is = append(is, T%d(1))\n")+"println(len(is))", "type I interface{ M() int }\n"+line(3_000, "type T%[1]d int\nfunc (t T%[1]d) M() int { return %[1]d }\n"))},
	{name: "concatenations", source: in(strings.Repeat("t = s"+strings.Repeat(" + s", 400)+"\n", 20), "var s, t string")},
	{name: "parameters", source: in("f("+strings.Repeat("1,", 3_000)+")", "func f("+line(3_000, "a%d int,")+") {}")},
	{name: "results", source: in("f()", "func f() ("+strings.Repeat("int,", 3_000)+") { panic(1) }")},
	{name: "functions over sequences", source: in("n := 0\n"+strings.Repeat("for x := range s { n += x }\n", 3_000), "func s(y func(int) bool) {}")},
	{name: "nested sequences", source: in("n := 0\n"+nest(50, "for x := range s { n += x\n", "", "}\n"), "func s(y func(int) bool) {}")},
	{name: "type errors", end: "error", source: in(line(30_000, "var x%d string = 1\n"), "")},
	{name: "syntax errors", end: "error", source: in(strings.Repeat("if x {\n", 800), "")},
	{name: "imports", end: "error", source: top(strings.Repeat("import \"fmt\"\n", 50_000) + empty)},
	{name: "directives", source: top(strings.Repeat("//go:noinline\n", 60_000) + empty)},
	{name: "line directives", source: top(line(40_000, "//line x%d.go:1\n") + empty)},
	{name: "one comment", source: top("/* " + strings.Repeat("*", 900_000) + "*/" + empty)},
	{name: "too much source", end: "SourceBytes", source: top(strings.Repeat("// more\n", 200_000) + empty)},
}
