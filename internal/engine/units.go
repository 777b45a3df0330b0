package engine

import (
	"context"

	"github.com/gyrvm/gyr/internal/front/load"
)

// Units loads packages for analysis: those in list and their imports. They come from a Go
// installation. Packages of the standard library that programs can import are named without being
// loaded, unless list has them.
func Units(ctx context.Context, src Source, list []load.Listed) (*load.Units, error) {
	ctx = orBackground(ctx)
	c := &compilation{Source: src}
	c.Base = nil
	cfg := c.load()
	cfg.Library = &library{pkgs: layersIn(src.GOROOT)}
	u, err := load.LoadUnits(ctx, cfg, list)
	if err != nil {
		return nil, compileError(ctx, err)
	}
	return u, nil
}
