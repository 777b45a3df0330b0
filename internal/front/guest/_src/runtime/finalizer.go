package runtime

import (
	"internal/abi"
	"unsafe"
)

// Finalizers, cleanups and weak pointers.
//
// Each is a special: a record here, by number, and an entry (object, kind,
// number) in the collector. When a collection finds the object unreachable the
// collector queues the number; drainspecials fetches the queue. Weak pointers are
// cleared there and then, finalizers and cleanups go to the goroutine that runs
// them, in the order of the collector's queue. Records hold the address of
// the object as a number, which keeps nothing alive.
//
// After a collection has freed an object its address may be used again before the
// queue was fetched, so whoever looks up a special drains first.

const maxTinySize = 16 // what is smaller and has no pointers Go puts into blocks together

// Kinds of specials, shared with the collector. When several kinds hang on one
// object the collector queues weak pointers first, and a cleanup only when no
// finalizer is left.
const (
	specialFinalizer = 1
	specialCleanup   = 2
	specialWeak      = 3
)

type special struct {
	next *special // same chain of the table, or the worker's queue, or the pool
	addr uintptr  // the pointer that was registered, hidden from the collector
	id   uintptr  // index in specials.byid
	kind uintptr
	seq  uint64 // cleanup: number in its Cleanup

	fn      *funcval       // finalizer
	fint    *abi.Type      // finalizer: type of its parameter
	objtyp  *abi.Type      // finalizer: type of the object's pointer
	nret    uintptr        // finalizer: bytes of results
	cleanup func()         // cleanup: the call with its argument
	handle  *weakHandle    // weak
	obj     unsafe.Pointer // finalizer, when queued: the pointer, whose object is alive again
}

// A weakHandle is what a weak.Pointer points to. Equal pointers share one.
type weakHandle struct {
	addr uintptr // 0 when the object is gone
}

var specials struct {
	byid  []*special // slot 0 is not used; a free slot holds nil
	free  []uintptr  // free slots
	table []*special // chains by address; the length is a power of two
	n     int
	seq   uint64
}

// gyr_specials is set to a nonzero value by the host when a collection has
// queued specials, and only then; gyr_others is set with it, so that a goroutine
// that never blocks gets to preempt.
var gyr_specials uint32

// A specialWorker runs queued finalizers or cleanups, on a goroutine that is there while there are any: it ends when the
// queue is empty, and the next one has the same number, so that what has run leaves no goroutine behind.
type specialWorker struct {
	head, tail *special
	gp         *g   // nil: there is none
	busy       bool // running one
}

var finalizers, cleanups specialWorker

func specialslot(addr uintptr) **special {
	h := (addr >> 3) * 0x9e3779b97f4a7c15
	return &specials.table[(h>>32)&uintptr(len(specials.table)-1)]
}

// findspecial returns the special of that kind and exact address; seq 0 is any.
func findspecial(addr, kind uintptr, seq uint64) *special {
	if specials.n == 0 {
		return nil
	}
	for s := *specialslot(addr); s != nil; s = s.next {
		if s.addr == addr {
			if s.kind == kind && (seq == 0 || s.seq == seq) {
				return s
			}
			charge(1, specialWeight)
		}
	}
	return nil
}

// addspecial enters s for the pointer p into the object at base; base nil
// is memory that is never freed.
func addspecial(s *special, p, base unsafe.Pointer) {
	if specials.n >= len(specials.table) {
		growspecials()
	}
	if n := len(specials.free); n != 0 {
		s.id = specials.free[n-1]
		specials.free = specials.free[:n-1]
		specials.byid[s.id] = s
	} else {
		if len(specials.byid) == 0 {
			specials.byid = append(specials.byid, nil)
		}
		s.id = uintptr(len(specials.byid))
		specials.byid = append(specials.byid, s)
	}
	s.addr = uintptr(p)
	slot := specialslot(s.addr)
	s.next = *slot
	*slot = s
	specials.n++
	if base != nil {
		host_addspecial(base, s.kind, s.id)
	}
}

// growspecials pays for what it moves some at a time, so that a deadline can end it.
func growspecials() {
	const some = 1 << 10
	old := specials.table
	specials.table = make([]*special, max(64, 2*len(old)))
	moved := 0
	for _, s := range old {
		for s != nil {
			if moved++; moved%some == 0 {
				charge(some, moveSpecialWeight)
			}
			next := s.next
			slot := specialslot(s.addr)
			s.next = *slot
			*slot = s
			s = next
		}
	}
}

