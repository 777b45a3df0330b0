// Guests with package unsafe: whatever they do to their memory is their own affair.
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
	"unsafe"
	"weak"
)

func main() {
	name, seed, _ := strings.Cut(os.Args[1], " #")
	n, _ := strconv.Atoi(seed)
	random = uint64(n)*0x9e3779b97f4a7c15 + 1
	guests[name]()
}

const dataBase = 0x10000

var guests = map[string]func(){
	"random words":         func() { prepare(); scribble(dataBase, top(), 8, 2000, next); live() },
	"random bytes":         func() { prepare(); scribble(dataBase, top(), 1, 5000, next); live() },
	"random words in data": func() { prepare(); scribble(dataBase, uintptr(unsafe.Pointer(new(int))), 8, 500, next); live() },
	"small numbers":        func() { prepare(); scribble(dataBase, top(), 8, 5000, func() uint64 { return next() % 64 }); live() },
	"pointers for pointers": func() {
		prepare()
		exchange(func(p uintptr) uintptr { return dataBase + uintptr(next())%(top()-dataBase) })
		live()
	},
	"neighbours of pointers": func() { prepare(); exchange(func(p uintptr) uintptr { return p + 8 - uintptr(next()%3)*8 }); live() },
	"pointers in circles":    func() { prepare(); circles(); live() },
	"all of memory": func() {
		prepare()
		for p := uintptr(dataBase); ; p += 8 {
			*at[uint64](p) = next()
		}
	},
	"zeros everywhere": func() {
		prepare()
		for p := top() &^ 7; p >= dataBase; p -= 8 {
			*at[uint64](p) = 0
		}
		live()
	},
	"headers of objects": func() {
		var keep []*[8]int
		for range 1000 {
			p := new([8]int)
			*at[uint64](uintptr(unsafe.Pointer(p)) - 8) = next() >> (next() % 64)
			keep = append(keep, p)
		}
		runtime.GC()
		live()
		runtime.KeepAlive(keep)
	},
	"address 0":        func() { println(*at[int](8)) },
	"below memory":     func() { *at[int](0xfff8) = 1 },
	"end of memory":    func() { println(*at[int](1<<32 - 4)) },
	"beyond memory":    func() { *at[int](1<<40 + 1<<33) = 1 },
	"negative address": func() { p := uintptr(0); println(*at[int](p - 8)) },
	"all addresses": func() {
		for {
			*at[byte](uintptr(next())) = 1
		}
	},
	"forged function": func() {
		f := func(x int) int { return x + 1 }
		for i := range uint64(8) {
			forged := &[2]uint64{^uint64(0) << (8 * i)}
			f = *(*func(int) int)(unsafe.Pointer(&forged))
			f(1)
		}
	},
	"function of another type": func() {
		f := func(x int) int { return x + 1 }
		g := *(*func(string, float64) []int)(unsafe.Pointer(&f))
		fmt.Println(g("x", 1))
	},
	"number as function": func() {
		x := 0x1234567
		p := &x
		(*(*func())(unsafe.Pointer(&p)))()
	},
	"forged method": func() {
		var e error = errors.New("x")
		tab := *(*uintptr)(unsafe.Pointer(&e))
		*at[uint64](tab + 24) = next()
		fmt.Println(e.Error())
	},
	"forged itab": func() {
		var e error = errors.New("x")
		words := (*[2]uintptr)(unsafe.Pointer(&e))
		forged := [8]uintptr{words[0], uintptr(next()), 0, uintptr(next() % 4000)}
		words[0] = uintptr(unsafe.Pointer(&forged))
		fmt.Println(e)
	},
	"forged type": func() {
		for i := range 200 {
			t := *at[[24]uint64](*(*uintptr)(unsafe.Pointer(ptr(any(struct{ a, b any }{})))))
			t[next()%24] = next() >> (next() % 64)
			p := &t
			x := any(1)
			*(*unsafe.Pointer)(unsafe.Pointer(&x)) = unsafe.Pointer(p)
			func() {
				defer func() { recover() }()
				use(x, i)
			}()
		}
	},
	"forged descriptors": func() {
		// Those that the compiler made, in place.
		for _, x := range []any{1, "x", []int{}, map[string]int{}, struct{ a, b string }{}, new(int), errors.New, [3]any{}} {
			t := *(*uintptr)(unsafe.Pointer(&x))
			for i := range uintptr(8) {
				*at[uint64](t + 8*i) ^= 1 << (next() % 64)
				func() {
					defer func() { recover() }()
					use(x, int(i))
				}()
			}
		}
		runtime.GC()
		live()
	},
	"forged size for the collector": func() {
		t := *at[[24]uint64](*(*uintptr)(unsafe.Pointer(ptr(any(struct{ a, b any }{})))))
		for _, size := range []uint64{1 << 20, 1<<31 - 8, 1 << 32, 1 << 62, 1<<64 - 8, 7, 0} {
			t[0], t[1] = size, size
			p := &t
			x := any(1)
			*(*unsafe.Pointer)(unsafe.Pointer(&x)) = unsafe.Pointer(p)
			func() {
				defer func() { fmt.Println(recover() != nil) }()
				kept = append(kept, reflect.New(reflect.TypeOf(x)).Interface())
			}()
			runtime.GC()
		}
	},
	"forged slice, read": func() {
		s := forgedSlice(1<<62, 1<<62)
		sum := 0
		for _, b := range s {
			sum += int(b)
		}
		println(sum)
	},
	"forged slice, written": func() { clear(forgedSlice(1<<40, 1<<40)) },
	"forged slice, copied": func() {
		println(copy(forgedSlice(1<<33, 1<<33), make([]byte, 10)))
		copy(make([]byte, 1<<20), forgedSlice(1<<20, 1<<63-1))
	},
	"forged slice, grown": func() { kept = append(kept, append(forgedSlice(1<<62, 1<<62), 1, 2, 3)) },
	"negative slice": func() {
		kept = append(kept, append(forgedSlice(-1, -1), make([]byte, 100)...), string(forgedSlice(-5, 5)))
	},
	"forged slice to the host": func() {
		for _, n := range []int{1 << 20, 1 << 31, 1<<32 - 1, 1 << 32, 1 << 62, -1} {
			m, err := syscall.Write(1, forgedSlice(n, n))
			println(m, err != nil)
			m, err = syscall.Read(0, forgedSlice(n, n))
			println(m, err != nil)
		}
	},
	"forged string, printed": func() { println(forgedString(1 << 40)) },
	"forged string, compared": func() {
		println(forgedString(1<<33) == forgedString(1 << 33)[:1<<33], forgedString(1<<34) < forgedString(1<<35))
	},
	"forged string, joined": func() { println(len(forgedString(1<<31) + forgedString(1<<31) + forgedString(1<<62))) },
	"forged string, hashed": func() { m := map[string]int{}; m[forgedString(1<<33)]++; println(len(m)) },
	"forged string, opened": func() { _, err := os.Open(forgedString(1 << 31)); println(err != nil) },
	"negative string": func() {
		println(len([]byte(forgedString(-1))), len([]rune(forgedString(-7))))
		println(forgedString(-1))
	},
	"unsafe.Slice":  func() { n := 1 << 62; println(len(unsafe.Slice(new(int), n))) },
	"unsafe.String": func() { n := -1; println(len(unsafe.String(new(byte), n))) },
	"read-only text": func() {
		s := "constant"
		*unsafe.StringData(s) = 'C'
		println(s, "constant")
	},
	"channel": func() {
		for i := range 400 {
			c := make(chan int, 3)
			c <- 1
			words := at[[12]uint64](*(*uintptr)(unsafe.Pointer(&c)))
			words[next()%12] = next() >> (next() % 64)
			func() {
				defer func() { recover() }()
				println(len(c), cap(c), i)
				select {
				case c <- 2:
				default:
				}
				select {
				case <-c:
				default:
				}
				close(c)
			}()
		}
	},
	"channel with waiters": func() {
		c := make(chan int)
		for range 10 {
			go func() { <-c }()
		}
		runtime.Gosched()
		// The words after the header's first six are the queues of waiters: make them
		// lead in a circle.
		words := at[[12]uintptr](*(*uintptr)(unsafe.Pointer(&c)))
		for i := range words {
			if w := words[i]; w > dataBase && w < top() {
				for j := range uintptr(12) {
					if v := at[uintptr](w + 8*j); *v > dataBase && *v < top() {
						*v = w
					}
				}
			}
		}
		close(c)
		runtime.Gosched()
		live()
	},
	"timers": func() {
		var list []*time.Timer
		for i := range 100 {
			list = append(list, time.AfterFunc(time.Duration(i), func() {}))
		}
		for _, t := range list {
			words := at[[16]uint64](uintptr(unsafe.Pointer(t)))
			words[2+next()%10] = next() >> (next() % 64)
		}
		time.Sleep(1000)
		for _, t := range list {
			t.Stop()
			t.Reset(1)
		}
		time.Sleep(1000)
	},
	"timers that never leave the heap": func() {
		for range 10 {
			t := time.NewTicker(1)
			go func() {
				for range t.C {
				}
			}()
			runtime.Gosched()
			words := at[[16]int64](uintptr(unsafe.Pointer(t)))
			for i := range words[:8] {
				if words[2+i] > 0 && words[2+i] < 100 {
					words[2+i] = -5
				}
			}
		}
		time.Sleep(1 << 40)
	},
	"map": func() {
		for i := range 300 {
			m := map[int]string{}
			for j := range 100 {
				m[j] = "x"
			}
			words := at[[6]uint64](*(*uintptr)(unsafe.Pointer(&m)))
			words[next()%6] = next() >> (next() % 64)
			func() {
				defer func() { recover() }()
				for k := range m {
					if k == 5 {
						break
					}
				}
				m[1000] = "y"
				delete(m, 7)
				clear(m)
				println(len(m), i)
			}()
		}
	},
	"groups of a map": func() {
		m := map[uint64]uint64{}
		for j := range uint64(100) {
			m[j] = j
		}
		dir := *at[uintptr](*(*uintptr)(unsafe.Pointer(&m)) + 16)
		scribble(dir, dir+4096, 8, 100, func() uint64 { return next() >> (next() % 64) })
		sum := uint64(0)
		for k, v := range m {
			m[k+v] = v
			sum += m[k]
		}
		println(sum, len(m))
		live()
	},
	"mutex": func() {
		var mu sync.Mutex
		var wg sync.WaitGroup
		for range 5 {
			wg.Go(func() { mu.Lock(); mu.Lock() })
		}
		runtime.Gosched()
		*at[uint64](uintptr(unsafe.Pointer(&mu))) = next()
		*at[uint64](uintptr(unsafe.Pointer(&wg))) = next()
		wg.Wait()
		mu.Unlock()
		mu.Lock()
	},
	"around a local": func() {
		var x [4]int
		p := uintptr(unsafe.Pointer(&x))
		for off := uintptr(8); off < 60_000; off += 8 {
			*at[uint64](p + off) = next()
			*at[uint64](p - off) = next()
		}
		fmt.Println(x)
		runtime.GC()
		live()
	},
	"finalizers and weak pointers": func() {
		for range 200 {
			p := new([4]int)
			q := (*[4]int)(unsafe.Pointer(uintptr(unsafe.Pointer(p)) + uintptr(next()%64)))
			func() {
				defer func() { recover() }()
				kept = append(kept, weak.Make(q))
				runtime.AddCleanup(q, func(int) {}, 1)
			}()
			*at[uint64](uintptr(unsafe.Pointer(p)) - 8) = next() >> 20
		}
		runtime.GC()
		runtime.Gosched()
		live()
	},
	"goroutines": func() {
		c := make(chan int)
		for range 50 {
			go func() { <-c }()
		}
		runtime.Gosched()
		// Records of goroutines are in the heap, between what was made before and after.
		hi := top()
		for p := uintptr(unsafe.Pointer(&hi)) &^ 0xfffff; p < hi; p += 8 {
			if next()%7 == 0 && p > dataBase {
				*at[uint64](p) = next() >> (next() % 64)
			}
		}
		close(c)
		runtime.Gosched()
		live()
	},
	"reflect.NewAt": func() {
		v := reflect.NewAt(reflect.TypeFor[map[string][]any](), unsafe.Pointer(uintptr(0x123456))).Elem()
		fmt.Println(v)
	},
	"colliding keys": func() {
		m := map[[2]uint64]int{}
		seed := *at[uint64](*(*uintptr)(unsafe.Pointer(&m)) + 8)
		for i := uint64(1); ; i++ {
			// The second word of the key cancels the hash of the first.
			m[[2]uint64{i, foldWord(foldStart(seed, 16), i)}] = 1
		}
	},
}

