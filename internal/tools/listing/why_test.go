package listing_test

import (
	"bytes"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

const decisions = `package main

type node struct {
	next *node
	list []int
}

var global *node

//go:noinline
func fixed() int { return 1 }

func nilParam(n *node) int { return len(n.list) }

func twice(n *node) int { return len(n.list) + cap(n.list) }

func loop(s []int) (t int) {
	for i := range s {
		t += s[i]
	}
	return t
}

func index(s []int, i int) int { return s[i] }

func divide(a, b int) int { return a / b }

func divideSafely(a, b int) int {
	if b <= 0 {
		return 0
	}
	return a / b
}

func stores() { global = &node{} }

func returns() *node { return &node{} }

func big(n int) int { return len(make([]byte, n)) + int(make([]byte, n)[0]) }

func keepsLocal() int {
	n := &node{list: []int{1}}
	return len(n.list)
}

func static() int { return fixed() + recursive(3) + divide(4, 2) }

func recursive(n int) int {
	if n == 0 {
		return 0
	}
	return recursive(n-1) + 1
}

func dynamic(f func() int, s interface{ M() int }) int { return f() + s.M() }

type impl struct{}

func (impl) M() int { return 1 }

func main() {
	s := []int{1, 2, 3}
	println(nilParam(&node{}), twice(&node{}), loop(s), index(s, 1), divide(4, 2), divideSafely(4, 2), big(3), keepsLocal(), static(),
		dynamic(fixed, impl{}), returns() == nil)
	stores()
}
`

// TestWhy: what stays and what is removed is reported with the reason.
func TestWhy(t *testing.T) {
	w := &listing.Why{Match: regexp.MustCompile(`^main\.`), Removed: true}
	view := compileText(t, decisions, engine.Observer{Log: w.Log, Watch: w.Watch})
	text := map[string]string{}
	for _, f := range view.Mod.Funcs() {
		if f != nil && w.Watch(f) {
			var b bytes.Buffer
			if err := w.Print(&b, view, f); err != nil {
				t.Fatal(err)
			}
			text[strings.TrimPrefix(f.Name, "main.")] = b.String()
		}
	}
	for _, x := range []struct{ fn, want string }{
		{"nilParam", `^main\.nilParam: 1 checks`},
		{"nilParam", `nilcheck v\d+: not shown: v\d+ is not nil: a parameter`},
		{"twice", `^main\.twice: 1 checks`},
		{"twice", `removed\n.*nilcheck v\d+: prove: v\d+ was checked or compared on the way`},
		{"loop", `^main\.loop: 0 checks`},
		{"loop", `bounds v\d+ v\d+ \[index\]: prove: 0 ≤ v\d+ < v\d+ from `},
		{"index", `bounds v\d+ v\d+ \[index\]: not shown: 0 ≤ v\d+ and v\d+ < v\d+; known: v\d+ \(a parameter\)`},
		{"divide", `check v\d+ \[divide\]: not shown: v\d+ = ne i8`},
		{"divideSafely", `^main\.divideSafely: 0 checks`},
		{"divideSafely", `check v\d+ \[divide\]: prove: always true: .*≥ 1`},
		{"stores", `new ptr .*: it is stored where it can outlive the function: store .*main\.go:\d+\n`},
		{"returns", `new ptr .*: it is returned`},
		{"keepsLocal", `^main\.keepsLocal: 0 checks, 0 calls, 0 allocations`},
		{"keepsLocal", `new ptr .*: escape: the object does not escape`},
		{"static", `main\.fixed: it is marked noinline`},
		{"static", `main\.recursive: it calls itself`},
		{"static", `calls inlined\n.*main\.divide: its cost is \d+, at most 60`},
		{"recursive", `main\.recursive: it calls itself`},
		{"dynamic", `callclosure .*: not static: the function value is not known here`},
		{"dynamic", `callindex .*: not static: the method is not known here`},
	} {
		if !regexp.MustCompile(`(?m)` + x.want).MatchString(text[x.fn]) {
			t.Errorf("%s: no %s in\n%s", x.fn, x.want, text[x.fn])
		}
	}
}

// Observing passes changes nothing.
func TestObservedPassesDoTheSame(t *testing.T) {
	all := func(o engine.Observer) []string {
		view := compileText(t, decisions, o)
		var list []string
		for _, f := range view.Mod.Funcs() {
			if f == nil {
				continue
			}
			if err := view.Prepare(f); err != nil {
				t.Fatal(err)
			}
			list = append(list, f.String())
		}
		return list
	}
	every := regexp.MustCompile(``)
	w, p := &listing.Why{Match: every}, &listing.Passes{Match: every, All: true}
	plain := all(engine.Observer{})
	seen := all(engine.Observer{Dump: p.Dump, Log: w.Log, Watch: w.Watch})
	if len(plain) != len(seen) {
		t.Fatalf("%d functions, %d if observed", len(plain), len(seen))
	}
	for i := range plain {
		if plain[i] != seen[i] {
			t.Fatalf("observed:\n%s\nelse:\n%s", seen[i], plain[i])
		}
	}
}

// The last text that Passes prints is the compiled function; every text differs from the one
// before.
func TestPasses(t *testing.T) {
	p := &listing.Passes{Match: regexp.MustCompile(`^main\.loop$`)}
	view := compileText(t, decisions, engine.Observer{Dump: p.Dump})
	var loop *ir.Func
	for _, f := range view.Mod.Funcs() {
		if f != nil && f.Name == "main.loop" {
			loop = f
		}
	}
	if err := view.Prepare(loop); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := p.Print(&b, loop); err != nil {
		t.Fatal(err)
	}
	parts := regexp.MustCompile(`(?m)^# \d+: .*\n`).Split(b.String(), -1)[1:]
	for i := 1; i < len(parts); i++ {
		if parts[i] == parts[i-1] {
			t.Errorf("part %d is the one before", i+1)
		}
	}
	if len(parts) < 4 {
		t.Errorf("%d parts", len(parts))
	}
	if !strings.Contains(b.String(), "main.loop after prove\n") || strings.Contains(b.String(), "main.main after") {
		t.Errorf("passes of other functions, or without prove:\n%s", b.String())
	}
}
