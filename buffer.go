package gyr

import (
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Buffer is memory of an instance that the host fills and lends to the guest's functions. They
// get it as a slice, without a copy, whatever its size. The guest can read the memory. A write by
// the guest ends the run with a [*ReadOnlyError].
//
// A *Buffer is an argument of [Instance.Call] or of a function of [Instance.Bind], or a field of
// type *Buffer in the arguments of a [Func]. The parameter is a slice of numbers, or of arrays and
// structs of numbers: []byte, []float64, [][3]int32. The buffer's bytes are the elements, in the
// memory layout of Go on a little-endian machine of 64 bits. The only NaN that is the same for a
// guest in every tier is [math.NaN]. The slice's capacity is its length, so that appending to it
// copies. A nil *Buffer is a nil slice. All other slices are copied.
//
// The loan lasts for the call; then the host may fill the buffer anew. A guest that has kept the
// slice sees what the host writes. Host and guest share the bytes as goroutines share a variable.
// It is a data race to fill a buffer while a call runs to which it was lent, or which may read a
// slice that the guest has kept. Such a race can harm only what the guest computes.
//
// Any goroutine may call Bytes, Len and Slice at any time. Every other use of a Buffer is a use of
// its instance.
type Buffer struct {
	b  *rt.Buffer // first: package rt expects it there
	in *engine.Instance
}

// NewBuffer makes a buffer of size bytes, all zero. The size, rounded up to 64 KiB, counts against
// Config.Memory until [Buffer.Free], [Instance.Reset] or [Instance.Close]; Stats.HeapPeak includes
// it too. A buffer that does not fit is a [*BufferError]. NewBuffer is for programs that were
// compiled with [Source.Exports], before the first call or between calls.
//
// A buffer takes three mappings of the process and no descriptor. Where the system has no memory
// that two mappings can share (anywhere but on Linux) it is an unnamed file in [os.TempDir].
func (in *Instance) NewBuffer(size int) (*Buffer, error) {
	b, err := in.engine().NewBuffer(size)
	if err != nil {
		return nil, err
	}
	return &Buffer{b, in.engine()}, nil
}

// Len returns the size in bytes.
func (b *Buffer) Len() int { return b.part().Len() }

// Bytes returns the memory of the buffer, for the host to fill and to read. It is not memory of
// Go's heap. It may be used as long as the Buffer, a part made by Slice, or the instance is
// reachable. When the buffer is freed, or the instance reset or closed, even by another goroutine,
// the bytes become private zero pages, where late writes are harmless.
func (b *Buffer) Bytes() []byte { return b.part().Bytes() }

// Slice returns the part of the buffer from lo to hi, to be lent without the rest. It shares the
// buffer's memory and panics where slicing Bytes does.
func (b *Buffer) Slice(lo, hi int) *Buffer { return &Buffer{b.part().Slice(lo, hi), b.in} }

// part returns the buffer in package rt. It is nil for nil and for the zero value, which are lent
// as nil slices and have no bytes.
func (b *Buffer) part() *rt.Buffer {
	if b == nil {
		return nil
	}
	return b.b
}

// Free releases the whole buffer, even if b is only a part of it. If the guest has kept a slice of
// it, that slice stays readable with its present content. Its memory then counts, and is not
// reused, until the guest's collector finds it unreachable. Freeing twice does nothing. Free fails
// with [ErrBusy] while the instance is in use.
func (b *Buffer) Free() error {
	if b.part() == nil {
		return nil
	}
	return b.in.FreeBuffer(b.b)
}
