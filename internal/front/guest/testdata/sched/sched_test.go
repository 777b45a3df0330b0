package runtime

import (
	"fmt"
	"testing"
	"unsafe"
)

func TestMainEndsProgram(t *testing.T) {
	ran := false
	code, text := programInit(func() { ran = true }, func() { newproc(func() { t.Error("ran") }) })
	equal(t, "end", []any{code, text, ran}, []any{0, "", true})
}

func TestDeadlock(t *testing.T) {
	const all = "fatal error: all goroutines are asleep - deadlock!\n"
	for _, c := range []struct {
		name string
		main func()
		text string
	}{
		{"receive", func() { recv[int](makech[int](0)) }, all + "goroutine 1 [chan receive]:\n"},
		{"send", func() { send(makech[int](0), 1) }, all + "goroutine 1 [chan send]:\n"},
		{"nil receive", func() { recv[int](nil) }, all + "goroutine 1 [chan receive (nil chan)]:\n"},
		{"nil send", func() { send[int](nil, 1) }, all + "goroutine 1 [chan send (nil chan)]:\n"},
		{"select", func() { sel(true, scase{makech[int](0), nil, false}, scase{}) }, all + "goroutine 1 [select]:\n"},
		{"empty select", func() { sel(true) }, all + "goroutine 1 [select (no cases)]:\n"},
		{"mutex", func() { internal_sync_runtime_SemacquireMutex(new(uint32), false, 0) }, all + "goroutine 1 [sync.Mutex.Lock]:\n"},
		{"wait group", func() { sync_runtime_SemacquireWaitGroup(new(uint32), false) }, all + "goroutine 1 [sync.WaitGroup.Wait]:\n"},
		{"goroutine", func() {
			newproc(func() {})
			newproc(func() { send(makech[int](0), 1) })
			recv[int](makech[int](0))
		}, all + "goroutine 1 [chan receive]:\ngoroutine 5 [chan send]:\n"},
		{"signals", func() {
			newproc(func() { signal_recv() })
			recv[int](makech[int](0))
		}, all + "goroutine 1 [chan receive]:\n"},
		{"goexit", func() { goexit0() }, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n"},
		{"goexit, others blocked", func() {
			newproc(func() { sel(true) })
			goexit0()
		}, all + "goroutine 4 [select (no cases)]:\n"},
		{"goexit, others end", func() {
			newproc(func() { timeSleep(5) })
			goexit0()
		}, "fatal error: no goroutines (main called runtime.Goexit) - deadlock!\n"},
	} {
		code, text := program(c.main)
		equal(t, c.name, []any{code, text}, []any{2, c.text})
	}
}

// main waits for the report of a panic elsewhere.
func TestMainWaitsForPanic(t *testing.T) {
	code, text := program(func() {
		newproc(func() {
			getg()._panic = new(_panic)
			for range 10 {
				preempt()
			}
			exit(2)
		})
		Gosched()
	})
	equal(t, "end", []any{code, text}, []any{2, ""})
}

func TestRunQueueIsFIFO(t *testing.T) {
	var got []string
	must(t, func() {
		for i := range 3 {
			newproc(func() {
				for j := range 3 {
					got = append(got, fmt.Sprint(i, j))
					preempt()
				}
			})
		}
		for range 4 {
			Gosched()
		}
		equal(t, "goroutines", NumGoroutine(), 1)
	})
	equal(t, "order", got, []string{"0 0", "1 0", "2 0", "0 1", "1 1", "2 1", "0 2", "1 2", "2 2"})
}

func TestOthers(t *testing.T) {
	must(t, func() {
		equal(t, "alone", gyr_others, uint32(0))
		newproc(func() {})
		equal(t, "queue", gyr_others, uint32(1))
		Gosched()
		equal(t, "alone again", gyr_others, uint32(0))
		tm := newTimer(nanotime()+100, 0, func(any, uintptr, int64) {}, nil, nil)
		equal(t, "timer", gyr_others, uint32(1))
		stopTimer(tm)
		equal(t, "stopped", gyr_others, uint32(0))
	})
}

func TestGoroutineRecord(t *testing.T) {
	must(t, func() {
		c := makech[int](0)
		equal(t, "main", getg().id, uint64(1))
		newproc(func() {
			gp := getg()
			equal(t, "id, parent, site", []uint64{gp.id, gp.parentid, uint64(gp.gopc)}, []uint64{4, 1, 42})
			newproc(func() {
				equal(t, "id, parent", []uint64{getg().id, getg().parentid}, []uint64{5, 4})
				send(c, 1)
			})
		})
		recv[int](c)
	})
}

// A goroutine works for the test that started it, and the host learns of each change, but of
// nothing else.
func TestAccounts(t *testing.T) {
	must(t, func() {
		done := makech[int](0)
		newproc(func() {
			a := begintest("A")
			newproc(func() {
				Gosched()
				newproc(func() { send(done, 1) })
			})
			Gosched()
			endtest(a)
		})
		newproc(func() { endtest(begintest("B")) })
		newproc(Gosched)
		recv[int](done)
		equal(t, "turns", host.billed, []string{
			"A",                  // the first goroutine, which yields
			"none", "B", "end B", // the second
			"none",          // which is over, and the third
			"A",             // what the first started, and the first
			"end A", "none", // and the third, which ends
			"A",    // two that the first started
			"none", // the main goroutine
		})
	})
}

// Starting, blocking and ending goroutines reuses records, waiters and stacks.
func TestSteadyState(t *testing.T) {
	must(t, func() {
		c, d := makech[int](0), makech[int](0)
		round := func() {
			for i := range 10 {
				newproc(func() {
					v, w := i, 0
					sel(true, scase{c, unsafe.Pointer(&v), true}, scase{d, unsafe.Pointer(&w), false})
					timeSleep(3)
				})
			}
			for range 10 {
				recv[int](c)
			}
			timeSleep(10)
		}
		round()
		round()
		records, waiters, stacks, heap := len(allgs), poolsize(), host.live, cap(timers.heap)
		for range 100 {
			round()
		}
		equal(t, "sizes", []int{len(allgs), poolsize(), host.live, cap(timers.heap)}, []int{records, waiters, stacks, heap})
	})
}

func poolsize() (n int) {
	for s := sched.sudogs; s != nil; s = s.waitlink {
		n++
	}
	return n
}

// Short goroutines run one after the other on the same stack.
func TestStackIsHandedOn(t *testing.T) {
	n := 0
	must(t, func() {
		for range 1000 {
			newproc(func() { n++ })
		}
		Gosched()
		equal(t, "stacks", host.made, 1)
	})
	equal(t, "ran", n, 1000)
}

func TestGoexitFreesStack(t *testing.T) {
	must(t, func() {
		for range 5 {
			newproc(func() { goexit0() })
		}
		Gosched()
		equal(t, "stacks", []int{host.live, NumGoroutine()}, []int{1, 1})
	})
}

func TestSemaphoreOrder(t *testing.T) {
	for _, lifo := range []bool{false, true} {
		var got []int
		must(t, func() {
			var s uint32
			for i := range 4 {
				newproc(func() {
					semacquire(&s, lifo, waitReasonSemacquire)
					got = append(got, i)
				})
			}
			Gosched()
			for range 4 {
				semrelease(&s, false)
			}
			Gosched()
			equal(t, "count", s, uint32(0))
		})
		want := []int{0, 1, 2, 3}
		if lifo {
			want = []int{3, 2, 1, 0}
		}
		equal(t, fmt.Sprint("lifo ", lifo), got, want)
	}
}

// With handoff the waiter runs at once and the count cannot be stolen.
func TestSemaphoreHandoff(t *testing.T) {
	must(t, func() {
		var s uint32
		got := false
		newproc(func() {
			semacquire(&s, false, waitReasonSemacquire)
			got = true
		})
		Gosched()
		newproc(func() {})
		semrelease(&s, true)
		equal(t, "waiter ran", []any{got, s}, []any{true, uint32(0)})
	})
}

// Without handoff another goroutine may take the count; the waiter waits again.
func TestSemaphoreBarging(t *testing.T) {
	must(t, func() {
		var s uint32
		got := false
		newproc(func() {
			semacquire(&s, false, waitReasonSemacquire)
			got = true
		})
		Gosched()
		semrelease(&s, false)
		semacquire(&s, false, waitReasonSemacquire)
		Gosched()
		equal(t, "barged", got, false)
		semrelease(&s, false)
		Gosched()
		equal(t, "waiter", []any{got, s}, []any{true, uint32(0)})
	})
}

// The tree of addresses against a map of queues.
func TestSemaphoreTree(t *testing.T) {
	semaroot = nil
	host.rng = 7
	model := map[uintptr][]*sudog{}
	addr := func() uintptr {
		a := uintptr(randn(64))
		if randn(2) == 0 {
			// Addresses that share the first bits of their path.
			return uintptr(uint32(a) * inverse(0x9e3779b1))
		}
		return a * 8
	}
	for step := range 200000 {
		a := addr()
		if randn(2) == 0 {
			s := &sudog{addr: a}
			lifo := randn(4) == 0
			semaqueue(s, lifo)
			if lifo {
				model[a] = append([]*sudog{s}, model[a]...)
			} else {
				model[a] = append(model[a], s)
			}
		} else {
			s := semadequeue(a)
			if q := model[a]; len(q) == 0 {
				if s != nil {
					t.Fatal(step, ": a waiter from nowhere")
				}
			} else if s != q[0] {
				t.Fatal(step, ": wrong waiter")
			} else {
				model[a] = q[1:]
				if s.waitlink != nil || s.waittail != nil || s.child != [2]*sudog{} {
					t.Fatal(step, ": links are left")
				}
			}
		}
		if step%1000 == 0 {
			if d := depth(semaroot); d > 33 {
				t.Fatal("depth ", d)
			}
		}
	}
	for a, q := range model {
		for _, want := range q {
			if semadequeue(a) != want {
				t.Fatal("wrong waiter at the end")
			}
		}
	}
	if semaroot != nil {
		t.Fatal("the tree is not empty")
	}
}

func depth(s *sudog) int {
	if s == nil {
		return 0
	}
	return 1 + max(depth(s.child[0]), depth(s.child[1]))
}

// inverse is 1/x modulo 1<<32, x odd.
func inverse(x uint32) uint32 {
	y := x
	for range 5 {
		y *= 2 - x*y
	}
	return y
}

func TestCond(t *testing.T) {
	var got []int
	must(t, func() {
		var l notifyList
		notifyListCheck(unsafe.Sizeof(l))
		wait := func(i int) {
			newproc(func() {
				notifyListWait(&l, notifyListAdd(&l))
				got = append(got, i)
			})
		}
		notifyListNotifyOne(&l) // nobody
		for i := range 5 {
			wait(i)
		}
		Gosched()
		notifyListNotifyOne(&l)
		Gosched()
		notifyListNotifyAll(&l)
		Gosched()
		equal(t, "empty", []bool{l.head == nil, l.tail == nil}, []bool{true, true})
		// Notified between Add and Wait.
		ticket := notifyListAdd(&l)
		notifyListNotifyOne(&l)
		notifyListWait(&l, ticket)
		// Tickets in another order than arrival.
		t1, t2 := notifyListAdd(&l), notifyListAdd(&l)
		newproc(func() { notifyListWait(&l, t2); got = append(got, 102) })
		newproc(func() { notifyListWait(&l, t1); got = append(got, 101) })
		Gosched()
		notifyListNotifyOne(&l)
		notifyListNotifyOne(&l)
		Gosched()
		equal(t, "empty", []bool{l.head == nil, l.tail == nil}, []bool{true, true})
	})
	equal(t, "order", got, []int{0, 1, 2, 3, 4, 101, 102})
}

func TestCoroutine(t *testing.T) {
	var got []int
	must(t, func() {
		x := 0
		c := newcoro(func(c *coro) {
			for i := range 3 {
				x = i
				coroswitch(c)
			}
			x = -1
		})
		equal(t, "goroutines", NumGoroutine(), 2)
		for x >= 0 {
			coroswitch(c)
			got = append(got, x)
		}
		equal(t, "goroutines", NumGoroutine(), 1)
		equal(t, "stacks", host.live, 1)
		// A body that ends in Goexit.
		d := newcoro(func(c *coro) { goexit0() })
		coroswitch(d)
		equal(t, "goroutines", NumGoroutine(), 1)
		// A body that blocks in the ordinary way meanwhile.
		e := newcoro(func(c *coro) { timeSleep(5); got = append(got, 9) })
		coroswitch(e)
	})
	equal(t, "values", got, []int{0, 1, 2, -1, 9})
	code, text := program(func() {
		c := newcoro(func(*coro) {})
		coroswitch(c)
		coroswitch(c)
	})
	equal(t, "exited", []any{code, text}, []any{2, "throw: coroswitch on exited coro"})
}

// Random programs: goroutines that send, receive, select, sleep and lock. All
// ends, nothing is lost, and the same seed gives the same run.
func TestRandomPrograms(t *testing.T) {
	for seed := range uint64(60) {
		a, b := randomProgram(t, seed), randomProgram(t, seed)
		if a != b {
			t.Fatal("seed ", seed, ": two runs differ")
		}
	}
}

func randomProgram(t *testing.T, seed uint64) (trace uint64) {
	must(t, func() {
		host.rng = seed*0x9e3779b97f4a7c15 + 1
		host.tick = int64(randn(3))
		const workers, steps = 12, 200
		var chans [4]*hchan
		for i := range chans {
			chans[i] = makech[int](int(randn(3)))
		}
		some := func() *hchan { return chans[randn(4)] }
		var lock uint32 = 1
		var l notifyList
		held := false
		sent, received, running := 0, 0, workers
		for id := range workers {
			newproc(func() {
				for range steps {
					trace = trace*31 + uint64(id)
					v, w, x := 1, 1, 0
					switch randn(10) {
					case 0:
						timeSleep(int64(randn(20)))
					case 1:
						preempt()
					case 2, 3:
						semacquire(&lock, randn(2) == 0, waitReasonSyncMutexLock)
						if held {
							t.Error("two hold the lock")
						}
						held = true
						Gosched()
						held = false
						semrelease(&lock, randn(2) == 0)
					case 4:
						if chansend(some(), unsafe.Pointer(&v), false) {
							sent++
						}
					case 5:
						if ok, _ := chanrecv(some(), unsafe.Pointer(&x), false); ok {
							received += x
						}
					case 6:
						notifyListNotifyOne(&l)
					default:
						// With a timeout, so that nobody is stuck.
						tm := chanTimer(int64(1+randn(30)), 0)
						cases := []scase{{some(), unsafe.Pointer(&v), true}, {some(), unsafe.Pointer(&x), false}, {some(), unsafe.Pointer(&w), true}, {tm.c, nil, false}}
						switch i, ok := sel(true, cases...); {
						case cases[i].send:
							sent++
						case ok:
							received += x
						}
						stopTimer(tm)
					}
				}
				running--
				notifyListNotifyAll(&l)
			})
		}
		for running > 0 {
			notifyListWait(&l, notifyListAdd(&l))
		}
		for _, c := range chans {
			if c.sendq.first != nil || c.recvq.first != nil {
				t.Error("a waiter is left")
			}
			received += chanlen(c)
		}
		equal(t, "received", received, sent)
		equal(t, "rest", []any{lock, len(timers.heap), semaroot == nil, NumGoroutine()}, []any{uint32(1), 0, true, 1})
	})
	return trace
}
