package rt

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"reflect"
	"runtime"
	"slices"
	"sync/atomic"
	"unsafe"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/gofunc"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// errAbandoned is the panic value that unwinds a host function whose callback did not return.
var errAbandoned = errors.New("the guest's callback did not return")

// ErrCallbackOver reports a callback that was called after its host call was over, or from another
// goroutine.
var ErrCallbackOver = errors.New("gyr: a callback can only be called during the call that has got it, on the goroutine of that call")

// A coroutine runs host functions that may call back, one after the other, on its own goroutine, to
// which the run is handed. While it runs none, it refers to nothing of an instance.
type coroutine struct {
	next   func() (*backCall, bool) // runs the function until it calls back, or returns (nil)
	stop   func()                   // ends the goroutine
	yield  func(*backCall) bool
	call   *hostCall // the call whose function runs
	ctx    context.Context
	inside bool      // the function has control of the run
	back   *backCall // its last callback; nil: it has returned

	self  uintptr       // its goroutine: see gofunc.Goroutine
	turn  uint64        // number of calls that it has served, with the current one
	serve atomic.Uint64 // turn, until the goroutine has ended
}

// coroutines are the idle ones of a VM. A new goroutine's stack is small and grows by copies, so
// using one again is several times cheaper.
type coroutines struct{ idle []*coroutine }

// maxIdle is how many coroutines a VM keeps.
const maxIdle = 4

func newCoroutine() *coroutine {
	co := &coroutine{}
	co.next, co.stop = iter.Pull(func(yield func(*backCall) bool) {
		defer co.serve.Store(0)
		co.yield, co.self = yield, gofunc.Goroutine()
		for yield(nil) {
			co.call.invoke(co.ctx)
			co.call, co.ctx = nil, nil
		}
	})
	co.next() // sets self
	return co
}

// coroutine returns an idle coroutine.
func (vm *VM) coroutine() *coroutine {
	if vm.hosts.co == nil {
		vm.hosts.co = &coroutines{}
		runtime.AddCleanup(vm, (*coroutines).close, vm.hosts.co)
	}
	if n := len(vm.hosts.co.idle); n > 0 {
		co := vm.hosts.co.idle[n-1]
		vm.hosts.co.idle = vm.hosts.co.idle[:n-1]
		return co
	}
	return newCoroutine()
}

// over takes back a coroutine whose function has returned.
func (vm *VM) over(co *coroutine) {
	if len(vm.hosts.co.idle) < maxIdle {
		vm.hosts.co.idle = append(vm.hosts.co.idle, co)
	} else {
		co.stop()
	}
}

func (list *coroutines) close() {
	for _, co := range list.idle {
		co.stop()
	}
	list.idle = nil
}

// A backLink is a callback as the instance describes it.
type backLink struct {
	typ     uint32
	frame   *guesttype.Type
	args    []guesttype.Field
	results []guesttype.Field
	fails   *[2]guesttype.Field
	numbers bool // results are all numbers
}

// A backCall is one call of a callback, or the variables for one. A function that waits for a
// callback cannot call it again, so each callback of a hostCall needs only one.
type backCall struct {
	gofunc.Frame // the first field: see backOf

	number        int // of the callback
	args, results []place
	fails         bool
	err           error     // returned by the guest
	link          *backLink // the link that has bound the variables, or nil
}

// backOf returns the call whose first field is f.
func backOf(f *gofunc.Frame) *backCall { return (*backCall)(unsafe.Pointer(f)) }

// newBackCall makes the variables for calls of a callback of type t.
func newBackCall(number int, t reflect.Type) *backCall {
	back := &backCall{number: number}
	var args, results []reflect.Value
	for i := range t.NumIn() {
		args = append(args, reflect.New(t.In(i)).Elem())
		back.Args = append(back.Args, args[i].Addr().UnsafePointer())
	}
	out := t.NumOut()
	if back.fails = out > 0 && t.Out(out-1) == reflect.TypeFor[error](); back.fails {
		out--
	}
	for i := range out {
		results = append(results, reflect.New(t.Out(i)).Elem())
	}
	back.Result = unsafe.Pointer(back) // not read
	if out > 0 {
		back.Result = results[0].Addr().UnsafePointer()
	}
	back.args, back.results = places(args), places(results)
	return back
}

// A callback makes the calls of one callback during a host call. It is immutable, so any goroutine
// may check whether it is the one that may call.
type callback struct {
	c      *hostCall
	co     *coroutine // runs the function
	turn   uint64     // of co, for this call
	number int
}

