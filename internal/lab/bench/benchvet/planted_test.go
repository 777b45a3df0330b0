package benchvet_test

import (
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // compiles the standard library once
)

const planted = "../testdata/planted"

// wanted reads the codes from the comments of the benchmarks in a file of the suite.
func wanted(t *testing.T, name string) map[string][]string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(planted, name), nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	want := map[string][]string{}
	for _, d := range f.Decls {
		d, ok := d.(*ast.FuncDecl)
		if !ok || !proof.IsBenchmark(d, "testing") {
			continue
		}
		for line := range strings.Lines(d.Doc.Text()) {
			if rest, ok := strings.CutPrefix(line, "want "); ok {
				want[d.Name.Name] = strings.Fields(rest)
			}
		}
		if want[d.Name.Name] == nil {
			t.Errorf("%s: %s does not say what it wants", name, d.Name.Name)
		}
	}
	return want
}

// TestPlanted finds every mistake of the planted suite that source and proof can show, and accuses
// no sound benchmark.
func TestPlanted(t *testing.T) {
	found := map[string][]string{} // codes by benchmark
	why := map[string][]string{}
	add := func(name, code, text string) {
		if !slices.Contains(found[name], code) {
			found[name] = append(found[name], code)
		}
		why[name] = append(why[name], code+": "+text)
	}
	ctx := context.Background()
	pkgs, err := proof.Files(ctx, load.Options{Dir: planted, Patterns: []string{"."}})
	if err != nil {
		t.Fatal(err)
	}
	var statics []record.Static
	for _, p := range pkgs {
		list, _ := benchvet.Files(p.Path, p.Files)
		statics = append(statics, list...)
	}
	for _, s := range statics {
		name, ok := strings.CutPrefix(s.Bench, "planted.")
		if !ok {
			t.Errorf("%s: %s of no benchmark: %s", s.Place, s.Code, s.Text)
			continue
		}
		add("Benchmark"+name, s.Code, s.Place+": "+s.Text)
	}
	results, err := proof.Of(ctx, engine.Source{Dir: planted, Patterns: []string{"."}, Test: true}, nil)
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for _, r := range results {
		known[r.Func] = known[r.Func] || r.Unknown == ""
		for _, d := range proof.Diagnose(&r.Proof) {
			add(r.Func, d.Code, d.Evidence)
		}
	}
	broken, sound := wanted(t, "broken_test.go"), wanted(t, "sound_test.go")
	maps.Copy(sound, wanted(t, "bold_test.go"))
	if len(broken) < 20 || len(sound) < 20 {
		t.Errorf("%d broken benchmarks and %d sound ones: there should be 20 at least", len(broken), len(sound))
	}
	for name, codes := range broken {
		for _, code := range codes {
			if !slices.Contains(found[name], code) {
				t.Errorf("%s is not caught with %s: %q", name, code, why[name])
			}
		}
	}
	// Mistakes that only a run shows look right in the source.
	for name, codes := range wanted(t, "timing_test.go") {
		if why[name] != nil || len(codes) == 0 {
			t.Errorf("%s, which wants %q, is accused before it runs: %q", name, codes, why[name])
		}
	}
	for name, codes := range sound {
		if !slices.Equal(codes, []string{"nothing"}) {
			t.Errorf("%s: a sound benchmark that wants %q", name, codes)
		}
		if why[name] != nil {
			t.Errorf("%s is accused: %q", name, why[name])
		}
		if !known[name] {
			t.Errorf("%s: nothing is known of its loop", name)
		}
	}
}
