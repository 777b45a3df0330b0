#include "textflag.h"

// func flush(lo, hi uintptr)
//
// New instructions become visible to this processor's fetches, as the Arm manual says in "Concurrent
// modification and execution of instructions" and B2.4.4. CTR_EL0 has the sizes of cache lines, as
// logarithms of words, and says whether the data cache has to be cleaned (IDC, bit 28) and the
// instruction cache invalidated (DIC, bit 29).
TEXT ·flush(SB), NOSPLIT, $0-16
	MOVD lo+0(FP), R0
	MOVD hi+8(FP), R1
	MRS  CTR_EL0, R2
	MOVD $4, R5
	UBFX $16, R2, $4, R3 // DminLine
	LSL  R3, R5, R3
	AND  $15, R2, R4     // IminLine
	LSL  R4, R5, R4

	TBNZ $28, R2, cleaned
	SUB  $1, R3, R6
	BIC  R6, R0, R6

clean:
	DC  CVAU, R6
	ADD R3, R6
	CMP R1, R6
	BLO clean

cleaned:
	DSB  $11 // ISH
	TBNZ $29, R2, invalidated
	SUB  $1, R4, R6
	BIC  R6, R0, R6

invalidate:
	WORD $0xd50b7526 // ic ivau, x6
	ADD R4, R6
	CMP R1, R6
	BLO invalidate
	DSB $11

invalidated:
	ISB $15
	RET
