//go:build ignore && go1.27

// Behind a constraint with one type, a conversion reaches its generic methods.
package main

import "fmt"

type T struct{ n int }

func (t T) M[P any](p P) string { return fmt.Sprintf("%T %d %v", t, t.n, p) }

type Named T

func f[X T | Named](x X) string { return T(x).M(1) }

func g[X interface{ *T }](x X) string { return (*T)(x).M("g") }

func h[E any, X interface{ ~[]E }](x X) string { return L[E](x).Join[int](len(x)) }

type L[E any] []E

func (l L[E]) Join[N ~int](n N) string { return fmt.Sprint(l, n) }

func main() {
	fmt.Println(f(T{1}), f(Named{2}), g(&T{3}), h([]string{"a", "b"}))
	var x any = T{4}
	if t, ok := x.(interface{ M(int) string }); ok {
		fmt.Println(t.M(0))
	}
	fmt.Println(x.(T).M[any](nil))
}

// Output:
// main.T 1 1 main.T 2 1 main.T 3 g [a b] 2
// main.T 4 <nil>
