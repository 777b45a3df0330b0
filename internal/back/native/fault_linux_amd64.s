#include "textflag.h"

// Offsets of package abi, and the value of Why for a fault.
#define CTX_GOSP  -8
#define CTX_GOBP  -16
#define CTX_EXIT  -24
#define CTX_SP    -32
#define CTX_PC    -48
#define CTX_GAS   -56
#define CTX_WHY   -64
#define CTX_FAULT -136
#define CTX_SIG   -144
#define FAULT     64

// Registers in the ucontext that the kernel passes, the address in its siginfo.
#define UC_R14 88
#define UC_R15 96
#define UC_RBP 120
#define UC_RSP 160
#define UC_RIP 168
#define SI_ADDR 16

// func faultHandler()
//
// The kernel calls it on the signal stack: DI signal, SI siginfo, DX ucontext. It is a C function
// that changes scratch registers only; the previous handler gets the same arguments and the same
// return address.
TEXT ·faultHandler(SB), NOSPLIT|NOFRAME, $0-0
	MOVQ UC_RIP(DX), AX
	MOVQ ·codeRanges(SB), R8

next:
	TESTQ R8, R8
	JEQ   chain
	MOVQ  8(R8), R9
	CMPQ  AX, R9
	JCS   skip
	CMPQ  AX, 16(R8)
	JCC   skip
	CMPQ  R9, 8(R8)  // else another thread took it between the two loads
	JEQ   ours

skip:
	MOVQ 0(R8), R8
	JMP  next

chain:
	LEAQ ·chained(SB), AX
	MOVQ (AX)(DI*8), AX
	JMP  AX

ours:
	// As if the code had left: the exit point, with Go's stack.
	MOVQ UC_R15(DX), R9
	MOVQ UC_R14(DX), R10
	MOVQ R10, CTX_GAS(R9)
	MOVQ UC_RSP(DX), R10
	MOVQ R10, CTX_SP(R9)
	MOVQ AX, CTX_PC(R9)
	MOVQ SI_ADDR(SI), R10
	MOVQ R10, CTX_FAULT(R9)
	MOVLQZX DI, R10
	MOVQ R10, CTX_SIG(R9)
	MOVQ $FAULT, CTX_WHY(R9)
	MOVQ CTX_GOSP(R9), R10
	MOVQ R10, UC_RSP(DX)
	MOVQ CTX_GOBP(R9), R10
	MOVQ R10, UC_RBP(DX)
	MOVQ CTX_EXIT(R9), R10
	MOVQ R10, UC_RIP(DX)
	RET

// func faultHandlerAddress() uintptr
TEXT ·faultHandlerAddress(SB), NOSPLIT, $0-8
	LEAQ ·faultHandler(SB), AX
	MOVQ AX, ret+0(FP)
	RET
