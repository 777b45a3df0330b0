// Package memory is the guest's linear memory, its allocator and its garbage collector.
//
// # The space
//
// A [Space] is one reservation of address space. No part of it may be touched before it is
// committed:
//
//	side tables | counters | stacks | 64 KiB context page | 4 GiB guest memory | 64 MiB guard
//	                                                      ^ Base
//
// A guest pointer is a 32-bit offset from Base. A back end that adds a 32-bit offset and at most
// [MaxDisplacement] to Base can't leave the guest memory and its guard, whatever the guest
// computes. Host code that gets an offset and a length from the guest reads through [Space.Bytes],
// which checks both.
//
// The guest cannot reach what lies below Base. The side tables describe the heap. The counters
// count coverage and executed code for the host. The stacks are memory for the first execution
// stacks (package exec). The context page belongs to the back end.
//
// # Images and resets
//
// On Linux a space that starts from a [Snapshot] maps the snapshot's image, a sealed file, private
// and writable (image_linux.go). On the first write to a page the kernel gives the space a copy of
// its own. [Snapshot.Restore] resets such a space (rewind_linux.go):
//
//   - It asks the kernel which pages of the mapping are the space's own (ioctl PAGEMAP_SCAN, Linux
//     6.7). Nothing has to be protected or registered for that, so a write costs nothing if no
//     reset follows. The call takes about 9 ns for each page that the space has read or written,
//     and more if the kernel's records of them have left the cache: 8 µs where 200 spaces take turns.
//   - So from the third reset on the guest's memory is protected as for transactions (Tracker), once,
//     and the kernel is asked which pages were written to since. That reads page tables alone. The
//     pages of one request are those of the next, so nothing is protected again at a reset.
//   - It compares each such page with the image, which takes 0.05 to 0.1 µs in the cache. If they
//     differ it copies the image's page, which takes as long again. The space keeps its own page:
//     no page table changes, so no processor has to flush anything, and the next write does not
//     fault.
//   - So the pages to compare are all that were written to since the image was mapped, not only
//     since the last reset. If many of them are equal to the image for many resets in a row, they
//     go back to the kernel.
//   - It unmaps memory after the end of the image. If the space has more than 512 pages of its own,
//     or the kernel cannot tell, it maps the image anew.
//
// # The heap
//
// The rest of the package is the [Heap]. It never moves an object, so derived addresses may live in
// registers. It is a mark-region heap in the manner of Immix (Blackburn and McKinley, PLDI 2008):
// memory is divided into blocks of 32 KiB, a block into lines of 256 bytes. Objects have no size
// classes. They are placed one after the other in a window, a run of free lines whose memory is
// already zero:
//
//	| header | object | header | object | ...          |
//	                                      ^ Heap.Cur    ^ Heap.Limit
//
// Allocating is one comparison, one store of the header and one addition. The interpreter and
// machine code (the tiers) do it inline. The header is the word before the object:
//
//	bits  0..31  size of the object in 8-byte words
//	bits 32..55  layout number
//	bits 56..63  flags (none yet)
//
// The layout number is the index in a table on the host's side. The entry says which words of one
// element are pointers. If an object is larger than one element, it is an array of such elements.
//
// When an object does not fit the window, [Heap.Alloc] takes the slow path:
//
//   - For small objects (up to a line, header included) the next window is the spare window, or the
//     next hole, or a free block, in this order. A hole is a run of free lines in a block that
//     holds live objects.
//   - For medium objects (up to 16 KiB) it is the spare window if that is wide enough, or else a
//     free block, so that they need not skip narrow holes. The rest of the old window becomes the
//     spare one.
//   - If the live objects keep more blocks in use than they fill (scattered in window.go), both
//     take holes before free blocks.
//   - Large objects have a run of whole blocks of their own, first fit by address.
//
// Blocks also hold the chunks of the shadow stacks ([Heap.AllocChunk]). Memory that the host lends
// to the guest (buffer.go) lies above all blocks, at the end of the guest's memory.
//
// # What is known of an object
//
// Side tables, outside guest memory, hold two bits for every 8 bytes: start (an object starts here)
// and mark (it was reached in this collection). Inline allocation sets neither. A collection makes
// the start bits of a block when it meets the first pointer into the block: it walks the headers of
// the lines that were filled since the last collection (index.go). So the guest's fast path is
// short, and a block that holds only garbage costs nothing.
//
// An interior pointer finds its object by the nearest start bit at or below it, 64 words at a time.
// A pointer just past the end of an object points to the next header and keeps nothing alive.
//
// # Collection
//
// The heap does not know the roots and does not run by itself. Alloc returns [StatusCollect] when a
// collection is due. That is when as many bytes were allocated since the last collection as
// survived it (at least 4 MiB), and their price in gas covers the cost of the last collection
// (pace.go). One is also due at the memory limit. The caller collects and repeats the Alloc:
//
//	st := h.BeginMark()
//	h.MarkPtr(p), h.MarkRange(...), h.MarkBitmap(...)   // for every root
//	for !h.Drain(memory.MarkQuantum) { check the deadline }
//	finalizers, cleanups, weak pointers: special.go
//	st = h.Sweep()
//
// Marking follows pointers depth-first with an explicit stack. The sweep touches side tables only:
// mark bits become the new start bits, a line is free if no marked object lies in it, a block if
// all its lines are.
//
// # Trust
//
// The guest can overwrite all of its memory, headers included. Nothing read from guest memory is
// used without a check: sizes against the window, block or run that holds the object, layout
// numbers against the table, pointers against start bits. A contradiction is [StatusCorrupt], after
// which the heap refuses everything but [Heap.Reset]. No state of the host lies in guest memory.
//
// # Determinism
//
// Addresses, collection points, statistics and limits are functions of the sequence of calls alone.
// The operating system's page size, the history of the process and the clock have no influence.
// There is no package-level state.
//
// # Where things are
//
//   - Address space: space.go, with one file for each kind of system (space_*.go); refused*.go
//     names the limit of the system that was reached; pages*.go is memory of the host outside Go's
//     heap; buffer*.go lends memory to the guest.
//   - Allocating: heap.go, window.go (the slow path), block.go, large.go, chunk.go (shadow stacks),
//     layout.go (pointer layouts); units.go (what counts against the memory limit), bound.go (a
//     lower limit for a time).
//   - Collecting: pace.go (when, and who pays), mark.go, index.go (start bits), special.go
//     (finalizers, weak pointers), sweep.go, sort.go (sorting that can be stopped); objects.go
//     lists objects, stats.go has figures, status.go outcomes, debug.go makes collections more
//     frequent to find mistakes.
//   - Starts: snapshot.go (memory after the initialisation, from which spaces start),
//     snapshot_store.go (as bytes), snapshot_whole.go (of a heap in any state); image*.go and
//     rewind_linux.go (images and resets).
//   - Going back and moving: checkpoint.go and track_*.go (a space returns to an earlier moment),
//     fork.go and base_linux.go (a second space from the present), compact.go (no garbage in it),
//     portable.go (the state of a heap as data for any machine), admit.go (such a state from an
//     untrusted file).
//
// The package is large because space, heap and snapshots read the same side tables. About a third
// of its files are one function's variants for different systems.
package memory
