package rt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"

	"github.com/gyrvm/gyr/internal/ir"
)

// Values of the host in guest memory and back. Layouts are those of gc on a
// 64-bit machine.

// put writes a little-endian number of the size to guest memory.
func (vm *VM) put(addr uint32, x uint64, size uint32) Status {
	b, ok := vm.Space.Bytes(uint64(addr), uint64(size))
	if !ok {
		return vm.badAddress("call", uint64(addr), uint64(size))
	}
	switch size {
	case 1:
		b[0] = byte(x)
	case 2:
		binary.LittleEndian.PutUint16(b, uint16(x))
	case 4:
		binary.LittleEndian.PutUint32(b, uint32(x))
	default:
		binary.LittleEndian.PutUint64(b, x)
	}
	return OK
}

// allocate makes an array of n elements of type t. Sizes were checked.
func (vm *VM) allocate(t *GuestType, n int) (uint32, Status) {
	h, st := vm.heapType(t.addr)
	if st != OK {
		return 0, st
	}
	size := max(1, uint64(n)*uint64(t.size))
	if uint64(n) > 1<<31 || size > 1<<32-1 {
		return 0, OutOfMemory
	}
	return vm.Alloc(h.layout, size)
}

// encode writes v, of a type that t.Check accepted, to addr. What is allocated
// on the way is stored where the guest reaches it before anything else is allocated.
func (vm *VM) encode(addr uint32, t *GuestType, v reflect.Value) Status {
	switch t.Kind {
	case reflect.Bool:
		x := uint64(0)
		if v.Bool() {
			x = 1
		}
		return vm.put(addr, x, 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return vm.put(addr, uint64(v.Int()), t.size)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr:
		return vm.put(addr, v.Uint(), t.size)
	case reflect.Float32:
		return vm.put(addr, uint64(math.Float32bits(float32(v.Float()))), 4)
	case reflect.Float64:
		return vm.put(addr, math.Float64bits(v.Float()), 8)
	case reflect.Complex64:
		c := complex64(v.Complex())
		return vm.put(addr, uint64(math.Float32bits(real(c)))|uint64(math.Float32bits(imag(c)))<<32, 8)
	case reflect.Complex128:
		c := v.Complex()
		if st := vm.put(addr, math.Float64bits(real(c)), 8); st != OK {
			return st
		}
		return vm.put(addr+8, math.Float64bits(imag(c)), 8)
	case reflect.String:
		s := v.String()
		if len(s) == 0 {
			return OK // the memory is zero
		}
		p, st := vm.newBytes(addr, len(s))
		if st == OK {
			copy(p, s)
		}
		return st
	case reflect.Slice:
		return vm.encodeSlice(addr, t, v)
	case reflect.Array:
		return vm.encodeElements(addr, t.Elem, v)
	case reflect.Struct:
		for i, f := range t.Fields {
			if st := vm.encode(addr+f.Offset, f.Type, v.Field(i)); st != OK {
				return st
			}
		}
		return OK
	case reflect.Pointer:
		if v.IsNil() {
			return OK
		}
		p, st := vm.allocate(t.Elem, 1)
		if st == OK {
			st = vm.put(addr, uint64(p), 8)
		}
		if st != OK {
			return st
		}
		return vm.encode(p, t.Elem, v.Elem())
	}
	return vm.Fail("call", ErrCorrupt)
}

// newBytes allocates n bytes, stores a string's header at addr and returns the bytes.
func (vm *VM) newBytes(addr uint32, n int) ([]byte, Status) {
	if uint64(n) > 1<<32-1 {
		return nil, OutOfMemory
	}
	p, st := vm.Alloc(ir.NoPointers, uint64(n))
	if st == OK {
		st = vm.put(addr, uint64(p), 8)
	}
	if st == OK {
		st = vm.put(addr+8, uint64(n), 8)
	}
	if st != OK {
		return nil, st
	}
	b, ok := vm.Space.Bytes(uint64(p), uint64(n))
	if !ok {
		return nil, vm.badAddress("call", uint64(p), uint64(n))
	}
	return b, OK
}

func (vm *VM) encodeSlice(addr uint32, t *GuestType, v reflect.Value) Status {
	if v.IsNil() {
		return OK
	}
	n := v.Len()
	p, st := vm.allocate(t.Elem, n)
	for i, x := range [...]uint64{uint64(p), uint64(n), uint64(n)} {
		if st == OK {
			st = vm.put(addr+uint32(8*i), x, 8)
		}
	}
	if st != OK {
		return st
	}
	if t.Elem.Kind == reflect.Uint8 {
		b, ok := vm.Space.Bytes(uint64(p), uint64(n))
		if !ok {
			return vm.badAddress("call", uint64(p), uint64(n))
		}
		copy(b, v.Bytes())
		return OK
	}
	return vm.encodeElements(p, t.Elem, v)
}

func (vm *VM) encodeElements(addr uint32, elem *GuestType, v reflect.Value) Status {
	for i := range v.Len() {
		if i%1024 == 1023 {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
		if st := vm.encode(addr+uint32(i)*elem.size, elem, v.Index(i)); st != OK {
			return st
		}
	}
	return OK
}

// A decoder reads values out of guest memory, which may hold anything.
type decoder struct {
	vm   *VM
	left int64 // bytes of the host's memory that results may still take
}

var errTooMuch = errors.New("the results are larger than the instance's memory limit")

func (d *decoder) bytes(addr uint32, n uint64) ([]byte, error) {
	b, ok := d.vm.Space.Bytes(uint64(addr), n)
	if !ok {
		return nil, fmt.Errorf("%w: %d bytes at %#x", ErrAddress, n, addr)
	}
	return b, nil
}

// take accounts for n elements that the host allocates.
func (d *decoder) take(n uint64, size uintptr) error {
	if n > 1<<32 {
		return errTooMuch
	}
	if d.left -= int64(n)*int64(size) + 16; d.left < 0 {
		return errTooMuch
	}
	return nil
}

// decode sets v, of a type that t.Check accepted, to the value at addr.
func (d *decoder) decode(v reflect.Value, t *GuestType, addr uint32, depth int) error {
	if depth > maxCallDepth {
		return errors.New("a result has too many levels of pointers")
	}
	b, err := d.bytes(addr, uint64(t.size))
	if err != nil {
		return err
	}
	le := binary.LittleEndian
	switch t.Kind {
	case reflect.Bool:
		v.SetBool(b[0] != 0)
	case reflect.Int8:
		v.SetInt(int64(int8(b[0])))
	case reflect.Int16:
		v.SetInt(int64(int16(le.Uint16(b))))
	case reflect.Int32:
		v.SetInt(int64(int32(le.Uint32(b))))
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(le.Uint64(b)))
	case reflect.Uint8:
		v.SetUint(uint64(b[0]))
	case reflect.Uint16:
		v.SetUint(uint64(le.Uint16(b)))
	case reflect.Uint32:
		v.SetUint(uint64(le.Uint32(b)))
	case reflect.Uint, reflect.Uint64, reflect.Uintptr:
		v.SetUint(le.Uint64(b))
	case reflect.Float32:
		v.SetFloat(float64(math.Float32frombits(le.Uint32(b))))
	case reflect.Float64:
		v.SetFloat(math.Float64frombits(le.Uint64(b)))
	case reflect.Complex64:
		v.SetComplex(complex(float64(math.Float32frombits(le.Uint32(b))), float64(math.Float32frombits(le.Uint32(b[4:])))))
	case reflect.Complex128:
		v.SetComplex(complex(math.Float64frombits(le.Uint64(b)), math.Float64frombits(le.Uint64(b[8:]))))
	case reflect.String:
		n := le.Uint64(b[8:])
		if err := d.take(n, 1); err != nil {
			return err
		}
		s, err := d.bytes(uint32(le.Uint64(b)), n)
		if err != nil {
			return err
		}
		v.SetString(string(s))
	case reflect.Slice:
		p, n := uint32(le.Uint64(b)), le.Uint64(b[8:])
		if p == 0 {
			v.SetZero()
			return nil
		}
		if err := d.take(n, v.Type().Elem().Size()); err != nil {
			return err
		}
		mem, err := d.bytes(p, n*uint64(t.Elem.size))
		if err != nil {
			return err
		}
		s := reflect.MakeSlice(v.Type(), int(n), int(n))
		if t.Elem.Kind == reflect.Uint8 {
			copy(s.Bytes(), mem)
		} else {
			for i := range int(n) {
				if err := d.decode(s.Index(i), t.Elem, p+uint32(i)*t.Elem.size, depth+1); err != nil {
					return err
				}
			}
		}
		v.Set(s)
	case reflect.Array:
		if t.Elem.size == 0 {
			return nil
		}
		for i := range t.Len {
			if err := d.decode(v.Index(i), t.Elem, addr+uint32(i)*t.Elem.size, depth+1); err != nil {
				return err
			}
		}
	case reflect.Struct:
		for i, f := range t.Fields {
			if err := d.decode(v.Field(i), f.Type, addr+f.Offset, depth+1); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		p := uint32(le.Uint64(b))
		if p == 0 {
			v.SetZero()
			return nil
		}
		if err := d.take(1, v.Type().Elem().Size()); err != nil {
			return err
		}
		x := reflect.New(v.Type().Elem())
		if err := d.decode(x.Elem(), t.Elem, p, depth+1); err != nil {
			return err
		}
		v.Set(x)
	default:
		return ErrCorrupt
	}
	return nil
}
