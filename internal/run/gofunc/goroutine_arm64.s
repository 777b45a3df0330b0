//go:build gc

#include "textflag.h"

// func Goroutine() uintptr
//
// It is the address of the runtime's record, which no other goroutine has while this one lives.
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
