//go:build go1.27

// A method hides those of its name below it: what is hidden is in no method set.
package main

import "fmt"

type Base struct{}

func (Base) String() string { return "base" }
func (Base) Get() int       { return 1 }

type Outer struct{ Base }

func (Outer) Get[P any](p P) P { return p }

type Again struct{ Outer }

func (Again) Get() int { return 3 }

type Hides struct{ Base }

func (Hides) String[P any]() string { return "generic" }

type getter interface{ Get() int }

func main() {
	var o Outer
	fmt.Println(o.Get("x"), o.Base.Get(), Again{}.Get(), Again{}.Outer.Get(2.5))
	for _, x := range []any{Base{}, o, &o, Again{}, Hides{}, struct{ Hides }{}} {
		_, get := x.(getter)
		_, str := x.(fmt.Stringer)
		fmt.Printf("%T %v %v %v\n", x, get, str, x)
	}
}

// Output:
// x 1 3 2.5
// main.Base true true base
// main.Outer false true base
// *main.Outer false true base
// main.Again true true base
// main.Hides true false {base}
// struct { main.Hides } true false {{base}}
