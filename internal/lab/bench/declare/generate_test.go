package declare

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

// A package with a benchmark of each kind. The benchmarks count what they do. The package also uses
// names that generated files could choose.
var sample = map[string]string{
	"m.go": `// Package m has names that generated files could take.
package m

import (
	"io"
	"strings"
	"time"
	tick "time"
)

const (
	testing   = 3
	gyrBench  = 4
	gyrBenchB = 5
	b         = 2
	big       = 64
)

type buf struct{ data []byte }

var Calls, Total int

func did(n int) int {
	Calls++
	Total += n
	return n
}

func newBuf(n int) *buf { return &buf{make([]byte, n)} }

//gyr:bench group=sums baseline n=8,big bytes=n setup=newBuf
func (b *buf) sum(n int) int {
	s := 1
	for _, x := range b.data[:n] {
		s += int(x)
	}
	return did(s)
}

func newValue(n int) buf { return *newBuf(n) }

//gyr:bench setup=newValue n=3
func (b buf) length() int { return did(len(b.data)) }

//gyr:bench
func empty() {}

//gyr:bench a0=b,gyrBench,gyrBenchB
func square(a0 int) int { return did(a0 * a0) }

type large struct {
	a, b, c, d, e int
	s          string
}

func newLarge() large { return large{1, 2, 3, 4, 5, "six"} }

//gyr:bench setup=newLarge n=1 inline=never
func change(l large, n int8) (large, error) {
	l.c += did(int(n))
	return l, nil
}

//gyr:bench setup=newLarge n=1
func changeToo(l large, n int8) (large, error) {
	l.c += did(int(n))
	return l, nil
}

func reader(s string) (io.Reader, tick.Duration) { return strings.NewReader(s), 2 }

//gyr:bench s="abc","d/e" setup=reader f=1.5,-2
func read(r io.Reader, d time.Duration, f float32) (n int, err error) { return did(int(d)), nil }

//gyr:bench x=true inline=always
func several(x bool) (a, b int, c string) { return did(1), 2, "x" }

//gyr:bench n=1000
func allocate(n int) []int { return make([]int, did(n)) }

func (b *buf) grow()    {}
func BenchmarkEmpty_2() {}
`,
	"m_test.go": `package m

import (
	"fmt"
	"os"
	. "testing"
)

func BenchmarkEmpty(b *B) {}

func TestMain(m *M) {
	code := m.Run()
	fmt.Println("calls", Calls, "total", Total)
	os.Exit(code)
}

func withBenchmark(b TB, n int) string { b.Helper(); return b.Name() }
`,
	"x_test.go": `package m_test

import (
	"testing"

	"example.com/m"
)

func prepare(b *testing.B, n int) int { return n + len(b.Name()) }

//gyr:bench setup=prepare n=2
func outside(n int) int { m.Calls++; return n * n }
`,
}

// TestGeneratedInGyr: generated files compile, and their benchmarks work in both tiers, with the
// same output under the virtual clock, the same gas and the same memory.
func TestGeneratedInGyr(t *testing.T) {
	m := newModule(t, Gyr, sample)
	p, err := engine.Compile(context.Background(), m.source())
	if err != nil {
		t.Fatal(err)
	}
	args := []string{"-test.bench=.", "-test.benchtime=3000x", "-test.benchmem"}
	native, stats := run(t, p, api.TierNative, false, args...)
	interp, again := run(t, p, api.TierInterp, false, args...)
	if native != interp {
		t.Errorf("machine code:\n%s\ninterpreter:\n%s", native, interp)
	}
	if stats.Gas != again.Gas || stats.Mallocs != again.Mallocs {
		t.Errorf("gas %d, objects %d; interpreted %d, %d", stats.Gas, stats.Mallocs, again.Gas, again.Mallocs)
	}
	checkRuns(t, m, native, 3001)
}

// checkRuns checks that all benchmarks ran, and that each called its function the right number of
// times.
func checkRuns(t *testing.T, m *module, out string, iterations int) {
	t.Helper()
	calls := 0
	for _, d := range m.pkg.Declared() {
		line := regexp.MustCompile(`(?m)^Benchmark` + regexp.QuoteMeta(d.Name()) + `(-\d+)? +\t +\d+\t.*`).FindString(out)
		if line == "" {
			t.Errorf("%s did not run", d.Name())
		}
		if strings.Contains(line, " MB/s") != (d.Function.Bytes != "") {
			t.Errorf("%s: %q", d.Name(), line)
		}
		if d.Function.Func != "empty" && !strings.HasSuffix(d.Function.File, "x_test.go") {
			calls += iterations
		}
	}
	_, rest, _ := strings.Cut(out, "\ncalls ")
	if n, _, _ := strings.Cut(rest, " "); n != strconv.Itoa(calls+iterations) { // and the count of the external tests
		t.Errorf("%s calls, want %d\n%s", n, calls+iterations, out)
	}
}

