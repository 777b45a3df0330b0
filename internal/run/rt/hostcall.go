package rt

import (
	"context"
	"errors"
	"fmt"
	"math"
	"reflect"
	"runtime/debug"
	"slices"
	"time"
	"unsafe"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/gofunc"
	"github.com/gyrvm/gyr/internal/run/guesttype"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Calls of host functions by the guest.
//
// A guest names a function of one of its host packages by number and passes a struct, the frame.
// The frame has a field for each parameter (A0, A1, ...) and each result (R0, ...) and, if the last
// result is an error, the error's number and text (E, T). The frame's type descriptor tells where
// they are. It is read once for each function and instance, with every address and length checked,
// and compared with the types of the host. The guest's half is runtime/hostpkg.go.
//
// The guest charges for contents before they are copied: it asks for the size of arguments before
// the call (hostsize), and results wait here until it has paid for them (hosttake). Numbers are
// copied at once.
//
// # Callbacks
//
// A function with parameters that are functions runs on a goroutine of its own (coroutine). The run
// is handed to that goroutine and back: the two never run at the same time. When the function calls
// back, the guest's call returns with a request. The guest makes the requested call itself, on the
// stack of the goroutine that has called the host. So it may block there, and other goroutines may
// call the host meanwhile. Then the guest hands over the results and the function resumes.

// An Outcome is the effect of an error or a panic of the host's function.
type Outcome uint8

const (
	EndRun     Outcome = iota // the run ends with a HostError
	GuestPanic                // the guest panics with the text
	GuestFails                // the guest's call returns an error with the text
)

// A HostFunc is a host function for guests. It is immutable and shared by all instances of a
// program.
type HostFunc struct {
	Name      string // as messages print it: kv.Get
	Path      string // of its package
	Params    []reflect.Type
	Results   []reflect.Type // without an error at the end
	Fails     bool           // the declaration has an error at the end
	Callbacks []int          // indices of the parameters that are functions
	OnError   Outcome        // not GuestFails unless Fails
	OnPanic   Outcome        // likewise

	Deterministic bool // declared by the host
	Borrows       bool // the function keeps no string or []byte parameter: see borrowedBytes

	// New makes the variables of a call: settable values of types Params and Results, and a
	// function that calls the host's function with them.
	New func() (args, results []reflect.Value, call func(context.Context) error)
}

// hostCalls is what a VM knows about calls of the host.
type hostCalls struct {
	linked []*hostLink
	open   []*hostCall // by id - 1; nil: free
	co     *coroutines // nil: none needed yet; kept when the VM is reset

	ctx     *hostContext  // of the last call; nil: none
	running int           // coroutines with a function that has not returned
	bytes   borrowedBytes // nil while a call owns it
}

// maxRunning bounds the functions with callbacks that have not returned. Each has a goroutine of
// the host. Without a bound, a guest could have any number: by a call in a callback, and so on, or
// by very many goroutines.
const maxRunning = 1000

// A hostLink is a host function as the instance describes it.
type hostLink struct {
	fn      *HostFunc
	place   wasi.Place
	frame   *guesttype.Type
	typ     uint32 // the address of its descriptor
	numbers bool   // results are all numbers; set with the variables
	args    []guesttype.Field
	results []guesttype.Field
	fails   *[2]guesttype.Field // E and T
	backs   []*backLink         // callbacks by number; nil: not called yet
	makers  []gofunc.Maker      // by number; nil: package reflect makes them
	free    []*hostCall
}

// A hostCall is one call, or the variables for one.
type hostCall struct {
	link          *hostLink
	id            int
	args, results []place
	run           func(context.Context) error
	hooks         *api.Hooks
	err           error
	crash         *api.HostPanicError
	text          string // of a panic for the guest, or of the error
	code          int    // of the error
	pending       int    // bytes of waiting results, or of a callback's arguments
	weight        int64  // of these, in units of gas
	large         bool   // these are too large for the guest
	ctx           context.Context
	bytes         borrowedBytes

	co   *coroutine // of a function with callbacks
	back *backCall  // the requested callback

	backs []*backCall // variables of callbacks, by number; nil: not called yet
}

// hostcallHosts are the host functions in this file, by their names in ir.Primitives.
var hostcallHosts = map[string]Func{
	"hostsize":     hostHostsize,
	"hostcall":     hostHostcall,
	"hostpending":  hostHostpending,
	"hosttake":     hostHosttake,
	"hostbacksize": hostHostbacksize,
	"hostresume":   hostHostresume,
	"hostabandon":  hostHostabandon,
	"hosttext":     hostHosttext,
}

// hostLink returns function number n, whose frame's descriptor is at typ.
func (vm *VM) hostLink(n uint64, typ uint32) (*hostLink, Status) {
	h := &vm.hosts
	if n < uint64(len(h.linked)) {
		if l := h.linked[n]; l != nil && l.typ == typ {
			return l, OK
		}
	}
	if n >= uint64(len(vm.Config.HostFuncs)) {
		return nil, vm.Fail("hostcall", memory.ErrCorrupt)
	}
	fn := vm.Config.HostFuncs[n]
	l := &hostLink{fn: fn, place: InHostFunc + wasi.Place(n), typ: typ, backs: make([]*backLink, len(fn.Callbacks))}
	for k := range fn.Callbacks {
		l.makers = append(l.makers, makerOf(l.callbackType(k)))
	}
	var err error
	if l.frame, err = vm.frameType(typ, len(fn.Params), len(fn.Results), fn.Fails); err == nil {
		err = l.link()
	}
	if err != nil {
		return nil, vm.Fail(fn.Name, err)
	}
	if h.linked == nil {
		h.linked = make([]*hostLink, len(vm.Config.HostFuncs))
	}
	h.linked[n] = l
	return l, OK
}

// frameType reads the descriptor of a frame.
func (vm *VM) frameType(typ uint32, params, results int, fails bool) (*guesttype.Type, error) {
	t, err := vm.guestType(typ)
	if err != nil {
		return nil, err
	}
	n := params + results
	if fails {
		n += 2
	}
	if t.Kind != reflect.Struct || len(t.Fields) != n {
		return nil, memory.ErrCorrupt
	}
	if fails && (t.Fields[n-2].Type.Kind != reflect.Int || t.Fields[n-1].Type.Kind != reflect.String) {
		return nil, memory.ErrCorrupt
	}
	return t, nil
}

// link compares the frame with the types of the host.
func (l *hostLink) link() error {
	fn, fields := l.fn, l.frame.Fields
	l.args, l.results = fields[:len(fn.Params)], fields[len(fn.Params):len(fn.Params)+len(fn.Results)]
	if fn.Fails {
		l.fails = (*[2]guesttype.Field)(fields[len(fields)-2:])
	}
	for i, f := range l.args {
		if slices.Contains(fn.Callbacks, i) {
			if f.Type.Kind != reflect.Func {
				return memory.ErrCorrupt
			}
		} else if err := f.Type.Check(fn.Params[i]); err != nil {
			return fmt.Errorf("parameter %d: %w", i+1, err)
		}
	}
	for i, f := range l.results {
		if err := f.Type.Check(fn.Results[i]); err != nil {
			return fmt.Errorf("result %d: %w", i+1, err)
		}
	}
	return nil
}

// take returns variables for a call.
func (l *hostLink) take(hooks *api.Hooks) *hostCall {
	if n := len(l.free); n > 0 {
		c := l.free[n-1]
		l.free = l.free[:n-1]
		return c
	}
	args, results, run := l.fn.New()
	c := &hostCall{link: l, args: places(args), results: places(results), run: run, hooks: hooks}
	place := func(list []place, fields []guesttype.Field) {
		for i := range list {
			list[i].offset, list[i].typ = fields[i].Offset, fields[i].Type
		}
	}
	place(c.args, l.args)
	place(c.results, l.results)
	l.numbers = !slices.ContainsFunc(c.results, notNumber)
	return c
}

// doneHost ends a call. Its variables keep nothing.
func (vm *VM) doneHost(c *hostCall) {
	clearContents(c.args)
	clearContents(c.results)
	if c.id != 0 {
		vm.hosts.open[c.id-1] = nil
	}
	if c.bytes != nil && c.err == nil && c.crash == nil { // an error may hold arguments
		vm.hosts.bytes = c.bytes
	}
	c.bytes = nil
	c.id, c.ctx, c.err, c.crash, c.text, c.code, c.pending, c.co, c.back = 0, nil, nil, nil, "", 0, 0, nil, nil
	c.weight, c.large = 0, false
	if l := c.link; len(l.free) < 8 {
		l.free = append(l.free, c)
	}
}

// clearContents zeroes the variables that may refer to something.
func clearContents(list []place) {
	for i := range list {
		if list[i].size == 0 {
			list[i].clear()
		}
	}
}

// clearResults zeroes the results.
func (c *hostCall) clearResults() {
	for i := range c.results {
		c.results[i].clear()
	}
}

// opened gives a call an id.
func (vm *VM) opened(c *hostCall) int {
	if c.id == 0 {
		h := &vm.hosts
		i := slices.Index(h.open, nil)
		if i < 0 {
			i = len(h.open)
			h.open = append(h.open, nil)
		}
		h.open[i], c.id = c, i+1
	}
	return c.id
}

// openCall returns the call with an id that the guest gave.
func (vm *VM) openCall(id uint64) (*hostCall, Status) {
	if h := &vm.hosts; id-1 < uint64(len(h.open)) && h.open[id-1] != nil {
		return h.open[id-1], OK
	}
	return nil, vm.Fail("hostcall", memory.ErrCorrupt)
}

func hostHostcall(vm *VM, a *ir.Args) Status {
	l, st := vm.hostLink(a[0], uint32(a[1]))
	if st != OK {
		return st
	}
	frame := uint32(a[2])
	b, ok := vm.Space.Bytes(uint64(frame), uint64(l.frame.Size))
	if !ok {
		return vm.badAddress(l.fn.Name, uint64(frame), uint64(l.frame.Size))
	}
	c := l.take(vm.Config.Hooks)
	var t taker
	t.init(vm, c.args, b, l.fn.Borrows)
	c.bytes = t.borrowed
	if err := vm.readPlaces(c.args, b, frame, l.fn.Callbacks, &t); errors.Is(err, errInterrupted) {
		return Interrupted
	} else if err != nil {
		return vm.panics(c, l.fn.Name+": "+err.Error(), a)
	}
	if len(l.fn.Callbacks) > 0 {
		if vm.watched {
			vm.record(c)
		}
		if vm.hosts.running >= maxRunning {
			return vm.panics(c, fmt.Sprintf("%s: %d functions of the host wait for callbacks, and no more can", l.fn.Name, maxRunning), a)
		}
		vm.bindCallbacks(c, b)
		return vm.stepHost(c, a)
	}
	c.ctx = vm.hostContext()
	if !vm.watched {
		if !vm.callHost(c) {
			return vm.interrupt()
		}
		return vm.finishedHost(c, b, a)
	}
	r := vm.record(c)
	if !vm.callHost(c) {
		return vm.interrupt()
	}
	vm.complete(r, c)
	return vm.finishedHost(c, b, a)
}

// callHost makes a call of the host that may block. It returns false if the run has to end. If the
// run has its own goroutine and ends while the call blocks, callHost does not return. Any other run
// waits for the call: host functions get the context, and are too short for a goroutine each.
func (vm *VM) callHost(call wasi.Blocking) bool {
	if vm.super != nil && vm.super.whole {
		return vm.Block(call)
	}
	if vm.Config.Stop.asked() {
		return false
	}
	vm.Config.Stop.Enter(call.Place())
	call.Do()
	vm.Config.Stop.Enter(wasi.InGuest)
	return true
}

// Do calls the function.
func (c *hostCall) Do() { c.invoke(c.ctx) }

// Place implements wasi.Blocking.
func (c *hostCall) Place() wasi.Place { return c.link.place }

// noResult is the first result of a call that has failed with a panic for the guest.
const noResult = math.MaxUint64 // -1

// invoke calls the host's function.
func (c *hostCall) invoke(ctx context.Context) {
	if h := c.hooks; h != nil && h.HostCall != nil {
		c.told(ctx, h)
		return
	}
	defer c.recover()
	c.err = c.run(ctx)
}

// told calls the function and tells the hook.
func (c *hostCall) told(ctx context.Context, h *api.Hooks) {
	defer c.recover()
	start := time.Now()
	func() {
		defer c.recover()
		c.err = c.run(ctx)
	}()
	e := api.HostCallEvent{Func: c.link.fn.Name, Start: start, Took: time.Since(start), Err: c.err}
	if c.crash != nil {
		e.Err = c.crash
	}
	h.HostCall(ctx, e)
}

// recover is deferred around calls of the host's code.
func (c *hostCall) recover() {
	if r := recover(); r != nil && r != any(errAbandoned) {
		c.crash = &api.HostPanicError{Method: c.link.fn.Name, Value: r}
		if c.link.fn.OnPanic == EndRun { // nobody else sees it, and it takes some hundred microseconds
			c.crash.Stack = debug.Stack()
		}
	}
}

// readPlaces reads arguments, or results of a callback, out of the frame b at addr.
func (vm *VM) readPlaces(list []place, b []byte, addr uint32, callbacks []int, t *taker) error {
	p := unsafe.Pointer(unsafe.SliceData(b))
	var d decoder
	for i := range list {
		x := &list[i]
		switch {
		case x.size == 8:
			*(*uint64)(x.mem) = *(*uint64)(unsafe.Add(p, x.offset))
		case x.form == truth:
			*(*bool)(x.mem) = b[x.offset] != 0
		case x.size != 0:
			copyNumber(x.mem, unsafe.Add(p, x.offset), x.size)
		case slices.Contains(callbacks, i):
		case x.form != reflected:
			if err := t.take(x, b[x.offset:]); err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		default:
			if d.vm == nil {
				d = vm.newDecoder()
			}
			d.room = t.room
			err := d.decode(x.value, x.typ, addr+x.offset, 0)
			if t.room = d.room; err != nil {
				return fmt.Errorf("argument %d: %w", i+1, err)
			}
		}
	}
	return nil
}

// writePlaces writes results, or the arguments of a callback, to the frame at addr.
func (vm *VM) writePlaces(list []place, addr uint32) Status {
	for i := range list {
		x := &list[i]
		at := addr + x.offset
		if x.size != 0 {
			b, ok := vm.Space.Bytes(uint64(at), uint64(x.size))
			if !ok {
				return vm.badAddress("hostcall", uint64(at), uint64(x.size))
			}
			copyNumber(unsafe.Pointer(unsafe.SliceData(b)), x.mem, x.size)
			continue
		}
		b, ok := vm.Space.Bytes(uint64(at), uint64(x.typ.Size))
		if !ok {
			return vm.badAddress("hostcall", uint64(at), uint64(x.typ.Size))
		}
		if st := vm.giveArg(x, unsafe.Pointer(unsafe.SliceData(b)), at); st != OK {
			return st
		}
	}
	return OK
}

// finishedHost stores the outcome of a call in a. The frame is b.
func (vm *VM) finishedHost(c *hostCall, b []byte, a *ir.Args) Status {
	l := c.link
	if c.err == nil && c.crash == nil && l.numbers {
		p := unsafe.Pointer(unsafe.SliceData(b))
		for i := range c.results {
			x := &c.results[i]
			copyNumber(unsafe.Add(p, x.offset), x.mem, x.size)
		}
		vm.doneHost(c)
		a[0], a[1], a[2] = 0, 0, 0
		return OK
	}
	var outcome Outcome
	switch {
	case c.crash != nil:
		if outcome = l.fn.OnPanic; outcome == EndRun {
			return vm.Fail(l.fn.Name, c.crash)
		}
		c.text, c.code = panicText(c.crash), 1
	case c.err != nil:
		if outcome = l.fn.OnError; outcome == EndRun {
			return vm.Fail(l.fn.Name, c.err)
		}
		var failed error
		if c.text, failed = vm.errorText(c.err); failed != nil {
			return vm.Fail(l.fn.Name, failed)
		}
		c.code = vm.errorNumber(c.err)
	}
	if outcome == GuestPanic {
		return vm.panics(c, l.fn.Name+": "+c.text, a)
	}
	if c.crash != nil {
		c.clearResults() // they may be incomplete
	}
	if st := vm.contents(c, c.results, len(c.text)); st != OK {
		return st
	}
	a[0], a[1], a[2] = uint64(max(1, c.pending)), uint64(vm.opened(c)), uint64(c.weight)
	return OK
}

// panicText returns the guest's text for a panic. It is the value if that is a text, a number, an
// error or a Stringer, and otherwise the value's type. The guest may have made the value, and it
// may be large, so nothing else reads it.
func panicText(crash *api.HostPanicError) string {
	switch crash.Value.(type) {
	case error, fmt.Stringer:
		return crash.Error()
	}
	if k := reflect.TypeOf(crash.Value).Kind(); k <= reflect.Complex128 || k == reflect.String {
		return crash.Error()
	}
	return fmt.Sprintf("%s panicked: (%T)", crash.Method, crash.Value)
}

// panics stores in a that the call has failed with a panic for the guest.
func (vm *VM) panics(c *hostCall, text string, a *ir.Args) Status {
	c.text = text
	a[0], a[1], a[2] = noResult, uint64(vm.opened(c)), 0
	return OK
}

func hostHostpending(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	if c.back == nil {
		return vm.Fail(c.link.fn.Name, memory.ErrCorrupt)
	}
	l, err := vm.backLink(c, uint32(a[1]))
	if err == nil {
		l.bind(c.back)
	}
	if err != nil {
		return vm.Fail(c.link.fn.Name, err)
	}
	if st := vm.contents(c, c.back.args, 0); st != OK {
		return st
	}
	a[0], a[1] = uint64(c.pending), uint64(c.weight)
	return OK
}

func hostHosttake(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	typ, frame := uint32(a[1]), uint32(a[2])
	if c.large {
		return OutOfMemory
	}
	if c.back != nil {
		return vm.takeBack(c, typ, frame)
	}
	l := c.link
	if typ != l.typ || c.co != nil {
		return vm.Fail(l.fn.Name, memory.ErrCorrupt)
	}
	if c.code != 0 && l.fails == nil {
		return vm.Fail(l.fn.Name, memory.ErrCorrupt)
	}
	st = vm.writePlaces(c.results, frame)
	if st == OK && c.code != 0 {
		st = vm.put(frame+l.fails[0].Offset, uint64(c.code), 8)
	}
	if st == OK && c.code != 0 {
		st = vm.encode(frame+l.fails[1].Offset, l.fails[1].Type, reflect.ValueOf(c.text))
	}
	vm.doneHost(c)
	return st
}

func hostHosttext(vm *VM, a *ir.Args) Status {
	c, st := vm.openCall(a[0])
	if st != OK {
		return st
	}
	n := min(a[2], uint64(len(c.text)))
	if n == 0 && a[2] == 0 {
		a[0] = uint64(len(c.text))
		return OK
	}
	b, ok := vm.bytes(a[1], n)
	if !ok {
		return vm.badAddress(c.link.fn.Name, a[1], n)
	}
	a[0] = uint64(copy(b, c.text))
	vm.doneHost(c)
	return OK
}

// contents computes the size of values of the host, and of n further bytes, in the guest: the bytes
// that the host is paid for, and the weight.
func (vm *VM) contents(c *hostCall, list []place, n int) Status {
	y := vm.newTally(0)
	err := y.add(0, int64(n))
	for i := range list {
		x := &list[i]
		switch {
		case err != nil || x.size != 0:
		case x.form == text:
			err = y.add(0, int64(len(*(*string)(x.mem))))
		case x.form == octets:
			err = y.add(0, int64(len(*(*[]byte)(x.mem))))
		default:
			err = guesttype.Within(fmt.Sprintf("value %d", i+1), y.weighHost(x.typ, x.value))
		}
	}
	c.large = errors.Is(err, errTooLarge)
	switch {
	case errors.Is(err, errInterrupted):
		return vm.interrupt()
	case errors.Is(err, errUnpaid):
		y.parts = maxWeight / partUnits
	case err != nil && !c.large:
		return vm.Fail(c.link.fn.Name, err)
	}
	if y.parts <= guesttype.FreeParts && y.own <= 16*guesttype.FreeParts {
		y.parts, y.own = 0, 0
	}
	c.pending, c.weight = int(y.content), y.units()
	return OK
}

// hostHostsize weighs the arguments in a frame.
func hostHostsize(vm *VM, a *ir.Args) Status {
	l, st := vm.hostLink(a[0], uint32(a[2]))
	if st != OK {
		return st
	}
	w, st := vm.weigh(l.args, uint32(a[3]), a[1])
	a[0] = w
	return st
}

// abandonHost ends the open host calls when a run ends.
func (vm *VM) abandonHost() {
	for _, c := range vm.hosts.open {
		if c != nil && c.co != nil && !c.co.inside { // inside: the abandoned goroutine does it
			c.co.abandon()
		}
	}
	vm.hosts.open = nil
	if vm.hosts.co != nil {
		vm.hosts.co.close()
	}
}
