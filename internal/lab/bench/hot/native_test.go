package hot

import (
	"context"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
)

const goBench = `package p

import "testing"

func mix(x uint64) uint64 { return x*6364136223846793005 + 1442695040888963407 }

var sink []byte

//go:noinline
func work(a []uint64) (x uint64) {
	for _, y := range a {
		x = mix(x ^ y)
	}
	return x
}

func BenchmarkWork(b *testing.B) {
	a := make([]uint64, 1000)
	for b.Loop() {
		work(a)
	}
}
`

// A native test binary gives the same kind of profile as a guest: from the kernel's samples, or, if
// it gives none, from Go's own. The listing is of the function that takes the time, with source,
// inlining and cold code.
func TestGoRun(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("no ELF here")
	}
	dir := t.TempDir()
	for name, text := range map[string]string{"p_test.go": goBench, "go.mod": "module p\ngo 1.26\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	bin := filepath.Join(dir, "p.test")
	cmd := exec.Command("go", "test", "-c", "-o", bin, ".")
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	r := &GoRun{Path: bin, Dir: dir, Env: os.Environ(), Args: []string{"-test.run=^$", "-test.bench=.", "-test.benchtime=300000x"}}
	p, out, err := r.Profile(context.Background(), 300000)
	if err != nil || !strings.Contains(string(out), "BenchmarkWork") {
		t.Fatalf("%v: %s", err, out)
	}
	t.Logf("%s, %d samples", p.By, p.Samples)
	checkGo(t, p)

	b, err := sample.OpenBinary(bin)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	list, _, err := r.pprof(context.Background(), b)
	if err != nil {
		t.Fatal(err)
	}
	checkGo(t, GoProfile(b, list, "pprof", 300000))

	if l := (&goLister{b: b, total: 1}).list("p.BenchmarkWork", nil); l == nil || l.Bytes == 0 || len(l.Code) < 10 {
		t.Errorf("%+v", l)
	} else {
		cold := 0
		for _, x := range l.Code {
			if x.Cold {
				cold++
			}
		}
		if cold == 0 || cold > len(l.Code)/2 {
			t.Errorf("%d of %d instructions are cold", cold, len(l.Code))
		}
	}
	if (&goLister{b: b, total: 1}).list("p.none", nil) != nil {
		t.Error("a function that does not exist is listed")
	}
}

func checkGo(t *testing.T, p *record.Profile) {
	t.Helper()
	if p.Samples < 20 || p.Shares[0].Func != "p.work" || p.Shares[0].Kind != sample.Guest || p.Shares[0].Share < 0.5 {
		t.Fatalf("%d samples, %+v", p.Samples, p.Shares)
	}
	l := listingOf(p, "p.work")
	share, inlined, jumps := 0.0, 0, 0
	labels := map[string]bool{}
	for _, x := range l.Code {
		share += x.Share
		labels[x.Label] = true
		if len(x.Inlined) == 1 && x.Inlined[0] == "p.mix" && strings.Contains(l.Source[x.File][x.Line], "6364136223846793005") {
			inlined++
		}
	}
	for _, x := range l.Code {
		if x.To != "" {
			jumps++
			if !labels[x.To] || !strings.HasSuffix(x.Text, x.To) {
				t.Errorf("%+v goes nowhere", x)
			}
		}
	}
	if math.Abs(share-l.Share) > 1e-9 || inlined == 0 || jumps == 0 || l.Kind != "go" {
		t.Errorf("share %g of %g, %d instructions inlined, %d jumps", share, l.Share, inlined, jumps)
	}
	calls := 0
	for _, s := range p.Stacks {
		for _, f := range s.Frames {
			if strings.HasPrefix(f.Func, "testing.") {
				calls++
				break
			}
		}
	}
	if calls == 0 {
		t.Errorf("no stack leads to package testing: %+v", p.Stacks)
	}
}
