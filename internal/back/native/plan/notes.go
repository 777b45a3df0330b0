package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// Notes say, for listings, what each piece of the code is for. Nothing else depends on them; code
// is the same with and without.

// A source is the operation that an instruction was selected for, or (v nil) the end of a block.
type source struct {
	v *ir.Value
	b *ir.Block
}

// Note notes the purpose of the code from here on.
func (e *Emitter) Note(n abi.Note) {
	if !e.Env.Notes {
		return
	}
	n.PC = int32(len(e.Buf))
	list := e.Out.Notes
	if k := len(list); k > 0 && list[k-1].PC == n.PC && list[k-1].Kind == n.Kind && n.Kind == abi.NoteOp {
		list = list[:k-1] // no code was made of it
	}
	e.Out.Notes = append(list, n)
}

func (e *Emitter) noteOp(in *Inst) {
	if e.Env.Notes {
		e.Note(abi.Note{Kind: abi.NoteOp, V: in.from.v, Block: in.from.b})
	}
}

func (e *Emitter) noteMove(s *regalloc.Step) {
	if !e.Env.Notes {
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
	e.Note(abi.Note{Kind: abi.NoteMove, Text: text})
}

// noteStubs remembers that the newest stubs belong to an instruction; noteStub begins the next one.
func (e *Emitter) noteStubs(in *Inst) {
	if !e.Env.Notes {
		return
	}
	for len(e.stubOf) < len(e.stubs) {
		e.stubOf = append(e.stubOf, in)
	}
}

func (e *Emitter) noteStub() {
	if !e.Env.Notes || len(e.stubOf) == 0 {
		return
	}
	in := e.stubOf[0]
	e.stubOf = e.stubOf[1:]
	e.Note(abi.Note{Kind: abi.NoteStub, V: in.from.v, Block: in.from.b, Text: in.stubName()})
}

// stubName names the purpose of an instruction's out-of-line code.
func (in *Inst) stubName() string {
	switch in.Kind {
	case KGas, KGasN:
		return "gas slow path"
	case KNil:
		return "trap nil"
	case KBounds, KCheck:
		if t := in.V.Aux; t >= 0 && t < int64(ir.NumTraps) {
			return "trap " + ir.Traps[t].Name
		}
		return "trap"
	case KNew, KNewArray, KNewTyped:
		return "allocation slow path"
	case KEntry:
		return "stack growth"
	case KReturn:
		return "last chunk of the shadow stack"
	case KEnterLocals:
		return "next chunk of the shadow stack"
	case KCall:
		return "trap bad function value"
	case KStoreF, KCanonical:
		return "canonical NaN"
	}
	switch in.Op {
	case DivS, RemS:
		return "division by -1"
	case BitsOf:
		return "canonical NaN"
	case UToF:
		return "conversion of 2^63 and above"
	}
	return "slow path"
}
