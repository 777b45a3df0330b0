package arm64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
)

// The processor predicts returns by a stack of the calls that it has seen. A run
// that ends with rt.Yield in a call of the exit stub would leave Go's returns one
// entry off, and resuming would shift the guest's by one. So code that may yield
// jumps to the stub, and a jump resumes it.

// Stubs implements plan.CPU. Code that may yield comes to Stubs.Yield with its return address in scratch.
//
// Go's stack pointer and frame pointer are in their registers all the time. So leaving takes only Go's
// return address, which entering has put into the context.
func (CPU) Stubs(env *plan.Env, entry int32) *plan.Stubs {
	s := &plan.Stubs{Func: &abi.Func{Locals: -1}}
	var a Asm
	a.tally.of = env.Tally
	a.hide(true)
	leave := func(resume Label) {
		a.access(STRX, regGas, ctx(abi.Gas))
		a.access(STRX, regStack, ctx(abi.SP))
		a.access(STRX, regLimit, ctx(abi.Limit))
		a.Adr(scratch, resume)
		a.access(STRX, scratch, ctx(abi.PC))
		a.access(LDRX, regLink, ctx(abi.GoBP))
		a.access(LDRX, scratch, ctx(abi.Exit))
		a.Br(scratch)
	}
	why := func(r abi.Reason) {
		a.MovImm(scratch, int64(r))
		a.access(STRX, scratch, ctx(abi.Why))
	}
	s.Exit = a.Pos()
	resume := a.NewLabel()
	exit := a.NewLabel()
	a.Bind(exit)
	a.MemPre(STRX, regLink, regStack, -linkBytes)
	leave(resume)
	a.Align(16)
	a.Bind(resume)
	a.MemPost(LDRX, regLink, regStack, linkBytes)
	a.Ret()

	a.Align(16)
	s.Yield = a.Pos()
	goOn := a.NewLabel()
	a.MemPre(STRX, scratch, regStack, -linkBytes)
	why(abi.YieldExit)
	leave(goOn)
	a.Align(16)
	a.Bind(goOn)
	a.MemPost(LDRX, scratch, regStack, linkBytes)
	a.Br(scratch)

	// Of a function that is not compiled: its caller's return address is what the handler looks at.
	a.Align(16)
	s.Compile = a.Pos()
	regs := append(append([]Reg{regIndex, regClosure}, intArgs...), floatArgs...)
	a.MemPre(STRX, regLink, regStack, -linkBytes)
	for i, r := range regs {
		a.store64(ctx(abi.Saved+8*int32(i)), r)
	}
	why(abi.CompileExit)
	enter := a.NewLabel()
	leave(enter)
	a.Align(16)
	a.Bind(enter)
	s.Enter = a.Pos()
	for i, r := range regs {
		a.load64(r, ctx(abi.Saved+8*int32(i)))
	}
	s.Jump = a.Pos()
	a.MemPost(LDRX, regLink, regStack, linkBytes)
	a.access(LDRX, scratch, ctx(abi.Target))
	a.Br(scratch)

	a.hide(false)
	for i := range bulkOps {
		a.Align(16)
		s.Routine = append(s.Routine, a.Pos())
		bulkOps[i].write(&a)
	}
	a.hide(true)
	a.writeTables()

	site := func(x abi.Site) {
		x.PC = int32(a.Pos())
		s.Sites = append(s.Sites, x)
	}
	end := func() {
		a.Bl(exit)
		site(abi.Site{Reason: abi.EndExit})
	}
	a.Align(16)
	s.Main = a.Pos()
	a.begin()
	s.Relocs = append(s.Relocs, abi.Reloc{PC: int32(a.Pos()), Kind: abi.RelTable, N: entry})
	a.callTable()
	site(abi.Site{A: int64(entry)})
	end()

	a.Align(16)
	s.Closure = a.Pos()
	bad := a.NewLabel()
	a.Mem(LDRX, regClosure, At(regStack, 0))
	a.Mem(LDRX, regIndex, Mem{Base: regBase, Index: regClosure})
	callIndex(&a, env, env.Checked, &ir.Sig{}, bad)
	site(abi.Site{A: -1})
	end()
	a.Bind(bad)
	a.Bl(exit)
	site(abi.Site{Reason: abi.BadCallExit})
	if !a.Finish() {
		panic("arm64: stubs are too long")
	}
	s.Code, s.Blocks = a.Buf, a.tally.blocks
	return s
}
