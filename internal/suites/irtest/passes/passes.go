// Package passes lists the sets of passes of phase B that tests of the tiers compare with one
// another.
package passes

import (
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/opt"
)

// A Set is a selection of phase B's passes, with or without phase A before them.
type Set struct {
	Name   string
	cfg    opt.Options
	phaseA bool
}

// None and All are the sets without any pass and with all passes.
var (
	None = set("no pass", opt.Passes("phaseb")...)
	All  = set("phase B")
)

// Whole are two sets: phase A alone, which changes allocations and calls, and both phases.
var Whole = []Set{
	{"phase A", None.cfg, true},
	{"both phases", All.cfg, true},
}

// Each returns the sets that lack one pass, and those that consist of one pass.
func Each() (list []Set) {
	names := opt.Passes("phaseb")
	for _, name := range names {
		list = append(list, set("phase B without "+name, name))
	}
	for i, name := range names {
		list = append(list, set(name+" alone", slices.Delete(slices.Clone(names), i, i+1)...))
	}
	return list
}

// Number returns the set with a number: one in four is None, one in two All, and the others are
// those of Each in turns.
func Number(i int) Set {
	switch i % 4 {
	case 0:
		return None
	case 1, 3:
		return All
	}
	each := Each()
	return each[i/4%len(each)]
}

func set(name string, without ...string) Set {
	s := Set{Name: name, cfg: opt.Options{NoPass: map[string]bool{}}}
	for _, p := range without {
		s.cfg.NoPass[p] = true
	}
	return s
}

// Prepare prepares a function for compilation, as a program does: it fixes what the passes may not
// change and runs them.
func (s Set) Prepare(f *ir.Func, _ <-chan struct{}) error { return s.Run(f, false) }

// RunModule runs the passes over all functions of a module; with verify the verifier runs after
// each pass.
func (s Set) RunModule(mod *ir.Module, verify bool) error {
	if s.phaseA {
		if err := opt.PhaseA(mod, &opt.Options{Verify: verify}); err != nil {
			return err
		}
	}
	for _, f := range mod.Funcs()[1:] {
		if err := s.Run(f, verify); err != nil {
			return err
		}
	}
	return nil
}

// Run is Prepare; with verify the verifier runs after each pass.
func (s Set) Run(f *ir.Func, verify bool) error {
	f.FixRoots()
	f.FixFrame()
	cfg := s.cfg
	cfg.Verify = verify
	return opt.PhaseB(f, &cfg)
}
