package amd64

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/native/abi"
	"github.com/gyrvm/gyr/internal/native/regalloc"
)

// Notes say, for listings, what each piece of the code is for. Nothing else
// depends on them, and code is the same with and without.

// A source is the operation that an instruction was selected for, or (v nil) the
// end of a block.
type source struct {
	v *ir.Value
	b *ir.Block
}

func (e *emitter) note(n abi.Note) {
	if !e.env.Notes {
		return
	}
	n.PC = int32(e.a.Pos())
	list := e.out.Notes
	if k := len(list); k > 0 && list[k-1].PC == n.PC && list[k-1].Kind == n.Kind && n.Kind == abi.NoteOp {
		list = list[:k-1] // of which no code was made
	}
	e.out.Notes = append(list, n)
}

func (e *emitter) noteOp(in *inst) {
	if e.env.Notes {
		e.note(abi.Note{Kind: abi.NoteOp, V: in.from.v, Block: in.from.b})
	}
}

func (e *emitter) noteMove(s *regalloc.Step) {
	if !e.env.Notes {
		return
	}
	text := "move"
	switch {
	case s.From == regalloc.Again:
		text = "compute again"
	case s.From.IsSlot() && s.To.IsSlot():
		text = "move a slot"
	case s.To.IsSlot():
		text = "spill"
	case s.From.IsSlot():
		text = "reload"
	}
	e.note(abi.Note{Kind: abi.NoteMove, Text: text})
}

// noteStubs remembers that the newest stubs belong to an instruction, noteStub
// begins the next one.
func (e *emitter) noteStubs(in *inst) {
	if !e.env.Notes {
		return
	}
	for len(e.stubOf) < len(e.stubs) {
		e.stubOf = append(e.stubOf, in)
	}
}

func (e *emitter) noteStub() {
	if !e.env.Notes || len(e.stubOf) == 0 {
		return
	}
	in := e.stubOf[0]
	e.stubOf = e.stubOf[1:]
	e.note(abi.Note{Kind: abi.NoteStub, V: in.from.v, Block: in.from.b, Text: in.stubName()})
}

// stubName says what the code out of line of an instruction does.
func (in *inst) stubName() string {
	switch in.kind {
	case kGas, kGasN:
		return "gas slow path"
	case kNil:
		return "trap nil"
	case kBounds, kCheck:
		if t := in.v.Aux; t >= 0 && t < int64(ir.NumTraps) {
			return "trap " + ir.Traps[t].Name
		}
		return "trap"
	case kNew, kNewArray, kNewTyped:
		return "allocation slow path"
	case kEntry:
		return "stack growth"
	case kReturn:
		return "last chunk of the shadow stack"
	case kEnterLocals:
		return "next chunk of the shadow stack"
	case kCall:
		return "trap bad function value"
	case kDiv:
		return "division by -1"
	case kStoreF, kFBits, kCanonical:
		return "canonical NaN"
	case kUToF:
		return "conversion of 2^63 and above"
	}
	return "slow path"
}
