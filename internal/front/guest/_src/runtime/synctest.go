package runtime

import "unsafe"

// Bubbles of package testing/synctest: goroutines with a clock of their own,
// which stands still while any of them can run.
//
// A goroutine of a bubble is durably blocked when only another goroutine of
// the bubble can wake it (waitReason.durable). A bubble counts those that are
// not. Whenever the count drops to zero one goroutine is woken: the one in
// Wait, or the root, which called Run and moves the clock to the next timer.
// Timers of a bubble stand in a heap of its own.

type synctestBubble struct {
	id      uint64
	now     int64
	timers  timerHeap
	root    *g // caller of Run
	waiter  *g // caller of Wait, while it is blocked there
	main    *g // runs Run's function
	done    bool
	total   int // goroutines, the root included
	running int // those that are not durably blocked, and other activity
}

// synctestEpoch is midnight UTC 2000-01-01.
const synctestEpoch = 946684800_000000000

// bubbleOf holds the bubble of objects that belong to one (wait groups). It
// keeps them alive until the bubble ends.
var bubbleOf map[unsafe.Pointer]*synctestBubble

var bubbles uint64 // made so far

// idle notes that one goroutine less is running.
func (b *synctestBubble) idle() {
	b.running--
	if b.running > 0 {
		return
	}
	switch next := b.timers.when(); {
	case next > 0 && next <= b.now:
		goready(b.root)
	case b.waiter != nil:
		goready(b.waiter)
	default:
		goready(b.root)
	}
}

//go:linkname synctest_isInBubble internal/synctest.IsInBubble
func synctest_isInBubble() bool { return getg().bubble != nil }

//go:linkname synctestRun internal/synctest.Run
func synctestRun(f func()) {
	if asynctimerchan {
		panic(synctestAsyncText)
	}
	gp := getg()
	if gp.bubble != nil {
		panic("synctest.Run called from within a synctest bubble")
	}
	bubbles++
	b := &synctestBubble{id: bubbles, now: synctestEpoch, root: gp, total: 1, running: 1}
	gp.bubble = b
	defer func() {
		gp.bubble = nil
		for p, o := range bubbleOf {
			if o == b {
				delete(bubbleOf, p)
			}
		}
	}()
	newproc(f)
	b.main = sched.tail
	host_callers(0, 1, &sched.callerpc, 1)
	b.main.gopc = sched.callerpc // as if the caller had made it
	for {
		b.timers.run(b.now)
		gopark(waitReasonSynctestRun)
		next := b.timers.when()
		if next == 0 || b.done {
			break // time stops once the main goroutine has ended
		}
		if next < b.now {
			throw("time went backwards")
		}
		b.now = next
	}
	if b.total != 1 {
		reason := "deadlock: all goroutines in bubble are blocked"
		if b.done {
			reason = "deadlock: main bubble goroutine has exited but blocked goroutines remain"
		}
		panic(synctestDeadlockError{reason, b})
	}
}

type synctestDeadlockError struct {
	reason string
	bubble *synctestBubble
}

func (e synctestDeadlockError) Error() string { return e.reason }

//go:linkname synctestWait internal/synctest.Wait
func synctestWait() {
	gp := getg()
	b := gp.bubble
	if b == nil {
		panic("goroutine is not in a bubble")
	}
	if b.waiter != nil {
		panic("wait already in progress")
	}
	b.waiter = gp
	gopark(waitReasonSynctestWait)
	b.waiter = nil
}

// acquire keeps the current bubble from becoming idle until release.
//
//go:linkname synctest_acquire internal/synctest.acquire
func synctest_acquire() any {
	b := getg().bubble
	if b == nil {
		return nil
	}
	b.running++
	return b
}

//go:linkname synctest_release internal/synctest.release
func synctest_release(bubble any) { bubble.(*synctestBubble).idle() }

//go:linkname synctest_inBubble internal/synctest.inBubble
func synctest_inBubble(bubble any, f func()) {
	gp := getg()
	if gp.bubble != nil {
		panic("goroutine is already bubbled")
	}
	b := bubble.(*synctestBubble)
	b.join(gp)
	defer b.leave(gp)
	f()
}

// join and leave count a running goroutine.

func (b *synctestBubble) join(gp *g) {
	gp.bubble = b
	b.total++
	b.running++
}

func (b *synctestBubble) leave(gp *g) {
	gp.bubble = nil
	b.total--
	if gp == b.main {
		b.done = true
	}
	b.idle()
}

const (
	synctestUnbubbled = iota
	synctestCurrentBubble
	synctestOtherBubble
)

//go:linkname synctest_associate internal/synctest.associate
func synctest_associate(p unsafe.Pointer) int {
	if base, _ := host_objectof(p); base == nil {
		return synctestUnbubbled // a package's variable
	}
	b := getg().bubble
	switch bubbleOf[p] {
	case b:
	case nil:
		if bubbleOf == nil {
			bubbleOf = make(map[unsafe.Pointer]*synctestBubble)
		}
		bubbleOf[p] = b
	default:
		return synctestOtherBubble
	}
	return synctestCurrentBubble
}

//go:linkname synctest_disassociate internal/synctest.disassociate
func synctest_disassociate(p unsafe.Pointer) { delete(bubbleOf, p) }

//go:linkname synctest_isAssociated internal/synctest.isAssociated
func synctest_isAssociated(p unsafe.Pointer) bool {
	b := bubbleOf[p]
	return b != nil && b == getg().bubble
}

// bubbled reports whether a traceback adds to a goroutine's status that only one of its bubble can wake it. The texts of some say so themselves.
func (gp *g) bubbled() bool {
	return gp.bubble != nil && gp.status == gwaiting && gp.waitreason.durable() && gp.waitreason < waitReasonSynctestChanReceive
}
