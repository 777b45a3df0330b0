package gcproof_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/gcproof"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

// build makes a test binary of a directory for an architecture, with other contents for some files.
func build(t *testing.T, dir, arch string, files map[string][]byte) *sample.Binary {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip(err)
	}
	tmp := t.TempDir()
	replace := map[string]string{}
	for name, text := range files {
		to := filepath.Join(tmp, filepath.Base(name))
		if err := os.WriteFile(to, text, 0o666); err != nil {
			t.Fatal(err)
		}
		replace[name] = to
	}
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(tmp, "overlay.json"), overlay, 0o666); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(tmp, "x.test")
	cmd := exec.Command("go", "test", "-c", "-o", out, "-overlay", filepath.Join(tmp, "overlay.json"), ".")
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "GOOS=linux", "GOARCH="+arch, "CGO_ENABLED=0")
	if text, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
	b, err := sample.OpenBinary(out)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { b.Close() })
	return b
}

// found are the codes of the diagnoses for each benchmark, and what is unknown.
func found(t *testing.T, dir, arch string) map[string][]string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(dir, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	p := gcproof.Read(names, nil)
	codes := map[string][]string{}
	for _, r := range p.Of(build(t, dir, arch, nil), build(t, dir, arch, p.Files)) {
		name := strings.TrimPrefix(r.Func, "Benchmark")
		codes[name] = slices.Grow(codes[name], 1)
		if r.Unknown != "" {
			codes[name] = append(codes[name], r.Unknown)
		}
		for _, d := range proof.Diagnose(&r.Proof) {
			codes[name] = append(codes[name], d.Code)
		}
		t.Logf("%s %s: of %d, %d work; kept %q; of the loop itself %d; gone %v, vanished %v", r.Func, r.Sub, r.Lowered, r.WorkLeft, r.Kept, r.Overhead, r.Gone, r.Vanished)
	}
	return codes
}

const loops = `package m

import "testing"

var (
	sink   int
	sinkF  float64
	list   = make([]int, 64)
	inputI = 7
)

type box struct{ n int }

func (x *box) inc() { x.n++ }

func mix(a, b int) int { return (a*31 + b) ^ a>>3 }

//go:noinline
func far(a int) int { return a + 1 }

func total(l []int) (s int) {
	for _, x := range l {
		s += x
	}
	return s
}

// Eliminated as a whole.

func BenchmarkWholeDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mix(i, 3)
	}
}

func BenchmarkWholeRange(b *testing.B) {
	var r int
	for i := range b.N {
		r = mix(i, inputI)
	}
	_ = r
}

func BenchmarkWholeOneLine(b *testing.B) { for i := 0; i < b.N; i++ { mix(i, 3) } }

func BenchmarkWholeMade(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s := make([]int, 8)
		_ = s
	}
}

func BenchmarkWholeConstant(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = mix(2, 3)
	}
}

func BenchmarkWholeSum(b *testing.B) {
	x, sum := 17, 0
	for range b.N {
		sum += mix(x, 4)
	}
	sink = sum
}

func BenchmarkWholeInSub(b *testing.B) {
	for _, n := range []int{1, 2} {
		b.Run("n", func(b *testing.B) {
			for i := 0; i < b.N; i++ {
				mix(i, n)
			}
		})
	}
}

func helper(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		mix(i, n)
	}
}

func BenchmarkWholeInHelper(b *testing.B) { helper(b, 8) }

// Eliminated in part.

func BenchmarkPartDropped(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = mix(i, inputI)
		mix(inputI, i)
	}
}

func BenchmarkPartUnread(b *testing.B) {
	var r int
	for i := range b.N {
		sink += far(i)
		r = mix(i, 3)
	}
	_ = r
}

// Not at all.

func BenchmarkKept(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = mix(i, 3)
	}
}

func BenchmarkKeptLoop(b *testing.B) {
	for b.Loop() {
		mix(inputI, 3)
	}
}

func BenchmarkKeptCall(b *testing.B) {
	for i := 0; i < b.N; i++ {
		far(i)
	}
}

func BenchmarkKeptLoad(b *testing.B) {
	for b.Loop() {
		sink = list[7]
	}
}

func BenchmarkKeptTotal(b *testing.B) {
	for i := 0; i < b.N; i++ {
		sink = total(list)
	}
}

func BenchmarkKeptStores(b *testing.B) {
	for i := 0; i < b.N; i++ {
		for k := range list {
			list[k] = 1
		}
	}
}

func BenchmarkKeptInc(b *testing.B) {
	var x box
	for i := 0; i < b.N; i++ {
		x.inc()
	}
	sink = x.n
}

func BenchmarkKeptAdd(b *testing.B) {
	x := 0
	for i := 0; i < b.N; i++ {
		x += 3
	}
	sink = x
}

func BenchmarkKeptObject(b *testing.B) {
	for i := 0; i < b.N; i++ {
		p := &box{i}
		p.inc()
		sink += p.n
	}
}

func BenchmarkKeptChecked(b *testing.B) {
	want := mix(inputI, 3)
	for i := 0; i < b.N; i++ {
		if mix(inputI, 3) != want {
			b.Fatal("wrong")
		}
	}
}

func BenchmarkKeptEmpty(b *testing.B) {
	for b.Loop() {
	}
}

func BenchmarkKeptFloat(b *testing.B) {
	x := sinkF
	for i := 0; i < b.N; i++ {
		x = x*1.5 + 2
	}
	sinkF = x
}
`

