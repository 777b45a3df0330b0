package main

import (
	"fmt"
	"sync"
)

// Pools hold much more than the memory limit until a collection empties them.
type writer struct {
	buffers sync.Pool
	n       int
}

func (w *writer) write() {
	b, _ := w.buffers.Get().([]byte)
	if b == nil {
		b = make([]byte, 1<<20)
	}
	b[w.n%len(b)] = 1
	w.n += len(b)
	w.buffers.Put(b)
}

func main() {
	n := 0
	for range 600 {
		w := &writer{}
		for range 3 {
			w.write()
		}
		n += w.n
	}
	fmt.Println(n)
}
