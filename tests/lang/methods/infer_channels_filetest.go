//go:build ignore && go1.27

// Inference through channel directions, and other composite types.
package main

import "fmt"

type T struct{}

func (T) Recv[E any](c <-chan E) E                              { return <-c }
func (T) Send[E any](c chan<- E, e E)                           { c <- e }
func (T) Pipe[A, B any](in <-chan A, out chan<- B, f func(A) B) { out <- f(<-in) }
func (T) Named[C ~chan E, E any](c C) string                    { return fmt.Sprintf("%T %T", c, *new(E)) }
func (T) Map[K comparable, V any](m map[K][]V, k K) (V, error) {
	if l := m[k]; len(l) > 0 {
		return l[0], nil
	}
	return *new(V), fmt.Errorf("no %v", k)
}
func (T) Arr[E any](a *[3]E, s struct{ X E }) E { a[0] = s.X; return a[0] }

type ints chan int

func main() {
	var t T
	c, d := make(chan int, 2), make(ints, 2)
	t.Send(c, 1)
	t.Send(d, 2)
	var ro <-chan int = c
	fmt.Println(t.Recv(ro), t.Recv(d), t.Named(d))
	out := make(chan string, 1)
	c <- 5
	t.Pipe(c, out, func(i int) string { return fmt.Sprint("got ", i) })
	fmt.Println(t.Recv(out))
	fmt.Println(t.Map(map[string][]bool{"a": {true}}, "a"))
	fmt.Println(t.Map(map[string][]bool{"a": {true}}, "b"))
	var a [3]string
	fmt.Println(t.Arr(&a, struct{ X string }{"x"}), a)
}

// Output:
// 1 2 main.ints int
// got 5
// true <nil>
// false no b
// x [x  ]
