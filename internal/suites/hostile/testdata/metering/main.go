// Guests that look for work that costs them little gas and their host much
// time: the runtime's loops, deep comparisons, bulk work, walks of stacks.
package main

import (
	"crypto/rand"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"equality of a dag": func() {
		var x, y any = 0, 0
		for range 60 {
			x, y = [2]any{x, x}, [2]any{y, y}
		}
		println(x == y)
	},
	"equality of a dag of structs": func() {
		var x, y any = 0, 0
		for range 60 {
			x, y = pair{x, x}, pair{y, y}
		}
		println(x == y)
	},
	"equality of a dag in a map": func() {
		m := map[any]int{}
		var x, y any = 0.5, 0.5
		for range 60 {
			x, y = pair{x, x}, pair{y, y}
		}
		m[1] = 2
		println(m[x], m[y])
	},
	"hash of a dag": func() {
		var x any = "leaf"
		for range 60 {
			x = [2]any{x, x}
		}
		m := map[any]int{}
		m[x]++
		println(len(m))
	},
	"cleanups of one object": func() {
		p := new([4]int)
		for {
			var list []runtime.Cleanup
			for i := range 20_000 {
				list = append(list, runtime.AddCleanup(p, func(int) {}, i))
			}
			for _, c := range list {
				c.Stop()
			}
		}
	},
	"defers below defers": func() {
		for {
			for i := range func(yield func(int) bool) { deferring(10_000, yield) } {
				defer func() { _ = i }()
			}
		}
	},
	"condition in the wrong order": func() {
		const n = 5000
		for {
			var arrive [n]chan int
			l := new(slowLocker)
			c := sync.NewCond(l)
			for i := range n {
				arrive[i] = make(chan int)
				go func() { l.arrive = arrive[i]; c.Wait() }()
				runtime.Gosched()
			}
			for i := n - 1; i >= 0; i-- {
				arrive[i] <- 1
				runtime.Gosched()
			}
			for range n {
				c.Signal()
			}
		}
	},
	"range over an emptied map": func() {
		m := map[int]int{}
		for i := range 100_000 {
			m[i] = i
		}
		for i := range 100_000 - 1 {
			delete(m, i)
		}
		for {
			for range m {
				sink++
			}
		}
	},
	"clear an emptied map": func() {
		m := map[int]int{}
		for i := range 100_000 {
			m[i] = i
		}
		for {
			clear(m)
			m[1] = 2
		}
	},
	"big keys in an interface": func() {
		s := strings.Repeat("x", 1<<20)
		m := map[any]int{}
		for {
			m[s]++
		}
	},
	"big strings in interfaces": func() {
		var x, y any = strings.Repeat("x", 1<<20), strings.Repeat("x", 1<<20)
		for x == y {
		}
	},
	"big arrays in interfaces": func() {
		var x, y any = [1 << 18]int{}, [1 << 18]int{}
		for x == y {
		}
	},
	"big elements of a channel": func() {
		c := make(chan [65535]byte, 1)
		for {
			c <- [65535]byte{}
			<-c
		}
	},
	"callers of a deep stack": func() { deep(50_000, func() { runtime.Callers(1<<30, pcs[:]) }) },
	"caller of a deep stack":  func() { deep(50_000, func() { runtime.Caller(49_000) }) },
	"print a deep stack":      func() { deep(50_000, func() { debug.Stack() }) },
	"recover on a deep stack": func() {
		deep(50_000, func() {
			defer func() { recover() }()
			panic(1)
		})
	},
	"stacks of all goroutines": func() {
		block(3000)
		var b [10]byte
		for {
			runtime.Stack(b[:], true)
		}
	},
	"profile of all goroutines": func() {
		block(3000)
		for {
			runtime.GoroutineProfile(nil)
			runtime.NumGoroutine()
		}
	},
	"memory statistics": func() {
		var keep [][]byte
		for range 10_000 {
			keep = append(keep, make([]byte, 1000))
		}
		var ms runtime.MemStats
		for len(keep) > 0 {
			runtime.ReadMemStats(&ms)
		}
	},
	"big writes": func() {
		b := make([]byte, 1<<20)
		for {
			os.Stdout.Write(b)
		}
	},
	"big reads": func() {
		b := make([]byte, 1<<20)
		for {
			os.Stdin.Read(b)
		}
	},
	"big random reads": func() {
		b := make([]byte, 1<<20)
		for {
			rand.Read(b)
		}
	},
	"thrash the collector": func() {
		// Live objects up to just below the limit, then garbage.
		var ms runtime.MemStats
		var head *node
		for {
			for range 50 {
				head = &node{next: head}
			}
			runtime.ReadMemStats(&ms)
			if ms.HeapInuse+400_000 > 30<<20 {
				break
			}
		}
		for {
			garbage = make([]byte, 200)
		}
	},
	"deep stack and garbage": func() {
		deep(100_000, func() { garbage = make([]byte, 1000) })
	},
	"many goroutines and garbage": func() {
		block(3000)
		for {
			garbage = make([]byte, 1000)
		}
	},
	"close a channel of many": func() {
		for {
			c := make(chan int)
			for range 2000 {
				go func() { <-c }()
			}
			runtime.Gosched()
			close(c)
			runtime.Gosched()
		}
	},
	"select over many": func() {
		var cases []reflect.SelectCase
		for range 10_000 {
			cases = append(cases, reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(make(chan int))})
		}
		cases = append(cases, reflect.SelectCase{Dir: reflect.SelectDefault})
		for {
			reflect.Select(cases)
		}
	},
	"tickers of one channel reader": func() {
		for range 5000 {
			t := time.NewTicker(1)
			go func() {
				for range t.C {
					sink++
				}
			}()
		}
		select {}
	},
	"semaphores": func() {
		var mus [3000]sync.Mutex
		for i := range mus {
			mus[i].Lock()
			go func() { mus[i].Lock() }()
		}
		runtime.Gosched()
		for {
			for i := range mus {
				mus[i].Unlock()
				runtime.Gosched()
				go func() { mus[i].Lock() }()
				runtime.Gosched()
			}
		}
	},
	"long texts of panics": func() {
		s := strings.Repeat("x\n", 1<<19)
		for {
			func() {
				defer func() { recover() }()
				panic(s)
			}()
		}
	},
	"convert text": func() {
		s := strings.Repeat("é", 1<<18)
		for {
			r := []rune(s)
			s = string(r)
		}
	},
	"assert to interfaces": func() {
		var x any = sinks(0)
		for {
			if _, ok := x.(interface{ Missing() }); ok {
				return
			}
			if _, ok := x.(interface{ Write([]byte) (int, error) }); !ok {
				return
			}
		}
	},
	"list a big directory": func() {
		for i := range 4000 {
			os.WriteFile("/tmp/"+strconv.Itoa(i), nil, 0o666)
		}
		for {
			d, _ := os.Open("/tmp")
			d.Readdirnames(1)
			d.Close()
		}
	},
	"modes behind long links": func() {
		os.Mkdir("/tmp/a", 0o777)
		f, _ := os.Create("/tmp/f")
		to := "f"
		for i := range 38 {
			name := "l" + strconv.Itoa(i)
			os.Symlink(strings.Repeat("a/../", 800)+to, "/tmp/"+name)
			to = name
		}
		for mode := os.FileMode(0); ; mode++ {
			os.Chmod("/tmp/"+to, mode)
			os.Chmod("/tmp/"+to+"/x", mode)
			f.Chmod(mode)
		}
	},
	"links of long links": func() {
		os.Mkdir("/tmp/a", 0o777)
		to := "a"
		for i := range 38 {
			name := "l" + strconv.Itoa(i)
			os.Symlink(strings.Repeat("a/../", 800)+to, "/tmp/"+name)
			to = name
		}
		for {
			os.Stat("/tmp/" + to)
		}
	},
	"cut a big file": func() {
		f, _ := os.Create("/tmp/big")
		for range 40 {
			f.Write(make([]byte, 1<<20))
		}
		for {
			f.Truncate(1 << 39)
			f.Truncate(1 << 38)
		}
	},
	"move below a deep directory": func() {
		os.Mkdir("/tmp/d", 0o777)
		r, _ := os.OpenRoot("/tmp/d")
		for range 1000 {
			r.Mkdir("d", 0o777)
			below, _ := r.OpenRoot("d")
			r.Close()
			r = below
		}
		r.Mkdir("x", 0o777)
		for {
			r.Rename("x", "y")
			r.Rename("y", "x")
		}
	},
}

var (
	sink    int
	garbage []byte
	pcs     [10]uintptr
)

type pair struct{ a, b any }

type node struct {
	next *node
	pad  [6]int
}

type sinks int

func (sinks) Write(b []byte) (int, error) { return len(b), nil }

type slowLocker struct{ arrive chan int }

func (*slowLocker) Lock()     {}
func (l *slowLocker) Unlock() { <-l.arrive }

func deferring(n int, yield func(int) bool) {
	defer func() {}()
	if n > 0 {
		deferring(n-1, yield)
		return
	}
	for i := range 10_000 {
		if !yield(i) {
			return
		}
	}
}

// deep calls f for ever at a depth.
func deep(n int, f func()) {
	if n > 0 {
		deep(n-1, f)
		pcs[1]++
		return
	}
	for {
		f()
	}
}

// block starts n goroutines that wait for ever.
func block(n int) {
	c := make(chan int)
	for range n {
		go func() { <-c }()
	}
	runtime.Gosched()
}
