#include "textflag.h"

TEXT invalidateTrampoline<>(SB), NOSPLIT, $0-0
	JMP libc_sys_icache_invalidate(SB)

// The assembler's address of the trampoline, since Go's function values name a wrapper.
GLOBL ·libSystemInvalidate(SB), RODATA, $8
DATA ·libSystemInvalidate(SB)/8, $invalidateTrampoline<>(SB)
