package randgo

import (
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"testing"

	"github.com/gyrvm/gyr/internal/release"
)

// TestValid: programs for a release compile with it, and programs for a later one use what the
// earlier release lacks.
func TestValid(t *testing.T) {
	fset := token.NewFileSet()
	std := importer.ForCompiler(fset, "source", nil)
	check := func(p *Program, minor int) (first error) {
		cfg := types.Config{Importer: std, GoVersion: fmt.Sprint("go1.", minor), Error: func(err error) {
			if first == nil {
				first = err
			}
		}}
		var files []*ast.File
		for _, text := range []string{p.Source(), Prelude([]*Program{p})} {
			f, err := parser.ParseFile(fset, p.Name, text, parser.SkipObjectResolution)
			if err != nil {
				return fmt.Errorf("%w\n%s", err, text)
			}
			files = append(files, f)
		}
		cfg.Check("main", fset, files, nil)
		return first
	}
	for seed := range uint64(60) {
		for of := release.OfMinor(26); of != nil && of.Minor <= minor; of = release.OfMinor(of.Minor + 1) {
			if err := check(Generate(*seed0+seed, of.Minor), of.Minor); err != nil {
				t.Errorf("seed %d for %s: %v", seed, of.Name(), err)
			}
		}
	}
	if minor < 27 {
		return
	}
	const some = 12
	older := 0
	for seed := range uint64(some) {
		if check(Generate(seed, 27), 26) != nil {
			older++
		}
	}
	if older < some/2 {
		t.Errorf("%d of %d programs need Go 1.27", older, some)
	}
}
