package rt

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"unsafe"
)

// Calls of guest functions by the host.
//
// The guest's generated main function (internal/front/load, exports.go) describes its
// functions, then asks for a call: the run ends with [Yield], and goes on when
// the host has named a function and its arguments. Each function has a struct for its
// arguments and one for its results, which are written and read here by the descriptors
// that the guest named. Those were read once, with every address and length checked.
//
// Strings, slices and pointers are copied by reflection. Numbers and booleans are moves
// from memory to memory, so that a call of a small function costs little more
// than entering the engine and leaving it.

// callState is what a VM knows about calls.
type callState struct {
	funcs  []callFunc
	now    *Call
	waits  bool   // the call was prepared, the guest does not know of it yet
	runs   bool   // the guest does, and there are no results
	failed bool   // the function returned an error
	text   string // its text
	err    error  // the results cannot be represented
}

// A callFunc is a function that the host may call.
type callFunc struct {
	in, out         *GuestType // structs
	inAddr, outAddr uint32     // where they are
}

// A Call says which function is called, where its arguments are and where its
// results go. It may be used again and again.
type Call struct {
	fn            int
	args, results []place
	numbers       bool // and nothing else

	// What linking fills in: the function as the instance vm describes it.
	vm      *VM
	f       callFunc
	failure *[2]GuestField // the text of the error and whether there is one; nil: the function returns none
}

// A place is a variable of the host: a value of any type that can cross, or (size
// is not 0) the memory of a number of the same size on both sides.
type place struct {
	mem   unsafe.Pointer
	size  uint32
	truth bool // a bool

	// Of linked calls: where the struct of arguments or results has it.
	offset uint32
	typ    *GuestType

	value reflect.Value
}

func notNumber(p place) bool { return p.size == 0 }

// NewCall prepares a call of function number fn. Arguments and results have
// types that [GuestType.Check] accepted; results can be set.
func NewCall(fn int, args, results []reflect.Value) *Call {
	c := &Call{fn: fn, args: places(args), results: places(results)}
	c.numbers = !slices.ContainsFunc(c.args, notNumber) && !slices.ContainsFunc(c.results, notNumber)
	return c
}

// Numbers reports whether only numbers and booleans cross, beside an error.
func (c *Call) Numbers() bool { return c.numbers }

func places(values []reflect.Value) []place {
	list := make([]place, len(values))
	for i, v := range values {
		list[i].value = v
		if t := v.Type(); v.CanAddr() && t.Kind() >= reflect.Bool && t.Kind() <= reflect.Complex128 &&
			uint32(t.Size()) == kindSizes[t.Kind()] {
			list[i].mem, list[i].size, list[i].truth = v.Addr().UnsafePointer(), uint32(t.Size()), t.Kind() == reflect.Bool
		}
	}
	return list
}

// copyNumber copies between a variable of the host and the guest's memory.
func copyNumber(dst, src unsafe.Pointer, size uint32) {
	switch size {
	case 1:
		*(*uint8)(dst) = *(*uint8)(src)
	case 2:
		*(*uint16)(dst) = *(*uint16)(src)
	case 4:
		*(*uint32)(dst) = *(*uint32)(src)
	case 8:
		*(*uint64)(dst) = *(*uint64)(src)
	case 16:
		*(*[2]uint64)(dst) = *(*[2]uint64)(src)
	}
}

// maxExports bounds what a guest can describe.
const maxExports = 1 << 16

// callHosts are the functions of the host in this file, by their names in ir.Hosts.
var callHosts = map[string]Func{
	"describe": hostDescribe,
	"nextcall": hostNextcall,
}

func hostDescribe(vm *VM, a *[16]uint64) Status {
	if a[0] != uint64(len(vm.call.funcs)) || a[0] >= maxExports {
		return vm.Fail("describe", ErrCorrupt)
	}
	r := guestTypes{vm: vm, seen: map[uint32]*GuestType{}}
	in, err := r.read(uint32(a[1]), 0)
	if err != nil {
		return vm.Fail("describe", err)
	}
	out, err := r.read(uint32(a[2]), 0)
	if err != nil {
		return vm.Fail("describe", err)
	}
	if in.Kind != reflect.Struct || out.Kind != reflect.Struct {
		return vm.Fail("describe", ErrCorrupt)
	}
	vm.call.funcs = append(vm.call.funcs, callFunc{in, out, uint32(a[3]), uint32(a[4])})
	return OK
}

