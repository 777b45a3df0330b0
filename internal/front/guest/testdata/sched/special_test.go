package runtime

import (
	"testing"
	"unsafe"
)

type thing struct{ a, b int }

func TestFinalizer(t *testing.T) {
	var got []*thing
	must(t, func() {
		x, y := object[thing](), object[thing]()
		final := func(p *thing) { got = append(got, p) }
		SetFinalizer(x, final)
		SetFinalizer(y, final)
		SetFinalizer(y, nil)
		SetFinalizer(new(thing), final) // not of the heap
		equal(t, "registered", []int{len(host.registers), specials.n}, []int{1, 1})
		die(x)
		die(y)
		collect()
		equal(t, "others", gyr_others, uint32(1))
		Gosched()
		equal(t, "finalized", got, []*thing{x})
		equal(t, "goroutines", NumGoroutine(), 1)
		equal(t, "finalizer's", allgs[len(allgs)-1].id, uint64(goidFinalizer))
		// Once more: the association is gone.
		SetFinalizer(x, final)
		die(x)
		collect()
		Gosched()
		equal(t, "finalized", got, []*thing{x, x})
		equal(t, "left", []int{len(host.registers), specials.n}, []int{0, 0})
	})
	_, text := program(func() {
		x := object[thing]()
		SetFinalizer(x, func(*thing) {})
		SetFinalizer(x, func(*thing) {})
	})
	equal(t, "twice", text, "throw: runtime.SetFinalizer: finalizer already set")
	_, text = program(func() { SetFinalizer(object[thing](), func(*int) {}) })
	equal(t, "type", text, "throw: runtime.SetFinalizer: cannot pass type to finalizer type")
}

// A finalizer that blocks holds up other finalizers, not cleanups.
func TestFinalizerBlocks(t *testing.T) {
	var got []int
	must(t, func() {
		c := makech[int](0)
		x, y := object[thing](), object[thing]()
		SetFinalizer(x, func(*thing) { recv[int](c); got = append(got, 1) })
		SetFinalizer(y, func(*thing) { got = append(got, 2) })
		z := object[thing]()
		AddCleanup(z, func(i int) { got = append(got, i) }, 3)
		die(x)
		die(y)
		die(z)
		collect()
		Gosched()
		Gosched()
		equal(t, "meanwhile", got, []int{3})
		send(c, 0)
		Gosched()
		equal(t, "then", got, []int{3, 1, 2})
	})
}

func TestCleanup(t *testing.T) {
	var got []string
	must(t, func() {
		x := object[thing]()
		run := func(s string) { got = append(got, s) }
		AddCleanup(x, run, "a")
		b := AddCleanup(x, run, "b")
		AddCleanup(x, run, "c")
		b.Stop()
		b.Stop()
		Cleanup{}.Stop()
		SetFinalizer(x, func(*thing) { got = append(got, "final") })
		die(x)
		collect()
		Gosched()
		equal(t, "finalizer first", got, []string{"final"})
		die(x)
		collect()
		Gosched()
		equal(t, "cleanups", got, []string{"final", "a", "c"})
		b.Stop()

		equal(t, "nil", panics(func() { AddCleanup((*thing)(nil), run, "") }), any("runtime.AddCleanup: ptr is nil"))
		y := object[thing]()
		equal(t, "arg", panics(func() { AddCleanup(y, func(*thing) {}, y) }), any("runtime.AddCleanup: ptr is equal to arg, cleanup will never run"))
		equal(t, "inside", panics(func() { AddCleanup(y, func(*int) {}, &y.b) }), any("runtime.AddCleanup: ptr is within arg, cleanup will never run"))
		if !unique_runtime_blockUntilEmptyCleanupQueue(1e9) {
			t.Error("the queue is not empty")
		}
	})
}

func TestWeak(t *testing.T) {
	must(t, func() {
		x := object[thing]()
		p := unsafe.Pointer(x)
		h := weak_registerWeakPointer(p)
		equal(t, "same handle", weak_registerWeakPointer(p), h)
		equal(t, "strong", weak_makeStrongFromWeak(h), p)
		// An object that is resurrected by its finalizer is gone for weak pointers.
		SetFinalizer(x, func(*thing) {})
		die(x)
		collect()
		equal(t, "dead", weak_makeStrongFromWeak(h), unsafe.Pointer(nil))
		Gosched()
		// The address serves again: a new handle.
		host.objects[p] = 16
		h2 := weak_registerWeakPointer(p)
		if h2 == h {
			t.Error("the handle of a dead object was reused")
		}
		// Globals never die.
		var global thing
		g := weak_registerWeakPointer(unsafe.Pointer(&global))
		equal(t, "global", weak_makeStrongFromWeak(g), unsafe.Pointer(&global))
		equal(t, "global's handle", weak_registerWeakPointer(unsafe.Pointer(&global)), g)
		equal(t, "nil", weak_makeStrongFromWeak(nil), unsafe.Pointer(nil))
	})
}

func TestManySpecials(t *testing.T) {
	must(t, func() {
		n := 0
		var all []*thing
		for round := range 3 {
			all = all[:0]
			for range 1000 {
				x := object[thing]()
				weak_registerWeakPointer(unsafe.Pointer(x))
				AddCleanup(x, func(int) { n++ }, 0)
				all = append(all, x)
			}
			for _, x := range all {
				die(x)
			}
			collect()
			Gosched()
			equal(t, "cleaned", n, 1000*(round+1))
		}
		equal(t, "left", specials.n, 0)
		equal(t, "numbers", len(specials.byid), 2001)
	})
}

func TestFinalizerGoexit(t *testing.T) {
	must(t, func() {
		n := 0
		for range 3 {
			x := object[thing]()
			SetFinalizer(x, func(*thing) { n++; goexit0() })
			die(x)
			collect()
			Gosched()
			newproc(func() { timeSleep(1) }) // may take the record of the goroutine that ended
			timeSleep(5)
		}
		equal(t, "finalized", n, 3)
		for range 3 {
			x := object[thing]()
			SetFinalizer(x, func(*thing) { n++; goexit0() })
			die(x)
		}
		collect()
		timeSleep(5)
		equal(t, "finalized", n, 6)
	})
}