// Begin returns the variables for a call. Only the function runs on its goroutine. State that other
// goroutines must not read is read there alone.
func (b *callback) Begin() *gofunc.Frame {
	if gofunc.Goroutine() != b.co.self || b.co.serve.Load() != b.turn {
		panic(ErrCallbackOver)
	}
	c := b.c
	if c.backs == nil {
		c.backs = make([]*backCall, len(c.link.backs))
	}
	if c.backs[b.number] == nil {
		c.backs[b.number] = newBackCall(b.number, c.link.callbackType(b.number))
	}
	return &c.backs[b.number].Frame
}

// Do hands the run to the guest until it has made the call.
func (b *callback) Do(_ context.Context, f *gofunc.Frame) error {
	back := backOf(f)
	if !b.co.yield(back) {
		panic(errAbandoned)
	}
	return back.err
}

// End zeroes the variables that may refer to something.
func (b *callback) End(f *gofunc.Frame, err error) error {
	back := backOf(f)
	back.err = nil
	clearContents(back.args)
	clearContents(back.results)
	return err
}

// reflected is the body that package reflect calls, for callbacks that gofunc does not make.
func (b *callback) reflected(in []reflect.Value) []reflect.Value {
	f := b.Begin()
	back := backOf(f)
	for i, v := range in {
		back.args[i].value.Set(v)
	}
	err := b.Do(nil, f)
	out := make([]reflect.Value, len(back.results), len(back.results)+1)
	for i, r := range back.results {
		out[i] = reflect.New(r.value.Type()).Elem()
		out[i].Set(r.value)
	}
	if err = b.End(f, err); back.fails {
		out = append(out, reflect.ValueOf(&err).Elem())
	}
	return out
}

// makerOf returns the maker of callbacks of a type, or nil if only package reflect can make them.
func makerOf(t reflect.Type) gofunc.Maker {
	in, out := slices.Collect(t.Ins()), slices.Collect(t.Outs())
	var s gofunc.Signature
	if n := len(out); n > 0 && out[n-1] == reflect.TypeFor[error]() {
		s.Error, out = true, out[:n-1]
	}
	return gofunc.MakerOf(s, in, out)
}

// callbackType returns the type of callback number k.
func (l *hostLink) callbackType(k int) reflect.Type { return l.fn.Params[l.fn.Callbacks[k]] }

// bindCallbacks sets the parameters of a call that are functions.
func (vm *VM) bindCallbacks(c *hostCall, b []byte) {
	fn := c.link.fn
	co := vm.coroutine()
	co.turn++
	co.serve.Store(co.turn)
	for k, i := range fn.Callbacks {
		x := &c.args[i]
		if binary.LittleEndian.Uint64(b[x.offset:]) == 0 {
			x.value.SetZero()
			continue
		}
		b := &callback{c, co, co.turn, k}
		if store := c.link.makers[k]; store != nil {
			store(x.mem, b)
		} else {
			x.value.Set(reflect.MakeFunc(fn.Params[i], b.reflected))
		}
	}
	c.co = co
	vm.hosts.running++
	co.call, co.ctx = c, vm.hostContext()
}

// stepHost runs a function with callbacks until it asks for one or returns.
func (vm *VM) stepHost(c *hostCall, a *ir.Args) Status {
	co := c.co
	goesOn := false
	defer func() {
		if !goesOn { // the run is over
			co.abandon()
		}
	}()
	co.inside = true // remains set if the goroutine is abandoned in the call
	if goesOn = vm.callHost(co); !goesOn {
		return vm.interrupt()
	}
	co.inside = false
	back := co.back
	co.back = nil
	if back == nil {
		c.back = nil
		vm.over(co)
		vm.hosts.running--
		c.co = nil
		// The frame is written when the guest takes the results, even if they are numbers.
		return vm.finishedLater(c, a)
	}
	c.back, c.pending = back, 0
	a[0], a[1], a[2] = uint64(int64(-2-back.number)), uint64(vm.opened(c)), 0
	return OK
}

// Do runs the function until it calls back or returns.
func (co *coroutine) Do() {
	co.back, _ = co.next()
}

// Place implements wasi.Blocking.
func (co *coroutine) Place() wasi.Place { return co.call.Place() }

// finishedLater is finishedHost for a call whose frame is not available.
func (vm *VM) finishedLater(c *hostCall, a *ir.Args) Status {
	if c.err == nil && c.crash == nil && c.link.numbers {
		a[0], a[1], a[2] = 1, uint64(vm.opened(c)), 0
		return OK
	}
	return vm.finishedHost(c, nil, a)
}

