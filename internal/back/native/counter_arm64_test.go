package native

import (
	"github.com/gyrvm/gyr/internal/back/native/abi"
	"github.com/gyrvm/gyr/internal/back/native/arm64"
)

// The registers of package arm64 that code depends on.
const (
	armBase, armGas, armStack, armLink = arm64.X26, arm64.X25, arm64.X27, arm64.X30
)

// exitStub writes the code that leaves native code. Code calls it, and it returns when the handler
// resumes.
func exitStub(a *arm64.Asm) arm64.Label {
	l, resume := a.NewLabel(), a.NewLabel()
	ctx := func(off int32) arm64.Mem { return arm64.At(armBase, off) }
	a.Bind(l)
	a.MemPre(arm64.STRX, armLink, armStack, -8)
	a.Mem(arm64.STRX, armGas, ctx(abi.Gas))
	a.Mem(arm64.STRX, armStack, ctx(abi.SP))
	a.Adr(arm64.X0, resume)
	a.Mem(arm64.STRX, arm64.X0, ctx(abi.PC))
	a.Mem(arm64.LDRX, armLink, ctx(abi.GoBP))
	a.Mem(arm64.LDRX, arm64.X0, ctx(abi.Exit))
	a.Br(arm64.X0)
	a.Bind(resume)
	a.MemPost(arm64.LDRX, armLink, armStack, 8)
	a.Ret()
	return l
}

// counterCode sums 1 to n in memory: it leaves whenever the gas register runs out,
// and once more, with reason 2, at the end. The sum is in the first argument.
func counterCode() []byte {
	var a arm64.Asm
	args, sum, n, why := arm64.X3, arm64.X1, arm64.X2, arm64.X4
	ctx := func(off int32) arm64.Mem { return arm64.At(armBase, off) }
	start, loop, slow, back, done := a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel(), a.NewLabel()
	a.B(start)
	exit := exitStub(&a)
	leave := func(reason int64) {
		a.MovImm(why, reason)
		a.Mem(arm64.STRX, why, ctx(abi.Why))
		a.Bl(exit)
	}
	a.Bind(start)
	a.RRI(arm64.SUB, arm64.S64, args, armBase, -abi.Args)
	a.Mem(arm64.LDRX, n, arm64.At(args, 8))
	a.MovImm(sum, 0)
	a.Bind(loop)
	a.RRI(arm64.SUBS, arm64.S64, armGas, armGas, 1)
	a.Bcond(arm64.LO, slow)
	a.Bind(back)
	a.Cbz(arm64.S64, n, done)
	a.RRR(arm64.ADD, arm64.S64, sum, sum, n)
	a.RRI(arm64.SUB, arm64.S64, n, n, 1)
	a.B(loop)
	a.Bind(slow)
	a.MemPre(arm64.STRX, sum, armStack, -8)
	a.MemPre(arm64.STRX, n, armStack, -8)
	leave(1)
	a.MemPost(arm64.LDRX, n, armStack, 8)
	a.MemPost(arm64.LDRX, sum, armStack, 8)
	a.B(back)
	a.Bind(done)
	a.RRI(arm64.SUB, arm64.S64, args, armBase, -abi.Args)
	a.Mem(arm64.STRX, sum, arm64.At(args, 0))
	leave(2)
	a.Finish()
	return a.Buf
}
