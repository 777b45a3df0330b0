#include "textflag.h"
#include "funcdata.h"

// Offsets of context.go.
#define CTX_GOSP -8
#define CTX_GOBP -16
#define CTX_SP   -32
#define CTX_BP   -40
#define CTX_PC   -48
#define CTX_GAS  -56

// func enter(base unsafe.Pointer, h *Handler)
//
// The saved stack pointer points to the return address of the caller.
TEXT ·enter(SB), NOSPLIT|NOFRAME, $0-16
	MOVQ base+0(FP), R15
	MOVQ SP, CTX_GOSP(R15)
	MOVQ BP, CTX_GOBP(R15)
	MOVQ CTX_GAS(R15), R14
	MOVQ CTX_BP(R15), BP
	MOVQ CTX_SP(R15), SP
	JMP  CTX_PC(R15)

// func exit(base unsafe.Pointer, h *Handler)
//
// Native code jumps here with Go's stack and frame pointers as enter found them.
TEXT ·exit(SB), NOSPLIT, $16-16
	NO_LOCAL_POINTERS
	MOVQ h+8(FP), AX
	MOVQ AX, 0(SP)
	CALL ·handle(SB)
	MOVBLZX 8(SP), AX
	TESTB AX, AX
	JNE  again
	RET

again:
	// Undo the frame: two words, then the saved frame pointer.
	POPQ AX
	POPQ AX
	POPQ BP
	JMP  ·enter(SB)

// func exitAddress() uintptr
TEXT ·exitAddress(SB), NOSPLIT, $0-8
	LEAQ ·exit(SB), AX
	MOVQ AX, ret+0(FP)
	RET
