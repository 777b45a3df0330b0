package runtime

import (
	_ "unsafe" // for go:linkname
)

// The clock and timers.
//
// Timers stand in a binary heap ordered by (when, order), order being the
// sequence in which they were set; in a bubble, where timers at the same instant
// are common, it is random, so that tests do not come to rely on it. They fire when the scheduler looks for work
// and the clock has reached them; when nobody can run, the scheduler has the host
// move the clock to the first (findrunnable).
//
// A timer with a channel (time.NewTimer, time.NewTicker) appears to have an
// unbuffered channel: after Stop or Reset no stale value can be received. The
// channel has a buffer of one, which Stop and Reset drain, and len and cap deny.
// Such a timer is in the heap only while someone waits on its channel: otherwise
// it is brought up to date by whoever looks at the channel (feed), and a timer
// that nobody refers to is garbage even if it has not fired.
//
// Before Go 1.27 GODEBUG=asynctimerchan=2 gives the channel back its buffer: nothing is drained
// and len and cap tell. (With asynctimerchan=1 package time passes no channel.)

type timer struct {
	when    int64 // nanotime at which it fires; 0: not set
	period  int64 // above 0: it fires again, every so many nanoseconds
	order   uint64
	index   int // place in the heap, counted from 1; 0: not there
	blocked int // goroutines waiting on its channel
	c       *hchan
	f       func(arg any, seq uintptr, delta int64)
	arg     any
	gp      *g              // Sleep: whom to wake, instead of f
	bubble  *synctestBubble // that it belongs to
}

// A timeTimer is a time.Timer or time.Ticker with what follows it.
type timeTimer struct {
	c    *hchan // the channel as package time shows it
	init bool
	timer
}

// A timerHeap holds the timers that are set: of the program or of a bubble.
type timerHeap struct {
	heap  []*timer
	order uint64
}

var timers timerHeap

// in is the heap that the timer belongs to.
func (t *timer) in() *timerHeap {
	if t.bubble != nil {
		return &t.bubble.timers
	}
	return &timers
}

// now is the time on the timer's clock.
func (t *timer) now() int64 {
	if t.bubble != nil {
		return t.bubble.now
	}
	return nanotime()
}

// reorder gives the timer its place among those of the same instant.
func (t *timer) reorder() {
	h := t.in()
	h.order++
	t.order = h.order
	if t.bubble != nil {
		t.order = host_rand()&^(1<<32-1) | t.order&(1<<32-1)
	}
}

// when is the time of the first timer, 0 if there is none.
func (h *timerHeap) when() int64 {
	if len(h.heap) == 0 {
		return 0
	}
	return h.heap[0].when
}

// bubble is the one whose clock applies: that of the running goroutine or, in a
// timer function, of the timer.
func bubble() *synctestBubble {
	if sched.locks != 0 {
		return sched.bubble
	}
	return getg().bubble
}

const maxWhen = 1<<63 - 1

// haveHighResSleep is for the tests of package time.
//
//go:linkname haveHighResSleep
var haveHighResSleep = true

//go:linkname nanotime
func nanotime() int64 { return host_nanotime() }

//go:linkname walltime
func walltime() (sec int64, nsec int32) {
	sec, nsec, _ = host_walltime()
	return sec, nsec
}

//go:linkname time_now time.now
func time_now() (sec int64, nsec int32, mono int64) {
	if b := bubble(); b != nil {
		return b.now / 1e9, int32(b.now % 1e9), 0 // times of one bubble and of another must not be compared by it
	}
	return host_walltime()
}

//go:linkname time_runtimeNow time.runtimeNow
func time_runtimeNow() (sec int64, nsec int32, mono int64) { return time_now() }

//go:linkname time_runtimeNano time.runtimeNano
func time_runtimeNano() int64 {
	if b := bubble(); b != nil {
		return b.now
	}
	return host_nanotime()
}

//go:linkname syscall_now syscall.now
func syscall_now() (sec int64, nsec int32) { return walltime() }

//go:linkname time_runtimeIsBubbled time.runtimeIsBubbled
func time_runtimeIsBubbled() bool { return bubble() != nil }

//go:linkname timeSleep time.Sleep
func timeSleep(ns int64) {
	if ns <= 0 {
		return
	}
	gp := getg()
	t := gp.sleeper
	if t == nil {
		t = new(timer)
		t.gp = gp
		gp.sleeper = t
	}
	t.bubble = gp.bubble
	when := t.now() + ns
	if when < 0 {
		when = maxWhen
	}
	t.set(when, 0)
	gopark(waitReasonSleep)
}

//go:linkname newTimer time.newTimer
func newTimer(when, period int64, f func(arg any, seq uintptr, delta int64), arg any, c *hchan) *timeTimer {
	t := new(timeTimer)
	t.bubble = bubble()
	if c != nil {
		if c.dataqsiz == 0 {
			throw("invalid timer channel: no capacity")
		}
		t.timer.c = c
		c.timer = &t.timer
	}
	t.f = f
	t.arg = arg
	t.set(when, period)
	t.init = true
	return t
}

