package rt

import (
	"errors"
	"reflect"
)

// How many bytes values take: their headers and contents in the guest, the same number in both
// directions. What an allocation is rounded up to is not in it, nor is the spare room of maps; a time and
// a handle take their own size, an error the length of its text besides.

// Measure returns the bytes that the value v, of a type that t.Check accepted, takes in the guest. A number above limit
// says that it takes more than limit. The error says what of the value does not cross: a cycle, a type in an
// any that the guest does not have, a map without order, an Error method that panics.
func (vm *VM) Measure(t *GuestType, v reflect.Value, limit int64) (int64, error) {
	m := measurer{vm: vm, n: int64(t.size), limit: limit}
	if err := m.value(t, v, 0); err != nil && !m.over(err) {
		return 0, err
	}
	return m.n, nil
}

// MeasureGuest does the same for the value of type t at an address in the guest. With an error the number is of
// what was looked at until then, so that the guest can be charged for it.
func (vm *VM) MeasureGuest(addr uint32, t *GuestType, limit int64) (int64, error) {
	m := guestMeasurer{decoder: vm.newDecoder(), n: int64(t.size), limit: limit}
	err := m.value(t, addr, 0)
	if err == errOverLimit {
		err = nil
	}
	return m.n, err
}

var errOverLimit = errors.New("over the limit")

type measurer struct {
	vm       *VM
	n, limit int64
	keys     int // levels of keys of maps around the value
}

func (m *measurer) over(err error) bool { return errors.Is(err, errOverLimit) }

func (m *measurer) add(n int, size int) error {
	if m.n += int64(n) * int64(size); m.n > m.limit {
		return errOverLimit
	}
	return nil
}

