//go:build ignore && go1.27

// Method values and expressions convert to function types, named or not.
package main

import "fmt"

type Handler[P any] func(P) string

func (h Handler[P]) Serve(p P) string { return "served " + h(p) }

type server[P any] interface{ Serve(P) string }

type T struct{ name string }

func (t T) Handle[P any](p P) string { return fmt.Sprint(t.name, " ", p) }

type Meth func(T, int) string

func (m Meth) Bound(t T) func(int) string { return func(i int) string { return m(t, i) } }

func serve[P any](s server[P], p P) string { return s.Serve(p) }

func main() {
	t := T{"t"}
	h := Handler[int](t.Handle[int])
	var k Handler[string] = t.Handle
	fmt.Println(h.Serve(1), k.Serve("x"), Handler[bool](t.Handle).Serve(true))
	fmt.Println(serve(server[int](h), 2), serve[string](Handler[string](t.Handle[string]), "s"))
	fmt.Println(Meth(T.Handle[int]).Bound(t)(3), Meth(T.Handle).Bound(T{"u"})(4))
	var x any = Handler[int](t.Handle)
	_, plain := x.(func(int) string)
	_, named := x.(Handler[int])
	fmt.Printf("%T %v %v\n", x, plain, named)
	f := (func(int) string)(h)
	fmt.Println(f(5))
	type local = func(T, []byte) string
	fmt.Println(local(T.Handle)(t, nil))
}

// Output:
// served t 1 served t x served t true
// served t 2 served t s
// t 3 u 4
// main.Handler[int] false true
// t 5
// t []
