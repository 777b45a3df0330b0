package gyr

import (
	"context"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/state"
)

// A State is what an instance is between two calls, as data: pages of memory and sections, as package state describes them, under one root. It is
// the same on every machine, in every tier, for all instances that have come there by the same calls. Gas that was used by what was rolled back is no
// part of it.
//
// A store keeps it ([github.com/gyrvm/gyr/store]):
//
//	store.Commit(store.Change{Name: "bank", Seq: height, Tree: s.Tree, Sections: s.Sections, Page: s.Page})
//
// Tree and Sections are the caller's. Page may be called until the instance begins a transaction, makes another State, is reset or closed.
type State struct {
	Root     state.Hash
	Tree     state.Tree
	Sections []state.Section // in ascending order of their names

	e *engine.State
}

// Page returns the content of a page, which is not to be changed; nil: zeros.
func (s *State) Page(number uint32) ([]byte, error) {
	return s.e.Page(number)
}

// State returns what the instance is now. It initialises the program's packages if no call has done so. After the first one it takes time for the memory that was written to since
// the last. It fails with a [*TransactionError] like [Instance.Begin], also while a transaction is open, while the guest holds handles, and where the program was compiled without
// [CompileOptions.State].
func (in *Instance) State(ctx context.Context) (*State, error) {
	s, err := in.engine().State(ctx)
	if err != nil {
		return nil, err
	}
	return &State{s.Root, s.Tree, s.Sections, s}, nil
}

// Restore makes an instance that goes on from a state, of which the host knows the root. The program has to be the one that the state is of, on whatever
// machine and in whatever tier, with the same functions of the host. The configuration says again what the host gives to the instance; its limits of memory, stack and files, its
// arguments, environment and granted directories have to be those of the instance that the state is of. A [*StateError] says what does not fit or is damaged, a [*DeadlineError] that ctx has ended.
// Nothing has run then that the state says.
//
// The root is what a host knows a state by. One that it took from whoever sent the state vouches for nothing: the instance may then hold whatever its author likes, and stays within its sandbox and its limits all the same.
func (p *Program) Restore(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Restore(ctx, c, root, saved)
	if err != nil {
		return nil, err
	}
	return &Instance{in}, nil
}

// Upgrade makes an instance that goes on from a state of the version of the program that [CompileOptions.Upgrades] names, with the variables of that one and the
// functions of this. Everything else is as with [Program.Restore].
//
// Types have to be the same, and so do the values that variables have in the beginning and what initialises packages, since nothing is initialised again; variables
// that are new have the values that the program gives them without a call. A function value of a function with a name is one of the new function of this name. What
// memory must not hold, because the new version lacks it or has another in its place, is looked for in all of it: function literals that have
// changed, types that are gone. What does not fit is named by a [*ChangeError] inside of the [*StateError].
//
// Upgrade collects garbage, so it takes time for all of memory, and gas of the instance. States of the instance are those of this program, for Restore.
// All instances that are upgraded from equal states have equal ones.
func (p *Program) Upgrade(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	c, err := engine.ConfigOf(cfg)
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Upgrade(ctx, c, root, saved)
	if err != nil {
		return nil, err
	}
	return &Instance{in}, nil
}

// Saved returns the state as Restore and Upgrade take it, for as long as Page may be called.
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
