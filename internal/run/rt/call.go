package rt

import (
	"errors"
	"fmt"
	"math/bits"
	"reflect"
	"slices"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Calls of guest functions by the host.
//
// The guest's generated main function (internal/front/load, exports.go) describes its functions,
// then asks for a call. The run ends with [Yield], and resumes when the host has named a function
// and its arguments. Each function has a struct for its arguments and one for its results. The host
// writes and reads these structs by the descriptors that the guest named. It read the descriptors
// once, with every address and length checked.
//
// Strings, slices and pointers are copied by reflection. Numbers and booleans are moved from memory
// to memory, so that a call of a small function costs little more than entering and leaving the
// engine.

// callState is what a VM knows about calls.
type callState struct {
	funcs  []callFunc
	now    *Call
	waits  bool   // the call was prepared, the guest has not got it yet
	runs   bool   // the guest has got it, and there are no results
	again  []int  // what the guest is asked for before the call, see [VM.DescribeAgain]
	failed bool   // the function returned an error
	text   string // its text
	err    error  // why the results cannot be represented
}

// A callFunc is a function that the host may call.
type callFunc struct {
	in, out         *guesttype.Type // structs
	inAddr, outAddr uint32          // their addresses
	inSize, outSize uint32          // their sizes
}

// guestWeighs is a bit in the result of describe, beside those of [guesttype.Type.Needs]: the guest
// has to ask for the weight of results (outweigh). The overlay calls it gyr_weighs.
const guestWeighs = 4

// A Call names a function, the variables of its arguments and those of its results. It may be used
// repeatedly.
type Call struct {
	fn            int
	args, results []place
	numbers       bool // only numbers and lent buffers cross
	loans         bool // some arguments are lent buffers
	reflects      bool // some results are set by reflection

	// Set by linking: the function as the instance vm describes it.
	vm      *VM
	f       callFunc
	weighed []int               // numbers of the arguments that have to be visited for their weight
	lists   []int               // numbers of the arguments that are slices of strings
	lengths []*int              // of strings and bytes in the other arguments
	parts   int64               // of the other arguments
	own     int64               // bytes of the other arguments, without strings and bytes
	weight  int64               // of the prepared call's arguments, in units of gas
	failure *[2]guesttype.Field // the error's text, and whether there is an error; nil: the function returns none
}

// A place is a variable of the host: a value of any type that can cross, or the memory of one that
// is moved without reflection.
type place struct {
	mem  unsafe.Pointer // nil: value is not a variable
	size uint32         // of a number that has the same size on both sides; otherwise 0
	form form

	// In linked calls: the place in the struct of arguments or results.
	offset uint32
	typ    *guesttype.Type

	value reflect.Value
}

// A form is how the value in a place is moved.
type form uint8

const (
	reflected form = iota
	number
	truth      // a bool
	text       // a string
	octets     // a []byte
	lent       // a lent buffer, see buffer.go
	stringList // a slice of strings, as an argument
)

func notNumber(p place) bool { return p.size == 0 && p.form != lent }
func isLoan(p place) bool    { return p.form == lent }

// NewCall prepares a call of function number fn. [guesttype.Type.CheckParam] and
// [guesttype.Type.Check] have accepted the types of arguments and results. Results can be set.
func NewCall(fn int, args, results []reflect.Value) *Call {
	c := &Call{fn: fn, args: places(args), results: places(results)}
	for i := range c.args {
		switch x, t := &c.args[i], args[i].Type(); {
		case isBuffer(t):
			x.form = lent
		case x.mem != nil && t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.String:
			x.form = stringList
		}
	}
	c.loans = slices.ContainsFunc(c.args, isLoan)
	c.reflects = slices.ContainsFunc(c.results, func(p place) bool { return p.form == reflected })
	c.numbers = !slices.ContainsFunc(c.args, notNumber) && !slices.ContainsFunc(c.results, notNumber)
	return c
}

// Numbers reports whether only numbers and booleans cross, apart from an error.
func (c *Call) Numbers() bool { return c.numbers }

func places(values []reflect.Value) []place {
	list := make([]place, len(values))
	for i, v := range values {
		x := &list[i]
		x.value = v
		if !v.CanAddr() {
			continue
		}
		switch t := v.Type(); {
		case guesttype.IsNumber(t.Kind()) && uint32(t.Size()) == guesttype.KindSizes[t.Kind()]:
			x.form, x.size = number, uint32(t.Size())
			if t.Kind() == reflect.Bool {
				x.form = truth
			}
		case t.Kind() == reflect.String:
			x.form = text
		case t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Uint8:
			x.form = octets
		}
		x.mem = v.Addr().UnsafePointer()
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

// maxExports is the most functions that a guest may describe.
const maxExports = 1 << 16

// callHosts are the host functions in this file, by their names in ir.Primitives.
var callHosts = map[string]Func{
	"describe": hostDescribe,
	"values":   hostValues,
	"nextcall": hostNextcall,
	"outweigh": hostOutweigh,
}

func hostDescribe(vm *VM, a *ir.Args) Status {
	if a[0] != uint64(len(vm.call.funcs)) || a[0] >= maxExports {
		return vm.Fail("describe", memory.ErrCorrupt)
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
		return vm.Fail("describe", memory.ErrCorrupt)
	}
	vm.call.funcs = append(vm.call.funcs, callFunc{in, out, uint32(a[3]), uint32(a[4]), in.Size, out.Size})
	a[0] = in.Needs()&guesttype.GuestNeedsKit | out.Needs()
	if out.Weighs() {
		a[0] |= guestWeighs
	}
	return OK
}

// hostOutweigh weighs the results of the running call.
func hostOutweigh(vm *VM, a *ir.Args) Status {
	c := vm.call.now
	if !vm.call.runs || c == nil || c.vm != vm {
		return vm.Fail("outweigh", memory.ErrCorrupt)
	}
	w, st := vm.weigh(c.f.out.Fields, c.f.outAddr, 0)
	a[0] = w
	return st
}

// NumbersCross reports whether the prepared or running call has only numbers for arguments and
// results, apart from an error.
func (vm *VM) NumbersCross() bool { return vm.call.now != nil && vm.call.now.numbers }

func hostNextcall(vm *VM, a *ir.Args) Status { return vm.NextCall(a) }

// NextCall is the host function nextcall. It yields until a call is prepared; then the tier calls
// it again.
func (vm *VM) NextCall(a *ir.Args) Status {
	c := &vm.call
	if c.waits {
		c.waits, c.runs = false, true
		a[0], a[1] = uint64(c.now.fn), uint64(c.now.weight)
		if c.now.weight > smallWeight && c.now.weight > vm.gasLeft() {
			return OK // the guest runs out of gas before it reads them
		}
		return vm.giveArgs(c.now)
	}
	if c.runs {
		c.runs = false
		if st := vm.takeResults(c.now); st != OK {
			return st
		}
		if vm.Stacks > 1 {
			rest := restCall
			a[0], a[1] = uint64(rest), 0
			return OK
		}
	}
	if len(c.again) > 0 {
		a[0], a[1], c.again = uint64(c.again[0]), 0, c.again[1:]
		return OK
	}
	if vm.sys.Numbered() && !vm.sys.Forget() {
		return vm.interrupt()
	}
	return Yield
}

// DescribeAgain makes the guest, on its next resumption, describe its functions anew, collect
// garbage and wait for a call. The guest's memory is that of an earlier version of the program.
func (vm *VM) DescribeAgain() {
	c := &vm.call
	n := len(c.funcs)
	c.funcs, c.again = nil, make([]int, 0, n+1)
	for i := range n {
		c.again = append(c.again, ^i)
	}
	c.again = append(c.again, collectCall)
}

// The overlay calls these gyr_collect and gyr_rest.
const (
	collectCall = -1 << 62
	restCall    = collectCall + 1
)

// link finds the addresses of a call's arguments and results in the memory of vm.
func (c *Call) link(vm *VM) {
	c.vm, c.f, c.failure = vm, vm.call.funcs[c.fn], nil
	put := func(list []place, fields []guesttype.Field) {
		for i := range list {
			list[i].offset, list[i].typ = fields[i].Offset, fields[i].Type
		}
	}
	put(c.args, c.f.in.Fields)
	c.weighed, c.lists, c.lengths, c.parts, c.own = c.weighed[:0], c.lists[:0], c.lengths[:0], 0, 0
	for i, x := range c.args {
		if x.form == lent {
			continue
		}
		if x.form == stringList {
			c.lists = append(c.lists, i)
		} else if x.typ.Refs {
			texts, all := []uintptr(nil), false
			if x.mem != nil {
				texts, all = x.typ.TextsIn(x.value.Type(), 0, nil)
			}
			if !all {
				c.weighed = append(c.weighed, i)
				continue
			}
			for _, at := range texts {
				c.lengths = append(c.lengths, (*int)(unsafe.Add(x.mem, at)))
			}
		}
		c.parts, c.own = c.parts+x.typ.Parts, c.own+int64(x.typ.Size)
	}
	if !c.f.in.Weighs() { // the price of the call covers the arguments
		c.parts, c.own = 0, 0
	}
	c.weight = crossUnits(c.parts, c.own)
	out := c.f.out.Fields
	put(c.results, out)
	if n := len(c.results); n+2 == len(out) {
		c.failure = (*[2]guesttype.Field)(out[n:])
	}
}

// giveArgs writes the arguments.
func (vm *VM) giveArgs(c *Call) Status {
	f := &c.f
	b := vm.Space.Main(uint64(f.inAddr), uint64(f.inSize))
	if b == nil {
		var st Status
		if b, st = vm.writable("call", uint64(f.inAddr), uint64(f.inSize)); st != OK {
			return st
		}
	}
	p := unsafe.Pointer(unsafe.SliceData(b)) // fields lie inside their struct: see read
	for i := range c.args {
		x := &c.args[i]
		if x.size == 8 {
			*(*uint64)(unsafe.Add(p, x.offset)) = *(*uint64)(x.mem)
		} else if x.size != 0 {
			copyNumber(unsafe.Add(p, x.offset), x.mem, x.size)
		} else if st := vm.giveArg(x, unsafe.Add(p, x.offset), f.inAddr+x.offset); st != OK {
			return st
		}
	}
	return OK
}

// giveArg writes an argument that is not a number to addr, which is at p in the host.
func (vm *VM) giveArg(x *place, p unsafe.Pointer, addr uint32) Status {
	switch x.form {
	case text:
		s := *(*string)(x.mem)
		return vm.giveBytes(p, unsafe.StringData(s), len(s), len(s) > 0, false)
	case octets:
		s := *(*[]byte)(x.mem)
		return vm.giveBytes(p, unsafe.SliceData(s), len(s), s != nil, true)
	case lent:
		return vm.lend(addr, x.typ, x.value)
	case stringList:
		return vm.putStrings(addr, x.typ.Elem, *(*[]string)(x.mem))
	}
	return vm.encode(addr, x.typ, x.value)
}

// giveBytes makes an object of the n bytes at s and writes the header of a string or a slice of it
// to p. p is zero, and stays zero unless some is set.
func (vm *VM) giveBytes(p unsafe.Pointer, s *byte, n int, some, slice bool) Status {
	if !some {
		return OK
	}
	if uint64(n) > 1<<32-1 {
		return OutOfMemory
	}
	addr, st := vm.Alloc(ir.NoPointers, uint64(max(1, n)))
	if st != OK {
		return st
	}
	b := vm.Space.Main(uint64(addr), uint64(n))
	if b == nil {
		var ok bool
		if b, ok = vm.Space.Bytes(uint64(addr), uint64(n)); !ok {
			return vm.badAddress("call", uint64(addr), uint64(n))
		}
	}
	h := (*[3]uint64)(p)
	h[0], h[1] = uint64(addr), uint64(n)
	if slice {
		h[2] = uint64(n)
	}
	return vm.fill(b, unsafe.Slice(s, n))
}

// takeResults reads the results.
func (vm *VM) takeResults(c *Call) Status {
	f := &c.f
	b := vm.Space.Main(uint64(f.outAddr), uint64(f.outSize))
	if b == nil {
		var ok bool
		if b, ok = vm.Space.Bytes(uint64(f.outAddr), uint64(f.outSize)); !ok {
			return vm.badAddress("call", uint64(f.outAddr), uint64(f.outSize))
		}
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	others := c.failure != nil && b[c.failure[1].Offset] != 0
	for i := range c.results {
		x := &c.results[i]
		if x.size == 8 {
			*(*uint64)(x.mem) = *(*uint64)(unsafe.Add(p, x.offset))
		} else if x.form == truth {
			*(*bool)(x.mem) = b[x.offset] != 0
		} else if x.size != 0 {
			copyNumber(x.mem, unsafe.Add(p, x.offset), x.size)
		} else {
			others = true
		}
	}
	if !others {
		return OK
	}
	return vm.takeOthers(c, b)
}

// takeOthers takes the error and the results that are not numbers. It is a function of its own, so
// that calls without these do not pay for its setup.
func (vm *VM) takeOthers(c *Call, b []byte) Status {
	var t taker
	t.init(vm, c.results, b, false)
	if c.reflects {
		if st, over := vm.takeReflected(c, &t, b); over {
			return st
		}
	} else {
		for i := range c.results {
			if x := &c.results[i]; x.form >= text {
				if vm.call.err = t.take(x, b[x.offset:]); vm.call.err != nil {
					return vm.taken()
				}
			}
		}
	}
	if c.failure != nil && b[c.failure[1].Offset] != 0 {
		vm.call.failed = true
		s, err := vm.stringAt(b[c.failure[0].Offset:], &t.room)
		if vm.call.err = err; err == nil {
			vm.call.text, vm.call.err = vm.copyOut(s)
		}
		return vm.taken()
	}
	return OK
}

// takeReflected takes results when some need reflection. over is true if nothing more is to be
// taken.
func (vm *VM) takeReflected(c *Call, t *taker, b []byte) (st Status, over bool) {
	var d decoder // made on first use
	for i := range c.results {
		x := &c.results[i]
		if x.form == number || x.form == truth {
			continue
		}
		if x.form != reflected {
			if vm.call.err = t.take(x, b[x.offset:]); vm.call.err != nil {
				return vm.taken(), true
			}
			continue
		}
		if d.vm == nil {
			d = vm.newDecoder()
		}
		d.room = t.room
		vm.call.err = d.decode(x.value, x.typ, c.f.outAddr+x.offset, 0)
		t.room = d.room
		if vm.call.err != nil {
			return vm.taken(), true
		}
	}
	return OK, false
}

// A taker makes strings and slices of the host from headers in guest memory. Short ones that cross
// together share an object.
type taker struct {
	vm       *VM
	room     int64  // bytes of the host's memory that may still be used
	buf      []byte // the free rest of the object
	borrowed borrowedBytes
}

// borrowedBytes is the memory of strings and slices that a host function gets for its call alone
// (HostFunc.Borrows). The call owns it until it ends, so calls inside its callbacks have others. A
// call that fails or is abandoned never returns it.
type borrowedBytes []byte

// maxBorrowed is the largest size of that memory. A call with more bytes gets ordinary objects.
const maxBorrowed = 16 << 10

// maxShared is the largest size of a shared object. So a string that is kept does not keep much
// more than itself.
const maxShared = 512

// init prepares a taker for the places of a struct in guest memory. With borrows, its strings and
// slices live as long as the call, which gets the field borrowed.
func (t *taker) init(vm *VM, list []place, b []byte, borrows bool) {
	t.vm, t.room = vm, int64(min(vm.memoryLimit(), 1<<40))
	n, count := uint64(0), 0
	for i := range list {
		if x := &list[i]; x.form >= text {
			n, count = n+min(maxBorrowed+1, guesttype.U64(b[x.offset:], 8)), count+1
		}
	}
	if borrows && n <= maxBorrowed {
		if n > 0 {
			t.borrowed, vm.hosts.bytes = vm.hosts.bytes, nil
			if uint64(cap(t.borrowed)) < n {
				t.borrowed = make(borrowedBytes, 0, max(512, 1<<bits.Len64(n-1)))
			}
			t.buf = t.borrowed
		}
		return
	}
	if count > 1 && n < maxShared {
		t.buf = make([]byte, 0, n)
	}
}

// take sets a place of a string or a []byte to the contents that the header b names.
func (t *taker) take(x *place, b []byte) error {
	s, err := t.vm.stringAt(b, &t.room)
	switch {
	case err != nil:
		return err
	case x.form == text && len(s) <= cap(t.buf):
		s = t.copy(s)
		*(*string)(x.mem) = unsafe.String(unsafe.SliceData(s), len(s))
	case x.form == text:
		*(*string)(x.mem), err = t.vm.copyOut(s)
		return err
	case s == nil:
		*(*[]byte)(x.mem) = nil
	case len(s) > 0 && len(s) <= cap(t.buf):
		*(*[]byte)(x.mem) = t.copy(s)
	case len(s) <= copyPiece:
		*(*[]byte)(x.mem) = append(make([]byte, 0, len(s)), s...)
	default:
		c, err := t.vm.copyOut(s)
		if err != nil {
			return err
		}
		*(*[]byte)(x.mem) = unsafe.Slice(unsafe.StringData(c), len(c))[:len(s):len(s)] // the copy has no other user
	}
	return nil
}

// copy copies bytes into the shared object.
func (t *taker) copy(s []byte) []byte {
	out := t.buf[:len(s):len(s)]
	t.buf = t.buf[len(s):cap(t.buf)][:0]
	copy(out, s)
	return out
}

// clear makes the variable zero.
func (x *place) clear() {
	switch x.form {
	case number, truth:
		clear(unsafe.Slice((*byte)(x.mem), x.size))
	case text:
		*(*string)(x.mem) = ""
	case octets:
		*(*[]byte)(x.mem) = nil
	default:
		x.value.SetZero()
	}
}

// stringAt returns the bytes in guest memory of the string or []byte with the header b, and
// subtracts them from room. It returns nil if their address is 0.
func (vm *VM) stringAt(b []byte, room *int64) ([]byte, error) {
	p, n := uint32(guesttype.U64(b, 0)), guesttype.U64(b, 8)
	if p == 0 && n == 0 {
		return nil, nil
	}
	if n == 0 {
		return []byte{}, nil
	}
	s, ok := vm.Space.Bytes(uint64(p), n)
	if !ok {
		return nil, &addressError{uint64(p), uint64(n)}
	}
	if *room -= int64(n) + 16; *room < 0 {
		return nil, errTooMuch
	}
	return s, nil
}

// taken is the status after results were read, or could not be.
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
func (vm *VM) Signature(fn int, fails bool) (params, results []guesttype.Field, err error) {
	if fn >= len(vm.call.funcs) {
		return nil, nil, errNoCall
	}
	f := vm.call.funcs[fn]
	results = f.out.Fields
	if fails {
		if len(results) < 2 {
			return nil, nil, memory.ErrCorrupt
		}
		results = results[:len(results)-2]
	}
	return f.in.Fields, results, nil
}

// PrepareCall sets the call that the guest makes when the run resumes. It fails without any change
// if part of an argument does not cross, or a buffer cannot be lent.
func (vm *VM) PrepareCall(c *Call) error {
	if c.vm != vm {
		c.link(vm)
	}
	if c.loans {
		if err := c.checkLoans(); err != nil {
			return err
		}
	}
	if len(c.lengths)+len(c.lists)+len(c.weighed) > 0 {
		if err := vm.weighArgs(c); err != nil {
			return err
		}
	}
	s := &vm.call
	s.now, s.waits = c, true
	if s.failed || s.err != nil {
		s.failed, s.text, s.err = false, "", nil
	}
	return nil
}

// weighArgs finds the weight of a linked call's arguments.
func (vm *VM) weighArgs(c *Call) error {
	if parts, texts, few := c.fewTexts(); few && len(c.weighed) == 0 {
		c.weight = crossUnits(c.parts+parts, c.own+texts)
		return nil
	}
	y := vm.newTally(0)
	y.parts, y.own = c.parts, c.own
	err, whole := y.add(0, c.textBytes()), c.f.in.Weighs()
	for _, i := range c.lists {
		if x := &c.args[i]; err == nil {
			err = y.strings(x.typ.Elem, *(*[]string)(x.mem))
		}
	}
	for _, i := range c.weighed {
		if err != nil {
			break
		}
		x := &c.args[i]
		if !whole { // a text: the price of the call covers the rest
			err = y.add(0, int64(x.value.Len()))
		} else if err = y.weighHost(x.typ, x.value); err != nil && !stops(err) {
			return fmt.Errorf("argument %d: %w", i, err)
		}
	}
	switch {
	case errors.Is(err, errUnpaid):
		c.weight = maxWeight // the call ends when it begins
	case errors.Is(err, errInterrupted):
		return &StoppedError{vm.whyStopped()}
	case err != nil:
		return fmt.Errorf("the arguments: %w", err)
	default:
		c.weight = y.units()
	}
	return nil
}

// textBytes sums the lengths of the strings and bytes that link has found.
func (c *Call) textBytes() (n int64) {
	for _, length := range c.lengths {
		n += int64(*length)
	}
	return n
}

// fewTexts weighs the contents of strings, bytes and slices of strings without a poll. few is false
// if there are too many for that; a tally then checks gas and deadline on the way.
func (c *Call) fewTexts() (parts, n int64, few bool) {
	for _, i := range c.lists {
		x := &c.args[i]
		list := *(*[]string)(x.mem)
		if len(list) > pollParts {
			return 0, 0, false
		}
		parts += refParts + int64(len(list))*x.typ.Elem.Parts
		n += int64(len(list)) * int64(x.typ.Elem.Size)
		for _, s := range list {
			n += int64(len(s))
		}
	}
	n += c.textBytes()
	return parts, n, n <= copyPiece
}

// stops reports whether weighing a value failed for a reason that is not the value's.
func stops(err error) bool { return errors.Is(err, errUnpaid) || errors.Is(err, errInterrupted) }

// A StoppedError says that a call had to stop before it began. Err is as VM.Err of an interrupted
// run.
type StoppedError struct{ Err error }

func (e *StoppedError) Error() string { return e.Err.Error() }

// CallOutcome returns the text of the error that the function returned, if any, and why its results
// cannot be represented.
func (vm *VM) CallOutcome() (text string, failed bool, err error) {
	s := &vm.call
	return s.text, s.failed, s.err
}
