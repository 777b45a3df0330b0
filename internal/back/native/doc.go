// Package native runs machine code inside a Go process without cgo.
//
// A [Module] is an ir.Module on its way into machine code, a [Machine] a running instance of it.
// Both know their processor only as a plan.CPU, with a way into code and back (cpu.go). A file with
// a build tag selects it (cpu_amd64.go, cpu_arm64.go, cpu_other.go). Package plan compiles functions for any
// CPU; packages amd64 and arm64 have one each. TestSeam runs all of this on an imaginary one.
//
// # Entering and leaving
//
// Machine code runs on a stack of its own, outside of Go's and of guest memory. The context page
// below the guest's base (memory.Space.Context) holds what both worlds need: stack pointers, gas,
// the resume address (package abi). [Enter] saves Go's stack pointer there, switches to the native
// one and jumps to the code.
//
// Code leaves by calling an exit stub. The stub saves the native stack pointer, restores Go's stack
// pointer from the time when Enter began, and *jumps* to a second assembly function of the same
// signature, the exit point. To the Go runtime it looks as if Enter's caller had called the exit
// point, an ordinary function with an ordinary frame: tracebacks, stack growth, preemption and
// panics in the handler that it calls work as anywhere. To resume code, the exit point undoes its
// frame and jumps back to the entry, which returns from the stub's call. So calls and returns stay
// paired, in Go and in machine code, and the processor predicts them.
//
// This rests on some rules, each learnt from a crash. The exit point is NOSPLIT, since the
// assembler's idea of the stack pointer is wrong after a frame that was undone by hand. POPs undo
// the frame, since any other way marks the function as one that writes SP. Assembly takes the
// address of the exit point, since Go's function values name a wrapper. Each entry fetches base and
// stack pointers anew, since the goroutine's stack may have moved.
//
// While machine code runs, its goroutine cannot be preempted: the world waits. So code leaves at
// least every 100 µs or so; the gas register ensures that.
//
// # Faults
//
// A guest with package unsafe can make its code access memory that it does not have. On Linux a
// handler that runs before Go's turns such a fault into an exit (fault_linux_amd64.go): the run
// ends with the same error as in the interpreter. Elsewhere it ends the process (FaultsAreCaught), so the
// engine runs only type-safe programs as machine code.
//
// # Code memory
//
// An [Arena] reserves address space for code. Code is written to fresh pages that are
// writable, then made executable, and never written again ([Arena.Publish]).
package native
