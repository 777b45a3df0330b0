package main

import (
	"context"
	"os"
	"reflect"
	"runtime"
	"sync"
	"sync/atomic"
	"time"
)

// Misuse of channels, locks and timers, and states of goroutines.

func caseCloseTwice() { c := make(chan int); close(c); close(c) }
func caseCloseNil()   { close(nilc) }
func caseSendClosed() { c := make(chan int, 1); close(c); c <- 1 }
func caseSendClosedWaiting() {
	c := make(chan int)
	go func() { c <- 1 }()
	settle()
	close(c)
	settle()
	println("main goes on")
}
func caseSelectSendClosed() {
	c := make(chan int)
	close(c)
	select {
	case c <- 1:
	default:
	}
}
func caseSelectSendClosed2() {
	c, d := make(chan int), make(chan int)
	close(c)
	select {
	case c <- 1:
	case <-d:
	}
}
func caseSelectSendClosedWaiting() {
	c, d := make(chan int), make(chan int)
	go func() {
		select {
		case c <- 1:
			println("sent")
		case <-d:
		}
	}()
	settle()
	close(c)
	settle()
}

func caseSelectSendClosedLines() {
	c := make(chan int)
	close(c)
	select {
	default:
		println("never")
	case c <- nums[one]:
	}
}

func caseSleepReceive()    { <-make(chan int) }
func caseSleepSend()       { make(chan int) <- 1 }
func caseSleepNilReceive() { <-nilc }
func caseSleepNilSend()    { nilc <- 1 }
func caseSleepSelect()     { select {} }
func caseSleepSelectOne() {
	c := make(chan int)
	select {
	case <-c:
		println("received")
	}
}
func caseSleepSelectOneSend() {
	c := make(chan int)
	select {
	case c <- one:
		println("sent")
	}
}
func caseSleepSelectOneValue() {
	c := make(chan int)
	select {
	case v, ok := <-c:
		println(v, ok)
	}
}
func caseSleepSelectTwo() {
	c, d := make(chan int), make(chan int)
	select {
	case <-c:
		println("c")
	case d <- 1:
		println("d")
	}
}
func caseSleepSelectNil() {
	select {
	case <-nilc:
	case nilc <- 1:
	}
}
func caseSleepSelectNilOne() {
	select {
	case <-nilc:
	}
}
func caseSleepRange() {
	for v := range make(chan int) {
		println(v)
	}
}
func caseSleepMutex()     { var m sync.Mutex; m.Lock(); m.Lock() }
func caseSleepRLock()     { var m sync.RWMutex; m.Lock(); m.RLock() }
func caseSleepRWLock()    { var m sync.RWMutex; m.RLock(); m.Lock() }
func caseSleepRWTwice()   { var m sync.RWMutex; m.Lock(); m.Lock() }
func caseSleepWaitGroup() { var w sync.WaitGroup; w.Add(1); w.Wait() }
func caseSleepCond()      { c := sync.NewCond(&sync.Mutex{}); c.L.Lock(); c.Wait() }
func caseSleepOnce() {
	var o sync.Once
	o.Do(func() { o.Do(func() {}) })
}
func caseSleepOnceValue() {
	var f func() int
	f = sync.OnceValue(func() int { return f() })
	f()
}
func caseSleepReflect()     { reflect.ValueOf(make(chan int)).Recv() }
func caseSleepReflectSend() { reflect.ValueOf(make(chan int)).Send(reflect.ValueOf(1)) }
func caseSleepReflectSelect() {
	reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(make(chan int))}, {Dir: reflect.SelectRecv, Chan: reflect.ValueOf(make(chan int))}})
}
func caseSleepReflectSelectNone() { reflect.Select(nil) }
func caseSleepTimerStopped() {
	t := time.NewTimer(time.Hour)
	t.Stop()
	<-t.C
}
func caseSleepContext() {
	ctx, cancel := context.WithCancel(context.Background())
	_ = cancel
	<-ctx.Done()
}
func caseSleepBackground() { <-context.Background().Done() }
func caseSleepMap()        { var m sync.Map; m.Store(1, 2); <-make(chan int) }

func worker(c chan int)         { <-c }
func sender(c chan<- int)       { c <- 1 }
func locker(m *sync.Mutex)      { m.Lock() }
func (p *pair) work(c chan int) { <-c }

