package runtime

import "unsafe"

// Goroutines and their scheduler.
//
// One goroutine runs at a time, and it runs until it blocks, yields, ends, or
// has used up its quantum of gas at a loop header (preempt). The functions of
// this package carry no gas, so they are never preempted and need no locks.
// The order of execution is a function of the program alone: one FIFO run
// queue, timers ordered by (when, sequence), wait queues in order of arrival.
//
// Each goroutine runs on an execution stack of the host, made when it first
// runs. The stack's word (getg) points to the goroutine's record, which lives
// in the guest's heap like everything else here. Records of finished
// goroutines and of waiters are pooled: in steady state starting, blocking and
// ending goroutines allocates nothing.
//
// A goroutine that blocks picks its successor itself, on its own stack, and
// switches to it (schedule). There is no scheduler stack; timer functions run
// on the stack of whoever is looking for work, with sched.locks held up so that
// they are neither preempted nor able to block.

// States of a goroutine.
const (
	gidle     = iota // being made
	grunnable        // in the run queue
	grunning         // the one that runs
	gwaiting         // blocked; waitreason says on what
	gdead            // finished, its record is in the pool
)

// A g is the record of a goroutine.
type g struct {
	id         uint64
	stk        uintptr // execution stack; 0 before it first runs and after it ended
	status     uint8
	waitreason waitReason
	system     bool   // hidden in tracebacks: the runtime's own
	counted    bool   // in NumGoroutine and for the detection of deadlocks
	goexiting  bool   // runtime.Goexit is running the deferred calls
	account    uint16 // of the test that it works for, see account.go; inherited

	_panic *_panic // innermost panic
	_defer *_defer // innermost deferred call
	sigpc  uintptr // the last nil dereference among the panics in progress and those they replaced; 0: none

	startfn  func()         // what it runs; nil once started
	startpc  uintptr        // entry of startfn
	gopc     uintptr        // the go statement that made it
	parentid uint64         // the goroutine that made it; 0: none (timers, the runtime)
	labels   unsafe.Pointer // profiler labels, inherited
	bubble   *synctestBubble

	schedlink *g     // next in the run queue or in the pool
	waiting   *sudog // what it waits for on channels, in the order of the select's cases
	param     *sudog // which of them woke it
	sleeper   *timer // its timer for Sleep
	coro      *coro  // set while this goroutine is the body of a coroutine
	locked    uint32 // calls of LockOSThread that no UnlockOSThread has taken back
}

// curg is the running goroutine: the same as the word of the current stack
// (host_getg), without asking the host.
var curg *g

// allgs holds every record ever made, in order of making; dead ones included.
var allgs []*g

// gyr_others is nonzero when someone besides the running goroutine may have
// something to do: the run queue, the timer heap or the queue of specials is
// not empty, or there are sockets of the host. The tier reads it where a quantum ends and calls preempt only then.
var gyr_others uint32

var sched struct {
	head, tail *g     // run queue
	pool       *g     // records of finished goroutines
	sudogs     *sudog // pool of waiters, by waitlink
	starting   *g     // whom the new stack is for; read by goexit
	deadstk    uintptr
	entry      unsafe.Pointer // closure of goexit
	goidgen    uint64
	count      int  // goroutines that are alive, without the runtime's own
	locks      int  // above 0 while timer functions run, or pools are emptied
	late       bool // a quantum ended meanwhile
	// Goroutine 1 is initialising packages, and has no panic that runs no more deferred calls. Go locks it to its thread meanwhile.
	initialising bool

	again    bool            // memory is a snapshot (since Go 1.27)
	account  uint16          // which the host uses
	bubble   *synctestBubble // of the timer whose function runs
	callerpc uintptr

	mainMain func()
}

// Identifiers of the runtime's own goroutines. They are fixed so that a
// program's goroutines have the same numbers with and without finalizers.
const (
	goidMain      = 1
	goidFinalizer = 2
	goidCleanup   = 3
	goidFirst     = 4 // of those made by go statements
)

// rt0 is the program: it runs on the first stack and becomes goroutine 1.
//
// Memory may be a snapshot that was taken when goroutine 1 had initialised some
// packages of the standard library. Nothing but its record is left of it then: it
// starts again, and the host names the packages that come next.
func rt0(mainMain func()) {
	sched.mainMain = mainMain
	if len(allgs) == 0 {
		sched.goidgen = goidFirst - 1
		entry := goexit
		sched.entry = unsafe.Pointer(funcvalOf(entry))
		// Growing a slice may need tables that package initialisation fills.
		allgs = make([]*g, 0, 64)
		newg(main, goidMain, true)
	} else {
		fromSnapshot()
	}
	gp := allgs[0]
	entry := main
	gp.startfn = entry
	gp.stk = host_curstack()
	gp.status = grunning
	sched.starting = gp
	goexit()
}

