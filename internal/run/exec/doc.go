// Package exec is the half of a machine that does not depend on the form of its code. There are two
// forms, the tiers: register code for the interpreter (package interp) and machine code (package
// native). Each tier embeds a [Core] in its machine and adds the other half: how code runs, and the
// layout of a frame.
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
//	GrowFrames          frames exceed the guest units that were counted for their stack so far
//	PushChunk PopChunk  a shadow frame begins a chunk, or leaves the one that it began (locals.go)
//	CallHost, Switch    a primitive, and the change of stacks that it may ask for (host.go)
//	Move Clear MemEq …  bulk memory operations (bulk.go)
//	New Payment         an allocation; the guest's payment for a collection (pay.go)
//
// core.go has the Core itself, fma.go and hash.go operations that must give the same result on
// every processor. A primitive is a function of the engine that the guest's runtime calls
// (ir.Primitives). A guest unit is a byte of guest memory as the limits count it (memory/units.go),
// equal in all tiers.
//
// The tier does the rest. It compiles functions, unwinds stacks, and calls the guest functions that
// a failed check (a trap) or the core asks for. Begin and End enclose a run.
//
// Guest code may keep the core's registers (Gas and Plim for charges, SSP and SLim for the shadow
// stack) in registers or memory of its own. It then writes them back before the core is called, and
// reloads them afterwards.
//
// # Gas and payment
//
// gas.go is the only place that knows how much gas was used and is left. The price of an allocation
// pays for a share of the next collection. A collection that the memory limit causes earlier leaves
// a debt, and the guest pays it before it continues.
//
// # Stacks
//
// A goroutine has an execution stack of slots, in memory of the host that no guest address reaches
// (stackmem.go). The stack starts small and grows by moving to larger memory. So frames have no
// fixed address. A frame is named by its distance from the start of the stack, or from the end if
// the stack grows down (Options.Down). The tier decides the size of a frame in slots. The guest's
// limits count the size that the IR gives it (ir.Func.Frame), so that a recursion ends at the same
// depth in every tier.
//
// Locals whose address is taken live in the shadow stack, a chain of chunks in linear memory. A
// frame with locals keeps two adjacent slots. One has the address of its shadow frame, the other
// the end of the shadow stack before that frame, see locals.go.
//
// # Walks
//
// Tracebacks, recover and collections walk stacks from the innermost frame to the outermost. A
// [Tier] returns the first frame and the caller of each frame; the core knows what was inlined
// where (walk.go). The collector finds pointers in slots by the tier's stack maps, and pointers in
// locals by an ir.LocalTable. Both tiers fill that table in the same way (ir.LocalTabler), so a
// collection reaches the same objects in both.
//
// # Images
//
// A machine that waits for a call of the host can be copied. image.go copies its stacks and gas,
// for another machine of the same tier. portable.go writes its state as data for any tier and
// machine.
//
// # What may not differ
//
// Everything here is part of the definition of a run: when a goroutine yields, at which depth a
// stack ends, what a collection keeps, which bytes an operation writes. All of this depends on the
// program's gas and guest units, never on instructions or time. There is one exception. Some stacks
// need many more slots than their guest units suggest. Too many such slots end the run with an
// error of the host, see [Stack].
package exec
