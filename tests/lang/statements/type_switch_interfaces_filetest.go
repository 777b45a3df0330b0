//go:build ignore

package main

type A interface{ A() }
type B interface {
	A
	B()
}
type a struct{}
type b struct{ a }

func (a) A() {}
func (b) B() {}

func which(x any) string {
	switch x.(type) {
	case B:
		return "B"
	case A:
		return "A"
	}
	return "none"
}

func main() { println(which(a{}), which(b{}), which(&b{}), which(1), which(nil), which((*b)(nil))) }

// Gas: 2288

// Stderr:
// A B B none none B
