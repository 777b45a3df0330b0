// Package interp runs the register code of package bytecode: the interpreter
// tier.
//
// # The machine
//
// A [Machine] belongs to one instance (rt.VM) and implements rt.Exec. The part that does not depend
// on register code is its exec.Core: gas, stacks, walks, host functions. Its registers are
//
//	pc     address of the next instruction, in Go memory that the Program keeps
//	fp     address of the frame's slot 0, in the current execution stack
//	Base   host address of guest offset 0
//	Gas    what may be charged until something has to happen (exec/gas.go)
//	depth  what the guest's stack may still grow by, in guest units (exec/stack.go)
//
// The run loop is one function with one switch and no calls, so the registers stay in registers. It
// leaves all other work to execute (run.go), which does one thing in Go and goes back.
//
// It comes in two modes: runPlain only executes, and runObserved also counts instructions and
// operations, feeds a tracer, and takes samples. go generate writes both (run_generated.go) from
// the table of operations in package bytecode and the code of each operation in package
// interp/loop. The modes are in loop/modes.ops. After a change there:
//
//	go generate ./internal/back/interp
//
// # Execution stacks
//
// A goroutine runs on an execution stack: overlapping frames of slots, as described in package
// bytecode, in host memory that no guest address reaches. It starts at 2 KiB and doubles by
// copying. A frame is named by its distance from the stack's start, so copying adjusts nothing.
//
// # Who may trust what
//
// Slots hold what the guest computed, and guest memory holds anything. Every
// access to memory truncates the pointer to 32 bits; a function index is
// compared with the number of functions and the callee's signature with the
// expected one. An access to memory that is not committed faults; Run turns that into an
// error of the instance.
package interp