// TestStrips: the measured loop runs exactly b.N iterations, however long a run is, also with the
// machine's clock.
func TestStrips(t *testing.T) {
	m := newModule(t, Gyr, map[string]string{
		"m.go": "package m\n\nvar Calls int\n\n//gyr:bench\nfunc count() { Calls++ }\n\n" +
			"//gyr:bench\nfunc slow() {\n\tCalls++\n\tfor range 100000 {\n\t}\n}\n",
		"m_test.go": "package m\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestMain(m *testing.M) {\n\tcode := m.Run()\n\tprintln(Calls)\n\tos.Exit(code)\n}\n",
	})
	p, err := engine.Compile(context.Background(), m.source())
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		bench, time, calls string
	}{{"Count", "1x", "1"}, {"Count", "2x", "3"}, {"Count", "3000001x", "3000002"}, {"Slow", "77x", "78"}} {
		out, _ := run(t, p, api.TierNative, true, "-test.bench="+c.bench, "-test.benchtime="+c.time)
		if !strings.HasSuffix(out, "\n"+c.calls+"\n") {
			t.Errorf("%s, %s: %s, want %s calls", c.bench, c.time, out, c.calls)
		}
	}
}

// TestStripsEnd: between strips the context or the gas stops a run like any other.
func TestStripsEnd(t *testing.T) {
	m := newModule(t, Gyr, map[string]string{
		"m.go": "package m\n\n//gyr:bench\nfunc empty() {}\n\n//gyr:bench x=3\nfunc square(x int) int { return x * x }\n"})
	p, err := engine.Compile(context.Background(), m.source())
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []api.Tier{api.TierNative, api.TierInterp} {
		ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
		deadline := (*api.DeadlineError)(nil)
		if _, _, err := start(ctx, p, engine.Config{Config: api.Config{Tier: tier}}, "-test.bench=Empty", "-test.benchtime=1000000000000000x"); !errors.As(err, &deadline) {
			t.Errorf("%s: %v", tier, err)
		}
		cancel()
		gas := (*api.OutOfGasError)(nil)
		cfg := engine.Config{Config: api.Config{Tier: tier, Gas: 5_000_000}}
		if _, stats, err := start(context.Background(), p, cfg, "-test.bench=Square", "-test.benchtime=1000000000000000x"); !errors.As(err, &gas) ||
			stats.Gas != 5_000_000 {
			t.Errorf("%s: %v, gas %d", tier, err, stats.Gas)
		}
	}
}

// TestGeneratedInGo: generated files pass go vet, and go test runs them.
func TestGeneratedInGo(t *testing.T) {
	m := newModule(t, Go, sample)
	overlay := m.overlay(t)
	for _, args := range [][]string{{"vet", "-overlay", overlay, "."},
		{"test", "-overlay", overlay, "-run", "XXX", "-bench", ".", "-benchtime", "3000x", "."}} {
		cmd := exec.Command("go", args...)
		cmd.Dir = m.dir
		cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
		}
		if args[0] == "test" {
			checkRuns(t, m, string(out), 3000)
		}
	}
}

// TestVetOfGyrsFiles: go vet accepts gyr's files too, except for the missing bodies of measured
// loops. An empty assembly file promises those.
func TestVetOfGyrsFiles(t *testing.T) {
	files := map[string]string{"empty.s": "// Measured loops have no body.\n"}
	for name, text := range sample {
		if name != "x_test.go" { // a package of tests has no assembly
			files[name] = text
		}
	}
	m := newModule(t, Gyr, files)
	cmd := exec.Command("go", "vet", "-overlay", m.overlay(t), ".")
	cmd.Dir = m.dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=")
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
}

// overlay writes the file of -overlay.
func (m *module) overlay(t *testing.T) string {
	t.Helper()
	text, err := json.Marshal(map[string]any{"Replace": m.replace})
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "overlay.json")
	write(t, name, string(text))
	return name
}

// TestCompileErrors: the compiler's messages about values have the directive's position.
func TestCompileErrors(t *testing.T) {
	m := newModule(t, Gyr, map[string]string{"m.go": "package m\n\ntype other int\n\nconst x other = 1\n\nfunc make() int8 { return 1 }\n\n" +
		"//gyr:bench n=x\nfunc f(n int) {}\n\n//gyr:bench setup=make\nfunc g(n int) {}\n"})
	_, err := engine.Compile(context.Background(), m.source())
	if err == nil {
		t.Fatal("it compiles")
	}
	for _, want := range []string{"m.go:9:", "m.go:12:"} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error %v lacks %s", err, want)
		}
	}
}

// TestUnknownImport: if the name of an import does not follow from its path, an error asks for it.
func TestUnknownImport(t *testing.T) {
	p, err := Parse([]File{{"/m/m.go", []byte("package m\n\nimport \"example.com/some/path\"\n\nfunc set() *odd.T { return nil }\n\n" +
		"//gyr:bench setup=set\nfunc f(t *odd.T) {}\n")}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = p.Generate(Gyr)
	if e := (*Error)(nil); !errors.As(err, &e) || e.Line != 8 || !strings.Contains(e.Text, `import odd "…"`) {
		t.Errorf("error %v", err)
	}
}
