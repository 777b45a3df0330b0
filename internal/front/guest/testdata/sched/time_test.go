package runtime

import (
	"slices"
	"testing"
	"unsafe"
)

// sendTime and goFunc are what package time gives to newTimer.

func sendTime(c any, seq uintptr, delta int64) {
	v := nanotime() - delta
	chansend(c.(*hchan), unsafe.Pointer(&v), false)
}

func goFunc(arg any, seq uintptr, delta int64) { newproc(arg.(func())) }

func chanTimer(d, period int64) *timeTimer {
	c := makech[int64](1)
	t := newTimer(nanotime()+d, period, sendTime, c, c)
	t.c = c
	return t
}

func TestSleepOrder(t *testing.T) {
	var got []int64
	must(t, func() {
		start := nanotime()
		for _, d := range []int64{30, 10, 20, 10, 0, -5} {
			newproc(func() {
				timeSleep(d)
				got = append(got, d)
			})
		}
		timeSleep(100)
		equal(t, "elapsed", nanotime()-start, int64(100))
	})
	equal(t, "order", got, []int64{0, -5, 10, 10, 20, 30})
	equal(t, "jumps", host.idled, 4)
}

func TestSleepForEver(t *testing.T) {
	must(t, func() {
		newproc(func() { timeSleep(1<<63 - 1); t.Error("woke") })
		timeSleep(1)
	})
}

// At the end of the clock's range timers still fire, and tickers end.
func TestEndOfTime(t *testing.T) {
	must(t, func() {
		tk := chanTimer(10, 10)
		n := 0
		newproc(func() {
			for {
				recv[int64](tk.c)
				n++
			}
		})
		timeSleep(25)
		stopTimer(tk)
		resetTimer(tk, nanotime()+10, 1<<62)
		timeSleep(1<<63 - 1)
		equal(t, "now", nanotime(), int64(maxWhen))
		timeSleep(1)
		timeSleep(1<<63 - 1)
		equal(t, "ticks", n, 5)
		equal(t, "ticker", tk.when, int64(0))
	})
}

func TestAfterFunc(t *testing.T) {
	var got []int
	must(t, func() {
		after := func(d int64, i int) *timeTimer {
			return newTimer(nanotime()+d, 0, goFunc, func() { got = append(got, i) }, nil)
		}
		after(10, 1)
		stopped := after(20, 2)
		reset := after(30, 3)
		equal(t, "stop", stopTimer(stopped), true)
		equal(t, "stop again", stopTimer(stopped), false)
		equal(t, "reset", resetTimer(reset, nanotime()+5, 0), true)
		timeSleep(100)
		equal(t, "stop fired", stopTimer(reset), false)
		equal(t, "reset fired", resetTimer(reset, nanotime()+5, 0), false)
		timeSleep(100)
	})
	equal(t, "fired", got, []int{3, 1, 3})
}

func TestTimerChannel(t *testing.T) {
	must(t, func() {
		start := nanotime()
		tm := chanTimer(10, 0)
		equal(t, "len, cap", []int{chanlen(tm.c), chancap(tm.c)}, []int{0, 0})
		equal(t, "not in the heap", len(timers.heap), 0)
		equal(t, "time", recv[int64](tm.c)-start, int64(10))
		equal(t, "not in the heap", len(timers.heap), 0)
		equal(t, "stop", stopTimer(tm), false)

		// A timer whose time has passed but that nobody has looked at.
		start = nanotime()
		resetTimer(tm, start+10, 0)
		timeSleep(50)
		v, ok := tryrecv[int64](tm.c)
		equal(t, "late look", []any{v - start, ok}, []any{int64(10), true})

		// Stop and Reset take back what was not received.
		resetTimer(tm, nanotime()+10, 0)
		timeSleep(50)
		equal(t, "stop", stopTimer(tm), true)
		_, ok = tryrecv[int64](tm.c)
		equal(t, "stale", ok, false)

		resetTimer(tm, nanotime()+10, 0)
		timeSleep(50)
		tm.timer.feed() // as a select does that then takes another case
		equal(t, "buffered", tm.c.qcount, uint(1))
		equal(t, "len", chanlen(tm.c), 0)
		start = nanotime()
		equal(t, "reset", resetTimer(tm, start+7, 0), true)
		equal(t, "time", recv[int64](tm.c)-start, int64(7))
	})
}

func TestTicker(t *testing.T) {
	must(t, func() {
		start := nanotime()
		tk := chanTimer(10, 10)
		for i := range 3 {
			equal(t, "tick", recv[int64](tk.c)-start, int64(10*(i+1)))
		}
		// A slow receiver: ticks are dropped, the rhythm stays.
		timeSleep(35)
		equal(t, "one of those dropped", recv[int64](tk.c)-start, int64(40))
		equal(t, "next", recv[int64](tk.c)-start, int64(70))
		resetTimer(tk, nanotime()+3, 3)
		equal(t, "reset", recv[int64](tk.c)-start, int64(73))
		equal(t, "reset", recv[int64](tk.c)-start, int64(76))
		stopTimer(tk)
		timeSleep(10)
		_, ok := tryrecv[int64](tk.c)
		equal(t, "stopped", ok, false)
	})
}

func TestSelectTimeout(t *testing.T) {
	must(t, func() {
		c := makech[int](0)
		start := nanotime()
		tm := chanTimer(10, 0)
		i, ok := sel(true, scase{c, nil, false}, scase{tm.c, nil, false})
		equal(t, "timeout", []any{i, ok, nanotime() - start}, []any{1, true, int64(10)})

		newproc(func() { send(c, 1) })
		tm = chanTimer(10, 0)
		i, _ = sel(true, scase{c, nil, false}, scase{tm.c, nil, false})
		equal(t, "value", []any{i, len(timers.heap), tm.blocked}, []any{0, 0, 0})
	})
}

func TestTimersFireWhileBusy(t *testing.T) {
	must(t, func() {
		host.tick = 1
		fired := false
		newTimer(nanotime()+1000, 0, goFunc, func() { fired = true }, nil)
		n := 0
		for !fired {
			preempt()
			n++
		}
		equal(t, "no idling", host.idled, 0)
	})
}

func TestTimerFunctionIsNotPreempted(t *testing.T) {
	must(t, func() {
		newTimer(nanotime()+5, 0, func(any, uintptr, int64) {
			preempt()
			Gosched()
			newproc(func() { equal(t, "parent", getg().parentid, uint64(0)) })
		}, nil, nil)
		timeSleep(10)
		Gosched()
	})
}

// The heap against a sorted list.
func TestTimerHeap(t *testing.T) {
	timers = zero(timers)
	host.rng = 3
	var all []*timer
	for range 300 {
		all = append(all, new(timer))
	}
	for range 20000 {
		tm := all[randn(300)]
		if randn(3) == 0 {
			tm.stop()
		} else {
			tm.set(int64(1+randn(50)), 0)
		}
	}
	var want []*timer
	for _, tm := range all {
		if tm.when > 0 {
			want = append(want, tm)
		}
	}
	slices.SortFunc(want, func(a, b *timer) int {
		if a.before(b) {
			return -1
		}
		return 1
	})
	for i, w := range want {
		tm := timers.heap[0]
		if tm != w {
			t.Fatalf("timer %d of %d is wrong", i, len(want))
		}
		tm.remove()
	}
	if len(timers.heap) != 0 {
		t.Fatal("timers are left")
	}
}
