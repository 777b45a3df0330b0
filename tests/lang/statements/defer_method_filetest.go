//go:build ignore

package main

type M struct{ n int }

func (m *M) Lock()   { m.n++; println("lock", m.n) }
func (m *M) Unlock() { println("unlock", m.n); m.n-- }
func (m M) Show()    { println("show", m.n) }

func main() {
	m := &M{}
	m.Lock()
	defer m.Unlock()
	defer m.Show() // the value now
	m.Lock()
}

// Stderr:
// lock 1
// lock 2
// show 1
// unlock 2
