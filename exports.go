package gyr

// Exports lists the functions that [Instance.Call], Bind and FuncOf can call, in the order of the
// source. The list is empty unless the program was compiled with [Source.Exports].
func (p *Program) Exports() []Export { return p.e.Exports() }

// Uncallable lists the other exported functions of the library, without methods, and says why they
// cannot be called.
func (p *Program) Uncallable() []Export { return p.e.Uncallable() }
