package embedding_test

// roomy is a guest with something of everything in a state: maps, closures, chains, large objects,
// finalizers, cleanups, weak pointers, timers, types of reflection, unique handles, random numbers,
// files. Do does one of it.
const roomy = `package lib

import (
	crand "crypto/rand"
	"errors"
	"fmt"
	"math/rand"
	"os"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"
	"weak"
)

type chain struct {
	left, right *chain
	name        string
	n           int
}

type shape interface{ area() int }
type square struct{ side int }
type rect struct{ a, b int; tag *string }

func (s square) area() int { return s.side * s.side }
func (r *rect) area() int  { return r.a * r.b }

var (
	byName  = map[string]int{}
	byPlace = map[[2]int]*chain{}
	shapes  []shape
	tree    *chain
	large   [][]byte
	counts  []func() int
	weaks   []weak.Pointer[chain]
	values  []any
	pool    = sync.Pool{New: func() any { return new(chain) }}
	ended   int
	timer   *time.Timer
	text    strings.Builder
)

func Do(op, x int) (s string, err error) {
	defer func() {
		if r := recover(); r != nil {
			s = fmt.Sprint("recovered ", r)
		}
	}()
	switch op % 20 {
	case 0:
		byName[fmt.Sprint(x%40)] += x
		byPlace[[2]int{x % 7, x % 5}] = &chain{n: x, left: tree}
	case 1:
		delete(byName, fmt.Sprint(x%40))
		for k, v := range byName {
			s += fmt.Sprint(k, v, " ")
		}
	case 2:
		tree = &chain{left: tree, right: byPlace[[2]int{x % 7, x % 5}], name: fmt.Sprint("c", x), n: x}
	case 3:
		for c := tree; c != nil && len(s) < 200; c = c.left {
			s += c.name
		}
	case 4:
		shapes = append(shapes, square{x}, &rect{x, 2, &s})
		for _, h := range shapes {
			s += fmt.Sprint(h.area(), " ")
		}
		if len(shapes) > 30 {
			shapes = nil
		}
	case 5:
		large = append(large, make([]byte, 1000*x), make([]byte, 20000+x))
		if len(large) > 12 {
			large = slices.Delete(large, 0, 7)
		}
	case 6:
		runtime.GC()
	case 7:
		c := &chain{n: x}
		weaks = append(weaks, weak.Make(c))
		if x%2 == 0 {
			byPlace[[2]int{x % 7, x % 5}] = c
		}
		runtime.SetFinalizer(c, func(c *chain) { ended += c.n })
		runtime.AddCleanup(&chain{name: "gone"}, func(n int) { ended -= n }, x)
	case 8:
		for _, w := range weaks {
			if c := w.Value(); c != nil {
				s += fmt.Sprint(c.n, " ")
			}
		}
	case 9:
		counts = append(counts, func() int { x++; return x })
		for _, f := range counts {
			s += fmt.Sprint(f(), " ")
		}
		if len(counts) > 20 {
			counts = nil
		}
	case 10:
		t := reflect.StructOf([]reflect.StructField{{Name: "A", Type: reflect.TypeFor[*int]()}, {Name: "B", Type: reflect.ArrayOf(x%5+1, reflect.TypeFor[string]())}})
		values = append(values, reflect.New(t).Interface(), reflect.MakeSlice(reflect.SliceOf(t), 3, 3).Interface())
		if len(values) > 10 {
			values = nil
		}
	case 11:
		b := make([]byte, x%11)
		crand.Read(b)
		s = fmt.Sprint(b, rand.Int())
	case 12:
		if timer == nil {
			timer = time.AfterFunc(time.Hour, func() { ended++ })
		}
		timer.Reset(time.Duration(x) * time.Hour)
		s = time.Now().String()
	case 13:
		err = os.WriteFile(fmt.Sprint("/tmp/f", x%9), make([]byte, x*100), 0o644)
		os.MkdirAll(fmt.Sprint("/tmp/d/", x%4, "/e"), 0o755)
		os.Symlink("../f1", fmt.Sprint("/tmp/d/l", x%4))
		os.Link("/tmp/f1", fmt.Sprint("/tmp/d/h", x%4))
	case 14:
		os.RemoveAll(fmt.Sprint("/tmp/d/", x%4))
		os.Rename("/tmp/f2", "/tmp/f3")
		list, e := os.ReadDir("/tmp/d")
		s, err = fmt.Sprint(list), e
	case 15:
		b, e := os.ReadFile(fmt.Sprint("/tmp/f", x%9))
		s, err = fmt.Sprint(len(b)), e
	case 16:
		var all sync.WaitGroup
		c := make(chan int, 2)
		for i := range 5 {
			all.Go(func() { c <- i + x })
		}
		go func() { all.Wait(); close(c) }()
		for v := range c {
			s += fmt.Sprint(v, " ")
		}
	case 17:
		c := pool.Get().(*chain)
		c.n++
		s = fmt.Sprint(c.n)
		pool.Put(c)
		text.WriteString(s)
	case 18:
		s = deep(x, [40]int{x})
	case 19:
		err = errors.New(fmt.Sprint("no ", x))
	}
	return s, err
}

func deep(n int, a [40]int) string {
	if p := &a; n > 0 {
		p[n%40]++
		return deep(n-1, *p)
	}
	return fmt.Sprint(a[3:5])
}

func Figures() string {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return fmt.Sprint(m.Mallocs, m.HeapAlloc, m.NumGC, runtime.NumGoroutine(), ended, text.Len())
}

// Export and Import move what there is to another version.
func Export() (map[string]int, []byte) { return byName, []byte(text.String()) }

func Import(m map[string]int, b []byte) error {
	byName = m
	text.Write(b)
	return nil
}
`
