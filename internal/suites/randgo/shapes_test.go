package randgo

import (
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"
)

// TestValid: what is generated compiles.
func TestValid(t *testing.T) {
	fset := token.NewFileSet()
	var first error
	cfg := types.Config{Importer: importer.ForCompiler(fset, "source", nil), Error: func(err error) {
		if first == nil {
			first = err
		}
	}}
	for seed := range uint64(60) {
		p := Generate(*seed0+seed, minor)
		first = nil
		var files []*ast.File
		for _, text := range []string{p.Source(), Prelude([]*Program{p})} {
			f, err := parser.ParseFile(fset, p.Name, text, parser.SkipObjectResolution)
			if err != nil {
				t.Fatalf("seed %d: %v\n%s", seed, err, text)
			}
			files = append(files, f)
		}
		cfg.Check("main", fset, files, nil)
		if first != nil {
			t.Errorf("seed %d: %v", seed, first)
		}
	}
}
