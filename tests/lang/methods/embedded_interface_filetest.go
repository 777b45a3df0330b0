//go:build ignore && go1.27

// Generic methods that call methods promoted from an embedded interface or type parameter's instance.
package main

import (
	"fmt"
	"strings"
)

type Shower interface{ Show() string }

type W[S Shower] struct {
	inner S
	Shower
}

func (w W[S]) Both[P any](p P) string { return fmt.Sprint(w.Show(), w.inner.Show(), p) }

func (w *W[S]) Through[O interface{ Show() string }](o O) string {
	var s Shower = o
	w.Shower = s
	return w.Shower.Show() + show(w) + show(*w)
}

func show[S Shower](s S) string { f := s.Show; return f() }

type A string

func (a A) Show() string { return "A" + string(a) }

type B struct{ A }

func (b *B) Set[P fmt.Stringer](p P) *B { b.A = A(p.String()); return b }

type builder struct{ *strings.Builder }

func (b builder) Put[P any](ps ...P) builder {
	for _, p := range ps {
		fmt.Fprint(b, p)
	}
	return b
}

func main() {
	w := W[A]{inner: "in", Shower: B{"b"}}
	fmt.Println(w.Both(1), w.Through(A("out")), w.Both("x"))
	b := builder{new(strings.Builder)}
	fmt.Println(b.Put(1, 2).Put("x").Put[error](nil).Len(), b.String())
	fmt.Println((&B{}).Set(b).Show(), W[*B]{inner: &B{"p"}, Shower: w}.Both(true))
}

// Output:
// AbAin1 AoutAoutAout AoutAinx
// 8 12x<nil>
// A12x<nil> AoutAptrue