var (
	random uint64
	kept   []any
)

func next() uint64 {
	random ^= random << 13
	random ^= random >> 7
	random ^= random << 17
	return random * 0x2545f4914f6cdd1d
}

func at[T any](p uintptr) *T { return (*T)(unsafe.Pointer(p)) }

func ptr[T any](x T) *T { return &x }

// top is an address near the end of the heap.
func top() uintptr {
	kept = append(kept, make([]byte, 100_000))
	b := kept[len(kept)-1].([]byte)
	return uintptr(unsafe.Pointer(&b[0])) + 90_000
}

// prepare makes some of everything.
func prepare() {
	c := make(chan int)
	for i := range 20 {
		go func() { c <- i }()
		time.AfterFunc(time.Duration(i), func() {})
		p := new([3]int)
		runtime.SetFinalizer(p, func(*[3]int) {})
		kept = append(kept, weak.Make(p))
	}
	runtime.Gosched()
	m := map[string]any{}
	for i := range 100 {
		m[strconv.Itoa(i)] = i
	}
	kept = append(kept, m, c, func() int { return len(m) })
}

// live does some of everything with what is left.
func live() {
	for i := range 20 {
		func() {
			defer func() { recover() }()
			switch i % 10 {
			case 0:
				runtime.GC()
			case 1:
				fmt.Sprint(kept...)
			case 2:
				runtime.Gosched()
			case 3:
				for _, x := range kept {
					if m, ok := x.(map[string]any); ok {
						for k := range m {
							m[k+"x"] = k
						}
					}
				}
			case 4:
				c := make(chan int, 1)
				go func() { c <- 1 }()
				<-c
			case 5:
				kept = append(kept, make([]*int, 1000), make([]byte, 40_000))
			case 6:
				ctx, cancel := context.WithTimeout(context.Background(), 1)
				defer cancel()
				<-ctx.Done()
			case 7:
				var p *int
				println(*p)
			case 8:
				sort.Slice(kept, func(i, j int) bool { return reflect.TypeOf(kept[i]).String() < reflect.TypeOf(kept[j]).String() })
			case 9:
				fmt.Fprintln(os.Stderr, runtime.NumGoroutine(), time.Now())
			}
		}()
	}
}

