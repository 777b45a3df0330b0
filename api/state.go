package api

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/state"
)

// Saved is a state that somebody has kept, such as a [github.com/gyrvm/gyr/store.Version]. What it returns need
// not be trusted: [Program.Restore] checks all of it against the root.
type Saved interface {
	Tree() state.Tree
	Sections() ([]state.Section, error)
	// ReadPage reads a page into a slice of [state.PageSize] bytes.
	ReadPage(number uint32, into []byte) error
}

// A StateError says why no instance is made of a state: it is not the one with the root, it is damaged, or
// it is that of another program or of an instance with other limits.
type StateError struct {
	What string // what does not fit: "root", "program", "host", "page 17", "tree", "sections", or the section that is wrong, such as "heap"; "state" of an upgrade
	Err  error
}

func (e *StateError) Error() string { return fmt.Sprintf("gyr: Restore: %s: %v", e.What, e.Err) }
func (e *StateError) Unwrap() error { return e.Err }

// A ChangeError names a difference between a program and the one that a state is of: the first one that is
// found, types before variables.
type ChangeError struct {
	What  string // "type bank.Account", "variable bank.accounts", "package bank", "function bank.F.func1", …
	Field string // of a struct type, or ""
	Was   string // type of the field or variable, or what the type is, in the state's program; "": it was not there
	Is    string // and in this one; "": it is not there
	Why   string // set in place of Was and Is: what else has changed
}

// Error returns one line, such as "type bank.Account: field Balance was int64, is uint64".
func (e *ChangeError) Error() string {
	text := e.What
	if e.Field != "" {
		text += ": field " + e.Field
	}
	switch {
	case e.Why != "":
		text += ": " + e.Why
	case e.Was == "":
		text += " is new"
	case e.Is == "":
		text += " is gone"
	case e.Field != "":
		text += " was " + e.Was + ", is " + e.Is
	default:
		text += ": was " + e.Was + ", is " + e.Is
	}
	return printable.Line(text)
}
