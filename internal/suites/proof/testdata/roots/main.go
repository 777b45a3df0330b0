// Roots prints which objects live at which collections when only registers hold
// them, in shapes that the passes of phase B change: uses that they prove
// needless, loads that they replace, addresses that they compute earlier.
package main

import (
	"runtime"
	"weak"
)

type node struct {
	a, b int
	next *node
	pad  [5]int
}

type watch struct {
	name string
	p    []weak.Pointer[node]
}

func (w *watch) add(n *node) *node {
	w.p = append(w.p, weak.Make(n))
	return n
}

// look collects and prints who is left.
func (w *watch) look() {
	runtime.GC()
	s := ""
	for _, p := range w.p {
		if p.Value() != nil {
			s += "+"
		} else {
			s += "-"
		}
	}
	print(w.name, " ", s, "\n")
}

//go:noinline
func fresh(w *watch, a int) *node { return w.add(&node{a: a}) }

//go:noinline
func sum(n *node) int {
	if n == nil {
		return 0
	}
	return n.a + n.b
}

var sink int
var list []*node

func comparedWithNil(w *watch) {
	p := fresh(w, 1)
	p.a = 2
	w.look()
	if p == nil { // decided: p was dereferenced
		sink++
	}
	w.look()
}

// The numbers would find room where p was.
func comparedAmongNumbers(w *watch, a int) {
	p := fresh(w, 1)
	p.a = 2
	x, y, z := a*3, a*5, a*7
	w.look()
	if p == nil { // decided
		sink++
	}
	x, y, z = x*y, y*z, z*x
	w.look()
	sink += x + y + z
}

func loadedAgain(w *watch) {
	p := fresh(w, 1)
	p.next = fresh(w, 2)
	x := p.next.a
	w.look()
	y := p.next.a
	w.look()
	sink += x + y
}

func overwritten(w *watch) {
	p := fresh(w, 1)
	p.next = fresh(w, 2)
	q := p.next
	w.look()
	p.next = nil
	w.look()
	sink += q.a
	w.look()
}

func storedBack(w *watch) {
	p := fresh(w, 1)
	q := fresh(w, 2)
	p.next = q
	w.look()
	p.next = q // there already
	w.look()
	sink += sum(p)
}

func interior(w *watch) {
	p := fresh(w, 1)
	e := &p.pad[2]
	w.look()
	*e = 3
	w.look()
}

func elements(w *watch, n int) {
	s := make([]*node, n)
	for i := range s {
		s[i] = fresh(w, i)
	}
	t := 0
	for i, p := range s {
		if i&1 == 0 {
			t += p.a
		}
		s[i] = nil
		w.look()
	}
	sink += t
}

func invariant(w *watch, n int) {
	p := fresh(w, 1)
	p.next = fresh(w, 2)
	for i := 0; i < n; i++ {
		sink += p.next.a // may leave the loop
		w.look()
	}
	w.look()
}

func replacedInLoop(w *watch, n int) {
	p := fresh(w, 0)
	for i := 1; i < n; i++ {
		q := fresh(w, i)
		q.next = p
		w.look()
		p = q
		p.next = nil
	}
	w.look()
	sink += p.a
}

func chosen(w *watch, c bool) {
	p, q := fresh(w, 1), fresh(w, 2)
	r := p
	if c {
		r = q
	}
	w.look()
	sink += r.a
	if c {
		r = p
	}
	w.look()
	sink += r.a
	w.look()
}

func sameBranch(w *watch, c bool) {
	p := fresh(w, 1)
	if c {
		w.look()
	}
	if c { // decided on both ways
		sink += p.a
	}
	w.look()
}

func unusedLength(w *watch) {
	s := []*node{fresh(w, 1), fresh(w, 2), fresh(w, 3)}
	w.look()
	if len(s) != 3 {
		sink += s[0].a
	}
	w.look()
}

func throughInterface(w *watch) {
	var x any = fresh(w, 1)
	w.look()
	if n, ok := x.(*node); ok {
		sink += n.a
	}
	w.look()
	_, ok := x.(*node)
	if !ok {
		sink++
	}
	w.look()
}

func closed(w *watch) {
	p := fresh(w, 1)
	f := func() int { return p.a }
	w.look()
	sink += f()
	w.look()
}

func parameter(w *watch, p *node) {
	sink += p.a
	w.look()
	if p == nil {
		return
	}
	w.look()
}

func parameterDead(w *watch, p *node) {
	w.look()
}

func results(w *watch) (*node, *node) { return fresh(w, 1), fresh(w, 2) }

func oneResult(w *watch) {
	p, q := results(w)
	_ = q
	w.look()
	sink += p.a
	w.look()
}

func recovered(w *watch) {
	p := fresh(w, 1)
	q := fresh(w, 2)
	defer func() {
		recover()
		w.look()
	}()
	sink += p.a
	w.look()
	var none *node
	sink += none.a + q.a
}

func switches(w *watch, k int) {
	p, q := fresh(w, 1), fresh(w, 2)
	switch {
	case k == 1:
		w.look()
		sink += p.a
	case k == 2:
		w.look()
		sink += q.a
	case k == 1: // never
		sink += p.a + q.a
	}
	w.look()
}

func goroutines(w *watch) {
	c := make(chan *node)
	done := make(chan bool)
	p := fresh(w, 1)
	go func() {
		q := <-c
		w.look()
		sink += q.a
		done <- true
	}()
	c <- p
	<-done
	w.look()
}

func main() {
	for _, t := range []struct {
		name string
		run  func(*watch)
	}{
		{"compared with nil", comparedWithNil},
		{"compared among numbers", func(w *watch) { comparedAmongNumbers(w, sink+3) }},
		{"loaded again", loadedAgain},
		{"overwritten", overwritten},
		{"stored back", storedBack},
		{"interior", interior},
		{"elements", func(w *watch) { elements(w, 4) }},
		{"invariant", func(w *watch) { invariant(w, 2) }},
		{"replaced in loop", func(w *watch) { replacedInLoop(w, 4) }},
		{"chosen", func(w *watch) { chosen(w, true) }},
		{"not chosen", func(w *watch) { chosen(w, false) }},
		{"same branch", func(w *watch) { sameBranch(w, true) }},
		{"other branch", func(w *watch) { sameBranch(w, false) }},
		{"unused length", unusedLength},
		{"interface", throughInterface},
		{"closure", closed},
		{"parameter", func(w *watch) { parameter(w, fresh(w, 1)) }},
		{"dead parameter", func(w *watch) { parameterDead(w, fresh(w, 1)) }},
		{"one result", oneResult},
		{"recovered", recovered},
		{"switch 1", func(w *watch) { switches(w, 1) }},
		{"switch 2", func(w *watch) { switches(w, 2) }},
		{"goroutine", goroutines},
	} {
		w := &watch{name: t.name}
		t.run(w)
		w.look()
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	print("heap ", m.HeapAlloc, " objects ", m.HeapObjects, " mallocs ", m.Mallocs, "\n")
}
