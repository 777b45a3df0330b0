package lab_test

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write testdata/surface.txt")

const (
	module = "github.com/gyrvm/gyr"
	list   = "testdata/surface.txt"
)

// TestSurface compares the names that the lab uses of the core's packages with
// testdata/surface.txt. Methods and fields come with their types. Tests may use more names.
func TestSurface(t *testing.T) {
	used := map[string]map[string]bool{} // names by package
	err := filepath.WalkDir(".", func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), "_")):
			return fs.SkipDir
		case filepath.Ext(file) == ".go" && !strings.HasSuffix(file, "_test.go"):
			return addNames(used, file)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, pkg := range slices.Sorted(maps.Keys(used)) {
		for _, name := range slices.Sorted(maps.Keys(used[pkg])) {
			got = append(got, pkg+" "+name)
		}
	}
	if *update {
		if err := os.WriteFile(list, []byte(strings.Join(got, "\n")+"\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	text, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	want := strings.Split(strings.TrimSpace(string(text)), "\n")
	for _, name := range got {
		if !slices.Contains(want, name) {
			t.Errorf("the lab uses %s, which %s does not list: use what it lists, or go test ./internal/lab -update", name, list)
		}
	}
	for _, name := range want {
		if !slices.Contains(got, name) {
			t.Errorf("%s lists %s, which the lab does not use: go test ./internal/lab -update", list, name)
		}
	}
}

// addNames adds the names of the core's packages that a Go file uses.
func addNames(used map[string]map[string]bool, file string) error {
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
	if err != nil {
		return err
	}
	imports := map[string]string{} // packages by their name in the file
	for _, spec := range f.Imports {
		long, err := strconv.Unquote(spec.Path.Value)
		if err != nil {
			return err
		}
		if long != module && !strings.HasPrefix(long, module+"/") || strings.HasPrefix(long, module+"/internal/lab/") {
			continue
		}
		name, pkg := path.Base(long), strings.TrimPrefix(strings.TrimPrefix(long, module), "/")
		if pkg == "" {
			pkg = "."
		}
		if spec.Name != nil {
			name = spec.Name.Name
		}
		switch {
		case name == ".":
			return fmt.Errorf("%s imports all names of %s", file, pkg)
		case used[pkg] == nil:
			used[pkg] = map[string]bool{}
		}
		if name == "_" {
			used[pkg]["_"] = true
			continue
		}
		imports[name] = pkg
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if s, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := s.X.(*ast.Ident); ok && x.Obj == nil && imports[x.Name] != "" {
				used[imports[x.Name]][s.Sel.Name] = true
			}
		}
		return true
	})
	return nil
}
