package declare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestParse: the declarations of directives.
func TestParse(t *testing.T) {
	const text = `package m

import "time"

type kind uint8

const big, small kind = 2, 1

type buf struct{}

func newBuf(n int) *buf { return nil }

func two(b testing.TB, size int) (string, int) { return "", size }

// sum adds.
//
//gyr:bench group=sums baseline n=8,0x40,1_000 bytes=n setup=newBuf
//gyr:bench ignore=BP06,BP09 reason="it is short, and meant to be"
func (b *buf) sum(n int) int { return n }

//gyr:bench k=big,small s="a b","c/d",` + "`e`" + ` x=-1.5 ok=true,false
func all(k kind, s string, x float32, ok bool) {}

//gyr:bench
func Nothing() {}

//gyr:bench setup=two size=3,4 z=5 bytes=100 inline=never
func both(s string, n int, z kind) {}

//gyr:bench d=5 v=1,"x" c='a'
func others(d time.Duration, v any, c rune) {}

//gyr:bench	_x=1
func underscore(_x int) {}

//gyr:benchmark is another directive
func other() {}

func BenchmarkNothing() {}
`
	p, err := Parse([]File{{"/m/m.go", []byte(text)}})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range p.Declared() {
		got = append(got, d.Name())
	}
	want := strings.Fields(`
		BufSum/n=8 BufSum/n=0x40 BufSum/n=1_000
		All/k=big/s=a_b/x=-1.5/ok=true All/k=big/s=a_b/x=-1.5/ok=false All/k=big/s=c_d/x=-1.5/ok=true All/k=big/s=c_d/x=-1.5/ok=false
		All/k=big/s=e/x=-1.5/ok=true All/k=big/s=e/x=-1.5/ok=false
		All/k=small/s=a_b/x=-1.5/ok=true All/k=small/s=a_b/x=-1.5/ok=false All/k=small/s=c_d/x=-1.5/ok=true
		All/k=small/s=c_d/x=-1.5/ok=false All/k=small/s=e/x=-1.5/ok=true All/k=small/s=e/x=-1.5/ok=false
		Nothing_2 Both/z=5/size=3 Both/z=5/size=4
		Others/d=5/v=1/c=_a_ Others/d=5/v=x/c=_a_ Underscore/_x=1`)
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	b := p.Declared()[1].Bench("example.com/m")
	if s := fmt.Sprintf("%+v", *b); s != `{Key:example.com/m.BufSum/n=0x40 Package:example.com/m Name:BufSum/n=0x40 Func:(*buf).sum File:/m/m.go Line:19 `+
		`Declared:true Group:sums Baseline:true Params:[{Name:n Value:0x40}] Bytes:64 Ignore:[BP06 BP09] Hints:[]}` {
		t.Error(s)
	}
	if d := p.Declared()[3]; d.Case.Params[1].Value != "a b" {
		t.Errorf("%+v", d.Case.Params)
	}
	f := p.Functions[3]
	if f.Inline != InlineNever || f.Cases[0].Bytes != 100 || f.given != 2 {
		t.Errorf("%+v", f)
	}
}

