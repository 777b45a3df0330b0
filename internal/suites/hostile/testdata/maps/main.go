// Guests that misuse maps and channels.
package main

import (
	"math"
	"os"
	"reflect"
	"runtime"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"grow while ranging": func() {
		m := map[int]int{0: 0}
		for {
			for k := range m {
				m[len(m)+k] = k
			}
		}
	},
	"insert and delete while ranging": func() {
		m := map[int]int{}
		for i := range 100 {
			m[i] = i
		}
		for n := 0; ; n++ {
			for k := range m {
				delete(m, k)
				m[k+1000] = n
			}
		}
	},
	"clear while ranging": func() {
		m := map[int]int{}
		for {
			for i := range 100 {
				m[i] = i
			}
			for range m {
				clear(m)
			}
		}
	},
	"NaN keys": func() {
		m := map[float64]int{}
		for i := 0; ; i++ {
			m[math.NaN()] = i
		}
	},
	"NaN keys come and go": func() {
		m := map[float64]int{}
		for {
			for i := range 1000 {
				m[math.NaN()] = i
			}
			for k := range m {
				delete(m, k)
			}
			clear(m)
		}
	},
	"NaN in interfaces": func() {
		m := map[any]int{}
		for i := 0; ; i++ {
			m[[2]any{math.NaN(), i & 1}] = i
		}
	},
	"delete and insert for ever": func() {
		m := map[int]int{}
		for i := 0; ; i++ {
			m[i] = i
			delete(m, i-1000)
		}
	},
	"big keys": func() {
		m := map[[1000]int]int{}
		var k [1000]int
		for i := 0; ; i++ {
			k[i%1000] = i
			m[k] = i
		}
	},
	"big elements": func() {
		m := map[int][1000]int{}
		for i := 0; ; i++ {
			m[i] = m[i-1]
		}
	},
	"unhashable key":       func() { map[any]int{}[[]int{1}]++ },
	"unhashable deep key":  func() { map[any]int{}[[1]any{struct{ f any }{func() {}}}]++ },
	"unhashable in lookup": func() { println(map[any]int{}[map[int]int{}]) },
	"write to nil":         func() { var m map[string]int; m["x"] = 1 },
	"two goroutines": func() {
		m := map[int]int{}
		go func() {
			for i := 0; ; i++ {
				m[i%100] = i
			}
		}()
		for i := 0; ; i++ {
			delete(m, i%100)
			if i%1000 == 0 {
				runtime.Gosched()
			}
		}
	},
	"ranged by two goroutines": func() {
		m := map[int]int{}
		for i := range 1000 {
			m[i] = i
		}
		for range 2 {
			go func() {
				for {
					for k := range m {
						m[k+1] = k
						delete(m, k)
						runtime.Gosched()
					}
				}
			}()
		}
		select {}
	},
	"close of nil":    func() { var c chan int; close(c) },
	"close of closed": func() { c := make(chan int); close(c); close(c) },
	"send on closed":  func() { c := make(chan int, 1); close(c); c <- 1 },
	"close under a sender": func() {
		c := make(chan int)
		go func() { runtime.Gosched(); close(c) }()
		c <- 1
	},
	"receive from closed": func() {
		c := make(chan int)
		close(c)
		for range 1000 {
			if _, ok := <-c; ok {
				panic("?")
			}
		}
		for {
			<-c
		}
	},
	"fill a channel": func() {
		c := make(chan int, 1000)
		for {
			c <- 1
		}
	},
	"cases beyond the limit": func() {
		reflect.Select(make([]reflect.SelectCase, 65537))
	},
	"many cases, one channel": func() {
		c := make(chan int)
		cases := make([]reflect.SelectCase, 65536)
		for i := range cases {
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(c)}
		}
		go func() {
			for {
				c <- 1
			}
		}()
		for {
			reflect.Select(cases)
		}
	},
}
