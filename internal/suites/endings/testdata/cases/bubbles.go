package main

import (
	"context"
	"os"
	"runtime"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// Bubbles of testing/synctest. The package wants a test around it.

func bubble(f func()) {
	inTest(func(t *testing.T) { synctest.Test(t, func(*testing.T) { f() }) })
}

func inTest(f func(t *testing.T)) {
	os.Args = os.Args[:1]
	testing.Main(func(pat, str string) (bool, error) { return true, nil }, []testing.InternalTest{{Name: "Case", F: f}}, nil, nil)
}

func caseBubbleEnds()     { bubble(func() { time.Sleep(time.Hour); println("an hour later") }) }
func caseBubblePanics()   { bubble(func() { panic("in a bubble") }) }
func caseBubbleGoPanics() { bubble(func() { go panic("in a goroutine of a bubble"); synctest.Wait() }) }
func caseBubbleTimerPanics() {
	bubble(func() {
		time.AfterFunc(time.Second, func() { panic("in a timer of a bubble") })
		time.Sleep(time.Hour)
	})
}
func caseBubbleGoexit()         { bubble(func() { runtime.Goexit() }) }
func caseBubbleDeadlock()       { bubble(func() { <-make(chan int) }) }
func caseBubbleDeadlockSelect() { bubble(func() { select {} }) }
func caseBubbleDeadlockTwo() {
	bubble(func() {
		c, d := make(chan int), make(chan int)
		go func() {
			select {
			case <-c:
			case d <- 1:
			}
		}()
		synctest.Wait()
		c <- 1
		c <- 2
	})
}
func caseBubbleDeadlockGroup() {
	bubble(func() {
		var w sync.WaitGroup
		w.Add(1)
		w.Wait()
	})
}
func caseBubbleDeadlockCond() {
	bubble(func() {
		c := sync.NewCond(new(sync.Mutex))
		c.L.Lock()
		c.Wait()
	})
}
func caseBubbleDeadlockNil() {
	bubble(func() {
		go func() { <-nilc }()
		go func() { nilc <- 1 }()
		synctest.Wait()
		select {}
	})
}
func caseBubbleLeft() {
	bubble(func() {
		go worker(make(chan int))
		synctest.Wait()
	})
}
func caseBubbleMutex() {
	var m sync.Mutex
	m.Lock()
	bubble(func() { m.Lock() })
}
func caseBubbleOutsideReceive() {
	bubble(func() { <-outside })
}

var outside = make(chan int)

func caseBubbleStates() {
	bubble(func() {
		go worker(make(chan int))
		synctest.Wait()
		go sender(make(chan int))
		synctest.Wait()
		go func() { select {} }()
		synctest.Wait()
		go func() { <-nilc }()
		synctest.Wait()
		go func() { time.Sleep(time.Hour) }()
		synctest.Wait()
		go func() {
			var w sync.WaitGroup
			w.Add(1)
			w.Wait()
		}()
		synctest.Wait()
		go func() { <-outside }()
		settle()
		stacks()
		os.Exit(2)
	})
}
func caseBubbleWaitOutside() { synctest.Wait() }
func caseBubbleNested() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { synctest.Test(t, func(*testing.T) {}) })
	})
}
func caseBubbleRun() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { t.Run("sub", func(*testing.T) {}) })
	})
}
func caseBubbleParallel() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { t.Parallel() })
	})
}
func caseBubbleDeadlineOf() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { t.Deadline() })
	})
}
func caseBubbleFatal() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { t.Fatal("fatal in a bubble") })
	})
}
func caseBubbleWaitTwice() {
	bubble(func() {
		go synctest.Wait()
		synctest.Wait()
	})
}
func caseBubbleChanOutside() {
	leaked := make(chan chan int, 1)
	release := make(chan int)
	go func() {
		c := <-leaked
		c <- 1
	}()
	bubble(func() {
		leaked <- make(chan int, 1)
		<-release
	})
}
func caseBubbleChanOutsideReceive() {
	leaked := make(chan chan int, 1)
	release := make(chan int)
	go func() {
		<-<-leaked
	}()
	bubble(func() {
		leaked <- make(chan int, 1)
		<-release
	})
}
func caseBubbleChanOutsideClose() {
	leaked := make(chan chan int, 1)
	release := make(chan int)
	go func() {
		close(<-leaked)
	}()
	bubble(func() {
		leaked <- make(chan int, 1)
		<-release
	})
}
func caseBubbleChanOutsideSelect() {
	leaked := make(chan chan int, 1)
	release := make(chan int)
	go func() {
		select {
		case <-<-leaked:
		case <-nilc:
		}
	}()
	bubble(func() {
		leaked <- make(chan int, 1)
		<-release
	})
}
func caseBubbleTimerStopOutside() {
	leaked := make(chan *time.Timer, 1)
	release := make(chan int)
	go func() { (<-leaked).Stop() }()
	bubble(func() {
		leaked <- time.NewTimer(time.Hour)
		<-release
	})
}
func caseBubbleTimerResetOutside() {
	leaked := make(chan *time.Timer, 1)
	release := make(chan int)
	go func() { (<-leaked).Reset(1) }()
	bubble(func() {
		leaked <- time.NewTimer(time.Hour)
		<-release
	})
}
func caseBubbleTimerOutside() {
	t := time.NewTimer(time.Hour)
	bubble(func() { t.Reset(1) })
}
func caseBubbleGroupOutside() {
	bubbleGroup := func(w *sync.WaitGroup, leaked chan int) func() {
		return func() {
			w.Add(1)
			leaked <- 1
			<-outside
		}
	}
	w := new(sync.WaitGroup)
	leaked := make(chan int, 1)
	go func() {
		<-leaked
		w.Add(1)
	}()
	bubble(bubbleGroup(w, leaked))
}
func caseBubbleGroupMixed() {
	w := new(sync.WaitGroup)
	w.Add(1)
	bubble(func() { w.Add(1) })
}
func caseBubbleCondOutside() {
	c := sync.NewCond(new(sync.Mutex))
	leaked := make(chan int)
	go func() {
		<-leaked
		settle()
		c.L.Lock()
		c.Signal()
	}()
	bubble(func() {
		go func() {
			c.L.Lock()
			c.Wait()
		}()
		settle()
		leaked <- 1
		<-outside
	})
}
func caseBubbleContext() {
	bubble(func() {
		ctx, cancel := context.WithTimeout(context.Background(), time.Second)
		defer cancel()
		<-ctx.Done()
		panic(ctx.Err())
	})
}
func caseBubbleCleanup() {
	inTest(func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			t.Cleanup(func() { panic("in a cleanup") })
		})
	})
}
func caseBubbleLeftAll() {
	bubble(func() {
		go worker(make(chan int))
		go func() { select {} }()
		go func() {
			go sender(make(chan int))
			synctest.Wait()
			<-make(chan int)
		}()
	})
}

//endings:env GOTRACEBACK=all
func caseBubblePanicsAll() {
	go worker(nilc)
	settle()
	bubble(func() {
		go worker(make(chan int))
		synctest.Wait()
		panic("in a bubble")
	})
}
func caseBubbleGroupState() {
	var w sync.WaitGroup
	w.Add(1)
	bubble(func() {
		go w.Wait()
		settle()
		stacks()
		os.Exit(3)
	})
}
