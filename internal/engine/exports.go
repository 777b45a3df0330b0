package engine

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/api"
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

func callError(fn, format string, args ...any) error {
	return &api.CallError{Func: fn, Err: fmt.Errorf(format, args...)}
}
