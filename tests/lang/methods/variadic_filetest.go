//go:build ignore && go1.27

// Variadic parameters whose type is the method's, the receiver's, or made of both.
package main

import "fmt"

type T struct{}

func (T) All[P any](ps ...P) string { return fmt.Sprintf("%T%v %v", ps, ps, ps == nil) }

func (T) Mixed[A, B any](a A, bs ...map[string]B) string {
	return fmt.Sprintf("%T %T %d", a, bs, len(bs))
}

type G[E any] struct{}

func (G[E]) Fns[R any](e E, fs ...func(E) R) (r []R) {
	for _, f := range fs {
		r = append(r, f(e))
	}
	return
}

func (G[E]) Own[R any](r R, es ...E) string { return fmt.Sprintf("%T %v", es, append(es, es...)) }

func two() (int, int) { return 1, 2 }

func main() {
	var t T
	fmt.Println(t.All[int](), t.All(1, 2), t.All([]string{"a"}...), t.All(two()), t.All[any](1, "x", nil))
	fmt.Println(t.Mixed[int, bool](1), t.Mixed("x", map[string]int{}, nil), t.All(1, 2.5))
	g := G[int]{}
	fmt.Println(g.Fns(3, func(i int) string { return fmt.Sprint(i) }, func(i int) string { return "!" }))
	fmt.Println(g.Fns[bool](1), g.Own("r"), g.Own('r', 1, 2), g.Own(1.5, []int{7}...))
	f := t.All[byte]
	fmt.Println(f(), f('a', 'b'), f([]byte("xy")...))
	h := G[string].Own[int]
	fmt.Printf("%T %s\n", h, h(g2, 1, "a"))
	defer fmt.Println("end")
	defer func(s ...string) { fmt.Println(s) }(t.All(1), t.All(""))
}

var g2 G[string]

// Output:
// []int[] true []int[1 2] false []string[a] false []int[1 2] false []interface {}[1 x <nil>] false
// int []map[string]bool 0 string []map[string]int 2 []float64[1 2.5] false
// [3 !]
// [] []int [] []int [1 2 1 2] []int [7 7]
// []uint8[] true []uint8[97 98] false []uint8[120 121] false
// func(main.G[string], int, ...string) string []string [a a]
// [[]int[1] false []string[] false]
// end
