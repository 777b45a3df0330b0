package engine

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// TestSettingsAreRead checks that each setting is read by some code other than the code that passes
// it on. A field counts as read where its name is selected and not assigned to.
func TestSettingsAreRead(t *testing.T) {
	debug := read(t, []string{"*.go", "../run/rt/*.go", "../../cmd/gyr/*.go"}, "debug.go")
	config := read(t, []string{"*.go", "../run/rt/*.go", "../run/wasi/*.go"}, "debug.go")
	for i := range debugSettings { // Debug.tells reads those about machine code
		if s := &debugSettings[i]; s.of == ofCode {
			var d Debug
			*s.flag(&d) = true
			for j, v := 0, reflect.ValueOf(d); j < v.NumField(); j++ {
				if f := v.Field(j); f.Kind() == reflect.Bool && f.Bool() {
					debug[v.Type().Field(j).Name] = true
				}
			}
		}
	}
	for _, c := range []struct {
		of  reflect.Type
		has map[string]bool
	}{
		{reflect.TypeFor[Debug](), debug}, {reflect.TypeFor[rt.Debug](), debug},
		{reflect.TypeFor[Config](), config}, {reflect.TypeFor[rt.Setup](), config}, {reflect.TypeFor[wasi.Setup](), config}, {reflect.TypeFor[api.Config](), config},
		{reflect.TypeFor[Source](), config}, {reflect.TypeFor[api.BaseConfig](), config}, {reflect.TypeFor[api.CallOptions](), config},
		{reflect.TypeFor[api.HostPackage](), config}, {reflect.TypeFor[api.HostFunc](), config},
	} {
		for i := range c.of.NumField() {
			if f := c.of.Field(i); !f.Anonymous && !c.has[f.Name] {
				t.Errorf("nobody reads %s of %s: it has no effect", f.Name, c.of)
			}
		}
	}
}

// read returns the names that files select without assigning to them. The file except is ignored.
func read(t *testing.T, patterns []string, except string) map[string]bool {
	names := map[string]bool{}
	for _, pattern := range patterns {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("%s: %d files, %v", pattern, len(files), err)
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || file == except {
				continue
			}
			tree, err := parser.ParseFile(token.NewFileSet(), file, nil, 0)
			if err != nil {
				t.Fatal(err)
			}
			written := map[ast.Node]bool{}
			ast.Inspect(tree, func(n ast.Node) bool {
				switch n := n.(type) {
				case *ast.AssignStmt:
					for _, x := range n.Lhs {
						written[x] = true
					}
				case *ast.SelectorExpr:
					if !written[n] {
						names[n.Sel.Name] = true
					}
				}
				return true
			})
		}
	}
	return names
}
