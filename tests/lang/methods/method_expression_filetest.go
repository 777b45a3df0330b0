//go:build ignore && go1.27

// Method expressions take the receiver first.
package main

import "fmt"

type T struct{ n int }

func (t T) Val[P any](p P) string  { return fmt.Sprint("val ", t.n, p) }
func (t *T) Ptr[P any](p P) string { t.n++; return fmt.Sprint("ptr ", t.n, p) }

type G[E any] struct{ e E }

func (g *G[E]) Set[P any](e E, p P) (E, P) { g.e, e = e, g.e; return e, p }

type E struct{ *T }

func apply[R, P any](f func(R, P) string, r R, p P) string { return f(r, p) }

func main() {
	t := T{1}
	fmt.Println(T.Val[int](t, 1), (*T).Val[string](&t, "x"), (*T).Ptr[bool](&t, true), (*T).Ptr(&t, 2.5))
	fmt.Println(apply(T.Val[uint8], t, 3), apply((*T).Ptr[rune], &t, 'x'), apply(T.Val, t, "inferred"))
	var f func(*T, []int) string = (*T).Ptr
	fmt.Println(f(&t, []int{1}))
	fmt.Printf("%T %T %T\n", T.Val[int], (*T).Val[int], (*G[string]).Set[error])
	g := G[string]{"old"}
	fmt.Println((*G[string]).Set[int](&g, "new", 1))
	fmt.Println(g, E.Val[int](E{&t}, 1), (*E).Ptr[int](&E{&t}, 2), E.Ptr[int](E{&t}, 3))
	fmt.Println(struct{ T }.Val[int](struct{ T }{t}, 4))
}

// Output:
// val 1 1 val 1x ptr 2 true ptr 3 2.5
// val 3 3 ptr 4 120 val 4inferred
// ptr 5 [1]
// func(main.T, int) string func(*main.T, int) string func(*main.G[string], string, error) (string, error)
// old 1
// {new} val 5 1 ptr 6 2 ptr 7 3
// val 7 4
