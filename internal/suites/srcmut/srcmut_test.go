package srcmut

import (
	"math/rand/v2"
	"strings"
	"testing"
)

const (
	first = `package main

import "fmt"

type pair struct{ a, b int }

func sum(list []int, n int) (s int) {
	for i, x := range list {
		if x > n && i%3 != 1 {
			s += x*2 - i
		}
	}
	return s
}

func main() {
	p := pair{1, 2}
	list := []int{3, 1, 4, 1, 5, p.b}
	name := "sum"
	fmt.Println(name, sum(list, 2), p)
}
`
	second = `package main

import "strings"

const width = 7

type counter map[string]int

func (c counter) add(s string) { c[s]++ }

func count(s string, limit int) int {
	c := counter{}
	for _, f := range strings.Fields(s) {
		c.add(f)
	}
	for k := range limit {
		limit ^= k << width
	}
	return len(c) + limit&15
}

func main() {
	n, text := 4, "a b a"
	for n > 0 {
		n = n - len(text)/4
	}
	println(count(text, n), strings.Repeat(text, 2))
}
`
)

func parse(t *testing.T, c *Checker, name, src string) *File {
	t.Helper()
	f, err := c.Parse(name, src)
	if err != nil {
		t.Fatal(err)
	}
	return f
}

// TestMutant: many programs arise from two, each compiles, every kind of change is made, and a seed
// gives the same programs again.
func TestMutant(t *testing.T) {
	c := NewChecker()
	a, b := parse(t, c, "a.go", first), parse(t, c, "b.go", second)
	kinds, seen := map[string]int{}, map[string]bool{}
	for seed := range uint64(150) {
		f, what := c.Mutant(rand.New(rand.NewPCG(seed, 0)), a, b, 2)
		if f == nil {
			t.Fatalf("seed %d: nothing", seed)
		}
		again, _ := c.Mutant(rand.New(rand.NewPCG(seed, 0)), a, b, 2)
		if again.Src != f.Src {
			t.Fatalf("seed %d makes two programs", seed)
		}
		parse(t, c, "again.go", f.Src)
		for _, w := range what {
			kind, _, _ := strings.Cut(w, ":")
			kinds[kind]++
		}
		seen[f.Src] = true
	}
	if len(seen) < 120 {
		t.Errorf("%d different programs", len(seen))
	}
	for _, e := range edits {
		if kinds[e.name] == 0 {
			t.Errorf("no edit of the kind %q: %v", e.name, kinds)
		}
	}
}

// TestAs: a program becomes a package.
func TestAs(t *testing.T) {
	c := NewChecker()
	got := parse(t, c, "b.go", "//go:build ignore\n\n"+second).As("p7")
	if !strings.HasPrefix(got, "package p7\n") || !strings.Contains(got, "func Main() {") || strings.Contains(got, "func main") {
		t.Error(got)
	}
	if got := parse(t, c, "c.go", "package main\n\nfunc main() { if len(\"\") > 0 { main() } }\n").As("p"); got != "" {
		t.Error(got)
	}
}

// TestSteady: the source shows what may differ between runs.
func TestSteady(t *testing.T) {
	c := NewChecker()
	for body, want := range map[string]bool{
		"package main\nfunc main() { println(1) }":                                   true,
		"package main\nimport \"math\"\nfunc main() { println(int(math.Trunc(2))) }": false,
		"package main\nfunc main() { go func() {}() }":                               false,
		"package main\nfunc main() { select { default: } }":                          false,
		"package main\nimport \"time\"\nfunc main() { println(time.Second) }":        false,
		"package main\nfunc main() { x := 1; println(float64(x), int8(x)) }":         true,
	} {
		if got := parse(t, c, "x.go", body).Steady(); got != want {
			t.Errorf("%v for\n%s", got, body)
		}
	}
}
