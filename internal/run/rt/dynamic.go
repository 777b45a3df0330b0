package rt

import (
	"errors"
	"fmt"
	"reflect"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Values of type any and of type error.
//
// The type descriptor of a guest's any tells what it holds. The value in an any of the host is
// written as a value of a type of the guest. That is a basic type, one that the guest's runtime
// names (the kit), or one with a descriptor in the program that has the same structure and, apart
// from the package, the same name. A guest without a descriptor of a type has no code that could
// ask for it.
//
// An error crosses as its text and the sentinels that it is (VM.Sentinels). The guest makes the
// text of its error before the host reads the value (gyr_lift in the overlay's runtime/values.go).

// crossing is what a VM knows about values that cross.
type crossing struct {
	kit    kit
	byHost map[reflect.Type]*guesttype.Type // for values in an any
}

// kit is the overlay's gyr_kit.
type kit struct {
	named     bool
	at        uint32 // its own address
	errorTab  uint32
	errorType uint32
	failure   *guesttype.Type // hostError
	record    *guesttype.Type // gyr_map
	pending   uint32          // addresses of variables
	lifted    uint32
	sentinels uint32
}

var errNoKit = fmt.Errorf("%w: values cross that nobody has announced", memory.ErrCorrupt)

var errErrorChanged = errors.New("an error changed while its text was made")

const maxKitTypes = 64

// hostValues(kit) reads the addresses that the guest's runtime names.
func hostValues(vm *VM, a *ir.Args) Status {
	bad := func() Status { return vm.Fail("values", memory.ErrCorrupt) }
	b, ok := vm.bytes(a[0], 9*8)
	if !ok {
		return vm.badAddress("values", a[0], 9*8)
	}
	word := func(i int) uint32 { return uint32(guesttype.U64(b, 8*i)) }
	k := kit{errorTab: word(0), errorType: word(1), pending: word(3), lifted: word(4), sentinels: word(5)}
	pointer, err := vm.guestType(k.errorType)
	if err != nil || pointer.Kind != reflect.Pointer || pointer.Elem.Size != 40 {
		return bad()
	}
	k.failure = pointer.Elem
	if k.record, err = vm.guestType(word(2)); err != nil || k.record.Size != 48 {
		return bad()
	}
	n := guesttype.U64(b, 7*8)
	list, ok := vm.bytes(uint64(word(6)), n*16)
	if n > maxKitTypes || !ok {
		return bad()
	}
	byHost := map[reflect.Type]*guesttype.Type{}
	for i := range int(n) {
		t, err := vm.guestType(uint32(guesttype.U64(list, 16*i)))
		if err != nil {
			return bad()
		}
		h, err := t.HostType()
		if err != nil {
			return bad()
		}
		byHost[h] = t
	}
	k.named, k.at = true, uint32(a[0])
	vm.crossing.kit, vm.crossing.byHost = k, byHost
	return OK
}

// guestType returns the type whose descriptor is at an address.
func (vm *VM) guestType(addr uint32) (*guesttype.Type, error) {
	ts := vm.Config.Types
	if ts == nil {
		ts = NewTypes(vm.Mod)
		vm.Config.Types = ts
	}
	return ts.At(addr)
}

// holds returns the address of the type of the value in the interface b of type t, 0 if b is nil.
func (w *walker) holds(t *guesttype.Type, b []byte) (word uint32, err error) {
	word = uint32(guesttype.U64(b, 0))
	if word == 0 || t.Role != guesttype.ErrorRole {
		return word, nil
	}
	tab, err := w.bytes(word, guesttype.ItabType+8)
	if err != nil {
		return 0, err
	}
	return uint32(guesttype.U64(tab, guesttype.ItabType)), nil
}

// dynamicType returns the type of the value in an any of the guest. It refuses types that package
// reflect made in the guest: a guest could make any number, and the host's package reflect never
// frees what it makes.
func (w *walker) dynamicType(addr uint32) (*guesttype.Type, error) {
	if _, ok := w.vm.Mod.TypeLayout(addr); !ok {
		return nil, errors.New("a type that package reflect has made in the guest does not cross")
	}
	return w.vm.guestType(addr)
}

// dynamic decodes the interface at addr.
func (d *decoder) dynamic(v reflect.Value, t *guesttype.Type, addr uint32, depth int) error {
	b, err := d.bytes(addr, 16)
	if err != nil {
		return err
	}
	word, err := d.holds(t, b)
	if err != nil {
		return err
	}
	if word == 0 {
		v.SetZero()
		return nil
	}
	data := uint32(guesttype.U64(b, 8))
	x, ok, err := d.errorOf(errorWords{word, data})
	if err != nil {
		return err
	}
	if ok {
		if err := d.follow(uint64(x.size), depth); err != nil {
			return err
		}
		err, failed := d.liftedError(x)
		if failed != nil {
			return failed
		}
		v.Set(reflect.ValueOf(err))
		return nil
	}
	if t.Role == guesttype.ErrorRole {
		return errErrorChanged
	}
	g, err := d.dynamicType(word)
	if err != nil {
		return err
	}
	h, err := g.HostType()
	if err != nil {
		return err
	}
	if err := d.follow(uint64(g.Size), depth); err != nil {
		return err
	}
	if err := d.take(1, h.Size()); err != nil {
		return err
	}
	if g.Direct {
		data = addr + 8
	}
	held := reflect.New(h).Elem()
	if err := d.decode(held, g, data, depth); err != nil {
		return err
	}
	v.Set(held)
	return nil
}

// dynamic writes an interface.
func (e *encoder) dynamic(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	if v.IsNil() {
		return OK
	}
	vm := e.vm
	if !vm.crossing.kit.named {
		return vm.Fail("call", errNoKit)
	}
	x := v.Elem()
	if err, ok := errorIn(t, x); ok {
		return e.failure(addr, t, err)
	}
	g, err := vm.typeFor(x.Type())
	if err != nil {
		return vm.Fail("call", err)
	}
	if st := vm.put(addr, uint64(g.Addr), 8); st != OK {
		return st
	}
	if g.Direct {
		return e.encode(addr+8, g, x)
	}
	p, st := vm.allocate(g, 1)
	if st == OK {
		st = vm.put(addr+8, uint64(p), 8)
	}
	if st != OK {
		return st
	}
	return e.encode(p, g, x)
}

// typeFor returns the guest's type for values of the host's type h in an any.
func (vm *VM) typeFor(h reflect.Type) (*guesttype.Type, error) {
	c := &vm.crossing
	if t := c.byHost[h]; t != nil {
		return t, nil
	}
	found, err := vm.Config.Types.TypeFor(h)
	if err != nil {
		return nil, err
	}
	if c.byHost == nil {
		c.byHost = map[reflect.Type]*guesttype.Type{}
	}
	c.byHost[h] = found
	return found, nil
}

// errorWords identify an error of the guest: its type, and the data word of an interface that holds
// it.
type errorWords struct{ typ, data uint32 }

// lifted is what the guest reported about an error, in the overlay's gyr_error.
type lifted struct {
	at      uint32 // of the gyr_error
	size    int64  // of the text
	count   int64  // sentinels that the error is
	exactly int
	err     error // the host's error, once it is made
}

// Offsets in the overlay's gyr_error.
const (
	liftedText    = 16
	liftedIs      = 32
	liftedExactly = 56
	liftedSize    = 64
)

const (
	maxLifted   = 1 << 24
	maxSentinel = 1 << 10
)

// errorOf returns what the guest reported about an error; ok is false if it reported nothing.
func (d *decoder) errorOf(w errorWords) (x *lifted, ok bool, err error) {
	if d.lifted == nil {
		if err := d.readLifted(); err != nil {
			return nil, false, err
		}
	}
	x, ok = d.lifted[w]
	return x, ok, nil
}

// readLifted reads the guest's reports. It leaves out what cannot be read.
func (d *decoder) readLifted() error {
	k := &d.vm.crossing.kit
	d.lifted = map[errorWords]*lifted{}
	if !k.named {
		return nil
	}
	head, err := d.bytes(k.lifted, 16)
	if err != nil {
		return nil
	}
	n := guesttype.U64(head, 8)
	if n > maxLifted {
		return nil
	}
	at := uint32(guesttype.U64(head, 0))
	list, err := d.bytes(at, n*liftedSize)
	if err != nil {
		return nil
	}
	if err := d.extra(2 * int64(n)); err != nil {
		return err
	}
	for ; len(list) > 0; list, at = list[liftedSize:], at+liftedSize {
		if err := d.follow(liftedSize, 0); err != nil {
			return err
		}
		w := errorWords{uint32(guesttype.U64(list, 0)), uint32(guesttype.U64(list, 8))}
		if _, ok := d.lifted[w]; ok {
			continue
		}
		size, is := guesttype.U64(list, liftedText+8), guesttype.U64(list, liftedIs+8)
		if size > 1<<32 || is > maxSentinel {
			return nil
		}
		d.lifted[w] = &lifted{at: at, size: int64(size), count: int64(is), exactly: int(int64(guesttype.U64(list, liftedExactly)))}
	}
	return nil
}

// liftedError returns the host's error for an error of the guest.
func (d *decoder) liftedError(x *lifted) (e error, failed error) {
	sentinels := d.vm.Sentinels
	switch {
	case x.err != nil:
		return x.err, d.take(uint64(x.size), 1)
	case x.exactly >= 0 && x.exactly < len(sentinels):
		x.err = sentinels[x.exactly]
		return x.err, nil
	}
	b, err := d.bytes(x.at, liftedSize)
	if err != nil {
		return nil, err
	}
	c := &crossedError{}
	if c.text, err = d.text(b[liftedText:]); err != nil {
		return nil, err
	}
	is, err := d.bytes(uint32(guesttype.U64(b, liftedIs)), uint64(x.count)*8)
	if err != nil {
		return nil, err
	}
	for i := range int(min(x.count, int64(len(sentinels)))) { // each sentinel occurs once
		if n := int(int64(guesttype.U64(is, i*8))); n >= 0 && n < len(sentinels) {
			c.is = append(c.is, sentinels[n])
		}
	}
	x.err = c
	return c, nil
}

// A crossedError is an error of the guest in a value: its text, and the host's sentinels that it
// is.
type crossedError struct {
	text string
	is   []error
}

func (e *crossedError) Error() string   { return e.text }
func (e *crossedError) Unwrap() []error { return e.is }

// errorIn returns the error that an interface of type t holds. In an any, every value with the
// method is one.
func errorIn(t *guesttype.Type, x reflect.Value) (error, bool) {
	if t.Role == guesttype.AnyRole && !x.Type().Implements(guesttype.RoleTypes[guesttype.ErrorRole]) {
		return nil, false
	}
	err, ok := x.Interface().(error)
	return err, ok
}

// errorText calls Error, which may panic.
func (vm *VM) errorText(err error) (text string, failed error) {
	defer vm.Config.Stop.Enter(vm.Config.Stop.Enter(InError))
	defer func() {
		if r := recover(); r != nil {
			failed = fmt.Errorf("the Error method of %T panicked: %v", err, r)
		}
	}()
	return err.Error(), nil
}

// sentinelsOf returns the numbers of the sentinels that err is, and which one it equals, or -1.
func (vm *VM) sentinelsOf(err error) (is []uint64, exactly int) {
	exactly = -1
	defer vm.Config.Stop.Enter(vm.Config.Stop.Enter(InError))
	for i, s := range vm.Sentinels {
		if s == nil || !errors.Is(err, s) {
			continue
		}
		if exactly < 0 && reflect.TypeOf(err).Comparable() && err == s {
			exactly = i
		}
		is = append(is, uint64(i))
	}
	return is, exactly
}

// In frames of host functions, an error that is the last result is a number and a text. The number
// is 0 for nil, 1 for an error that is not a sentinel, and 2 plus its number for a sentinel.

// errorNumber returns the number for an error of the host.
func (vm *VM) errorNumber(err error) int {
	switch is, exactly := vm.sentinelsOf(err); {
	case exactly >= 0:
		return exactly + 2
	case len(is) > 0:
		return int(is[0]) + 2
	}
	return 1
}

// errorOf returns the host's error for the number and text of an error of the guest.
func (vm *VM) errorOf(n int, text string) error {
	if n == 0 {
		return nil
	}
	e := &crossedError{text: text}
	if n -= 2; n >= 0 && n < len(vm.Sentinels) && vm.Sentinels[n] != nil {
		if s := vm.Sentinels[n]; s.Error() == text {
			return s
		}
		e.is = vm.Sentinels[n : n+1 : n+1]
	}
	return e
}

// failure writes an error of the host to the interface of type t at addr.
func (e *encoder) failure(addr uint32, t *guesttype.Type, err error) Status {
	vm, k := e.vm, &e.vm.crossing.kit
	is, exactly := vm.sentinelsOf(err)
	if exactly >= 0 {
		if b, ok := vm.sentinel(exactly); ok && guesttype.U64(b, 0) != 0 {
			word := guesttype.U64(b, 0)
			if t.Role == guesttype.AnyRole {
				tab, ok := vm.bytes(word, guesttype.ItabType+8)
				if !ok {
					return vm.badAddress("call", word, guesttype.ItabType+8)
				}
				word = guesttype.U64(tab, guesttype.ItabType)
			}
			return vm.putAll(addr, word, guesttype.U64(b, 8))
		}
	}
	text, failed := vm.errorText(err)
	if failed != nil {
		return vm.Fail("call", failed)
	}
	p, st := vm.allocate(k.failure, 1)
	if st != OK {
		return st
	}
	word := k.errorTab
	if t.Role == guesttype.AnyRole {
		word = k.errorType
	}
	if st := vm.putAll(addr, uint64(word), uint64(p)); st != OK {
		return st
	}
	if st := vm.putString(p, text); st != OK || len(is) == 0 {
		return st
	}
	list, st := vm.Alloc(ir.NoPointers, uint64(8*len(is)))
	if st == OK {
		st = vm.putAll(list, is...)
	}
	if st == OK {
		st = vm.putAll(p+16, uint64(list), uint64(len(is)), uint64(len(is)))
	}
	return st
}

// sentinel returns the guest's value of a sentinel error, the two words of an interface.
func (vm *VM) sentinel(n int) ([]byte, bool) {
	head, ok := vm.Space.Bytes(uint64(vm.crossing.kit.sentinels), 16)
	if !ok || uint64(n) >= guesttype.U64(head, 8) {
		return nil, false
	}
	p, ok := vm.bytes(guesttype.U64(head, 0)+uint64(8*n), 8)
	if !ok {
		return nil, false
	}
	return vm.bytes(guesttype.U64(p, 0), 16)
}

// NewTypes returns the types of a module, all of them still unread.
func NewTypes(mod *ir.Module) *guesttype.Types {
	return guesttype.New(mod, guesttype.HostTypes{Handle: func(h reflect.Type) bool { return objectType(h) != nil }, Buffer: isBuffer})
}
