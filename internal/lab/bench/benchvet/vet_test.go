package benchvet_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// vet checks one file, and returns each finding as "line code benchmark".
func vet(t *testing.T, text string) (list []string) {
	t.Helper()
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x_test.go", "package x; import \"testing\"\n"+text, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	statics, _ := benchvet.Check("m/x", fset, []*ast.File{f})
	for _, s := range statics {
		list = append(list, strings.Join([]string{strings.TrimPrefix(s.Place, "x_test.go:"), s.Code, s.Bench}, " "))
		if benchvet.RuleOf(s.Code) == nil || s.Text == "" {
			t.Errorf("%+v has no rule or no text", s)
		}
	}
	return list
}

// TestCheck has, for each check, sources that it reports and similar sources that are right.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       []string
	}{
		{"dropped", `
func inc(x int) int { return x + 1 }
func loop(n int) (s int) { for i := range n { s += i }; return s }
func get(m map[int]int) int { return m[1] }
func join(a, b string) string { return a + b }
func store(p *int) int { *p = 1; return 1 }
func BenchmarkX(b *testing.B) {
	for i := 0; i < b.N; i++ {
		inc(i)
		_ = inc(i)
		loop(i); get(nil); join("a", "b"); store(&i)
		x := inc(i)
		_ = x
		if i < 0 { inc(i) }
	}
}
func BenchmarkY(b *testing.B) { for b.Loop() { inc(1) } }`,
			[]string{"10 BP04 m/x.X", "11 BP04 m/x.X"}},
		{"no loop", `
func BenchmarkX(b *testing.B) { println() }
func BenchmarkSkips(b *testing.B) { b.Skip() }
func BenchmarkElsewhere(b *testing.B) { elsewhere.Run(b) }
func BenchmarkParallel(b *testing.B) { b.RunParallel(func(pb *testing.PB) { for pb.Next() {} }) }
func BenchmarkTable(b *testing.B) { for _, f := range table { b.Run(f.name, f.bench) } }
func BenchmarkDown(b *testing.B) { for n := b.N; n > 0; n-- {} }
func BenchmarkCopy(b *testing.B) { n := b.N; for range n {} }
func Benchmarkx(b *testing.B) {}
func BenchmarkOther(t *testing.T) {}`,
			[]string{"3 BP10 m/x.X"}},
		{"counter", `
func BenchmarkX(b *testing.B) { for i := 0; i < b.N; i++ { i += 2 } }
func BenchmarkNever(b *testing.B) { for i, j := 0, 0; i < b.N; j++ {} }
func BenchmarkBatch(b *testing.B) { for i := 0; i < b.N; { for range list { i++ } } }
func BenchmarkMany(b *testing.B) { for i := 0; i < b.N; i++ { for range 100 {}; i += 100 } }`,
			[]string{"3 BP10 m/x.X", "4 BP10 m/x.Never"}},
		{"parent", `
func BenchmarkX(b *testing.B) {
	b.Run("a", func(c *testing.B) { for i := 0; i < b.N; i++ {} })
	b.Run("b", func(c *testing.B) { c.ResetTimer(); b.StopTimer(); for c.Loop() {} })
	b.Run("c", func(b *testing.B) { for range b.N {} })
	b.Run("d", func(c *testing.B) { for range c.N { if false { b.Fatal() } } })
}`,
			[]string{"4 BP10 m/x.X", "5 BP12 m/x.X"}},
		{"mixed", `
func BenchmarkX(b *testing.B) { for b.Loop() { for range b.N {} } }
func BenchmarkBehind(b *testing.B) { for b.Loop() {}; b.ReportMetric(1/float64(b.N), "x/op") }
func BenchmarkWithin(b *testing.B) { for b.Loop() { println(b.N) } }`,
			[]string{"3 BP10 m/x.X", "5 BP10 m/x.Within"}},
		{"sizes", `
func fib(n int) int { if n < 2 { return n }; return fib(n-1) + fib(n-2) }
func times(n int) { for i := 0; i < n; i++ { println(i) } }
func BenchmarkX(b *testing.B) { println(fib(b.N)) }
func BenchmarkMade(b *testing.B) { use(make([]int, b.N)) }
func BenchmarkInside(b *testing.B) { for range b.N { use(make([]int, b.N)) } }
func BenchmarkTimes(b *testing.B) { times(b.N) }
func BenchmarkInputs(b *testing.B) { in := make([]int, b.N); b.ResetTimer(); for i := range b.N { use(in[i]) } }
func BenchmarkGroup(b *testing.B) { wg.Add(b.N); for range b.N { go wg.Done() }; wg.Wait() }
func BenchmarkChannel(b *testing.B) { c := make(chan int, b.N); go func() { for range b.N { c <- 1 } }(); for range b.N { <-c } }`,
			[]string{"5 BP11 m/x.X", "6 BP11 m/x.Made", "7 BP11 m/x.Inside"}},
		{"setup", `
import "os"
func BenchmarkX(b *testing.B) { data, _ := os.ReadFile("x"); for range b.N { use(data) } }
func BenchmarkLarge(b *testing.B) { for i := range 300 { for k := 0; k < 300; k++ { put(i, k) } }; for range b.N { use() } }
func BenchmarkSmall(b *testing.B) { for i := range 300 { put(i) }; for range b.N { use() } }
func BenchmarkReset(b *testing.B) { data, _ := os.ReadFile("x"); b.ResetTimer(); for range b.N { use(data) } }
func BenchmarkLoop(b *testing.B) { data, _ := os.ReadFile("x"); for b.Loop() { use(data) } }
func BenchmarkRun(b *testing.B) { data, _ := os.ReadFile("x"); b.Run("x", func(b *testing.B) { for range b.N { use(data) } }) }
func BenchmarkGiven(b *testing.B) { data, _ := os.ReadFile("x"); prepare(b); for range b.N { use(data) } }
func BenchmarkInputs(b *testing.B) { data, _ := os.ReadFile("x"); for range b.N { put(data) }; b.ResetTimer(); for range b.N { use(data) } }`,
			[]string{"4 BP12 m/x.X", "5 BP12 m/x.Large"}},
		{"timers", `
func BenchmarkX(b *testing.B) { for range b.N { b.ResetTimer(); use() } }
func BenchmarkOnce(b *testing.B) { for i := range b.N { if i == 10 { b.ResetTimer() }; use() } }
func BenchmarkTiny(b *testing.B) { for i := range b.N { b.StopTimer(); use(); b.StartTimer(); x += i } }
func BenchmarkLong(b *testing.B) { for range b.N { b.StopTimer(); use(); b.StartTimer(); work() } }
func BenchmarkAround(b *testing.B) { for range b.N { b.StartTimer(); work(); b.StopTimer() } }`,
			[]string{"3 BP12 m/x.X", "5 BP12 m/x.Tiny"}},
		{"framed", `
type point struct{ x, y int }
func (p *point) norm() int { return p.x + p.y }
func BenchmarkX(b *testing.B) { for i := range b.N { p := &point{i, 2}; sink += p.x } }
func BenchmarkNew(b *testing.B) { for i := range b.N { p := new(point); p.x = i; sink += p.x } }
func BenchmarkMethod(b *testing.B) { for i := range b.N { p := &point{i, 2}; sink += p.norm() } }
func BenchmarkAddress(b *testing.B) { for i := range b.N { p := &point{i, 2}; q = &p.x; sink += p.x } }
func BenchmarkKept(b *testing.B) { for i := range b.N { p := &point{i, 2}; sinkP = p; sink += p.x } }
func BenchmarkBeside(b *testing.B) { for i := range b.N { p := &point{i, 2}; sink += work(p.x) } }
var sink int
var q *int
var sinkP *point`,
			[]string{"5 BP05 m/x.X", "6 BP05 m/x.New"}},
		{"unawaited", `
import "sync"
var sink int
func BenchmarkX(b *testing.B) { for range b.N { go func() { sink++ }() } }
func BenchmarkGroup(b *testing.B) { var wg sync.WaitGroup; for range b.N { wg.Add(1); go func() { sink++; wg.Done() }() }; wg.Wait() }
func BenchmarkChannel(b *testing.B) { c := make(chan int); for range b.N { go func() { c <- 1 }(); <-c } }
func BenchmarkFunction(b *testing.B) { done := start(); for range b.N { go work(done) }; finish(done) }
func BenchmarkCollect(b *testing.B) { c := make(chan int, 1); for range b.N { go func() { c <- 1 }() ; for x := range c { sink += x; break } } }`,
			[]string{"5 BP31 m/x.X"}},
		{"deferred", `
func BenchmarkX(b *testing.B) { for range b.N { defer use() } }
func BenchmarkFunction(b *testing.B) { for range b.N { func() { defer use() }() } }
func BenchmarkOnce(b *testing.B) { defer use(); for range b.N { use() } }`,
			[]string{"3 BP32 m/x.X"}},
		{"drained", `
import ("bytes"; "io")
func BenchmarkX(b *testing.B) { r := bytes.NewReader(data); for range b.N { io.Copy(io.Discard, r) } }
func BenchmarkReset(b *testing.B) { r := bytes.NewReader(data); for range b.N { r.Reset(data); io.Copy(io.Discard, r) } }
func BenchmarkAnew(b *testing.B) { for range b.N { r := bytes.NewReader(data); io.Copy(io.Discard, r) } }
func BenchmarkAssigned(b *testing.B) { r := bytes.NewReader(nil); for range b.N { r = bytes.NewReader(data); io.ReadAll(r) } }
func BenchmarkWriter(b *testing.B) { w := bytes.NewBuffer(nil); for range b.N { w.WriteByte('x') } }`,
			[]string{"4 BP27 m/x.X"}},
		{"drained through others", `
import ("bufio"; "bytes"; "encoding/json"; "io"; "strings")
func read(r io.Reader) int { data, _ := io.ReadAll(r); return len(data) }
func lines(r io.Reader) (n int) { s := bufio.NewScanner(r); for s.Scan() { n++ }; return n }
func again(r *bytes.Reader) int { r.Seek(0, 0); data, _ := io.ReadAll(r); return len(data) }
func peek(r io.Reader) int { return 0 }
func BenchmarkX(b *testing.B) { d := json.NewDecoder(strings.NewReader(text)); for range b.N { var v any; d.Decode(&v) } }
func BenchmarkScanner(b *testing.B) { r := strings.NewReader(text); s := bufio.NewScanner(r); for range b.N { for s.Scan() { use(s.Text()) } } }
func BenchmarkHelper(b *testing.B) { r := bytes.NewReader(data); for range b.N { use(read(r)) } }
func BenchmarkHelperLines(b *testing.B) { r := bytes.NewReader(data); for range b.N { use(lines(r)) } }
func BenchmarkByte(b *testing.B) { r := bytes.NewReader(data); for range b.N { r.ReadByte() } }
func BenchmarkAnew(b *testing.B) { for range b.N { d := json.NewDecoder(strings.NewReader(text)); d.Decode(&v) } }
func BenchmarkStream(b *testing.B) { d := json.NewDecoder(endless); for range b.N { d.Decode(&v) } }
func BenchmarkForAll(b *testing.B) { d := json.NewDecoder(strings.NewReader(strings.Repeat(text, b.N))); for range b.N { d.Decode(&v) } }
func BenchmarkForAllBefore(b *testing.B) { t := strings.Repeat(text, b.N); d := json.NewDecoder(strings.NewReader(t)); for range b.N { d.Decode(&v) } }
func BenchmarkReset(b *testing.B) { r := bytes.NewReader(data); s := bufio.NewReader(r); for range b.N { s.Reset(r); s.ReadByte() } }
func BenchmarkSeeks(b *testing.B) { r := bytes.NewReader(data); for range b.N { use(again(r)) } }
func BenchmarkPeeks(b *testing.B) { r := bytes.NewReader(data); for range b.N { use(peek(r)) } }
func BenchmarkAtEnd(b *testing.B) { r := bytes.NewReader(data); for range b.N { if _, err := r.ReadByte(); err != nil { r.Seek(0, 0) } } }`,
			[]string{"8 BP27 m/x.X", "9 BP27 m/x.Scanner", "10 BP27 m/x.Helper", "11 BP27 m/x.HelperLines", "12 BP27 m/x.Byte"}},
		{"grows", `
var kept []int
func BenchmarkX(b *testing.B) { m := map[int]int{}; for i := range b.N { m[i] = i } }
func BenchmarkList(b *testing.B) { var l []int; for i := 0; i < b.N; i++ { l = append(l, i) } }
func BenchmarkBounded(b *testing.B) { m := map[int]int{}; for i := range b.N { m[i%100] = i } }
func BenchmarkDeleted(b *testing.B) { m := map[int]int{}; for i := range b.N { m[i] = i; delete(m, i-100) } }
func BenchmarkRoom(b *testing.B) { l := make([]int, 0, b.N); for i := range b.N { l = append(l, i) } }
func BenchmarkAgain(b *testing.B) { var l []int; for i := range b.N { l = l[:0]; l = append(l, i) } }
func BenchmarkOwn(b *testing.B) { for i := range b.N { var l []int; l = append(l, i); kept = l } }
func BenchmarkSlice(b *testing.B) { l := make([]int, b.N); for i := range b.N { l[i] = i } }`,
			[]string{"4 BP13 m/x.X", "5 BP13 m/x.List"}},
		{"inputs", `
func BenchmarkX(b *testing.B) {
	b.Run("linear", func(b *testing.B) { in := gen(100); b.ResetTimer(); for range b.N { linear(in) } })
	b.Run("binary", func(b *testing.B) { in := gen(200); b.ResetTimer(); for range b.N { binary(in) } })
}
func BenchmarkSame(b *testing.B) {
	b.Run("linear", func(b *testing.B) { in := gen(100); for b.Loop() { linear(in) } })
	b.Run("binary", func(b *testing.B) { in := gen(100); for b.Loop() { binary(in) } })
}
func BenchmarkSizes(b *testing.B) {
	b.Run("small", func(b *testing.B) { in := gen(100); for b.Loop() { linear(in) } })
	b.Run("large", func(b *testing.B) { in := gen(1000); for b.Loop() { linear(in) } })
}
func BenchmarkNamed(b *testing.B) {
	b.Run("linear/n=100", func(b *testing.B) { in := gen(100); for b.Loop() { linear(in) } })
	b.Run("binary/n=200", func(b *testing.B) { in := gen(200); for b.Loop() { binary(in) } })
}`,
			[]string{"5 BP34 m/x.X"}},
		{"inputs of a table", `
var kinds = []struct { name string; f func([]int); n int }{{"linear", linear, 100}, {"binary", binary, 200}}
func BenchmarkX(b *testing.B) {
	for _, c := range kinds {
		b.Run(c.name, func(b *testing.B) { in := gen(c.n); b.ResetTimer(); for range b.N { c.f(in) } })
	}
}
func BenchmarkKeyed(b *testing.B) {
	for _, c := range []struct { name string; f func([]int); n int }{
		{name: "linear", f: linear, n: 100},
		{name: "binary", f: binary, n: 101},
	} {
		b.Run(c.name, func(b *testing.B) { in := gen(c.n); for b.Loop() { c.f(in) } })
	}
}
func BenchmarkSame(b *testing.B) {
	for _, c := range []struct { name string; f func([]int); n int }{{"linear", linear, 100}, {"binary", binary, 100}} {
		b.Run(c.name, func(b *testing.B) { in := gen(c.n); for b.Loop() { c.f(in) } })
	}
}
func BenchmarkSizes(b *testing.B) {
	for _, c := range []struct { name string; n int }{{"small", 100}, {"large", 1000}} {
		b.Run(c.name, func(b *testing.B) { in := gen(c.n); for b.Loop() { linear(in) } })
	}
}
func BenchmarkNumbers(b *testing.B) {
	for _, c := range []struct { name string; f func([]int); n int }{{"linear100", linear, 100}, {"binary200", binary, 200}} {
		b.Run(c.name, func(b *testing.B) { in := gen(c.n); for b.Loop() { c.f(in) } })
	}
}
func linear([]int) {}
func binary([]int) {}`,
			[]string{"3 BP34 m/x.X", "12 BP34 m/x.Keyed"}},
		{"helper", `
func inc(x int) int { return x + 1 }
func helper(b *testing.B, n int) { for range b.N { inc(n) } }
func alone(b *testing.B) { for range b.N { inc(1) } }
func BenchmarkX(b *testing.B) { helper(b, 1) }
func BenchmarkY(b *testing.B) { helper(b, 2) }`,
			[]string{"4 BP04 m/x.X", "4 BP04 m/x.Y", "5 BP04 "}},
		{"ignored", `
// BenchmarkX is meant to be so.
//
//gyr:ignore BP10,BP11 the loop is in C
func BenchmarkX(b *testing.B) {}

//gyr:bench group=a ignore=BP10 reason="the loop is in C"
func BenchmarkY(b *testing.B) {}

//gyr:ignore BP11 something else
func BenchmarkZ(b *testing.B) {}`,
			[]string{"12 BP10 m/x.Z"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			if got := vet(t, c.text); !slices.Equal(got, c.want) {
				t.Errorf("found %q; want %q", got, c.want)
			}
		})
	}
}

