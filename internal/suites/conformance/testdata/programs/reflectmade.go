// Functions that reflect made are called by reflection.
package main

import (
	"bytes"
	"fmt"
	"io"
	"reflect"
)

type Point struct{ x, y int }

func (p Point) Dist(scale int) int      { return p.x*p.x*scale + p.y*p.y*scale }
func (p Point) Var(a int, b ...int) int { return a + len(b) + p.x }

func sum(a int, b ...float64) int { return a + len(b) }

func main() {
	p := Point{3, 4}
	v := reflect.TypeOf(p).Method(0).Func.Call([]reflect.Value{reflect.ValueOf(p), reflect.ValueOf(10)})
	fmt.Println(v[0].Int())
	m := reflect.ValueOf(p).MethodByName("Dist")
	fmt.Println(m.Call([]reflect.Value{reflect.ValueOf(2)})[0])
	f := m.Interface().(func(int) int)
	fmt.Println(f(3))
	fmt.Println(reflect.ValueOf(f).Call([]reflect.Value{reflect.ValueOf(2)})[0])
	fmt.Println(reflect.ValueOf(sum).Call([]reflect.Value{reflect.ValueOf(2)})[0])
	fn := func(ptr, in any) int { return 7 }
	var fn2 func(p, q any) int
	fv := reflect.MakeFunc(reflect.TypeOf(fn), func(in []reflect.Value) []reflect.Value { return []reflect.Value{reflect.ValueOf(int(9))} })
	reflect.ValueOf(&fn2).Elem().Set(fv)
	fmt.Println(fn2(1, 2))
	fmt.Println(fv.Call([]reflect.Value{reflect.ValueOf(2), reflect.ValueOf(2)})[0])
	iv := reflect.MakeFunc(reflect.TypeOf(func(error, io.Reader) error { return nil }), func(in []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.Zero(reflect.TypeFor[error]())}
	})
	fmt.Println(iv.Call([]reflect.Value{reflect.Zero(reflect.TypeFor[error]()), reflect.ValueOf(new(bytes.Buffer))})[0])
}
