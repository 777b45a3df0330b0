package risk

import (
	"flag"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"golang.org/x/tools/txtar"
)

// A fixture is an archive in testdata. It has the parent's files under parent/, a risky change of
// them under candidate/, and a right one under clean/; files under both/ belong to all three. A
// comment "// want RULE …" in the candidate's line names the expected findings. Where no comment
// can be, the archive's comment has a line "want: RULE FILE:LINE". The clean change has no
// findings.
type fixture struct {
	parent, candidate, clean fstest.MapFS
	want                     []string
}

func readFixture(t *testing.T, file string) *fixture {
	a, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	f := &fixture{fstest.MapFS{}, fstest.MapFS{}, fstest.MapFS{}, nil}
	for line := range strings.Lines(string(a.Comment)) {
		if w, ok := strings.CutPrefix(line, "want: "); ok {
			rule, place, _ := strings.Cut(strings.TrimSpace(w), " ")
			f.want = append(f.want, place+" "+rule)
		}
	}
	for _, file := range a.Files {
		dir, name, _ := strings.Cut(file.Name, "/")
		entry := &fstest.MapFile{Data: file.Data}
		switch dir {
		case "both":
			f.parent[name], f.candidate[name], f.clean[name] = entry, entry, entry
		case "parent":
			f.parent[name] = entry
		case "candidate":
			f.candidate[name] = entry
		case "clean":
			f.clean[name] = entry
		default:
			t.Fatalf("%s: what is %s", file.Name, dir)
		}
		if dir != "candidate" {
			continue
		}
		n := 0
		for line := range strings.Lines(string(file.Data)) {
			n++
			if _, rules, ok := strings.Cut(line, "// want "); ok {
				for _, r := range strings.Fields(rules) {
					f.want = append(f.want, fmt.Sprintf("%s:%d %s", name, n, r))
				}
			}
		}
	}
	slices.Sort(f.want)
	return f
}

// differing are the names of the files in which two trees differ.
func differing(a, b fstest.MapFS) []string {
	names := map[string]bool{}
	for _, m := range []fstest.MapFS{a, b} {
		for name := range m {
			x, y := a[name], b[name]
			if x == nil || y == nil || string(x.Data) != string(y.Data) {
				names[name] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(names))
}

func lint(t *testing.T, l *Linter, parent, candidate fstest.MapFS) (*Report, []string) {
	t.Helper()
	r, err := l.Lint(Diff{parent, candidate, differing(parent, candidate)})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range r.Findings {
		got = append(got, fmt.Sprintf("%s:%d %s", f.File, f.Line, f.Rule))
	}
	slices.Sort(got)
	return r, got
}

// TestFixtures: each rule catches its planted change, and nothing in the change that does the same
// in a right way.
func TestFixtures(t *testing.T) {
	l := NewLinter("")
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	caught := map[string]bool{}
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".txtar")
		t.Run(name, func(t *testing.T) {
			f := readFixture(t, file)
			r, got := lint(t, l, f.parent, f.candidate)
			if !slices.Equal(got, f.want) {
				t.Errorf("found\n\t%s\nnot\n\t%s", strings.Join(got, "\n\t"), strings.Join(f.want, "\n\t"))
			}
			for _, f := range r.Findings {
				t.Logf("%s:%d: %s: %s", f.File, f.Line, f.Rule, f.Message)
				caught[f.Rule] = true
				rule := rules[slices.IndexFunc(rules, func(r Rule) bool { return r.Name == f.Rule })]
				if f.Blocking != rule.Blocking || !slices.Contains(r.Labels, rule.Label) || f.Message == "" {
					t.Errorf("%+v with labels %v", f, r.Labels)
				}
				for _, c := range rule.Checks {
					if !slices.Contains(r.Checks, c) {
						t.Errorf("%s does not ask for %s but for %v", f.Rule, c, r.Checks)
					}
				}
			}
			if len(f.clean) == 0 || slices.Equal(differing(f.parent, f.clean), nil) {
				t.Error("there is no clean counterpart")
			}
			r, got = lint(t, l, f.parent, f.clean)
			for i, g := range got {
				t.Errorf("the clean counterpart: %s: %s", g, r.Findings[i].Message)
			}
			// Old findings are not reported again.
			if _, got := lint(t, l, f.candidate, f.candidate); len(got) > 0 {
				t.Errorf("in no change: %v", got)
			}
		})
	}
	if t.Failed() {
		return
	}
	for _, r := range rules {
		if !caught[r.Name] {
			t.Errorf("no fixture is caught by %s", r.Name)
		}
		if r.Doc == "" || r.Label == "" || !strings.HasSuffix(r.Doc, ".") {
			t.Errorf("%s has no documentation", r.Name)
		}
	}
}