// helpers is a file that is no test, with loops that benchmarks measure.
const helpers = `package m

import "testing"

func inPlainFile(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		mix(i, n)
	}
}

func keptInPlainFile(b *testing.B, n int) {
	for i := 0; i < b.N; i++ {
		plain = mix(i, n)
	}
}

var plain int

func mix(a, b int) int { return (a*31 + b) ^ a>>3 }
`

const kinds = `package m

import "testing"

var (
	sink int
	text string
)

type number interface{ ~int | ~int32 | ~float64 }

func poly[T number](x T) T { return (x*3+1)*x + 7 }

// Generic functions and methods.

func drops[T number](b *testing.B, x T) {
	for i := 0; i < b.N; i++ {
		poly(x + T(i))
	}
}

func keeps[T number](b *testing.B, x T, to *T) {
	for i := 0; i < b.N; i++ {
		*to = poly(x + T(i))
	}
}

func BenchmarkWholeGeneric(b *testing.B)       { drops(b, 3) }
func BenchmarkWholeGenericFloat(b *testing.B)  { drops[float64](b, 3) }
func BenchmarkWholeGenericInSub(b *testing.B) {
	b.Run("int32", func(b *testing.B) { drops[int32](b, 3) })
}

func BenchmarkKeptGeneric(b *testing.B) { keeps(b, 3, &sink) }
func BenchmarkKeptGenericFloat(b *testing.B) {
	x := new(float64)
	keeps(b, 3, x)
	sink = int(*x)
}

type pair[K comparable, V any] struct {
	key K
	val V
}

func (p (*pair[K, V])) drops(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mix(i, 3)
	}
}

func (p pair[K, V]) keeps(b *testing.B) {
	m := map[K]V{}
	for i := 0; i < b.N; i++ {
		m[p.key] = p.val
	}
}

func BenchmarkWholeGenericMethod(b *testing.B) { (&pair[string, int]{"a", 1}).drops(b) }
func BenchmarkKeptGenericMethod(b *testing.B)  { pair[string, int]{text, 1}.keeps(b) }

func (*pair[_, V]) unnamed(b *testing.B, v V) {
	for i := 0; i < b.N; i++ {
		mix(i, 3)
	}
}

func BenchmarkUnnamed(b *testing.B) { (*pair[string, int])(nil).unnamed(b, 2) }

// Methods.

type suite struct{ n int }

func (s suite) drops(b *testing.B) {
	for i := 0; i < b.N; i++ {
		mix(i, s.n)
	}
}

func (s *suite) keeps(b *testing.B) {
	for i := 0; i < b.N; i++ {
		s.n = mix(i, s.n)
	}
}

func BenchmarkWholeMethod(b *testing.B) { suite{2}.drops(b) }
func BenchmarkKeptMethod(b *testing.B) {
	s := &suite{2}
	s.keeps(b)
	sink = s.n
}

// Labels.

func BenchmarkWholeLabel(b *testing.B) {
outer:
	for i := 0; i < b.N; i++ {
		if i == sink {
			continue outer
		}
		mix(i, 3)
	}
}

func BenchmarkKeptLabel(b *testing.B) {
outer:
	for i := 0; i < b.N; i++ {
		for k := range 3 {
			if k == 2 {
				continue outer
			}
			sink = mix(i, k+sink)
		}
	}
}

func BenchmarkWholeLabelAround(b *testing.B) {
	tries := 0
again:
	for range 2 {
		for i := 0; i < b.N; i++ {
			mix(i, 3)
		}
		if tries++; tries == 1 {
			continue again
		}
	}
}

func BenchmarkKeptGoto(b *testing.B) {
	for i := 0; i < b.N; i++ {
		if sink = mix(i, sink); sink == 1<<40+1 {
			goto failed
		}
	}
	return
failed:
	b.Fatal("no")
}

func BenchmarkKeptLabelInside(b *testing.B) {
	for i := 0; i < b.N; i++ {
	inner:
		for k := range 3 {
			if mix(i, k) == 5 {
				break inner
			}
		}
	}
}

// A file that is no test.

func BenchmarkWholeInPlainFile(b *testing.B) { inPlainFile(b, 8) }
func BenchmarkKeptInPlainFile(b *testing.B)  { keptInPlainFile(b, 8) }

// No loop at all.

func BenchmarkNoLoop(b *testing.B) { sink = mix(b.N, 3) }
`

