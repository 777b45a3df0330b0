package proof

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/opt"
)

// TestRoots checks that the passes of phase B do not affect what registers keep alive. A program
// that looks at every object after every collection prints the same, with the same figures,
// whatever passes run.
func TestRoots(t *testing.T) {
	type outcome struct {
		out   string
		stats gyr.Stats
	}
	compiled := map[string]*gyr.Program{}
	run := func(off string, tier gyr.Tier, debug map[string]string) outcome {
		p := compiled[off]
		if p == nil {
			p = compile(t, gyr.Source{Patterns: []string{"testdata/roots/main.go"}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: strings.Fields(off), Verify: true}})
			compiled[off] = p
		}
		var out bytes.Buffer
		in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Tier: tier, Debug: debug})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := in.Run(context.Background()); err != nil {
			t.Errorf("without %s: %v", off, err)
		}
		s := in.Stats()
		s = s.Repeatable()
		return outcome{out.String(), s}
	}
	for _, debug := range []map[string]string{nil, {"gcstress": "5", "poison": ""}} {
		want := run("", gyr.TierInterp, debug)
		if !strings.Contains(want.out, "compared with nil +\ncompared with nil -\n") {
			t.Errorf("the first lines are wrong:\n%s", want.out)
		}
		without := []string{"phaseb", ""}
		if debug == nil {
			without = append(without, opt.Passes("phaseb")...)
		}
		for _, off := range without {
			for _, tier := range bothTiers() {
				got := run(off, tier, debug)
				if d := diff(got.out, want.out); d != "" {
					t.Errorf("%s, debug %v, without %s: %s", tier, debug, off, d)
				}
				if got.stats != want.stats {
					t.Errorf("%s, debug %v, without %s: %+v, not %+v", tier, debug, off, got.stats, want.stats)
				}
			}
		}
	}
}

// TestManyRoots runs a function with so many live pointers at so many safepoints that they are kept
// in memory.
func TestManyRoots(t *testing.T) {
	const n = 600
	var b strings.Builder
	b.WriteString("package main\n\ntype node struct{ v int }\n\n//go:noinline\nfunc fresh(v int) *node { return &node{v} }\n\nfunc main() {\n")
	for i := range n {
		fmt.Fprintf(&b, "\tp%d := fresh(%d)\n", i, i)
	}
	b.WriteString("\tfor i := range 3 {\n\t\tif i == 1 {\n\t\t\tp7, p8 = p8, p7\n\t\t}\n\t\tfresh(i)\n\t}\n\ts := 0\n")
	for i := range n {
		fmt.Fprintf(&b, "\ts = s*3 + p%d.v\n", i)
	}
	b.WriteString("\tprintln(s, p7.v)\n}\n")
	want := 0
	for i := range n {
		v := i
		switch i {
		case 7:
			v = 8
		case 8:
			v = 7
		}
		want = want*3 + v
	}
	file := filepath.Join(t.TempDir(), "main.go")
	if err := os.WriteFile(file, []byte(b.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	p := compile(t, gyr.Source{Patterns: []string{file}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{Verify: true}})
	for _, debug := range []map[string]string{nil, {"gcstress": "1", "poison": ""}} {
		for _, tier := range bothTiers() {
			r, err := execute(p, gyr.Config{Tier: tier, Debug: debug})
			if err != nil {
				t.Fatal(err)
			}
			if w := fmt.Sprintf("%d 8\n", want); r.Output != w {
				t.Errorf("%s, debug %v: %s, want %s", tier, debug, r.Output, w)
			}
		}
	}
}

// TestRootsOfGrowingStacks collects when a function does not have room for its frame yet: the
// objects that its parameters point to stay.
func TestRootsOfGrowingStacks(t *testing.T) {
	p := compile(t, gyr.Source{Patterns: []string{"testdata/growing/main.go"}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{Verify: true}})
	for _, every := range []string{"", "7", "1000000"} { // mostly; also when a stack grows; only then
		for _, tier := range bothTiers() {
			r, err := execute(p, gyr.Config{Tier: tier, Debug: map[string]string{"gcstress": every, "poison": ""}})
			if want := "290857\n372407\n463957\n"; err != nil || r.Output != want {
				t.Errorf("%s, a collection every %s: %q, %v, want %q", tier, every, r.Output, err, want)
			}
		}
	}
}
