package guest

import (
	"context"
	"fmt"
	"iter"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
	"unique"
)

var (
	mu      sync.Mutex
	mus     [2]sync.Mutex
	rw      sync.RWMutex
	once    sync.Once
	pool    = sync.Pool{New: func() any { return new(object) }}
	syncMap sync.Map
	count   atomic.Int64
	box     atomic.Value
	buffer  = make(chan int, 16)
	ping    = make(chan int)
	pong    = make(chan int)
	others  []chan int
	cond    = sync.NewCond(&mu)
)

func echo() {
	go func() {
		for v := range ping {
			pong <- v
		}
	}()
}

// crowd makes n channels, each with a goroutine that sends back what it gets.
func crowd(n int) {
	for range n {
		c := make(chan int)
		others = append(others, c)
		go func() {
			for v := range c {
				c <- v + 1
			}
		}()
	}
}

// syncRows are locks, channels, timers.
func syncRows() []row {
	return []row{
		loop("sync: Mutex", nil, func(n int) {
			for range n {
				mu.Lock()
				num++
				mu.Unlock()
			}
		}),
		each("sync: Mutex, TryLock of a locked one", func() { mus[0].Lock(); mus[1].Lock() }, func(i int) {
			if !mus[i&1].TryLock() {
				num++
			}
		}),
		each("sync: Mutex that another holds", nil, func(int) {
			mu.Lock()
			go func() { mu.Lock(); num++; mu.Unlock(); done <- 1 }()
			runtime.Gosched()
			mu.Unlock()
			<-done
		}),
		each("sync: RWMutex.RLock", nil, func(int) { rw.RLock(); num++; rw.RUnlock() }),
		loop("sync: Once", nil, func(n int) {
			for range n {
				once.Do(func() { num++ })
			}
		}),
		each("sync: Pool", nil, func(int) { pool.Put(pool.Get()) }),
		each("sync: Map, Load", func() { syncMap.Store(1, 2) }, func(int) { v, _ := syncMap.Load(1); num += v.(int) }),
		each("sync: Map, Store and Delete", nil, func(i int) { syncMap.Store(i, 2); syncMap.Delete(i) }),
		each("sync: WaitGroup of 10", nil, func(int) {
			var wg sync.WaitGroup
			for range 10 {
				wg.Go(func() { num++ })
			}
			wg.Wait()
		}),
		each("sync: Cond, Signal and Wait", nil, func(int) {
			ready := false
			go func() { mu.Lock(); ready = true; cond.Signal(); mu.Unlock() }()
			mu.Lock()
			for !ready {
				cond.Wait()
			}
			mu.Unlock()
		}),
		loop("sync: atomic Add", nil, func(n int) {
			for range n {
				count.Add(1)
			}
		}),
		loop("sync: atomic CompareAndSwap", nil, func(n int) {
			for range n {
				count.CompareAndSwap(count.Load(), 7)
			}
		}),
		each("sync: atomic Value", nil, func(i int) { box.Store(i); num += box.Load().(int) }),
		each("channels: make", nil, func(int) { thing = make(chan int, 4) }),
		each("channels: send and receive, buffered", nil, func(i int) { buffer <- i; num += <-buffer }),
		each("channels: ping and pong", echo, func(i int) { ping <- i; num += <-pong }),
		each("channels: a value around 1000 goroutines", func() { crowd(1000) }, func(i int) {
			for _, c := range others {
				c <- i
				i = <-c
			}
		}),
		each("channels: close", nil, func(int) { close(make(chan int)) }),
		each("channels: close with 100 that wait", nil, func(int) {
			c := make(chan int)
			for range 100 {
				go func() { <-c; done <- 1 }()
			}
			runtime.Gosched()
			close(c)
			for range 100 {
				<-done
			}
		}),
		loop("channels: len and cap", nil, func(n int) {
			for range n {
				num += len(buffer) + cap(buffer)
			}
		}),
		each("select: one with default", nil, func(int) {
			select {
			case v := <-never:
				num += v
			default:
			}
		}),
		each("select: 2, one ready", nil, func(i int) {
			select {
			case buffer <- i:
				<-buffer
			case v := <-never:
				num += v
			}
		}),
		each("select: 8, one ready", nil, func(i int) {
			select {
			case v := <-chans[0]:
				num += v
			case v := <-chans[1]:
				num += v
			case v := <-chans[2]:
				num += v
			case v := <-chans[3]:
				num += v
			case v := <-chans[4]:
				num += v
			case v := <-chans[5]:
				num += v
			case v := <-chans[6]:
				num += v
			case buffer <- i:
				<-buffer
			}
		}),
		each("select: 2, waits for another goroutine", echo, func(i int) {
			ping <- i
			select {
			case v := <-pong:
				num += v
			case v := <-never:
				num += v
			}
		}),
		each("timers: new and stop", nil, func(int) { time.NewTimer(time.Hour).Stop() }),
		each("timers: new and stop beside 10,000", func() {
			for i := range 10_000 {
				time.NewTimer(time.Hour + time.Duration(i))
			}
		}, func(int) { time.NewTimer(time.Minute).Stop() }),
		each("timers: AfterFunc and stop", nil, func(int) { time.AfterFunc(time.Hour, func() {}).Stop() }),
		each("timers: Reset", func() { thing = time.NewTimer(time.Hour) }, func(int) { thing.(*time.Timer).Reset(time.Hour) }),
		each("timers: Sleep", nil, func(int) { time.Sleep(time.Microsecond) }),
		each("timers: wait for After", nil, func(int) { <-time.After(time.Microsecond) }),
		each("timers: context.WithTimeout", nil, func(int) {
			_, cancel := context.WithTimeout(context.Background(), time.Hour)
			cancel()
		}),
		each("timers: context.WithCancel", nil, func(int) { _, cancel := context.WithCancel(context.Background()); cancel() }),
	}
}

var chans [7]chan int

// goRows are goroutines and what runs like them.
func goRows() []row {
	return []row{
		each("goroutines: go and wait", nil, func(int) { go func() { done <- 1 }(); <-done }),
		each("goroutines: 1000 and wait", nil, func(int) {
			for range 1000 {
				go func() { done <- 1 }()
			}
			for range 1000 {
				<-done
			}
		}),
		each("goroutines: Gosched alone", nil, func(int) { runtime.Gosched() }),
		each("goroutines: Gosched with another", func() {
			go func() {
				for {
					runtime.Gosched()
				}
			}()
		}, func(int) { runtime.Gosched() }),
		each("goroutines: Goexit", nil, func(int) {
			go func() { defer func() { done <- 1 }(); runtime.Goexit() }()
			<-done
		}),
		each("goroutines: iter.Pull, one value", func() {
			next, _ := iter.Pull(func(yield func(int) bool) {
				for i := 0; yield(i); i++ {
				}
			})
			pull = next
		}, func(int) { v, _ := pull(); num += v }),
		each("goroutines: iter.Pull, made and stopped", nil, func(int) {
			next, stop := iter.Pull(func(yield func(int) bool) { yield(1) })
			v, _ := next()
			num += v
			stop()
		}),
		each("goroutines: unique.Make", nil, func(i int) { thing = unique.Make(i & 255) }),
		each("goroutines: text of a panic", nil, func(int) {
			func() {
				defer func() { str = fmt.Sprint(recover()) }()
				var p *object
				num += p._len()
			}()
		}),
	}
}

var pull func() (int, bool)

//go:noinline
func (o *object) _len() int {
	if o.next == nil {
		return 0
	}
	return 1
}
