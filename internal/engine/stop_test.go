package engine

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/cancel"
)

// A caller that stops waiting while a large function is compiled leaves the function as it was,
// whatever part of the work it interrupts. Other callers still get it compiled, and it computes
// what it should.
func TestStoppedCompilations(t *testing.T) {
	var b strings.Builder
	b.WriteString("package main\n\nimport \"os\"\n\n//go:noinline\nfunc large(s []int, x int) int {\n")
	want, s := 1, make([]int, 8)
	for i := range 2000 {
		fmt.Fprintf(&b, "\ts[x&7] += %d; x = x*3 ^ s[%d]\n", i, i&7)
		s[want&7] += i
		want = want*3 ^ s[i&7]
	}
	b.WriteString("\treturn x\n}\n\nfunc main() { println(large(make([]int, 8), len(os.Args))) }\n")
	p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"main.go": {Data: []byte(b.String())}}, Patterns: []string{"main.go"}})
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	close(done)
	for _, f := range p.mod.Funcs() {
		if f == nil || f.Name != "main.large" {
			continue
		}
		f.FixRoots()
		if !f.Large() {
			t.Fatalf("%d operations", f.Size)
		}
		before := f.String()
		code, err := p.program()
		if err != nil {
			t.Fatal(err)
		}
		for range 3 {
			if err := p.ready.prepare(f, done); !errors.Is(err, cancel.ErrStopped) {
				t.Fatalf("phase B: error %v", err)
			}
			if _, err := code.CompileUntil(f.Index, done); !errors.Is(err, cancel.ErrStopped) {
				t.Fatalf("register code: error %v", err)
			}
		}
		if f.String() != before {
			t.Error("the function was changed")
		}
	}
	for _, tier := range []api.Tier{api.TierInterp, DefaultTier} {
		var out bytes.Buffer
		cfg := Config{Config: api.Config{Tier: tier}}
		cfg.Stderr = &out
		in, err := p.NewInstance(context.Background(), cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		in.Close()
		if got := strings.TrimSpace(out.String()); got != fmt.Sprint(want) {
			t.Errorf("%v: %s, want %d", tier, got, want)
		}
	}
}

// Traceback shows where a run ended at a limit, and is empty for a run that ended by itself.
func TestTraceback(t *testing.T) {
	const src = `package main

import "os"

//go:noinline
func spin(n int) {
	for n != 0 {
	}
}

func middle(n int) { spin(n + len(os.Args)) }

func main() {
	if len(os.Args) > 1 {
		os.Exit(len(os.Args) - 2)
	}
	middle(1)
}
`
	p, err := Compile(context.Background(), Source{FS: fstest.MapFS{"main.go": {Data: []byte(src)}}, Patterns: []string{"main.go"}})
	if err != nil {
		t.Fatal(err)
	}
	for _, tier := range []api.Tier{api.TierInterp, DefaultTier} {
		for _, args := range [][]string{nil, {"0"}, {"1", "1"}} {
			cfg := Config{Config: api.Config{Tier: tier}}
			cfg.Args, cfg.Gas = args, 1_000_000
			in, err := p.NewInstance(context.Background(), cfg)
			if err != nil {
				t.Fatal(err)
			}
			if frames := in.Traceback(); frames != nil {
				t.Errorf("before the run: %v", frames)
			}
			err = in.Run(context.Background())
			var got []string
			for _, f := range in.Traceback() {
				got = append(got, fmt.Sprintf("%s:%d", f.Func, f.Line))
			}
			want := "main.spin:7 main.middle:11 main.main:17"
			if args != nil {
				want = ""
			}
			if s := strings.Join(got, " "); !strings.HasPrefix(s, want) || want == "" && s != "" {
				t.Errorf("%s, %v: %v: traceback %s, want %s", tier, args, err, s, want)
			}
			in.Close()
		}
	}
}
