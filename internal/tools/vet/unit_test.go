package vet

import (
	"context"
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// module writes files, and a go.mod if files has none.
func module(t *testing.T, files map[string]string) (dir string) {
	dir = t.TempDir()
	if files["go.mod"] == "" {
		files["go.mod"] = "module m\n\ngo 1.26\n"
	}
	for name, text := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// messages returns findings and errors.
func messages(results []Result) (list []string) {
	for _, r := range results {
		if r.Err != nil {
			list = append(list, r.Path+": "+r.Err.Error())
		}
		for _, analyzers := range r.Tree {
			for _, name := range slices.Sorted(maps.Keys(analyzers)) {
				for _, f := range analyzers[name].Findings {
					list = append(list, name+": "+f.Message)
				}
			}
		}
	}
	return list
}

func expect(t *testing.T, results []Result, want ...string) {
	t.Helper()
	if got := messages(results); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

const (
	caller  = "package m\n\nimport \"m/wrap\"\n\nfunc F() { wrap.Say(\"%d\", \"x\") }\n"
	wrapper = "package wrap\n\nimport \"fmt\"\n\nfunc Say(format string, args ...any) { fmt.Printf(format, args...) }\n"
	plain   = "package wrap\n\nfunc Say(format string, args ...any) {}\n"
	wrong   = `printf: m/wrap.Say format %d has arg "x" of wrong type string`
)

// TestFactsFollowImports: a package whose import changed is analysed again with the import's new
// facts, and nothing is analysed twice.
func TestFactsFollowImports(t *testing.T) {
	o := Options{Source: source(t)}
	dir := module(t, map[string]string{"a.go": caller, "wrap/wrap.go": plain})
	results, _ := vetted(t, o, dir)
	expect(t, results)
	write := func(name, text string) {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("wrap/wrap.go", wrapper)
	results, stats := vetted(t, o, dir)
	expect(t, results, wrong)
	if stats.Analysed < 2 {
		t.Errorf("%d packages were analysed, want both", stats.Analysed)
	}
	if results, stats = vetted(t, o, dir); stats.Analysed != 0 {
		t.Errorf("%d packages were analysed that had not changed", stats.Analysed)
	}
	expect(t, results, wrong)
	write("a.go", caller+"// A comment.\n")
	if results, stats = vetted(t, o, dir); stats.Analysed != 1 {
		t.Errorf("%d packages were analysed, want the one that changed", stats.Analysed)
	}
	expect(t, results, wrong)
	write("wrap/wrap.go", plain) // as at first
	if results, stats = vetted(t, o, dir); stats.Analysed != 1 {
		t.Errorf("%d packages were analysed, want the one that is not as it was", stats.Analysed)
	}
	expect(t, results)
}

// TestFlagsAreInKeys: findings with some flags are not returned for others.
func TestFlagsAreInKeys(t *testing.T) {
	src := source(t)
	dir := module(t, map[string]string{"a.go": "package m\n\nfunc F() int {\n\treturn 1\n\tMine(\"%d\", \"x\")\n\treturn 2\n}\n\nfunc Mine(string, ...any) {}\n"})
	results, _ := vetted(t, Options{Source: src}, dir)
	expect(t, results, "unreachable: unreachable code")
	results, _ = vetted(t, Options{Source: src, Flags: []string{"-printf"}}, dir)
	expect(t, results)
	results, _ = vetted(t, Options{Source: src, Flags: []string{"-printf", "-printf.funcs=Mine"}}, dir)
	if got := messages(results); len(got) != 0 && !strings.HasPrefix(got[0], "printf: ") {
		t.Errorf("got %q", got)
	}
}

// TestOverlay: an overlay replaces a file, in the package and in one that it imports.
func TestOverlay(t *testing.T) {
	src := source(t)
	dir := module(t, map[string]string{"a.go": caller, "wrap/wrap.go": plain, "other": wrapper})
	src.Settings = load.Settings{Replace: map[string]string{filepath.Join(dir, "wrap", "wrap.go"): filepath.Join(dir, "other")}}
	results, _ := vetted(t, Options{Source: src}, dir)
	expect(t, results, wrong)
	src.Settings = load.Settings{}
	results, _ = vetted(t, Options{Source: src}, dir)
	expect(t, results)
}

// TestBroken: the errors of packages that do not compile, and of packages that import them.
func TestBroken(t *testing.T) {
	dir := module(t, map[string]string{
		"types/a.go": "package types\n\nvar X int = \"\"\n", "syntax/a.go": "package syntax\n\nfunc {\n",
		"uses/a.go": "package uses\n\nimport \"m/types\"\n\nvar Y = types.X\n", "missing/a.go": "package missing\n\nimport \"m/nothing\"\n\nvar Z = nothing.X\n",
		"hidden/a.go": "package hidden\n\nimport \"fmt\"\n\nvar X = fmt.newPrinter\n", "no_test.go": "package m\n",
	})
	results, _ := vetted(t, Options{Source: source(t)}, dir, "./...")
	var b strings.Builder
	p := &Printer{W: &b, Dir: dir, Context: -1}
	for i := range results {
		p.Print(&results[i])
	}
	const want = `# m/hidden
vet: hidden/a.go:5:13: undefined: fmt.newPrinter
missing/a.go:3:8: no required module provides package m/nothing; to add it: go get m/nothing
# m/syntax
vet: syntax/a.go:3:6: expected 'IDENT', found '{'
# m/types
vet: types/a.go:3:13: cannot use "" (untyped string constant) as int value in variable declaration
`
	if b.String() != want {
		t.Errorf("got\n%s\nwant\n%s", b.String(), want)
	}
}

// TestFutureGo: a module for a later release is refused as elsewhere.
func TestFutureGo(t *testing.T) {
	src := source(t)
	src.Dir = module(t, map[string]string{"go.mod": "module m\n\ngo 1.99\n", "a.go": "package m\n"})
	_, _, err := engine.List(context.Background(), src)
	if err == nil || !strings.Contains(err.Error(), "1.99") {
		t.Errorf("got %v", err)
	}
}

// TestDamagedTypes: types that the guest cannot read are an error of its package, and no crash.
func TestDamagedTypes(t *testing.T) {
	src := source(t)
	src.Dir = module(t, map[string]string{"a.go": "package m\n\nimport \"fmt\"\n\nfunc F() { fmt.Println() }\n"})
	v, err := New(Options{Source: src})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	list, _, err := engine.List(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	units, err := engine.Units(context.Background(), src, list)
	if err != nil {
		t.Fatal(err)
	}
	defer units.Close()
	for _, bad := range []string{"", "\x01", "\xff\xff\xff\xff\xff\xff\xff\xff\x7f", "\x00\x01\x00\x00"} {
		_, err = v.suite.analyse(context.Background(), units, units.Roots[0], map[string]*made{"fmt": {types: []byte(bad)}}, nil, false)
		if broken := (*BrokenError)(nil); !errors.As(err, &broken) || !strings.Contains(broken.Text, "could not import fmt") {
			t.Errorf("%q: got %v", bad, err)
		}
	}
}

// TestInterrupted: a caller that is interrupted does not interrupt others that need the same
// package.
func TestInterrupted(t *testing.T) {
	src := source(t)
	src.Cache = ""
	src.Dir = module(t, map[string]string{"a.go": caller, "wrap/wrap.go": wrapper})
	v, err := New(Options{Source: src})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	v.suite = newSuite(&engine.Source{Cache: filepath.Join(cacheDir, "cache")})
	list, _, err := engine.List(context.Background(), src)
	if err != nil {
		t.Fatal(err)
	}
	for _, after := range []time.Duration{0, time.Millisecond, 50 * time.Millisecond} {
		ctx, cancel := context.WithCancel(context.Background())
		time.AfterFunc(after, cancel)
		done := make(chan error)
		go func() {
			_, err := v.Packages(ctx, list)
			done <- err
		}()
		results, err := v.Packages(context.Background(), list)
		if err != nil {
			t.Fatal(err)
		}
		expect(t, results, wrong)
		<-done
		cancel()
	}
}

// TestAnswers compares the replaced declarations of folder unitchecker with the release's
// declarations of the same names.
func TestAnswers(t *testing.T) {
	goroot, _, err := engine.FindGo("")
	if err != nil {
		t.Skip("no Go installation: ", err)
	}
	names := func(file string) map[string]bool {
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		all := map[string]bool{}
		for _, d := range f.Decls {
			for _, name := range load.Declared(d) {
				all[name] = true
			}
			if g, ok := d.(*ast.GenDecl); ok {
				for _, s := range g.Specs {
					if s, ok := s.(*ast.TypeSpec); ok {
						all[s.Name.Name] = true
					}
				}
			}
		}
		return all
	}
	std := names(filepath.Join(goroot, "src", filepath.FromSlash(answersFor), "unitchecker.go"))
	for _, file := range []string{"hooks.go", "gyrread.go", "gyrwrite.go"} {
		for name := range names(filepath.Join("unitchecker", file)) {
			hook := slices.Contains([]string{"makeTypesImporter", "exportFacts", "exportTypes"}, name)
			own := strings.HasPrefix(strings.ToLower(name), "gyr") || strings.HasPrefix(name, "newGyr")
			if hook != std[name] || !hook && !own {
				t.Errorf("%s declares %s: of the release is %t, to be replaced %t", file, name, std[name], hook)
			}
		}
	}
}

// TestFiles: the files of a guest are a file system.
func TestFiles(t *testing.T) {
	var f files
	for _, name := range []string{"/a/b/c.go", "/a/b/d.go", "/a/e.go", "/z/y"} {
		f.add(name, []byte(name))
	}
	if err := fstest.TestFS(f.tops["a"], "b/c.go", "b/d.go", "e.go"); err != nil {
		t.Error(err)
	}
	if len(f.mounts()) != 2 {
		t.Errorf("%d mounts", len(f.mounts()))
	}
}

// TestPosition: the parts of a position in JSON.
func TestPosition(t *testing.T) {
	for text, want := range map[string]Position{
		"a.go:1:2": {"a.go", 1, 2}, "/a:3/b.go:10:20": {"/a:3/b.go", 10, 20}, "a.go:7": {"a.go", 7, 0}, "-": {"-", 0, 0}, "": {},
	} {
		var p Position
		if err := json.Unmarshal([]byte(`"`+text+`"`), &p); err != nil || p != want || p.String() != text {
			t.Errorf("%s became %v, %v", text, p, err)
		}
	}
}

// TestChoice: flags are passed on under their current names, each once.
func TestChoice(t *testing.T) {
	var c Choice
	flags := []Flag{{"printf", true, "enable printf analysis"}, {"bools", true, "enable bools analysis"},
		{"bool", true, "deprecated alias for -bools"}, {"printf.funcs", false, "names"}}
	for _, set := range []struct {
		flag  int
		value string
	}{{0, "true"}, {2, "1"}, {1, "false"}, {3, "a,b"}} {
		if err := c.Flag(flags[set.flag]).Set(set.value); err != nil {
			t.Fatal(err)
		}
	}
	want := []string{"-bools=false", "-printf.funcs=a,b", "-printf=true"}
	if got := c.Flags(); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if c.Flag(flags[0]).Set("maybe") == nil {
		t.Error("maybe is a bool")
	}
	if (&Flag{"V", true, "print version and exit"}).Chooses() {
		t.Error("-V chooses something")
	}
}