// main is what goroutine 1 runs.
func main() {
	sched.initialising = true
	if host_child() != 0 {
		netsched.child = true
		netsched.open++ // it gives its turn back
		gyr_others = 1
	}
	startenv()
	for fn := host_nextinit(); fn != nil; fn = host_nextinit() {
		ir_callfn(fn)
	}
	sched.initialising = false
	sched.mainMain()
	// A panic that is running deferred calls in another goroutine gets the time
	// to be reported.
	for i := 0; i < 1000 && somebodypanics(); i++ {
		Gosched()
	}
	exit(0)
}

func somebodypanics() bool {
	for _, gp := range allgs {
		for p := gp._panic; p != nil; p = p.link {
			if !p.goexit {
				return true
			}
		}
	}
	return false
}

// goexit is the bottom frame of every goroutine. A goroutine that returns hands
// its stack to the next in the queue if that one has none yet: programs that
// start many short goroutines do so without switching stacks.
func goexit() {
	gp := sched.starting
	sched.starting = nil
	curg = gp
	host_setg(unsafe.Pointer(gp))
	freedeadstk()
	for {
		fn := gp.startfn
		gp.startfn = nil
		fn()

		stk := gp.stk
		next := retire(gp)
		if next.stk != 0 {
			sched.deadstk = stk
			switchto(next)
			throw("a finished goroutine ran on")
		}
		next.stk = stk
		gp = next
		curg = gp
		bill(gp)
		host_setg(unsafe.Pointer(gp))
	}
}

// goexit0 ends the current goroutine from anywhere in it, after its deferred
// calls have run.
func goexit0() {
	gp := getg()
	if gp.coro != nil {
		coroexit(gp.coro)
	}
	finalizers.lose(gp)
	cleanups.lose(gp)
	stk := gp.stk
	next := retire(gp)
	sched.deadstk = stk
	switchto(next)
	throw("a finished goroutine ran on")
}

// retire takes a finished goroutine out of the world and returns who runs next,
// marked as running.
func retire(gp *g) *g {
	bury(gp)
	next := findrunnable()
	// Not before: a timer function may have started a goroutine, and while it
	// ran gp was still the current one.
	pool(gp)
	next.status = grunning
	return next
}

func bury(gp *g) {
	gp.status = gdead
	if gp.bubble != nil {
		gp.bubble.leave(gp)
	}
	gp.stk = 0
	gp._panic = nil
	gp._defer = nil
	gp.sigpc = 0
	gp.goexiting = false
	gp.locked = 0
	gp.startfn = nil
	gp.labels = nil
	gp.waiting = nil
	gp.param = nil
	gp.coro = nil
	if gp.counted {
		sched.count--
	}
}

func pool(gp *g) {
	gp.schedlink = sched.pool
	sched.pool = gp
}

func freedeadstk() {
	if stk := sched.deadstk; stk != 0 {
		sched.deadstk = 0
		host_freestack(stk)
	}
}

// newg returns the record of a new goroutine that will run fn. Number 0 asks
// for the next one. Goroutines that are not counted are the runtime's own.
func newg(fn func(), id uint64, counted bool) *g {
	gp := sched.pool
	if gp != nil {
		sched.pool = gp.schedlink
		gp.schedlink = nil
	} else {
		gp = new(g)
		allgs = append(allgs, gp)
	}
	if id == 0 {
		sched.goidgen++
		id = sched.goidgen
	}
	gp.id = id
	gp.status = gidle
	gp.waitreason = waitReasonZero
	gp.system = !counted
	gp.counted = counted
	if counted {
		sched.count++
	}
	gp.startfn = fn
	gp.startpc = funcvalOf(fn).fn
	gp.gopc = 0
	gp.parentid = 0
	gp.account = 0
	return gp
}

// newproc is the go statement. Arguments have been bound by the compiler.
func newproc(fn func()) {
	if fn == nil {
		fatalof("go of nil func value", true)
	}
	gp := newg(fn, 0, true)
	inherit(gp)
	host_callers(0, 1, &sched.callerpc, 1)
	gp.gopc = sched.callerpc
	gp.status = grunnable
	runqput(gp)
}

// inherit gives a new goroutine what it has from its maker.
func inherit(gp *g) {
	if sched.locks != 0 {
		// A timer function: nobody's goroutine, but of the timer's bubble.
		if sched.bubble != nil {
			sched.bubble.join(gp)
		}
		return
	}
	parent := getg()
	gp.parentid = parent.id
	gp.labels = parent.labels
	gp.account = parent.account
	if parent.bubble != nil {
		parent.bubble.join(gp)
	}
}

func funcvalOf(fn func()) *funcval {
	return *(**funcval)(unsafe.Pointer(&fn))
}

func runqput(gp *g) {
	gp.schedlink = nil
	if sched.tail == nil {
		sched.head = gp
	} else {
		sched.tail.schedlink = gp
	}
	sched.tail = gp
	gyr_others = 1
}

// updateothers recomputes gyr_others after something was taken away.
func updateothers() {
	if sched.head != nil || len(timers.heap) != 0 || gyr_specials != 0 || netsched.open != 0 {
		gyr_others = 1
	} else {
		gyr_others = 0
	}
}

