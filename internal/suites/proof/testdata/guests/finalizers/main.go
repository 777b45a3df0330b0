// Command finalizers observes collections: finalizers, cleanups, weak pointers,
// pools and the collector's figures.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unique"
	"weak"
)

type block struct {
	id   int
	data [50]int
	next *block
}

var kept []*block

func main() {
	var mu sync.Mutex
	var order []int
	var refs []weak.Pointer[block]
	for i := range 40 {
		b := &block{id: i}
		switch i % 4 {
		case 0:
			runtime.SetFinalizer(b, func(b *block) {
				mu.Lock()
				order = append(order, b.id)
				mu.Unlock()
			})
		case 1:
			runtime.AddCleanup(b, func(id int) {
				mu.Lock()
				order = append(order, id)
				mu.Unlock()
			}, i)
		case 2:
			refs = append(refs, weak.Make(b))
		}
		if i%5 == 0 {
			kept = append(kept, b)
		}
	}
	pool := sync.Pool{New: func() any { return "new" }}
	pool.Put("old")
	for round := range 3 {
		runtime.GC()
		runtime.Gosched()
		alive := 0
		for _, r := range refs {
			if r.Value() != nil {
				alive++
			}
		}
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		mu.Lock()
		fmt.Println(round, alive, order, m.Mallocs, m.Frees, m.HeapAlloc, m.TotalAlloc, m.NumGC, pool.Get())
		mu.Unlock()
	}
	var head *block
	for i := range 20000 {
		head = &block{id: i, next: head}
		if i%100 == 0 {
			head = nil
		}
	}
	h := unique.Make("unique" + fmt.Sprint(len(kept)))
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Println(m.NumGC > 3, m.Mallocs, m.HeapObjects, m.NextGC, h.Value())
	fmt.Printf("%p %p\n", head, kept[0])
}
