package gyr

import "github.com/gyrvm/gyr/internal/engine"

// An Export is an exported function of a library ([Source.Exports]). Types are written as in the library's source, those
// of other packages with the package's name.
type Export struct {
	Name      string
	Signature string   // parameters and results: "(sep string, parts ...string) (string, error)"
	Params    []Param  // in their order
	Results   []string // types, without an error at the end
	Fails     bool     // the last result is an error, which becomes the call's
	// Refusal is why the function cannot be called, or "": it is generic, has no body, or a type that does not cross, with
	// the path to it, as in "parameter 1 (orders): element: field Done: chan bool does not cross".
	Refusal string
}

// A Param is a parameter of a function.
type Param struct {
	Name string // "_" if it has none
	Type string // "...T" of the last one of a variadic function, which takes a slice
}

// String is the function's declaration as in Go.
func (e Export) String() string { return "func " + e.Name + e.Signature }

// Exports lists the functions that [Instance.Call], Bind and FuncOf can call, in the order of the source. There are
// none unless the program was compiled with [Source.Exports].
func (p *Program) Exports() []Export { return exports(p.e.Exports()) }

// Uncallable lists the other exported functions of the library, methods aside, and says why they cannot be called.
func (p *Program) Uncallable() []Export { return exports(p.e.Uncallable()) }

func exports(from []engine.Export) (list []Export) {
	for _, x := range from {
		e := Export{Name: x.Name, Signature: x.Signature, Results: x.ResultTypes, Fails: x.Fails, Refusal: x.Refusal}
		for i, name := range x.Params {
			e.Params = append(e.Params, Param{name, x.ParamTypes[i]})
		}
		list = append(list, e)
	}
	return list
}
