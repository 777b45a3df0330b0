package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/state"
)

// A State is an instance between two calls, as data: pages of memory and sections, in the form that
// package state describes, under one root. It is the same on every machine and in every tier for
// all instances that have made the same calls. Gas used by rolled-back calls is not part of it.
//
// A store keeps it ([github.com/gyrvm/gyr/store]):
//
//	store.Commit(store.Change{Name: "bank", Seq: height, Tree: s.Tree, Sections: s.Sections, Page: s.Page})
//
// The caller owns Tree and Sections. Page may be called until the instance begins a transaction,
// makes another State, is reset or closed.
type State struct {
	Root     state.Hash
	Tree     state.Tree
	Sections []state.Section // in ascending order of their names

	e *engine.State
}

// Page returns the content of a page, which must not be changed; nil: zeros.
func (s *State) Page(number uint32) ([]byte, error) {
	return s.e.Page(number)
}

// State returns the present state of the instance. It initialises the program's packages if no call
// has done so. After the first one, it takes time for the memory that was written to since the
// last. It fails with a [*TransactionError] for the reasons of [Instance.Begin], while a
// transaction is open, while the guest holds handles, and if the program was compiled without
// [CompileOptions.State].
func (in *Instance) State(ctx context.Context) (*State, error) {
	s, err := in.engine().State(ctx)
	if err != nil {
		return nil, err
	}
	return &State{s.Root, s.Tree, s.Sections, s}, nil
}

// Compact makes the state of the instance no larger than what lives in it. It collects garbage as
// runtime.GC does, clears the memory of dead objects and gives free blocks back; nothing moves. The
// program's packages are initialised if no call has done so.
//
// Nothing else clears what is free, so that State takes time for what calls have written to. A
// state that is kept for long, or sent, is smaller after Compact: pages of zeros take no space.
// Compact is a transition like a call. All nodes of a chain make it at the same point, say every
// thousand blocks, or none. It costs gas of the instance, for the collection and for what is
// cleared; an instance that has too little left ends with an [*OutOfGasError]. In a transaction it
// is undone with it.
func (in *Instance) Compact(ctx context.Context) (CallStats, error) { return in.engine().Compact(ctx) }

// Restore makes an instance that goes on from a state whose root the host knows. The program must
// be the one that made the state, on any machine and in any tier, with the same functions of the
// host. The configuration again gives the instance what the host provides. Its limits of memory,
// stack and files, its arguments, environment and granted directories must be those of the instance
// that made the state. A [*StateError] says what does not fit or is damaged, a [*DeadlineError]
// that ctx has ended. No guest code has run by then.
//
// The root identifies the state for the host. A root that came from the sender of the state vouches
// for nothing: the instance may then hold whatever its author likes. It still stays within its
// sandbox and its limits.
func (p *Program) Restore(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Restore(ctx, c, root, saved)
	if err != nil {
		return nil, err
	}
	return &Instance{e: in}, nil
}

// Upgrade makes an instance that goes on from a state of the version of the program that
// [CompileOptions.Upgrades] names. It has the variables of that version and the functions of this
// one. Everything else is as with [Program.Restore].
//
// Types must be the same in both versions. So must the initial values of variables and the code
// that initialises packages, because nothing is initialised again. New variables have the values
// that the program gives them without a call. A function value of a named function becomes the new
// function of this name. Upgrade searches all of memory for values that the new version lacks or
// replaces: changed function literals, removed types. A [*ChangeError] inside the [*StateError]
// names what does not fit.
//
// Upgrade collects garbage, so it takes time for all of memory, and gas of the instance. States of
// the instance belong to this program, for Restore. All instances that are upgraded from equal
// states have equal states.
func (p *Program) Upgrade(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Upgrade(ctx, c, root, saved)
	if err != nil {
		return nil, err
	}
	return &Instance{e: in}, nil
}

// Saved returns the state in the form that Restore and Upgrade take. It is valid as long as Page
// may be called.
func (s *State) Saved() Saved { return present{s} }

type present struct{ s *State }

func (p present) Tree() state.Tree                   { return p.s.Tree }
func (p present) Sections() ([]state.Section, error) { return p.s.Sections, nil }

func (p present) ReadPage(number uint32, into []byte) error {
	b, err := p.s.Page(number)
	clear(into)
	copy(into, b)
	return err
}
