package rt

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"reflect"
	"strings"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// This file writes values of the host to guest memory and reads them back. Layouts are those of gc
// on a 64-bit machine. Maps are in guestmap.go, values of interface types in dynamic.go, times in
// guesttime.go.

// maxValueDepth is the most references that may lead to a part of a value. A value that contains
// itself has no end. The overlay calls it gyr_maxdepth (runtime/values.go).
const maxValueDepth = 10000

var errTooDeep = fmt.Errorf("the value contains itself, or is more than %d references deep", maxValueDepth)

// put writes a little-endian number of a size to guest memory.
func (vm *VM) put(addr uint32, x uint64, size uint32) Status {
	b := vm.Space.Main(uint64(addr), uint64(size))
	if b == nil {
		var ok bool
		if b, ok = vm.Space.Bytes(uint64(addr), uint64(size)); !ok {
			return vm.badAddress("call", uint64(addr), uint64(size))
		}
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

// putAll writes 64-bit words.
func (vm *VM) putAll(addr uint32, words ...uint64) Status {
	b, ok := vm.Space.Bytes(uint64(addr), 8*uint64(len(words)))
	if !ok {
		return vm.badAddress("call", uint64(addr), 8*uint64(len(words)))
	}
	for i, x := range words {
		binary.LittleEndian.PutUint64(b[8*i:], x)
	}
	return OK
}

// allocate makes an array of n elements of type t. The sizes have been checked.
func (vm *VM) allocate(t *guesttype.Type, n int) (uint32, Status) {
	h, st := vm.heapType(t.Addr)
	if st != OK {
		return 0, st
	}
	size := max(1, uint64(n)*uint64(t.Size))
	if uint64(n) > 1<<31 || size > 1<<32-1 {
		return 0, OutOfMemory
	}
	return vm.Alloc(h.layout, size)
}

// An encoder writes a value of the host to guest memory. The memory is zero before. Each new object
// is stored where the guest reaches it before the next allocation.
type encoder struct {
	vm    *VM
	zones map[zone]uint32 // for each time.Location, written for this value
	steps uint32
}

// encode writes v, whose type t.Check accepted, to addr. Its weight must be known, and weighing
// must not have found that v does not cross.
func (vm *VM) encode(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	e := encoder{vm: vm}
	return e.encode(addr, t, v)
}

func (e *encoder) encode(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	vm := e.vm
	if t.Size == 0 {
		return OK // nothing to write, whatever the type consists of
	}
	if e.steps++; e.steps%pollParts == 0 {
		if st := vm.Poll(); st != OK {
			return st
		}
	}
	switch t.Kind {
	case reflect.Bool:
		x := uint64(0)
		if v.Bool() {
			x = 1
		}
		return vm.put(addr, x, 1)
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64:
		return vm.put(addr, uint64(v.Int()), t.Size)
	case reflect.Uint64:
		if v.Kind() == reflect.Struct {
			return e.handle(addr, v)
		}
		return vm.put(addr, v.Uint(), 8)
	case reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uintptr:
		return vm.put(addr, v.Uint(), t.Size)
	case reflect.Float32:
		return vm.put(addr, vm.float(ir.F32, uint64(math.Float32bits(float32(v.Float())))), 4)
	case reflect.Float64:
		return vm.put(addr, vm.float(ir.F64, math.Float64bits(v.Float())), 8)
	case reflect.Complex64:
		c := complex64(v.Complex())
		re, im := uint64(math.Float32bits(real(c))), uint64(math.Float32bits(imag(c)))
		return vm.put(addr, vm.float(ir.F32, re)|vm.float(ir.F32, im)<<32, 8)
	case reflect.Complex128:
		c := v.Complex()
		return vm.putAll(addr, vm.float(ir.F64, math.Float64bits(real(c))), vm.float(ir.F64, math.Float64bits(imag(c))))
	case reflect.String:
		return vm.putString(addr, v.String())
	case reflect.Slice:
		return e.slice(addr, t, v)
	case reflect.Array:
		if copied(t.Elem, v.Type().Elem()) {
			if !v.CanAddr() {
				w := reflect.New(v.Type()).Elem()
				w.Set(v)
				v = w
			}
			return vm.copyNumbers(addr, t.Elem, unsafe.Slice((*byte)(v.Addr().UnsafePointer()), t.Size))
		}
		return e.elements(addr, t.Elem, v)
	case reflect.Struct:
		if t.Role == guesttype.TimeRole {
			return e.time(addr, t, v)
		}
		if t.Sealed() {
			return e.handle(addr, v)
		}
		for i, f := range t.Fields {
			if st := e.encode(addr+f.Offset, f.Type, v.Field(i)); st != OK {
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
		return e.encode(p, t.Elem, v.Elem())
	case reflect.Map:
		return e.mapping(addr, t, v)
	case reflect.Interface:
		return e.dynamic(addr, t, v)
	}
	return vm.Fail("call", memory.ErrCorrupt)
}

// handle writes the number of a handle, whose memory is one pointer.
func (e *encoder) handle(addr uint32, v reflect.Value) Status {
	for v.Kind() == reflect.Struct {
		v = v.Field(0)
	}
	n, st := e.vm.handleNumber((*object)(v.UnsafePointer()))
	if st != OK {
		return st
	}
	return e.vm.put(addr, n, 8)
}

// handle sets the handle v to the object with a number.
func (d *decoder) handle(v reflect.Value, n uint64) error {
	o, err := d.vm.handles.object(n, objectType(v.Type()))
	if err == nil {
		*(**object)(v.Addr().UnsafePointer()) = o
	}
	return err
}

// putString writes a string's header to addr, which is zero, and its bytes to the heap.
func (vm *VM) putString(addr uint32, s string) Status {
	if len(s) == 0 {
		return OK
	}
	p, st := vm.newBytes(addr, len(s))
	if st == OK {
		st = vm.fill(p, unsafe.Slice(unsafe.StringData(s), len(s)))
	}
	return st
}

// copyPiece is how many bytes are copied between polls.
const copyPiece = 256 << 10

// fill copies all of src to dst. Both have the same length.
func (vm *VM) fill(dst, src []byte) Status {
	for len(src) > copyPiece {
		dst, src = dst[copy(dst, src[:copyPiece]):], src[copyPiece:]
		if st := vm.Poll(); st != OK {
			return st
		}
	}
	copy(dst, src)
	return OK
}

// copyNumbers copies the bytes of numbers of type t to addr.
func (vm *VM) copyNumbers(addr uint32, t *guesttype.Type, src []byte) Status {
	b, ok := vm.Space.Bytes(uint64(addr), uint64(len(src)))
	if !ok {
		return vm.badAddress("call", uint64(addr), uint64(len(src)))
	}
	st := vm.fill(b, src)
	vm.floats(t, b)
	return st
}

// newBytes allocates n bytes, stores a string's header at addr and returns the bytes.
func (vm *VM) newBytes(addr uint32, n int) ([]byte, Status) {
	h := vm.Space.Main(uint64(addr), 16)
	if h == nil {
		var ok bool
		if h, ok = vm.Space.Bytes(uint64(addr), 16); !ok {
			return nil, vm.badAddress("call", uint64(addr), 16)
		}
	}
	if uint64(n) > 1<<32-1 {
		return nil, OutOfMemory
	}
	p, st := vm.Alloc(ir.NoPointers, max(1, uint64(n)))
	if st != OK {
		return nil, st
	}
	binary.LittleEndian.PutUint64(h, uint64(p))
	binary.LittleEndian.PutUint64(h[8:], uint64(n))
	b := vm.Space.Main(uint64(p), uint64(n))
	if b == nil {
		var ok bool
		if b, ok = vm.Space.Bytes(uint64(p), uint64(n)); !ok {
			return nil, vm.badAddress("call", uint64(p), uint64(n))
		}
	}
	return b, OK
}

func (e *encoder) slice(addr uint32, t *guesttype.Type, v reflect.Value) Status {
	if v.IsNil() {
		return OK
	}
	n := v.Len()
	if t.Elem.Kind == reflect.String {
		return e.vm.putStrings(addr, t.Elem, unsafe.Slice((*string)(v.UnsafePointer()), n))
	}
	p, st := e.vm.allocate(t.Elem, n)
	if st == OK {
		st = e.vm.putAll(addr, uint64(p), uint64(n), uint64(n))
	}
	if st != OK {
		return st
	}
	if copied(t.Elem, v.Type().Elem()) {
		return e.vm.copyNumbers(p, t.Elem, memoryOf(v, n, t.Elem.Size))
	}
	return e.elements(p, t.Elem, v)
}

// putStrings is encode for a slice of strings. t is the type of its elements.
func (vm *VM) putStrings(addr uint32, t *guesttype.Type, list []string) Status {
	if list == nil {
		return OK
	}
	p, st := vm.allocate(t, len(list))
	if st == OK {
		st = vm.putAll(addr, uint64(p), uint64(len(list)), uint64(len(list)))
	}
	if st != OK {
		return st
	}
	for i, s := range list {
		if i%pollParts == pollParts-1 {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
		if st = vm.putString(p+16*uint32(i), s); st != OK {
			return st
		}
	}
	return OK
}

// copied reports whether the elements of a slice or an array are numbers of the same kind on both
// sides. A handle is not one.
func copied(t *guesttype.Type, h reflect.Type) bool {
	return guesttype.IsNumber(t.Kind) && h.Kind() == t.Kind
}

// memoryOf returns the bytes of a slice of n numbers.
func memoryOf(v reflect.Value, n int, size uint32) []byte {
	return unsafe.Slice((*byte)(v.UnsafePointer()), n*int(size))
}

func (e *encoder) elements(addr uint32, elem *guesttype.Type, v reflect.Value) Status {
	if elem.Size == 0 {
		return OK
	}
	for i := range v.Len() {
		if st := e.encode(addr+uint32(i)*elem.Size, elem, v.Index(i)); st != OK {
			return st
		}
	}
	return OK
}

// A walker visits values in guest memory, which may hold anything.
type walker struct {
	vm    *VM
	left  int64  // bytes of guest memory that may still be visited
	steps uint32 // parts that were visited
	zones zoneCache
	count func(parts int64) error // called with the number of extra parts before they are visited; nil: they have been weighed
}

// extra passes extra parts to count.
func (w *walker) extra(parts int64) error {
	if w.count == nil {
		return nil
	}
	return w.count(parts)
}

// newWalker returns a walker for one value. A value without shared parts needs no more bytes than
// the guest has, so only a malicious value needs several times as many.
func (vm *VM) newWalker() walker {
	return walker{vm: vm, left: 16<<20 + 4*int64(vm.Heap.Stats().InUse)}
}

var (
	errUnfolds = errors.New("the value shares its parts so much that copies of them take many times the guest's memory")
	// errInterrupted: VM.Err tells the reason.
	errInterrupted = errors.New("interrupted")
)

// bytes returns n bytes at an address.
func (w *walker) bytes(addr uint32, n uint64) ([]byte, error) {
	b, ok := w.vm.Space.Bytes(uint64(addr), n)
	if !ok {
		return nil, &addressError{uint64(addr), uint64(n)}
	}
	return b, nil
}

// follow counts a reference to n bytes that is depth references deep.
func (w *walker) follow(n uint64, depth int) error {
	if depth > maxValueDepth {
		return errTooDeep
	}
	if w.left -= int64(n) + 8; w.left < 0 {
		return errUnfolds
	}
	return w.step()
}

// step counts a part, and polls before every pollParts-th.
func (w *walker) step() error {
	if w.steps++; w.steps%pollParts == 0 {
		return w.poll()
	}
	return nil
}

func (w *walker) poll() error {
	if w.vm.Poll() != OK {
		return errInterrupted
	}
	return nil
}

// A decoder makes values of the host from values in guest memory.
type decoder struct {
	walker
	room   int64                     // bytes of the host's memory that the value may still use
	places map[uint32]*time.Location // of times in the value, by the addresses of their zones
	ruled  map[zone]*time.Location   // likewise, of zones that follow from a rule
	lifted map[errorWords]*lifted    // the errors in the value; nil: not read yet
}

var errTooMuch = errors.New("the results are larger than the instance's memory limit")

// newDecoder returns a decoder for one value, or all results of one call.
func (vm *VM) newDecoder() decoder {
	return decoder{walker: vm.newWalker(), room: int64(min(vm.memoryLimit(), 1<<40))}
}

// take subtracts n elements that the host allocates from room.
func (d *decoder) take(n uint64, size uintptr) error {
	if n > 1<<32 {
		return errTooMuch
	}
	if d.room -= int64(n)*int64(size) + 16; d.room < 0 {
		return errTooMuch
	}
	return nil
}

// decode sets v, whose type t.Check accepted, to the value at addr, which is depth references deep.
func (d *decoder) decode(v reflect.Value, t *guesttype.Type, addr uint32, depth int) error {
	if t.Size == 0 {
		return nil // already zero, whatever the type consists of
	}
	if err := d.step(); err != nil {
		return err
	}
	b, err := d.bytes(addr, uint64(t.Size))
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
	case reflect.Uint64:
		if v.Kind() == reflect.Struct {
			return d.handle(v, le.Uint64(b))
		}
		v.SetUint(le.Uint64(b))
	case reflect.Uint, reflect.Uintptr:
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
		s, err := d.text(b)
		if err != nil {
			return err
		}
		v.SetString(s)
	case reflect.Slice:
		return d.slice(v, t, b, depth)
	case reflect.Array:
		if copied(t.Elem, v.Type().Elem()) {
			return d.numbers(unsafe.Slice((*byte)(v.Addr().UnsafePointer()), t.Size), b, t.Elem.Kind)
		}
		for i := range t.Len {
			if err := d.decode(v.Index(i), t.Elem, addr+uint32(i)*t.Elem.Size, depth); err != nil {
				return err
			}
		}
	case reflect.Struct:
		if t.Role == guesttype.TimeRole {
			return d.time(v, t, addr)
		}
		if t.Sealed() {
			return d.handle(v, le.Uint64(b))
		}
		for i, f := range t.Fields {
			if err := d.decode(v.Field(i), f.Type, addr+f.Offset, depth); err != nil {
				return err
			}
		}
	case reflect.Pointer:
		p := uint32(le.Uint64(b))
		if p == 0 {
			v.SetZero()
			return nil
		}
		if err := d.follow(uint64(t.Elem.Size), depth+1); err != nil {
			return err
		}
		if err := d.take(1, v.Type().Elem().Size()); err != nil {
			return err
		}
		x := reflect.New(v.Type().Elem())
		if err := d.decode(x.Elem(), t.Elem, p, depth+1); err != nil {
			return err
		}
		v.Set(x)
	case reflect.Map:
		return d.mapping(v, t, uint32(le.Uint64(b)), depth+1)
	case reflect.Interface:
		return d.dynamic(v, t, addr, depth+1)
	default:
		return memory.ErrCorrupt
	}
	return nil
}

// text returns a copy of the string with the header b.
func (d *decoder) text(b []byte) (string, error) {
	n := guesttype.U64(b, 8)
	if err := d.take(n, 1); err != nil {
		return "", err
	}
	s, err := d.bytes(uint32(guesttype.U64(b, 0)), n)
	if err != nil {
		return "", err
	}
	return d.vm.copyOut(s)
}

// copyOut returns a copy of bytes of the guest as a string.
func (vm *VM) copyOut(s []byte) (string, error) {
	if len(s) <= copyPiece {
		return string(s), nil
	}
	var b strings.Builder
	for b.Grow(len(s)); len(s) > 0; s = s[min(len(s), copyPiece):] {
		b.Write(s[:min(len(s), copyPiece)])
		if vm.Poll() != OK {
			return "", errInterrupted
		}
	}
	return b.String(), nil
}

// numbers copies numbers or bools.
func (d *decoder) numbers(dst, src []byte, kind reflect.Kind) error {
	if kind == reflect.Bool {
		for i, x := range src {
			if i%copyPiece == copyPiece-1 {
				if err := d.poll(); err != nil {
					return err
				}
			}
			dst[i] = byte(boolNumber(x != 0))
		}
		return nil
	}
	if d.vm.fill(dst, src) != OK {
		return errInterrupted
	}
	return nil
}

// slice decodes the slice with the header b.
func (d *decoder) slice(v reflect.Value, t *guesttype.Type, b []byte, depth int) error {
	p, n := uint32(guesttype.U64(b, 0)), guesttype.U64(b, 8)
	if p == 0 {
		v.SetZero()
		return nil
	}
	if err := d.take(n, v.Type().Elem().Size()); err != nil {
		return err
	}
	mem, err := d.bytes(p, n*uint64(t.Elem.Size))
	if err != nil {
		return err
	}
	if err := d.follow(uint64(len(mem)), depth+1); err != nil {
		return err
	}
	s := reflect.MakeSlice(v.Type(), int(n), int(n))
	switch {
	case t.Elem.Size == 0:
	case copied(t.Elem, v.Type().Elem()):
		if err := d.numbers(memoryOf(s, int(n), t.Elem.Size), mem, t.Elem.Kind); err != nil {
			return err
		}
	default:
		for i := range int(n) {
			if err := d.decode(s.Index(i), t.Elem, p+uint32(i)*t.Elem.Size, depth+1); err != nil {
				return err
			}
		}
	}
	v.Set(s)
	return nil
}
