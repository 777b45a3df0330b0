//go:build ignore && go1.27

// A method hides those of its name below it, generic or not.
package main

import "fmt"

type Base struct{}

func (Base) Get() int           { return 1 }
func (Base) Make[P any]() (p P) { return p }

type Outer struct{ Base }

func (Outer) Get[P any](p P) P { return p }
func (Outer) Make() string     { return "made" }

type Again struct{ *Outer }

func (Again) Get() int         { return 3 }
func (Again) Make[P any]() []P { return make([]P, 2) }

type getter interface{ Get() int }
type maker interface{ Make() string }

func main() {
	o := Outer{}
	fmt.Println(o.Get("x"), o.Base.Get(), o.Make(), o.Base.Make[bool]())
	a := Again{&o}
	fmt.Println(a.Get(), a.Outer.Get(2.5), a.Base.Get(), a.Make[uint8](), a.Outer.Make(), a.Base.Make[uint8]())
	var x any = a
	fmt.Println(x.(getter).Get())
	x = o
	fmt.Println(x.(maker).Make())
	f, g := Again.Make[int], (*Outer).Make
	fmt.Println(f(a), g(&o))
}

// Output:
// x 1 made false
// 3 2.5 1 [0 0] made 0
// 3
// made
// [0 0] made
