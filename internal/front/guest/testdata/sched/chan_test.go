package runtime

import (
	"fmt"
	"reflect"
	"testing"
	"unsafe"
)

// must runs main as a program that has to end well.
func must(t *testing.T, main func()) {
	t.Helper()
	if code, text := program(main); code != 0 {
		t.Fatalf("exit %d: %s", code, text)
	}
	if host.live != countstacks() {
		t.Fatalf("%d stacks are live, %d belong to goroutines", host.live, countstacks())
	}
}

func countstacks() (n int) {
	for _, gp := range allgs {
		if gp.stk != 0 {
			n++
		}
	}
	return n
}

func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func TestChanOrder(t *testing.T) {
	for size := range 4 {
		var got []int
		must(t, func() {
			c := makech[int](size)
			newproc(func() {
				for i := range 10 {
					send(c, i)
				}
				closechan(c)
			})
			for {
				v, ok := recv2[int](c)
				if !ok {
					break
				}
				got = append(got, v)
			}
		})
		equal(t, fmt.Sprint("size ", size), got, []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9})
	}
}

func TestChanWaitersFIFO(t *testing.T) {
	var got []int
	must(t, func() {
		c, done := makech[int](0), makech[int](0)
		for i := range 5 {
			newproc(func() {
				v := recv[int](c)
				got = append(got, i*10+v)
				send(done, 0)
			})
		}
		Gosched()
		for i := range 5 {
			send(c, i)
		}
		for range 5 {
			recv[int](done)
		}
	})
	equal(t, "pairs", got, []int{0, 11, 22, 33, 44})
}

func TestChanBlockedSenderRefillsBuffer(t *testing.T) {
	must(t, func() {
		c := makech[string](2)
		for _, s := range []string{"a", "b", "c", "d"} {
			newproc(func() { send(c, s) })
		}
		Gosched()
		equal(t, "len", chanlen(c), 2)
		equal(t, "cap", chancap(c), 2)
		for _, s := range []string{"a", "b", "c", "d"} {
			equal(t, "value", recv[string](c), s)
		}
		equal(t, "len", chanlen(c), 0)
	})
}

func TestChanPanics(t *testing.T) {
	must(t, func() {
		c := makech[int](0)
		closechan(c)
		equal(t, "send", panics(func() { send(c, 1) }), plainError("send on closed channel"))
		equal(t, "close", panics(func() { closechan(c) }), plainError("close of closed channel"))
		equal(t, "close nil", panics(func() { closechan(nil) }), plainError("close of nil channel"))
		equal(t, "size", panics(func() { makech[int](-1) }), plainError("makechan: size out of range"))
		equal(t, "size", panics(func() { makech[int](1 << 40) }), plainError("makechan: size out of range"))
		equal(t, "select", panics(func() { sel(true, scase{c, nil, true}, scase{nil, nil, false}) }), plainError("send on closed channel"))

		// A sender that is blocked when the channel is closed.
		d, done := makech[int](0), makech[int](1)
		var e, f any
		newproc(func() { e = panics(func() { send(d, 1) }); send(done, 1) })
		v := 5
		newproc(func() {
			f = panics(func() { sel(true, scase{d, unsafe.Pointer(&v), true}, scase{makech[int](0), nil, false}) })
			send(done, 1)
		})
		Gosched()
		closechan(d)
		recv[int](done)
		recv[int](done)
		equal(t, "blocked send", e, plainError("send on closed channel"))
		equal(t, "blocked select", f, plainError("send on closed channel"))
	})
}

func TestChanClosedReceive(t *testing.T) {
	must(t, func() {
		c := makech[int](3)
		send(c, 7)
		closechan(c)
		v, ok := recv2[int](c)
		equal(t, "buffered", []any{v, ok}, []any{7, true})
		v = 9
		ok = chanrecv2(c, unsafe.Pointer(&v))
		equal(t, "closed", []any{v, ok}, []any{0, false})

		d := makech[int](0)
		done := makech[int](0)
		newproc(func() {
			v := 9
			ok := chanrecv2(d, unsafe.Pointer(&v))
			equal(t, "blocked", []any{v, ok}, []any{0, false})
			send(done, 1)
		})
		Gosched()
		closechan(d)
		recv[int](done)
	})
}

func TestChanZeroSizeAndDropped(t *testing.T) {
	must(t, func() {
		c := makech[struct{}](4)
		for range 4 {
			send(c, struct{}{})
		}
		equal(t, "len", chanlen(c), 4)
		chanrecv1(c, nil)
		equal(t, "len", chanlen(c), 3)
		d := makech[[3]string](1)
		send(d, [3]string{"x", "y", "z"})
		equal(t, "value", recv[[3]string](d), [3]string{"x", "y", "z"})
		send(d, [3]string{"x", "y", "z"})
		chanrecv1(d, nil)
		equal(t, "cleared", *(*[3]string)(d.buf), [3]string{})
	})
}

