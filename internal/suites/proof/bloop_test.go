package proof

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

// A loopOverB is a benchmark of testdata/bloop with the factor of the product whose result it does
// not use.
type loopOverB struct {
	name   string
	factor int64
	kept   bool
}

var loopsOverB = regexp.MustCompile(`(?s)return x \* (\d+).*?// kept: (yes|no)\nfunc (Benchmark\w+)`)

func readLoopsOverB(t *testing.T, dir string) (list []loopOverB) {
	t.Helper()
	src, err := os.ReadFile(filepath.Join(dir, "bloop_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range loopsOverB.FindAllStringSubmatch(string(src), -1) {
		l := loopOverB{name: m[3], kept: m[2] == "yes"}
		fmt.Sscan(m[1], &l.factor)
		list = append(list, l)
	}
	if len(list) < 40 {
		t.Fatalf("only %d benchmarks were found", len(list))
	}
	return list
}

// TestLoopOverB: testdata/bloop says what work loops over testing.B keep in their bodies. It holds
// for gyr after all passes and, on amd64, for the machine code of gc.
func TestLoopOverB(t *testing.T) {
	dir, err := filepath.Abs("testdata/bloop")
	if err != nil {
		t.Fatal(err)
	}
	list := readLoopsOverB(t, dir)
	t.Run("gyr", func(t *testing.T) {
		p, err := engine.Compile(context.Background(), engine.Source{Dir: dir, Patterns: []string{"."}, Test: true})
		if err != nil {
			t.Fatal(err)
		}
		view := p.View()
		funcs := map[string]*ir.Func{}
		for _, f := range view.Mod.Own() {
			if name, ok := strings.CutPrefix(f.Name, "example.com/bloop."); ok {
				funcs[name] = f
			}
		}
		for _, l := range list {
			f := funcs[l.name]
			if f == nil {
				t.Errorf("%s is not in the program", l.name)
				continue
			}
			if err := view.Prepare(f); err != nil {
				t.Fatal(err)
			}
			if got := multipliesBy(f, l.factor); got != l.kept {
				t.Errorf("%s: kept %v, want %v\n%v", l.name, got, l.kept, f)
			}
		}
	})
	t.Run("gc", func(t *testing.T) {
		code := gcCode(t, dir, "example.com/bloop.Benchmark")
		for _, l := range list {
			text, ok := code["example.com/bloop."+l.name]
			if !ok {
				t.Errorf("%s is not in the program", l.name)
			} else if got := strings.Contains(text, fmt.Sprintf("$%#x,", l.factor)); got != l.kept {
				t.Errorf("%s: kept %v, want %v\n%s", l.name, got, l.kept, text)
			}
		}
	})
}

// multipliesBy reports whether a function has a product with a factor.
func multipliesBy(f *ir.Func, factor int64) bool {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			if v.Op == ir.OpMul && (v.Args[0].IsConst(factor) || v.Args[1].IsConst(factor)) {
				return true
			}
		}
	}
	return false
}

// gcCode returns gc's machine code for the functions of a test binary whose symbols begin with a
// prefix.
func gcCode(t *testing.T, dir, prefix string) map[string]string {
	t.Helper()
	bin := filepath.Join(t.TempDir(), "bloop.test")
	build := exec.Command("go", "test", "-c", "-o", bin, ".")
	build.Dir = dir
	build.Env = append(os.Environ(), "GOOS=linux", "GOARCH=amd64", "GOWORK=off", "GOFLAGS=")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go test -c: %v\n%s", err, out)
	}
	out, err := exec.Command("go", "tool", "objdump", "-s", "^"+regexp.QuoteMeta(prefix), bin).Output()
	if err != nil {
		t.Fatalf("go tool objdump: %v", err)
	}
	code := map[string]string{}
	for text := range strings.SplitSeq(string(out), "TEXT ") {
		name, rest, _ := strings.Cut(text, "(SB)")
		code[name] += rest
	}
	return code
}