// TestKinds: loops in generic functions and methods, in functions with labels and in files that are no
// tests have twins. What has none says why.
func TestKinds(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m.go": helpers, "m_test.go": kinds} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			for name, codes := range found(t, dir, arch) {
				want := []string(nil)
				switch {
				case name == "Unnamed":
					want = []string{"nothing can name its function with its types, whose parameters have no names"}
				case name == "NoLoop":
					want = []string{"neither it nor a function of its package that it names has a loop over b.N or b.Loop"}
				case strings.HasPrefix(name, "Whole"):
					want = []string{"BP01", "BP04"}
				}
				if !slices.Equal(codes, want) {
					t.Errorf("%s: %q, want %q", name, codes, want)
				}
			}
		})
	}
}

// TestLoops: loops of which gc left nothing, a part, and all, in both architectures that are decoded.
func TestLoops(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.26\n", "m_test.go": loops} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, arch := range []string{"amd64", "arm64"} {
		t.Run(arch, func(t *testing.T) {
			for name, codes := range found(t, dir, arch) {
				want := []string(nil)
				switch {
				case name == "WholeMade":
					want = []string{"BP01", "BP05"}
				case name == "WholeConstant" || name == "WholeSum":
					want = []string{"BP01", "BP03"}
				case strings.HasPrefix(name, "Whole"):
					want = []string{"BP01", "BP04"}
				case strings.HasPrefix(name, "Part"):
					want = []string{"BP04"}
				}
				if !slices.Equal(codes, want) {
					t.Errorf("%s: %q, want %q", name, codes, want)
				}
			}
		})
	}
}

// TestPlanted: of the planted suite, no sound benchmark is accused, and those of which gc leaves
// nothing are caught.
func TestPlanted(t *testing.T) {
	dir, err := filepath.Abs("../testdata/planted")
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for name, codes := range found(t, dir, "amd64") {
		for _, code := range codes {
			caught[name] = caught[name] || code == "BP01" || code == "BP04"
		}
	}
	for _, name := range []string{"ClosureOfConstant", "HelperDropped", "MakeForgotten", "MixDropped", "MixOfConstants", "MixUnread", "Nothing", "ObjectWrittenOnly",
		"OneOfTwoDropped", "ParallelDropped", "PolyOfConstant", "SqrtOfTwo", "SubDropped", "SumUnread"} {
		if !caught[name] {
			t.Errorf("%s is not caught", name)
		}
	}
	for _, file := range []string{"sound_test.go", "bold_test.go"} {
		text, err := os.ReadFile(filepath.Join(dir, file))
		if err != nil {
			t.Fatal(err)
		}
		for name := range caught {
			if caught[name] && strings.Contains(string(text), "func Benchmark"+name+"(") {
				t.Errorf("%s is sound, and accused", name)
			}
		}
	}
}

// TestOldModule: twins compile in a module whose go.mod names an old language.
func TestOldModule(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module m\n\ngo 1.12\n", "m_test.go": `package m

import "testing"

func BenchmarkNothing(b *testing.B) {
	for i := 0; i < b.N; i++ {
		_ = i * i
	}
}
`} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if codes := found(t, dir, "amd64")["Nothing"]; !slices.Contains(codes, "BP01") {
		t.Errorf("%q", codes)
	}
}

// TestNoTwins: a package without a loop that could have a twin needs no binaries to say so.
func TestNoTwins(t *testing.T) {
	name := filepath.Join(t.TempDir(), "m_test.go")
	if err := os.WriteFile(name, []byte("package m\n\nimport \"testing\"\n\nfunc BenchmarkX(b *testing.B) { run(b) }\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	p := gcproof.Read([]string{name}, nil)
	if list := p.Of(nil, nil); len(p.Files) != 0 || len(list) != 1 || list[0].Unknown == "" {
		t.Errorf("%d files, and %+v", len(p.Files), list)
	}
}

// TestBadSources: a file that does not parse and one that does not exist have no benchmarks, and
// leave those of others.
func TestBadSources(t *testing.T) {
	dir := t.TempDir()
	bad, good := filepath.Join(dir, "bad_test.go"), filepath.Join(dir, "good_test.go")
	for name, text := range map[string]string{bad: "package m\nfunc {", good: loops} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	p := gcproof.Read([]string{bad, good, filepath.Join(dir, "none_test.go")}, nil)
	if len(p.Files) != 2 || p.Files[good] == nil {
		t.Errorf("twins in %d files", len(p.Files))
	}
}
