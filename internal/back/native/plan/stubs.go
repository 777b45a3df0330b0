package plan

import (
	"slices"

	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/ir"
)

// Stubs are the pieces of code that all functions of a program share. Only Main and Closure, with
// which stacks begin, depend on the program: the code of a base's functions uses the base's stubs.
type Stubs struct {
	*abi.Func // code, relocations and sites; no function

	Exit    int   // offset of the stub that code calls to leave
	Yield   int   // offset of the stub for code that may yield, see abi.RelYield
	Compile int   // the table entry of functions that are not compiled
	Enter   int   // where the handler resumes after that
	Jump    int   // where it resumes to continue in the function at abi.Target
	Main    int   // a stack begins here: calls the module's entry
	Routine []int // by number
	Closure int   // a stack begins here: calls the closure in the word at the stack pointer
}

// NewStubs writes the stubs of a program whose first function is entry.
//
// A processor predicts returns by a stack of the calls that it has seen. A run
// that ends with rt.Yield in a call of the exit stub would leave Go's returns one
// entry off, and resuming would shift the guest's by one: some twenty nanoseconds
// each time. So code that may yield jumps to the stub, and a jump resumes it. It comes to Stubs.Yield
// with its return address in Desc.Yield.
func NewStubs(cpu CPU, env *Env, entry int32) *Stubs {
	const align = 16
	s := &Stubs{Func: &abi.Func{Locals: -1}}
	d, a := cpu.Desc(), cpu.NewAssembler()
	b := a.Code()
	b.startCount(env.Tally, a)
	b.hide(true)
	why := func(r abi.Reason) { a.StoreConst(S64, d.word(abi.Why), int64(r)) }
	// leave goes to Go, and returns after it has come back.
	leave := func() {
		resume := b.NewLabel()
		a.Leave(resume)
		a.Align(align)
		b.Bind(resume)
	}
	begin := func() int {
		a.Align(align)
		return b.Pos()
	}
	s.Exit = begin()
	exit := b.NewLabel()
	b.Bind(exit)
	a.Enter(0)
	leave()
	a.Return(0)

	s.Yield = begin()
	a.EnterYield()
	why(abi.YieldExit)
	leave()
	a.ReturnYield()

	// Of a function that is not compiled: its caller's return address is what the handler looks at.
	s.Compile = begin()
	regs := slices.Concat([]Reg{d.Index, d.Closure}, d.IntArgs, d.FloatArgs)
	a.Enter(0)
	for i, r := range regs {
		a.Store(S64, d.word(abi.Saved+8*int32(i)), r)
	}
	why(abi.CompileExit)
	leave()
	s.Enter = b.Pos()
	for i, r := range regs {
		a.Load(Copy, S64, r, d.word(abi.Saved+8*int32(i)))
	}
	s.Jump = b.Pos()
	a.JumpTarget()

	b.hide(false)
	for i := range d.Routines {
		s.Routine = append(s.Routine, begin())
		a.Routine(i)
	}
	b.hide(true)
	b.writeTables(d.Trap)

	site := func(x abi.Site) {
		x.PC = int32(b.Pos())
		s.Sites = append(s.Sites, x)
	}
	end := func(why abi.Reason) {
		a.CallLabel(exit)
		site(abi.Site{Reason: why})
	}
	s.Main = begin()
	s.Relocs = append(s.Relocs, abi.Reloc{PC: a.CallOut(abi.RelTable), Kind: abi.RelTable, N: entry})
	site(abi.Site{A: int64(entry)})
	end(abi.EndExit)

	s.Closure = begin()
	bad := b.NewLabel()
	a.Load(Copy, S64, d.Closure, d.stack(0))
	a.Load(Copy, S64, d.Index, d.guest(d.Closure))
	env.callIndex(a, env.Checked, &ir.Sig{}, bad)
	site(abi.Site{A: -1})
	end(abi.EndExit)
	b.Bind(bad)
	end(abi.BadCallExit)
	if !a.Finish() {
		panic("plan: stubs are too long")
	}
	s.Code, s.Blocks = b.Buf, b.tally.blocks
	return s
}
