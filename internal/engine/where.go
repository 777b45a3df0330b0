package engine

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// A CodePiece is machine code where it lies in this process: of a function of the program or of its base, or a stub.
type CodePiece struct {
	Start, End uintptr
	Func       *ir.Func // nil: a stub
	Name       string
	Code       *abi.Func // of a stub: that of all stubs
}

// CodeMap returns the machine code that the program has now, by address, for those who sample where the processor is.
// Code stays where it is, and what it is, as long as the program is in use. There is none where nothing has run as machine
// code; of code that counts (Debug "blocks") there is none either.
func (p *Program) CodeMap() []CodePiece {
	if !p.native.made.Load() {
		return nil
	}
	return p.native.code.pieces()
}

// MachineCode returns the machine code of a function that has been called, with notes of what each instruction is for,
// and nil for others. It is the code that runs, to the byte, but for addresses that were filled in.
func (p *Program) MachineCode(f *ir.Func) (*abi.Func, error) {
	if !p.native.made.Load() {
		return nil, nil
	}
	return p.native.code.noted(f.Index)
}
