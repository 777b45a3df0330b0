//go:build ignore && go1.27

// Deferred calls and goroutines of instantiated methods evaluate receiver and arguments at once.
package main

import (
	"fmt"
	"sync"
)

type T struct{ name string }

func (t T) Say[P any](p P) { fmt.Println(t.name, p) }

func (t *T) Done[P any](wg *sync.WaitGroup, out chan<- string, p P) {
	defer wg.Done()
	out <- fmt.Sprintf("%s %T", t.name, p)
}

type W[E any] struct {
	sync.Mutex
	list []E
}

func (w *W[E]) Locked[R any](f func([]E) R) R {
	w.Lock()
	defer w.Unlock()
	defer w.note(f)
	return f(w.list)
}

func (w *W[E]) note[R any](f func([]E) R) { fmt.Printf("%T\n", f) }

func main() {
	t := T{"first"}
	defer t.Say("deferred")
	defer T.Say[int](t, 1)
	f := t.Say[float64]
	defer f(2.5)
	t.name = "second"
	defer t.Say[any](nil)
	var wg sync.WaitGroup
	out := make(chan string, 3)
	wg.Add(3)
	go t.Done(&wg, out, 1)
	go (*T).Done[string](&t, &wg, out, "")
	g := t.Done[[]T]
	go g(&wg, out, nil)
	wg.Wait()
	close(out)
	seen := map[string]bool{}
	for s := range out {
		seen[s] = true
	}
	fmt.Println(seen)
	w := W[int]{list: []int{1, 2}}
	fmt.Println(w.Locked(func(l []int) string { return fmt.Sprint(l) }), w.TryLock())
}

// Output:
// map[second []main.T:true second int:true second string:true]
// func([]int) string
// [1 2] true
// second <nil>
// first 2.5
// first 1
// first deferred
