package gyr

import (
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// A Buffer is memory of an instance that the host fills and lends to the guest's functions: they get it as a slice, and
// nothing is copied, whatever its size. The guest can read the memory and nobody can write to it on the guest's side: a write
// ends the run with a [*ReadOnlyError].
//
// A *Buffer is lent where it is the argument of [Instance.Call], of a function of [Instance.Bind] or of a [Func], whose field
// has the type *Buffer, for a parameter that is a slice of numbers, or of arrays and structs of numbers: []byte,
// []float64, [][3]int32. Its bytes are the elements, as Go has them in memory on a little-endian machine of 64 bits. The
// only NaN that is the same for a guest however its code was compiled is [math.NaN]. The
// slice's capacity is its length, so that appending to it copies, and a nil *Buffer is a nil slice. All other slices are
// copied, as before.
//
// The loan lasts for the call; then the host may fill the buffer anew. A guest that has kept the slice sees what the host
// writes. Host and guest share the bytes as goroutines share a variable: who fills a buffer while a call runs that it was lent
// to, or that may read a slice which the guest has kept, has a data race, which can harm what the guest computes and nothing else.
//
// Bytes, Len and Slice may be called by any goroutine at any time; the other use of a Buffer is use of its instance.
type Buffer struct {
	b  *rt.Buffer // first: package rt looks for it there
	in *engine.Instance
}

// NewBuffer makes a buffer of size bytes, all zero. It fails with a [*BufferError] if it does not fit into Config.Memory, of
// which it takes its size, rounded up to 64 KiB, from now on until [Buffer.Free], [Instance.Reset] or [Instance.Close]; the
// figure Stats.HeapPeak counts that too. NewBuffer is for programs that were compiled with [Source.Exports], before the first
// call or between calls.
//
// A buffer takes three mappings of the process, and no descriptor. Where the system has no memory that two mappings share
// (anywhere but on Linux) it is a file without a name in [os.TempDir].
func (in *Instance) NewBuffer(size int) (*Buffer, error) {
	b, err := in.engine().NewBuffer(size)
	if err != nil {
		return nil, err
	}
	return &Buffer{b, in.engine()}, nil
}

// Len returns the size in bytes.
func (b *Buffer) Len() int { return b.part().Len() }

// Bytes returns the memory of the buffer, for the host to fill and to read. It is not memory of Go's heap: it may be used
// as long as the Buffer, a part that Slice has made of it, or the instance can be reached. When the buffer is freed, or the
// instance reset or closed, be it by another goroutine, it becomes zeros that nobody else sees, so that who writes there
// does no harm.
func (b *Buffer) Bytes() []byte { return b.part().Bytes() }

// Slice returns the part of the buffer from lo to hi, to be lent without the rest. It shares the buffer's memory, and panics
// where slicing Bytes does.
func (b *Buffer) Slice(lo, hi int) *Buffer { return &Buffer{b.part().Slice(lo, hi), b.in} }

// part is what the Buffer stands for, nil if it is nil or the zero value, which are lent as nil slices and have no bytes.
func (b *Buffer) part() *rt.Buffer {
	if b == nil {
		return nil
	}
	return b.b
}

// Free gives the whole buffer up, also where b is a part of it. If the guest has kept a slice of it, that slice stays readable
// as it is now, and its memory counts and is used for nothing else until the guest's collector finds that nothing leads
// there any more. Freeing twice does nothing; while the instance is in use Free fails with [ErrBusy].
func (b *Buffer) Free() error {
	if b.part() == nil {
		return nil
	}
	return b.in.FreeBuffer(b.b)
}
