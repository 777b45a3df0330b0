package engine

import (
	"context"

	"github.com/gyrvm/gyr/internal/front/load"
)

// Units loads packages for analysis, those in list and what they import, with the types of the standard library that the
// source's base supplies. With a cache it notes what was read (load.Units.Inputs).
func Units(ctx context.Context, src Source, list []load.Listed) (*load.Units, error) {
	ctx = orBackground(ctx)
	if src.Cache != "" {
		src.inputs = &load.Inputs{}
	}
	cfg := src.load()
	if src.Base != nil {
		cfg.Library = &library{base: src.Base, progress: src.Progress}
	}
	u, err := withSources(&src, cfg, func(cfg load.Options) (*load.Units, error) { return load.LoadUnits(ctx, cfg, list) })
	if err != nil {
		return nil, compileError(ctx, err)
	}
	return u, nil
}
