//go:build ignore

package main

type I interface{ M() }

type T struct{}

func (*T) M() { println("M on nil") }

func main() {
	var p *T
	f := p.M
	f()
	var i I
	defer func() { println("recovered:", recover() != nil) }()
	g := i.M
	g()
}

// Stderr:
// M on nil
// recovered: true
