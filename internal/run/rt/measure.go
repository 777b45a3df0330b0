package rt

import (
	"errors"
	"math/bits"
	"reflect"
	"unsafe"

	"github.com/gyrvm/gyr/internal/run/guesttype"
)

// Weights of values that cross. A value has bytes, in headers and contents, the same number in both
// directions, and parts, each visited on its own. The guest pays, by charges in its code, before
// the value is read or written: it asks for the weight, or the host reports the weight of what
// waits. Weighing stops at the point that nobody could pay for, and polls. So no value is visited
// for longer than the gas, the deadline and the context of the call allow.
//
// The bytes leave out the rounding of allocations and the spare room of maps. A time and a handle
// count their own size, an error the length of its text in addition.

const (
	partUnits   = 10 // units of gas for a part
	bytesAUnit  = 8  // bytes for a unit
	refParts    = 2  // parts of a reference and the object that it leads to
	entryParts  = 8  // parts of an entry of a map, without those of key and element
	zoneParts   = 40 // parts of finding the zone of a time by a rule, after all changes of its location
	namePart    = 32 // bytes of a zone's name for a part
	changesPart = 4  // changes of a location that are visited for a part
)

// smallWeight is a weight up to which values are written before payment is checked.
const smallWeight = 1 << 12

// maxWeight is a weight for which there is never enough gas.
const maxWeight = 1 << 50

// crossUnits returns the gas for the crossing of values.
func crossUnits(parts, bytes int64) int64 { return parts*partUnits + bytes/bytesAUnit }

// A tally counts parts and bytes.
type tally struct {
	vm      *VM
	own     int64 // bytes of the values themselves
	content int64 // bytes that references lead to
	parts   int64

	room    int64 // the most bytes of contents
	limit   int64 // units that can be paid
	perByte int64 // units that the host asks for each byte of contents in addition
	polled  int64 // parts at the last poll
}

func (vm *VM) newTally(perByte int64) tally {
	return tally{vm: vm, room: int64(min(vm.memoryLimit(), 1<<40)), limit: vm.gasLeft(), perByte: perByte}
}

// gasLeft returns the units that the run can pay.
func (vm *VM) gasLeft() int64 { return vm.Exec.GasLeft() }

// units returns the weight in gas.
func (y *tally) units() int64 {
	return min(maxWeight, crossUnits(y.parts, y.own+y.content)+min(maxWeight>>20, y.content)*y.perByte)
}

var (
	// errUnpaid says that the gas does not suffice for more.
	errUnpaid = errors.New("there is no gas for more")
	// errTooLarge says that a value takes more bytes than the guest's memory may have.
	errTooLarge = errors.New("it takes more than the instance's memory limit")
)

// add counts parts, and bytes that references lead to, before they are visited.
func (y *tally) add(parts, content int64) error {
	if content < 0 || content > y.room-y.content {
		y.content = y.room + 1
		return errTooLarge
	}
	y.parts += parts
	y.content += content
	if y.parts-y.polled >= pollParts {
		if y.units() > y.limit {
			return errUnpaid
		}
		y.polled = y.parts
		if y.vm.mustStop() {
			return errInterrupted
		}
	}
	return nil
}

// pollParts is how many parts are visited between polls. The slowest takes some hundred
// nanoseconds.
const pollParts = 256

// value counts a value of type t. It reports whether the value has more to visit.
func (y *tally) value(t *guesttype.Type) (more bool, err error) {
	y.own += int64(t.Size)
	return t.Refs, y.add(t.Parts, 0)
}

// A measurer weighs values of the host.
type measurer struct {
	*tally
	keys int // how many keys of maps enclose the value
}

// weighHost weighs a value of the host, whose type t.Check accepted. The error tells which part
// does not cross: a cycle, a type in an any that the guest does not have, a map without order, an
// Error method that panics. Or it is one of errTooLarge, errUnpaid and errInterrupted.
func (y *tally) weighHost(t *guesttype.Type, v reflect.Value) error {
	more, err := y.value(t)
	if err != nil || !more {
		return err
	}
	m := measurer{tally: y}
	return m.value(t, v, 0)
}

