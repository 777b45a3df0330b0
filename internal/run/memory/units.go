package memory

// What counts against the memory limit.
//
// The limit is one sum of guest units, each a byte: the data segment, the blocks of the heap in
// use, and fixed amounts from this table for everything else that the host keeps because a guest
// asked for it. Goroutines' records, waiters, timers, deferred calls, itabs and types made at run
// time are objects of the guest's heap and need no line here.
//
// The units of an instance match the host's real use within a factor of 1.5 and 8 MiB. Units are
// the same for every tier and machine, bytes are not. Some memory has no units of its own and is
// part of that factor. These are the side tables of the heap (1/32 and a little of its size), the
// mark stack and the records of shadow frames during a collection (at most a quarter of what they
// describe), and free memory on its way back to the operating system (trimSlack).
const (
	// UnitStack is the record of an execution stack. Its frames are added in the sizes of
	// ir.Func.Frame: UnitFirst at once, more as it grows.
	UnitStack = 256
	UnitFirst = 2048

	// UnitSpecial is a finalizer, a cleanup or a weak pointer, from its registration until the
	// guest has fetched it from the queue.
	UnitSpecial = 128

	// UnitLayout is a layout made at run time, without its bitmap.
	UnitLayout = 256

	// UnitFile is an open descriptor after the first three, UnitFileNumber the record of a file
	// that the guest has met, UnitEntry an entry of a directory that is being listed. Names are
	// added to them.
	UnitFile       = 1024
	UnitFileNumber = 256
	UnitEntry      = 64

	// UnitNode is a file, directory or link of the guest's own tree in memory, UnitBlock a block of
	// a file's content. A name in a directory is an entry.
	UnitNode  = 512
	UnitBlock = 4096 + UnitEntry
)

// trimSlack is how much free memory may be kept when it and the memory in use together exceed the
// limit. Searching for less does not pay.
func (h *Heap) trimSlack() uint64 { return h.limit / 16 }
