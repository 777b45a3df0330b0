package memory

// What counts against the memory limit.
//
// The limit is one sum of guest units, each a byte: the data segment, the
// blocks of the heap in use, and a fixed amount for everything else that the
// host keeps because a guest asked for it, from this table. Goroutines' records,
// waiters, timers, deferred calls, itabs and types made at run time are objects of
// the guest's heap and need no line here.
//
// A unit stands for what the host spends, within a factor of 1.5 and 8 MiB for
// an instance: units are the same for every tier and machine, bytes are not.
// The side tables of the heap (1/32 and a little of its size), the mark stack and the
// records of shadow frames during a collection (at most a quarter of what they describe),
// and free memory on its way back to the operating system (trimSlack) have no
// units of their own: they are part of that factor.
const (
	// UnitStack is the record of an execution stack. Its frames come on top, in
	// the sizes of ir.Func.FrameSize: UnitFirst at once, more as it grows.
	UnitStack = 256
	UnitFirst = 2048

	// UnitSpecial is a finalizer, a cleanup or a weak pointer, from its
	// registration until the guest fetched it from the queue.
	UnitSpecial = 128

	// UnitLayout is a layout made at run time, its bitmap not counted.
	UnitLayout = 256

	// UnitFile is an open descriptor beyond the first three, UnitFileNumber what
	// is remembered of a file that the guest has met, UnitEntry an entry of a
	// directory that is being listed; names come on top.
	UnitFile       = 1024
	UnitFileNumber = 256
	UnitEntry      = 64

	// UnitNode is a file, directory or link of the guest's own tree in memory, UnitBlock a block of a file's content;
	// a name in a directory is an entry.
	UnitNode  = 512
	UnitBlock = 4096 + UnitEntry
)

// trimSlack is how much free memory may stay with us when what is in use and
// it together exceed the limit: to give back less would not be worth looking for it.
func (h *Heap) trimSlack() uint64 { return h.limit / 16 }
