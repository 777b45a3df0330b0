#include "textflag.h"
#include "funcdata.h"

// Offsets of package abi.
#define CTX_GOLR -16
#define CTX_SP   -32
#define CTX_PC   -48
#define CTX_GAS  -56
#define CTX_LIMIT -72
#define CTX_PLIM -88

// func enter(base unsafe.Pointer, h *Handler)
//
// Machine code leaves Go's stack pointer, R28 (the goroutine) and R29 (the frame pointer) alone.
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-16
	MOVD base+0(FP), R26
	MOVD R30, CTX_GOLR(R26)
	MOVD CTX_GAS(R26), R25
	MOVD CTX_LIMIT(R26), R24
	MOVD CTX_PLIM(R26), R23
	MOVD CTX_SP(R26), R27
	MOVD CTX_PC(R26), R16
	JMP  (R16)

// func exit(base unsafe.Pointer, h *Handler)
//
// Native code jumps here with the link register as enter found it.
TEXT ·exit(SB), NOSPLIT, $16-16
	NO_LOCAL_POINTERS
	MOVD  h+8(FP), R0
	MOVD  R0, 8(RSP)
	CALL  ·handle(SB)
	MOVBU 16(RSP), R0
	CBNZ  R0, again
	RET

again:
	// Undo the frame: the saved frame pointer is below it, the return address at its start.
	MOVD   -8(RSP), R29
	MOVD.P 16(RSP), R30
	MOVD.P 16(RSP), R0
	JMP    ·enter(SB)

// func exitAddress() uintptr
TEXT ·exitAddress(SB), NOSPLIT, $0-8
	MOVD $·exit(SB), R0
	MOVD R0, ret+0(FP)
	RET
