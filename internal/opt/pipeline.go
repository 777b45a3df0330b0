// Package opt optimises the IR in two phases.
//
// Phase A decides every allocation: it inlines, finds what does not escape and replaces memory by
// scalars. It works on a whole module, before anything runs. What it leaves is the definition of
// the program: which objects there are, how large frames are, and so when memory and stack limits
// are reached. Every tier therefore runs after the same phase A, and a change of its results needs
// a new determinism version. Phase B only makes code faster. All allocations and host calls stay,
// in their order, and each sees the same gas total. It runs over one function at a time, when that
// is first called.
//
// A pass is a function over one [ir.Func], in a file of its own; only phase A has passes over the
// module. pipeline.go has the order of the passes and the reasons for it. Passes keep four rules:
//
//   - Gas: on every path from the entry to an observable effect (a call, a trap, an allocation, a
//     loop header), the sum of charges stays as lowered.
//   - Pointers: an address stays within the object that its base points to, since the collector
//     follows live addresses. No pass computes an address before the check that proves the index.
//   - Determinism: nothing depends on time, maps or addresses of the host; budgets are counted in
//     operations.
//   - Recovery: a function that defers calls has a recovery block, where it resumes after a
//     recovered panic. No SSA name reaches that block. Everything that it reads stays in memory.
//
// # Where things are
//
//   - Phase A, allocations: phasea.go has the order of its steps; callgraph.go (callees before
//     callers), inline.go, escape.go (what escapes), capture.go and capturerewrite.go (captured
//     variables by value), frame.go (objects become locals), buffer.go (buffers in the frame for
//     objects that the runtime would make), strings.go (concatenations and conversions), sroa.go
//     (locals become SSA names).
//   - Algebra: simplify.go applies the rules of rules/*.rules, which go generate turns into
//     rules_generated.go (rule.go); evalconst.go computes constants.
//   - Facts and checks: prove.go removes checks that cannot fail, and decides branches. Its facts
//     are ranges and known bits (narrow.go, from package facts), inequalities between values
//     (inequality.go) and loop counters (counter.go). facts.go describes one operation alone.
//   - Memory: loads.go (forwarding), compares.go (equal comparisons of bytes), combine.go
//     (neighbouring bytes), moves.go (copies), deadlocals.go (dead writes to locals).
//   - Control: cfg.go (branches and blocks), switch.go, licm.go (loop-invariant code), unroll.go
//     (copies of loops), gvn.go (equal operations), dce.go, gasmerge.go (charges of a block).
//   - For all passes: edit.go has the state of a function while a pass runs, ssa.go makes SSA names
//     of variables, base.go keeps what phase A found about functions of the precompiled standard
//     library, log.go records decisions for gyr disasm -why, stop.go cancels phase B, ledger.go
//     verifies that simplify changes nothing outside its rules, metering.go leaves out charges to
//     measure what they cost.
//
// The package is large because every pass edits functions through the same state, and a pass is one
// file.
package opt

import (
	"fmt"
	"slices"
	"sort"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/cancel"
	"github.com/gyrvm/gyr/internal/ir"
)

// Options select and observe passes. The zero value runs all of them.
type Options struct {
	// NoPass names passes that do not run. "all", "phasea" and "phaseb" name groups, and Metering
	// names the charges.
	NoPass map[string]bool
	// Tests says that the program is a test binary. Loops in files of tests stay as lowered: their
	// rounds may be what a benchmark counts.
	Tests bool
	// Base is what phase A needs to know about the base of a module that has one.
	Base *Base
	// Verify runs the verifier after each pass, and keeps a ledger of the rules of simplify.
	Verify bool
	// Applied, if not nil, is called with the name of each rule that a verified simplify applies.
	Applied func(rule string)
	// Dump, if not nil, is called before the first pass of a phase (with the phase's name) and
	// after each pass that ran.
	Dump func(pass string, f *ir.Func)
	// Trace, if not nil, is called with the time that each pass took.
	Trace func(pass string, f *ir.Func, d time.Duration)
	// Stop, if not nil, is called regularly during phase A, and during phase B of a large function.
	// When it returns true, the phase ends soon, with cancel.ErrStopped. A function in phase B is
	// then unchanged; a module in phase A is useless.
	Stop func() bool
	// Log, if not nil, gets the decisions of passes about the functions that Watch selects (nil:
	// all).
	Log   func(Event)
	Watch func(*ir.Func) bool

	current *ir.Func // in phase A: the function of the current pass
}

// A pass is one step over one function.
type pass struct {
	name  string
	run   func(*state)
	cheap bool // of phase B: runs over large functions too
}

// cleanup is what phase A runs between its decisions. Its passes have names of their own so that
// phase B's can be switched off independently.
//
//   - sroa first: it turns memory into SSA names, which all other passes see through.
//   - early-simplify before early-graph: folded conditions decide branches; sroa's phis of equal
//     values vanish.
//   - early-dce last: it removes unused allocations, and the inliner and the escape analysis count
//     the rest.
var cleanup = []pass{
	{name: "sroa", run: scalarReplace},
	{name: "early-simplify", run: simplifyEarly},
	{name: "early-graph", run: simplifyGraph},
	{name: "early-dce", run: deadAllocations},
}

