//go:build ignore

package main

type I interface{ M() }
type J interface {
	I
	N()
}
type T struct{}

func (T) M() {}

func try(f func()) {
	defer func() { println(recover().(error).Error()) }()
	f()
}

func main() {
	var x any = 5
	var n any
	var i I = T{}
	try(func() { _ = x.(string) })
	try(func() { _ = n.(int) })
	try(func() { _ = x.(I) })
	try(func() { _ = n.(I) })
	try(func() { _ = i.(J) })
	try(func() { _ = any(&x).(*int) })
	try(func() { _ = any(struct{ a int }{}).(T) })
}

// Stderr:
// interface conversion: interface {} is int, not string
// interface conversion: interface {} is nil, not int
// interface conversion: int is not main.I: missing method M
// interface conversion: interface is nil, not main.I
// interface conversion: main.T is not main.J: missing method N
// interface conversion: interface {} is *interface {}, not *int
// interface conversion: interface {} is struct { a int }, not main.T