// NumbersCross reports whether the call that is prepared or runs has only numbers
// for arguments and results, beside an error.
func (vm *VM) NumbersCross() bool { return vm.call.now != nil && vm.call.now.numbers }

func hostNextcall(vm *VM, a *[16]uint64) Status { return vm.NextCall(a) }

// NextCall is the host function nextcall. It yields until a call is prepared. The
// tier calls it again then.
func (vm *VM) NextCall(a *[16]uint64) Status {
	c := &vm.call
	if c.waits {
		c.waits, c.runs = false, true
		a[0] = uint64(c.now.fn)
		return vm.giveArgs(c.now)
	}
	if c.runs {
		c.runs = false
		if st := vm.takeResults(c.now); st != OK {
			return st
		}
	}
	return Yield
}

// link finds where the arguments and results of a call lie in the memory of vm.
func (c *Call) link(vm *VM) {
	c.vm, c.f, c.failure = vm, vm.call.funcs[c.fn], nil
	put := func(list []place, fields []GuestField) {
		for i := range list {
			list[i].offset, list[i].typ = fields[i].Offset, fields[i].Type
		}
	}
	put(c.args, c.f.in.Fields)
	out := c.f.out.Fields
	put(c.results, out)
	if n := len(c.results); n+2 == len(out) {
		c.failure = (*[2]GuestField)(out[n:])
	}
}

// giveArgs writes the arguments.
func (vm *VM) giveArgs(c *Call) Status {
	f := &c.f
	b, ok := vm.Space.Bytes(uint64(f.inAddr), uint64(f.in.size))
	if !ok {
		return vm.badAddress("call", uint64(f.inAddr), uint64(f.in.size))
	}
	p := unsafe.Pointer(unsafe.SliceData(b)) // fields lie inside of their struct: see read
	for i := range c.args {
		x := &c.args[i]
		if x.size == 8 {
			*(*uint64)(unsafe.Add(p, x.offset)) = *(*uint64)(x.mem)
		} else if x.size != 0 {
			copyNumber(unsafe.Add(p, x.offset), x.mem, x.size)
		} else if st := vm.encode(f.inAddr+x.offset, x.typ, x.value); st != OK {
			return st
		}
	}
	return OK
}