//go:linkname stopTimer time.stopTimer
func stopTimer(t *timeTimer) bool {
	if t.bubble != nil && bubble() == nil {
		fatal("stop of synctest timer from outside bubble")
	}
	return t.stop()
}

//go:linkname resetTimer time.resetTimer
func resetTimer(t *timeTimer, when, period int64) bool {
	if t.bubble != nil && bubble() == nil {
		fatal("reset of synctest timer from outside bubble")
	}
	return t.set(when, period)
}

// set makes the timer fire at when. It reports whether it was set before and had
// not been noticed to fire.
func (t *timer) set(when, period int64) bool {
	if when <= 0 {
		throw("timer when must be positive")
	}
	if period < 0 {
		throw("timer period must be non-negative")
	}
	if asynctimerchan && t.c != nil {
		t.feed()
	}
	pending := t.when > 0
	t.when = when
	t.period = period
	t.reorder()
	if t.drain() {
		pending = true
	}
	switch {
	case t.index != 0:
		t.fix()
	case t.c != nil && t.blocked == 0:
	case t.bubble != nil && when <= t.bubble.now:
		t.fire(when) // and not only when the bubble is idle
	default:
		t.add()
	}
	return pending
}

// stop unsets the timer and reports like set.
func (t *timer) stop() bool {
	if asynctimerchan && t.c != nil {
		t.feed()
	}
	pending := t.when > 0
	t.when = 0
	t.remove()
	if t.drain() {
		pending = true
	}
	return pending
}

// drain drops a value that was sent but not received.
func (t *timer) drain() bool {
	if t.c == nil || t.c.qcount == 0 || asynctimerchan {
		return false
	}
	t.c.take(nil)
	return true
}

// feed lets a timer that is not in the heap fire if it should have, before its
// channel is looked at.
func (t *timer) feed() {
	if t.index != 0 || t.when == 0 {
		return
	}
	if now := t.now(); t.when <= now {
		t.fire(now)
	}
}

// block and unblock bracket a goroutine's wait on the timer's channel.

func (t *timer) block() {
	t.blocked++
	if t.index == 0 && t.when > 0 {
		t.add()
	}
}

func (t *timer) unblock() {
	t.blocked--
	if t.blocked == 0 {
		t.remove()
	}
}

// fire runs the timer's function and sets its next time. now is at or after
// when. The function belongs to package time (a send that does not block, or a go
// statement); it must not block and is not preempted.
func (t *timer) fire(now int64) {
	delta := now - t.when
	if t.period > 0 {
		t.when += t.period * (1 + delta/t.period)
		if t.when < 0 {
			t.when = maxWhen
		}
	} else {
		t.when = 0
	}
	t.reorder()
	switch {
	case t.when <= now: // fires no more; a ticker does not when the clock has reached its end
		t.when = 0
		t.remove()
	case t.index != 0:
		t.fix()
	}
	if t.gp != nil {
		goready(t.gp)
		return
	}
	outer := sched.bubble
	sched.locks++
	sched.bubble = t.bubble
	t.f(t.arg, 0, delta)
	sched.bubble = outer
	sched.locks--
}

// run fires the timers whose time has come.
func (h *timerHeap) run(now int64) {
	for len(h.heap) != 0 && h.heap[0].when <= now {
		h.heap[0].fire(now)
	}
}

// The heap. Element 0 fires first; the parent of i is (i-1)/2.

func (t *timer) before(u *timer) bool {
	return t.when < u.when || t.when == u.when && t.order < u.order
}

func (t *timer) add() {
	h := t.in()
	h.heap = append(h.heap, t)
	t.index = len(h.heap)
	h.up(len(h.heap) - 1)
	if t.bubble == nil {
		gyr_others = 1
	}
}

func (t *timer) remove() {
	if t.index == 0 {
		return
	}
	h := t.in()
	i := t.index - 1
	t.index = 0
	last := len(h.heap) - 1
	u := h.heap[last]
	h.heap[last] = nil
	h.heap = h.heap[:last]
	if i != last {
		h.heap[i] = u
		u.index = i + 1
		u.fix()
	}
	updateothers()
}

// fix moves t to its place after its key changed.
func (t *timer) fix() {
	h := t.in()
	h.down(h.up(t.index - 1))
}

func (h *timerHeap) up(i int) int {
	t := h.heap[i]
	for i > 0 {
		p := (i - 1) / 2
		if !t.before(h.heap[p]) {
			break
		}
		h.heap[i] = h.heap[p]
		h.heap[i].index = i + 1
		i = p
	}
	h.heap[i] = t
	t.index = i + 1
	return i
}

func (h *timerHeap) down(i int) int {
	t := h.heap[i]
	for {
		c := 2*i + 1
		if c >= len(h.heap) {
			break
		}
		if c+1 < len(h.heap) && h.heap[c+1].before(h.heap[c]) {
			c++
		}
		if !h.heap[c].before(t) {
			break
		}
		h.heap[i] = h.heap[c]
		h.heap[i].index = i + 1
		i = c
	}
	h.heap[i] = t
	t.index = i + 1
	return i
}