// value adds what v refers to. Its own parts are counted already.
func (m *measurer) value(t *guesttype.Type, v reflect.Value, depth int) error {
	if depth > maxValueDepth {
		return errTooDeep
	}
	switch t.Kind {
	case reflect.String:
		return m.add(0, int64(v.Len()))
	case reflect.Slice:
		if t.Elem.Kind == reflect.String {
			return m.strings(t.Elem, unsafe.Slice((*string)(v.UnsafePointer()), v.Len()))
		}
		if err := m.list(t.Elem, v.Len()); err != nil || !t.Elem.Refs {
			return err
		}
		return m.elements(t.Elem, v, depth+1)
	case reflect.Array:
		return m.elements(t.Elem, v, depth)
	case reflect.Struct:
		if t.Role == guesttype.TimeRole {
			name, _ := timeOf(v).Zone()
			return m.add(int64(len(name))/namePart, 0)
		}
		for i, f := range t.Fields {
			if f.Type.Refs {
				if err := m.value(f.Type, v.Field(i), depth); err != nil {
					return guesttype.Within("field "+f.Name, err)
				}
			}
		}
	case reflect.Pointer:
		if v.IsNil() {
			return nil
		}
		if err := m.list(t.Elem, 1); err != nil || !t.Elem.Refs {
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

// list counts n values of type t that a reference leads to.
func (y *tally) list(t *guesttype.Type, n int) error {
	parts := int64(refParts)
	if t.Size != 0 && !guesttype.IsNumber(t.Kind) {
		parts += guesttype.MulSat(int64(n), t.Parts)
	}
	return y.add(parts, int64(n)*int64(t.Size))
}

// strings weighs what a slice of strings refers to. t is the type of its elements.
func (y *tally) strings(t *guesttype.Type, list []string) error {
	if err := y.list(t, len(list)); err != nil {
		return err
	}
	n := int64(0)
	for i, s := range list {
		if i%pollParts == pollParts-1 && y.vm.mustStop() {
			return errInterrupted
		}
		n += int64(len(s))
	}
	return y.add(0, n)
}

func (m *measurer) elements(t *guesttype.Type, v reflect.Value, depth int) error {
	if !t.Refs {
		return nil
	}
	for i := range v.Len() {
		if err := m.value(t, v.Index(i), depth); err != nil {
			return guesttype.Within("element", err)
		}
	}
	return nil
}

func (m *measurer) mapping(t *guesttype.Type, v reflect.Value, depth int) error {
	if v.IsNil() {
		return nil
	}
	n := int64(v.Len())
	perEntry := entryParts + t.Key.Whole*int64(1+bits.Len64(uint64(n))) + t.Elem.Parts // keys are sorted
	if err := m.add(refParts+guesttype.MulSat(n, perEntry), mapSize+n*int64(t.Key.Size+t.Elem.Size)); err != nil {
		return err
	}
	if t.Key.Refs || t.Elem.Refs {
		for it := v.MapRange(); it.Next(); {
			if t.Key.Refs {
				m.keys++
				if err := m.value(t.Key, it.Key(), depth); err != nil {
					return guesttype.Within("key", err)
				}
				m.keys--
			}
			if t.Elem.Refs {
				if err := m.value(t.Elem, it.Value(), depth); err != nil {
					return guesttype.Within("element", err)
				}
			}
		}
	}
	if t.Key.Traits&guesttype.HasFloats != 0 {
		keys, err := m.vm.sortedKeys(v)
		if err != nil {
			return err
		}
		for i := 1; i < len(keys); i++ {
			if i%pollParts == 0 && m.vm.mustStop() {
				return errInterrupted
			}
			if m.vm.compareKeys(keys[i-1], keys[i]) == 0 {
				return errNaNKeys
			}
		}
	}
	return nil
}

func (m *measurer) dynamic(t *guesttype.Type, v reflect.Value, depth int) error {
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
		return m.add(refParts+int64(len(m.vm.Sentinels)), int64(len(text)))
	}
	g, err := m.vm.typeFor(x.Type())
	if err != nil {
		return err
	}
	if reason := g.Unordered; m.keys > 0 && reason != "" {
		return errors.New(g.Name + " " + reason)
	}
	if err := m.list(g, 1); err != nil || !g.Refs {
		return err
	}
	return m.value(g, x, depth)
}

// A guestMeasurer weighs values in guest memory. It is a decoder that keeps nothing.
type guestMeasurer struct {
	decoder
	tally
}

// weigh returns the weight, in gas, of fields of the struct at addr in the guest, as far as it can
// be paid for. The weight includes what the host asks for bytes of contents. A value that cannot be
// read weighs the parts that were visited until then.
func (vm *VM) weigh(fields []guesttype.Field, addr uint32, perByte uint64) (uint64, Status) {
	m := guestMeasurer{decoder: vm.newDecoder(), tally: vm.newTally(int64(min(perByte, 1<<20)))}
	m.count = func(parts int64) error { return m.add(parts, 0) }
	m.tally.room = maxWeight // decoder.left bounds what is visited
	for _, f := range fields {
		more, err := m.tally.value(f.Type)
		if err == nil && more {
			err = m.value(f.Type, addr+f.Offset, 0)
		}
		if errors.Is(err, errInterrupted) {
			return 0, vm.interrupt()
		}
		if err != nil {
			break
		}
	}
	return uint64(m.units()), OK
}

// value adds what the value at addr refers to. Its own parts are counted already.
func (m *guestMeasurer) value(t *guesttype.Type, addr uint32, depth int) error {
	b, err := m.bytes(addr, uint64(t.Size))
	if err != nil {
		return err
	}
	switch t.Kind {
	case reflect.String:
		return m.content(guesttype.U64(b, 8))
	case reflect.Slice:
		p, n := uint32(guesttype.U64(b, 0)), guesttype.U64(b, 8)
		if p == 0 {
			return nil
		}
		if n > 1<<32 {
			return errTooMuch
		}
		size := n * uint64(t.Elem.Size)
		if _, err := m.bytes(p, size); err != nil {
			return err
		}
		if err := m.list(t.Elem, int(n)); err != nil {
			return err
		}
		if err := m.follow(size, depth+1); err != nil || !t.Elem.Refs {
			return err
		}
		return m.elements(t.Elem, p, n, depth+1)
	case reflect.Array:
		return m.elements(t.Elem, addr, uint64(t.Len), depth)
	case reflect.Struct:
		if t.Role == guesttype.TimeRole {
			return m.time(t, addr)
		}
		for _, f := range t.Fields {
			if f.Type.Refs {
				if err := m.value(f.Type, addr+f.Offset, depth); err != nil {
					return err
				}
			}
		}
	case reflect.Pointer:
		p := uint32(guesttype.U64(b, 0))
		if p == 0 {
			return nil
		}
		if err := m.list(t.Elem, 1); err != nil {
			return err
		}
		if err := m.follow(uint64(t.Elem.Size), depth+1); err != nil || !t.Elem.Refs {
			return err
		}
		return m.value(t.Elem, p, depth+1)
	case reflect.Map:
		p := uint32(guesttype.U64(b, 0))
		if p == 0 {
			return nil
		}
		head, err := m.bytes(p, mapSize)
		if err != nil {
			return err
		}
		if err := m.add(refParts, mapSize); err != nil {
			return err
		}
		if err := m.follow(mapSize, depth+1); err != nil {
			return err
		}
		return m.entries(t, head, func(key, elem uint32) error {
			if err := m.add(entryParts+t.Key.Whole+t.Elem.Parts, int64(t.Key.Size)+int64(t.Elem.Size)); err != nil {
				return err
			}
			if t.Key.Refs {
				if err := m.value(t.Key, key, depth+1); err != nil {
					return err
				}
			}
			if t.Elem.Refs {
				return m.value(t.Elem, elem, depth+1)
			}
			return nil
		})
	case reflect.Interface:
		return m.dynamic(t, b, addr, depth+1)
	}
	return nil
}

// content counts n bytes of a string.
func (m *guestMeasurer) content(n uint64) error {
	if n > 1<<32 {
		return errTooMuch
	}
	return m.add(0, int64(n))
}

// time counts the work of finding the zone of the time at addr.
func (m *guestMeasurer) time(t *guesttype.Type, addr uint32) error {
	_, z, err := m.instant(t, addr)
	if err != nil {
		return err
	}
	if z.rule != "" {
		return m.add(zoneParts, 0)
	}
	return m.add(int64(z.name)/namePart, 0)
}

func (m *guestMeasurer) elements(t *guesttype.Type, addr uint32, n uint64, depth int) error {
	if !t.Refs {
		return nil
	}
	for i := range uint32(n) {
		if err := m.value(t, addr+i*t.Size, depth); err != nil {
			return err
		}
	}
	return nil
}

func (m *guestMeasurer) dynamic(t *guesttype.Type, b []byte, addr uint32, depth int) error {
	word, err := m.holds(t, b)
	if err != nil || word == 0 {
		return err
	}
	data := uint32(guesttype.U64(b, 8))
	x, ok, err := m.errorOf(errorWords{word, data})
	if err != nil {
		return err
	}
	if ok {
		return m.add(refParts+x.count, x.size)
	}
	if t.Role == guesttype.ErrorRole {
		return errErrorChanged
	}
	g, err := m.dynamicType(word)
	if err != nil {
		return err
	}
	if err := g.Crosses(); err != nil {
		return err
	}
	if err := m.list(g, 1); err != nil {
		return err
	}
	if err := m.follow(uint64(g.Size), depth); err != nil || !g.Refs {
		return err
	}
	if g.Direct {
		data = addr + 8
	}
	return m.value(g, data, depth)
}
