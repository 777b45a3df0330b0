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
	p := gcproof.Read(names)
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
				whole, part := slices.Contains(codes, "BP01"), slices.Equal(codes, []string{"BP04"})
				if whole != strings.HasPrefix(name, "Whole") || part != strings.HasPrefix(name, "Part") || !whole && !part && len(codes) > 0 {
					t.Errorf("%s: %q", name, codes)
				}
			}
		})
	}
}