// TestBroken: code that does not parse, that imports unknown packages or itself, and a linter
// without a standard library are no errors.
func TestBroken(t *testing.T) {
	tree := func(text string) fstest.MapFS {
		return fstest.MapFS{"go.mod": {Data: []byte("module m\n")}, "p/p.go": {Data: []byte(text)}}
	}
	l := NewLinter("/no/such/directory")
	for _, text := range []string{"", "package", "package p\nfunc f(x []byte) { append(); x = append(); copy(); x[0] = }", "package p\nfunc f( {", "package p\nimport \"m/p\"\nvar x = p.x", "package p\nimport \"none.such/q\"\nfunc f() { q.F().G(q.H) }",
		"package p\nimport \"sync\"\nvar pool sync.Pool\nfunc f() []byte { b := pool.Get().([]byte); defer pool.Put(b); return b }"} {
		for _, parent := range []fstest.MapFS{tree("package p\n"), {}} {
			r, got := lint(t, l, parent, tree(text))
			if strings.Contains(text, "pool.Put") != r.Blocking() {
				t.Errorf("%q: %v", text, got)
			}
		}
	}
	var bad fs.FS = fstest.MapFS{"p/p.go/x": {}}
	if _, err := l.Lint(Diff{bad, bad, []string{"p/p.go"}}); err != nil {
		t.Log(err)
	}
}

var update = flag.Bool("update", false, "write the table of docs/research-risks.md anew")

// TestDocs: the table of rules in the documentation matches this one.
func TestDocs(t *testing.T) {
	const file = "../../../../docs/research-risks.md"
	var b strings.Builder
	b.WriteString("| rule | label | refuses | asks for | why |\n|---|---|---|---|---|\n")
	for _, r := range Rules() {
		refuses := ""
		if r.Blocking {
			refuses = "yes"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.Name, r.Label, refuses, strings.Join(r.Checks, ", "), r.Doc)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, _, ok := strings.Cut(string(text), "| rule |")
	if !ok {
		t.Fatalf("%s has no table of rules", file)
	}
	want := head + b.String()
	if *update {
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if string(text) != want {
		t.Errorf("%s is not of these rules: go test ./internal/lab/research/risk -run TestDocs -update", file)
	}
}

// FuzzLint: no code makes the lint fail. Its seeds are the fixtures' changes.
//
//fuzz:runs 2000
func FuzzLint(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		text := map[string][]byte{}
		for _, x := range a.Files {
			text[x.Name] = x.Data
		}
		f.Add(text["parent/p.go"], text["candidate/p.go"])
		f.Add(text["clean/p.go"], text["candidate/p.go"])
	}
	f.Fuzz(func(t *testing.T, parent, candidate []byte) {
		tree := func(text []byte) fstest.MapFS {
			return fstest.MapFS{"go.mod": {Data: []byte("module m\n")}, "p.go": {Data: text}}
		}
		l := NewLinter("/no/such/directory")
		if _, err := l.Lint(Diff{tree(parent), tree(candidate), []string{"p.go", "x.s"}}); err != nil {
			t.Error(err)
		}
	})
}