// dropspecial takes s out of the tables.
func dropspecial(s *special) {
	p := specialslot(s.addr)
	for *p != s {
		if (*p).addr == s.addr {
			charge(1, specialWeight)
		}
		p = &(*p).next
	}
	*p = s.next
	s.next = nil
	specials.byid[s.id] = nil
	specials.free = append(specials.free, s.id)
	specials.n--
}

// removespecial drops s, whose object is alive.
func removespecial(s *special) {
	p := unsafe.Pointer(s.addr)
	if base, _ := host_objectof(p); base != nil {
		host_removespecial(base, s.kind, s.id)
	}
	dropspecial(s)
}

// drainspecials fetches what the last collections queued.
func drainspecials() {
	if gyr_specials == 0 {
		return
	}
	gyr_specials = 0
	for {
		kind, id, obj := host_nextspecial()
		if kind == 0 {
			break
		}
		if id >= uintptr(len(specials.byid)) || specials.byid[id] == nil {
			throw("unknown special")
		}
		s := specials.byid[id]
		dropspecial(s)
		switch kind {
		case specialWeak:
			s.handle.addr = 0
		case specialFinalizer:
			s.obj = add(obj, s.addr-uintptr(obj)) // it may lie inside of the object
			finalizers.put(s)
		case specialCleanup:
			cleanups.put(s)
		}
	}
	updateothers()
}

// put queues s.
func (w *specialWorker) put(s *special) {
	if w.tail == nil {
		w.head = s
	} else {
		w.tail.next = s
	}
	w.tail = s
	if w.gp == nil {
		w.start()
	}
}

func (w *specialWorker) start() {
	if w == &finalizers {
		w.gp = newg(runFinalizers, goidFinalizer, false)
	} else {
		w.gp = newg(runCleanups, goidCleanup, false)
	}
	w.gp.status = grunnable
	runqput(w.gp)
}

// lose is called when gp ends by Goexit, which a finalizer may call.
func (w *specialWorker) lose(gp *g) {
	if w.gp != gp {
		return
	}
	w.gp = nil
	w.busy = false
	if w.head != nil {
		w.start()
	}
}

// loop runs what is queued, and ends the goroutine. While it runs the program's code the
// goroutine is shown in tracebacks.
func (w *specialWorker) loop() {
	for w.head != nil {
		s := w.head
		w.head = s.next
		if w.head == nil {
			w.tail = nil
		}
		s.next = nil
		w.busy = true
		w.gp.system = false
		s.run()
		w.gp.system = true
		w.busy = false
	}
	w.gp = nil
}

func (w *specialWorker) idle() bool { return w.head == nil && !w.busy }

func runFinalizers() { finalizers.loop() }
func runCleanups()   { cleanups.loop() }

// midway reports whether the worker's quantum has ended, and it does not wait for anybody.
func (w *specialWorker) midway() bool {
	return w.gp != nil && w.gp.stk != 0 && w.gp.status == grunnable
}

// restspecials lets workers whose quantum has ended finish what is queued, or wait for somebody, before a call of the host is over: it could
// not have the program's state otherwise.
func restspecials() {
	for finalizers.midway() || cleanups.midway() {
		goyield()
	}
}

func (s *special) run() {
	if s.kind == specialCleanup {
		s.cleanup()
		return
	}
	// The frame of a call by reflection: the parameter, then the results.
	size := uintptr(8)
	if s.fint.Kind() == abi.Interface {
		size = 16
	}
	frame := (*[2]unsafe.Pointer)(host_malloc(size+s.nret, nil, 1))
	obj := s.obj
	switch {
	case s.fint.Kind() != abi.Interface:
		frame[0] = obj
	case len((*abi.InterfaceType)(unsafe.Pointer(s.fint)).Methods) == 0:
		frame[0] = unsafe.Pointer(s.objtyp)
		frame[1] = obj
	default:
		inter := (*abi.InterfaceType)(unsafe.Pointer(s.fint))
		frame[0] = unsafe.Pointer(getitab(inter, s.objtyp, false))
		frame[1] = obj
	}
	s.obj = nil
	stub := host_shapestub(s.fn.fn)
	if stub == 0 {
		throw("runtime.SetFinalizer: the finalizer cannot be called")
	}
	ir_callstub(stub, unsafe.Pointer(s.fn), unsafe.Pointer(frame))
	KeepAlive(obj)
}

