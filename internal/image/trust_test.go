package image

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/front/lower"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/release"
)

var update = flag.Bool("update", false, "write the fingerprints of the installed release anew")

// everything imports packages that need all functions of the runtime, even those that only some
// programs have.
const everything = `package main

import (
	_ "iter"
	_ "math/rand"
	_ "os"
	_ "os/signal"
	_ "reflect"
	_ "runtime/debug"
	_ "runtime/metrics"
	_ "runtime/pprof"
	_ "runtime/trace"
	_ "sync"
	_ "testing/synctest"
	_ "time"
	_ "unique"
	_ "weak"
)

func main() {}
`

// TestRuntimeFingerprints: runtime_go1.26.txt, or that of the installed release, is that of the
// overlay and of the standard library at hand. After a change of either, or of lowering:
//
//	go test ./internal/image -run TestRuntimeFingerprints -update
func TestRuntimeFingerprints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(everything), 0o644); err != nil {
		t.Fatal(err)
	}
	p, err := load.Load(context.Background(), load.Options{Patterns: []string{file}})
	if err != nil {
		t.Fatal(err)
	}
	fixed, err := lower.Fixed(p)
	if err != nil {
		t.Fatal(err)
	}
	var lines []string
	for _, f := range fixed {
		lines = append(lines, fmt.Sprintf("%s %s\n", FingerprintOf(f), f.Name))
	}
	slices.SortFunc(lines, func(a, b string) int {
		_, x, _ := strings.Cut(a, " ")
		_, y, _ := strings.Cut(b, " ")
		return strings.Compare(x, y)
	})
	lines = slices.Compact(lines)
	text := "release " + p.GoVersion + "\n" + strings.Join(lines, "")
	if *update {
		if err := os.WriteFile(runtimeName(p.Release), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if have, err := runtimeTexts.ReadFile(runtimeName(p.Release)); err != nil || string(have) != text {
		t.Errorf("%s is not that of %s and the overlay: go test ./internal/image -run TestRuntimeFingerprints -update", runtimeName(p.Release), p.GoVersion)
	}
}

// TestCheckRuntimeSpelling: a type of the runtime that the program spells in another
// way, [8]uint8 for [8]byte, does not change the functions of the runtime.
func TestCheckRuntimeSpelling(t *testing.T) {
	m := lowered(t, `package main

var bytes [8]uint8

func main() {
	println(map[string]bool{"some long key": true}["another one"], any(bytes) == any(1))
}
`)
	if err := CheckRuntime(m); err != nil {
		t.Error(err)
	}
}

// TestCheckRuntime: the functions of real programs are the known ones, and a changed one is not.
func TestCheckRuntime(t *testing.T) {
	m := lowered(t, templates)
	known := runtimeKnown(release.OfMinor(m.Go))
	free := 0
	for _, f := range m.Funcs()[1:] {
		if f.Flags&ir.Runtime != 0 {
			free++
			if !known[FingerprintOf(f).String()] {
				t.Errorf("%s is not known", f.Name)
			}
		}
	}
	if free < 200 {
		t.Errorf("%d functions of the runtime", free)
	}
	if err := CheckRuntime(m); err != nil {
		t.Error(err)
	}
	for _, c := range []struct {
		name   string
		change func(f *ir.Func)
	}{
		{"flag", func(f *ir.Func) { f.Flags |= ir.NoInline }},
		{"name", func(f *ir.Func) { f.Name = "runtime.makechan" }},
		{"local", func(f *ir.Func) { f.Locals = append(f.Locals, ir.Local{Size: 8, Align: 8}) }},
		{"constant", func(f *ir.Func) {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					if v.Op == ir.OpConst && v.Type == ir.I64 {
						v.Aux++
						return
					}
				}
			}
		}},
		{"offset", func(f *ir.Func) {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					if v.Op == ir.OpLoad {
						v.Aux += 8
						return
					}
				}
			}
		}},
		{"branch", func(f *ir.Func) {
			for _, b := range f.Blocks {
				if b.Kind == ir.BlockIf {
					b.Succs[0], b.Succs[1] = b.Succs[1], b.Succs[0]
					return
				}
			}
		}},
		{"callee", func(f *ir.Func) {
			for _, b := range f.Blocks {
				for _, v := range b.Values {
					if v.Op == ir.OpCall {
						v.Fn = f
						return
					}
				}
			}
		}},
	} {
		for _, f := range m.Funcs()[1:] {
			if f.Name != "runtime.chansend" {
				continue
			}
			old := *f
			keep := f.Copy()
			c.change(f)
			if err := CheckRuntime(m); err == nil || !strings.Contains(err.Error(), "function runtime.") {
				t.Errorf("%s: %v", c.name, err)
			}
			*f = old
			f.Blocks, f.Entry, f.Locals = keep.Blocks, keep.Entry, keep.Locals
			for _, b := range f.Blocks {
				b.Func = f
			}
		}
	}
	// A function of the program that claims to be a measured loop, or to be free.
	for _, f := range m.Funcs()[1:] {
		if f.Name == "main.main" {
			f.Flags |= ir.Measured
			if err := CheckRuntime(m); err == nil || !strings.Contains(err.Error(), "main.main is a measured loop, which is for benchmarks alone") {
				t.Errorf("main.main is a measured loop: %v", err)
			}
			f.Flags ^= ir.Measured
			f.Flags |= ir.Runtime
			if err := CheckRuntime(m); err == nil || err.Error() != "function main.main is not that of the runtime for "+release.OfMinor(m.Go).Name() {
				t.Errorf("main.main is free: %v", err)
			}
		}
	}
}
