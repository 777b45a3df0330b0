package srcfuzz

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/suites/daily"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
	"github.com/gyrvm/gyr/internal/tools/filetest"
)

var (
	programs = flag.Int("programs", 60, "changed programs to compile")
	seed     = daily.Seed("seed", "of the changes")
	cacheDir = flag.String("cache", "", "directory that keeps the base from run to run; empty: it is made each time")
	failures = flag.String("failures", filepath.Join(os.TempDir(), "gyr-srcfuzz"), "directory for the programs that are wrong")
)

// packages are the packages that programs of the corpus import.
var packages = []string{
	"bytes", "cmp", "errors", "fmt", "io", "iter", "maps", "math", "math/bits", "os", "reflect", "runtime", "slices", "sort",
	"strconv", "strings", "sync", "sync/atomic", "time", "unicode/utf8",
}

const largest = 6000 // bytes of a program of the corpus

var importLine = regexp.MustCompile(`(?m)^\s*(?:import )?(?:[\w.]+ )?"([^"]+)"$`)

// corpus reads the programs to change: filetests of the language, and tests of GOROOT if it has
// them. They are read where they are.
var corpus = sync.OnceValue(func() (texts [][]byte) {
	add := func(src []byte) {
		for _, m := range importLine.FindAllSubmatch(src, -1) {
			if !slices.Contains(packages, string(m[1])) {
				return
			}
		}
		if len(src) <= largest && !bytes.Contains(src, []byte("//go:linkname")) {
			texts = append(texts, src)
		}
	}
	lang, _ := filepath.Glob("../../../tests/lang/*/*.go")
	for _, name := range lang {
		src, err := os.ReadFile(name)
		if err != nil {
			continue
		}
		if f, err := filetest.Parse(name, src); err == nil {
			if _, refused := f.Golden("CompileError", ""); !refused {
				add(bytes.TrimPrefix(src, []byte("//go:build ignore\n")))
			}
		}
	}
	for _, pattern := range []string{"*.go", "*/*.go"} {
		tests, _ := filepath.Glob(filepath.Join(runtime.GOROOT(), "test", pattern))
		for _, name := range tests {
			if src, err := os.ReadFile(name); err == nil && bytes.HasPrefix(src, []byte("// run\n")) {
				add(src)
			}
		}
	}
	return texts
})

var checker = NewChecker()

// base is the base of all programs, on which compiling one takes some milliseconds.
var base = sync.OnceValues(func() (*gyr.Base, error) { return gyr.OpenBase(context.Background(), gyr.BaseConfig{Cache: *cacheDir}) })

// changed returns program n of a seed.
func changed(seed, n uint64) []byte {
	texts := corpus()
	r := rand.New(rand.NewPCG(seed, n))
	return checker.Mutate(r, texts[r.IntN(len(texts))], texts[r.IntN(len(texts))], 4)
}

// gcOnly matches errors that gc and gyr report and go/types does not.
var gcOnly = regexp.MustCompile(`larger than address space|too large|missing function body|must have a body|main_main·f: function main is undeclared|` +
	`go:embed|go:linkname|unsafe|data segment beyond`)

// verdict says what is wrong with the compilation of a program; "" if nothing is.
func verdict(src []byte) string {
	want := checker.Check(src)
	b, err := base()
	if err != nil {
		return "base: " + err.Error()
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	var p *gyr.Program
	func() {
		defer func() {
			if r := recover(); r != nil {
				err = fmt.Errorf("panic: %v", r)
			}
		}()
		p, err = gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"main.go": {Data: src}}, Patterns: []string{"main.go"}},
			&gyr.CompileOptions{Base: b, Debug: gyr.CompileDebug{Verify: true}})
	}()
	var compile *gyr.CompileError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "" // other tests are about long compilations
	case err == nil && want != nil:
		return "accepted, but go/types: " + want.Error()
	case err == nil:
		return runs(p)
	case errors.As(err, new(*gyr.InternalError)) || !errors.As(err, &compile) || errors.As(err, new(*lower.LinkError)):
		return "error: " + err.Error()
	case want == nil && !gcOnly.MatchString(err.Error()):
		return "refused: " + err.Error()
	}
	return ""
}

// runs compares the tiers over the beginning of a run, which compiles the functions that it
// reaches.
func runs(p *gyr.Program) string {
	var outs []string
	for _, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierAuto} {
		var out bytes.Buffer
		in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Gas: 3_000_000, Memory: 64 << 20, Tier: tier})
		if err != nil {
			return "instance: " + err.Error()
		}
		ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
		err = in.Run(ctx)
		late := ctx.Err() != nil
		cancel()
		used := in.Stats().Gas
		in.Close()
		if errors.As(err, new(*gyr.InternalError)) {
			return fmt.Sprintf("run (%s): %v", tier, err)
		}
		if late {
			return ""
		}
		outs = append(outs, fmt.Sprintf("%s%v, gas %d", out.String(), err, used))
	}
	if outs[0] != outs[1] {
		return fmt.Sprintf("tiers differ: interpreter %.300q, machine code %.300q", outs[0], outs[1])
	}
	return ""
}

// report keeps a program that failed.
func report(t *testing.T, name string, src []byte, what string) {
	t.Helper()
	file := filepath.Join(*failures, name+".go")
	if err := errors.Join(os.MkdirAll(*failures, 0o777), os.WriteFile(file, src, 0o666)); err != nil {
		t.Log(err)
	}
	if len(what) > 2000 {
		what = what[:2000]
	}
	t.Errorf("%s: %s", file, what)
}

// TestChanged compiles changed programs. Programs that go/types accepts must compile, those that it
// refuses must be refused, and nothing else may happen.
func TestChanged(t *testing.T) {
	if len(corpus()) < 100 {
		t.Fatalf("only %d programs in the corpus", len(corpus()))
	}
	if testing.Short() && *programs > 20 {
		*programs = 20
	}
	daily.Drawn(t, "seed")
	accepted, made := 0, 0
	start := time.Now()
	for n := range uint64(*programs) {
		src := changed(*seed, n)
		if src == nil {
			continue
		}
		made++
		if checker.Check(src) == nil {
			accepted++
		}
		if what := verdict(src); what != "" {
			report(t, "seed"+strconv.FormatUint(*seed, 10)+"-"+strconv.FormatUint(n, 10), src, what)
		}
	}
	t.Logf("%d programs of a corpus of %d, %d of them accepted by go/types, %.1f a second", made, len(corpus()), accepted, float64(made)/time.Since(start).Seconds())
	if made < *programs/2 || accepted < made/20 {
		t.Error("the changes hardly make programs")
	}
}

// TestSame: a seed gives the same programs.
func TestSame(t *testing.T) {
	for n := range uint64(10) {
		if a, b := changed(7, n), changed(7, n); !bytes.Equal(a, b) {
			t.Fatalf("program %d differs:\n%s\n%s", n, a, b)
		}
	}
}

// FuzzChanged looks for seeds.
//
//fuzz:runs 30
func FuzzChanged(f *testing.F) {
	// Both take longer than the fuzzer allows for an input.
	if _, err := base(); err != nil {
		f.Fatal(err)
	}
	corpus()
	f.Add(uint64(1), uint64(0))
	f.Fuzz(func(t *testing.T, seed, n uint64) {
		if src := changed(seed, n); src != nil {
			if what := verdict(src); what != "" {
				report(t, fmt.Sprintf("seed%d-%d", seed, n), src, what)
			}
		}
	})
}
