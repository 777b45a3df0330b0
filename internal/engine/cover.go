package engine

import (
	"context"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/front/load"
)

// Coverage returns the blocks of the packages that [Source.Cover] named, with the number of
// executions in the run so far. Functions that initialise package variables count too, although
// they may have run when the program was compiled. The list is empty while the instance is in use
// or closed.
func (in *Instance) Coverage() (list []api.CoverBlock) {
	in.look(func(uint32) { list = in.CoveredWithin() })
	return list
}

// CoveredWithin is Coverage for callers that have taken the instance, and for functions that its
// own run calls.
func (in *Instance) CoveredWithin() []api.CoverBlock {
	counts, err := in.vm.Space.Counters(len(in.prog.cover))
	if err != nil {
		return nil
	}
	list := coverBlocks(in.prog.cover)
	for i, n := range counts {
		list[i].Count = n
	}
	return list
}

func coverBlocks(blocks []load.CoverBlock) []api.CoverBlock {
	list := make([]api.CoverBlock, len(blocks))
	for i, b := range blocks {
		list[i] = api.CoverBlock{Package: b.Package, File: b.File, StartLine: b.StartLine, StartCol: b.StartCol, EndLine: b.EndLine, EndCol: b.EndCol, Stmts: b.Stmts, Count: 0}
	}
	return list
}

// CoverBlocks returns the blocks that a program would have, without compiling it. If Test is set
// they are those of the test binary.
func CoverBlocks(ctx context.Context, src Source) ([]api.CoverBlock, error) {
	ctx = orBackground(ctx)
	c := &compilation{Source: src}
	cfg := c.load()
	if src.Base.Std() != nil {
		cfg.Library = src.Base.library(nil)
	}
	blocks, err := withSources(c, cfg, func(cfg load.Options) ([]load.CoverBlock, error) { return load.CoverBlocks(ctx, cfg) })
	if err != nil {
		return nil, compileError(ctx, err)
	}
	return coverBlocks(blocks), nil
}
