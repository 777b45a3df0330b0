package plan

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// # Leaving for the handler
//
// Code calls a stub to continue in Go. Operands and results of what the handler does are in words of
// the context.

func (e *Emitter) save(s Saving) {
	if len(s) == 0 {
		return
	}
	e.Note(abi.Note{Kind: abi.NoteSave})
	e.asm.Save(s)
}

func (e *Emitter) restore(s Saving) {
	if len(s) == 0 {
		return
	}
	e.Note(abi.Note{Kind: abi.NoteRestore})
	e.asm.Restore(s)
}

// callOut calls code outside of the function.
func (e *Emitter) callOut(kind abi.RelocKind, n int32) { e.reloc(e.asm.CallOut(kind), kind, n) }

// callStub calls the exit stub and notes the site.
func (e *Emitter) callStub(site abi.Site, words []int32, v *ir.Value) {
	if e.yields(&site) {
		after := e.NewLabel()
		e.asm.Addr(e.cpu.Yield, after)
		e.reloc(e.asm.JumpOut(), abi.RelYield, 0)
		e.Bind(after)
	} else {
		e.callOut(abi.RelStub, 0)
	}
	e.site(site, words, v)
	if n := site.Below(); n != 0 {
		e.asm.Limit(Add, n, NoReg)
	}
}

// leaveSaved calls the exit stub while registers are on the stack.
func (e *Emitter) leaveSaved(s Saving, site abi.Site, words []int32, v *ir.Value) {
	e.save(s)
	site.Extra += s.Bytes()
	e.callStub(site, words, v)
	e.restore(s)
}

// exit writes an operation of the handler.
func (e *Emitter) exit(r *regalloc.Inst, in *Inst) {
	for i, u := range r.Uses[:in.NArgs] {
		e.asm.Store(S64, e.cpu.word(abi.Args+8*int32(i)), e.operand(u.V, u.Loc))
	}
	s := e.savingAt(r, in)
	site := abi.Site{Reason: in.Exit, A: in.V.Aux, B: in.V.Aux2, Pos: in.V.Pos}
	e.leaveSaved(s, site, e.rootWords(r, in, s), in.V)
	if len(r.Defs) > 0 {
		e.loadResult(Def(r))
	}
}

// operand returns a register with the bits of a value.
func (e *Emitter) operand(v regalloc.VReg, l regalloc.Loc) Reg {
	switch {
	case l.IsReg():
		return l.Reg()
	case l.IsSlot():
		e.asm.Load(Copy, S64, e.cpu.Carrier, e.slot(l))
		return e.cpu.Carrier
	}
	return e.writer.Computed(v)
}

// loadResult loads the result of what the handler has done.
func (e *Emitter) loadResult(d Reg) { e.asm.Load(Copy, S64, d, e.cpu.word(abi.Args)) }
