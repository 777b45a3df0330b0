package bench

import (
	"bytes"
	"fmt"
	"go/parser"
	"go/token"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// TestOrderOfTwo: two cells go AB BA BA AB, or the other way round, so that a linear drift affects
// both alike.
func TestOrderOfTwo(t *testing.T) {
	for seed, want := range []string{"01 10 10 01 01 10 10 01", "10 01 01 10 10 01 01 10"} {
		var rounds []string
		for round := range 8 {
			o := orderOf(2, round, uint64(seed))
			rounds = append(rounds, fmt.Sprintf("%d%d", o[0], o[1]))
		}
		if got := strings.Join(rounds, " "); got != want {
			t.Errorf("seed %d: %s, want %s", seed, got, want)
		}
	}
	for seed := range uint64(10) {
		sum := [2]int{} // sums of the places at which a cell is visited in the run
		for round := range 4 {
			for place, cell := range orderOf(2, round, seed) {
				sum[cell] += 2*round + place
			}
		}
		if sum[0] != sum[1] {
			t.Errorf("seed %d: in four rounds the places add up to %d and %d", seed, sum[0], sum[1])
		}
	}
}

// TestOrderOfMany: in as many rounds as cells, each cell is once at each place, and the squares
// differ.
func TestOrderOfMany(t *testing.T) {
	for cells := range 9 {
		for seed := range uint64(4) {
			for square := range 3 {
				at := map[[2]int]int{}
				for i := range cells {
					order := orderOf(cells, square*cells+i, seed)
					sorted := slices.Sorted(slices.Values(order))
					for c := range cells {
						if sorted[c] != c {
							t.Fatalf("%d cells: the order %v", cells, order)
						}
						at[[2]int{order[c], c}]++
					}
				}
				for place, n := range at {
					if n != 1 && cells != 2 { // two cells take turns over four rounds
						t.Errorf("%d cells: cell %d is %d times at place %d of a square", cells, place[0], n, place[1])
					}
				}
			}
		}
	}
	if a, b := orderOf(7, 3, 9), orderOf(7, 3, 9); !slices.Equal(a, b) {
		t.Error("the same seed gives another order")
	}
	firsts := map[string]bool{}
	for square := range 20 {
		firsts[fmt.Sprint(orderOf(7, 7*square, 9))] = true
	}
	if len(firsts) < 10 {
		t.Errorf("20 squares begin with %d orders", len(firsts))
	}
}

// TestVisitsFor: with this many visits the least p-value of the signed-rank test passes Holm's
// strictest bound, and with one less it does not.
func TestVisitsFor(t *testing.T) {
	if n := visitsFor(0); n != 0 {
		t.Errorf("no comparison needs %d visits", n)
	}
	for comparisons := 1; comparisons < 300; comparisons++ {
		n := visitsFor(comparisons)
		least := func(n int) float64 { return 2 / math.Pow(2, float64(n)) }
		if bound := result.Level / float64(comparisons); least(n) > bound || least(n-1) <= bound {
			t.Errorf("%d comparisons need %d visits: p is at least %v, or %v with one less; the bound is %v", comparisons, n, least(n), least(n-1), bound)
		}
	}
}

func TestCountIterations(t *testing.T) {
	for _, c := range []struct {
		gas      float64
		declared bool
		want     int
	}{
		{0, false, maxCount}, {1, false, maxCount}, {20e3, false, 1000}, {40e3, false, 500}, {1e9, false, 1},
		{0, true, maxDeclared}, {10, true, 10_000}, {1e6, true, 1},
	} {
		if got := countIterations(c.gas, c.declared); got != c.want {
			t.Errorf("countIterations(%v, %v) = %d, want %d", c.gas, c.declared, got, c.want)
		}
	}
}

func TestNext(t *testing.T) {
	for _, c := range []struct {
		n          int
		ns, target float64
		want       int
	}{
		{1, 1e6, 6e6, 7},                 // a fifth more than fills the batch
		{1, 1, 1e9, 10},                  // at most tenfold
		{100, 0, 1e6, 1000},              // a clock that did not move
		{100, 99e6, 100e6, 121},          // nearly there
		{100, 200e6, 100e6, 101},         // always more
		{500_000_000, 1, 1e9, 1e9},       // not more than package testing does
		{maxIterations, 1, 1e9, 1e9 + 1}, // the caller does not ask at the limit
	} {
		if got := next(c.n, c.ns, c.target); got != c.want {
			t.Errorf("next(%d, %v, %v) = %d, want %d", c.n, c.ns, c.target, got, c.want)
		}
	}
}

// TestRoomFor: work while the timer is stopped bounds the number of iterations. Without such work
// nothing does.
func TestRoomFor(t *testing.T) {
	for _, c := range []struct {
		n             int
		untimed, most float64
		want          int
	}{
		{1000, 0, 400e6, maxIterations},
		{1000, -5, 400e6, maxIterations}, // noise
		{1000, 400e6, 400e6, 1000},       // just long enough
		{1000, 4e9, 400e6, 100},
		{1000, 40e6, 400e6, 10_000},
	} {
		if got := roomFor(c.n, c.untimed, c.most); got != c.want {
			t.Errorf("roomFor(%d, %v, %v) = %d, want %d", c.n, c.untimed, c.most, got, c.want)
		}
	}
}

// TestForCollections: batches have no collection or many, and do not grow without bound.
func TestForCollections(t *testing.T) {
	for _, c := range []struct {
		n    int
		each float64
		want int
	}{{100, 0, 100}, {100, 0.05, 100}, {100, 0.01, 500}, {100, 0.001, 800}, {1, 5, 1}} {
		if got := forCollections(c.n, c.each); got != c.want {
			t.Errorf("%d iterations with %g collections each: %d, want %d", c.n, c.each, got, c.want)
		}
	}
}

func TestEvenOut(t *testing.T) {
	for _, c := range []struct {
		n      []int
		failed int // index; -1: none
		want   []int
	}{
		{[]int{100, 90, 51}, -1, []int{100, 100, 100}},
		{[]int{100, 50, 49}, -1, []int{100, 100, 49}},
		{[]int{7}, -1, []int{7}},
		{[]int{10, 1000}, 1, []int{10, 1000}}, // a failed one does not count
		{[]int{900, 1000, 600}, 1, []int{900, 1000, 900}},
	} {
		var cells []*cell
		for i, n := range c.n {
			x := &cell{n: n}
			if i == c.failed {
				x.failed = "it did"
			}
			cells = append(cells, x)
		}
		evenOut(cells)
		var got []int
		for _, x := range cells {
			got = append(got, x.n)
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("evenOut(%v) = %v, want %v", c.n, got, c.want)
		}
	}
}

// TestTimerBatch: the printed time shows which parts follow a reset that was not observed.
func TestTimerBatch(t *testing.T) {
	parts := func(ns ...float64) (list []part) {
		for _, x := range ns {
			list = append(list, part{ns: x, gas: 10 * x, gcs: 1})
		}
		return list
	}
	for _, c := range []struct {
		name    string
		parts   []part
		more    part
		exact   bool
		printed float64
		want    float64
		none    bool
	}{
		{name: "one part", parts: parts(100), printed: 100.4, want: 100},
		{name: "all of several", parts: parts(50, 60, 70), printed: 180, want: 180},
		{name: "reset after the first", parts: parts(50, 60, 70), printed: 130, want: 130},
		{name: "the last alone", parts: parts(50, 60, 70), printed: 70.2, want: 70},
		{name: "setup is stopped, then reset", parts: parts(1e9, 100), printed: 100, want: 100},
		{name: "many parts", parts: parts(1, 2, 3), more: part{ns: 1000, gcs: 5}, printed: 1003, want: 1003},
		{name: "by gas", parts: parts(50, 60), exact: true, printed: 600, want: 60},
		// Two sums are equally far off: take the earlier one, since resets are rare.
		{name: "rounding alone", parts: parts(0.01, 100), printed: 100.008, want: 100.01},
		{name: "nothing was seen", printed: 5, none: true},
	} {
		tm := &timer{parts: c.parts, more: c.more, exact: c.exact}
		sum, ok := tm.batch(c.printed)
		if ok == c.none || ok && math.Abs(sum.ns-c.want) > 1e-9 {
			t.Errorf("%s: %v, %v, want %v", c.name, sum.ns, ok, c.want)
		}
	}
}

func TestParseHook(t *testing.T) {
	h, ok := parseHook("gyr-batch 12345 678 3 9000 12 340")
	if want := (hooked{12345, 678, 3, 9000, 12, 340}); !ok || h != want {
		t.Errorf("%+v, %v, want %+v", h, ok, want)
	}
	for _, line := range []string{"", "gyr-batch", "gyr-batch 1 2 3", "gyr-batch 1 2 3 4 5", "gyr-batch 1 2 x 4 5 6", "gyr-batch1 2 3 4 5 6", " gyr-batch 1 2 3 4 5 6"} {
		if _, ok := parseHook(line); ok {
			t.Errorf("%q is taken for a line of a hook", line)
		}
	}
}

func TestGCTrace(t *testing.T) {
	for line, want := range map[string]struct {
		ns     float64
		forced bool
		none   bool
	}{
		"gc 1 @0.012s 2%: 0.026+0.51+0.003 ms clock, 0.052+0.10/0.25/0.40+0.007 ms cpu, 4->4->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 1 P": {ns: 409000},
		"gc 2 @0.013s 5%: 0.01+0.2+0.002 ms clock, 0.01+0/0/0.3+0.002 ms cpu, 0->0->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 2 P (forced)":  {ns: 12000, forced: true},
		"gc 3 is what a benchmark prints": {none: true},
		"scvg: 8 MB released":             {none: true},
	} {
		m := gcTrace().FindStringSubmatch(line)
		if (m == nil) != want.none {
			t.Errorf("%q: %q", line, m)
			continue
		}
		if m != nil && (math.Abs(gcTime(m[1])-want.ns) > 1e-6 || (m[2] != "") != want.forced) {
			t.Errorf("%q: %v, %q, want %+v", line, gcTime(m[1]), m[2], want)
		}
	}
}

// TestScan reads the output of a hooked binary. The hook's line belongs to the next result, and so
// do the collections after package testing's own.
func TestScan(t *testing.T) {
	const gc = "gc %d @0.012s 2%%: 0.026+0.51+0.003 ms clock, 0.5+0/0/0+0.5 ms cpu, 4->4->0 MB, 4 MB goal, 0 MB stacks, 0 MB globals, 1 P%s\n"
	out := "goos: linux\n=== RUN   BenchmarkA\nBenchmarkA\nhello\n" +
		fmt.Sprintf(gc, 1, "") + fmt.Sprintf(gc, 2, " (forced)") + fmt.Sprintf(gc, 3, "") + fmt.Sprintf(gc, 4, "") +
		"\ngyr-batch 1234567 89 2 3e6 7 800\n" +
		"BenchmarkA \t     100\t     12346 ns/op\t      64 B/op\t       1 allocs/op\n" +
		fmt.Sprintf(gc, 5, " (forced)") +
		"BenchmarkA/n=8 \t     200\t       5.5 ns/op\t  80.00 MB/s\n" +
		"--- BENCH: BenchmarkA\n    a_test.go:9: result 7\nPASS\n"
	results, rest := scan([]byte(out))
	if len(results) != 2 {
		t.Fatalf("%d results: %+v", len(results), results)
	}
	a, b := results[0], results[1]
	if ns, ok := a.ns(); !ok || a.Name != "A" || a.N != 100 || ns != 1234600 || a.gcs != 2 || a.gcNS != 2e6 {
		t.Errorf("first: %+v, %v ns", a, ns)
	}
	if a.hooked == nil || *a.hooked != (hooked{1234567, 89, 2, 3e6, 7, 800}) {
		t.Errorf("first: the hook says %+v", a.hooked)
	}
	if want := map[string]float64{"B/op": 64, "allocs/op": 1}; !reflect.DeepEqual(a.metrics(), want) {
		t.Errorf("first: %v, want %v", a.metrics(), want)
	}
	if b.Name != "A/n=8" || b.gcs != 0 || b.hooked != nil || b.metrics()["MB/s"] != 80 {
		t.Errorf("second: %+v", b)
	}
	if got, want := said(rest), "hello\n--- BENCH: BenchmarkA\n    a_test.go:9: result 7\n"; got != want {
		t.Errorf("said %q, want %q", got, want)
	}
	if results, rest := scan(nil); results != nil || rest != nil {
		t.Errorf("nothing: %v, %q", results, rest)
	}
}

// TestSaid: lines that package testing prints about every benchmark are not a benchmark's output.
func TestSaid(t *testing.T) {
	plain := []string{"goos: linux", "goarch: amd64", "pkg: m/x", "cpu: Some CPU", "PASS", "ok  \tm/x\t1.2s", "BenchmarkA", "BenchmarkA/n=8", "=== RUN   BenchmarkA",
		"testing: open : no such file", "", "   "}
	if got := said(plain); got != "" {
		t.Errorf("said %q", got)
	}
	for _, line := range []string{"okay", "PASSED 3", "cpus: 4", "BenchmarkA is running", " PASS"} {
		if got := said([]string{line}); got != line+"\n" {
			t.Errorf("%q became %q", line, got)
		}
	}
}

// TestPutHooks puts the calls into the installed package testing. No line moves, and each call is
// in its function exactly once.
func TestPutHooks(t *testing.T) {
	goroot, err := gorootOf(".")
	if err != nil || goroot == "" {
		t.Skip("no go command: ", err)
	}
	src, err := os.ReadFile(filepath.Join(goroot, "src", "testing", "benchmark.go"))
	if err != nil {
		t.Skip(err)
	}
	out, err := putHooks(src)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := bytes.Count(src, []byte("\n")), bytes.Count(out, []byte("\n")); a != b {
		t.Errorf("%d lines became %d", a, b)
	}
	f, err := parser.ParseFile(token.NewFileSet(), "", out, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	for _, h := range hooks {
		body := methodOfB(f, h.fn)
		if body == nil {
			t.Fatalf("B.%s is gone", h.fn)
		}
		text := string(out[body.Pos()-1 : body.End()-1])
		name, _, _ := strings.Cut(h.call, "(")
		if n := strings.Count(text, name+"("); n != 1 {
			t.Errorf("B.%s calls %s %d times:\n%s", h.fn, name, n, text)
		}
	}
	files, err := writeHooks(goroot, t.TempDir())
	if err != nil || len(files) != 3 {
		t.Errorf("writeHooks: %v, %v", files, err)
	}
	if _, err := writeHooks(t.TempDir(), t.TempDir()); err == nil {
		t.Error("an installation without package testing has hooks")
	}
}

// TestPutHooksElsewhere: if the places are not as expected, no hooks are put in, rather than wrong
// ones.
func TestPutHooksElsewhere(t *testing.T) {
	const good = `package testing

func (b *B) StartTimer() {
	if !b.timerOn {
		b.timerOn = true
	}
}

func (b *B) StopTimer() {
	if b.timerOn {
		b.timerOn = false
	}
}

func (b *B) ResetTimer() {
	if b.timerOn {
		b.start = 1
	}
	b.duration = 0
}

func (b *B) doBench() BenchmarkResult {
	<-b.signal
	return b.result
}
`
	if out, err := putHooks([]byte(good)); err != nil {
		t.Errorf("the places are there: %v", err)
	} else if !strings.Contains(string(out), "gyrReport(b); return b.result") || !strings.Contains(string(out), "{ gyrReset();") {
		t.Errorf("patched:\n%s", out)
	}
	for what, edit := range map[string][2]string{
		"no StopTimer":              {"StopTimer", "HaltTimer"},
		"another receiver":          {"(b *B) doBench", "(c *B) doBench"},
		"a value as receiver":       {"(b *B) doBench", "(b B) doBench"},
		"no condition on the timer": {"if !b.timerOn", "if !b.running"},
		"two conditions":            {"	b.duration = 0", "	if b.timerOn {\n	}"},
		"an empty body":             {"		b.start = 1\n", ""},
		"no Go":                     {"package testing", "package"},
	} {
		src := strings.Replace(good, edit[0], edit[1], 1)
		if src == good {
			t.Fatalf("%s: nothing was replaced", what)
		}
		if out, err := putHooks([]byte(src)); err == nil {
			t.Errorf("%s: hooks were put in:\n%s", what, out)
		}
	}
}

func TestPattern(t *testing.T) {
	for name, want := range map[string]string{
		"Sum": "^BenchmarkSum$", "Sum/n=8": "^BenchmarkSum$/^n=8$", "A/b.c/d+": `^BenchmarkA$/^b\.c$/^d\+$`,
	} {
		if got := pattern(name); got != want {
			t.Errorf("pattern(%q) = %q, want %q", name, got, want)
		}
	}
}

func TestProgress(t *testing.T) {
	for want, p := range map[string]Progress{
		"building": {What: "building"},
		"[##########..........] 50 %, 1m30s left, Sum": {Done: 5, Total: 10, Left: 90e9, What: "Sum"},
		"[####################] 100 %, Sum":            {Done: 3, Total: 3, What: "Sum"},
	} {
		if got := p.String(); got != want {
			t.Errorf("%+v is %q, want %q", p, got, want)
		}
	}
}

// TestLeft: before the first visit the plan tells how long the run will take, then the visits do.
func TestLeft(t *testing.T) {
	r := newRunner(&Options{Plan: record.Plan{Batches: 8, BatchNS: 20e6}})
	if r.total = 608; r.left() != 608*200*time.Millisecond {
		t.Errorf("608 visits of 10 batches of 20 ms take %v", r.left())
	}
	r.start, r.done = time.Now().Add(-time.Hour), 304
	if left := r.left(); left < time.Hour {
		t.Errorf("half of the visits took an hour, and %v are left", left)
	}
}
