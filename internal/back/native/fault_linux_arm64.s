#include "textflag.h"

// Offsets of package abi, and the value of Why for a fault.
#define CTX_GOLR  -16
#define CTX_EXIT  -24
#define CTX_SP    -32
#define CTX_PC    -48
#define CTX_GAS   -56
#define CTX_WHY   -64
#define CTX_FAULT -136
#define CTX_SIG   -144
#define CTX_LINK  -232
#define FAULT     64

// Registers in the ucontext that the kernel passes, the address in its siginfo.
#define UC_R25 384
#define UC_R26 392
#define UC_R27 400
#define UC_R30 424
#define UC_PC  440
#define SI_ADDR 16

// func faultHandler()
//
// The kernel calls it on the signal stack: R0 signal, R1 siginfo, R2 ucontext. It is a C function
// that changes scratch registers only; the previous handler gets the same arguments and the same
// return address.
TEXT ·faultHandler(SB), NOSPLIT|NOFRAME, $0-0
	MOVD UC_PC(R2), R9
	MOVD $·codeRanges(SB), R10
	LDAR (R10), R10

next:
	CBZ  R10, chain
	ADD  $8, R10, R11
	LDAR (R11), R12
	CMP  R12, R9
	BLO  skip
	MOVD 16(R10), R13
	CMP  R13, R9
	BHS  skip
	LDAR (R11), R13
	CMP  R12, R13 // else another thread took it between the two loads
	BEQ  ours

skip:
	MOVD (R10), R10
	B    next

chain:
	MOVD $·chained(SB), R10
	MOVD (R10)(R0<<3), R10
	JMP  (R10)

ours:
	// As if the code had left: the exit point, with Go's return address.
	MOVD UC_R26(R2), R10
	MOVD UC_R25(R2), R11
	MOVD R11, CTX_GAS(R10)
	MOVD UC_R27(R2), R11
	MOVD R11, CTX_SP(R10)
	MOVD UC_R30(R2), R11
	MOVD R11, CTX_LINK(R10)
	MOVD R9, CTX_PC(R10)
	MOVD SI_ADDR(R1), R11
	MOVD R11, CTX_FAULT(R10)
	MOVWU R0, R11
	MOVD R11, CTX_SIG(R10)
	MOVD $FAULT, R11
	MOVD R11, CTX_WHY(R10)
	MOVD CTX_GOLR(R10), R11
	MOVD R11, UC_R30(R2)
	MOVD CTX_EXIT(R10), R11
	MOVD R11, UC_PC(R2)
	RET

// func faultHandlerAddress() uintptr
TEXT ·faultHandlerAddress(SB), NOSPLIT, $0-8
	MOVD $·faultHandler(SB), R0
	MOVD R0, ret+0(FP)
	RET
