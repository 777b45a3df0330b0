package engine

import (
	"slices"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// This file has what the commands of this module can see of a compilation, a program and a run, and
// embedders cannot.

// A View is a compiled program from the inside.
type View struct {
	Mod *ir.Module
	// Prepare optimises a function, once, before it is compiled. Until then its body may be on
	// disk.
	Prepare func(*ir.Func) error
	// GOROOT is the Go installation whose sources the program was compiled with, as Source.GOROOT.
	GOROOT string
	// Checked says that memory contents may not match their types, so machine code has to check
	// what it reads.
	Checked bool
}

// An Observer sees passes at work; see opt.Options.
type Observer struct {
	Dump  func(pass string, f *ir.Func)
	Log   func(opt.Event)
	Watch func(*ir.Func) bool
}

// View returns the inside of a program.
func (p *Program) View() View {
	return View{Mod: p.mod, GOROOT: p.goroot, Checked: p.isChecked(), Prepare: func(f *ir.Func) error {
		if err := p.bodyOf(f); err != nil || f.Entry == nil {
			return err
		}
		return p.readyOf(f).prepare(f, nil)
	}}
}

// Inputs returns the files that were read for a program in a cache, and nil for other programs.
func (p *Program) Inputs() []filetree.Input {
	if p.disk == nil {
		return nil
	}
	list := slices.Clip(p.disk.inputs())
	for l := p.base; l != nil; l = l.below {
		list = append(list, l.inputs...)
	}
	return list
}
