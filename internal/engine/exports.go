package engine

import (
	"fmt"
	"slices"

	"github.com/gyrvm/gyr/api"
)

// Exports lists the functions that [Instance.Call] can call, in the order of the source: the
// exported functions of the package, without methods. It is empty unless the program was compiled
// with [Source.Exports].
func (p *Program) Exports() []api.Export { return p.exports(true) }

// Uncallable lists the other exported functions, with the reason why they cannot be called.
func (p *Program) Uncallable() []api.Export { return p.exports(false) }

func (p *Program) exports(callable bool) (list []api.Export) {
	for _, x := range p.mod.Exports {
		if (x.Refusal == "") != callable {
			continue
		}
		e := api.Export{Name: x.Name, Signature: x.Signature, Results: slices.Clone(x.ResultTypes), Fails: x.Fails, Refusal: x.Refusal}
		for i, name := range x.Params {
			e.Params = append(e.Params, api.Param{Name: name, Type: x.ParamTypes[i]})
		}
		list = append(list, e)
	}
	return list
}

// callable returns the names of Exports.
func (p *Program) callable() (names []string) {
	for _, x := range p.Exports() {
		names = append(names, x.Name)
	}
	return names
}

func callError(fn, format string, args ...any) error {
	return &api.CallError{Func: fn, Err: fmt.Errorf(format, args...)}
}
