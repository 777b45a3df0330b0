package opt

import (
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/failure"
	"github.com/gyrvm/gyr/internal/ir"
)

// PhaseA optimises a whole module as far as allocations depend on it: callees
// before callers, so that each function sees its callees in their final form.
//
//  1. The cleanup passes bring every function out of the shape of go/ssa, and
//     captured variables that are never reassigned go into the closures by value.
//  2. Code after a call of a function that never returns is removed.
//  3. Strings: conversions that only serve reading are removed, concatenations are
//     joined.
//  4. Inlining, in rounds: an inlined body can make the target of a call of a
//     function value known, for example a literal that was passed down.
//  5. Escape analysis moves objects into the frame, where scalar replacement
//     dissolves most of them. A second round finds what that uncovers: the
//     captured variables of a closure that has disappeared. Function values that
//     were kept in such an object are known now, and calls of them inlined.
//
// For a module that continues a base ([ir.Module.Base]) it optimises the module's own functions;
// its facts about the base's come from Options.Base. The order stays callees first: functions of a
// base call none of a program's.
func PhaseA(m *ir.Module, cfg *Options) error {
	_, err := phaseA(m, cfg)
	return err
}

// newPhaseA is newState for phase A. A stopped phase A leaves nothing behind.
func newPhaseA(f *ir.Func, cfg *Options) *state {
	s := newState(f, cfg)
	s.meter.Stop = cfg.Stop
	failure.At("phase A")
	return s
}

func phaseA(m *ir.Module, cfg *Options) (in *inliner, err error) {
	if cfg == nil {
		cfg = &Options{}
	}
	own := *cfg
	cfg = &own
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stopped:
			in, err = nil, cancel.ErrStopped
		default:
			in, err = nil, failure.New("optimising", r, failure.Of(cfg.current))
		}
	}()
	if m.Base != nil && cfg.Base == nil {
		return nil, errors.New("opt: the module continues a base, and nothing is known of that")
	}
	for _, f := range m.Own() {
		if f.Entry == nil {
			continue
		}
		f.Flags &^= ir.NoReturn // found here, whatever an image says
		s := newPhaseA(f, cfg)
		s.dropUnreachable()
		if cfg.Dump != nil {
			cfg.Dump("phasea", f)
		}
		if err := s.clean(); err != nil {
			return nil, err
		}
	}
	if err := capturePass(m, cfg); err != nil {
		return nil, err
	}
	in = newInliner(m, cfg.Base)
	in.findStringFuncs()
	in.findMakers()
	in.takeConcat()
	for _, scc := range components(m, in.makers) {
		if err := in.component(scc, cfg); err != nil {
			return nil, err
		}
	}
	return in, in.err
}

// capturePass runs captureByValue, the one pass over all functions at once.
func capturePass(m *ir.Module, cfg *Options) error {
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
		if err := newPhaseA(f, cfg).clean(); err != nil {
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
func (in *inliner) component(scc []*ir.Func, cfg *Options) error {
	states := make([]*state, len(scc))
	budgets := make([]int, len(scc))
	for i, f := range scc {
		s := newPhaseA(f, cfg)
		states[i] = s
		for _, p := range in.idioms(s) {
			s.changed = false
			if err := s.runPass(p, "phasea"); err != nil {
				return err
			}
		}
		budgets[i] = max(inlineGrowth, 10*s.f.NumOps())
		if err := in.inlineRounds(s, true, &budgets[i]); err != nil {
			return err
		}
	}
	if cfg.enabled("escape", "phasea") {
		for round := 0; round < escapeRounds; round++ {
			in.escapeSummaries(states)
			moved := false
			for i, s := range states {
				s.changed = false
				if err := s.runPass(pass{name: "escape", run: in.moveToFrame}, "phasea"); err != nil {
					return err
				}
				if !s.changed {
					continue
				}
				moved = true
				if err := s.clean(); err != nil {
					return err
				}
				if err := in.inlineRounds(s, false, &budgets[i]); err != nil {
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
		if s.log {
			in.logCalls(s)
		}
	}
	return nil
}

// idioms returns the passes over calls as lowered that have work in a function: they join
// conversions of strings, and remove code after calls that never return.
func (in *inliner) idioms(s *state) []pass {
	var stops, converts, concats, copies bool
	for _, b := range s.f.Blocks {
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpCall:
				stops = stops || v.Fn.Flags&ir.NoReturn != 0
				converts = converts || v.Fn == in.str.bytesToString || v.Fn == in.str.stringToBytes
				concats = concats || v.Fn == in.str.concat2
			case ir.OpMove, ir.OpMoveN:
				copies = copies || in.makesZeros(v.Args[1])
			}
		}
	}
	var list []pass
	add := func(need bool, name string, run func(*state)) {
		if need {
			list = append(list, pass{name: name, run: run})
		}
	}
	add(stops, "noreturn", cutCalls)
	add(converts, "bytestring", in.elideConversions)
	add(concats, "concat", in.foldConcat)
	add(copies, "zeros", in.clearInstead)
	return list
}

// inlineRounds inlines until no new target becomes known. first says that no call was considered
// before.
func (in *inliner) inlineRounds(s *state, first bool, budget *int) error {
	for round := 0; round < inlineRounds; round++ {
		s.changed = false
		err := s.runPass(pass{name: "inline", run: func(s *state) { in.inlineCalls(s, first && round == 0, budget) }},
			"phasea")
		if err != nil {
			return err
		}
		inlined := s.changed
		if err := s.runPass(pass{name: "devirtualise", run: in.devirtualise}, "phasea"); err != nil {
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

// clean runs the cleanup passes until no local can be replaced any more: a local whose address was
// kept in another can be replaced only once that one is gone.
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