// scribble writes n times over memory.
func scribble(lo, hi, size uintptr, n int, value func() uint64) {
	for range n {
		p := lo + uintptr(next())%(hi-lo-8)
		if size == 8 {
			*at[uint64](p &^ 7) = value()
		} else {
			*at[byte](p) = byte(value())
		}
	}
}

// exchange replaces every fifth word that looks like a pointer.
func exchange(f func(uintptr) uintptr) {
	hi := top()
	for p := uintptr(dataBase); p < hi-8; p += 8 {
		if w := at[uintptr](p); *w > dataBase && *w < hi && next()%5 == 0 {
			*w = f(*w)
		}
	}
}

// circles lets pointers in the heap lead back to where they are.
func circles() {
	hi := top()
	for p := uintptr(unsafe.Pointer(new(int))) &^ 0xfffff; p < hi-8; p += 8 {
		if p < dataBase {
			continue
		}
		if w := at[uintptr](p); *w > dataBase && *w < hi && next()%3 == 0 {
			*w = p &^ 63
		}
	}
}

func forgedSlice(n, c int) (s []byte) {
	*(*[3]int)(unsafe.Pointer(&s)) = [3]int{int(uintptr(unsafe.Pointer(new(int)))), n, c}
	return s
}

func forgedString(n int) (s string) {
	*(*[2]int)(unsafe.Pointer(&s)) = [2]int{int(uintptr(unsafe.Pointer(new(int)))), n}
	return s
}

// use does with a value what depends on its type.
func use(x any, n int) {
	m := map[any]int{}
	switch n % 6 {
	case 0:
		println(x == x)
	case 1:
		m[x] = 1
	case 2:
		fmt.Sprintf("%v %+v %T", x, x, x)
	case 3:
		reflect.ValueOf(x).Interface()
		kept = append(kept, reflect.New(reflect.TypeOf(x)).Interface(), reflect.MakeSlice(reflect.SliceOf(reflect.TypeOf(x)), 3, 3).Interface())
	case 4:
		_ = x.(fmt.Stringer)
	case 5:
		panic(x)
	}
}