// takeResults reads the results.
func (vm *VM) takeResults(c *Call) Status {
	f := &c.f
	b, ok := vm.Space.Bytes(uint64(f.outAddr), uint64(f.out.size))
	if !ok {
		return vm.badAddress("call", uint64(f.outAddr), uint64(f.out.size))
	}
	d := decoder{vm: vm}
	if !c.numbers || c.failure != nil {
		d.left = int64(min(vm.memoryLimit(), 1<<40))
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	for i := range c.results {
		x := &c.results[i]
		if x.size == 8 {
			*(*uint64)(x.mem) = *(*uint64)(unsafe.Add(p, x.offset))
		} else if x.truth {
			*(*bool)(x.mem) = b[x.offset] != 0
		} else if x.size != 0 {
			copyNumber(x.mem, unsafe.Add(p, x.offset), x.size)
		} else if vm.call.err = d.decode(x.value, x.typ, f.outAddr+x.offset, 0); vm.call.err != nil {
			return OK
		}
	}
	if c.failure != nil && b[c.failure[1].Offset] != 0 {
		vm.call.failed = true
		vm.call.err = d.decode(reflect.ValueOf(&vm.call.text).Elem(), c.failure[0].Type, f.outAddr+c.failure[0].Offset, 0)
	}
	return OK
}

// errNoCall says that the program does not wait for a call.
var errNoCall = errors.New("the program does not wait for a call")

// Signature returns the types of a function's parameters and results, without
// an error at the end.
func (vm *VM) Signature(fn int, fails bool) (params, results []GuestField, err error) {
	if fn >= len(vm.call.funcs) {
		return nil, nil, errNoCall
	}
	f := vm.call.funcs[fn]
	results = f.out.Fields
	if fails {
		if len(results) < 2 {
			return nil, nil, ErrCorrupt
		}
		results = results[:len(results)-2]
	}
	return f.in.Fields, results, nil
}

// PrepareCall names the call that the guest makes when the run goes on.
func (vm *VM) PrepareCall(c *Call) {
	if c.vm != vm {
		c.link(vm)
	}
	s := &vm.call
	s.now, s.waits = c, true
	if s.failed || s.err != nil {
		s.failed, s.text, s.err = false, "", nil
	}
}

// CallOutcome returns the text of the error that the function returned, if it
// returned one, and why its results cannot be represented.
func (vm *VM) CallOutcome() (text string, failed bool, err error) {
	s := &vm.call
	return s.text, s.failed, s.err
}

// A GuestType describes a type of the guest whose values the host reads and writes.
type GuestType struct {
	Kind   reflect.Kind
	Elem   *GuestType // of arrays, pointers and slices
	Len    int        // of arrays
	Fields []GuestField

	size   uint32
	addr   uint32 // of the descriptor
	reason string // why the host cannot handle values of it, empty if it can
}

// A GuestField is a field of a struct, a parameter or a result.
type GuestField struct {
	Name   string
	Type   *GuestType
	Offset uint32
}

// Offsets in internal/abi.Type's tails that only calls need.
const (
	elemOffset    = 48 // of pointers and slices
	maxCallFields = 1 << 12
	maxCallDepth  = 32 // of types and of values
	maxNameLength = 1 << 10
)

// guestTypes reads descriptors.
type guestTypes struct {
	vm   *VM
	seen map[uint32]*GuestType
}

func (r *guestTypes) read(addr uint32, depth int) (*GuestType, error) {
	if t := r.seen[addr]; t != nil {
		return t, nil
	}
	bad := fmt.Errorf("%w: type descriptor at %#x", ErrCorrupt, addr)
	b, ok := r.vm.Space.Bytes(uint64(addr), structHead)
	if !ok || depth > maxCallDepth || len(r.seen) > maxExports {
		return nil, bad
	}
	size := u64(b, typeSize)
	if size > 1<<31 {
		return nil, bad
	}
	t := &GuestType{Kind: reflect.Kind(b[typeKind]), size: uint32(size), addr: addr}
	r.seen[addr] = t
	var err error
	switch t.Kind {
	case reflect.Bool, reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64,
		reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64, reflect.Uintptr,
		reflect.Float32, reflect.Float64, reflect.Complex64, reflect.Complex128, reflect.String:
		if want := kindSizes[t.Kind]; t.size != want {
			return nil, bad
		}
	case reflect.Pointer, reflect.Slice:
		if t.Elem, err = r.read(uint32(u64(b, elemOffset)), depth+1); err != nil {
			return nil, err
		}
		t.reason = t.Elem.reason
	case reflect.Array:
		if t.Elem, err = r.read(uint32(u64(b, arrayElem)), depth+1); err != nil {
			return nil, err
		}
		n := u64(b, arrayLen)
		if n > 1<<31 || n*uint64(t.Elem.size) != size {
			return nil, bad
		}
		t.Len, t.reason = int(n), t.Elem.reason
	case reflect.Struct:
		list, n := uint32(u64(b, structFields)), u64(b, structFields+8)
		if n > maxCallFields {
			return nil, bad
		}
		for i := range uint32(n) {
			fb, ok := r.vm.Space.Bytes(uint64(list)+uint64(i)*fieldSize, fieldSize)
			if !ok {
				return nil, bad
			}
			f := GuestField{Offset: uint32(u64(fb, fieldOffset))}
			if f.Name, ok = r.name(uint32(u64(fb, 0))); !ok {
				return nil, bad
			}
			if f.Type, err = r.read(uint32(u64(fb, fieldType)), depth+1); err != nil {
				return nil, err
			}
			if u64(fb, fieldOffset)+uint64(f.Type.size) > size {
				return nil, bad
			}
			if t.reason == "" {
				t.reason = f.Type.reason
			}
			t.Fields = append(t.Fields, f)
		}
	default:
		t.reason = fmt.Sprintf("%ss do not cross between host and guest", t.Kind)
	}
	return t, nil
}

var kindSizes = [...]uint32{
	reflect.Bool: 1, reflect.Int: 8, reflect.Int8: 1, reflect.Int16: 2, reflect.Int32: 4, reflect.Int64: 8,
	reflect.Uint: 8, reflect.Uint8: 1, reflect.Uint16: 2, reflect.Uint32: 4, reflect.Uint64: 8, reflect.Uintptr: 8,
	reflect.Float32: 4, reflect.Float64: 8, reflect.Complex64: 8, reflect.Complex128: 16, reflect.String: 16,
}

// name reads an abi.Name: flags, length as a varint, bytes.
func (r *guestTypes) name(addr uint32) (string, bool) {
	n, shift := 0, 0
	at := uint64(addr) + 1
	for {
		b, ok := r.vm.Space.Bytes(at, 1)
		if !ok || shift > 14 {
			return "", false
		}
		at++
		n |= int(b[0]&0x7f) << shift
		if b[0]&0x80 == 0 {
			break
		}
		shift += 7
	}
	b, ok := r.vm.Space.Bytes(at, uint64(n))
	if !ok || n > maxNameLength {
		return "", false
	}
	return string(b), true
}

// Check reports why values of the host's type cannot be values of t: kinds must
// be equal, and so must the names and order of fields. Names of types do not matter.
func (t *GuestType) Check(h reflect.Type) error { return t.check(h, map[typePair]bool{}) }

type typePair struct {
	t *GuestType
	h reflect.Type
}

func (t *GuestType) check(h reflect.Type, seen map[typePair]bool) error {
	if p := (typePair{t, h}); seen[p] {
		return nil
	} else {
		seen[p] = true
	}
	if t.reason != "" {
		return errors.New(t.reason)
	}
	if h.Kind() != t.Kind {
		return fmt.Errorf("%s of the host for %s of the guest", h, t.Kind)
	}
	switch t.Kind {
	case reflect.Array:
		if h.Len() != t.Len {
			return fmt.Errorf("array of %d elements for one of %d", h.Len(), t.Len)
		}
		return t.Elem.check(h.Elem(), seen)
	case reflect.Pointer, reflect.Slice:
		return t.Elem.check(h.Elem(), seen)
	case reflect.Struct:
		if h.NumField() != len(t.Fields) {
			return fmt.Errorf("%s has %d fields, the guest's struct %d", h, h.NumField(), len(t.Fields))
		}
		for i, f := range t.Fields {
			hf := h.Field(i)
			if hf.Name != f.Name {
				return fmt.Errorf("field %s of %s is %s in the guest", hf.Name, h, f.Name)
			}
			if !hf.IsExported() {
				return fmt.Errorf("field %s of %s is not exported", hf.Name, h)
			}
			if err := f.Type.check(hf.Type, seen); err != nil {
				return fmt.Errorf("field %s: %w", f.Name, err)
			}
		}
	}
	return nil
}

// HostType returns the host's type for values of t: basic types, and slices,
// arrays, pointers and structs of such.
func (t *GuestType) HostType() (reflect.Type, error) { return t.hostType(0) }

func (t *GuestType) hostType(depth int) (reflect.Type, error) {
	if t.reason != "" {
		return nil, errors.New(t.reason)
	}
	if depth > maxCallDepth {
		return nil, errors.New("recursive types need a type of the host's")
	}
	if b := basicTypes[t.Kind]; b != nil {
		return b, nil
	}
	if t.Kind != reflect.Struct {
		e, err := t.Elem.hostType(depth + 1)
		if err != nil {
			return nil, err
		}
		switch t.Kind {
		case reflect.Pointer:
			return reflect.PointerTo(e), nil
		case reflect.Slice:
			return reflect.SliceOf(e), nil
		}
		return reflect.ArrayOf(t.Len, e), nil
	}
	var fields []reflect.StructField
	for _, f := range t.Fields {
		h, err := f.Type.hostType(depth + 1)
		if err != nil {
			return nil, err
		}
		hf := reflect.StructField{Name: f.Name, Type: h}
		if c := f.Name[:min(1, len(f.Name))]; c < "A" || c > "Z" {
			return nil, fmt.Errorf("field %s is not exported", f.Name)
		}
		fields = append(fields, hf)
	}
	return reflect.StructOf(fields), nil
}

var basicTypes = [...]reflect.Type{
	reflect.Bool: reflect.TypeFor[bool](), reflect.Int: reflect.TypeFor[int](), reflect.Int8: reflect.TypeFor[int8](),
	reflect.Int16: reflect.TypeFor[int16](), reflect.Int32: reflect.TypeFor[int32](),
	reflect.Int64: reflect.TypeFor[int64](),
	reflect.Uint:  reflect.TypeFor[uint](), reflect.Uint8: reflect.TypeFor[uint8](),
	reflect.Uint16: reflect.TypeFor[uint16](),
	reflect.Uint32: reflect.TypeFor[uint32](), reflect.Uint64: reflect.TypeFor[uint64](),
	reflect.Uintptr: reflect.TypeFor[uintptr](),
	reflect.Float32: reflect.TypeFor[float32](), reflect.Float64: reflect.TypeFor[float64](),
	reflect.Complex64: reflect.TypeFor[complex64](), reflect.Complex128: reflect.TypeFor[complex128](),
	reflect.String: reflect.TypeFor[string](), reflect.UnsafePointer: nil,
}
