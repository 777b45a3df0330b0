// Guests that grow one thing until a limit ends them, and others that make the
// host work. The first argument names one.
package main

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"runtime/pprof"
	"strconv"
	"strings"
	"sync"
	"time"
	"unique"
	"weak"
)

var guests = map[string]func(n int){
	"empty": func(int) {},

	// Memory, each for ever.
	"small objects": func(int) { list(1 << 62) },
	"large objects": func(int) {
		for {
			b := make([]byte, 300<<10)
			touch(b)
			keep = append(keep, b)
		}
	},
	"one large object": func(int) {
		for n := 1 << 10; ; n += n / 8 {
			touch(make([]byte, n))
		}
	},
	"pointers": func(int) {
		for {
			p := make([]*int, 1<<12)
			for i := range p {
				p[i] = new(int)
			}
			keep = append(keep, p)
		}
	},
	"append": func(int) {
		var s []int
		for {
			s = append(s, len(s))
		}
	},
	"string": func(int) {
		s := "x"
		for {
			s += s + "y"
		}
	},
	"builder": func(int) {
		var b strings.Builder
		for {
			b.WriteString("some text that is not short")
		}
	},
	"map": func(int) {
		m := map[int]int{}
		for i := 0; ; i++ {
			m[i] = i
		}
	},
	"maps": func(int) {
		for {
			keep = append(keep, map[int]int{1: 2})
		}
	},
	"channels": func(int) {
		for {
			keep = append(keep, make(chan int, 10))
		}
	},
	"channel buffer": func(int) {
		for n := 1; ; n *= 2 {
			c := make(chan [64]byte, n)
			for range n {
				c <- [64]byte{1}
			}
		}
	},
	"goroutines": func(int) {
		c := make(chan int)
		for {
			go func() { <-c }()
			runtime.Gosched()
		}
	},
	"goroutines with locals": func(int) {
		for {
			go func() {
				var x [500]byte
				block(&x)
			}()
			runtime.Gosched()
		}
	},
	"goroutines with stacks": func(int) {
		c := make(chan int)
		for {
			go func() { down(100, func() { <-c }) }()
			runtime.Gosched()
		}
	},
	"goroutines come and go": func(int) {
		// Half of them end, so that every region of stacks is in use; then the heap grows.
		c := make(chan int)
		for range 1200 {
			go func() { <-c }()
			go func() { runtime.Gosched() }()
			runtime.Gosched()
			runtime.Gosched()
		}
		list(1 << 62)
	},
	"deep goroutines end": func(int) {
		// Their stacks are free memory then, which the heap needs.
		c := make(chan int)
		for range 4 {
			for range 8 {
				go func() { down(5000, func() { <-c }) }()
			}
			runtime.Gosched()
			for range 8 {
				c <- 1
			}
			runtime.Gosched()
		}
		list(1 << 62)
	},
	"recursion":        func(int) { println(sum(1 << 62)) },
	"wide recursion":   func(int) { println(wide(1, 2, 3, 4)) },
	"locals recursion": func(int) { locals(nil, 1<<62) },
	"many values":      func(int) { println(registers(1)) },
	"closures":         func(int) { closures(func() int { return 1 }) },
	"defers": func(int) {
		for {
			defer func() { keep = nil }()
		}
	},
	"panics": func(int) { panics(0) },
	"timers": func(int) {
		for {
			time.AfterFunc(time.Hour, func() {})
		}
	},
	"tickers": func(int) {
		for {
			t := time.NewTicker(time.Hour)
			keep = append(keep, t)
		}
	},
	"sleepers": func(int) {
		for {
			go time.Sleep(time.Hour)
			runtime.Gosched()
		}
	},
	"selects": func(int) {
		cs := make([]chan int, 64)
		cases := make([]reflect.SelectCase, len(cs))
		for i := range cs {
			cs[i] = make(chan int)
			cases[i] = reflect.SelectCase{Dir: reflect.SelectRecv, Chan: reflect.ValueOf(cs[i])}
		}
		for {
			go reflect.Select(cases)
			runtime.Gosched()
		}
	},
	"mutex": func(int) {
		var m sync.Mutex
		m.Lock()
		for {
			go m.Lock()
			runtime.Gosched()
		}
	},
	"cond": func(int) {
		c := sync.NewCond(new(sync.Mutex))
		for {
			go func() { c.L.Lock(); c.Wait() }()
			runtime.Gosched()
		}
	},
	"contexts": func(int) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		for {
			ctx, cancel = context.WithCancel(ctx)
			ctx = context.WithValue(ctx, "k", ctx)
		}
	},
	"finalizers": func(int) {
		for {
			p := new([2]int)
			runtime.SetFinalizer(p, func(*[2]int) {})
			keep = append(keep, p)
		}
	},
	"finalizers that resurrect": func(int) {
		for {
			p := new([2]int)
			runtime.SetFinalizer(p, func(p *[2]int) { keep = append(keep, p) })
			if i++; i%1000 == 0 {
				runtime.GC()
			}
		}
	},
	"cleanups": func(int) {
		p := new([2]int)
		for {
			runtime.AddCleanup(p, func(int) {}, 1)
		}
	},
	"weak pointers": func(int) {
		for {
			p := new([2]int)
			keep = append(keep, weak.Make(p), p)
		}
	},
	"dead specials": func(int) {
		// All die in one collection, and nobody fetches them before the next.
		for {
			p := new([2]int)
			runtime.AddCleanup(p, func(int) {}, 1)
			weak.Make(p)
		}
	},
	"unique": func(int) {
		for i := 0; ; i++ {
			keep = append(keep, unique.Make(strconv.Itoa(i)))
		}
	},
	"types": func(int) {
		t := reflect.TypeOf(0)
		for n := 1; ; n++ {
			switch n % 5 {
			case 0:
				t = reflect.SliceOf(t)
			case 1:
				t = reflect.ArrayOf(n%7, t)
			case 2:
				t = reflect.FuncOf([]reflect.Type{t}, nil, false)
			case 3:
				t = reflect.StructOf([]reflect.StructField{{Name: "F" + strconv.Itoa(n), Type: t}})
			case 4:
				t = reflect.PointerTo(t)
			}
		}
	},
	"layouts": func(int) {
		for n := 1; ; n++ {
			var f []reflect.StructField
			for i := range 40 {
				t := reflect.TypeOf(0)
				if n>>(i%20)&1 != 0 {
					t = reflect.TypeOf(new(int))
				}
				f = append(f, reflect.StructField{Name: "F" + strconv.Itoa(i), Type: t})
			}
			reflect.New(reflect.StructOf(f))
		}
	},
	"long layouts": func(int) {
		for n := 1 << 10; ; n++ {
			t := reflect.StructOf([]reflect.StructField{
				{Name: "A", Type: reflect.ArrayOf(n, reflect.TypeOf(0))},
				{Name: "B", Type: reflect.TypeOf(new(int))},
			})
			reflect.New(t)
		}
	},
	"makefunc": func(int) {
		t := reflect.TypeOf(func(int) int { return 0 })
		for {
			keep = append(keep, reflect.MakeFunc(t, func(a []reflect.Value) []reflect.Value { return a }))
		}
	},
	"itabs": func(int) {
		for n := 0; ; n++ {
			t := reflect.StructOf([]reflect.StructField{{Name: "T", Type: reflect.TypeOf(time.Time{}), Anonymous: true}, {Name: "F" + strconv.Itoa(n), Type: reflect.TypeOf(0)}})
			if _, ok := reflect.New(t).Elem().Interface().(fmt.Stringer); ok {
				keep = append(keep, t)
			}
		}
	},
	"coroutines": func(int) {
		for {
			next, _ := iter.Pull(func(yield func(int) bool) { yield(1); yield(2) })
			next()
			keep = append(keep, next)
		}
	},
	"environment": func(int) {
		for i := 0; ; i++ {
			os.Setenv("NAME"+strconv.Itoa(i), "value")
		}
	},
	"stack traces": func(int) {
		for {
			down(200, func() { keep = append(keep, debug.Stack()) })
		}
	},
	"labels": func(int) {
		ctx := context.Background()
		for i := 0; ; i++ {
			ctx = pprof.WithLabels(ctx, pprof.Labels("k"+strconv.Itoa(i), "v"))
			pprof.SetGoroutineLabels(ctx)
		}
	},
	"errors": func(int) {
		err := errors.New("x")
		for {
			err = errors.Join(err, fmt.Errorf("and %w", err))
			keep = append(keep, err)
		}
	},
	"pool": func(int) {
		var p sync.Pool
		for {
			p.Put(new([100]byte))
		}
	},
	"output": func(int) {
		for {
			b := make([]byte, 1<<20)
			os.Stdout.Write(b)
			keep = append(keep, b[:1000:1000])
		}
	},
	"hints": func(int) {
		for i := 0; ; i++ {
			name := "/" + strings.Repeat("x", 1000) + strconv.Itoa(i)
			os.Open(name)
			os.Getenv(name)
			keep = append(keep, name)
		}
	},
	"descriptors": func(int) {
		for i := 0; ; i++ {
			f, err := os.Open("/d")
			if err == nil {
				f.ReadDir(1)
				keep = append(keep, f)
			} else {
				keep = append(keep, err)
			}
		}
	},
	"files": func(int) {
		for i := 0; ; i++ {
			name := "/d/" + strconv.Itoa(i%300)
			f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o666)
			if err == nil {
				f.Stat()
				if i%2 == 0 {
					f.Close()
				}
			}
			keep = append(keep, f)
		}
	},

	// What the collector needs for itself.
	"mark stack": func(int) {
		// Each node pushes its leaves and then the next node, which is followed first.
		type node struct {
			leaf [30]*int
			next *node
		}
		var head *node
		for {
			n := &node{next: head}
			for i := range n.leaf {
				n.leaf[i] = new(int)
			}
			head = n
			keep = append(keep[:0], head)
		}
	},
	"wide array": func(int) {
		var all []*[2]*int
		for {
			all = append(all, &[2]*int{new(int), new(int)})
		}
	},
	"pointers to locals": func(int) { pointersToLocals(nil, 1<<62) },

	// Stacks.
	"depth": func(n int) { fmt.Println(sum(n)) },
	"depths": func(n int) {
		defer func() { recover() }()
		depth(0)
	},
	"account": func(n int) {
		for range n {
			unwind()
		}
		depth(0)
	},
	"goroutine rounds": func(n int) {
		for range 10 {
			c := make(chan int)
			var wg sync.WaitGroup
			for range n {
				wg.Add(1)
				go func() { <-c; wg.Done() }()
			}
			runtime.Gosched()
			runtime.GC() // what waits for a collection is not what a cycle keeps
			os.Stdout.WriteString("blocked\n")
			for range n {
				c <- 1
			}
			wg.Wait()
		}
	},
	"live data": func(n int) {
		var all [][]byte
		for {
			b := make([]byte, 1<<20)
			touch(b)
			all = append(all, b)
		}
	},
}