func caseSleepMany() {
	var m sync.Mutex
	var r sync.RWMutex
	var w sync.WaitGroup
	m.Lock()
	r.Lock()
	w.Add(1)
	c := make(chan int)
	go worker(c)
	settle()
	go sender(make(chan int))
	settle()
	go locker(&m)
	settle()
	go r.RLock()
	settle()
	go r.Lock()
	settle()
	go w.Wait()
	settle()
	go func() { select {} }()
	settle()
	go func() { <-nilc }()
	settle()
	go func() { nilc <- 1 }()
	settle()
	go new(pair).work(c)
	settle()
	go func() {
		select {
		case <-c:
		case nilc <- 1:
		}
	}()
	settle()
	go func() {
		cond := sync.NewCond(&m)
		cond.L = &sync.Mutex{}
		cond.L.Lock()
		cond.Wait()
	}()
	settle()
	<-make(chan int)
}

// Goroutines that have not run yet, and those that can run.
//
//endings:env GOTRACEBACK=all
func caseStatesFresh() {
	c := make(chan int)
	go worker(c)
	go func() { println("not yet") }()
	go new(pair).work(c)
	panic("now")
}

//endings:env GOTRACEBACK=all
func caseStatesAll() {
	c := make(chan int)
	go worker(c)
	settle()
	go func() { time.Sleep(time.Hour) }()
	settle()
	go func() { <-time.After(time.Hour) }()
	settle()
	panic("now")
}

//endings:env GOTRACEBACK=all
func caseStatesFatal() {
	go worker(make(chan int))
	settle()
	var m sync.Mutex
	m.Unlock()
}

//endings:env GOTRACEBACK=single
func caseStatesFatalSingle() {
	go worker(make(chan int))
	settle()
	var m sync.Mutex
	m.Unlock()
}

func caseStatesFatalDefault() {
	go worker(make(chan int))
	settle()
	var m sync.Mutex
	m.Unlock()
}

func caseStatesPanicDefault() {
	go worker(make(chan int))
	settle()
	panic("alone")
}

//endings:env GOTRACEBACK=none
func caseStatesNone() { panic("no trace") }

//endings:env GOTRACEBACK=none
func caseStatesNoneFatal() { var m sync.Mutex; m.Unlock() }

//endings:env GOTRACEBACK=none
func caseStatesNoneDeadlock() { select {} }

//endings:env GOTRACEBACK=none
func caseStatesNoneNil() { println(nilp.a) }

//endings:env GOTRACEBACK=none
func caseStatesNoneThrow() { runtime.SetFinalizer(1, nil) }

//endings:env GOTRACEBACK=0
func caseStatesZero() { panic("no trace") }

//endings:env GOTRACEBACK=1
func caseStatesNumber() {
	go worker(make(chan int))
	settle()
	panic("all")
}

//endings:env GOTRACEBACK=single
func caseStatesDeadlockSingle() {
	go worker(make(chan int))
	settle()
	select {}
}

func caseStatesOther() {
	go worker(make(chan int))
	settle()
	done := make(chan bool)
	go func() {
		defer close(done)
		panic("in a goroutine")
	}()
	<-done
}

//endings:env GOTRACEBACK=all
func caseStatesOtherAll() {
	go worker(make(chan int))
	settle()
	go func() { panic("in a goroutine") }()
	settle()
}

func caseStatesStack() {
	go worker(make(chan int))
	settle()
	func() { stacks() }()
	os.Exit(3)
}

func caseStatesNested() {
	done := make(chan bool)
	go func() {
		go func() { worker(nilc) }()
		settle()
		close(done)
		select {}
	}()
	<-done
	select {}
}

func caseStatesParentGone() {
	go func() { go worker(nilc) }()
	settle()
	select {}
}

