//go:build ignore && go1.27

// Package variables wait for what the generic methods in their initialisers refer to.
package main

import "fmt"

var a = T{}.Make("a")

var f = T{}.Second[int]

var b = func() string { return f(1) + c }()

var c = T{}.Make[string]("c")

var table = map[string]func(int) string{"x": T{}.Second[int], "y": G[string]{"g"}.Fn[int]}

var prefix = trace("prefix")

var second = trace("second")

type T struct{}

func (T) Make[P any](p P) string { return prefix + fmt.Sprint(p) }

func (T) Second[P any](p P) string { return T{}.Make(p) + second }

type G[E any] struct{ e E }

var used = trace("used")

func (g G[E]) Fn[P any](p P) string { return fmt.Sprint(g.e, p, used) }

func trace(s string) string { fmt.Println("init", s); return s + " " }

func main() { fmt.Println(a, b, c, table["x"](2), table["y"](3)) }

// Output:
// init prefix
// init second
// init used
// \"prefix a prefix 1second prefix c prefix c prefix 2second  g3used "
