//go:build ignore

// Types that reflect makes, of which those with many words have their pointer masks on demand: what their values point to lives, and
// what their integers look like pointers to does not.
package main

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"runtime"
	"weak"
)

type node struct {
	id   int
	self *node
}

// Types of the compiler's, below and above the limits of masks in descriptors.
type (
	small  [3]*node
	medium struct {
		Pad  [100]uintptr
		P    *node
		List [40]struct {
			Hidden uintptr
			P      any
		}
	}
	large struct {
		P    *node
		Pad  [18000]uintptr
		List [10]medium
	}
)

var leaves = []reflect.Type{
	reflect.TypeFor[*node](), reflect.TypeFor[uintptr](), reflect.TypeFor[any](), reflect.TypeFor[[]*node](), reflect.TypeFor[[8]byte](),
	reflect.TypeFor[small](), reflect.TypeFor[medium](),
}

var random = rand.New(rand.NewPCG(1, 2))

// makeType makes a type of some words.
func makeType(words int) reflect.Type {
	switch {
	case words <= 1:
		return leaves[random.IntN(len(leaves)-2)]
	case random.IntN(8) == 0:
		return leaves[random.IntN(len(leaves))]
	case random.IntN(2) == 0:
		n := 1 + random.IntN(min(words, 300))
		return reflect.ArrayOf(n, makeType(words/n))
	}
	n := 1 + random.IntN(min(words, 12))
	fields := make([]reflect.StructField, n)
	for i := range fields {
		fields[i] = reflect.StructField{Name: fmt.Sprint("F", i), Type: makeType(random.IntN(2*words/n + 1))}
	}
	return reflect.StructOf(fields)
}

var (
	made   int
	hidden []weak.Pointer[node]
)

func newNode() *node {
	made++
	n := &node{id: made}
	n.self = n
	return n
}

// fill sets all leaves of v to new nodes.
func fill(v reflect.Value) {
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			fill(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i))
		}
	case reflect.Pointer:
		v.Set(reflect.ValueOf(newNode()))
	case reflect.Interface:
		v.Set(reflect.ValueOf(any(newNode())))
	case reflect.Slice:
		v.Set(reflect.ValueOf([]*node{newNode(), newNode()}[:1]))
	case reflect.Uintptr:
		if len(hidden) < 1000 {
			n := newNode()
			hidden = append(hidden, weak.Make(n))
			v.SetUint(uint64(reflect.ValueOf(n).Pointer()))
		}
	}
}

var checked int

// check looks at all nodes of v, whose numbers grow.
func check(v reflect.Value) {
	look := func(n *node) {
		if n.self != n || n.id <= checked {
			panic(fmt.Sprintf("node %d behind %d", n.id, checked))
		}
		checked = n.id
	}
	switch v.Kind() {
	case reflect.Array:
		for i := range v.Len() {
			check(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			check(v.Field(i))
		}
	case reflect.Pointer:
		look(v.Interface().(*node))
	case reflect.Interface:
		look(v.Interface().(*node))
	case reflect.Slice:
		look(v.Index(0).Interface().(*node))
		look(v.Slice(1, 2).Index(0).Interface().(*node))
	}
}

// collect frees what nobody points to, and writes over it.
func collect() {
	runtime.GC()
	for range 2000 {
		scratch = &node{id: -1}
	}
}

var scratch *node

// holders keep a value of type t in memory of several shapes: each returns how to get it back.
var holders = []struct {
	name string
	hold func(v reflect.Value) func() reflect.Value
}{
	{"new", func(v reflect.Value) func() reflect.Value {
		p := reflect.New(v.Type())
		p.Elem().Set(v)
		return p.Elem
	}},
	{"slice", func(v reflect.Value) func() reflect.Value {
		s := reflect.MakeSlice(reflect.SliceOf(v.Type()), 3, 5)
		s.Index(2).Set(v)
		s = reflect.Append(s, v, v, v)
		return func() reflect.Value { return s.Index(5) }
	}},
	{"map", func(v reflect.Value) func() reflect.Value {
		m := reflect.MakeMap(reflect.MapOf(reflect.TypeFor[int](), v.Type()))
		for i := range 20 {
			m.SetMapIndex(reflect.ValueOf(i), v)
		}
		return func() reflect.Value { return m.MapIndex(reflect.ValueOf(7)) }
	}},
	{"chan", func(v reflect.Value) func() reflect.Value {
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, reflect.ArrayOf(1, v.Type())), 2)
		a := reflect.New(reflect.ArrayOf(1, v.Type())).Elem()
		a.Index(0).Set(v)
		c.Send(a)
		return func() reflect.Value { a, _ := c.Recv(); return a.Index(0) }
	}},
	{"interface", func(v reflect.Value) func() reflect.Value {
		x := v.Interface()
		return func() reflect.Value { return reflect.ValueOf(x) }
	}},
	{"arguments", func(v reflect.Value) func() reflect.Value {
		t := reflect.FuncOf([]reflect.Type{reflect.TypeFor[string](), v.Type()}, []reflect.Type{v.Type(), reflect.TypeFor[int]()}, false)
		f := reflect.MakeFunc(t, func(args []reflect.Value) []reflect.Value {
			collect()
			return []reflect.Value{args[1], reflect.ValueOf(1)}
		})
		out := f.Call([]reflect.Value{reflect.ValueOf("s"), v})
		return func() reflect.Value { return out[0] }
	}},
}

func try(t reflect.Type) {
	var back []func() reflect.Value
	for _, h := range holders {
		if t.Size() > 65535 && h.name == "chan" {
			continue // elements of channels are no larger
		}
		back = append(back, filled(t, h.hold))
		collect()
	}
	for _, get := range back {
		checked = 0
		check(get())
	}
}

//go:noinline
func filled(t reflect.Type, hold func(reflect.Value) func() reflect.Value) func() reflect.Value {
	v := reflect.New(t).Elem()
	fill(v)
	return hold(v)
}

func main() {
	for _, words := range []int{1, 10, 100, 128, 130, 200, 500, 1000, 2000} {
		try(makeType(words))
		try(makeType(words))
	}
	try(reflect.ArrayOf(128, reflect.TypeFor[*node]()))
	try(reflect.ArrayOf(129, reflect.TypeFor[*node]()))
	try(reflect.TypeFor[large]())
	collect()
	runtime.GC()
	live := 0
	for _, w := range hidden {
		if w.Value() != nil {
			live++
		}
	}
	fmt.Println(made > 10000, len(hidden), live)
}

// Output:
// true 1000 0
