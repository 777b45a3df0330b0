// Guests that hand reflection what it must refuse.
package main

import (
	"os"
	"reflect"
	"strings"
	"sync/atomic"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"call with too few": func() { reflect.ValueOf(strings.Repeat).Call(nil) },
	"call with the wrong": func() {
		reflect.ValueOf(strings.Repeat).Call([]reflect.Value{reflect.ValueOf(1), reflect.ValueOf("x")})
	},
	"call of nil":         func() { var f func(); reflect.ValueOf(f).Call(nil) },
	"call of no function": func() { reflect.ValueOf(1).Call(nil) },
	"call with zero":      func() { reflect.ValueOf(func(error) {}).Call([]reflect.Value{{}}) },
	"call with many": func() {
		args := make([]reflect.Value, 100_000)
		for i := range args {
			args[i] = reflect.ValueOf(i)
		}
		f := reflect.ValueOf(func(x ...int) int { return len(x) })
		println(f.Call(args)[0].Int())
	},
	"function of many": func() {
		in := make([]reflect.Type, 127)
		args := make([]reflect.Value, 127)
		for i := range in {
			in[i] = reflect.TypeFor[[3]int]()
			args[i] = reflect.Zero(in[i])
		}
		t := reflect.FuncOf(in, in[:1], false)
		f := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value { return args[126:] })
		println(f.Call(args)[0].Len())
	},
	"function of too many": func() {
		in := make([]reflect.Type, 1000)
		for i := range in {
			in[i] = reflect.TypeFor[int]()
		}
		reflect.FuncOf(in, nil, false)
	},
	"wrong results": func() {
		f := reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return nil })
		println(f.Interface().(func() int)())
	},
	"wrong result type": func() {
		f := reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value {
			return []reflect.Value{reflect.ValueOf("x")}
		})
		println(f.Interface().(func() int)())
	},
	"huge slice":     func() { reflect.MakeSlice(reflect.TypeFor[[]int](), 1<<40, 1<<40) },
	"negative slice": func() { reflect.MakeSlice(reflect.TypeFor[[]int](), -1, 0) },
	"huge channel":   func() { reflect.MakeChan(reflect.TypeFor[chan int](), 1<<62) },
	"huge map":       func() { reflect.MakeMapWithSize(reflect.TypeFor[map[int]int](), 1<<62) },
	"grow": func() {
		s := reflect.New(reflect.TypeFor[[]int]()).Elem()
		s.Grow(1 << 60)
	},
	"set length":                  func() { s := []int{1}; reflect.ValueOf(&s).Elem().SetLen(2) },
	"set what is hidden":          func() { reflect.ValueOf(&hidden{}).Elem().Field(0).SetInt(1) },
	"set a constant":              func() { reflect.ValueOf(1).SetInt(2) },
	"set the wrong":               func() { x := 1; reflect.ValueOf(&x).Elem().Set(reflect.ValueOf("x")) },
	"field out of range":          func() { reflect.ValueOf(hidden{}).Field(7) },
	"method out of range":         func() { reflect.ValueOf(hidden{}).Method(7) },
	"index out of range":          func() { reflect.ValueOf([]int{1}).Index(1 << 40) },
	"slice out of range":          func() { s := []int{1}; reflect.ValueOf(s).Slice3(0, 1, 1<<40) },
	"convert to array":            func() { reflect.ValueOf([]int{1}).Convert(reflect.TypeFor[[2]int]()) },
	"nothing":                     func() { reflect.ValueOf(nil).Type() },
	"interface of what is hidden": func() { reflect.ValueOf(hidden{}).Field(0).Interface() },
	"method of the hidden": func() {
		m := reflect.ValueOf(struct{ *hidden }{&hidden{}}).Field(0).Method(0)
		m.Call(nil)
	},
	"atomics of the wrong": func() {
		var v atomic.Value
		v.Store(1)
		v.Store("x")
	},
	"swap": func() {
		s := []int{1, 2}
		reflect.Swapper(s)(0, 1<<40)
	},
	"swap for ever": func() {
		s := make([][100]int, 100)
		f := reflect.Swapper(s)
		for i := 0; ; i++ {
			f(i%100, (i+1)%100)
		}
	},
	"walk all types": func() {
		seen := map[reflect.Type]bool{}
		walk(reflect.TypeOf(reflect.ValueOf(0)), seen)
		println(len(seen) > 20)
	},
	"embedded method sets": func() {
		t := reflect.TypeFor[hidden]()
		defer func() { println(recover() != nil) }()
		for range 3 {
			t = reflect.StructOf([]reflect.StructField{{Name: "Hidden", Type: t, Anonymous: true}, {Name: "X", Type: reflect.TypeFor[int]()}})
		}
		reflect.New(t).Elem().Method(0).Call(nil)
	},
}

type hidden struct{ n int }

func (h hidden) Get() int { return h.n }

func walk(t reflect.Type, seen map[reflect.Type]bool) {
	if seen[t] {
		return
	}
	seen[t] = true
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map, reflect.Chan:
		walk(t.Elem(), seen)
	case reflect.Struct:
		for i := range t.NumField() {
			walk(t.Field(i).Type, seen)
		}
	}
	for i := range t.NumMethod() {
		m := t.Method(i).Type
		for j := range m.NumIn() {
			walk(m.In(j), seen)
		}
	}
}
