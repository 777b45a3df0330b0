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
	b, err := s.e.Page(number)
	return b, public(err)
}

// State returns what the instance is now. It initialises the program's packages if no call has done so. After the first one it takes time for the memory that was written to since
// the last. It fails with a [*TransactionError] like [Instance.Begin], also while a transaction is open, while the guest holds handles, and where the program was compiled without
// [Source.State].
func (in *Instance) State(ctx context.Context) (*State, error) {
	s, err := in.engine().State(ctx)
	if err != nil {
		return nil, public(err)
	}
	return &State{s.Root, s.Tree, s.Sections, s}, nil
}

// Saved is a state that somebody has kept, such as a [github.com/gyrvm/gyr/store.Version]. What it returns need not be trusted:
// [Program.Restore] holds all of it against the root.
type Saved interface {
	Tree() state.Tree
	Sections() ([]state.Section, error)
	// ReadPage reads a page into a slice of [state.PageSize] bytes.
	ReadPage(number uint32, into []byte) error
}

// Restore makes an instance that goes on from a state, of which the host knows the root. The program has to be the one that the state is of, on whatever
// machine and in whatever tier, with the same functions of the host. The configuration says again what the host gives to the instance; its limits of memory, stack and files, its
// arguments, environment and granted directories have to be those of the instance that the state is of. A [*StateError] says what does not fit or is damaged, a [*DeadlineError] that ctx has ended.
// Nothing has run then that the state says.
//
// The root is what a host knows a state by. One that it took from whoever sent the state vouches for nothing: the instance may then hold whatever its author likes, and stays within its sandbox and its limits all the same.
func (p *Program) Restore(ctx context.Context, cfg Config, root state.Hash, saved Saved) (*Instance, error) {
	c, err := cfg.engine()
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Restore(ctx, c, root, saved)
	if err != nil {
		return nil, public(err)
	}
	return &Instance{in}, nil
}

// A StateError says why no instance is made of a state: it is not the one with the root, it is damaged, or it is that of another program or of an
// instance with other limits.
type StateError struct {
	What string // what does not fit: "root", "program", "host", "page 17", "tree", "sections", or the section that is wrong, such as "heap"; "state" of an upgrade
	Err  error
}

func (e *StateError) Error() string { return (&engine.StateError{What: e.What, Err: e.Err}).Error() }
func (e *StateError) Unwrap() error { return e.Err }

// Upgrade makes an instance that goes on from a state of the version of the program that [Source.Upgrades] names, with the variables of that one and the
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
	c, err := cfg.engine()
	if err != nil {
		return nil, err
	}
	in, err := p.engine().Upgrade(ctx, c, root, saved)
	if err != nil {
		return nil, public(err)
	}
	return &Instance{in}, nil
}

// A ChangeError names a difference between a program and the one that a state is of: the first one that is found, types before
// variables.
type ChangeError struct {
	What  string // "type bank.Account", "variable bank.accounts", "package bank", "function bank.F.func1", …
	Field string // of a struct type, or ""
	Was   string // type of the field or variable, or what the type is, in the state's program; "": it was not there
	Is    string // and in this one; "": it is not there
	Why   string // set in place of Was and Is: what else has changed
}

// Error returns one line, such as "type bank.Account: field Balance was int64, is uint64".
func (e *ChangeError) Error() string { return (*engine.ChangeError)(e).Error() }

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
