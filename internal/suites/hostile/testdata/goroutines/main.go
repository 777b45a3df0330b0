// Guests with too many goroutines, or with none that can run.
package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"time"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"fork bomb": fork,
	"fork bomb with timers": func() {
		var f func()
		f = func() {
			time.AfterFunc(1, f)
			time.AfterFunc(1, f)
		}
		f()
		select {}
	},
	"start for ever": func() {
		for {
			go func() {}()
		}
	},
	"deadlock on a channel": func() { <-make(chan int) },
	"deadlock on nil":       func() { var c chan int; c <- 1 },
	"deadlock on select":    func() { select {} },
	"deadlock on a mutex": func() {
		var mu sync.Mutex
		mu.Lock()
		mu.Lock()
	},
	"deadlock on a read lock": func() {
		var mu sync.RWMutex
		mu.RLock()
		mu.Lock()
	},
	"deadlock on a group": func() {
		var wg sync.WaitGroup
		wg.Add(1)
		wg.Wait()
	},
	"deadlock on a condition": func() {
		c := sync.NewCond(new(sync.Mutex))
		c.L.Lock()
		c.Wait()
	},
	"deadlock on once": func() {
		var once sync.Once
		once.Do(func() { once.Do(func() {}) })
	},
	"deadlock of many": func() {
		c := make(chan int)
		for range 1000 {
			go func() { <-c }()
		}
		<-c
	},
	"deadlock avoided": func() {
		c := make(chan func())
		go func() { (<-c)() }()
		c <- func() { c <- nil }
		<-c
	},
	"Goexit in main":               func() { runtime.Goexit() },
	"Goexit in main, others block": func() { go func() { select {} }(); runtime.Goexit() },
	"Goexit in main, others run": func() {
		go func() {
			for {
			}
		}()
		runtime.Goexit()
	},
	"Goexit in main, another exits": func() {
		go func() { time.Sleep(1); os.Exit(5) }()
		runtime.Goexit()
	},
	"panic in a goroutine": func() {
		go func() { panic("elsewhere") }()
		select {}
	},
	"nil func": func() {
		var f func()
		go f()
		runtime.Gosched()
	},
	"unlock of unlocked":      func() { new(sync.Mutex).Unlock() },
	"read unlock of unlocked": func() { new(sync.RWMutex).RUnlock() },
	"negative group":          func() { new(sync.WaitGroup).Add(-1) },
	"return while others run": func() {
		for range 5 {
			go func() {
				for {
				}
			}()
		}
		runtime.Gosched()
	},
	"return while others block": func() {
		c := make(chan int)
		for range 1000 {
			go func() { <-c }()
		}
		runtime.Gosched()
	},
	"contexts": func() {
		ctx := context.Background()
		for {
			var cancel context.CancelFunc
			ctx, cancel = context.WithCancel(ctx)
			defer cancel()
			go func() { <-ctx.Done() }()
		}
	},
	"chain of goroutines": func() {
		in := make(chan int)
		first := in
		for range 5000 {
			out := make(chan int)
			go func(in chan int) {
				for v := range in {
					out <- v + 1
				}
			}(in)
			in = out
		}
		for {
			first <- 0
			<-in
		}
	},
	"exit among many": func() {
		for i := range 100 {
			go func() {
				if i == 50 {
					os.Exit(7)
				}
			}()
		}
		select {}
	},
}

func fork() {
	go fork()
	go fork()
	select {}
}
