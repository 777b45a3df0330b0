// Package bytecode turns functions of the IR into register code for the
// interpreter.
//
// # The machine
//
// An instruction is one or more 64-bit words. The first holds the operation
// (bits 0..15) and three 16-bit fields a, b, c (bits 16, 32, 48): slots of the
// frame or immediates. Some operations have extension words; see [OpInfo].
//
// A frame is an array of 64-bit slots. How a scalar is kept in a slot:
//
//	I8..I64  sign-extended to 64 bits, whatever the program takes the sign to be:
//	         equality, signed and unsigned comparisons of all widths are then the
//	         64-bit ones, and sign extension is no operation at all
//	F32      its 32 bits, zero-extended
//	F64      its bits
//	Ptr      its 32-bit offset, zero-extended
//
// Slot 0 of a frame is the link: the return address in the low 48 bits, the
// distance to the caller's frame in slots in the upper 16. Slot 1 is the closure
// through which the function was called. Arguments arrive from slot 2 on and
// results are left there. The frame of a callee overlaps its caller's: it
// starts at slot a of the caller, which the call instruction names, above everything
// that is live across the call.
//
// Two words precede a function's first instruction, the header, which the
// caller reads: [Header].
//
// # Gas
//
// A charge at the head of a block is part of the branches that lead there: an
// edge carries its target's charge. What cannot be folded is a Gas or GasL
// instruction. GasL and the edges of the branches named ...L are loop charges,
// where the goroutine quantum may end; such places have a stack map.
//
// # How a function is compiled
//
// isel.go chooses instructions over virtual registers (the IR's values and some
// temporaries), live.go computes exact live ranges, coalesce.go merges the
// operands of phis, alloc.go gives out slots by linear scan, and emit.go writes
// words, moves on edges, stack maps and the position table. No step is
// quadratic in the size of the function.
//
// # Where things are
//
// op.go is the table of operations and what they mean. module.go prepares a module, order.go the blocks of a function.
// isel.go leads selection: select.go has loads, stores and branches, fuse.go superinstructions, loop.go loop branches,
// far.go slots beyond 16 bits, roots.go what safepoints keep. code.go is a compiled function, memory.go where code lies,
// store.go its form on disk, verify.go what the interpreter takes for granted, print.go the listing.
package bytecode
