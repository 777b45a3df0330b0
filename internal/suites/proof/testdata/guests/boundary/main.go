// Command boundary calls functions whose locals have addresses where chunks of the
// shadow stack end, from every depth, with everything that may happen between the
// call and the return, and allocates by types that are known at run time only. It
// prints where things lie.
package main

import (
	"fmt"
	"reflect"
	"runtime"
)

var hash uint64

func note(p any) { hash = hash*1099511628211 ^ uint64(reflect.ValueOf(p).Pointer()) }

//go:noinline
func fill(p *[5]int, n int) {
	for i := range p {
		p[i] += n + i
	}
}

//go:noinline
func leaf(n int) int {
	var a [5]int
	fill(&a, n)
	return a[1]
}

//go:noinline
func large(n int) int {
	var a [400]int
	fill((*[5]int)(a[n%300:]), n)
	return a[n%300+2]
}

// deep calls what at each depth, the chunk's end wherever it is.
//
//go:noinline
func deep(n int, what func(int) int) int {
	var a [5]int
	fill(&a, n)
	s := what(n) + what(n+1)
	if n > 0 {
		s += deep(n-1, what)
	}
	s += what(n + 2)
	return s + a[3]
}

func panics(n int) (r int) {
	defer func() {
		recover()
		r += leaf(n)
	}()
	var a [5]int
	fill(&a, n)
	panic(leaf(a[2]))
}

type node struct {
	next *node
	name string
	n    int
}

func main() {
	var m runtime.MemStats
	yields := func(n int) int {
		var a [5]int
		fill(&a, n)
		runtime.Gosched()
		return a[0] + leaf(n)
	}
	what := []func(int) int{
		leaf,
		large,
		panics,
		yields,
		func(n int) int { return leaf(n) + large(n) + leaf(n) },
		func(n int) int {
			if n%16 == 0 {
				runtime.GC()
			}
			return leaf(n)
		},
		func(n int) int {
			if n == 7 {
				return deep(40, leaf)
			}
			return leaf(n)
		},
	}
	for i, f := range what {
		for _, n := range []int{3, 11, 12, 25, 60, 130} {
			sum := deep(n, f)
			runtime.ReadMemStats(&m)
			fmt.Println(i, n, sum, m.StackInuse, m.HeapInuse)
		}
	}
	done := make(chan int)
	for i := range 4 {
		go func() { done <- deep(30+7*i, yields) }()
	}
	for range 4 {
		fmt.Println(<-done)
	}
	typed()
	runtime.ReadMemStats(&m)
	fmt.Println(m.Mallocs, m.TotalAlloc, m.HeapInuse, m.StackInuse, m.NumGC)
}

// typed allocates through descriptors: of the program, and made here.
func typed() {
	types := []reflect.Type{
		reflect.TypeFor[node](), reflect.TypeFor[*node](), reflect.TypeFor[any](), reflect.TypeFor[string](),
		reflect.TypeFor[[3]*int](), reflect.TypeFor[struct{}](), reflect.TypeFor[[700]any](), reflect.TypeFor[[1100]*int](),
		reflect.TypeFor[map[string]int](), reflect.TypeFor[int8](), reflect.TypeFor[[]byte](),
	}
	for i := range 8 {
		types = append(types, reflect.ArrayOf(i+2, reflect.TypeFor[[]string]()),
			reflect.StructOf([]reflect.StructField{{Name: "A", Type: types[i]}, {Name: "B", Type: reflect.TypeFor[uint16]()}}))
	}
	var keep []reflect.Value
	for round := range 30 {
		for k, t := range types {
			v := reflect.New(t)
			note(v.Interface())
			s := reflect.MakeSlice(reflect.SliceOf(t), round*k%50, 50)
			s = reflect.Append(s, v.Elem())
			hash = hash*31 ^ uint64(s.Pointer())
			if (round+k)%9 == 0 {
				keep = append(keep, v, s)
			}
			if len(keep) > 100 {
				keep = keep[50:]
			}
		}
		if round == 11 {
			runtime.GC()
		}
	}
	var list *node
	var nodes []*node
	for i := range 3000 {
		list = &node{list, fmt.Sprint(i), i}
		if nodes = append(nodes, list); i%500 == 0 {
			nodes = append(make([]*node, i/3, i), nodes[i/2:]...)
		}
	}
	sum := 0
	for n := list; n != nil; n = n.next {
		sum += n.n + len(n.name)
	}
	for _, v := range keep {
		if v.Kind() == reflect.Slice && v.Len() > 0 {
			v.Index(0).SetZero()
		}
	}
	fmt.Println(sum, len(nodes), hash)
}
