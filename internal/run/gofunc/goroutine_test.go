package gofunc

import (
	"iter"
	"sync"
	"testing"
)

// TestGoroutine: goroutines that live at the same time have different identities. Each keeps its
// own, whoever resumes it, and while its stack grows.
func TestGoroutine(t *testing.T) {
	const n = 50
	names := make([]uintptr, n)
	var here, end sync.WaitGroup
	here.Add(n)
	end.Add(n)
	for i := range n {
		go func() {
			defer end.Done()
			names[i] = Goroutine()
			here.Done()
			here.Wait()
			if again := goroutineBelow(1000); again != names[i] {
				t.Errorf("goroutine %d is %#x, and was %#x", i, again, names[i])
			}
		}()
	}
	end.Wait()
	seen := map[uintptr]bool{Goroutine(): true}
	for i, name := range names {
		if seen[name] {
			t.Errorf("goroutine %d has the name of another: %#x", i, name)
		}
		seen[name] = true
	}

	next, stop := iter.Pull(func(yield func(uintptr) bool) {
		for yield(Goroutine()) {
		}
	})
	defer stop()
	first, _ := next()
	second := make(chan uintptr)
	go func() {
		x, _ := next()
		second <- x
	}()
	if x := <-second; x != first || x == Goroutine() {
		t.Errorf("a coroutine is %#x, and was %#x; its caller is %#x", x, first, Goroutine())
	}
}

func goroutineBelow(n int) uintptr {
	var room [256]byte
	if n == 0 {
		return Goroutine() + uintptr(room[n])
	}
	return goroutineBelow(n-1) + uintptr(room[n%256])
}

func BenchmarkGoroutine(b *testing.B) {
	for b.Loop() {
		Goroutine()
	}
}