// phaseB is the pipeline of a function at its first execution.
//
//   - simplify, gvn, loads, gvn: loads needs one name for each address, and the loads that it
//     merges make more operations equal. moves precedes loads, which follows moves of memory but
//     not copies word by word.
//   - prove after them: a length must have one name before a check against it can be found
//     redundant. simplify and graph then clean up what is decided.
//   - gvn again: what prove and graph removed brings equal operations under one dominator.
//   - unroll when checks that never fail are gone and operations have their final number. It cleans
//     up after itself. No pass after it moves a charge to another block.
//   - combine after the last pass that removes checks, when addresses have one name.
//   - switch after graph, which threads the jumps between comparisons, and after gvn, which gives
//     the compared values one name.
//   - deadlocals after the last pass that replaces loads; dce then removes the operands of the
//     dropped writes.
//   - hoist after dce, so that nothing dead leaves a loop.
//   - gas last: blocks have their final size.
//
// A function above a budget ([ir.Func.Large]) gets only the cheap passes, which visit its
// operations and nothing far away. gvn does the same there.
//
// Two transformations are missing on purpose. Loops are not rotated (docs/negative-results.md).
// Divisions by constants are left to the back ends, which replace them where it pays: in the
// interpreter each operation of the replacement costs as much as the division.
var phaseB = []pass{
	{name: "simplify", run: simplify, cheap: true},
	{name: "gvn", run: gvn, cheap: true},
	{name: "moves", run: fuseMoves},
	{name: "loads", run: forwardLoads},
	{name: "compares", run: reuseCompares},
	{name: "gvn", run: gvn},
	{name: "prove", run: prove},
	{name: "simplify", run: simplify},
	{name: "graph", run: simplifyGraph, cheap: true},
	{name: "gvn", run: gvn},
	{name: "unroll", run: unroll},
	{name: "combine", run: combineMemory},
	{name: "switch", run: formSwitches},
	{name: "deadlocals", run: deadLocals},
	{name: "dce", run: deadCode, cheap: true},
	{name: "hoist", run: hoist},
	{name: "gas", run: mergeGas, cheap: true},
}

// enabled reports whether a pass is to run.
func (c *Options) enabled(name, group string) bool {
	return !c.NoPass[name] && !c.NoPass[group] && !c.NoPass["all"]
}

// Passes lists the names of all passes of a phase ("phasea" or "phaseb") in the order of their
// first run.
func Passes(phase string) []string {
	if phase == "phasea" {
		return append([]string{"capture", "noreturn", "bytestring", "concat", "zeros", "inline", "devirtualise", "escape"},
			names(cleanup)...)
	}
	return names(phaseB)
}

// run runs passes in order.
func (s *state) run(passes []pass, group string) error {
	for _, p := range passes {
		if err := s.runPass(p, group); err != nil {
			return err
		}
	}
	return nil
}

func (s *state) runPass(p pass, group string) error {
	if !s.cfg.enabled(p.name, group) {
		return nil
	}
	var start time.Time
	if s.cfg.Trace != nil {
		start = time.Now()
	}
	var before census
	if s.log {
		before = s.census()
	}
	if group == "phasea" {
		s.cfg.current = s.f // a copy that belongs to phase A
	}
	s.step(cancel.Every)
	p.run(s)
	if s.log {
		s.removed(p.name, before)
	}
	if s.cfg.Trace != nil {
		s.cfg.Trace(p.name, s.f, time.Since(start))
	}
	if s.cfg.Verify {
		if err := ir.Verify(s.f); err != nil {
			return fmt.Errorf("opt: after pass %s: %w", p.name, err)
		}
		if s.unnamed != "" {
			return fmt.Errorf("opt: pass %s: %s", p.name, s.unnamed)
		}
	}
	if s.cfg.Dump != nil {
		s.cfg.Dump(p.name, s.f)
	}
	return nil
}

// Check reports a name in NoPass that is neither a pass nor a group.
func (c *Options) Check() error {
	known := map[string]bool{"all": true, "phasea": true, "phaseb": true, Metering: true}
	for _, phase := range []string{"phasea", "phaseb"} {
		for _, name := range Passes(phase) {
			known[name] = true
		}
	}
	var bad []string
	for name, off := range c.NoPass {
		if off && !known[name] {
			bad = append(bad, name)
		}
	}
	if len(bad) == 0 {
		return nil
	}
	sort.Strings(bad)
	return fmt.Errorf("opt: no pass named %s", strings.Join(bad, ", "))
}

// PhaseB optimises one function of a module that went through phase A. Functions of one module may
// be optimised concurrently; the module's tables are only read.
func PhaseB(f *ir.Func, cfg *Options) error {
	if cfg == nil {
		cfg = &Options{}
	}
	s := newState(f, cfg)
	return s.untilStopped(s.phaseB)
}

func (s *state) phaseB() error {
	f, cfg := s.f, s.cfg
	s.dropUnreachable()
	if cfg.NoPass[Metering] {
		dropCharges(s)
	}
	if cfg.Dump != nil {
		cfg.Dump("phaseb", f)
	}
	passes := phaseB
	if f.Large() {
		passes = cheap()
	}
	err := s.run(passes, "phaseb")
	f.ExpandCounts()
	return err
}

// cheap are the passes of phase B for large functions.
func cheap() []pass {
	return slices.DeleteFunc(slices.Clone(phaseB), func(p pass) bool { return !p.cheap })
}

// Cheap lists the names of the passes of phase B that large functions get.
func Cheap() []string { return names(cheap()) }

// names lists the names of passes, without duplicates.
func names(list []pass) []string {
	var names []string
	for _, p := range list {
		if !slices.Contains(names, p.name) {
			names = append(names, p.name)
		}
	}
	return names
}
