package api

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/printable"
	"github.com/gyrvm/gyr/state"
)

// Saved is a stored state, such as a [github.com/gyrvm/gyr/store.Version]. Its results need not be
// trusted: [Program.Restore] checks all of them against the root.
type Saved interface {
	Tree() state.Tree
	Sections() ([]state.Section, error)
	// ReadPage reads a page into a slice of [state.PageSize] bytes.
	ReadPage(number uint32, into []byte) error
}

// A StateError says why no instance can be made from a state: it does not have the root, it is
// damaged, or it belongs to another program or to an instance with other limits.
type StateError struct {
	What string // what does not fit: "root", "program", "host", "page 17", "tree", "sections", or the section that is wrong, such as "heap"; "state" for an upgrade
	Err  error
}

func (e *StateError) Error() string { return fmt.Sprintf("gyr: Restore: %s: %v", e.What, e.Err) }
func (e *StateError) Unwrap() error { return e.Err }

// A ChangeError names the first difference between a program and the program of a state. Types are
// compared before variables.
type ChangeError struct {
	What  string // "type bank.Account", "variable bank.accounts", "package bank", "function bank.F.func1", …
	Field string // field of a struct type, or ""
	Was   string // type of the field or variable, or the kind of the type, in the state's program; "": absent there
	Is    string // the same in this program; "": absent
	Why   string // set instead of Was and Is: another change
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
