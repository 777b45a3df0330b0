package rt

import (
	"context"
	"encoding/binary"
	"errors"
	"iter"
	"reflect"
	"runtime"
)

// errAbandoned is the value of the panic that unwinds a function of the host whose callback did not return.
var errAbandoned = errors.New("the guest's callback did not return")

// ErrCallbackOver says that a callback was called when its call of the host was over, or from another goroutine.
var ErrCallbackOver = errors.New("gyr: a callback can only be called during the call that has got it, on the goroutine of that call")

// A coroutine runs functions of the host that may call back, one after the other, on a goroutine of its own, to which the run
// is handed. While none runs it refers to nothing of an instance.
type coroutine struct {
	next   func() (*backCall, bool) // runs the function until it calls back, or returns: nil
	stop   func()                   // ends the goroutine
	yield  func(*backCall) bool
	call   *hostCall // whose function runs
	ctx    context.Context
	inside bool      // the function has the run
	back   *backCall // what it asked for last; nil: it has returned
}

// coroutines are those of a VM that run nothing. A new goroutine's stack is small, and grows by copies: using one again is
// several times cheaper.
type coroutines struct{ idle []*coroutine }

// maxIdle is how many coroutines a VM keeps.
const maxIdle = 4

func newCoroutine() *coroutine {
	co := &coroutine{}
	co.next, co.stop = iter.Pull(func(yield func(*backCall) bool) {
		co.yield = yield
		for {
			co.call.invoke(co.ctx)
			co.call, co.ctx = nil, nil
			if !yield(nil) {
				return
			}
		}
	})
	return co
}

// coroutine returns one that runs nothing.
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
	frame   *GuestType
	args    []GuestField
	results []GuestField
	fails   *[2]GuestField
}

// A backCall is one call of a callback.
type backCall struct {
	number        int // of the callback
	args, results []place
	fails         bool
	code          int
	text          string
}

// bindCallbacks sets the parameters of a call that are functions.
func (vm *VM) bindCallbacks(c *hostCall, b []byte) {
	fn := c.link.fn
	for k, i := range fn.Callbacks {
		x := &c.args[i]
		if binary.LittleEndian.Uint64(b[x.offset:]) == 0 {
			x.value.SetZero()
			continue
		}
		turn := c.turn
		x.value.Set(reflect.MakeFunc(fn.Params[i], func(in []reflect.Value) []reflect.Value { return c.callBack(turn, k, in) }))
	}
	c.co = vm.coroutine()
	vm.hosts.running++
	c.co.call, c.co.ctx = c, vm.hostContext()
}

// callBack is callback number k as the host calls it: it hands the run to the guest until that has made the call. The variables
// c had their turn when the callback was made: when they have another it is over.
func (c *hostCall) callBack(turn uint64, k int, in []reflect.Value) []reflect.Value {
	co := c.co
	if c.turn != turn || co == nil || !co.inside {
		panic(ErrCallbackOver)
	}
	t := c.link.fn.Params[c.link.fn.Callbacks[k]]
	out := t.NumOut()
	back := &backCall{number: k, args: places(in)}
	back.fails = out > 0 && t.Out(out-1) == reflect.TypeFor[error]()
	if back.fails {
		out--
	}
	results := make([]reflect.Value, out)
	for i := range results {
		results[i] = reflect.New(t.Out(i)).Elem()
	}
	back.results = places(results)
	if !co.yield(back) {
		panic(errAbandoned)
	}
	if back.fails {
		err := reflect.Zero(t.Out(out))
		if back.code != 0 {
			err = reflect.ValueOf(c.link.fn.errorOf(back.code, back.text))
		}
		results = append(results, err)
	}
	return results
}

// errorOf makes an error of the host of the number and text of one of the guest.
func (fn *HostFunc) errorOf(code int, text string) error {
	e := &crossedError{text: text}
	if i := code - 2; i >= 0 && i < len(fn.Errors) {
		if fn.Errors[i].Error() == text {
			return fn.Errors[i]
		}
		e.is = fn.Errors[i : i+1]
	}
	return e
}

// stepHost runs a function with callbacks until it asks for one or returns.
func (vm *VM) stepHost(c *hostCall, a *[16]uint64) Status {
	co := c.co
	goesOn := false
	defer func() {
		if !goesOn { // the run is over
			co.abandon()
		}
	}()
	co.inside = true // and stays so when the goroutine is left behind in the call
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
		// The frame is written when the guest takes the results: numbers too.
		return vm.finishedLater(c, a)
	}
	c.back, c.pending = back, 0
	a[0], a[1] = uint64(int64(-2-back.number)), uint64(vm.opened(c))
	return OK
}

// Do runs the function until it calls back or returns.
func (co *coroutine) Do() {
	co.back, _ = co.next()
}

// finishedLater is finishedHost for a call whose frame is not at hand.
func (vm *VM) finishedLater(c *hostCall, a *[16]uint64) Status {
	if c.err == nil && c.crash == nil && c.link.numbers {
		a[0], a[1] = 1, uint64(vm.opened(c))
		return OK
	}
	return vm.finishedHost(c, nil, a)
}

// backLink returns the callback that is asked for as the guest describes it.
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
		l.fails = (*[2]GuestField)(t.Fields[len(t.Fields)-2:])
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
	c.link.backs[b.number] = l
	return l, nil
}

// bind says where the arguments and results of a call are in its frame.
func (l *backLink) bind(b *backCall) {
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

func hostHostbacksize(vm *VM, a *[16]uint64) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	if c.back == nil {
		return vm.Fail(c.link.fn.Name, ErrCorrupt)
	}
	l, err := vm.backLink(c, uint32(a[2]))
	if err != nil {
		return vm.Fail(c.link.fn.Name, err)
	}
	a[0] = vm.weigh(l.results, uint32(a[3]), a[1])
	return OK
}

func hostHostresume(vm *VM, a *[16]uint64) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	name := c.link.fn.Name
	if c.back == nil {
		return vm.Fail(name, ErrCorrupt)
	}
	l, err := vm.backLink(c, uint32(a[1]))
	if err != nil {
		return vm.Fail(name, err)
	}
	frame := uint32(a[2])
	b, ok := vm.Space.Bytes(uint64(frame), uint64(l.frame.size))
	if !ok {
		return vm.badAddress(name, uint64(frame), uint64(l.frame.size))
	}
	back := c.back
	l.bind(back)
	err = vm.readPlaces(back.results, b, frame, nil, vm.newTaker(back.results, b, false))
	if err == nil && l.fails != nil {
		if back.code = int(binary.LittleEndian.Uint64(b[l.fails[0].Offset:])); back.code != 0 {
			d := vm.newDecoder()
			err = d.decode(reflect.ValueOf(&back.text).Elem(), l.fails[1].Type, frame+l.fails[1].Offset, 0)
		}
	}
	if err != nil {
		return vm.Fail(name, err)
	}
	return vm.stepHost(c, a)
}

func hostHostabandon(vm *VM, a *[16]uint64) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	if c.co == nil {
		return vm.Fail(c.link.fn.Name, ErrCorrupt)
	}
	c.co.abandon()
	c.bytes = nil // what has unwound it may hold arguments
	vm.hosts.running--
	vm.doneHost(c)
	return OK
}

// abandon unwinds the function, whose callback panics with errAbandoned, and ends the goroutine.
func (co *coroutine) abandon() {
	co.inside = true // calls back in vain
	co.stop()
}
