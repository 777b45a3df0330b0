package rt

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Lent buffers as the host knows them: how they are made, and how they become arguments. Package memory has what they are.

// A Buffer is a lent buffer, or a part of one. It is immutable; what it stands for may be gone.
type Buffer struct {
	whole     *memory.Buffer
	off, size uint64
}

// Reasons of an api.BufferError besides api.ErrBufferGone.
var (
	errForeign      = errors.New("the buffer belongs to another instance")
	errNegativeSize = errors.New("negative size")
)

// NewBuffer makes a buffer of size bytes, all zero. No run is under way; collect says that one has begun and yielded, so
// that a collection finds its roots. The status is OK, also with a [api.BufferError], after which nothing has changed; or one
// with which the run ends.
func (vm *VM) NewBuffer(size int, collect bool) (*Buffer, Status, error) {
	bad := func(err error) (*Buffer, Status, error) {
		return nil, OK, fmt.Errorf("gyr: NewBuffer: %w", &api.BufferError{Size: size, Err: err})
	}
	if size < 0 {
		return bad(errNegativeSize)
	}
	vm.SetContext(nil) // the last run's may have ended
	for range 3 {
		b, st, err := vm.Heap.NewBuffer(uint64(size))
		switch {
		case st == memory.StatusOK:
			return &Buffer{b, 0, uint64(size)}, OK, nil
		case st == memory.StatusHost:
			return bad(err)
		case st == memory.StatusLimit, st == memory.StatusCollect && !collect:
			return bad(&api.MemoryLimitError{Limit: vm.memoryLimit()})
		case st != memory.StatusCollect:
			return nil, vm.HeapStatus("new buffer", st), nil
		}
		if st := vm.Collect(); st != OK {
			return nil, st, nil
		}
	}
	return bad(&api.MemoryLimitError{Limit: vm.memoryLimit()})
}

// FreeBuffer gives the whole of a buffer up that Alive reports to be there. No run is under way.
func (vm *VM) FreeBuffer(b *Buffer) { vm.Heap.FreeBuffer(b.whole) }

// Alive reports whether the buffer is not gone. It may be called at any time.
func (b *Buffer) Alive() bool { return b.whole.Alive() }

// Len is the size in bytes.
func (b *Buffer) Len() int { return len(b.Bytes()) }

// Bytes is the host's view of the memory. It may be used as long as somebody holds the Buffer, and no longer shows what the
// guest sees once the buffer is gone.
func (b *Buffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.whole.View()[b.off : b.off+b.size : b.off+b.size]
}

// Slice is the part from lo to hi, which panics as slicing does.
func (b *Buffer) Slice(lo, hi int) *Buffer {
	if _ = b.Bytes()[lo:hi]; b == nil {
		return nil
	}
	return &Buffer{b.whole, b.off + uint64(lo), uint64(hi - lo)}
}

// isBuffer reports whether values of a type of the host's are lent: pointers to structs that begin with a *Buffer. Nobody
// else can name it.
func isBuffer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem().NumField() > 0 &&
		t.Elem().Field(0).Type == reflect.TypeFor[*Buffer]()
}

// bufferOf returns the buffer of such a value, nil if the pointer is.
func bufferOf(v reflect.Value) *Buffer {
	p := (**Buffer)(v.UnsafePointer())
	if p == nil {
		return nil
	}
	return *p
}

// checkLoans looks at the buffers among the arguments of a linked call.
func (c *Call) checkLoans() error {
	for i := range c.args {
		x := &c.args[i]
		if x.form != lent {
			continue
		}
		b := bufferOf(x.value)
		var err error
		switch {
		case b == nil || b.whole.Of(c.vm.Heap) && b.size%uint64(x.typ.Elem.Size) == 0:
			continue
		case b.whole.Of(c.vm.Heap):
			err = fmt.Errorf("its size is no multiple of the %d bytes of an element", x.typ.Elem.Size)
		case b.whole.Alive():
			err = errForeign
		default:
			err = api.ErrBufferGone
		}
		return fmt.Errorf("argument %d: %w", i, &api.BufferError{Size: b.Len(), Err: err})
	}
	return nil
}

// lend writes the slice of a buffer that checkLoans has looked at.
func (vm *VM) lend(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	b := bufferOf(v)
	if b == nil {
		return OK // the memory is zero
	}
	p, n := uint64(b.whole.Lend()), b.size/uint64(t.Elem.Size)
	if n != 0 {
		p += b.off // behind the last byte there is something else
	}
	return vm.putAll(addr, p, n, n)
}
