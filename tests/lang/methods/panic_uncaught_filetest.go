//go:build ignore && go1.27

// A panic that nobody recovers names the instances as native Go does.
package main

type Key string

type T struct{ n int }

func (t *T) Fail[P any](p P) int {
	if t == nil {
		panic(p)
	}
	return t.n
}

type G[E any] struct{ t *T }

func (g G[E]) Run[P any](p P) { defer g.after(p); g.t.Fail(p) }

func (g G[E]) after[P any](p P) { func() { println("after") }() }

func main() {
	G[int]{}.Run(Key("key"))
}

// Stacktrace:
// goroutine 1 [running]:
// main.(*T).Fail[...](...)
// 	panic_uncaught_filetest.go:12
// main.G[...].Run[...](...)
// 	panic_uncaught_filetest.go:19
// main.main()
// 	panic_uncaught_filetest.go:24

// Stderr:
// after

// Error:
// panic: main.Key("key")
