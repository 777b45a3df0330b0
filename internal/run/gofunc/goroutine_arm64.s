//go:build gc

#include "textflag.h"

// func Goroutine() uintptr
//
// The result is the address of the runtime's record, unique while this goroutine lives.
TEXT ·Goroutine(SB), NOSPLIT, $0-8
	MOVD g, R0
	MOVD R0, ret+0(FP)
	RET
