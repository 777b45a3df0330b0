//go:build ignore && go1.27

// Nil receivers: a value method needs what the pointer points to, a pointer method does not.
package main

import "fmt"

type T struct{ n int }

func (t T) Val[P any](p P) string  { return fmt.Sprint(t.n, p) }
func (t *T) Ptr[P any](p P) string { return fmt.Sprint(t == nil, p) }

type E struct {
	pad [3]int
	*T
}

func try(what string, f func()) {
	defer func() { fmt.Println(what, recover()) }()
	f()
}

func main() {
	var p *T
	var e E
	var pe *E
	fmt.Println(p.Ptr(1), e.Ptr("e"), (*T).Ptr[int](nil, 2))
	try("call", func() { p.Val(1) })
	try("value", func() { _ = p.Val[int] })
	try("embedded", func() { e.Val(1) })
	try("embedded value", func() { _ = e.Val[int] })
	try("embedded in nil", func() { pe.Ptr(1) })
	try("value embedded in nil", func() { _ = pe.Ptr[string] })
	f := p.Ptr[bool]
	fmt.Println(f(true))
	g := E.Ptr[bool]
	fmt.Println(g(e, false))
}

// Output:
// true 1 truee true 2
// call runtime error: invalid memory address or nil pointer dereference
// value runtime error: invalid memory address or nil pointer dereference
// embedded runtime error: invalid memory address or nil pointer dereference
// embedded value runtime error: invalid memory address or nil pointer dereference
// embedded in nil runtime error: invalid memory address or nil pointer dereference
// value embedded in nil runtime error: invalid memory address or nil pointer dereference
// true true
// true false
