package proof

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A Package holds the file names of a package, or of its external tests, which are a package of
// their own.
type Package struct {
	Path  string
	Files []string
}

// Files finds the files of the packages that patterns name, and of their tests, that belong to the
// build. For a package that cannot be loaded it returns the files that were found; compiling it
// reports the error.
func Files(ctx context.Context, o load.Options) ([]Package, error) {
	listed, _, err := load.List(ctx, o)
	if err != nil {
		return nil, err
	}
	units, err := load.LoadUnits(ctx, o, listed)
	if err != nil {
		return nil, err
	}
	defer units.Close()
	var list []Package
	for _, u := range units.Roots {
		p := Package{Path: u.Path}
		for _, s := range u.Sources {
			p.Files = append(p.Files, s.Name)
		}
		list = append(list, p)
	}
	return list, nil
}

// Find finds the benchmarks of the package whose test binary a source names.
func Find(ctx context.Context, src *engine.Source) (list []*Benchmark, err error) {
	pkgs, err := Files(ctx, load.Options{Dir: src.Dir, Patterns: src.Patterns, Tags: src.Tags, Settings: src.Settings,
		GOROOT: src.GOROOT, FS: src.FS, Modules: src.Modules})
	var files []string
	for _, p := range pkgs {
		files = append(files, p.Files...)
	}
	return Parse(files, src.Settings.Replace), err
}
