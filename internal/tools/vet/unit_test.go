package vet

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/go/analysis"

	"github.com/gyrvm/gyr/internal/engine"
)

// TestPanic shows that an analyzer that panics has an error that names it, that those that require it have the same one,
// and that the others go on.
func TestPanic(t *testing.T) {
	src := source(t)
	src.Dir = t.TempDir()
	for name, text := range map[string]string{
		"go.mod": "module m\n\ngo 1.26\n",
		"a.go":   "package m\n\nimport \"fmt\"\n\nfunc F() { fmt.Printf(\"%d\", \"x\") }\n",
	} {
		if err := os.WriteFile(filepath.Join(src.Dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	list, _, err := List(context.Background(), &src, nil)
	if err != nil {
		t.Fatal(err)
	}
	bad := &analysis.Analyzer{Name: "bad", Run: func(*analysis.Pass) (any, error) { panic("no") }}
	needs := &analysis.Analyzer{Name: "needs", Requires: []*analysis.Analyzer{bad}, Run: bad.Run}
	o := Options{Source: src, Analyzers: []string{"printf"}}
	r := newRun(context.Background(), &o)
	r.list, r.makers = o.chosen()
	r.list = append([]*analysis.Analyzer{bad, needs}, r.list...)
	if r.units, err = engine.Units(context.Background(), src, list); err != nil {
		t.Fatal(err)
	}
	defer r.units.Close()
	if err := r.all(&Stats{}); err != nil {
		t.Fatal(err)
	}
	var said []string
	for _, x := range r.result(r.byUnit[r.units.Roots[0]]).Reports {
		what := "finds something"
		if x.Err != nil {
			what = x.Err.Error()
		}
		said = append(said, x.Analyzer+": "+what)
	}
	const failed = "internal error while running analyzer bad on m: no (a bug of gyr, not of the program)"
	want := "bad: " + failed + "\nneeds: " + failed + "\nprintf: finds something"
	if got := strings.Join(said, "\n"); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestPosition shows that positions survive being written, whatever the name of the file.
func TestPosition(t *testing.T) {
	for _, p := range []Position{{"a.go", 1, 2}, {"/a:3/b.go", 10, 20}, {"", 0, 0}, {"c:4", 1, 1}} {
		data, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var q Position
		if err := json.Unmarshal(data, &q); err != nil || q != p && p.File != "" {
			t.Errorf("%v became %v: %v", p, q, err)
		}
	}
}
