// What a local keeps alive: each line says at which of its collections an object
// was still there. Native Go prints the same.
package main

import (
	"runtime"
	"weak"
)

type object [4]*int

type holder struct {
	p    *object
	rest [6]*object // too big to stand in scalars
}

// A watch notes at which collections the object was alive.
type watch struct {
	w    weak.Pointer[object]
	seen string
}

func watched(w *watch) *object {
	p := new(object)
	w.w = weak.Make(p)
	return p
}

//go:noinline
func (w *watch) collect() {
	runtime.GC()
	if w.w.Value() != nil {
		w.seen += "+"
	} else {
		w.seen += "-"
	}
}

func (w *watch) report(name string) { println(name, w.seen) }

var (
	null holder
	yes  = true
)

//go:noinline
func use(p *holder) bool { return p.p != nil }

//go:noinline
func useSlice(p []*object) bool { return len(p) > 0 && p[0] != nil }

//go:noinline
func hold(p *holder) *holder { return p }

// A local lives up to its last use.
//
//go:noinline
func last(w *watch) {
	var h holder
	h.p = watched(w)
	w.collect()
	use(&h)
	w.collect()
}

// The callee's parameter decides what the callee keeps.
//
//go:noinline
func passed(w *watch) {
	var h holder
	h.p = watched(w)
	w.collect()
	callee(&h, w)
	w.collect()
}

//go:noinline
func callee(h *holder, w *watch) {
	w.collect()
	if !use(h) {
		panic("gone")
	}
	w.collect()
}

// A pointer that may lead to a local keeps it alive only if it does.
//
//go:noinline
func chosen(w *watch, b bool) {
	var h holder
	h.p = watched(w)
	p := &null
	if b {
		p = &h
	}
	use(p)
	w.collect()
	use(p)
	w.collect()
}

// A local is reached through another one.
//
//go:noinline
func linked(w *watch) {
	var h holder
	h.p = watched(w)
	var links [2]*holder
	links[0] = &h
	useLinks(&links)
	w.collect()
	useLinks(&links)
	w.collect()
}

//go:noinline
func useLinks(l *[2]*holder) bool { return l[0].p != nil }

// So does what a function returned.
//
//go:noinline
func returned(w *watch) {
	var h holder
	h.p = watched(w)
	p := hold(&h)
	w.collect()
	use(p)
	w.collect()
}

// What is overwritten before it is looked at is not kept.
//
//go:noinline
func overwritten(w *watch) {
	var h holder
	h.p = watched(w)
	use(&h)
	w.collect()
	h = holder{rest: h.rest}
	use(&h)
	w.collect()
}

// A variable of a loop's body dies with the turn.
//
//go:noinline
func turns(w *watch) {
	for i := range 3 {
		w.collect()
		var h holder
		if i == 0 {
			h.p = watched(w)
		}
		use(&h)
	}
}

//go:noinline
func sliced(w *watch) {
	var a [8]*object
	a[0] = watched(w)
	s := a[:]
	useSlice(s)
	w.collect()
	useSlice(s[1:])
	w.collect()
}

//go:noinline
func closure(w *watch) {
	var h holder
	h.p = watched(w)
	f := func() bool { return use(&h) }
	w.collect()
	if !f() {
		panic("gone")
	}
	w.collect()
}

// Results live wherever a panic may lead to the recovery.
//
//go:noinline
func recovered(w *watch) (h holder) {
	defer func() {
		recover()
		w.collect()
	}()
	h.p = watched(w)
	w.collect()
	var nothing *holder
	nothing.p = nil
	return holder{}
}

//go:noinline
func parameter(w *watch, p *object) {
	p[0] = nil
	w.collect()
	p[1] = nil
	w.collect()
}

//go:noinline
func parameters(w *watch) { parameter(w, watched(w)) }

// Values that goroutines wait to send stand in their locals.
//
//go:noinline
func sent(w *watch) {
	c := make(chan holder)
	go func() {
		var h holder
		h.p = watched(w)
		c <- h
	}()
	for range 3 {
		runtime.Gosched()
	}
	w.collect()
	h := <-c
	w.collect()
	use(&h)
	w.collect()
}

// Deep chains of locals, each leading to the one before.
type link struct {
	next *link
	p    *object
	rest [6]*object
}

//go:noinline
func chain(w *watch, n int, l *link) {
	var k link
	k.next = l
	if n > 0 {
		chain(w, n-1, &k)
		return
	}
	w.collect()
	for x := &k; x != nil; x = x.next {
		if x.next == nil && x.p == nil {
			panic("gone")
		}
	}
	w.collect()
}

//go:noinline
func chains(w *watch) {
	var l link
	l.p = watched(w)
	chain(w, 300, &l)
}

func main() {
	var ws [16]watch
	last(&ws[0])
	ws[0].report("last")
	passed(&ws[1])
	ws[1].report("passed")
	chosen(&ws[2], yes)
	ws[2].report("chosen")
	chosen(&ws[3], !yes)
	ws[3].report("not chosen")
	linked(&ws[4])
	ws[4].report("linked")
	returned(&ws[5])
	ws[5].report("returned")
	overwritten(&ws[6])
	ws[6].report("overwritten")
	turns(&ws[7])
	ws[7].report("turns")
	sliced(&ws[8])
	ws[8].report("sliced")
	closure(&ws[9])
	ws[9].report("closure")
	h := recovered(&ws[10])
	ws[10].collect()
	use(&h)
	ws[10].collect()
	ws[10].report("recovered")
	parameters(&ws[11])
	ws[11].report("parameter")
	sent(&ws[12])
	ws[12].report("sent")
	chains(&ws[13])
	ws[13].report("chain")
}