// findrunnable takes the next goroutine from the run queue. When there is none
// it lets time pass until a timer or the host's network brings one, and if nothing ever can, the
// program is dead.
func findrunnable() *g {
	for {
		drainspecials()
		if netsched.open != 0 {
			nethost(0)
		}
		if len(timers.heap) != 0 {
			timers.run(nanotime())
		}
		if gp := sched.head; gp != nil {
			sched.head = gp.schedlink
			if sched.head == nil {
				sched.tail = nil
			}
			gp.schedlink = nil
			updateothers()
			return gp
		}
		switch when := timers.when(); {
		case when == 0 && (netsched.waiting != 0 || netsched.child && sigs.wanted != 0): // somebody may send a signal
			nethost(maxWhen)
		case netsched.waiting != 0:
			nethost(when)
		case when == 0:
			deadlock()
		default:
			host_idle(when)
		}
	}
}

// deadlock ends the program: nobody can run, and nothing can change that. The
// report comes from a goroutine of its own, since none of those that it lists is
// running.
func deadlock() {
	gp := newg(reportdeadlock, 0, false)
	gp.status = grunning
	switchto(gp)
	throw("a deadlock went on")
}

func reportdeadlock() {
	host_dying("")
	msg := "fatal error: all goroutines are asleep - deadlock!"
	if p := netwaiting(); p != nil {
		msg = "fatal error: all goroutines are asleep - the program listens on " + p.name + ", and nothing in the sandbox connects to it"
	} else if sched.count == 0 {
		msg = "fatal error: no goroutines (main called runtime.Goexit) - deadlock!"
	}
	host_dying(msg)
	printlock()
	printstring(msg)
	printnl()
	tracebackall()
	flushprint()
	host_fatal()
}

// schedule runs whoever is next; gp, the current goroutine, has said in its
// status and queues how it wants to come back. It returns when it does.
func schedule(gp *g) {
	next := findrunnable()
	sched.late = false
	next.status = grunning
	if next != gp {
		switchto(next)
	}
}

// switchto leaves the current stack for that of next, which is marked as
// running. It returns when somebody switches back.
func switchto(next *g) {
	if next.stk == 0 {
		next.stk = host_newstack(sched.entry)
		sched.starting = next
	}
	curg = next
	bill(next)
	host_switch(next.stk)
	freedeadstk()
}

// gopark blocks the current goroutine until goready.
func gopark(reason waitReason) {
	if sched.locks != 0 {
		throw("a timer function tried to block")
	}
	gp := getg()
	gp.status = gwaiting
	gp.waitreason = reason
	if gp.bubble != nil && reason.durable() {
		gp.bubble.idle()
	}
	schedule(gp)
	gp.waitreason = waitReasonZero
}

// goready puts a blocked goroutine at the tail of the run queue.
func goready(gp *g) {
	if gp.status != gwaiting {
		throw("goready: the goroutine does not wait")
	}
	gp.status = grunnable
	if gp.bubble != nil && gp.waitreason.durable() {
		gp.bubble.running++
	}
	runqput(gp)
}

// preempt is called by the tier at a loop header when the quantum is used up.
func preempt() {
	if sched.locks == 0 {
		goyield()
		return
	}
	sched.late = true
}

// goyield puts the current goroutine at the tail of the run queue.
func goyield() {
	drainspecials() // finalizers go first
	gp := getg()
	gp.status = grunnable
	runqput(gp)
	schedule(gp)
}

// Gosched yields the processor, allowing other goroutines to run. It does not
// suspend the current goroutine, so execution resumes automatically.
func Gosched() {
	if sched.locks == 0 {
		goyield()
	}
}

// NumGoroutine returns the number of goroutines that currently exist.
func NumGoroutine() int { return sched.count }

// GOMAXPROCS returns 1: one goroutine runs at a time. The setting is ignored.
func GOMAXPROCS(n int) int { return 1 }

// SetDefaultGOMAXPROCS does nothing: GOMAXPROCS is always 1.
func SetDefaultGOMAXPROCS() {}

// NumCPU returns 1.
func NumCPU() int { return 1 }

// LockOSThread wires the calling goroutine to its thread, which is the only one: tracebacks tell.
func LockOSThread() {
	gp := getg()
	gp.locked++
	if gp.locked == 0 {
		gp.locked--
		panic("LockOSThread nesting overflow")
	}
}

// UnlockOSThread undoes an earlier call to LockOSThread.
func UnlockOSThread() {
	if gp := getg(); gp.locked != 0 {
		gp.locked--
	}
}

// goschedguarded and the pins of package sync: nothing runs in between anyway,
// except at loop headers, and package sync pins around none.

//go:linkname procPin
func procPin() int { return 0 }

//go:linkname procUnpin
func procUnpin() {}

//go:linkname sync_runtime_procPin sync.runtime_procPin
func sync_runtime_procPin() int { return 0 }

//go:linkname sync_runtime_procUnpin sync.runtime_procUnpin
func sync_runtime_procUnpin() {}

//go:linkname sync_atomic_runtime_procPin sync/atomic.runtime_procPin
func sync_atomic_runtime_procPin() int { return 0 }

//go:linkname sync_atomic_runtime_procUnpin sync/atomic.runtime_procUnpin
func sync_atomic_runtime_procUnpin() {}
