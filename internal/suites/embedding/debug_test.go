package embedding_test

import (
	"bytes"
	"context"
	"io"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const debugged = `package main

var sink []*int

//go:noinline
func add(a, b int) int { return a + b }

func main() {
	for i := range 1000 {
		x := add(i, 1)
		sink = append(sink, &x)
	}
	println(len(sink), *sink[999])
}
`

// runDebugged compiles and runs the program, and calls look before it closes the instance.
func runDebugged(t *testing.T, set gyr.CompileDebug, cfg gyr.Config, debug map[string]string, look func(*gyr.Program, *gyr.Instance)) {
	t.Helper()
	src := gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(debugged)}}, Patterns: []string{"main.go"}}
	p, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Debug: set})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	cfg.Stderr, cfg.Debug = &out, debug
	in, err := p.NewInstance(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	if err := in.Run(t.Context()); err != nil || out.String() != "1000 1000\n" {
		t.Fatalf("%q, %v", out.String(), err)
	}
	look(p, in)
}

// TestCompileDebug: each setting of a compilation takes effect, and none changes output or gas.
func TestCompileDebug(t *testing.T) {
	var want gyr.Stats
	runDebugged(t, gyr.CompileDebug{}, gyr.Config{}, nil, func(p *gyr.Program, in *gyr.Instance) {
		want = in.Stats()
		if all, start := in.Instructions(); all != 0 || start != 0 {
			t.Errorf("%d and %d instructions that nobody asked for", all, start)
		}
	})
	for _, set := range []gyr.CompileDebug{{NoPass: []string{"all"}}, {Verify: true}, {NoBase: true}} {
		runDebugged(t, set, gyr.Config{}, nil, func(p *gyr.Program, in *gyr.Instance) {
			if got := in.Stats(); got.Gas != want.Gas || set.NoPass != nil && got.Mallocs == want.Mallocs || p.Stats().OnBase != (!set.NoBase && set.NoPass == nil) {
				t.Errorf("%+v: %+v, without them %+v; on the base: %v", set, got, want, p.Stats().OnBase)
			}
		})
	}
	src := gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(debugged)}}, Patterns: []string{"main.go"}}
	if _, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: []string{"nosuch"}}}); err == nil || !strings.Contains(err.Error(), "nosuch") {
		t.Errorf("a pass that there is not: %v", err)
	}
	if v := reflect.TypeFor[gyr.CompileDebug](); v.NumField() != 3 {
		t.Errorf("there are settings that this test does not know: %s", v)
	}
}

// TestDebugCounts: the interpreter counts exactly what it is told to count.
func TestDebugCounts(t *testing.T) {
	runDebugged(t, gyr.CompileDebug{}, gyr.Config{Tier: gyr.TierInterp}, map[string]string{"opstats": ""}, func(p *gyr.Program, in *gyr.Instance) {
		var text bytes.Buffer
		all, start := in.Instructions()
		if err := in.WriteOpStats(&text); err != nil || all < 5000 || start >= all || text.Len() == 0 {
			t.Errorf("%v; %d instructions, %d of them at the start\n%s", err, all, start, &text)
		}
		in.Close()
		if err := in.WriteOpStats(io.Discard); err != gyr.ErrClosed {
			t.Errorf("closed: %v", err)
		}
	})
}

// TestProgramDump prints a function in both forms.
func TestProgramDump(t *testing.T) {
	runDebugged(t, gyr.CompileDebug{}, gyr.Config{}, nil, func(p *gyr.Program, in *gyr.Instance) {
		for _, form := range []string{"ir", "bytecode"} {
			var text bytes.Buffer
			err := p.Dump(&text, form, regexp.MustCompile(`^main\.add$`))
			if err != nil || !strings.Contains(text.String(), "main.add") || strings.Contains(text.String(), "main.main") {
				t.Errorf("%s: %v\n%s", form, err, &text)
			}
		}
	})
	if names, groups := gyr.Passes(); len(names) < 10 || len(groups) < 3 {
		t.Errorf("passes %v, groups %v", names, groups)
	}
}

// TestConfigDebug: unknown debug settings and invalid values are errors that name the field.
func TestConfigDebug(t *testing.T) {
	p, err := gyr.Compile(context.Background(), gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(debugged)}}, Patterns: []string{"main.go"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, debug := range []map[string]string{{"nosuch": ""}, {"gcstress": "x"}, {"poison": "1"}, {"verify": ""}} {
		_, err := p.NewInstance(t.Context(), gyr.Config{Debug: debug})
		if bad, ok := err.(*gyr.ConfigError); !ok || bad.Field != "Debug" {
			t.Errorf("%v: %v", debug, err)
		}
	}
}
