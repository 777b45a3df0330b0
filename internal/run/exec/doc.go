// Package exec is the half of a machine that does not depend on what its code
// looks like. The interpreter (package interp) and native code (package native)
// each embed a [Core] in their machine and add the other half: how code runs, and
// how a frame looks.
//
// # The two halves
//
// A machine belongs to one instance (rt.VM) and is its rt.Exec. The core brings all
// of that interface but NewStack, since only the tier knows what a stack begins with. The
// tier's loop is always the same: guest code runs until it cannot go on by itself; the
// machine does one thing in Go; guest code goes on. What the core does there is
//
//	GasEvent            the gas register ran out: poll, preempt, out of gas (gas.go)
//	GrowStack           a frame does not fit the memory of its stack (stack.go)
//	GrowFrames          frames take more guest units than were charged
//	PushChunk PopChunk  a shadow frame does not fit its chunk, or was the first in it (locals.go)
//	CallHost, Switch    a host function, and the change of stacks that it may ask for (host.go)
//	Move Clear MemEq …  bulk memory operations (bulk.go)
//	New Payment         an allocation; what calls for a payment (pay.go)
//
// and the tier does what is left: it compiles, calls the function that a
// trap or an event names, unwinds. Begin and End stand around a run.
//
// Where guest code keeps the registers of the core (Gas, Plim, SSP, SLim) in
// registers or memory of its own, it writes them back before the core is asked for
// anything, and takes them anew afterwards.
//
// # Stacks
//
// A goroutine has an execution stack of slots, in memory of the host that no guest
// address leads to (stackmem.go). It starts small and grows by moving, so a
// frame is named by its distance from the end that stays where the contents are: the start, or the
// end of a stack that grows down (Config.Down). The size of a frame in slots is the
// tier's; what counts against the guest's limits is the size that the IR gives it (ir.Func.Frame),
// so that a recursion ends at the same depth in every tier.
//
// Locals whose address is taken live in the shadow stack, a chain of chunks in
// linear memory. A frame with locals keeps two slots side by side: the address of its shadow frame,
// and where the shadow stack ended before, see locals.go.
//
// # Walks
//
// Tracebacks, recover and collections walk stacks from the innermost frame to the
// outermost. A [Tier] says which frame comes first and which next; the core knows
// what was inlined where (walk.go). The collector finds pointers in slots by the
// tier's stack maps and pointers in locals by an ir.LocalTable, which both tiers fill
// in the same way (ir.LocalTabler): what it reaches is the same in both.
//
// # What may not differ
//
// Everything here is part of the definition of a run: when a goroutine gives way, at
// which depth a stack ends, what a collection keeps, which bytes an operation
// writes. It depends on the program's gas and guest units, never on
// instructions or time. Slots far beyond a stack's guest units have a limit of the host's, see [Stack].
package exec
