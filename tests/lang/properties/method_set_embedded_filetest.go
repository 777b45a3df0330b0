//go:build ignore

package main

type T struct{}

func (T) V()  {}
func (*T) P() {}

type S1 struct{ T }
type S2 struct{ *T }

type VP interface {
	V()
	P()
}

func has(x any) bool { _, ok := x.(VP); return ok }

func main() { println(has(S1{}), has(&S1{}), has(S2{&T{}}), has(&S2{&T{}})) }

// Stderr:
// false true true true
