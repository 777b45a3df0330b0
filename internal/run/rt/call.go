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
	vm *VM
	f  callFunc
	// numbers of the arguments that are trees of any size
	branching []int
	failure   *[2]GuestField // the text of the error and whether there is one; nil: the function returns none
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
	"values":   hostValues,
	"nextcall": hostNextcall,
}

func hostDescribe(vm *VM, a *[16]uint64) Status {
	if a[0] != uint64(len(vm.call.funcs)) || a[0] >= maxExports {
		return vm.Fail("describe", ErrCorrupt)
	}
	in, err := vm.guestType(uint32(a[1]))
	if err != nil {
		return vm.Fail("describe", err)
	}
	out, err := vm.guestType(uint32(a[2]))
	if err != nil {
		return vm.Fail("describe", err)
	}
	if in.Kind != reflect.Struct || out.Kind != reflect.Struct {
		return vm.Fail("describe", ErrCorrupt)
	}
	vm.call.funcs = append(vm.call.funcs, callFunc{in, out, uint32(a[3]), uint32(a[4])})
	a[0] = in.needs()&guestNeedsKit | out.needs()
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
	c.branching = c.branching[:0]
	for i, x := range c.args {
		if x.typ.judge(); x.typ.traits&branches != 0 {
			c.branching = append(c.branching, i)
		}
	}
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
	var d decoder
	if !c.numbers || c.failure != nil && b[c.failure[1].Offset] != 0 {
		d = vm.newDecoder()
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
			return vm.taken()
		}
	}
	if c.failure != nil && b[c.failure[1].Offset] != 0 {
		vm.call.failed = true
		vm.call.err = d.decode(reflect.ValueOf(&vm.call.text).Elem(), c.failure[0].Type, f.outAddr+c.failure[0].Offset, 0)
	}
	return vm.taken()
}

// taken is the status behind results that were read, or could not be.
func (vm *VM) taken() Status {
	if vm.call.err != nil && errors.Is(vm.call.err, errInterrupted) {
		return Interrupted
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

// PrepareCall names the call that the guest makes when the run goes on. It fails, and has then changed nothing, if
// an argument has something in it that does not cross.
func (vm *VM) PrepareCall(c *Call) error {
	if c.vm != vm {
		c.link(vm)
	}
	for _, i := range c.branching {
		x := &c.args[i]
		if _, err := vm.Measure(x.typ, x.value, int64(vm.memoryLimit())); err != nil {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	s := &vm.call
	s.now, s.waits = c, true
	if s.failed || s.err != nil {
		s.failed, s.text, s.err = false, "", nil
	}
	return nil
}

// CallOutcome returns the text of the error that the function returned, if it
// returned one, and why its results cannot be represented.
func (vm *VM) CallOutcome() (text string, failed bool, err error) {
	s := &vm.call
	return s.text, s.failed, s.err
}
