// Package rt is the host's half of the guest's runtime: the virtual machine's
// state that does not depend on the tier, and the functions that the runtime
// overlay (guest code) calls in the host.
//
// The guest's half does what it can in Go: channels, select, semaphores,
// timers, panics and maps are guest code in linear memory. The host is asked
// for execution stacks, tracebacks, collections, the clock, randomness, and
// the WASI system interface.
package rt

import (
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/memory"
)

// A Status is what a host function tells the tier to do next.
type Status int32

const (
	OK          Status = iota
	Switch             // continue on the execution stack that Exec.SwitchTo named
	Exit               // the program ended with VM.ExitCode
	OutOfGas           // the gas limit is reached
	OutOfMemory        // the memory limit is reached
	StackLimit         // a goroutine's stack reached its limit
	Interrupted        // deadline or cancellation; VM.Err says which
	Failed             // the host cannot go on: corrupt guest memory, a host error; VM.Err says which
)

// A Func is a function of the host. Arguments arrive in a[0], a[1], …, one
// scalar each: Ptr as a 32-bit offset, narrow integers sign-extended, floats as
// bits. Results are written back from a[0] on.
type Func func(vm *VM, a *[16]uint64) Status

// Exec is what a tier offers to host functions.
type Exec interface {
	// NewStack makes an execution stack that will call the closure at fn, a
	// func() that does not return. The number is never 0.
	NewStack(fn uint32) (stk uint32, st Status)
	// FreeStack returns a stack that is not running to the pool.
	FreeStack(stk uint32)
	// SwitchTo names the stack that runs after the host function returned Switch.
	SwitchTo(stk uint32) bool
	CurStack() uint32
	// G and SetG are one guest pointer per execution stack, a root.
	G() uint32
	SetG(g uint32)
	// Callers fills buf with the return addresses (ir.SitePC) of the logical
	// frames of a stack (0: the current one), innermost first, inlined frames
	// expanded, Wrapper functions left out, after skipping skip of them.
	// Frame 0 is the function that called the host.
	Callers(stk uint32, skip int, buf []uint64) int
	// ParentFrame returns the activation that called the given one on the
	// current stack, looking through Wrapper functions; 0 at the bottom.
	ParentFrame(frame uint64) uint64
	// MarkRoots calls Heap.MarkPtr for every pointer live in any stack.
	MarkRoots()
	// GasUsed is exact at the moment of the host call.
	GasUsed() int64
}

// A VM is the state of one instance that does not depend on the tier.
type VM struct {
	Mod   *ir.Module
	Space *memory.Space
	Heap  *memory.Heap
	Exec  Exec

	Config   Config
	ExitCode int
	Err      error

	state // what the host functions keep between calls
}
