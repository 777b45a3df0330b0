package profile

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/pprof/profile"

	"github.com/gyrvm/gyr/internal/ir"
)

// module has functions f1, f2, …, a wrapper w and runtime.alloc, each with three positions. 10*i+1
// and 10*i+2 are on these lines of their function. 10*i+3 is line 10*i+3 of f1 inlined at line
// 10*i+1.
func module(n int) *ir.Module {
	m := &ir.Module{Files: []string{"a.go"}, Sites: make([]ir.Site, 10), Pos: make([]ir.PosEntry, 10)}
	for i := 1; i <= n; i++ {
		f := &ir.Func{Name: fmt.Sprintf("f%d", i), Index: int32(i), Pos: ir.Pos(10 * i)}
		switch i {
		case n - 1:
			f.Name, f.Flags = "w", ir.Wrapper
		case n:
			f.Name = "runtime.alloc"
		}
		m.AddFunc(f)
		for line := 10 * i; line < 10*i+10; line++ {
			m.Sites = append(m.Sites, ir.Site{Func: int32(i), Line: int32(line)})
			m.Pos = append(m.Pos, ir.PosEntry{Site: int32(line)})
		}
		m.Sites[10*i+3].Func = 1
		m.Pos[10*i+3].Parent = ir.Pos(10*i + 1)
	}
	return m
}

// stacks prints the samples of a profile: frames innermost first, inlined
// ones marked by a +.
func stacks(t *testing.T, data []byte) []string {
	t.Helper()
	p, err := profile.ParseData(data)
	if err != nil {
		t.Fatal(err)
	}
	if err := p.CheckValid(); err != nil {
		t.Fatal(err)
	}
	var list []string
	for _, s := range p.Sample {
		var b strings.Builder
		for _, l := range s.Location {
			for i, x := range l.Line {
				fmt.Fprintf(&b, "%s:%d", x.Function.Name, x.Line)
				if i < len(l.Line)-1 {
					b.WriteByte('+')
				}
				b.WriteByte(' ')
			}
		}
		list = append(list, fmt.Sprintf("%s%v%v", &b, s.Value, s.Label["share"]))
	}
	slices.Sort(list)
	return list
}