func sel(block bool, cases ...scase) (int, bool) {
	if len(cases) == 0 {
		return selectgo(nil, 0, block)
	}
	return selectgo(&cases[0], len(cases), block)
}

func TestSelectReady(t *testing.T) {
	must(t, func() {
		a, b := makech[int](1), makech[int](1)
		v, w := 0, 4
		i, _ := sel(false, scase{a, unsafe.Pointer(&v), false}, scase{nil, nil, true})
		equal(t, "default", i, -1)
		i, _ = sel(false)
		equal(t, "default of nothing", i, -1)
		i, _ = sel(false, scase{a, unsafe.Pointer(&w), true})
		equal(t, "send", i, 0)
		i, ok := sel(true, scase{b, unsafe.Pointer(&v), false}, scase{nil, nil, false}, scase{a, unsafe.Pointer(&v), false})
		equal(t, "receive", []any{i, ok, v}, []any{2, true, 4})
		closechan(b)
		i, ok = sel(true, scase{b, unsafe.Pointer(&v), false}, scase{a, unsafe.Pointer(&v), false})
		equal(t, "closed", []any{i, ok, v}, []any{0, false, 0})
		equal(t, "draws", host.draws, 0)
	})
}

func TestSelectIsUniform(t *testing.T) {
	counts := [3]int{}
	must(t, func() {
		c := [3]*hchan{makech[int](0), makech[int](0), makech[int](0)}
		closechan(c[0])
		closechan(c[1])
		closechan(c[2])
		for range 3000 {
			i, _ := sel(true, scase{c[0], nil, false}, scase{c[1], nil, false}, scase{c[2], nil, false})
			counts[i]++
		}
	})
	for i, n := range counts {
		if n < 900 || n > 1100 {
			t.Errorf("case %d was chosen %d times of 3000", i, n)
		}
	}
}

// A goroutine in a select is served once, and its other cases leave their queues.
func TestSelectBlocked(t *testing.T) {
	must(t, func() {
		a, b, done := makech[int](0), makech[int](0), makech[int](2)
		for range 2 {
			newproc(func() {
				v := 0
				i, ok := sel(true, scase{a, unsafe.Pointer(&v), false}, scase{b, unsafe.Pointer(&v), false})
				if !ok {
					t.Error("not received")
				}
				send(done, i*100+v)
			})
		}
		Gosched()
		send(b, 1)
		// The first waiter is gone from a's queue too, before it ran.
		send(a, 2)
		equal(t, "queues", []bool{a.recvq.first == nil, b.recvq.first == nil}, []bool{true, true})
		x := 3
		i, _ := sel(false, scase{a, unsafe.Pointer(&x), true})
		equal(t, "nobody left", i, -1)
		equal(t, "first", recv[int](done), 101)
		equal(t, "second", recv[int](done), 2)
	})
}

func TestSelectSendBlocked(t *testing.T) {
	must(t, func() {
		a, b, done := makech[int](0), makech[int](0), makech[int](0)
		newproc(func() {
			v, w := 11, 22
			i, ok := sel(true, scase{a, unsafe.Pointer(&v), true}, scase{b, unsafe.Pointer(&w), true})
			equal(t, "case", []any{i, ok}, []any{1, false})
			send(done, 1)
		})
		Gosched()
		equal(t, "value", recv[int](b), 22)
		_, ok := tryrecv[int](a)
		equal(t, "other case", ok, false)
		recv[int](done)
	})
}

// Two selects of the same goroutines meet each other on every pair of cases.
func TestSelectBothWays(t *testing.T) {
	must(t, func() {
		a, b, done := makech[int](0), makech[int](0), makech[int](0)
		const n = 1000
		sent, received := 0, 0
		for range 2 {
			newproc(func() {
				for range n {
					v, w, x := 1, 1, 0
					i, _ := sel(true,
						scase{a, unsafe.Pointer(&v), true}, scase{b, unsafe.Pointer(&w), true},
						scase{a, unsafe.Pointer(&x), false}, scase{b, unsafe.Pointer(&x), false})
					if i < 2 {
						sent++
					} else {
						received += x
					}
				}
				send(done, 1)
			})
		}
		recv[int](done)
		recv[int](done)
		equal(t, "exchanges", []int{sent, received}, []int{n, n})
	})
}

func TestReflectSelect(t *testing.T) {
	must(t, func() {
		c := makech[int](1)
		v := 3
		cases := []runtimeSelect{
			{dir: selectDefault},
			{dir: selectSend, ch: c, val: unsafe.Pointer(&v)},
			{dir: selectRecv},
		}
		i, _ := reflect_rselect(cases)
		equal(t, "send", i, 1)
		i, _ = reflect_rselect(cases)
		equal(t, "default", i, 0)
		i, _ = reflect_rselect(cases[:1])
		equal(t, "only default", i, 0)
		w := 0
		i, ok := reflect_rselect([]runtimeSelect{{dir: selectRecv, ch: c, val: unsafe.Pointer(&w)}})
		equal(t, "receive", []any{i, ok, w}, []any{0, true, 3})
	})
}