// SetFinalizer sets the finalizer associated with obj to the provided finalizer
// function. When the collector finds an unreachable block with an associated
// finalizer, it clears the association and runs finalizer(obj) in a separate
// goroutine. SetFinalizer(obj, nil) clears the association.
//
// Go puts small objects without pointers into blocks together, and lets a pointer into any block have a finalizer that could be one to such an object.
func SetFinalizer(obj any, finalizer any) {
	e := efaceOf(&obj)
	etyp := e._type
	if etyp == nil {
		throw("runtime.SetFinalizer: first argument is nil")
	}
	if etyp.Kind() != abi.Pointer {
		throw("runtime.SetFinalizer: first argument is " + typestring(etyp) + ", not pointer")
	}
	elem := (*abi.PtrType)(unsafe.Pointer(etyp)).Elem
	if elem == nil {
		throw("nil elem type!")
	}
	base, _ := host_objectof(e.data)
	if base == nil {
		if e.data == nil {
			throw("runtime.SetFinalizer: pointer not in allocated block")
		}
		return // a global or a value without size: never collected
	}
	if e.data != base && (elem.Pointers() || elem.Size_ >= maxTinySize) {
		throw("runtime.SetFinalizer: pointer not at beginning of allocated block")
	}
	drainspecials()
	old := findspecial(uintptr(e.data), specialFinalizer, 0)

	f := efaceOf(&finalizer)
	ftyp := f._type
	if ftyp == nil {
		if old != nil {
			removespecial(old)
		}
		return
	}
	if ftyp.Kind() != abi.Func {
		throw("runtime.SetFinalizer: second argument is " + typestring(ftyp) + ", not a function")
	}
	ft := (*abi.FuncType)(unsafe.Pointer(ftyp))
	if ft.IsVariadic() {
		throw("runtime.SetFinalizer: cannot pass " + typestring(etyp) + " to finalizer " + typestring(ftyp) + " because dotdotdot")
	}
	if ft.InCount != 1 || !finalizable(etyp, elem, ft.InSlice()[0]) {
		throw("runtime.SetFinalizer: cannot pass " + typestring(etyp) + " to finalizer " + typestring(ftyp))
	}
	if old != nil {
		throw("runtime.SetFinalizer: finalizer already set")
	}
	nret := uintptr(0)
	for _, t := range ft.OutSlice() {
		a := uintptr(t.Align_)
		nret = (nret+a-1)&^(a-1) + t.Size_
	}
	addspecial(&special{
		kind:   specialFinalizer,
		fn:     (*funcval)(f.data),
		fint:   ft.InSlice()[0],
		objtyp: etyp,
		nret:   (nret + 7) &^ 7,
	}, e.data, base)
}

// finalizable reports whether a pointer of type etyp can be passed for fint.
func finalizable(etyp, elem, fint *abi.Type) bool {
	switch {
	case fint == etyp:
		return true
	case fint.Kind() == abi.Pointer:
		return (fint.Uncommon() == nil || etyp.Uncommon() == nil) && (*abi.PtrType)(unsafe.Pointer(fint)).Elem == elem
	case fint.Kind() == abi.Interface:
		inter := (*abi.InterfaceType)(unsafe.Pointer(fint))
		return len(inter.Methods) == 0 || getitab(inter, etyp, true) != nil
	}
	return false
}

// AddCleanup attaches a cleanup function to ptr. Some time after ptr is no longer
// reachable, the runtime will call cleanup(arg) in a separate goroutine. It panics
// if arg is ptr or points into the same object, or if the closure of cleanup does.
func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup {
	ptr = abi.Escape(ptr)
	cleanup = abi.Escape(cleanup)
	if ptr == nil {
		panic("runtime.AddCleanup: ptr is nil")
	}
	argptr := unsafe.Pointer(nil)
	switch abi.TypeFor[S]().Kind() {
	case abi.Pointer, abi.UnsafePointer:
		argptr = *(*unsafe.Pointer)(unsafe.Pointer(&arg))
		if argptr == unsafe.Pointer(ptr) {
			panic("runtime.AddCleanup: ptr is equal to arg, cleanup will never run")
		}
	}
	closure := *(*unsafe.Pointer)(unsafe.Pointer(&cleanup))
	return addcleanup(unsafe.Pointer(ptr), argptr, closure, func() { cleanup(arg) })
}

