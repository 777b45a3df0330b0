package load

import (
	"fmt"
	"go/ast"
	"go/build"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/front/load/directive"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
	"github.com/gyrvm/gyr/internal/front/load/target"
	"github.com/gyrvm/gyr/internal/release"
)

// installed returns the Go installation of the tests, and its release.
func installed(t *testing.T) (goroot string, r *release.Release) {
	t.Helper()
	goroot, version, err := gomod.FindGo("")
	if err != nil {
		t.Fatal(err)
	}
	return goroot, release.Of(version)
}

// stdFiles calls f with the .go files of GOROOT/src, except test files and those of commands.
func stdFiles(t *testing.T, f func(dir, name string)) {
	goroot, _ := installed(t)
	src := filepath.Join(goroot, "src")
	err := filepath.WalkDir(src, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() {
			if d.Name() == "testdata" || d.Name()[0] == '_' || path == filepath.Join(src, "cmd") {
				return fs.SkipDir
			}
			return nil
		}
		if strings.HasSuffix(path, ".go") {
			f(filepath.Dir(path), d.Name())
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestMatch compares the selection of files with that of go/build.
func TestMatch(t *testing.T) {
	_, r := installed(t)
	m := target.New(r, []string{"extra"})
	ctxt := build.Context{
		GOOS: target.OS, GOARCH: target.Arch, Compiler: "gc",
		BuildTags: []string{"purego", "math_big_pure_go", "extra"},
		ToolTags:  r.Tags,
	}
	for i := 1; i <= r.Minor; i++ {
		ctxt.ReleaseTags = append(ctxt.ReleaseTags, fmt.Sprintf("go1.%d", i))
	}
	n := 0
	stdFiles(t, func(dir, name string) {
		want, err := ctxt.MatchFile(dir, name)
		if err != nil {
			return
		}
		got := m.Name(name)
		if got {
			src, err := os.ReadFile(filepath.Join(dir, name))
			if err != nil {
				t.Fatal(err)
			}
			got, _ = m.Header(src)
		}
		if got != want {
			t.Errorf("%s/%s: %v, go/build says %v", dir, name, got, want)
		}
		n++
	})
	if n < 3000 {
		t.Errorf("only %d files seen", n)
	}
}

// TestRawDirectives checks the assumption of directive.OfText: in the standard library, lines that
// look like directives are comments. It checks the files of the target, and that their bases in the
// file set differ.
func TestRawDirectives(t *testing.T) {
	if testing.Short() {
		t.Skip("parses all of std")
	}
	_, r := installed(t)
	m := target.New(r, nil)
	bases := map[int]string{}
	stdFiles(t, func(dir, name string) {
		path := filepath.Join(dir, name)
		_, rel, _ := strings.Cut(filepath.ToSlash(path), "/src/")
		base := fileBase("std:" + rel)
		if bases[base] != "" {
			t.Errorf("%s and %s have the same base", rel, bases[base])
		}
		bases[base] = rel
		if !m.Name(name) || strings.HasSuffix(name, "_test.go") {
			return
		}
		src, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if ok, _ := m.Header(src); !ok || !strings.Contains(string(src), "//go:") {
			return
		}
		fset := token.NewFileSet()
		var f *ast.File
		if f, err = parser.ParseFile(fset, path, src, parser.ParseComments|parser.SkipObjectResolution); err != nil {
			t.Fatal(err)
		}
		raw, parsed := directive.OfText(src, fset.File(f.FileStart)), directive.OfComments(f)
		if fmt.Sprint(raw) != fmt.Sprint(parsed) {
			t.Errorf("%s: in the text %v, among the comments %v", rel, raw, parsed)
		}
	})
}
