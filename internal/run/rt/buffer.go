package rt

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Lent buffers on the host's side: how they are made and become arguments. Package memory explains
// them.

// A Buffer is a lent buffer, or a part of one. It is immutable; its memory may be gone.
type Buffer struct {
	whole     *memory.Buffer
	off, size uint64
}

// Reasons of an api.BufferError besides api.ErrBufferGone.
var (
	errForeign      = errors.New("the buffer belongs to another instance")
	errNegativeSize = errors.New("negative size")
)

// NewBuffer makes a buffer of size zero bytes. No run may be under way. collect says that a run has
// begun and yielded, so that a collection finds its roots. The status is OK if the buffer was made,
// or if the error is an [api.BufferError] and nothing has changed. Any other status ends the run.
func (vm *VM) NewBuffer(size int, collect bool) (*Buffer, Status, error) {
	bad := func(err error) (*Buffer, Status, error) {
		return nil, OK, fmt.Errorf("gyr: NewBuffer: %w", &api.BufferError{Size: size, Err: err})
	}
	if size < 0 {
		return bad(errNegativeSize)
	}
	vm.SetContext(nil) // the last run's context may have ended
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

// FreeBuffer frees the whole buffer, which must be alive. No run may be under way.
func (vm *VM) FreeBuffer(b *Buffer) { vm.Heap.FreeBuffer(b.whole) }

// Alive reports whether the buffer still exists. It may be called at any time.
func (b *Buffer) Alive() bool { return b.whole.Alive() }

// Len returns the size in bytes.
func (b *Buffer) Len() int { return len(b.Bytes()) }

// Bytes is the host's view of the memory. It may be used while the Buffer is reachable. Once the
// buffer is gone, it no longer shows what the guest sees.
func (b *Buffer) Bytes() []byte {
	if b == nil {
		return nil
	}
	return b.whole.View()[b.off : b.off+b.size : b.off+b.size]
}

// Slice returns the part from lo to hi. It panics as slicing does.
func (b *Buffer) Slice(lo, hi int) *Buffer {
	if _ = b.Bytes()[lo:hi]; b == nil {
		return nil
	}
	return &Buffer{b.whole, b.off + uint64(lo), uint64(hi - lo)}
}

// isBuffer reports whether values of a host type are lent: pointers to structs that begin with a
// *Buffer. No other package can name that type.
func isBuffer(t reflect.Type) bool {
	return t.Kind() == reflect.Pointer && t.Elem().Kind() == reflect.Struct && t.Elem().NumField() > 0 &&
		t.Elem().Field(0).Type == reflect.TypeFor[*Buffer]()
}

// bufferOf returns the buffer of such a value, nil for a nil pointer.
func bufferOf(v reflect.Value) *Buffer {
	p := (**Buffer)(v.UnsafePointer())
	if p == nil {
		return nil
	}
	return *p
}

// checkLoans checks the buffers among the arguments of a linked call.
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

// lend writes the slice of a buffer that checkLoans has checked.
func (vm *VM) lend(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	b := bufferOf(v)
	if b == nil {
		return OK // the memory is zero
	}
	p, n := uint64(b.whole.Lend()), b.size/uint64(t.Elem.Size)
	if n != 0 {
		p += b.off // an empty slice must not point past the last byte
		vm.floats(t.Elem, b.Bytes())
	}
	return vm.putAll(addr, p, n, n)
}