// addcleanup refuses what would keep the object alive if it can be seen from here:
// an argument that points into it, a closure that holds a pointer into it.
func addcleanup(p, argptr, closure unsafe.Pointer, fn func()) Cleanup {
	base, size := host_objectof(p)
	if base == nil {
		return Cleanup{} // never collected
	}
	if uintptr(argptr)-uintptr(base) < size && !tiny(base, size) {
		panic("runtime.AddCleanup: ptr is within arg, cleanup will never run")
	}
	if cell, n := host_objectof(closure); cell != nil {
		for i := uintptr(0); i < n; i += 8 {
			word := (*uintptr)(add(cell, i))
			if *word-uintptr(base) < size && host_follows(unsafe.Pointer(word)) != 0 {
				panic("runtime.AddCleanup: cleanup function closes over ptr, cleanup will never run")
			}
		}
	}
	drainspecials()
	specials.seq++
	addspecial(&special{kind: specialCleanup, seq: specials.seq, cleanup: fn}, p, base)
	return Cleanup{id: specials.seq, ptr: uintptr(p)}
}

// tiny reports whether Go has an object of that size in a block that may have others in it.
func tiny(base unsafe.Pointer, size uintptr) bool {
	if size > maxTinySize {
		return false
	}
	for i := uintptr(0); i+8 <= size; i += 8 {
		if host_follows(add(base, i)) != 0 {
			return false
		}
	}
	return true
}

// Cleanup is a handle to a cleanup call for a specific object.
type Cleanup struct {
	id  uint64 // 0: the cleanup will never run
	ptr uintptr
}

// Stop cancels the cleanup call. It has no effect if the cleanup has already been
// queued for execution.
func (c Cleanup) Stop() {
	if c.id == 0 {
		return
	}
	drainspecials()
	if s := findspecial(c.ptr, specialCleanup, c.id); s != nil {
		removespecial(s)
	}
}

// KeepAlive marks its argument as currently reachable.
//
//go:noinline
func KeepAlive(x any) {
	if keepalive {
		println(x)
	}
}

var keepalive bool // never set

//go:linkname weak_registerWeakPointer weak.runtime_registerWeakPointer
func weak_registerWeakPointer(p unsafe.Pointer) unsafe.Pointer {
	drainspecials()
	if s := findspecial(uintptr(p), specialWeak, 0); s != nil {
		return unsafe.Pointer(s.handle)
	}
	s := &special{kind: specialWeak, handle: &weakHandle{uintptr(p)}}
	base, _ := host_objectof(p)
	addspecial(s, p, base)
	return unsafe.Pointer(s.handle)
}

//go:linkname weak_makeStrongFromWeak weak.runtime_makeStrongFromWeak
func weak_makeStrongFromWeak(u unsafe.Pointer) unsafe.Pointer {
	if u == nil {
		return nil
	}
	drainspecials()
	return unsafe.Pointer((*weakHandle)(u).addr)
}

// blockUntilEmpty lets other goroutines run until the worker has nothing to do.
func (w *specialWorker) blockUntilEmpty(timeout int64) bool {
	for start := nanotime(); nanotime()-start < timeout; Gosched() {
		drainspecials()
		if w.idle() {
			return true
		}
	}
	return false
}

func blockUntilEmptyFinalizerQueue(timeout int64) bool { return finalizers.blockUntilEmpty(timeout) }

//go:linkname unique_runtime_blockUntilEmptyCleanupQueue unique.runtime_blockUntilEmptyCleanupQueue
func unique_runtime_blockUntilEmptyCleanupQueue(timeout int64) bool {
	return cleanups.blockUntilEmpty(timeout)
}

//go:linkname sync_test_runtime_blockUntilEmptyCleanupQueue sync_test.runtime_blockUntilEmptyCleanupQueue
func sync_test_runtime_blockUntilEmptyCleanupQueue(timeout int64) bool {
	return cleanups.blockUntilEmpty(timeout)
}
