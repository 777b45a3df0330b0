//go:build ignore && go1.27

// A generic method that hides an ordinary one keeps the type from the interface.
package main

import "fmt"

type Base struct{}

func (Base) Get() int       { return 1 }
func (Base) String() string { return "" }

type Outer struct{ Base }

func (Outer) Get[P any](p P) P { return p }

type Again struct {
	*Outer
	Base2
}

type Base2 struct{}

func (Base2) Get() int { return 2 }

type getter interface{ Get() int }

func need[G getter](G) {}

func main() {
	var _ getter = Base{}
	var _ getter = Outer{}
	var _ getter = &Outer{}
	var _ fmt.Stringer = Outer{}
	var _ getter = Again{}
	need(Outer{})
	_ = getter(struct{ Outer }{})
	var o Outer
	var _ int = o.Get()
}

// CompileError:
// hides_from_interface_filetest.go:32:17: cannot use Outer{} (value of struct type Outer) as getter value in variable declaration: Outer does not implement getter (wrong type for method Get)
// 		have Get[P any](P) P
// 		want Get() int
// hides_from_interface_filetest.go:33:17: cannot use &Outer{} (value of type *Outer) as getter value in variable declaration: *Outer does not implement getter (wrong type for method Get)
// 		have Get[P any](P) P
// 		want Get() int
// hides_from_interface_filetest.go:35:17: cannot use Again{} (value of struct type Again) as getter value in variable declaration: Again does not implement getter (ambiguous selector Again.Get)
// hides_from_interface_filetest.go:36:2: in call to need, G (type Outer) does not satisfy getter (wrong type for method Get)
// 		have Get[P any](P) P
// 		want Get() int
// hides_from_interface_filetest.go:37:13: cannot convert struct{Outer}{} (value of type struct{Outer}) to type getter: struct{Outer} does not implement getter (wrong type for method Get)
// 		have Get[P any](P) P
// 		want Get() int
// hides_from_interface_filetest.go:39:20: not enough arguments in call to o.Get
// 	have ()
// 	want (P)
