// What AddCleanup refuses, and what a cleanup may hang on.
package main

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

type T struct {
	a, b int
	p    *int
	pad  [32]int
}

var static = &T{}
var global T
var onHeap = new(T)

func try(name string, f func()) {
	defer func() {
		fmt.Printf("%s: %v\n", name, recover())
	}()
	f()
}

func nop[A any](A) {}

type ptr *T

func main() {
	try("nil", func() { var t *T; runtime.AddCleanup(t, nop[int], 0) })
	try("arg is ptr", func() { t := new(T); runtime.AddCleanup(t, nop[*T], t) })
	try("arg is ptr, unsafe", func() { t := new(T); runtime.AddCleanup(t, nop[unsafe.Pointer], unsafe.Pointer(t)) })
	try("arg is ptr, named", func() { t := new(T); runtime.AddCleanup(t, nop[ptr], ptr(t)) })
	try("arg is ptr as uintptr", func() { t := new(T); runtime.AddCleanup(t, nop[uintptr], uintptr(unsafe.Pointer(t))) })
	try("arg is ptr as interface", func() { t := new(T); runtime.AddCleanup(t, nop[any], any(t)) })
	try("arg holds ptr", func() { t := new(T); runtime.AddCleanup(t, nop[[1]*T], [1]*T{t}) })
	try("arg within ptr", func() { t := new(T); runtime.AddCleanup(t, nop[*int], &t.b) })
	try("ptr within arg", func() { t := new(T); runtime.AddCleanup(&t.b, nop[*T], t) })
	try("both within", func() { t := new(T); runtime.AddCleanup(&t.a, nop[*int], &t.b) })
	try("closure", func() { t := new(T); runtime.AddCleanup(t, func(int) { t.a++ }, 0) })
	try("closure over part", func() { t := new(T); p := &t.b; runtime.AddCleanup(t, func(int) { *p++ }, 0) })
	try("closure over cell", func() {
		t := new(T)
		f := func(int) { t.a++ }
		t = t.self()
		runtime.AddCleanup(t, f, 0)
	})
	try("method value", func() { t := new(T); runtime.AddCleanup(t, t.set, 0) })
	try("closure over more", func() {
		t, u := new(T), new(T)
		runtime.AddCleanup(t, func(int) { u.a++; t.a++ }, 0)
	})
	try("closure over others", func() {
		t, u := new(T), new(T)
		runtime.AddCleanup(t, func(int) { u.a++ }, 0)
	})
	try("nil function", func() { t := new(T); runtime.AddCleanup(t, (func(int))(nil), 0).Stop() })
	try("global", func() { runtime.AddCleanup(&global, nop[int], 0) })
	try("static", func() { runtime.AddCleanup(static, nop[int], 0) })
	try("static, arg is ptr", func() { runtime.AddCleanup(&global, nop[*T], &global) })
	try("static, arg within", func() { runtime.AddCleanup(&global, nop[*int], &global.b) })

	// An object made by new in a package's initialiser is on the heap.
	var mu sync.Mutex
	ran := map[string]int{}
	note := func(s string) { mu.Lock(); ran[s]++; mu.Unlock() }
	runtime.AddCleanup(onHeap, note, "new in init")
	func() {
		t := new(T)
		runtime.AddCleanup(t, note, "one")
		runtime.AddCleanup(t, note, "one")
		runtime.AddCleanup(&t.b, note, "inside")
		runtime.AddCleanup(t, note, "stopped").Stop()
	}()
	onHeap = nil
	for range 100 {
		runtime.GC()
		runtime.Gosched()
		mu.Lock()
		n := len(ran)
		mu.Unlock()
		if n == 3 {
			break
		}
	}
	fmt.Println(ran)
	fmt.Println(new(T).set == nil, new(T).self() == nil)
}

func (t *T) set(n int) { t.a = n }

//go:noinline
func (t *T) self() *T { return t }
