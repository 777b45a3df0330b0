package engine

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// executedProgram exercises all kinds of executed code: loops, calls of std, collections,
// goroutines, a recovered panic. It writes a line before and after the loop whose length its
// argument gives.
const executedProgram = `package main

import (
	"fmt"
	"os"
	"sort"
	"strconv"
)

//go:noinline
func sum(a []int) (s int) {
	for _, x := range a {
		s += x
	}
	return s
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	a := make([]int, 1000)
	for i := range a {
		a[i] = i * 7 % 13
	}
	m := map[string][]byte{}
	c := make(chan int)
	go func() {
		for i := range 500 {
			m[fmt.Sprint(i)] = make([]byte, 4000)
			c <- i
		}
		close(c)
	}()
	for range c {
	}
	sort.Ints(a)
	fmt.Println("begin")
	for range n {
		sum(a)
	}
	fmt.Println("end")
	defer func() { fmt.Println(recover()) }()
	fmt.Println(a[len(m)+n+1000])
}
`

// A lineWriter calls a function for each line.
type lineWriter func(string)

func (w lineWriter) Write(b []byte) (int, error) {
	w(string(b))
	return len(b), nil
}

func executedOf(t *testing.T, src Source) *Program {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(executedProgram), 0o644); err != nil {
		t.Fatal(err)
	}
	src.Patterns = []string{file}
	p, err := Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// executed runs the program and returns the count of executed instructions up to each line, and at
// the end.
func executed(t *testing.T, p *Program, cfg Config, n string) (lines []uint64, counts []FuncCounts) {
	t.Helper()
	var in *Instance
	cfg.Args = []string{n}
	cfg.Stdout = lineWriter(func(s string) { lines = append(lines, in.ExecutedWithin()) })
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(context.Background()); err != nil {
		t.Fatal(err)
	}
	return append(lines, in.Executed()), in.Counts()
}

func tiersHere() []api.Tier {
	if CheckNative() != nil {
		return []api.Tier{api.TierInterp}
	}
	return []api.Tier{api.TierInterp, api.TierNative}
}

// The count is the same on every run, can be read while the program runs, and grows by the same for
// each iteration of a loop.
func TestExecutedIsExact(t *testing.T) {
	p := executedOf(t, Source{})
	for _, tier := range tiersHere() {
		cfg := Config{Config: api.Config{Tier: tier}}
		cfg.Debug.Blocks = true
		first, _ := executed(t, p, cfg, "100")
		for range 9 {
			if again, _ := executed(t, p, cfg, "100"); !slices.Equal(first, again) {
				t.Errorf("%s: %v, then %v", tier, first, again)
			}
		}
		if !slices.IsSorted(first) || first[0] == 0 || len(slices.Compact(slices.Clone(first))) != len(first) {
			t.Errorf("%s: %v do not grow", tier, first)
		}
		twice, _ := executed(t, p, cfg, "200")
		once, both := first[1]-first[0], twice[1]-twice[0]
		// The interpreter's figure includes charges that are made one by one when the host looks. In both tiers a
		// round of a loop runs as lowered where the quantum ends.
		if each := (both - once) / 100; math.Abs(float64(both)/float64(once)-2) > 0.01 || each < 2000 || each > 20000 {
			t.Errorf("%s: 100 iterations execute %d, 200 %d", tier, once, both)
		}
		cfg.Debug.Blocks = false
		if n, counts := executed(t, p, cfg, "100"); n[len(n)-1] != 0 || counts != nil {
			t.Errorf("%s: %v without being asked", tier, n)
		}
	}
}

// The sum over all functions is the total, std and the shared routines are part of it, and programs
// that share a base do not count for each other.
func TestExecutedByFunction(t *testing.T) {
	if CheckNative() != nil {
		t.Skip("no machine code here")
	}
	cfg := Config{Config: api.Config{Tier: api.TierNative}}
	cfg.Debug.Blocks = true
	var totals []uint64
	for _, src := range []Source{{}, {}, {NoBase: true}} {
		p := executedOf(t, src)
		lines, counts := executed(t, p, cfg, "100")
		sum, by := uint64(0), map[string]uint64{}
		for i := range counts {
			n := counts[i].Executed()
			sum += n
			by[counts[i].Name] += n
		}
		totals = append(totals, lines[len(lines)-1])
		if sum != totals[len(totals)-1] {
			t.Errorf("functions %d, total %d", sum, totals[len(totals)-1])
		}
		for _, name := range []string{"main.main", "main.sum", "fmt.Fprintln", "routines"} {
			if by[name] == 0 {
				t.Errorf("%s was not executed", name)
			}
		}
	}
	if totals[0] != totals[1] {
		t.Errorf("the program executes %d, compiled again %d", totals[0], totals[1])
	}
}

// The cache has no code that counts, and a run that counts takes none from it.
func TestExecutedIsNotCached(t *testing.T) {
	if CheckNative() != nil {
		t.Skip("no machine code here")
	}
	src := Source{Cache: filepath.Join(t.TempDir(), "cache")}
	cfg := Config{Config: api.Config{Tier: api.TierNative}}
	cfg.Debug.Blocks = true
	p := executedOf(t, src)
	first, _ := executed(t, p, cfg, "100")
	if _, _, n := p.machineCode(); n != 0 {
		t.Errorf("%d functions that are counted went to where the cache takes code from", n)
	}
	plain := cfg
	plain.Debug.Blocks = false
	executed(t, p, plain, "100")
	if _, code, n := p.machineCode(); n == 0 || len(code) == 0 {
		t.Error("a run without counters left no code")
	}
	if again, _ := executed(t, p, cfg, "100"); !slices.Equal(first, again) {
		t.Errorf("%v, behind a run without counters %v", first, again)
	}
}

// machineCode returns the part of the program's machine code that the cache would keep, and the
// number of its functions.
func (p *Program) machineCode() (head, code []byte, n int) {
	if !p.native.made.Load() {
		return nil, nil, 0
	}
	head, code = p.native.code.save()
	return head, code, p.native.compiled()
}