// value adds what v takes beside its own size.
func (m *measurer) value(t *GuestType, v reflect.Value, depth int) error {
	if depth > maxValueDepth {
		return errTooDeep
	}
	switch t.Kind {
	case reflect.String:
		return m.add(v.Len(), 1)
	case reflect.Slice:
		if err := m.add(v.Len(), int(t.Elem.size)); err != nil {
			return err
		}
		return m.elements(t.Elem, v, depth+1)
	case reflect.Array:
		return m.elements(t.Elem, v, depth)
	case reflect.Struct:
		if t.role == timeRole || t.sealed() {
			return nil
		}
		for i, f := range t.Fields {
			if err := m.value(f.Type, v.Field(i), depth); err != nil {
				return within("field "+f.Name, err)
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if err := m.add(1, int(t.Elem.size)); err != nil {
			return err
		}
		return m.value(t.Elem, v.Elem(), depth+1)
	case reflect.Map:
		return m.mapping(t, v, depth+1)
	case reflect.Interface:
		return m.dynamic(t, v, depth+1)
	}
	return nil
}

func (m *measurer) elements(t *GuestType, v reflect.Value, depth int) error {
	if t.size == 0 || isNumber(t.Kind) {
		return nil
	}
	for i := range v.Len() {
		if err := m.value(t, v.Index(i), depth); err != nil {
			return within("element", err)
		}
	}
	return nil
}

func (m *measurer) mapping(t *GuestType, v reflect.Value, depth int) error {
	if v.IsNil() {
		return nil
	}
	if err := m.add(1, mapSize); err != nil {
		return err
	}
	if err := m.add(v.Len(), int(t.Key.size+t.Elem.size)); err != nil {
		return err
	}
	for it := v.MapRange(); it.Next(); {
		m.keys++
		if err := m.value(t.Key, it.Key(), depth); err != nil {
			return within("key", err)
		}
		m.keys--
		if err := m.value(t.Elem, it.Value(), depth); err != nil {
			return within("element", err)
		}
	}
	if t.Key.judge(); t.Key.traits&hasFloats != 0 {
		keys := sortedKeys(v)
		for i := 1; i < len(keys); i++ {
			if compareKeys(keys[i-1], keys[i]) == 0 {
				return errNaNKeys
			}
		}
	}
	return nil
}

func (m *measurer) dynamic(t *GuestType, v reflect.Value, depth int) error {
	if v.IsNil() {
		return nil
	}
	x := v.Elem()
	if err, ok := errorIn(t, x); ok {
		if m.keys > 0 {
			return errors.New("an error is no key: the host cannot order them")
		}
		text, failed := m.vm.errorText(err)
		if failed != nil {
			return failed
		}
		return m.add(len(text), 1)
	}
	g, err := m.vm.typeFor(x.Type())
	if err != nil {
		return err
	}
	if reason := g.keyReason(0); m.keys > 0 && reason != "" {
		return errors.New(g.name + " " + reason)
	}
	if err := m.add(1, int(g.size)); err != nil {
		return err
	}
	return m.value(g, x, depth)
}

// A guestMeasurer is a decoder that keeps nothing.
type guestMeasurer struct {
	decoder
	n, limit int64
}

func (m *guestMeasurer) add(n uint64) error {
	if n > 1<<32 || m.n > m.limit {
		m.n = max(m.n, m.limit+1)
		return errOverLimit
	}
	if m.n += int64(n); m.n > m.limit {
		return errOverLimit
	}
	return nil
}

// value adds what the value at addr takes beside its own size.
func (m *guestMeasurer) value(t *GuestType, addr uint32, depth int) error {
	if isNumber(t.Kind) {
		return nil
	}
	b, err := m.bytes(addr, uint64(t.size))
	if err != nil {
		return err
	}
	switch t.Kind {
	case reflect.String:
		return m.add(u64(b, 8))
	case reflect.Slice:
		p, n := uint32(u64(b, 0)), u64(b, 8)
		if p == 0 {
			return nil
		}
		if n > 1<<32 {
			return m.add(n)
		}
		size := n * uint64(t.Elem.size)
		if _, err := m.bytes(p, size); err != nil {
			return err
		}
		if err := m.add(size); err != nil {
			return err
		}
		if err := m.follow(size, depth+1); err != nil {
			return err
		}
		return m.elements(t.Elem, p, n, depth+1)
	case reflect.Array:
		return m.elements(t.Elem, addr, uint64(t.Len), depth)
	case reflect.Struct:
		if t.role == timeRole {
			return nil
		}
		for _, f := range t.Fields {
			if err := m.value(f.Type, addr+f.Offset, depth); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		p := uint32(u64(b, 0))
		if p == 0 {
			return nil
		}
		if err := m.add(uint64(t.Elem.size)); err != nil {
			return err
		}
		if err := m.follow(uint64(t.Elem.size), depth+1); err != nil {
			return err
		}
		return m.value(t.Elem, p, depth+1)
	case reflect.Map:
		p := uint32(u64(b, 0))
		if p == 0 {
			return nil
		}
		head, err := m.bytes(p, mapSize)
		if err != nil {
			return err
		}
		if err := m.add(mapSize); err != nil {
			return err
		}
		if err := m.follow(mapSize, depth+1); err != nil {
			return err
		}
		return m.entries(t, head, func(key, elem uint32) error {
			if err := m.add(uint64(t.Key.size) + uint64(t.Elem.size)); err != nil {
				return err
			}
			if err := m.value(t.Key, key, depth+1); err != nil {
				return err
			}
			return m.value(t.Elem, elem, depth+1)
		})
	case reflect.Interface:
		return m.dynamic(t, b, addr, depth+1)
	}
	return nil
}

func (m *guestMeasurer) elements(t *GuestType, addr uint32, n uint64, depth int) error {
	if t.size == 0 || isNumber(t.Kind) {
		return nil
	}
	for i := range uint32(n) {
		if i%1024 == 1023 {
			if err := m.poll(); err != nil {
				return err
			}
		}
		if err := m.value(t, addr+i*t.size, depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *guestMeasurer) dynamic(t *GuestType, b []byte, addr uint32, depth int) error {
	word, err := m.holds(t, b)
	if err != nil || word == 0 {
		return err
	}
	data := uint32(u64(b, 8))
	if x, ok := m.errorOf(errorWords{word, data}); ok {
		return m.add(uint64(len(x.text)))
	}
	if t.role == errorRole {
		return errErrorChanged
	}
	g, err := m.dynamicType(word)
	if err != nil {
		return err
	}
	if err := g.Crosses(); err != nil {
		return err
	}
	if err := m.add(uint64(g.size)); err != nil {
		return err
	}
	if err := m.follow(uint64(g.size), depth); err != nil {
		return err
	}
	if g.direct {
		data = addr + 8
	}
	return m.value(g, data, depth)
}
