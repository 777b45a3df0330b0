//go:build ignore && go1.27

// Instantiated methods as values of package reflect.
package main

import (
	"fmt"
	"reflect"
)

type T struct{ n int }

func (t *T) Add[N ~int | ~float64](ns ...N) (int, N) {
	var last N
	for _, n := range ns {
		t.n += int(n)
		last = n
	}
	return t.n, last
}

func (t T) Make[P any](n int) []P {
	return reflect.MakeSlice(reflect.TypeFor[[]P](), n, n).Interface().([]P)
}

func (t T) Type[P any]() reflect.Type { return reflect.TypeFor[P]() }

func main() {
	var t T
	f := reflect.ValueOf(t.Add[int])
	_ = f
	g := reflect.ValueOf((&t).Add[float64])
	fmt.Println(g.Type(), g.Type().IsVariadic(), g.Kind())
	out := g.Call([]reflect.Value{reflect.ValueOf(1.5), reflect.ValueOf(2.0)})
	fmt.Println(out[0], out[1], t.n)
	out = f.CallSlice([]reflect.Value{reflect.ValueOf([]int{4, 5})})
	fmt.Println(out[0], out[1], t.n)
	fmt.Println(t.Make[string](2), len(t.Make[T](3)), t.Type[[3]T](), t.Type[func(*T)]())
	e := reflect.ValueOf(T.Make[bool])
	fmt.Println(e.Type(), e.Call([]reflect.Value{reflect.ValueOf(t), reflect.ValueOf(1)})[0])
	swap := reflect.MakeFunc(reflect.TypeOf(t.Make[int]), func(a []reflect.Value) []reflect.Value {
		return []reflect.Value{reflect.ValueOf([]int{int(a[0].Int())})}
	})
	fmt.Println(swap.Interface().(func(int) []int)(7))
}

// Output:
// func(...float64) (int, float64) true func
// 3 2 3
// 12 5 12
// [ ] 3 [3]main.T func(*main.T)
// func(main.T, int) []bool [false]
// [7]
