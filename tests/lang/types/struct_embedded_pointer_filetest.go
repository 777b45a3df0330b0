//go:build ignore

package main

type Base struct{ n int }

func (b *Base) Inc() { b.n++ }

type D struct {
	*Base
}

func main() {
	b := &Base{}
	d1, d2 := D{b}, D{b}
	d1.Inc()
	d2.Inc()
	println(b.n, d1.n, d1 == d2)
	var d D
	defer func() { println(recover() != nil) }()
	d.Inc()
}

// Stderr:
// 2 2 true
// true
