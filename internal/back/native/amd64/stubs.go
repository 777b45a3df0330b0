package amd64

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/plan"
	"github.com/gyrvm/gyr/internal/ir"
)

// The processor predicts returns by a stack of the calls that it has seen. A run
// that ends with rt.Yield in a call of the exit stub would leave Go's returns one
// entry off, and resuming would shift the guest's by one: some twenty nanoseconds
// each time. So code that may yield jumps to the stub, and a jump resumes it.

// Stubs implements plan.CPU. Code that may yield comes to Stubs.Yield with its return address in RAX.
func (CPU) Stubs(env *plan.Env, entry int32) *plan.Stubs {
	s := &plan.Stubs{Func: &abi.Func{Locals: -1}}
	var a Asm
	a.tally.of = env.Tally
	a.hide(true)
	leave := func(resume Label) {
		a.MR(MOV, S64, ctx(abi.Gas), regGas)
		a.MR(MOV, S64, ctx(abi.SP), RSP)
		a.MR(MOV, S64, ctx(abi.BP), RBP)
		a.RM(LEA, S64, RAX, AtLabel(resume))
		a.MR(MOV, S64, ctx(abi.PC), RAX)
		a.RM(MOV, S64, RSP, ctx(abi.GoSP))
		a.RM(MOV, S64, RBP, ctx(abi.GoBP))
		a.M(JMPR, S64, ctx(abi.Exit))
	}
	s.Exit = a.Pos()
	resume := a.NewLabel()
	exit := a.NewLabel()
	a.Bind(exit)
	leave(resume)
	a.Align(16)
	a.Bind(resume)
	a.None(RET)

	a.Align(16)
	s.Yield = a.Pos()
	goOn := a.NewLabel()
	a.RM(LEA, S64, RSP, At(RSP, -8))
	a.MR(MOV, S64, At(RSP, 0), RAX)
	a.MI(MOV, S64, ctx(abi.Why), int64(abi.YieldExit))
	leave(goOn)
	a.Align(16)
	a.Bind(goOn)
	a.RM(MOV, S64, RAX, At(RSP, 0))
	a.RM(LEA, S64, RSP, At(RSP, 8))
	a.R(JMPR, S64, RAX)

	a.Align(16)
	s.Compile = a.Pos()
	regs := append(append([]Reg{regIndex, regClosure}, intArgs...), floatArgs...)
	for i, r := range regs {
		a.MR(moveOf(r), S64, ctx(abi.Saved+8*int32(i)), r)
	}
	a.MI(MOV, S64, ctx(abi.Why), int64(abi.CompileExit))
	enter := a.NewLabel()
	leave(enter)
	a.Align(16)
	a.Bind(enter)
	s.Enter = a.Pos()
	for i, r := range regs {
		a.RM(moveOf(r), S64, r, ctx(abi.Saved+8*int32(i)))
	}
	s.Jump = a.Pos()
	a.M(JMPR, S64, ctx(abi.Target))

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
		a.Call(exit)
		site(abi.Site{Reason: abi.EndExit})
	}
	a.Align(16)
	s.Main = a.Pos()
	a.transfer(0xff, 0x15)
	s.Relocs = append(s.Relocs, abi.Reloc{PC: int32(a.Pos()), Kind: abi.RelTable, N: entry})
	a.i32(0)
	site(abi.Site{A: int64(entry)})
	end()

	a.Align(16)
	s.Closure = a.Pos()
	bad := a.NewLabel()
	a.RM(MOV, S64, regClosure, At(RSP, 0))
	a.RM(MOV, S64, regIndex, At(regBase, 0).Plus(regClosure, 1))
	callIndex(&a, env, env.Checked, &ir.Sig{}, bad)
	site(abi.Site{A: -1})
	end()
	a.Bind(bad)
	a.Call(exit)
	site(abi.Site{Reason: abi.BadCallExit})
	a.Finish()
	s.Code, s.Blocks = a.Buf, a.tally.blocks
	return s
}
