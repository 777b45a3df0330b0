package engine

import (
	"context"

	"github.com/gyrvm/gyr/internal/front/load"
)

// A CoverBlock is a part of a source file whose statements are executed one after the
// other, as in the profiles of go test. Lines and columns begin at 1; the end is exclusive.
type CoverBlock struct {
	Package             string // import path
	File                string // the package's path and the file's name, or its full name if it is of no package
	StartLine, StartCol int
	EndLine, EndCol     int
	Stmts               int    // how many statements begin in the block
	Count               uint64 // how often it was executed
}

// Coverage returns the blocks of the packages that [Source.Cover] named, with how often each was
// executed in the run so far. Functions that initialise package variables count too, although they
// may have run when the program was compiled. The list is empty while the instance is in use or
// closed.
func (in *Instance) Coverage() (list []CoverBlock) {
	in.look(func(uint32) { list = in.CoveredWithin() })
	return list
}

// CoveredWithin is Coverage for callers that have taken the instance, and for functions that its own
// run calls.
func (in *Instance) CoveredWithin() []CoverBlock {
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

func coverBlocks(blocks []load.CoverBlock) []CoverBlock {
	list := make([]CoverBlock, len(blocks))
	for i, b := range blocks {
		list[i] = CoverBlock{b.Package, b.File, b.StartLine, b.StartCol, b.EndLine, b.EndCol, b.Stmts, 0}
	}
	return list
}

// CoverBlocks returns the blocks that a program would have, without compiling it. If Test is set they
// are those of the test binary.
func CoverBlocks(ctx context.Context, src Source) ([]CoverBlock, error) {
	ctx = orBackground(ctx)
	cfg := src.load()
	if src.Base.Std() != nil {
		cfg.Library = src.Base.library(nil)
	}
	blocks, err := withSources(&src, cfg, func(cfg load.Options) ([]load.CoverBlock, error) { return load.CoverBlocks(ctx, cfg) })
	if err != nil {
		return nil, compileError(ctx, err)
	}
	return coverBlocks(blocks), nil
}