func caseUnlock()         { var m sync.Mutex; m.Unlock() }
func caseUnlockTwice()    { var m sync.Mutex; m.Lock(); m.Unlock(); m.Unlock() }
func caseUnlockDeferred() { var m sync.Mutex; defer m.Unlock(); println("body") }
func caseUnlockPanicking() {
	var m sync.Mutex
	defer m.Unlock()
	panic("before")
}
func caseUnlockPanickingTwice() {
	var m sync.Mutex
	defer m.Unlock()
	defer panic("second")
	panic("first")
}
func caseUnlockPanickingError() {
	var m sync.Mutex
	defer m.Unlock()
	panic(plain{"an error"})
}
func caseUnlockPanickingStringer() {
	var m sync.Mutex
	defer m.Unlock()
	panic(spoken(1))
}
func caseUnlockRecovered() {
	var m sync.Mutex
	defer func() {
		recover()
		m.Unlock()
	}()
	panic("before")
}
func caseUnlockRepanicked() {
	defer func() {
		r := recover()
		defer func() {
			var m sync.Mutex
			m.Unlock()
		}()
		panic(r)
	}()
	panic("same")
}
func caseUnlockGoexit() {
	var m sync.Mutex
	defer m.Unlock()
	runtime.Goexit()
}
func caseUnlockNotRecovered() {
	defer func() { println(recover()) }()
	caseUnlock()
}
func caseRUnlock()              { var m sync.RWMutex; m.RUnlock() }
func caseRWUnlock()             { var m sync.RWMutex; m.Unlock() }
func caseRUnlockLocked()        { var m sync.RWMutex; m.Lock(); m.RUnlock() }
func caseRWUnlockRead()         { var m sync.RWMutex; m.RLock(); m.Unlock() }
func caseWaitGroupNegative()    { var w sync.WaitGroup; w.Done() }
func caseWaitGroupNegativeAdd() { var w sync.WaitGroup; w.Add(3); w.Add(-4) }
func caseWaitGroupGo() {
	var w sync.WaitGroup
	w.Go(func() { panic("in WaitGroup.Go") })
	w.Wait()
}
func caseWaitGroupGoexit() {
	var w sync.WaitGroup
	w.Go(func() { runtime.Goexit() })
	w.Wait()
	panic("after")
}
func caseOncePanics() {
	var o sync.Once
	caught("once", func() { o.Do(func() { panic("first") }) })
	o.Do(func() { println("never") })
	panic("after")
}
func caseOnceFunc() {
	f := sync.OnceFunc(func() { panic("in OnceFunc") })
	caught("first", f)
	f()
}
func caseOnceValuePanics() {
	f := sync.OnceValue(func() int { panic(plain{"in OnceValue"}) })
	caught("first", func() { f() })
	f()
}
func caseOnceGoexit() {
	f := sync.OnceFunc(runtime.Goexit)
	go f()
	settle()
	f()
}
func caseCondCopy() {
	c := sync.NewCond(&sync.Mutex{})
	c.Signal()
	d := *c
	d.Signal()
}
func caseAtomicValue()    { var v atomic.Value; v.Store(1); v.Store("x") }
func caseAtomicValueNil() { var v atomic.Value; v.Store(nil) }
func caseAtomicSwap()     { var v atomic.Value; v.Store(1); v.CompareAndSwap(1, "x") }
func caseAtomicUncomparable() {
	var v atomic.Value
	v.Store(nums)
	v.CompareAndSwap(nums, nums)
}
func casePoolPanics() { p := sync.Pool{New: func() any { panic("in New") }}; p.Get() }

func caseTimerNil()                { var t time.Timer; t.Stop() }
func caseTimerReset()              { var t time.Timer; t.Reset(1) }
func caseTicker()                  { time.NewTicker(0) }
func caseTickerReset()             { time.NewTicker(1).Reset(minusDuration()) }
func minusDuration() time.Duration { return time.Duration(minus) }
func caseTickerNil()               { var t time.Ticker; t.Reset(1) }
func caseTick()                    { println(time.Tick(0) == nil); <-time.Tick(0) }
func caseAfterFunc() {
	time.AfterFunc(time.Millisecond, func() { panic("in a timer") })
	select {}
}
func caseAfterFuncNil() {
	time.AfterFunc(time.Millisecond, nil)
	select {}
}
func caseAfterFuncGoexit() {
	time.AfterFunc(time.Millisecond, runtime.Goexit)
	time.Sleep(20 * time.Millisecond)
	panic("after")
}
func caseContextAfterFunc() {
	ctx, cancel := context.WithCancel(context.Background())
	context.AfterFunc(ctx, func() { panic("in AfterFunc") })
	cancel()
	select {}
}
func caseContextNil()    { context.WithCancel(nil) }
func caseContextKeyNil() { context.WithValue(context.Background(), nil, 1) }
func caseContextKey()    { context.WithValue(context.Background(), nums, 1) }
func caseExit()          { defer println("never"); os.Exit(9) }
func caseExitPanicking() { defer os.Exit(9); panic("never told") }
func caseExitGoroutine() {
	go os.Exit(4)
	select {}
}

func caseMapConcurrent() {
	m := map[int]int{}
	for i := range 100 {
		m[i] = i
	}
	for k := range m {
		for i := range 100 {
			delete(m, i)
			m[i+1000+k] = 1
		}
	}
	panic("a range may change its map")
}

type touchy struct{ m map[any]int }

func caseMapHashPanics() {
	m := map[any]int{}
	caught("hash", func() { m[func() {}] = 1 })
	m[1] = 1
	println(len(m))
	panic("end")
}
