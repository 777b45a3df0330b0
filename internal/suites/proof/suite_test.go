package proof

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
)

// A guest is a program of the suite: one of programs/ at a small size, or one of testdata/guests.
type guest struct {
	name string
	args []string
	// native: it prints the same in native Go, where the seed does not decide maps, select, time
	// and addresses.
	native bool
	// observes: its output depends on addresses or collections. It may change without phase A or
	// with more frequent collections.
	observes bool
	stdin    string // name of the guest whose output is the input
	exit     int    // expected status
}

// sizes are the small sizes of programs/.
var sizes = map[string]string{
	"binary_trees_pair": "10", "binarytrees": "11", "channels": "20", "closures": "200", "deflate": "10",
	"dijkstra": "15", "editdistance": "1", "fannkuch": "6", "fasta": "300", "fft": "1", "fib": "17", "generics": "1",
	"hashes": "6", "ifacecall": "300", "json": "60", "knucleotide": "300", "ledger": "1", "life": "2", "lru": "2",
	"lu": "20", "mandelbrot": "24", "maps": "2000", "matmul": "20", "merkle": "51", "nbody": "300", "pair_swap": "100",
	"pair_throughput": "400", "pair_walk": "100", "parser": "30", "pidigits": "40", "queens": "6", "quicksort": "3000",
	"raytrace": "16", "regexredux": "100", "revcomp": "500", "sieve": "5000", "spectralnorm": "12", "strbuild": "3000",
	"structs": "1", "structsort": "800", "template": "30", "vm": "100", "wordcount": "100",
}

// guests are all programs of the suite.
var guests = sync.OnceValues(func() ([]guest, error) {
	dirs, err := filepath.Glob("../../../programs/*/main.go")
	if err != nil {
		return nil, err
	}
	var list []guest
	for _, d := range dirs {
		name := filepath.Base(filepath.Dir(d))
		if sizes[name] == "" {
			return nil, fmt.Errorf("no small size for programs/%s: add one to the table", name)
		}
		// text/template calls functions by reflection, which keeps their types in a table by
		// address.
		list = append(list, guest{name: name, args: []string{sizes[name]}, native: true, observes: name == "template"})
	}
	return append(list,
		guest{name: "fasta", args: []string{"300", "-stream"}, native: true},
		guest{name: "revcomp", args: []string{"-stream"}, native: true, stdin: "fasta"},
		guest{name: "knucleotide", args: []string{"-stream"}, native: true, stdin: "fasta"},
		guest{name: "regexredux", args: []string{"-stream"}, native: true, stdin: "fasta"},
		guest{name: "figures", native: true},
		guest{name: "reflection", native: true, observes: true},
		guest{name: "boundary", observes: true},
		guest{name: "goroutines"},
		guest{name: "selects"},
		guest{name: "timers"},
		guest{name: "mapranges"},
		guest{name: "panics", native: true, exit: 2},
		guest{name: "finalizers", observes: true},
	), nil
})

func suite(t testing.TB) []guest {
	t.Helper()
	list, err := guests()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func (g guest) String() string { return strings.Join(append([]string{g.name}, g.args...), " ") }

var (
	packageMain = regexp.MustCompile(`(?m)^package main$`)
	funcMain    = regexp.MustCompile(`(?m)^func main\(\) \{$`)
)

// suiteDir holds a module whose one command contains all guests: its first argument names one. So
// one compilation, native or ours, is enough for all.
var suiteDir = sync.OnceValues(func() (string, error) {
	dir := filepath.Join(tempDir, "suite")
	list, err := guests()
	if err != nil {
		return "", err
	}
	var imports, cases bytes.Buffer
	seen := map[string]bool{}
	for _, g := range list {
		if seen[g.name] {
			continue
		}
		seen[g.name] = true
		src, err := os.ReadFile(filepath.Join("../../../programs", g.name, "main.go"))
		if err != nil {
			src, err = os.ReadFile(filepath.Join("testdata/guests", g.name, "main.go"))
		}
		if err != nil {
			return "", err
		}
		if !packageMain.Match(src) || !funcMain.Match(src) {
			return "", fmt.Errorf("%s: no package main or func main", g.name)
		}
		src = packageMain.ReplaceAll(src, []byte("package "+g.name))
		src = funcMain.ReplaceAll(src, []byte("func Main() {"))
		if err := os.MkdirAll(filepath.Join(dir, g.name), 0o777); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, g.name, "main.go"), src, 0o666); err != nil {
			return "", err
		}
		fmt.Fprintf(&imports, "\t%q\n", "suite/"+g.name)
		fmt.Fprintf(&cases, "\tcase %q:\n\t\t%s.Main()\n", g.name, g.name)
	}
	main := fmt.Sprintf(`package main

import (
	"os"
%s)

func main() {
	name := os.Args[1]
	os.Args = append(os.Args[:1], os.Args[2:]...)
	switch name {
%s	default:
		panic("no guest " + name)
	}
}
`, &imports, &cases)
	if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(main), 0o666); err != nil {
		return "", err
	}
	return dir, os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module suite\n\ngo 1.26\n"), 0o666)
})

