package engine

import (
	"context"

	"github.com/gyrvm/gyr/internal/front/load"
)

// ErrPlanned ends a compilation whose Source.Plan asks for that.
var ErrPlanned = load.ErrPlanned

// Check loads a package, which need not be a main package, and everything that it imports. The
// error is that of Compile if the package does not compile.
func Check(ctx context.Context, src Source) (err error) {
	ctx = orBackground(ctx)
	c := &compilation{Source: src}
	defer c.recover(&err)
	if c.Base, err = c.base(); err != nil {
		return err
	}
	c.stage("loading")
	cfg := c.load()
	cfg.Any = true
	if c.Base != nil {
		cfg.Library = c.Base.library(c.Progress)
	}
	_, err = withSources(c, cfg, func(cfg load.Options) (*load.Packages, error) { return load.Load(ctx, cfg) })
	if err != nil {
		return compileError(ctx, err)
	}
	return ctx.Err()
}

// List returns the packages that the patterns of a source name, and the patterns that match
// nothing.
func List(ctx context.Context, src Source) (list []load.Listed, unmatched []string, err error) {
	ctx = orBackground(ctx)
	c := &compilation{Source: src}
	cfg := c.load()
	type result struct {
		list      []load.Listed
		unmatched []string
	}
	r, err := withSources(c, cfg, func(cfg load.Options) (r result, err error) {
		r.list, r.unmatched, err = load.List(ctx, cfg)
		return r, err
	})
	if err != nil {
		return nil, nil, compileError(ctx, err)
	}
	return r.list, r.unmatched, nil
}