var (
	keep []any
	i    int
)

func main() {
	n := 0
	if len(os.Args) > 2 {
		n, _ = strconv.Atoi(os.Args[2])
	}
	f := guests[os.Args[1]]
	if f == nil {
		panic("no guest " + os.Args[1])
	}
	f(n)
}

type cell struct {
	next *cell
	v    int
}

// list makes a list of n cells.
func list(n int) *cell {
	var head *cell
	for range n {
		head = &cell{next: head}
	}
	return head
}

// touch writes to every page.
func touch(b []byte) {
	for i := 0; i < len(b); i += 4096 {
		b[i] = 1
	}
}

func sum(n int) int {
	if n == 0 {
		return 0
	}
	return sum(n-1) + 1
}

func depth(n int) {
	if n%1000 == 0 {
		os.Stdout.WriteString(strconv.Itoa(n) + "\n")
	}
	depth(n + 1)
	i++
}

// unwind leaves frames in every way that there is.
func unwind() {
	func() {
		defer func() { recover() }()
		down(10, func() { panic("x") })
	}()
	func() {
		defer func() { recover() }()
		defer func() { panic("y") }()
		down(10, func() { var p *int; *p = 1 })
	}()
	done := make(chan int)
	go func() {
		defer close(done)
		down(10, runtime.Goexit)
	}()
	<-done
	made(1)
	reflect.ValueOf(sum).Call([]reflect.Value{reflect.ValueOf(10)})
	next, stop := iter.Pull(func(yield func(int) bool) {
		for yield(1) {
		}
	})
	next()
	stop()
	for range func(yield func() bool) { yield() } {
		break
	}
	locals10(new([4]int), 10)
}

