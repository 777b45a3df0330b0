// Package exec is the half of a machine that does not depend on the form of its code. The
// interpreter (package interp) and native code (package native) each embed a [Core] in their
// machine and add the other half: how code runs, and the layout of a frame.
//
// # The two halves
//
// A machine belongs to one instance (rt.VM) and is its rt.Exec. The core implements all of that
// interface but NewStack, since only the tier knows what a stack begins with. The loop of a tier is
// always the same: guest code runs until it needs help, the machine does one thing in Go, and guest
// code resumes. The core does these things:
//
//	GasEvent            the gas register ran out: poll, preempt, out of gas (gas.go)
//	GrowStack           a frame does not fit the memory of its stack (stack.go)
//	GrowFrames          frames take more guest units than were charged
//	PushChunk PopChunk  a shadow frame does not fit its chunk, or was the first in it (locals.go)
//	CallHost, Switch    a host function, and the change of stacks that it may ask for (host.go)
//	Move Clear MemEq …  bulk memory operations (bulk.go)
//	New Payment         an allocation; the payment for a collection (pay.go)
//
// The tier does the rest: it compiles, calls the function that a trap or an event names, and
// unwinds. Begin and End enclose a run.
//
// Guest code may keep the registers of the core (Gas, Plim, SSP, SLim) in registers or memory of
// its own. It then writes them back before the core is called, and reloads them afterwards.
//
// # Stacks
//
// A goroutine has an execution stack of slots, in memory of the host that no guest address reaches
// (stackmem.go). The stack starts small and grows by moving. So a frame is named by its distance
// from the end that stays with the contents: the start, or the end of a stack that grows down
// (Options.Down). The tier decides the size of a frame in slots. The guest's limits count the size
// that the IR gives it (ir.Func.Frame), so that a recursion ends at the same depth in every tier.
//
// Locals whose address is taken live in the shadow stack, a chain of chunks in linear memory. A
// frame with locals keeps two adjacent slots: the address of its shadow frame, and the previous end
// of the shadow stack, see locals.go.
//
// # Walks
//
// Tracebacks, recover and collections walk stacks from the innermost frame to the outermost. A
// [Tier] returns the first frame and the caller of each frame; the core knows what was inlined
// where (walk.go). The collector finds pointers in slots by the tier's stack maps, and pointers in
// locals by an ir.LocalTable. Both tiers fill that table in the same way (ir.LocalTabler), so a
// collection reaches the same objects in both. Images of waiting machines are in image.go, and
// their state as portable data in portable.go.
//
// # What may not differ
//
// Everything here is part of the definition of a run: when a goroutine yields, at which depth a
// stack ends, what a collection keeps, which bytes an operation writes. It depends on the program's
// gas and guest units, never on instructions or time. Slots far beyond a stack's guest units have a
// limit of the host's, see [Stack].
package exec
