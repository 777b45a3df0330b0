package native

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/amd64"
)

// exitStub writes the code that leaves native code. Code calls it, and it returns when the handler
// resumes.
func exitStub(a *amd64.Asm) amd64.Label {
	l := a.NewLabel()
	resume := a.NewLabel()
	a.Bind(l)
	ctx := func(off int32) amd64.Mem { return amd64.At(amd64.R15, off) }
	a.MR(amd64.MOV, amd64.S64, ctx(abi.Gas), amd64.R14)
	a.MR(amd64.MOV, amd64.S64, ctx(abi.SP), amd64.RSP)
	a.MR(amd64.MOV, amd64.S64, ctx(abi.BP), amd64.RBP)
	a.RM(amd64.LEA, amd64.S64, amd64.RAX, amd64.AtLabel(resume))
	a.MR(amd64.MOV, amd64.S64, ctx(abi.PC), amd64.RAX)
	a.RM(amd64.MOV, amd64.S64, amd64.RSP, ctx(abi.GoSP))
	a.RM(amd64.MOV, amd64.S64, amd64.RBP, ctx(abi.GoBP))
	a.M(amd64.JMPR, amd64.S64, ctx(abi.Exit))
	a.Bind(resume)
	a.None(amd64.RET)
	return l
}

// counterCode sums 1 to n in memory: it leaves whenever the gas register runs out,
// and once more, with reason 2, at the end. The sum is in the first argument.
func counterCode() []byte {
	var a amd64.Asm
	start := a.NewLabel()
	a.Jmp(start)
	exit := exitStub(&a)
	a.Bind(start)
	ctx := func(off int32) amd64.Mem { return amd64.At(amd64.R15, off) }
	loop, slow, back, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.RM(amd64.MOV, amd64.S64, amd64.RBX, ctx(abi.Args+8)) // n
	a.RR(amd64.XOR, amd64.S32, amd64.RCX, amd64.RCX)
	a.Bind(loop)
	a.RI(amd64.SUB, amd64.S64, amd64.R14, 1)
	a.Jcc(amd64.B, slow)
	a.Bind(back)
	a.RR(amd64.TEST, amd64.S64, amd64.RBX, amd64.RBX)
	a.Jcc(amd64.E, done)
	a.RR(amd64.ADD, amd64.S64, amd64.RCX, amd64.RBX)
	a.RI(amd64.SUB, amd64.S64, amd64.RBX, 1)
	a.Jmp(loop)
	a.Bind(slow)
	a.Push(amd64.RBX)
	a.Push(amd64.RCX)
	a.MI(amd64.MOV, amd64.S64, ctx(abi.Why), 1)
	a.Call(exit)
	a.Pop(amd64.RCX)
	a.Pop(amd64.RBX)
	a.Jmp(back)
	a.Bind(done)
	a.MR(amd64.MOV, amd64.S64, ctx(abi.Args), amd64.RCX)
	a.MI(amd64.MOV, amd64.S64, ctx(abi.Why), 2)
	a.Call(exit)
	a.None(amd64.UD2)
	a.Finish()
	return a.Buf
}
