package rt

import (
	"fmt"
	"io"
	"reflect"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Handles. A guest holds an object of the host as a number: the index in a table of the instance.
// The host looks the number up there, with the type that it expects. So a number that a guest made
// up is at worst another object of the same type that this instance has been given.

// A Handle is an object of the host for guests. The zero value refers to nothing, and is 0 in a
// guest.
type Handle[T any] struct{ p *object }

// object is the target of handles.
type object struct {
	value  any
	typ    reflect.Type // T
	closed atomic.Bool
	once   sync.Once
	err    error // of Close
}

// NewHandle returns a handle of v.
func NewHandle[T any](v T) Handle[T] {
	return Handle[T]{&object{value: v, typ: reflect.TypeFor[T]()}}
}

// Value returns the object, or the zero value of T.
func (h Handle[T]) Value() (v T) {
	if h.p != nil {
		v, _ = h.p.value.(T)
	}
	return v
}

// Close closes the object once, if it is an io.Closer. Afterwards instances refuse its numbers.
func (h Handle[T]) Close() error {
	if h.p == nil {
		return nil
	}
	return h.p.close()
}

func (o *object) close() error {
	o.once.Do(func() {
		o.closed.Store(true)
		if c, ok := o.value.(io.Closer); ok {
			o.err = c.Close()
		}
	})
	return o.err
}

// handled is implemented by all types Handle[T].
type handled interface{ objectType() reflect.Type }

// IsHandle identifies the type to package hostpkg, which cannot import this one.
func (Handle[T]) IsHandle() {}

func (Handle[T]) objectType() reflect.Type { return reflect.TypeFor[T]() }

// objectType returns T if h is Handle[T], or the public type: a struct with Handle[T] as its only
// field. Otherwise it returns nil.
func objectType(h reflect.Type) reflect.Type {
	if h.Kind() != reflect.Struct || h.NumField() != 1 {
		return nil
	}
	if !h.Implements(reflect.TypeFor[handled]()) {
		if h = h.Field(0).Type; h.Kind() != reflect.Struct || !h.Implements(reflect.TypeFor[handled]()) {
			return nil
		}
	}
	return reflect.Zero(h).Interface().(handled).objectType()
}

// handles is the table of an instance.
type handles struct {
	list    []*object // number n is at n-1
	numbers map[any]uint64
}

// handleUnits is what a handle counts against the memory limit.
const handleUnits = 128

// objectKey is the identity of an object whose type is comparable.
type objectKey struct {
	typ   reflect.Type
	value any
}

// handleNumber returns the number of an object, and enters the object if it is missing.
func (vm *VM) handleNumber(o *object) (uint64, Status) {
	if o == nil {
		return 0, OK
	}
	t := &vm.handles
	var key any = o
	if v := reflect.ValueOf(o.value); v.IsValid() && v.Comparable() {
		key = objectKey{o.typ, o.value}
	}
	if n := t.numbers[key]; n != 0 {
		return n, OK
	}
	if st := vm.Charge(handleUnits); st != OK {
		return 0, st
	}
	if t.numbers == nil {
		t.numbers = map[any]uint64{}
	}
	t.list = append(t.list, o)
	n := uint64(len(t.list))
	t.numbers[key] = n
	return n, OK
}

// object returns the object of type typ with a number.
func (t *handles) object(n uint64, typ reflect.Type) (*object, error) {
	switch {
	case n == 0:
		return nil, nil
	case n > uint64(len(t.list)):
		return nil, fmt.Errorf("there is no handle %d", n)
	}
	o := t.list[n-1]
	switch {
	case o.typ != typ:
		return nil, fmt.Errorf("handle %d is a %s, not a %s", n, o.typ, typ)
	case o.closed.Load():
		return nil, fmt.Errorf("handle %d, a %s, is closed", n, typ)
	}
	return o, nil
}

// closeWait is how long Close waits for objects that close.
const closeWait = 10 * time.Millisecond

// takeClosers empties the table and returns its objects that can be closed, the last one first.
func (vm *VM) takeClosers() (list []*object) {
	for _, o := range slices.Backward(vm.handles.list) {
		if _, ok := o.value.(io.Closer); ok {
			list = append(list, o)
		}
	}
	vm.handles = handles{}
	return list
}

// CloseHandles closes the host objects that the guest knows and waits for all of them. VM.Close
// waits only for closeWait.
func (vm *VM) CloseHandles() {
	defer vm.Config.Stop.Enter(vm.Config.Stop.Enter(InHandle))
	closeAll(vm.takeClosers())
}

// closeSoon closes objects on a goroutine of their own, and waits for at most closeWait.
func closeSoon(list []*object) {
	if len(list) == 0 {
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		closeAll(list)
	}()
	timer := time.NewTimer(closeWait)
	defer timer.Stop()
	select {
	case <-done:
	case <-timer.C:
	}
}

// closeAll closes objects. It drops their errors and panics.
func closeAll(list []*object) {
	for _, o := range list {
		func() {
			defer func() { recover() }()
			o.close()
		}()
	}
}