var made = reflect.MakeFunc(reflect.TypeOf(sum), func(a []reflect.Value) []reflect.Value { return a }).Interface().(func(int) int)

func locals10(up *[4]int, n int) {
	x := *up
	if n > 0 {
		x[n&3]++
		locals10(&x, n-1)
	}
}

//go:noinline
func down(n int, f func()) {
	if n == 0 {
		f()
		return
	}
	down(n-1, f)
	i++
}

//go:noinline
func block(p *[500]byte) {
	p[0] = 1
	select {}
}

//go:noinline
func wide(a, b, c, d int) int { return wide(b, c, d, a+1) + wide(a, b, c, d+1) + a*b*c*d }

// locals has a variable on the stack that is addressed.
func locals(up *[4]int, n int) int {
	var x [4]int
	if up != nil {
		x = *up
	}
	x[n&3]++
	return locals(&x, n-1) + x[0]
}

// registers has more values at once than anybody counts.
func registers(n int) int {
	a, b, c, d, e, f, g, h := n+1, n+2, n+3, n+4, n+5, n+6, n+7, n+8
	i, j, k, l, m, o, p, q := n*3, n*5, n*7, n*9, n*11, n*13, n*15, n*17
	r, s, t, u, v, w, x, y := n^1, n^2, n^3, n^4, n^5, n^6, n^7, n^8
	z := registers(n + 1)
	return a ^ b*c ^ d*e ^ f*g ^ h*i ^ j*k ^ l*m ^ o*p ^ q*r ^ s*t ^ u*v ^ w*x ^ y*z
}

func closures(f func() int) { closures(func() int { return f() + 1 }) }

func panics(n int) {
	defer func() { panics(n + 1) }()
	panic(n)
}

// pointersToLocals has pointers to all words of a local of each frame.
func pointersToLocals(up []*int, n int) int {
	var x [32]int
	ps := make([]*int, len(x))
	for i := range x {
		ps[i] = &x[i]
	}
	x[n&31] = len(up)
	return pointersToLocals(ps, n-1) + x[1] + *ps[2]
}
