package engine

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/gas"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

var coverPackages = flag.String("coverpackages", "", "test that coverage changes nothing in the test binaries of these packages, too")

// shapes is a program with every kind of statement: the fixture of package testrun
// with a main function.
func shapes(t testing.TB) Source {
	ar, err := txtar.ParseFile("../tools/testrun/testdata/cover.txtar")
	if err != nil {
		t.Fatal(err)
	}
	fs := fstest.MapFS{"main.go": {Data: []byte(`package main

import "example.com/cover/shapes"

func main() {
	for i := range 15 {
		p, q := shapes.Structs(i)
		println(shapes.Loops(i), shapes.Closures(i), shapes.Channels(i), shapes.RangeFunc(i), p, q)
	}
	for i := range 8 {
		println(shapes.Ifs(i&1 == 0, i&2 == 0, i))
	}
	for _, v := range []any{1, "s", "abc", []byte("xy"), 1.5, nil} {
		println(shapes.Types(v))
	}
	println(shapes.Push(shapes.Push(nil, 1), 2).Len())
	println(shapes.Divide(1, 0))
	println(shapes.Index([]int{1, 20, 10, 3, 10, 10, 10, 10, 4}, 0))
}
`)}}
	for _, f := range ar.Files {
		data := f.Data
		if f.Name == "shapes/shapes.go" {
			data = bytes.Replace(data, []byte("p, q int32)"), []byte("a, b int)"), 1)
			data = bytes.Replace(data, []byte("\tfor i := range k {\n"), []byte("\tvar p, q int32\n\tdefer func() { a, b = p.x+p.y, q.x+q.y }()\n\tfor i := range k {\n"), 1)
		}
		fs[f.Name] = &fstest.MapFile{Data: data}
	}
	return Source{FS: fs}
}

var shapePackages = []string{"example.com/cover", "example.com/cover/shapes", "example.com/cover/helper", "sort", "strconv", "fmt"}

// TestCoverChangesNothing runs a program with and without coverage, and compares everything
// observable about the runs. A program with counted packages of the standard library is compiled
// whole.
func TestCoverChangesNothing(t *testing.T) {
	daily.Turn(t, 3, false)
	src := shapes(t)
	var counts []api.CoverBlock
	for _, whole := range []bool{true, false} {
		want, packages := "", shapePackages
		if !whole {
			packages = packages[:3] // the program's own
		}
		for _, noPass := range [][]string{nil, {"phaseb"}, {"graph", "gas", "simplify"}} {
			for _, cover := range [][]string{nil, packages} {
				src := src
				src.NoPass, src.Cover, src.Verify, src.NoBase = noPass, cover, true, whole
				got, blocks := coverRuns(t, src)
				for tier, got := range got {
					if want == "" {
						want = got
					}
					if got != want {
						t.Errorf("whole %t, without %v, cover %v, %s:\n%s\nwant\n%s", whole, noPass, cover, tier, got, want)
					}
				}
				if len(counts) == 0 {
					counts = blocks
				}
				own := slices.DeleteFunc(slices.Clone(counts), func(b api.CoverBlock) bool { return !slices.Contains(packages, b.Package) })
				if len(cover) > 0 && !slices.Equal(blocks, own) {
					t.Errorf("whole %t, without %v: other counts", whole, noPass)
				}
			}
		}
	}
	executed := 0
	for _, b := range counts {
		if b.Count > 0 && b.Package == "example.com/cover/shapes" {
			executed++
		}
	}
	if executed < 90 {
		t.Errorf("%d blocks of the program were executed", executed)
	}
}

// coverRuns runs a program in each tier. It returns the observations by tier, and the counts, which
// must be the same in all tiers.
func coverRuns(t *testing.T, src Source) (got map[api.Tier]string, counts []api.CoverBlock) {
	t.Helper()
	ctx := context.Background()
	p, err := Compile(ctx, src)
	if err != nil {
		t.Fatal(err)
	}
	got = map[api.Tier]string{}
	for _, tier := range []api.Tier{api.TierInterp, api.TierNative} {
		if tier == api.TierNative && CheckNative() != nil {
			continue
		}
		var out bytes.Buffer
		cfg := Config{Config: api.Config{Tier: tier}}
		cfg.Stderr = &out
		in, err := p.NewInstance(ctx, cfg)
		if err != nil {
			t.Fatal(err)
		}
		if err := in.Run(ctx); err != nil {
			t.Fatal(err, out.String())
		}
		s := in.Stats()
		s.Stats, s.Instructions, s.InitInstructions = s.Repeatable(), 0, 0
		got[tier] = fmt.Sprintf("%s\n%+v", out.String(), s)
		blocks := in.Coverage()
		if counts == nil {
			counts = blocks
		} else if !slices.Equal(blocks, counts) {
			t.Errorf("without %v, %s: other counts", src.NoPass, tier)
		}
		in.Close()
	}
	return got, counts
}

// TestCoverLeavesCode compares the functions of programs with those of the same programs compiled
// with coverage, with the counting operations removed. They must be equal, before and after phase
// A.
func TestCoverLeavesCode(t *testing.T) {
	sources, covers := []Source{shapes(t)}, [][]string{shapePackages}
	for _, pkg := range strings.Fields(strings.ReplaceAll(*coverPackages, ",", " ")) {
		sources, covers = append(sources, Source{Patterns: []string{pkg}, Test: true}), append(covers, []string{pkg})
	}
	for i, src := range sources {
		for _, phaseA := range []bool{false, true} {
			want := lowered(t, src, phaseA)
			src.Cover = covers[i]
			got := lowered(t, src, phaseA)
			src.Cover = nil
			if len(got) != len(want) {
				t.Errorf("%d functions, want %d", len(got), len(want))
			}
			for name, text := range want {
				if got[name] != text {
					t.Errorf("%v, phase A %t: %s with coverage:\n%s\nwithout:\n%s", src.Patterns, phaseA, name, got[name], text)
				}
			}
		}
	}
}

// lowered returns the functions of a program as text, without counting operations.
func lowered(t *testing.T, src Source, phaseA bool) map[string]string {
	p, c := &Program{opt: &opt.Options{}}, &compilation{Source: src}
	_, err := p.frontEnd(context.Background(), c)
	if err == nil {
		err = gas.Place(p.mod)
	}
	if err == nil && phaseA {
		err = opt.PhaseA(p.mod, p.opt)
	}
	if err != nil {
		t.Fatal(err)
	}
	text := map[string]string{}
	for _, f := range p.mod.Funcs()[1:] {
		if f.Entry == nil {
			continue
		}
		// This count uses every value, so that CountOnly finds the values that nothing else uses,
		// in either program.
		all := f.NewValue(ir.OpCountIf, ir.Void)
		for _, b := range f.Blocks {
			all.Args = append(all.Args, b.Values...)
		}
		f.Entry.Append(all)
		only := f.CountOnly()
		for _, b := range f.Blocks {
			b.Values = slices.DeleteFunc(b.Values, func(v *ir.Value) bool { return v.IsCount() || only[v.ID] })
		}
		f.Renumber()
		text[f.Name] = f.String()
	}
	return text
}
