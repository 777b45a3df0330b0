package opt

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/ir"
)

// PhaseA optimises a whole module as far as allocations depend on it: callees
// before callers, so that each function sees its callees in their final form.
//
//  1. The cleanup passes bring every function out of the shape of go/ssa, and
//     captured variables that nobody assigns go into the closures by value.
//  2. Strings: conversions that only serve to read go, concatenations are joined.
//  3. Inlining, in rounds: an inlined body can make the target of a call of a
//     function value known, a literal that was passed down, say.
//  4. Escape analysis moves objects into the frame, where scalar replacement
//     dissolves most of them. A second round finds what that uncovers: the
//     captured variables of a closure that is gone.
func PhaseA(m *ir.Module, cfg *Config) error {
	if cfg == nil {
		cfg = &Config{}
	}
	for _, f := range m.Funcs[1:] {
		if f.Entry == nil {
			continue
		}
		s := newState(f, cfg)
		s.dropUnreachable()
		if cfg.Dump != nil {
			cfg.Dump("phasea", f)
		}
		if err := s.clean(); err != nil {
			return err
		}
	}
	if err := capturePass(m, cfg); err != nil {
		return err
	}
	in := newInliner(m)
	in.findStringFuncs()
	for _, scc := range components(m) {
		if err := in.component(scc, cfg); err != nil {
			return err
		}
	}
	return nil
}

// capturePass runs captureByValue, the one pass over all functions at once.
func capturePass(m *ir.Module, cfg *Config) error {
	if !cfg.enabled("capture", "phasea") {
		return nil
	}
	for _, f := range captureByValue(m) {
		if cfg.Verify {
			if err := ir.Verify(f); err != nil {
				return fmt.Errorf("opt: after pass capture: %w", err)
			}
		}
		if cfg.Dump != nil {
			cfg.Dump("capture", f)
		}
		if err := newState(f, cfg).clean(); err != nil {
			return err
		}
	}
	return nil
}

const (
	inlineRounds = 4
	escapeRounds = 3
)

// component takes a component of the call graph through phase A.
func (in *inliner) component(scc []*ir.Func, cfg *Config) error {
	states := make([]*state, len(scc))
	for i, f := range scc {
		s := newState(f, cfg)
		states[i] = s
		for _, p := range []pass{{"bytestring", in.elideConversions}, {"concat", in.foldConcat}} {
			s.changed = false
			if err := s.runPass(p, "phasea"); err != nil {
				return err
			}
		}
		if err := in.inlineRounds(s); err != nil {
			return err
		}
	}
	if cfg.enabled("escape", "phasea") {
		for round := 0; round < escapeRounds; round++ {
			in.escapeSummaries(states)
			moved := false
			for _, s := range states {
				s.changed = false
				if err := s.runPass(pass{"escape", in.moveToFrame}, "phasea"); err != nil {
					return err
				}
				if !s.changed {
					continue
				}
				moved = true
				if err := s.clean(); err != nil {
					return err
				}
			}
			if !moved {
				break
			}
		}
	}
	for _, s := range states {
		in.summarise(s.f, len(scc) > 1)
	}
	return nil
}

// inlineRounds inlines until no new target becomes known.
func (in *inliner) inlineRounds(s *state) error {
	budget := max(inlineGrowth, 10*s.f.NumOps())
	for round := 0; round < inlineRounds; round++ {
		s.changed = false
		err := s.runPass(pass{"inline", func(s *state) { in.inlineCalls(s, round == 0, &budget) }}, "phasea")
		if err != nil {
			return err
		}
		inlined := s.changed
		if err := s.runPass(pass{"devirtualise", devirtualise}, "phasea"); err != nil {
			return err
		}
		if !s.changed {
			break
		}
		if !inlined {
			break
		}
		if err := s.clean(); err != nil {
			return err
		}
	}
	return nil
}

// clean runs the cleanup passes until no local can be replaced any more: a
// local whose address was kept in another becomes one only after that is gone.
func (s *state) clean() error {
	for round := 0; round < 3; round++ {
		n := len(s.f.Locals)
		if err := s.run(cleanup, "phasea"); err != nil {
			return err
		}
		if len(s.f.Locals) == n || len(s.f.Locals) == 0 {
			break
		}
	}
	return nil
}
