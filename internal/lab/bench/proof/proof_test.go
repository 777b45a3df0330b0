package proof_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

// testModule writes a module with one test file and returns the source of its test binary.
func testModule(t *testing.T, text string) engine.Source {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": text} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return engine.Source{Dir: dir, Patterns: []string{"."}, Test: true}
}

func prove(t *testing.T, src engine.Source) []proof.Result {
	t.Helper()
	results, err := proof.Of(context.Background(), src, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range results {
		if r.Unknown == "" && r.Left+len(r.Gone) != r.Lowered {
			t.Errorf("%s: of %d operations %d are left and %d gone", r.Func, r.Lowered, r.Left, len(r.Gone))
		}
		if r.WorkLeft > r.Work || r.Idle > r.WorkLeft {
			t.Errorf("%s: work %d, left %d, idle %d", r.Func, r.Work, r.WorkLeft, r.Idle)
		}
	}
	return results
}

// one is the only proof of a benchmark.
func one(t *testing.T, results []proof.Result, name string) record.Proof {
	t.Helper()
	var found []record.Proof
	for _, r := range results {
		if r.Func == name {
			found = append(found, r.Proof)
		}
	}
	if len(found) != 1 {
		t.Fatalf("%s has %d proofs", name, len(found))
	}
	return found[0]
}

// summary is a proof in the form of the cases below.
func summary(p record.Proof) string {
	var gone []string
	for _, g := range p.Gone {
		gone = append(gone, fmt.Sprintf("%s: %s", strings.TrimPrefix(g.What, "call "), g.Reason))
	}
	slices.Sort(gone)
	return fmt.Sprintf("%d of %d left, work %d of %d, calls %d, allocs %d [%s]", p.Left, p.Lowered, p.WorkLeft, p.Work, p.Calls, p.Allocs,
		strings.Join(gone, ", "))
}

const cases = `package m

import (
	"math"
	"testing"
)

var sink int
var sinkFloat float64
var sinkInts []int

func mix(a, b int) int { return a*31 + b }

//go:noinline
func far(n int) int { return n + 1 }

type object struct{ a, b int }

func (o *object) sum() int { return o.a + o.b }

func BenchmarkForgotten(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, 32)
		_ = s
	}
}

func BenchmarkFolded(b *testing.B) {
	for b.Loop() {
		sinkFloat = math.Sqrt(2)
	}
}

func BenchmarkUnused(b *testing.B) {
	for range b.N {
		mix(b.N, 3)
	}
}

func BenchmarkHoisted(b *testing.B) {
	n := len(b.Name())
	for range b.N {
		sink = mix(n, 3)
	}
}

func BenchmarkUnequal(b *testing.B) {
	for i := 0; i != b.N; i++ {
		mix(i, 3)
	}
}

func BenchmarkOneLine(b *testing.B) { for i := 0; i < b.N; i++ { sink = mix(i, i) } }

func BenchmarkCalled(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = far(i)
	}
}

func BenchmarkEqual(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = mix(i, 3) ^ far(mix(i, 3))
	}
}

func BenchmarkScalar(b *testing.B) {
	for i := 0; i < b.N; i++ {
		o := &object{i, i >> 1}
		sink = o.sum()
	}
}

func BenchmarkProved(b *testing.B) {
	list := sinkInts
	for i := 0; i < b.N; i++ {
		for k := 0; k < len(list); k++ {
			sink += list[k]
		}
	}
}

func BenchmarkInlinedLoop(b *testing.B) { loop(b, 8) }

func loop(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		sink = mix(n, 5)
	}
}

func BenchmarkSub(b *testing.B) {
	b.Run("a b", func(b *testing.B) {
		for i := 0; i < b.N; i++ {
			sink = mix(i, 1)
		}
	})
	b.RunParallel(func(pb *testing.PB) {
		for pb.Next() {
			sink = far(sink)
		}
	})
}

func BenchmarkSizes(b *testing.B) {
	b.Run("one", func(b *testing.B) { loop(b, 1) })
	b.Run("two", func(b *testing.B) {
		loop(b, len(b.Name()))
	})
	b.Run("far", farther)
	for _, name := range []string{"x", "y"} {
		b.Run(name, func(b *testing.B) {
			b.Run("in", func(b *testing.B) { loop(b, 3) })
		})
	}
}

func farther(b *testing.B) {
	for b.Loop() {
		sink = far(sink)
	}
}

func BenchmarkOnce(b *testing.B) {
	for i := 0; i < b.N; i++ {
		panic("never again")
	}
}
`

// TestReasons checks, for each way in which operations can disappear, that the right reason is
// found.
func TestReasons(t *testing.T) {
	results := prove(t, testModule(t, cases))
	for name, want := range map[string]string{
		"BenchmarkForgotten": "0 of 1 left, work 0 of 1, calls 0, allocs 0 [new 256 bytes: unused]",
		"BenchmarkFolded":    "1 of 2 left, work 0 of 1, calls 0, allocs 0 [fsqrt f64: constant]",
		"BenchmarkHoisted":   "1 of 3 left, work 0 of 2, calls 0, allocs 0 [add i64: hoisted, mul i64: hoisted]",
		"BenchmarkUnequal":   "0 of 2 left, work 0 of 2, calls 0, allocs 0 [add i64: unused, mul i64: unused]",
		"BenchmarkOneLine":   "3 of 3 left, work 2 of 2, calls 0, allocs 0 []",
		"BenchmarkCalled":    "2 of 2 left, work 1 of 1, calls 1, allocs 0 []",
		"BenchmarkEqual":     "5 of 7 left, work 4 of 6, calls 1, allocs 0 [add i64: equal, mul i64: equal]",
	} {
		if got := summary(one(t, results, name)); got != want {
			t.Errorf("%s: %s; want %s", name, got, want)
		}
	}
	for name, want := range map[string]record.Gone{
		"BenchmarkUnused":      {Reason: "unused", Pass: "early-dce", What: "mul i64"},
		"BenchmarkScalar":      {Reason: "scalar", Pass: "escape", What: "new 16 bytes"},
		"BenchmarkProved":      {Reason: "proved", Pass: "prove", What: "bounds"},
		"BenchmarkInlinedLoop": {Reason: "constant", Pass: "early-simplify", What: "mul i64"},
	} {
		p := one(t, results, name)
		if !slices.ContainsFunc(p.Gone, func(g record.Gone) bool {
			return g.Reason == want.Reason && g.Pass == want.Pass && g.What == want.What
		}) {
			t.Errorf("%s: no %v in %+v", name, want, p.Gone)
		}
	}
	if p := one(t, results, "BenchmarkOnce"); p.Unknown == "" {
		t.Errorf("a loop that control never comes round in has a proof: %+v", p)
	}
	if p := one(t, results, "BenchmarkInlinedLoop"); p.Func != "m.BenchmarkInlinedLoop" {
		t.Errorf("the loop that was inlined is looked for in %s", p.Func)
	}
	for sub, want := range map[string]string{
		"one":  "1 of 3 left, work 0 of 2, calls 0, allocs 0 [add i64: constant, mul i64: constant]",
		"two":  "1 of 3 left, work 0 of 2, calls 0, allocs 0 [add i64: hoisted, mul i64: hoisted]",
		"far":  "3 of 3 left, work 2 of 2, calls 1, allocs 0 []",
		"*/in": "1 of 3 left, work 0 of 2, calls 0, allocs 0 [add i64: constant, mul i64: constant]",
	} {
		var got []string
		for _, r := range results {
			if r.Func == "BenchmarkSizes" && r.Sub == sub {
				got = append(got, summary(r.Proof))
			}
		}
		if !slices.Equal(got, []string{want}) {
			t.Errorf("BenchmarkSizes/%s: %q; want %q", sub, got, want)
		}
	}
	var subs []string
	for _, r := range results {
		if r.Func == "BenchmarkSub" {
			subs = append(subs, r.Sub+" in "+r.Proof.Func)
			if r.WorkLeft == 0 || r.Unknown != "" {
				t.Errorf("%s %q: nothing is left: %+v", r.Func, r.Sub, r.Proof)
			}
		}
	}
	if want := []string{"a_b in m.BenchmarkSub.func1", " in m.BenchmarkSub.func2"}; !slices.Equal(subs, want) {
		t.Errorf("sub-benchmarks %q; want %q", subs, want)
	}
}

// TestObserved: observed code is the same as unobserved code, and the proof is the same each time.
func TestObserved(t *testing.T) {
	src := testModule(t, cases)
	src.NoBase = true
	list, err := proof.Find(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	code := func(src engine.Source) (string, engine.View) {
		p, err := engine.Compile(context.Background(), src)
		if err != nil {
			t.Fatal(err)
		}
		var b bytes.Buffer
		view := p.View()
		for _, f := range view.Mod.Funcs() {
			if f == nil || !strings.HasPrefix(f.Name, "m.") {
				continue
			}
			if err := view.Prepare(f); err != nil {
				t.Fatal(err)
			}
			b.WriteString(f.String())
		}
		return b.String(), view
	}
	plain, _ := code(src)
	if !strings.Contains(plain, "m.BenchmarkScalar") {
		t.Fatal("nothing was compared")
	}
	var told [][]proof.Result
	for range 2 {
		watched, p := src, proof.New(list)
		p.Observe(&watched.Observer)
		text, view := code(watched)
		if text != plain {
			t.Error("the code is another one when somebody looks")
		}
		results, err := p.Results(view)
		if err != nil {
			t.Fatal(err)
		}
		told = append(told, results)
	}
	if !reflect.DeepEqual(told[0], told[1]) {
		t.Error("two proofs of the same benchmarks differ")
	}
}

// TestOthersLook lets the prover observe passes beside another observer.
func TestOthersLook(t *testing.T) {
	src := testModule(t, cases)
	list, err := proof.Find(context.Background(), &src)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	src.Observer.Dump = func(pass string, f *ir.Func) { seen[f.Name] = true }
	p := proof.New(list)
	p.Observe(&src.Observer)
	prog, err := engine.Compile(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	results, err := p.Results(prog.View())
	if err != nil {
		t.Fatal(err)
	}
	if !seen["m.BenchmarkFolded"] || len(one(t, results, "BenchmarkFolded").Gone) != 1 {
		t.Errorf("seen %v, results %+v", len(seen), results)
	}
}

// TestSent: benchmarks that were sent to another process have the same proofs, however often a
// cache has compiled the same program.
func TestSent(t *testing.T) {
	src := testModule(t, `package m

import "testing"

type pair struct{ a, b int }

func loop(b *testing.B, f func() *pair) {
	for i := 0; i < b.N; i++ {
		_ = f()
	}
}

func make1() *pair { return &pair{1, 2} }
func drop()        { _ = make1() }

func BenchmarkOne(b *testing.B) { loop(b, make1) }
func BenchmarkTwo(b *testing.B) { loop(b, func() *pair { return new(pair) }) }

func BenchmarkLines(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, 8)
		for j := range s {
			s[j] = j
		}
	}
}

func BenchmarkCallee(b *testing.B) {
	for i := 0; i < b.N; i++ {
		drop()
	}
}
`)
	want := prove(t, src)
	list, err := proof.Find(t.Context(), &src)
	if err != nil {
		t.Fatal(err)
	}
	data, err := json.Marshal(list)
	if err != nil {
		t.Fatal(err)
	}
	src.Cache = t.TempDir()
	for range 2 {
		var sent []*proof.Benchmark
		if err := json.Unmarshal(data, &sent); err != nil {
			t.Fatal(err)
		}
		got, err := proof.Of(t.Context(), src, sent)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("proofs of what was sent:\n%+v\nwant\n%+v", got, want)
		}
	}
	for _, name := range []string{"BenchmarkLines", "BenchmarkCallee"} {
		codes := []string{}
		p := one(t, want, name)
		for _, d := range proof.Diagnose(&p) {
			codes = append(codes, d.Code)
		}
		if !slices.Contains(codes, "BP05") {
			t.Errorf("%s: %q, and nothing of its allocation", name, codes)
		}
	}
}
