package hostile

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var hugeScale = flag.Int("hostile.huge", 1, "size of the functions of TestHuge in percent: 100 is 100,000 statements")

// repeat writes something n times.
func repeat(n int, write func(b *strings.Builder, i int)) string {
	var b strings.Builder
	for i := range n {
		write(&b, i)
	}
	return b.String()
}

func lines(n int, format string, count int) string {
	return repeat(n, func(b *strings.Builder, i int) {
		args := make([]any, count)
		for k := range args {
			args[k] = i
		}
		fmt.Fprintf(b, format+"\n", args...)
	})
}

// huge are programs with large functions, frames, constants or offsets. n is the number of
// statements.
var huge = []struct {
	name    string
	imports string
	write   func(n int) string // declarations, with main
	fails   bool               // to compile
}{
	{name: "statements", write: func(n int) string {
		return "func main() {\nx, y := len(os.Args), 1\n" + lines(n, "x = x*3 + y ^ %d; y += x", 1) + "println(x, y) }"
	}},
	{name: "calls", write: func(n int) string {
		return "//go:noinline\nfunc f(x, y int) int { return x*3 + y }\nfunc main() {\nx := len(os.Args)\n" + lines(n, "x = f(x, %d)", 1) + "println(x) }"
	}},
	{name: "conditions", write: func(n int) string {
		return "func main() {\nx := len(os.Args)\n" + lines(n, "if x&%d != 0 { x += %d }", 2) + "println(x) }"
	}},
	{name: "checks", write: func(n int) string {
		return "func main() {\ns := make([]int, 10*len(os.Args))\nx := 0\n" + lines(n, "s[x%%len(s)] += %d; x += s[(x+%d)%%len(s)]&7", 2) + "println(x) }"
	}},
	{name: "variables that live to the end", write: func(n int) string {
		n /= 10
		return "func main() {\nx := len(os.Args)\n" + lines(n, "v%d := x; x = x*5 + v%d", 2) + "for range 2 {\n" + lines(n, "x ^= v%d; v%d += x", 2) + "}\nprintln(x) }"
	}},
	{name: "variables of a loop with many ways", write: func(n int) string {
		n /= 100
		return "func main() {\nx := len(os.Args)\n" + lines(n, "v%d := x", 1) + "for i := range 3000 {\nswitch i % " + fmt.Sprint(n) + "{\n" +
			lines(n, "case %d: v%d += x; x ^= v%d", 3) + "}\n}\n" + lines(n, "x ^= v%d", 1) + "println(x) }"
	}},
	{name: "operations beyond the budget", write: func(n int) string {
		n = max(n, 3000)
		return "func main() {\ns := make([]int, 10*len(os.Args))\nx := 0\n" + lines(n, "s[x&7] += %d; x = x*3 + s[%d&7]", 2) + "println(x) }"
	}},
	{name: "variables that live through conditions", write: func(n int) string {
		n = max(n/10, 600)
		return "func main() {\nx := len(os.Args)\nf := float64(x)\n" + lines(n, "v%d := x; x = x*5 + v%d; f%d := f; f += 3", 3) + lines(n, "if x&%d != 0 { x += %d }", 2) +
			"for range 2 {\n" + lines(n, "x ^= v%d; v%d += x; f += f%d", 3) + "}\nprintln(x, f) }"
	}},
	{name: "pointers that live through calls", write: func(n int) string {
		n = max(n/10, 400)
		return "var sink *int\n//go:noinline\nfunc g(x *int) int { if *x == -1 { sink = x }; return *x }\nfunc main() {\nx := len(os.Args)\n" +
			lines(n, "v%d := new(int); *v%d = x; x += g(v%d)", 3) + lines(n, "if x&%d != 0 { x += g(new(int)) }", 1) + lines(n, "x ^= *v%d", 1) + "println(x) }"
	}},
	{name: "a cycle of variables", write: func(n int) string {
		n = max(n/20, 100)
		list := func(shift int) string {
			return repeat(n, func(b *strings.Builder, i int) {
				if i > 0 {
					b.WriteString(",")
				}
				fmt.Fprintf(b, "v%d", (i+shift)%n)
			})
		}
		return "func main() {\nx := len(os.Args)\n" + lines(n, "v%d := x+%d", 2) + "for i := range 50 {\n" + list(0) + " = " + list(1) + "\nif i&x == 0 { " + list(0) + " = " + list(7) + " }\n}\n" +
			lines(n, "x = x*3 ^ v%d", 1) + "println(x) }"
	}},
	{name: "many ways to the end", write: func(n int) string {
		n /= 2
		return "func main() {\nx := len(os.Args)\nfor range 3 {\n" + lines(n, "if x == -%d { break }; x++", 1) + "}\nprintln(x) }"
	}},
	{name: "switch", write: func(n int) string {
		n /= 4
		return "//go:noinline\nfunc f(x int) int { switch x {\n" + lines(n, "case %d: return %d*7", 2) + "}\nreturn -1 }\nfunc main() { println(f(len(os.Args)), f(3000), f(-1)) }"
	}},
	{name: "switch of strings", write: func(n int) string {
		n /= 10
		return "//go:noinline\nfunc f(x string) int { switch x {\n" + lines(n, "case \"s%d\": return %d*7", 2) + "}\nreturn -1 }\nfunc main() { println(f(os.Args[0]), f(\"s300\"), f(\"\")) }"
	}},
	{name: "nested conditions", write: func(n int) string {
		n = min(n/100, 900)
		return "func main() {\nx := len(os.Args)\n" + lines(n, "if x != -%d { x++", 1) + strings.Repeat("}", n) + "\nprintln(x) }"
	}},
	{name: "nested loops", write: func(n int) string {
		n = min(n/500, 100)
		return "func main() {\nx := len(os.Args)\n" + lines(n, "for i%d := 0; i%d < 1; i%d++ { x += i%d", 4) + strings.Repeat("}", n) + "\nprintln(x) }"
	}},
	{name: "nested closures", write: func(n int) string {
		n = min(n/500, 100)
		return "func main() {\nx := len(os.Args)\n" + strings.Repeat("func() { x++\n", n) + strings.Repeat("}()\n", n) + "println(x) }"
	}},
	{name: "one expression", write: func(n int) string {
		n /= 10
		return "func main() {\nx := len(os.Args)\nprintln(x" + repeat(n, func(b *strings.Builder, i int) { fmt.Fprintf(b, "*3+(x^%d)", i) }) + ") }"
	}},
	{name: "defers", write: func(n int) string {
		n /= 20
		return "func main() {\nx := len(os.Args)\ndefer func() { println(x) }()\n" + lines(n, "defer func() { x = x*3 + %d }()", 1) + "}"
	}},
	{name: "labels", write: func(n int) string {
		n /= 20
		return "func main() {\nx := len(os.Args)\n" + lines(n, "l%d: if x&1 == 0 { x += %d | 1; goto l%d }; x++", 3) + "println(x) }"
	}},
	{name: "element of a composite literal", write: func(n int) string {
		return "var t = [...]int{" + repeat(n, func(b *strings.Builder, i int) { fmt.Fprintf(b, "%d,", i*i) }) + "}\nfunc main() {\ns := []any{" + repeat(n/10, func(b *strings.Builder, i int) { fmt.Fprintf(b, "%d,", i) }) + "}\nprintln(t[len(os.Args)], len(s)) }"
	}},
	{name: "map literal", write: func(n int) string {
		return "func main() {\nm := map[string]int{" + repeat(n/10, func(b *strings.Builder, i int) { fmt.Fprintf(b, "%q: len(os.Args),", fmt.Sprint(i)) }) + "}\nprintln(len(m), m[\"7\"]) }"
	}},
	{name: "parameters", write: func(n int) string {
		n = min(n/100, 1000)
		list := func(format, sep string) string {
			return repeat(n, func(b *strings.Builder, i int) {
				if i > 0 {
					b.WriteString(sep)
				}
				fmt.Fprintf(b, format, i)
			})
		}
		return "//go:noinline\nfunc f(" + list("p%d", ",") + " int) (" + list("r%d", ",") + " int) {\n" + lines(n, "r%d = p%d + 1", 2) + "return }\nfunc main() {\nx := len(os.Args)\n" +
			list("a%d", ",") + " := f(" + list("x+%d", ",") + ")\nprintln(" + list("a%d", "^") + ") }"
	}},
	{name: "text", write: func(n int) string {
		return "const s = \"" + strings.Repeat("0123456789", n*10) + "\"\nfunc main() { println(len(s), s[len(os.Args)], len(s+os.Args[0])) }"
	}},
	{name: "numbers", write: func(n int) string {
		return "const c = 1<<500 - 1\nfunc main() { println(c>>490 + len(os.Args), c/(1<<450), float64(c)) }"
	}},
	{name: "number beyond all", write: func(n int) string { return "const c = 1 << 100000\nfunc main() { println(c >> 99999) }" }, fails: true},
	{name: "shifts", write: func(n int) string {
		return "func main() {\nx, s := len(os.Args), uint64(1)<<uint(len(os.Args)+60)\nprintln(x<<s, x>>s, -x>>s, int8(x)<<s, uint32(x)>>s, s<<s) }"
	}},
	{name: "frame", write: func(n int) string {
		return "//go:noinline\nfunc f(i, depth int) int {\nvar a [1 << 16]int\na[i] = depth\np := &a\nif depth > 0 { a[i+1] = f(i, depth-1) }\nreturn p[i] + p[i+1] }\nfunc main() { println(f(len(os.Args), 20)) }"
	}},
	{name: "frame beyond all", write: func(n int) string {
		return "//go:noinline\nfunc f(i int) int {\nvar a [1 << 27]int\np := &a\np[i] = 1\nreturn p[i] + a[i+1] }\nfunc main() { println(f(len(os.Args))) }"
	}},
	{name: "recursion in huge frames", write: func(n int) string {
		return "//go:noinline\nfunc f(i int) int {\nvar a [1 << 12]int\np := &a\np[i&7] = f(i+1)\nreturn p[i&3] }\nfunc main() { println(f(len(os.Args))) }"
	}},
	{name: "array near 4 GiB", write: func(n int) string {
		return "var p *[1<<29 - 1]int\nfunc main() {\ndefer func() { println(recover().(error).Error()) }()\nprintln(len(p)); p[len(os.Args)+1<<28] = 1 }"
	}},
	{name: "array of 4 GiB as a variable", fails: true, write: func(n int) string {
		return "var a [1<<32 - 8]byte\nfunc main() { a[len(os.Args)] = 1; println(a[1]) }"
	}},
	{name: "nil at large offsets", write: func(n int) string {
		return `type big struct { a [1 << 20]byte; b int; c [1 << 28]byte; d int; e [1 << 30]byte; f int }
func try(f func() int) { defer func() { println(recover().(error).Error()) }(); println(f()) }
func main() {
	var p *big
	if len(os.Args) > 100 { p = new(big) }
	var q *[1 << 31]byte
	i := len(os.Args) << 30
	try(func() int { return p.b })
	try(func() int { return p.d })
	try(func() int { return p.f })
	try(func() int { p.f = 1; return 0 })
	try(func() int { x := &p.d; return *x })
	try(func() int { return int(p.e[i-1]) })
	try(func() int { return int(q[i]) })
	try(func() int { return int(q[1<<31-1]) })
	try(func() int { return len(q[i:]) })
	try(func() int { s := (*[1 << 31]byte)(nil)[:0]; return len(s) })
}`
	}},
	{name: "makes near 4 GiB", write: func(n int) string {
		return `func try(f func() int) { defer func() { if e := recover(); e != nil { println(e.(error).Error()) } }(); println(f()) }
func main() {
	n := len(os.Args) << 32
	try(func() int { return len(make([]byte, n<<20)) })
	try(func() int { return len(make([]int64, n<<29)) })
	try(func() int { return len(make([]struct{}, n)) })
	println(len(make([]byte, n-1)))
}`
	}},
	{name: "methods", write: func(n int) string {
		n /= 50
		return "type t int\n" + lines(n, "func (x t) M%d() t { return x + %d }", 2) + "func main() {\nx := t(len(os.Args))\n" + lines(n, "x = x.M%d()", 1) + "println(x) }"
	}},
}