// TestParseErrors: an error names file, line, the thing and a cure, and does not prevent correct
// declarations.
func TestParseErrors(t *testing.T) {
	const around = "package m\n\ntype buf struct{}\ntype list[T any] struct{}\ntype level int8\n\nconst max = 8\n\nvar one = 1\n\n" +
		"func newBuf() *buf { return nil }\nfunc none() {}\nfunc three() (a, b, c int) { return }\nfunc gen[T any]() T { panic(0) }\n" +
		"func sized(n int) *buf { return nil }\nfunc many(n ...int) *buf { return nil }\nfunc blank(int) *buf { return nil }\n\n//gyr:bench\nfunc right() {}\n\n"
	line := strings.Count(around, "\n") + 1
	for _, c := range []struct{ text, want string }{
		{"//gyr:bench grup=a\nfunc f() {}", "grup is neither a key (group, baseline, bytes, setup, inline, ignore, reason) nor a parameter of f; correct it or leave it out"},
		{"//gyr:bench\nfunc f(n int) {}", "parameter n of f has no value; write n=VALUE,…, or a setup that returns it"},
		{"//gyr:bench n\nfunc f(n int) {}", "n has no values; write n=VALUE,…"},
		{"//gyr:bench n=\nfunc f(n int) {}", "n= lacks a value"},
		{"//gyr:bench n=1,,2\nfunc f(n int) {}", "n= lacks a value"},
		{"//gyr:bench n=1, 2\nfunc f(n int) {}", "n= lacks a value"},
		{"//gyr:bench n=1 n=2\nfunc f(n int) {}", "n stands twice"},
		{"//gyr:bench n=x\nfunc f(n int) {}", "n=x, parameter of f: x is not a constant of package m; declare it, or write a string as \"x\""},
		{"//gyr:bench n=one\nfunc f(n int) {}", "one is not a constant"},
		{"//gyr:bench n=1.5\nfunc f(n int) {}", "n=1.5, parameter of f: it is not of type int; write one that is"},
		{"//gyr:bench n=\"a\"\nfunc f(n int) {}", "it is not of type int"},
		{"//gyr:bench n=300\nfunc f(n uint8) {}", "it is not of type uint8"},
		{"//gyr:bench n=-1\nfunc f(n uint) {}", "it is not of type uint"},
		{"//gyr:bench n=200\nfunc f(n level) {}", "it is not of type level"},
		{"//gyr:bench n=65\nfunc f(n string) {}", "it is not of type string"},
		{"//gyr:bench n=1\nfunc f(n bool) {}", "it is not of type bool"},
		{"//gyr:bench n=1\nfunc f(n []int) {}", "a parameter of type []int cannot have values here; write a setup that returns it"},
		{"//gyr:bench n=1\nfunc f(n *int) {}", "a parameter of type *int cannot have values here"},
		{"//gyr:bench n=1+1\nfunc f(n int) {}", "it is not a number, a string, true, false or the name of a constant; declare a constant for it"},
		{"//gyr:bench n=1)\nfunc f(n int) {}", "it is not a Go value"},
		{"//gyr:bench n=1,1\nfunc f(n int) {}", "n has the values 1 and 1, which are alike in the benchmark's name; change one"},
		{"//gyr:bench s=\"a b\",\"a_b\"\nfunc f(s string) {}", "which are alike"},
		{"//gyr:bench s=\"a\nfunc f(s string) {}", "the quotation mark of s= is not closed"},
		{"//gyr:bench s=\"a\"b\nfunc f(s string) {}", "\"b\" stands directly behind a string in s=; put a blank or a comma between them"},
		{"//gyr:bench\nfunc f(_ int) {}", "a parameter of f has no name; give it one"},
		{"//gyr:bench\nfunc f(int) {}", "a parameter of f has no name; give it one"},
		{"//gyr:bench group=1\nfunc f(group int) {}", "parameter group of f has the name of a key of the directive; give it another name"},
		{"//gyr:bench\nfunc f[T any]() {}", "f is generic; declare a benchmark of a function that calls it with types"},
		{"//gyr:bench\nfunc f(x ...int) {}", "f is variadic; declare a benchmark of a function that calls it with a number of arguments"},
		{"//gyr:bench\nfunc (b *buf) f() {}", "method (*buf).f has no receiver; write setup=FUNC with a function that returns one"},
		{"//gyr:bench setup=newBuf\nfunc (l list[T]) f() {}", "the receiver of f is of a generic type"},
		{"//gyr:bench\nfunc init() {}", "func init cannot be called"},
		{"//gyr:bench\nfunc _() {}", "a function without a name cannot be called"},
		{"//gyr:bench setup=nosuch\nfunc f(b *buf) {}", "setup=nosuch is no function of package m"},
		{"//gyr:bench setup=each\nfunc f(b *buf) {}", "setup=each, a setup before every iteration, cannot be had"},
		{"//gyr:bench setup=none\nfunc f(b *buf) {}", "setup none returns nothing; have it return the receiver or the first parameters of f"},
		{"//gyr:bench setup=three\nfunc f(a, b int) {}", "setup three returns 3 values, and f takes 2; have it return as many"},
		{"//gyr:bench setup=gen\nfunc f(b *buf) {}", "setup gen is generic"},
		{"//gyr:bench setup=many\nfunc f(b *buf) {}", "setup many is variadic"},
		{"//gyr:bench setup=blank\nfunc f(b *buf) {}", "a parameter of blank has no name"},
		{"//gyr:bench setup=sized\nfunc f(b *buf) {}", "parameter n of setup sized has no value; write n=VALUE,…"},
		{"//gyr:bench setup=newBuf b=1\nfunc f(b *buf) {}", "b is what setup newBuf returns; leave its values out, or give the setup a parameter b"},
		{"//gyr:bench setup=sized n=\"a\"\nfunc f(b *buf) {}", "n=\"a\", parameter of sized: it is not of type int"},
		{"//gyr:bench setup=sized n=300\nfunc f(b *buf, n uint8) {}", "n=300, parameter of f: it is not of type uint8"},
		{"//gyr:bench setup\nfunc f(b *buf) {}", "setup has no value, or several; write setup=VALUE"},
		{"//gyr:bench group=a,b\nfunc f() {}", "group has no value, or several"},
		{"//gyr:bench baseline\nfunc f() {}", "baseline without a group compares nothing; write group=NAME too"},
		{"//gyr:bench group=a baseline=yes\nfunc f() {}", "baseline takes no value; write the word alone"},
		{"//gyr:bench bytes=0\nfunc f() {}", "bytes=0 is neither a number above 0 nor a parameter with values"},
		{"//gyr:bench bytes=m n=1\nfunc f(n int) {}", "bytes=m is neither a number above 0 nor a parameter with values"},
		{"//gyr:bench bytes=n n=1\nfunc f(n float64) {}", "bytes=n is a parameter of type float64; write a number or an integer parameter"},
		{"//gyr:bench bytes=b setup=newBuf\nfunc f(b *buf) {}", "bytes=b is neither"},
		{"//gyr:bench inline=maybe\nfunc f() {}", "inline=maybe is unknown; write auto, never or always"},
		{"//gyr:bench ignore=BP06\nfunc f() {}", "ignore without a reason; write reason=\"…\" too"},
		{"//gyr:bench reason=\"so\"\nfunc f() {}", "reason without ignore"},
		{"//gyr:bench ignore=BP6 reason=a\nfunc f() {}", "ignore=BP6 is not the code of a diagnosis; write BP and two digits"},
		{"//gyr:bench\ntype t int", "//gyr:bench stands in front of a type; put it in front of a function or a method"},
		{"//gyr:bench\nvar t int", "stands in front of a variable"},
		{"//gyr:bench\n\nfunc f() {}", "//gyr:bench stands in front of nothing; put it directly in front of a function or a method"},
		{"\nfunc f() {\n//gyr:bench\n}", "stands in front of nothing"},
		{"func f() {", "expected '}', found 'EOF'"},
	} {
		p, err := Parse([]File{{"/m/m.go", []byte(around + c.text + "\n")}})
		e := (*Error)(nil)
		if !errors.As(err, &e) || !strings.Contains(e.Text, c.want) {
			t.Errorf("%s\ngot error %v\nwant %s", c.text, err, c.want)
			continue
		}
		if at := line + strings.Count(c.text[:max(0, strings.Index(c.text, "//gyr"))], "\n"); e.File != "/m/m.go" || e.Line != at && !strings.Contains(e.Text, "EOF") {
			t.Errorf("%s\nis reported for %s:%d, not line %d", c.text, e.File, e.Line, at)
		}
		if !strings.Contains(c.want, "EOF") && (len(p.Functions) != 1 || p.Functions[0].Func != "right") {
			t.Errorf("%s\nleaves %v", c.text, p.Functions)
		}
		if n := len(strings.Split(err.Error(), "\n")); n != 1 {
			t.Errorf("%s\nhas %d errors: %v", c.text, n, err)
		}
	}
}
