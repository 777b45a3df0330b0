package opt_test

import (
	"context"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

const hello = `package main

import "fmt"

func main() { fmt.Println("hello, world", 42) }
`

// lowered compiles a program down to the IR.
func lowered(t testing.TB, src string) *ir.Module {
	t.Helper()
	file := filepath.Join(t.TempDir(), "main.go")
	if s := os.Getenv("GYR_OPT_PROGRAM"); s != "" {
		file = s
	} else if err := os.WriteFile(file, []byte(src), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	m, err := lower.Program(p, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := gas.Place(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// TestRealProgram runs both phases over everything that fmt.Println reaches.
func TestRealProgram(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library")
	}
	m := lowered(t, hello)
	if err := ir.VerifyModule(m); err != nil {
		t.Fatal(err)
	}
	funcs, before := m.NumFuncs()-1, countOps(m)
	times := map[string]time.Duration{}
	verify := os.Getenv("GYR_OPT_TIMES") == ""
	cfg := &opt.Options{Verify: verify, Trace: func(pass string, f *ir.Func, d time.Duration) { times[pass] += d }}
	start := time.Now()
	if err := opt.PhaseA(m, cfg); err != nil {
		t.Fatal(err)
	}
	a, opsA := time.Since(start), countOps(m)
	if verify {
		if err := ir.VerifyModule(m); err != nil {
			t.Fatal(err)
		}
	}
	start = time.Now()
	for _, f := range m.Funcs()[1:] {
		if err := opt.PhaseB(f, cfg); err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("%d functions, %d operations; %d after phase A in %v; %d after phase B in %v", funcs, before, opsA, a, countOps(m), time.Since(start))
	var names []string
	for n := range times {
		names = append(names, n)
	}
	sort.Strings(names)
	for _, n := range names {
		t.Logf("%-20s %v", n, times[n])
	}
	if file := os.Getenv("GYR_OPT_DUMP"); file != "" {
		w, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		defer w.Close()
		if err := ir.Print(w, m); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPhaseBIsConcurrent optimises all functions of a module from several goroutines, for the race
// detector, and compares with the sequential result.
func TestPhaseBIsConcurrent(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the standard library")
	}
	var texts [2]string
	for round := range texts {
		m := lowered(t, hello)
		if err := opt.PhaseA(m, nil); err != nil {
			t.Fatal(err)
		}
		workers := 1 + 3*round
		var wg sync.WaitGroup
		for w := range workers {
			wg.Go(func() {
				for i := 1 + w; i < m.NumFuncs(); i += workers {
					if err := opt.PhaseB(m.Func(i), nil); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		m.Files = nil // each compilation has a directory of its own
		var b strings.Builder
		if err := ir.Print(&b, m); err != nil {
			t.Fatal(err)
		}
		texts[round] = b.String()
	}
	if texts[0] != texts[1] {
		t.Error("the outcome depends on the order")
	}
}

func countOps(m *ir.Module) int {
	n := 0
	for _, f := range m.Funcs()[1:] {
		n += f.NumOps()
	}
	return n
}
