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
// MaxDisplacement to Base can't leave the guest memory and its guard, whatever the guest computes.
// The context page lies below Base and belongs to the back end. Host code that gets an offset and a
// length from the guest reads through [Space.Bytes], which checks both.
//
// # Images and resets
//
// On Linux a space that starts from a [Snapshot] maps the snapshot's image, a sealed file, private
// and writable (image_linux.go). The kernel copies a page on the first write to it.
// [Snapshot.Restore] resets such a space (rewind_linux.go):
//
//   - The pages that were written to are those of the mapping that are no longer the file's. The
//     kernel tells which (ioctl PAGEMAP_SCAN, Linux 6.7). Nothing is protected or registered, and a
//     write without a later reset costs nothing. The call takes about 9 ns for each page that the
//     space has read or written, and 3 µs at most for a usual program.
//   - Each such page is compared with the image, which takes 0.05 to 0.1 µs in the cache. If it
//     differs it is copied, which takes the same again. The space keeps the page: no page table
//     changes, so no processor has to flush anything, and the next write does not fault.
//   - A page of the space's own stays one whether or not it is written to again. So the number of
//     such pages is what the space has written to since the image was mapped, not since the last
//     reset. The comparison finds which of them differ. When many are equal for many resets in a
//     row, they go back to the kernel.
//   - Memory after the image is unmapped. Above 512 pages, or if the kernel cannot tell, the image
//     is mapped anew.
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
// Allocating is one comparison, one store of the header and one addition, and tiers do it inline.
// The header is the word before the object:
//
//	bits  0..31  size of the object in 8-byte words
//	bits 32..55  layout number
//	bits 56..63  flags (none yet)
//
// A layout number indexes a table on the host's side that tells which words of an element are
// pointers. An object larger than one element repeats it.
//
// When an object does not fit the window, [Heap.Alloc] takes the slow path:
//
//   - Small objects (up to a line, header included) take the next hole, a run of free lines in a
//     block that holds live objects, then whole free blocks.
//   - Medium objects (up to 16 KiB) take a free block, so that they do not make holes unused. They
//     take a wide enough hole only if more blocks are in use than the live objects can explain. The
//     previous window is kept as a spare one.
//   - Large objects have a run of whole blocks of their own, first fit by address.
//
// Blocks also hold the chunks of the shadow stacks ([Heap.AllocChunk]). Memory that the host lends
// to the guest (buffer.go) lies above all blocks, at the end of the guest's memory.
//
// # What is known of an object
//
// Side tables, outside guest memory, hold two bits for every 8 bytes: start (an object starts here)
// and mark (it was reached in this collection). Inline allocation sets neither. Start bits are made
// by walking the headers of the lines that were filled since the last collection, and only in
// blocks that a pointer leads into (index.go). So the guest's fast path is short, and garbage costs
// nothing.
//
// An interior pointer finds its object by the nearest start bit at or below it, 64 words at a time.
// A pointer just past the end of an object points to the next header and keeps nothing alive.
//
// # Collection
//
// The heap does not know the roots and does not run by itself. Alloc returns [StatusCollect] when
// as many bytes were allocated since the last collection as survived it (at least 4 MiB). The
// caller collects and repeats the Alloc:
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
//     tells which limit of the system was reached; pages*.go is memory of the host outside Go's
//     heap; buffer*.go lends memory to the guest.
//   - Allocating: heap.go, window.go (the slow path), block.go, large.go, chunk.go (shadow stacks),
//     layout.go (pointer layouts), bound.go and units.go (the memory limit).
//   - Collecting: pace.go (when), mark.go, index.go (start bits), special.go (finalizers, weak
//     pointers), sweep.go, and sort.go; objects.go lists objects, stats.go has figures, status.go
//     outcomes, debug.go stresses the collector.
//   - States: snapshot.go with snapshot_store.go and snapshot_whole.go (memory at a moment),
//     image*.go and rewind_linux.go (images and resets), checkpoint.go and track_*.go (going back
//     to a moment), portable.go (a state as data) and admit.go (a state from an untrusted file).
//
// The package is large because space, heap and snapshots read the same side tables. Half of its
// files are the variants of single functions by system.
package memory