// compileSuite compiles the suite without the named passes.
func compileSuite(t testing.TB, nopass ...string) *gyr.Program {
	t.Helper()
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	return compile(t, gyr.Source{Dir: dir}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: nopass}})
}

// plainSuite returns the suite with all passes, compiled once.
func plainSuite(t testing.TB) *gyr.Program {
	t.Helper()
	plainOnce.Do(func() { plain = compileSuite(t) })
	if plain == nil {
		t.Fatal("the suite does not compile")
	}
	return plain
}

var (
	plainOnce sync.Once
	plain     *gyr.Program
)

// build builds the native binary of the package in dir.
func build(dir, name string) (string, error) {
	bin := filepath.Join(tempDir, name)
	cmd := exec.Command("go", "build", "-o", bin, ".")
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=", "GOWORK=off", "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build: %w\n%s", err, out)
	}
	return bin, nil
}

var nativeSuite = sync.OnceValues(func() (string, error) {
	dir, err := suiteDir()
	if err != nil {
		return "", err
	}
	return build(dir, "suite.bin")
})

// A result is everything visible of a run.
type result struct {
	Output string // standard output and error as they were written
	Exit   int
	Stats  gyr.Stats
}

// execute runs a program with arguments, and then calls functions with the instance.
func execute(p *gyr.Program, cfg gyr.Config, after ...func(*gyr.Instance) error) (result, error) {
	var out bytes.Buffer
	cfg.Stdout, cfg.Stderr = &out, &out
	if cfg.Seed == 0 {
		cfg.Seed = 42
	}
	in, err := p.NewInstance(context.Background(), cfg)
	if err != nil {
		return result{}, err
	}
	defer in.Close()
	var r result
	if err := in.Run(context.Background()); err != nil {
		exit := (*gyr.ExitError)(nil)
		if !errors.As(err, &exit) {
			return r, fmt.Errorf("%w\n%s", err, tail(out.String()))
		}
		r.Exit = exit.Code
	}
	r.Output, r.Stats = out.String(), in.Stats()
	r.Stats = r.Stats.Repeatable()
	for _, f := range after {
		if err := f(in); err != nil {
			return r, err
		}
	}
	return r, nil
}

// runWith runs a guest of a compiled suite.
func (g guest) runWith(p *gyr.Program, cfg gyr.Config, after ...func(*gyr.Instance) error) (result, error) {
	cfg.Args = append([]string{g.name}, g.args...)
	if g.stdin != "" {
		in, err := fastaInput(p)
		if err != nil {
			return result{}, err
		}
		cfg.Stdin = strings.NewReader(in)
	}
	r, err := execute(p, cfg, after...)
	if err == nil && r.Exit != g.exit {
		err = fmt.Errorf("exit status %d, want %d\n%s", r.Exit, g.exit, tail(r.Output))
	}
	if err != nil {
		err = fmt.Errorf("%s: %w", g, err)
	}
	return r, err
}

// fastaInput is the input of the FASTA programs.
func fastaInput(p *gyr.Program) (string, error) {
	fastaOnce.Do(func() {
		var r result
		if r, fastaErr = execute(p, gyr.Config{Args: []string{"fasta", "300", "-stream"}}); fastaErr == nil {
			fastaText = r.Output
		}
	})
	return fastaText, fastaErr
}

var (
	fastaOnce sync.Once
	fastaText string
	fastaErr  error
)

// native runs the native binary.
func native(bin string, args []string, stdin io.Reader) (string, error) {
	cmd := exec.Command(bin, args...)
	var out bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = stdin, &out, &out
	err := cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) && exit.Exited() {
		err = nil // the guest's own status, which its output shows
	}
	return out.String(), err
}

func tail(s string) string {
	if len(s) > 2000 {
		s = "…" + s[len(s)-2000:]
	}
	return s
}

// diff names the first line in which two outputs differ.
func diff(got, want string) string {
	if got == want {
		return ""
	}
	g, w := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range max(len(g), len(w)) {
		a, b := "(end)", "(end)"
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return fmt.Sprintf("line %d: %.200q, want %.200q", i+1, a, b)
		}
	}
	return "?"
}
