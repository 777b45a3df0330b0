package vet

import (
	"context"
	"errors"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// List finds the packages that patterns name. Packages of the standard library need the sources of a Go installation; the
// base of a std file is taken out of the source then.
func List(ctx context.Context, src *engine.Source, patterns []string) (list []load.Listed, unmatched []string, err error) {
	cfg := load.Options{Dir: src.Dir, Patterns: patterns, Tags: src.Tags, GOROOT: src.GOROOT, FS: src.FS, Std: src.Base.Std(),
		Moved: src.Moved}
	list, unmatched, err = load.List(ctx, cfg)
	if need := (*load.SourcesError)(nil); errors.As(err, &need) {
		if err := src.Base.WithoutStd(need.What); err != nil {
			return nil, nil, err
		}
		cfg.Std, src.Base = nil, nil
		return load.List(ctx, cfg)
	}
	return list, unmatched, err
}
