// Methods through reflection only, and method expressions.
package main

import (
	"fmt"
	"reflect"
)

type inner struct{ x int }

func (i *inner) M() int     { return i.x }
func (i inner) N(a int) int { return i.x + a }

type outer struct {
	y int
	*inner
}

func (o *outer) O() int { return o.y }

type L[T any] struct{ v T }

func (l L[T]) Get() T         { return l.v }
func (l *L[T]) Set(v T) *L[T] { l.v = v; return l }

func main() {
	o := &outer{1, &inner{2}}
	t := reflect.TypeOf(o)
	for i := range t.NumMethod() {
		f := [...]any{(*outer).M, (*outer).N, (*outer).O}[i]
		fmt.Println(t.Method(i).Name, t.Method(i).Func.UnsafePointer() == reflect.ValueOf(f).UnsafePointer())
	}
	fmt.Println((*outer).M(o), (*outer).N(o, 1), (*outer).O(o), outer.M(*o), inner.N(inner{5}, 6), (*inner).N(&inner{7}, 8))
	get, set := L[string].Get, (*L[string]).Set
	l := &L[string]{"a"}
	fmt.Println(get(*l), get(*set(l, "b")))

	var x interface{ Dist(int) int } = point{3, 4}
	fmt.Println(reflect.ValueOf(&x).Elem().Method(0).Call([]reflect.Value{reflect.ValueOf(18)})[0])
	fmt.Println(fmt.Stringer.String(name("n")), reflect.TypeOf(fmt.Stringer.String))
}

type name string

func (n name) String() string { return string(n) }

type point struct{ x, y int }

func (p point) Dist(n int) int { return n * (p.x*p.x + p.y*p.y) }
