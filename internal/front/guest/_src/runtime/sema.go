package runtime

import (
	_ "internal/runtime/atomic" // package sync pulls functions of it and does not import it
	"unsafe"
)

// Semaphores and condition variables for package sync.
//
// A semaphore is a uint32 in the guest's memory and a queue of waiters keyed by
// its address. The first waiter of each address is a node of a digital search
// tree: the path to a node is a prefix of the bits of its (mixed) address, so that
// the depth never exceeds 32 whatever addresses a program chooses. The other
// waiters of the address hang from that node in order.

var semaroot *sudog

// semabits spreads an address over 32 bits, one to one: nearby addresses take
// different paths from the root.
func semabits(addr uintptr) uint32 { return uint32(addr) * 0x9e3779b1 }

// semaslot finds the link to the node of addr, or the nil link where it would be.
func semaslot(addr uintptr) **sudog {
	p := &semaroot
	for path := semabits(addr); *p != nil && (*p).addr != addr; path <<= 1 {
		p = &(*p).child[path>>31]
	}
	return p
}

func semaqueue(s *sudog, lifo bool) {
	p := semaslot(s.addr)
	first := *p
	switch {
	case first == nil:
		s.waittail = s
		*p = s
	case lifo:
		s.waitlink = first
		s.waittail = first.waittail
		first.waittail = nil
		semareplace(p, s)
	default:
		first.waittail.waitlink = s
		first.waittail = s
	}
}

// semareplace puts s in the place of the node at *p.
func semareplace(p **sudog, s *sudog) {
	old := *p
	s.child = old.child
	old.child = [2]*sudog{}
	*p = s
}

// semadequeue takes the first waiter of addr, or returns nil.
func semadequeue(addr uintptr) *sudog {
	p := semaslot(addr)
	s := *p
	if s == nil {
		return nil
	}
	if next := s.waitlink; next != nil {
		next.waittail = s.waittail
		semareplace(p, next)
	} else {
		semadelete(p)
	}
	s.waitlink = nil
	s.waittail = nil
	return s
}

// semadelete takes the node at *p out of the tree. Any leaf below it may take its
// place, since the path to the place is a prefix of the leaf's.
func semadelete(p **sudog) {
	q := p
	for {
		n := *q
		if n.child[0] != nil {
			q = &n.child[0]
		} else if n.child[1] != nil {
			q = &n.child[1]
		} else {
			break
		}
	}
	leaf := *q
	*q = nil
	if q != p {
		semareplace(p, leaf)
	}
}

func cansemacquire(addr *uint32) bool {
	if *addr == 0 {
		return false
	}
	*addr--
	return true
}

// semacquire waits until *addr > 0 and decrements it.
func semacquire(addr *uint32, lifo bool, reason waitReason) {
	if cansemacquire(addr) {
		return
	}
	s := acquireSudog()
	s.g = getg()
	s.elem = unsafe.Pointer(addr) // keeps the semaphore alive
	s.addr = uintptr(unsafe.Pointer(addr))
	s.g.waiting = s
	s.ticket = 0
	for {
		semaqueue(s, lifo)
		gopark(reason)
		if s.ticket != 0 || cansemacquire(addr) {
			break
		}
	}
	s.g.waiting = nil
	s.ticket = 0
	s.addr = 0
	releaseSudog(s)
}

// semrelease increments *addr and wakes the first waiter. With handoff the
// count goes to that waiter, which runs at once.
func semrelease(addr *uint32, handoff bool) {
	*addr++
	if semaroot == nil {
		return
	}
	s := semadequeue(uintptr(unsafe.Pointer(addr)))
	if s == nil {
		return
	}
	if !handoff || !cansemacquire(addr) {
		goready(s.g)
		return
	}
	s.ticket = 1
	if sched.locks != 0 {
		goready(s.g)
		return
	}
	next := s.g
	gp := getg()
	gp.status = grunnable
	runqput(gp)
	next.status = grunning
	switchto(next)
}

//go:linkname sync_runtime_Semacquire sync.runtime_Semacquire
func sync_runtime_Semacquire(addr *uint32) { semacquire(addr, false, waitReasonSemacquire) }

//go:linkname poll_runtime_Semacquire internal/poll.runtime_Semacquire
func poll_runtime_Semacquire(addr *uint32) { semacquire(addr, false, waitReasonSemacquire) }

//go:linkname internal_sync_runtime_SemacquireMutex internal/sync.runtime_SemacquireMutex
func internal_sync_runtime_SemacquireMutex(addr *uint32, lifo bool, skipframes int) {
	semacquire(addr, lifo, waitReasonSyncMutexLock)
}

//go:linkname sync_runtime_SemacquireRWMutexR sync.runtime_SemacquireRWMutexR
func sync_runtime_SemacquireRWMutexR(addr *uint32, lifo bool, skipframes int) {
	semacquire(addr, lifo, waitReasonSyncRWMutexRLock)
}

//go:linkname sync_runtime_SemacquireRWMutex sync.runtime_SemacquireRWMutex
func sync_runtime_SemacquireRWMutex(addr *uint32, lifo bool, skipframes int) {
	semacquire(addr, lifo, waitReasonSyncRWMutexLock)
}

//go:linkname sync_runtime_SemacquireWaitGroup sync.runtime_SemacquireWaitGroup
func sync_runtime_SemacquireWaitGroup(addr *uint32, synctestDurable bool) {
	reason := waitReasonSyncWaitGroupWait
	if synctestDurable {
		reason = waitReasonSynctestWaitGroupWait
	}
	semacquire(addr, false, reason)
}