// backLink returns the requested callback as the guest describes it.
func (vm *VM) backLink(c *hostCall, typ uint32) (*backLink, error) {
	b := c.back
	l := c.link.backs[b.number]
	if l != nil && l.typ == typ {
		return l, nil
	}
	t, err := vm.frameType(typ, len(b.args), len(b.results), b.fails)
	if err != nil {
		return nil, err
	}
	l = &backLink{typ: typ, frame: t, args: t.Fields[:len(b.args)], results: t.Fields[len(b.args) : len(b.args)+len(b.results)]}
	if b.fails {
		l.fails = (*[2]guesttype.Field)(t.Fields[len(t.Fields)-2:])
	}
	for i, f := range l.args {
		if err := f.Type.Check(b.args[i].value.Type()); err != nil {
			return nil, err
		}
	}
	for i, f := range l.results {
		if err := f.Type.Check(b.results[i].value.Type()); err != nil {
			return nil, err
		}
	}
	l.numbers = !slices.ContainsFunc(b.results, notNumber)
	c.link.backs[b.number] = l
	return l, nil
}

// bind sets the places of a call's arguments and results in its frame.
func (l *backLink) bind(b *backCall) {
	if b.link == l {
		return
	}
	b.link = l
	for i := range b.args {
		b.args[i].offset, b.args[i].typ = l.args[i].Offset, l.args[i].Type
	}
	for i := range b.results {
		b.results[i].offset, b.results[i].typ = l.results[i].Offset, l.results[i].Type
	}
}

// takeBack writes the arguments of a callback.
func (vm *VM) takeBack(c *hostCall, typ, frame uint32) Status {
	l, err := vm.backLink(c, typ)
	if err != nil {
		return vm.Fail(c.link.fn.Name, err)
	}
	l.bind(c.back)
	return vm.writePlaces(c.back.args, frame)
}

func hostHostbacksize(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	if c.back == nil {
		return vm.Fail(c.link.fn.Name, memory.ErrCorrupt)
	}
	l, err := vm.backLink(c, uint32(a[2]))
	if err != nil {
		return vm.Fail(c.link.fn.Name, err)
	}
	frame := uint32(a[3])
	fields := l.frame.Fields[len(l.args):] // and the text of an error
	if l.numbers && l.fails != nil {
		b, ok := vm.Space.Bytes(uint64(frame+l.fails[0].Offset), 8)
		if !ok {
			return vm.badAddress("hostbacksize", uint64(frame), uint64(l.frame.Size))
		}
		if guesttype.U64(b, 0) == 0 {
			fields = nil
		}
	} else if l.numbers { // no contents
		fields = nil
	}
	if fields == nil {
		a[0] = 0
		return OK
	}
	w, st := vm.weigh(fields, frame, a[1])
	a[0] = w
	return st
}

func hostHostresume(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	name := c.link.fn.Name
	if c.back == nil {
		return vm.Fail(name, memory.ErrCorrupt)
	}
	l, err := vm.backLink(c, uint32(a[1]))
	if err != nil {
		return vm.Fail(name, err)
	}
	frame := uint32(a[2])
	b, ok := vm.Space.Bytes(uint64(frame), uint64(l.frame.Size))
	if !ok {
		return vm.badAddress(name, uint64(frame), uint64(l.frame.Size))
	}
	back := c.back
	l.bind(back)
	var t taker
	t.init(vm, back.results, b, false)
	err = vm.readPlaces(back.results, b, frame, nil, &t)
	if err == nil && l.fails != nil {
		if n := int(binary.LittleEndian.Uint64(b[l.fails[0].Offset:])); n != 0 {
			var text string
			d := vm.newDecoder()
			err = d.decode(reflect.ValueOf(&text).Elem(), l.fails[1].Type, frame+l.fails[1].Offset, 0)
			back.err = vm.errorOf(n, text)
		}
	}
	if errors.Is(err, errInterrupted) {
		return Interrupted
	}
	if err != nil {
		return vm.Fail(name, err)
	}
	return vm.stepHost(c, a)
}

func hostHostabandon(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	if c.co == nil {
		return vm.Fail(c.link.fn.Name, memory.ErrCorrupt)
	}
	c.co.abandon()
	c.backs = nil
	c.bytes = nil // the function's deferred calls may have kept arguments
	vm.hosts.running--
	vm.doneHost(c)
	return OK
}

// abandon unwinds the function, whose callback panics with errAbandoned, and ends the goroutine.
func (co *coroutine) abandon() {
	co.inside = true // further callbacks fail
	co.stop()
}
