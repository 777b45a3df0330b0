package proof_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/lab/bench/declare"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
)

const declared = `package m

import "math"

//gyr:bench
func empty() {}

//gyr:bench
func forgotten() int { s := make([]int, 32); return len(s) }

//gyr:bench
func returned() []int { return make([]int, 32) }

//gyr:bench
func two() float64 { return math.Sqrt(2) }

//gyr:bench x=3,4
func square(x int) int { return x * x }

//gyr:bench x=30
func sum(x int) (t int) {
	for i := range x {
		t += i * i
	}
	return t
}

//gyr:bench x=30 inline=never
func called(x int) int { return x + 1 }

type buf struct{ b []byte }

func newBuf(n int) *buf { return &buf{make([]byte, n)} }

//gyr:bench n=64 setup=newBuf
func (b *buf) total() (t int) {
	for _, x := range b.b {
		t += int(x)
	}
	return t
}
`

// TestDeclared has loops that the compiler makes for functions with a directive. It checks that
// operations which these functions lose before they are inlined into the loop are reported.
func TestDeclared(t *testing.T) {
	dir, replace := t.TempDir(), map[string]string{}
	write := func(name, text string) string {
		t.Helper()
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		return name
	}
	write(filepath.Join(dir, "go.mod"), "module m\n\ngo 1.26\n")
	name := write(filepath.Join(dir, "m.go"), declared)
	p, err := declare.Parse([]declare.File{{Name: name, Source: []byte(declared)}})
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.Generate(declare.Gyr)
	if err != nil {
		t.Fatal(err)
	}
	src := engine.Source{Dir: dir, Patterns: []string{"."}, Test: true}
	files := []string{name}
	for _, o := range out {
		full := filepath.Join(dir, o.Name)
		replace[full] = write(filepath.Join(t.TempDir(), o.Name), string(o.Source))
		files = append(files, full)
		if o.Loops {
			src.Settings.Measured = append(src.Settings.Measured, full)
		}
	}
	src.Settings.Replace = replace
	// The list goes to the process that compiles.
	text, err := json.Marshal(proof.Parse(files, replace))
	if err != nil {
		t.Fatal(err)
	}
	var list []*proof.Benchmark
	if err := json.Unmarshal(text, &list); err != nil {
		t.Fatal(err)
	}
	results, err := proof.Of(t.Context(), src, list)
	if err != nil {
		t.Fatal(err)
	}
	type one struct {
		summary string
		codes   []string
	}
	want := map[string]one{
		"BenchmarkEmpty ":        {"0 of 1 left, work 0 of 0, calls 0, allocs 0 [m.empty: inlined]", nil},
		"BenchmarkForgotten ":    {"0 of 1 left, work 0 of 1, calls 0, allocs 0 [new 256 bytes: unused]", []string{"BP01", "BP05"}},
		"BenchmarkReturned ":     {"1 of 2 left, work 1 of 2, calls 0, allocs 0 [new 256 bytes: unused]", []string{"BP05"}},
		"BenchmarkTwo ":          {"0 of 1 left, work 0 of 1, calls 0, allocs 0 [fsqrt f64: constant]", []string{"BP01", "BP03"}},
		"BenchmarkSquare x=3":    {"1 of 1 left, work 1 of 1, calls 0, allocs 0 []", nil},
		"BenchmarkSquare x=4":    {"1 of 1 left, work 1 of 1, calls 0, allocs 0 []", nil},
		"BenchmarkSum x=30":      {"5 of 5 left, work 5 of 5, calls 0, allocs 0 []", nil},
		"BenchmarkCalled x=30":   {"1 of 1 left, work 1 of 1, calls 1, allocs 0 []", nil},
		"BenchmarkBufTotal n=64": {"7 of 9 left, work 6 of 7, calls 0, allocs 0 [bounds: proved, load i64: unused]", nil},
	}
	for _, r := range results {
		var codes []string
		for _, d := range proof.Diagnose(&r.Proof) {
			codes = append(codes, d.Code)
		}
		key := r.Func + " " + r.Sub
		if w := want[key]; summary(r.Proof) != w.summary || !slices.Equal(codes, w.codes) || r.Unknown != "" {
			t.Errorf("%s: %s %q %s; want %s %q", key, summary(r.Proof), codes, r.Unknown, w.summary, w.codes)
		}
		delete(want, key)
	}
	for key := range want {
		t.Errorf("%s has no proof", key)
	}
}