// TestBadSources reports nothing about files that do not parse or do not exist, and checks the
// others.
func TestBadSources(t *testing.T) {
	list, _ := benchvet.Files("m/x", []string{filepath.Join(t.TempDir(), "none_test.go"), planted + "/broken_test.go"})
	if len(list) == 0 {
		t.Error("nothing was found in the file that is there")
	}
}

// TestHints: what figures decide on is noted, and nothing of benchmarks that do without.
func TestHints(t *testing.T) {
	fset := token.NewFileSet()
	f, err := parser.ParseFile(fset, "x_test.go", `package x
import ("testing"; "time")
func BenchmarkSetup(b *testing.B) { x := build(10); for range b.N { use(x) } }
func BenchmarkReset(b *testing.B) { x := build(10); b.ResetTimer(); for range b.N { use(x) } }
func BenchmarkLoop(b *testing.B) { x := build(10); for b.Loop() { use(x) } }
func BenchmarkStops(b *testing.B) { for range b.N { b.StopTimer(); x := build(10); b.StartTimer(); use(x) } }
func BenchmarkClock(b *testing.B) { for range b.N { start := time.Now(); use(1); total += time.Since(start) } }
func BenchmarkNow(b *testing.B) { for range b.N { sink = time.Now() } }
func BenchmarkStopsInHelper(b *testing.B) { for range b.N { use(prepared(b)) } }
func prepared(b *testing.B) []int { b.StopTimer(); defer b.StartTimer(); return build(10) }
func BenchmarkClockInHelper(b *testing.B) { for range b.N { total += timed(func() { use(1) }) } }
func timed(f func()) time.Duration { start := time.Now(); f(); return time.Since(start) }
func BenchmarkStopsOnce(b *testing.B) { x := prepared(b); for b.Loop() { use(x) } }
func BenchmarkNoClock(b *testing.B) { for b.Loop() { run(func() { use(1) }) } }
func run(f func()) { f() }
//gyr:ignore BP33 latencies are what counts
func BenchmarkIgnored(b *testing.B) { for range b.N { start := time.Now(); use(1); total += time.Since(start) } }
`, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	_, hints := benchvet.Check("m/x", fset, []*ast.File{f})
	want := map[string][]record.Hint{
		"m/x.Setup":         {{Kind: record.HintSetup, Place: "x_test.go:3"}},
		"m/x.Stops":         {{Kind: record.HintStop, Place: "x_test.go:6"}},
		"m/x.Clock":         {{Kind: record.HintClock, Place: "x_test.go:7"}},
		"m/x.StopsInHelper": {{Kind: record.HintStop, Place: "x_test.go:9"}},
		"m/x.ClockInHelper": {{Kind: record.HintClock, Place: "x_test.go:11"}},
	}
	if !maps.EqualFunc(hints, want, slices.Equal) {
		t.Errorf("hints are %v, want %v", hints, want)
	}
}
