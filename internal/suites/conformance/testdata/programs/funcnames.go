// Names of functions: methods, promoted methods, method values and expressions.
package main

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
	"runtime"
)

type myType struct{ bytes.Buffer }

func (myType) valueMethod() {}
func (myType) ValueMethod() {}

func (*myType) pointerMethod() {}
func (*myType) PointerMethod() {}

type outer struct {
	*myType
	io.Reader
}
type G[T any] struct{ v T }

func (G[T]) Val()  {}
func (*G[T]) Ptr() {}

type named interface {
	io.ReadWriter
	Own()
}
type emb struct{ named }
type gi[T any] interface{ Get() T }

type fn func()

func (fn) M() {}

func name(f any) string { return runtime.FuncForPC(reflect.ValueOf(f).Pointer()).Name() }

func generic[T any]() {}

func try(f func() any) {
	defer func() {
		if r := recover(); r != nil {
			fmt.Println(r)
		}
	}()
	fmt.Println(name(f()))
}

func main() {
	var x myType
	p := &x
	var w io.ReadWriter = p
	var n named = emb{}
	var o outer
	o.myType = p
	o.Reader = p
	type local struct{ myType }
	var l local
	var g G[int]
	for _, f := range []any{
		main, func() {}, (myType).valueMethod, myType.ValueMethod, x.valueMethod, x.ValueMethod,
		(*myType).valueMethod, (*myType).ValueMethod, p.valueMethod, p.ValueMethod,
		(*myType).pointerMethod, (*myType).PointerMethod, p.pointerMethod, p.PointerMethod, x.PointerMethod,
		(*myType).Write, p.Write, x.Write, w.Write, w.Read, n.Read, io.ReadWriter.Write, io.Reader.Read, named.Read, named.Own,
		n.Own, emb.Own, (*emb).Own, emb{n}.Own, emb.Read, outer.Read, o.Read, o.PointerMethod, outer.PointerMethod, o.Write, outer.Write, (*outer).Write,
		l.Write, (*local).Write, l.ValueMethod, local.ValueMethod,
		g.Val, g.Ptr, G[int].Val, (*G[int]).Ptr, (*G[string]).Val, generic[int], generic[string],
		fn(nil).M, fn.M, (*fn).M, fmt.Println, struct{ myType }{}.ValueMethod, (struct{ *myType }).PointerMethod, interface{ Foo() }.Foo,
		error.Error, gi[string].Get, (*bytes.Buffer).Write, bytes.NewBuffer(nil).Write,
		reflect.ValueOf(p).MethodByName("Write").Interface(),
		initf, vf,
	} {
		fmt.Println(name(f))
	}
	try(func() any { return reflect.TypeOf(p).Method(0).Func.Interface() })
	for v := range seq {
		fmt.Println(v)
	}
}

var initf = func() {}
var vf = x1.ValueMethod
var x1 myType

func seq(yield func(string) bool) {
	f := func() string { pc, _, _, _ := runtime.Caller(0); return runtime.FuncForPC(pc).Name() }
	yield(f())
}