// TestHuge compiles and runs programs that are large in some way, in each tier, with the same
// result.
func TestHuge(t *testing.T) {
	for _, h := range daily.Part(t, huge, (len(huge)+2)/3, *all) {
		t.Run(h.name, func(t *testing.T) {
			src := "package main\n\nimport \"os\"\n\nvar _ = os.Args\n\n" + h.write(1000**hugeScale) + "\n"
			p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}}, nil)
			if h.fails != (err != nil) {
				t.Fatalf("Compile: %v", err)
			}
			if err != nil {
				return
			}
			first := ""
			for _, tier := range tiers() {
				var out output
				in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Gas: 1_000_000_000, Memory: 64 << 20, Tier: tier})
				if err != nil {
					var limit *gyr.MemoryLimitError
					if !errors.As(err, &limit) {
						t.Error(err)
					}
					return
				}
				err = in.Run(context.Background())
				s := in.Stats()
				t.Logf("%s: %v", tier, s.Wall)
				s = s.Repeatable()
				if !typed(err) {
					t.Errorf("an error of type %T: %v", err, err)
				}
				var end string
				if end = fmt.Sprintf("%v %+v\n%s", err, s, out.text()); first == "" {
					first = end
				} else if end != first {
					t.Errorf("%s: %s\n%s: %s", tier, brief(end), tiers()[0], brief(first))
				}
				in.Close()
			}
			t.Logf("%s", brief(first))
		})
	}
}
