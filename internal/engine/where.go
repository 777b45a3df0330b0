package engine

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// A CodePiece is machine code at its address in this process: of a function of the program or of
// its base, or a stub.
type CodePiece struct {
	Start, End uintptr
	Func       *ir.Func // nil: a stub
	Name       string
	Code       *abi.Func // for a stub, the code of all stubs
}

// CodeMap returns the present machine code of the program, by address, for samplers of the
// processor. Code does not move or change as long as the program is in use. The list is empty if
// nothing has run as machine code; it excludes code that counts (Debug "blocks").
func (p *Program) CodeMap() []CodePiece {
	if !p.native.made.Load() {
		return nil
	}
	return p.native.code.pieces()
}

// MachineCode returns the machine code of a function that has been called, with notes of the
// purpose of each instruction, and nil for others. It is the code that runs, to the byte, except
// for addresses that were filled in.
func (p *Program) MachineCode(f *ir.Func) (*abi.Func, error) {
	if !p.native.made.Load() {
		return nil, nil
	}
	return p.native.code.noted(f.Index)
}
