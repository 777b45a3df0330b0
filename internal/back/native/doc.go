// Package native runs machine code inside a Go process without cgo.
//
// A [Module] is an ir.Module on its way into machine code, a [Machine] an instance of it that runs. Both know their
// processor as a plan.CPU only, with a way into code and back (cpu.go): which one it is, a file with a build tag
// says (cpu_amd64.go, cpu_other.go). Package plan compiles functions for any CPU, package amd64 is one. TestSeam
// runs all
// of this on another, which does not exist.
//
// # Entering and leaving
//
// Machine code runs on a stack of its own, outside of Go's and of guest memory.
// The context page below the guest's base (memory.Space.Context) holds what both
// worlds need: stack pointers, gas, where to go on (package abi). [Enter] saves Go's
// stack pointer there, takes over the native one and jumps to the code.
//
// Code leaves by calling an exit stub. It notes where the native stack is, takes
// Go's stack pointer as it was when Enter began, and *jumps* to a second assembly
// function of the same signature, the exit point. To the Go runtime it looks as
// if Enter's caller had called the exit point, an ordinary function with an
// ordinary frame: tracebacks, stack growth, preemption and panics in the handler that it
// calls work as anywhere. When the handler wants to go on, the exit point undoes
// its frame and jumps back to the entry, which returns from the stub's call. So calls and
// returns stay paired, in Go and in machine code, and the processor predicts
// them.
//
// Rules that this rests on, each learnt from a crash: the exit point is NOSPLIT, since the
// assembler's idea of the stack pointer is wrong behind a frame that was undone by
// hand; the frame is undone by POPs, since another way marks the function as one
// that writes SP; the address of the exit point is taken in assembly, since Go's
// function values name a wrapper; base and stack pointers are fetched anew at each
// entry, since the goroutine's stack may have moved.
//
// While machine code runs, its goroutine cannot be preempted: the world waits.
// Code therefore leaves at least every 100 µs or so, which the gas register sees to.
//
// # Faults
//
// A guest with package unsafe can make its code go where it has no memory. On Linux a handler before
// Go's makes an exit of such a fault (fault_linux_amd64.go): the run ends with
// the error that the interpreter gives.
//
// # Code memory
//
// An [Arena] reserves address space for code. Code is written to fresh pages that are
// writable, then made executable, and never written again ([Arena.Publish]).
package native
