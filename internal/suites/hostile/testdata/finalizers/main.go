// Guests that work against the collector.
package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"time"
	"unique"
	"weak"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"resurrect for ever": func() {
		p := &object{id: 1}
		runtime.SetFinalizer(p, resurrect)
		p = nil
		for {
			runtime.GC()
			runtime.Gosched()
		}
	},
	"resurrect into a global": func() {
		for i := range 100 {
			runtime.SetFinalizer(&object{id: i}, func(o *object) { kept = append(kept, o) })
		}
		runtime.GC()
		time.Sleep(1)
		runtime.GC()
		n := 0
		for _, o := range kept {
			n += o.id
		}
		println(len(kept), n)
	},
	"finalizer loops": func() {
		runtime.SetFinalizer(&object{}, func(*object) {
			for {
			}
		})
		runtime.GC()
		select {}
	},
	"finalizer blocks": func() {
		runtime.SetFinalizer(&object{}, func(*object) { select {} })
		runtime.SetFinalizer(&object{}, func(*object) { println("never") })
		runtime.GC()
		time.Sleep(1)
		println("main goes on")
	},
	"finalizer panics": func() {
		runtime.SetFinalizer(&object{}, func(*object) { panic("in a finalizer") })
		runtime.GC()
		time.Sleep(1)
	},
	"finalizer goes": func() {
		for range 10 {
			runtime.SetFinalizer(&object{}, func(*object) { gone++; runtime.Goexit() })
		}
		runtime.GC()
		time.Sleep(time.Second)
		println(gone)
	},
	"finalizer allocates": func() {
		runtime.SetFinalizer(&object{}, func(*object) {
			for {
				kept = append(kept, &object{})
			}
		})
		runtime.GC()
		select {}
	},
	"finalizer collects": func() {
		var f func(*object)
		f = func(o *object) {
			runtime.GC()
			runtime.SetFinalizer(&object{}, f)
			runtime.GC()
		}
		runtime.SetFinalizer(&object{}, f)
		runtime.GC()
		select {}
	},
	"finalizer exits": func() {
		runtime.SetFinalizer(&object{}, func(*object) { os.Exit(8) })
		runtime.GC()
		select {}
	},
	"storm": func() {
		for {
			runtime.SetFinalizer(&object{}, func(*object) { gone++ })
		}
	},
	"set and unset": func() {
		o := &object{}
		for {
			runtime.SetFinalizer(o, func(*object) {})
			runtime.SetFinalizer(o, nil)
		}
	},
	"set twice": func() {
		o := &object{}
		runtime.SetFinalizer(o, func(*object) {})
		runtime.SetFinalizer(o, func(*object) {})
	},
	"wrong argument": func() { runtime.SetFinalizer(&object{}, func(string) {}) },
	"not a pointer":  func() { runtime.SetFinalizer(object{}, func(object) {}) },
	"not the beginning": func() {
		o := &struct {
			id   int
			next *object
		}{}
		runtime.SetFinalizer(&o.next, func(**object) {})
	},
	"a number inside": func() {
		for i := range 100 {
			o := &struct{ pad, id int }{id: i}
			runtime.SetFinalizer(&o.id, func(p *int) { kept = append(kept, &object{id: *p}) })
		}
		runtime.GC()
		time.Sleep(1)
		runtime.GC()
		n := 0
		for _, o := range kept {
			n += o.id
		}
		println(len(kept), n)
	},
	"nil":                   func() { runtime.SetFinalizer(nil, nil) },
	"cleanup of its object": func() { o := &object{}; runtime.AddCleanup(o, func(*object) {}, o) },
	"cleanup panics": func() {
		runtime.AddCleanup(&object{}, func(int) { panic("in a cleanup") }, 1)
		runtime.GC()
		time.Sleep(1)
	},
	"cleanups of cleanups": func() {
		var f func(int)
		f = func(n int) { runtime.AddCleanup(&object{}, f, n+1); runtime.GC() }
		f(0)
		select {}
	},
	"circle with finalizers": func() {
		for {
			a, b := &object{}, &object{}
			a.next, b.next = b, a
			runtime.SetFinalizer(a, func(*object) { gone++ })
			runtime.SetFinalizer(b, func(*object) { gone++ })
		}
	},
	"chain with finalizers": func() {
		var head *object
		for i := range 2000 {
			head = &object{next: head, id: i}
			runtime.SetFinalizer(head, func(o *object) { gone += o.id })
		}
		head = nil
		for gone < 1999*1000 {
			runtime.GC()
			time.Sleep(1)
		}
		println(gone)
	},
	"weak pointers of the dead": func() {
		var list []weak.Pointer[object]
		for i := range 1000 {
			list = append(list, weak.Make(&object{id: i}))
		}
		runtime.GC()
		n := 0
		for _, w := range list {
			if w.Value() != nil {
				n++
			}
		}
		println(n <= 1)
	},
	"weak pointer and finalizer": func() {
		o := &object{}
		w := weak.Make(o)
		runtime.SetFinalizer(o, func(o *object) { kept = append(kept, o) })
		o = nil
		runtime.GC()
		time.Sleep(1)
		println(w.Value() == nil, len(kept))
	},
	"handles come and go": func() {
		for i := 0; ; i++ {
			unique.Make([2]int{i, i})
			if i%1000 == 0 {
				runtime.GC()
			}
		}
	},
	"memory limits of its own": func() {
		debug.SetMemoryLimit(1)
		debug.SetGCPercent(-1)
		debug.SetMaxStack(1)
		debug.SetMaxThreads(0)
		debug.FreeOSMemory()
		for {
			kept = append(kept, &object{})
		}
	},
}

type object struct {
	next *object
	id   int
}

var (
	kept []*object
	gone int
)

func resurrect(o *object) { runtime.SetFinalizer(o, resurrect) }
