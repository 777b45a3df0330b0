//go:build ignore

package main

type Mutex struct{ locked bool }

func (m *Mutex) Lock() { m.locked = true }

type NewMutex Mutex

type PtrMutex *Mutex

type Printable struct{ Mutex }

func main() {
	var p Printable
	p.Lock()
	n := NewMutex(p.Mutex)
	var q PtrMutex = &p.Mutex
	println(p.locked, n.locked, q.locked)
	_, has := any(&n).(interface{ Lock() })
	println(has)
}

// Stderr:
// true true true
// false
