//go:build ignore && go1.27

// Generic types embedded in plain and in generic ones.
package main

import "fmt"

type Box[E any] struct{ e E }

func (b Box[E]) Zip[F any](f F) string { return fmt.Sprintf("%T%v %T%v", b.e, b.e, f, f) }

func (b *Box[E]) Swap[S ~*E](p S) { b.e, *p = *p, b.e }

type Plain struct{ Box[string] }

type Named[K comparable, V any] struct {
	key K
	*Box[V]
}

type Alias = Box[[]int]

type WithAlias struct{ Alias }

type Deep[T any] struct {
	Named[string, Plain]
	t T
}

func zip[K comparable, V any](n Named[K, V], k K) string { return n.Zip(k) }

func main() {
	p := Plain{Box[string]{"p"}}
	s := "q"
	p.Swap(&s)
	fmt.Println(p.Zip(1), s)
	n := Named[int8, float64]{1, &Box[float64]{2.5}}
	f := 3.5
	n.Swap(&f)
	fmt.Println(n.Zip("z"), f, zip(n, 7))
	fmt.Println(WithAlias{Alias{[]int{1}}}.Zip(Alias{}))
	d := Deep[uint]{Named[string, Plain]{"k", &Box[Plain]{p}}, 1}
	fmt.Println(d.Zip(d.t), d.e.Zip[bool](true))
	v := d.Zip[uint]
	fmt.Println(v(3), Deep[uint].Zip[string](d, "x"))
}

// Output:
// stringq int1 p
// float643.5 stringz 2.5 float643.5 int87
// []int[1] main.Box[[]int]{[]}
// main.Plain{{q}} uint1 stringq booltrue
// main.Plain{{q}} uint3 main.Plain{{q}} stringx