func check(t *testing.T, got, want []string) {
	t.Helper()
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

func gasOf(t *testing.T, tree *Tree) []string {
	t.Helper()
	var b bytes.Buffer
	if err := tree.WriteGas(&b); err != nil {
		t.Fatal(err)
	}
	return stacks(t, b.Bytes())
}

func TestGas(t *testing.T) {
	tree := NewTree(module(6))
	one := tree.Child(tree.Root, 0, 1)
	two := tree.Child(one, 11, 2)
	wrap := tree.Child(two, 21, 5)
	three := tree.Child(wrap, 51, 3)
	tree.AddGas(one, 12, 100)
	tree.AddGas(two, 23, 20) // in f1, inlined into f2
	tree.AddGas(wrap, 52, 7)
	tree.AddGas(three, 32, 3)
	tree.AddGas(three, 32, 2)
	tree.AddGas(three, 0, 1)
	tree.AddGas(tree.Child(one, 13, 4), 41, 8) // called in code inlined at f1:11
	check(t, gasOf(t, tree), []string{
		"f1:12 [100][]",
		"f1:23+ f2:21 f1:11 [20][]",
		"f2:21 f1:11 [7][]",
		"f3:32 f2:21 f1:11 [5][]",
		"f3:30 f2:21 f1:11 [1][]",
		"f4:41 f1:13+ f1:11 [8][]",
	})
}

// Recursion has one context for each of its calls, not for each level.
func TestRecursion(t *testing.T) {
	tree := NewTree(module(6))
	n := tree.Child(tree.Root, 0, 1)
	first := n
	for range 1000 {
		n = tree.Child(n, 11, 1) // f1 calls itself
		tree.AddGas(n, 12, 1)
	}
	tree.AddGas(first, 12, 5)
	// f1 calls f2, f2 calls f1 at another place, and that calls f2 as before.
	two := tree.Child(first, 13, 2)
	back := tree.Child(two, 21, 1)
	tree.AddGas(back, 12, 50)
	again := tree.Child(back, 13, 2)
	if again != two {
		t.Error("the same call of f2 on the same way has two contexts")
	}
	check(t, gasOf(t, tree), []string{
		"f1:12 [5][]",
		"f1:12 f1:11 [1000][]",
		"f1:12 f2:21 f1:13+ f1:11 [50][]",
	})
}

// A program that calls along all paths through many functions gets no more contexts than the bound,
// and its gas still adds up.
func TestNodesAreBounded(t *testing.T) {
	mod := module(40)
	tree := NewTree(mod)
	tree.max = 2000
	total := int64(0)
	seed := uint32(1)
	for range 500 {
		n := tree.Root
		for i := 1; i <= 38; i++ {
			seed = seed*1664525 + 1013904223
			pos := ir.Pos(0)
			if n != tree.Root {
				pos = ir.Pos(10*int(n.Func) + 1 + int(seed>>31))
			}
			n = tree.Child(n, pos, int32(i))
			tree.AddGas(n, ir.Pos(10*i+1), 1)
			total++
		}
	}
	if n := len(tree.nodes); n > tree.max+40 {
		t.Errorf("%d contexts", n)
	}
	sum, more := int64(0), false
	for _, s := range gasOf(t, tree) {
		var v int64
		if _, err := fmt.Sscanf(s[strings.LastIndex(s, " [")+2:], "%d", &v); err != nil {
			t.Fatal(s, err)
		}
		sum += v
		more = more || strings.Contains(s, "[more contexts]")
	}
	if sum != total || !more {
		t.Errorf("%d units, want %d; more contexts: %v", sum, total, more)
	}
}

// Mutual recursion along ever new paths is folded by function in the end.
func TestManyTrails(t *testing.T) {
	tree := NewTree(module(12))
	tree.trails = 1000
	n := tree.Child(tree.Root, 0, 1)
	seed := uint32(1)
	for range 100_000 {
		seed = seed*1664525 + 1013904223
		n = tree.Child(n, ir.Pos(10*n.Func+int32(seed>>28)%3), int32(seed>>16%10)+1)
		tree.AddGas(n, ir.Pos(10*n.Func), 1)
	}
	if len(tree.nodes) < tree.trails || len(tree.nodes) > tree.max {
		t.Errorf("%d contexts", len(tree.nodes))
	}
	for _, n := range tree.nodes {
		if n.depth > 12*3*12 {
			t.Fatalf("a context is %d calls deep", n.depth)
		}
	}
}

func TestMemory(t *testing.T) {
	tree := NewTree(module(6))
	m := NewMemory(tree, Objects{3, 40})
	one := tree.Child(tree.Root, 0, 1)
	two := tree.Child(one, 11, 2)
	alloc := tree.Child(two, 21, 6) // runtime.alloc
	m.Alloc(two, 22, 0x1000, 16)
	m.Alloc(two, 22, 0x1018, 9)
	m.Alloc(alloc, 61, 0x1030, 100)
	m.Alloc(one, 13, 0x2000, 8)
	m.Sweep(func(addr uint32) bool { return addr != 0x1000 })
	m.Alloc(two, 22, 0x1000, 24) // the place of the object that is gone
	m.Sweep(func(addr uint32) bool { return addr != 0x1030 && addr != 0x2000 })
	m.Alloc(alloc, 61, 0x3000, 0)
	only := tree.Child(tree.Root, 0, 6)
	m.Alloc(only, 62, 0x3008, 8)
	var b bytes.Buffer
	if err := m.Write(&b, Objects{6, 60}); err != nil {
		t.Fatal(err)
	}
	check(t, stacks(t, b.Bytes()), []string{
		"[snapshot]:0 [3 40 2 12][]",
		"f2:22 f1:11 [3 56 2 40][]",
		"f2:21 f1:11 [2 104 1 0][]",
		"f1:13+ f1:11 [1 8 0 0][]",
		"runtime.alloc:62 [1 8 1 8][]", // nothing but the runtime
	})
}

// Functions of the runtime that were inlined are left out of a location.
func TestInlinedRuntimeIsHidden(t *testing.T) {
	mod := module(6)
	mod.Sites[23].Func = 6 // position 23 is in runtime.alloc, inlined at f2:21
	tree := NewTree(mod)
	m := NewMemory(tree, Objects{})
	m.Alloc(tree.Child(tree.Child(tree.Root, 0, 1), 11, 2), 23, 0x1000, 8)
	var b bytes.Buffer
	if err := m.Write(&b, Objects{1, 8}); err != nil {
		t.Fatal(err)
	}
	check(t, stacks(t, b.Bytes()), []string{"f2:21 f1:11 [1 8 1 8][]"})
}
