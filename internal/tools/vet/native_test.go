package vet

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// TestNative compares findings in planted mistakes with those of the go command, for each analyzer.
func TestNative(t *testing.T) {
	dir := plant(t)
	src := source(t)
	var names []string
	for _, part := range []string{dir, filepath.Join(dir, "stdversion")} {
		want := native(t, part, "./...")
		got := ours(t, src, part, "./...")
		compare(t, want, got)
		again := ours(t, src, part, "./...")
		compare(t, want, again)
		if part == dir {
			names = analyzers(t, src)
			for _, name := range names {
				if name != "stdversion" && name != "cgocall" && name != "framepointer" && !strings.Contains(strings.Join(got, "\n"), "["+name+"]") {
					t.Errorf("no finding of %s", name)
				}
			}
		}
	}
	compare(t, native(t, filepath.Join(dir, "files"), "a.go", "b.go"), ours(t, src, filepath.Join(dir, "files"), "a.go", "b.go"))
}

var allSubsets = flag.Bool("subsets", false, "compare findings in all of subsets, not in a part of them each day")

// TestNativeModules compares findings in a few packages that this module depends on.
func TestNativeModules(t *testing.T) {
	if testing.Short() {
		t.Skip("it analyses other modules")
	}
	src := source(t)
	for _, x := range daily.Part(t, subsets, 3, *allSubsets) {
		out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", x.module).Output()
		dir := strings.TrimSpace(string(out))
		if err != nil || dir == "" {
			t.Logf("%s is not in the module cache", x.module)
			continue
		}
		at := filepath.Join(dir, filepath.FromSlash(x.folder))
		want, err := nativeOf(at, "./...")
		if err != nil {
			t.Logf("%s: go vet: %v", at, err)
			continue
		}
		compare(t, want, ours(t, src, at, "./..."))
		t.Logf("%s/%s: %d findings", x.module, x.folder, len(want))
	}
}

// subsets are the folders of modules that need no other module.
var subsets = []struct{ module, folder string }{
	{"golang.org/x/mod", ""}, {"golang.org/x/sys", "cpu"}, {"golang.org/x/sys", "execabs"}, {"golang.org/x/tools", "go/ast"},
	{"golang.org/x/tools", "txtar"}, {"golang.org/x/tools", "internal/stdlib"}, {"github.com/rogpeppe/go-internal", "par"},
	{"github.com/rogpeppe/go-internal", "cache"}, {"github.com/rogpeppe/go-internal", "diff"},
}

// plant writes the planted mistakes.
func plant(t *testing.T) string {
	a, err := txtar.ParseFile("testdata/planted.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range a.Files {
		name := filepath.Join(dir, filepath.FromSlash(f.Name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// source returns a source whose cache has no findings yet. The suite is compiled once for all
// tests.
func source(t *testing.T) engine.Source {
	if _, _, err := engine.FindGo(""); err != nil {
		t.Skip("no Go installation: ", err)
	}
	return engine.Source{Cache: filepath.Join(cacheDir, "cache")}
}

// analyzers returns the names of all analyzers.
func analyzers(t *testing.T, src engine.Source) (names []string) {
	v, err := New(Options{Source: src})
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	flags, err := v.Flags(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range flags {
		if f.Analyzer() {
			names = append(names, f.Name)
		}
	}
	if len(names) < 35 {
		t.Errorf("%d analyzers: %v", len(names), names)
	}
	return names
}

func native(t *testing.T, dir string, patterns ...string) []string {
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("no go command to compare with: ", err)
	}
	list, err := nativeOf(dir, patterns...)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// nativeOf returns the findings of go vet, for gyr's target.
func nativeOf(dir string, patterns ...string) ([]string, error) {
	cmd := exec.Command("go", append([]string{"vet", "-json", "-tags=purego,math_big_pure_go"}, patterns...)...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0", "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, stderr.Bytes())
	}
	return spelled(out)
}

// vetted analyses packages.
func vetted(t *testing.T, o Options, dir string, patterns ...string) ([]Result, Stats) {
	t.Helper()
	o.Source.Dir, o.Source.Patterns = dir, patterns
	list, _, err := engine.List(context.Background(), o.Source)
	if err != nil {
		t.Fatal(err)
	}
	v, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	results, err := v.Packages(context.Background(), list)
	if err != nil {
		t.Fatal(err)
	}
	return results, v.Stats()
}

// ours returns the findings of this package.
func ours(t *testing.T, src engine.Source, dir string, patterns ...string) []string {
	t.Helper()
	results, _ := vetted(t, Options{Source: src}, dir, patterns...)
	var b bytes.Buffer
	for i := range results {
		if results[i].Err != nil {
			t.Fatalf("%s: %v", results[i].Path, results[i].Err)
		}
		b.Write(results[i].JSON)
	}
	lines, err := spelled(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// spelled returns a line for each finding in JSON, sorted.
func spelled(out []byte) (lines []string, err error) {
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var tree map[string]map[string][]json.RawMessage
		if err := d.Decode(&tree); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("%w in %s", err, out)
		}
		for unit, analyzers := range tree {
			for name, list := range analyzers {
				for _, x := range list {
					var b bytes.Buffer
					json.Compact(&b, x)
					lines = append(lines, fmt.Sprintf("%s [%s] %s", unit, name, b.Bytes()))
				}
			}
		}
	}
	slices.Sort(lines)
	return lines, nil
}

func compare(t *testing.T, want, got []string) {
	t.Helper()
	for _, x := range want {
		if !slices.Contains(got, x) {
			t.Errorf("not found: %s", x)
		}
	}
	for _, x := range got {
		if !slices.Contains(want, x) {
			t.Errorf("go vet does not find: %s", x)
		}
	}
}

// TestUsual compares the analyzers of gyr test with those that the installation's go command runs
// in go test.
func TestUsual(t *testing.T) {
	goroot, _, err := engine.FindGo("")
	if err != nil {
		t.Skip("no Go installation: ", err)
	}
	f, err := parser.ParseFile(token.NewFileSet(), filepath.Join(goroot, "src/cmd/go/internal/test/test.go"), nil, 0)
	if err != nil {
		t.Skip("no sources of the go command: ", err)
	}
	names := map[string]string{"-bool": "-bools", "-buildtags": "-buildtag"} // older names of two
	var want []string
	for _, x := range f.Scope.Lookup("defaultVetFlags").Decl.(*ast.ValueSpec).Values[0].(*ast.CompositeLit).Elts {
		name, _ := strconv.Unquote(x.(*ast.BasicLit).Value)
		want = append(want, cmp.Or(names[name], name))
	}
	if got := UsualForTest("").Flags; !slices.Equal(want, got) {
		t.Errorf("gyr test has %v\nwant %v", got, want)
	}
}
