//go:build linux

#include "textflag.h"

// gdb sets a breakpoint here and reads the descriptor when it is reached.
TEXT __jit_debug_register_code(SB), NOSPLIT|NOFRAME, $0
	RET

// Version 1, no action, no entries.
DATA __jit_debug_descriptor+0(SB)/4, $1
DATA __jit_debug_descriptor+4(SB)/4, $0
DATA __jit_debug_descriptor+8(SB)/8, $0
DATA __jit_debug_descriptor+16(SB)/8, $0
GLOBL __jit_debug_descriptor(SB), NOPTR, $24

// func registerCode()
TEXT ·registerCode(SB), NOSPLIT, $0-0
	CALL __jit_debug_register_code(SB)
	RET

// func descriptor() *jitDescriptor
TEXT ·descriptor(SB), NOSPLIT, $0-8
	MOVD $__jit_debug_descriptor(SB), R0
	MOVD R0, ret+0(FP)
	RET
