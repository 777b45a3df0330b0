//go:build ignore && go1.27

// A method that needs an instance of itself for each instance would need infinitely many.
package main

type T struct{}

func (t T) M[P any](n int, p P) {
	if n > 0 {
		t.M(n-1, []P{p})
	}
}

type G[E any] struct{}

func (g G[E]) Deeper[P any](n int) {
	if n > 0 {
		G[*E]{}.Deeper[P](n - 1)
	}
}

func main() {
	T{}.M(3, 1)
	G[int]{}.Deeper[int](3)
}

// CompileError:
// instantiation_cycle_filetest.go:8:14: instantiation cycle:
// 	instantiation_cycle_filetest.go:10:3: P instantiated as []P
