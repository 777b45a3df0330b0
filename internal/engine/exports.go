package engine

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/internal/ir"
)

// An Export is an exported function of a library.
type Export = ir.Export

// Exports lists the functions that [Instance.Call] can call, in the order of the source: the exported functions of the package,
// without methods. It is empty unless the program was compiled with [Source.Exports].
func (p *Program) Exports() []Export { return p.exports(true) }

// Uncallable lists the other exported functions, with the reason why they cannot be called.
func (p *Program) Uncallable() []Export { return p.exports(false) }

func (p *Program) exports(callable bool) (list []Export) {
	for _, x := range p.mod.Exports {
		if (x.Refusal == "") == callable {
			x.Params, x.ParamTypes, x.ResultTypes = slices.Clone(x.Params), slices.Clone(x.ParamTypes), slices.Clone(x.ResultTypes)
			list = append(list, x)
		}
	}
	return list
}

// callable are the names of Exports.
func (p *Program) callable() (names []string) {
	for _, x := range p.Exports() {
		names = append(names, x.Name)
	}
	return names
}

// A CallError says that a call or a binding cannot be: there is no such function, or the types do not fit. Nothing has been
// called, unless it is about results.
type CallError struct {
	Func string
	Err  error
}

func (e *CallError) Error() string { return "gyr: " + e.Err.Error() }
func (e *CallError) Unwrap() error { return e.Err }

func callError(fn, format string, args ...any) error {
	return &CallError{fn, fmt.Errorf(format, args...)}
}