//go:linkname sync_runtime_Semrelease sync.runtime_Semrelease
func sync_runtime_Semrelease(addr *uint32, handoff bool, skipframes int) { semrelease(addr, handoff) }

//go:linkname internal_sync_runtime_Semrelease internal/sync.runtime_Semrelease
func internal_sync_runtime_Semrelease(addr *uint32, handoff bool, skipframes int) {
	semrelease(addr, handoff)
}

//go:linkname poll_runtime_Semrelease internal/poll.runtime_Semrelease
func poll_runtime_Semrelease(addr *uint32) { semrelease(addr, false) }

// Spinning is of no use with one thread.

//go:linkname internal_sync_runtime_canSpin internal/sync.runtime_canSpin
func internal_sync_runtime_canSpin(i int) bool { return false }

//go:linkname internal_sync_runtime_doSpin internal/sync.runtime_doSpin
func internal_sync_runtime_doSpin() {}

//go:linkname sync_runtime_canSpin sync.runtime_canSpin
func sync_runtime_canSpin(i int) bool { return false }

//go:linkname sync_runtime_doSpin sync.runtime_doSpin
func sync_runtime_doSpin() {}

//go:linkname internal_sync_nanotime internal/sync.runtime_nanotime
func internal_sync_nanotime() int64 { return nanotime() }

//go:linkname sync_throw sync.throw
func sync_throw(s string) { throw(s) }

//go:linkname sync_fatal sync.fatal
func sync_fatal(s string) { fatal(s) }

//go:linkname internal_sync_throw internal/sync.throw
func internal_sync_throw(s string) { throw(s) }

//go:linkname internal_sync_fatal internal/sync.fatal
func internal_sync_fatal(s string) { fatal(s) }

// A notifyList is the wait list of a sync.Cond; package sync has the same
// layout. Tickets are handed out by Add, before the caller unlocks its mutex, and
// served in that order.
type notifyList struct {
	wait   uint32 // next ticket to hand out
	notify uint32 // next ticket to be notified
	lock   uintptr
	head   *sudog
	tail   *sudog
}

//go:linkname notifyListAdd sync.runtime_notifyListAdd
func notifyListAdd(l *notifyList) uint32 {
	t := l.wait
	l.wait++
	return t
}

//go:linkname notifyListWait sync.runtime_notifyListWait
func notifyListWait(l *notifyList, t uint32) {
	if int32(t-l.notify) < 0 {
		return // notified between Add and Wait
	}
	s := acquireSudog()
	s.g = getg()
	s.elem = unsafe.Pointer(l)
	s.ticket = t
	s.g.waiting = s
	if l.tail == nil {
		l.head = s
	} else {
		l.tail.next = s
	}
	l.tail = s
	gopark(waitReasonSyncCondWait)
	s.g.waiting = nil
	s.ticket = 0
	releaseSudog(s)
}

//go:linkname notifyListNotifyAll sync.runtime_notifyListNotifyAll
func notifyListNotifyAll(l *notifyList) {
	s := l.head
	l.head = nil
	l.tail = nil
	l.notify = l.wait
	for s != nil {
		next := s.next
		s.next = nil
		s.condwake()
		s = next
	}
}

//go:linkname notifyListNotifyOne sync.runtime_notifyListNotifyOne
func notifyListNotifyOne(l *notifyList) {
	t := l.notify
	if t == l.wait {
		return
	}
	l.notify++
	// Goroutines may arrive in another order than their tickets', or not yet:
	// one that arrives later sees that its ticket was notified.
	var prev *sudog
	for s := l.head; s != nil; prev, s = s, s.next {
		if s.ticket != t {
			continue
		}
		if prev == nil {
			l.head = s.next
		} else {
			prev.next = s.next
		}
		if l.tail == s {
			l.tail = prev
		}
		s.next = nil
		s.condwake()
		return
	}
}

func (s *sudog) condwake() {
	if s.g.bubble != nil && bubble() != s.g.bubble {
		println("semaphore wake of synctest goroutine", s.g.id, "from outside bubble")
		fatal("semaphore wake of synctest goroutine from outside bubble")
	}
	goready(s.g)
}

//go:linkname notifyListCheck sync.runtime_notifyListCheck
func notifyListCheck(size uintptr) {
	if size != unsafe.Sizeof(notifyList{}) {
		throw("bad notifyList size")
	}
}

// poolcleanup empties every sync.Pool. It runs at an explicit runtime.GC and at
// fixed intervals of gas, never at collections that memory use brings about.
var poolcleanup func()

//go:linkname sync_runtime_registerPoolCleanup sync.runtime_registerPoolCleanup
func sync_runtime_registerPoolCleanup(f func()) { poolcleanup = f }

// emptypools is called by the tier at a loop header each time an interval of gas is over.
func emptypools() { clearpools() }

// droppools is called at a loop header when a collection left more than half of the
// memory limit. The second time goes what the first has left a second chance.
func droppools() {
	clearpools()
	clearpools()
}

// clearpools runs the cleanup without preemption: package sync expects that
// nobody uses a pool meanwhile. A quantum that ends there ends behind it: else a
// goroutine that calls runtime.GC all the time might never give way.
func clearpools() {
	if poolcleanup != nil {
		sched.locks++
		poolcleanup()
		sched.locks--
		if sched.late && sched.locks == 0 {
			goyield()
		}
	}
}
