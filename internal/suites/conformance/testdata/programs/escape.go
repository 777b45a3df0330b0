package main

import "fmt"

// What a function stores behind its result outlives the call when the caller
// keeps what it loads from that result.

type W struct{ p *int }
type X struct{ w *W }
type Y struct{ W }

//go:noinline
func wrap(p *int) *W { return &W{p} }

//go:noinline
func wrap2(p *int) *X { return &X{&W{p}} }

//go:noinline
func wrap3(w W) *Y { return &Y{w} }

//go:noinline
func wrap4(x *X) *W { return &W{x.w.p} }

//go:noinline
func wrap5(x *X) *Y { return &Y{*x.w} }

//go:noinline
func cyc(p *int) *N {
	n := &N{}
	n.next = &N{next: n, p: &W{p}}
	return n
}

type N struct {
	next *N
	p    *W
}

var g *int

//go:noinline
func clobber(n int) int {
	var a [64]int
	for i := range a {
		a[i] = n
	}
	s := 0
	for i := range a {
		s += a[i]
	}
	return s
}

//go:noinline
func f1() { x := 1; w := wrap(&x); g = w.p }

//go:noinline
func f2() { x := 2; w := wrap2(&x); g = w.w.p }

//go:noinline
func f3() *int { x := 3; w := wrap2(&x); return w.w.p }

//go:noinline
func f4() *W { x := 4; w := wrap2(&x); return w.w }

//go:noinline
func f5() *int { x := 5; w := wrap3(W{&x}); return w.p }

//go:noinline
func f6() *int { x := 6; w := wrap4(&X{&W{&x}}); return w.p }

//go:noinline
func f7() *int { x := 7; w := wrap5(&X{&W{&x}}); return w.p }

//go:noinline
func f8() *N { x := 8; w := cyc(&x); return w.next }

//go:noinline
func mk(p *int) func() *int { return func() *int { return p } }

//go:noinline
func f9() *int { x := 9; return mk(&x)() }

//go:noinline
func mk2(p *int) func() func() { return func() func() { return func() { g = p } } }

//go:noinline
func f10() { x := 10; mk2(&x)()() }

func main() {
	f1()
	clobber(100)
	fmt.Println(*g)
	f2()
	clobber(100)
	fmt.Println(*g)
	for _, f := range []func() *int{f3, f5, f6, f7, f9} {
		p := f()
		clobber(100)
		fmt.Println(*p)
	}
	w := f4()
	clobber(100)
	fmt.Println(*w.p)
	n := f8()
	clobber(100)
	fmt.Println(*n.p.p)
	f10()
	clobber(100)
	fmt.Println(*g)
}
