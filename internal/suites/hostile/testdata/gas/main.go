// Guests that never end by themselves: gas ends them.
package main

import (
	"iter"
	"os"
	"runtime"
	"sync"
	"time"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"loop": func() {
		for {
		}
	},
	"goto": func() {
		n := 0
	again:
		n++
		goto again
	},
	"nested loops": func() {
		n := 0
		for i := 0; ; i++ {
			for j := range 1 << 20 {
				n += i ^ j
			}
		}
	},
	"fib": func() { sink = fib(80) },
	"range over func": func() {
		for i := range forever {
			sink += i
		}
	},
	"pull": func() {
		next, stop := iter.Pull(forever)
		defer stop()
		for {
			v, _ := next()
			sink += v
		}
	},
	"select": func() {
		c := make(chan int)
		for {
			select {
			case <-c:
			default:
			}
		}
	},
	"defer in a loop of calls": func() {
		for {
			func() { defer func() { sink++ }() }()
		}
	},
	"panic and recover": func() {
		for {
			func() {
				defer func() { recover() }()
				panic(sink)
			}()
		}
	},
	"ping-pong": func() {
		a, b := make(chan int), make(chan int)
		go func() {
			for v := range a {
				b <- v + 1
			}
		}()
		for v := 0; ; {
			a <- v
			v = <-b
		}
	},
	"gosched": func() {
		go func() {
			for {
				runtime.Gosched()
			}
		}()
		for {
			runtime.Gosched()
		}
	},
	"mutex": func() {
		var mu sync.Mutex
		for range 3 {
			go func() {
				for {
					mu.Lock()
					sink++
					mu.Unlock()
				}
			}()
		}
		select {}
	},
	"wait for the clock": func() {
		for start := time.Now(); time.Since(start) < time.Hour; {
		}
	},
	"sleep for ever": func() {
		for {
			time.Sleep(1<<63 - 1)
		}
	},
	"copy": func() {
		a, b := make([]byte, 1<<20), make([]byte, 1<<20)
		for {
			copy(a, b)
		}
	},
	"compare": func() {
		a, b := string(make([]byte, 1<<20)), string(make([]byte, 1<<20))
		for {
			if a < b || a != b {
				return
			}
		}
	},
	"method values": func() {
		for f := counter(0).next; ; f = f().next {
		}
	},
	"interface calls": func() {
		for x := stepper(counter(0)); ; x = x.step() {
		}
	},
	"collect": func() {
		for {
			runtime.GC()
		}
	},
	"init":     nil, // see below
	"variable": nil,
}

var sink int

func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

func forever(yield func(int) bool) {
	for i := 0; yield(i); i++ {
	}
}

type counter int

func (c counter) next() counter { return c + 1 }

type stepper interface{ step() stepper }

func (c counter) step() stepper { return c + 1 }

var endless = func() int {
	for os.Args[1] == "variable" {
		sink++
	}
	return 1
}()

func init() {
	for os.Args[1] == "init" {
		sink++
	}
}
