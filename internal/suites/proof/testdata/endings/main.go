// Guests that reach limits in many places, as their argument says.
package main

import (
	"fmt"
	"os"
	"reflect"
	"runtime"
	"strings"
	"sync"
)

func main() {
	switch os.Args[1] {
	case "deep":
		fmt.Println(deep(4000))
	case "goroutines":
		goroutines()
	case "heap":
		heap()
	case "types":
		types()
	case "defers":
		for i := range 300 {
			func() {
				defer func() { _ = recover() }()
				defers(i)
			}()
		}
		fmt.Println("done")
	}
}

// deep has locals in some frames only, of several sizes.
func deep(n int) (sum int) {
	switch {
	case n <= 0:
		return 0
	case n%3 == 0:
		return large(n-1) + 1
	case n%3 == 1:
		return small(n-1) + 1
	}
	return deep(n-1) + 1
}

//go:noinline
func small(n int) int {
	x := n
	fill(&x)
	return deep(n-1) + x - n
}

//go:noinline
func large(n int) int {
	var a [60]int
	for i := range a {
		a[i] = n + i
	}
	touch(a[:])
	return deep(n-1) + a[n%60] - n
}

//go:noinline
func fill(p *int) { *p++ }

//go:noinline
func touch(a []int) { a[0]++ }

func goroutines() {
	c := make(chan int)
	var wg sync.WaitGroup
	for i := range 60 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			wait(i, c)
		}()
		runtime.Gosched()
	}
	close(c)
	wg.Wait()
	fmt.Println("done")
}

func wait(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	x := n
	fill(&x)
	return wait(n-1, c) + x
}

type pair struct {
	key  string
	next *pair
}

func heap() {
	m := map[string]*pair{}
	var last *pair
	var words []string
	for i := range 1500 {
		k := fmt.Sprintf("key %d", i%400)
		last = &pair{k, m[k]}
		m[k] = last
		words = append(words, strings.Repeat(k, i%7))
		if i%100 == 99 {
			words = append([]string(nil), words[50:]...)
		}
	}
	fmt.Println(len(m), len(words), len(strings.Join(words, " ")))
}

func types() {
	t := reflect.TypeFor[int]()
	for i := range 60 {
		switch i % 4 {
		case 0:
			t = reflect.SliceOf(t)
		case 1:
			t = reflect.MapOf(reflect.TypeFor[string](), t)
		case 2:
			t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: t}, {Name: "B", Type: reflect.TypeFor[int8]()}})
		case 3:
			t = reflect.ArrayOf(2, t)
		}
		reflect.New(t)
	}
	fmt.Println(t.Kind(), t.Size())
}

//go:noinline
func defers(n int) {
	var a [4]int
	for i := range 5 {
		defer func() { touch(a[:]); a[1] += i }()
	}
	if n%2 == 0 {
		panic(n)
	}
	if n > 3 {
		defers(n / 2)
	}
}
