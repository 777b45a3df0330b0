package main

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"fmt"
	"io"
	"math/big"
	"os"
	"reflect"
	"regexp"
	"runtime"
	"runtime/pprof"
	"slices"
	"sort"
	"strings"
	"time"
)

// Guests of one long operation each, which a deadline has to be able to end in
// its midst. n is its size, in MiB or thousands.

func init() {
	for name, f := range delays {
		if guests[name] != nil {
			panic("two guests are named " + name)
		}
		guests[name] = f
	}
}

// buffer makes one of n MiB whose bytes are not zero.
func buffer(n int) []byte {
	b := make([]byte, n<<20)
	for i := range b[:min(len(b), 4096)] {
		b[i] = byte(i) | 1
	}
	for done := min(len(b), 4096); done < len(b); done *= 2 {
		copy(b[done:], b[:done])
	}
	return b
}

type vast [4 << 20]byte

// wides makes two large values on the heap: variables would count against the
// memory limit of every guest.
func wides() (a, b *[4]vast) { return new([4]vast), new([4]vast) }

var delays = map[string]func(int){
	"delay empty": func(int) {},
	"delay make":  func(n int) { sink = make([]byte, n<<20) },
	"delay make again": func(n int) {
		for range 3 {
			sink = nil
			runtime.GC()
			sink = make([]byte, n<<20)
			touch(sink)
		}
	},
	"delay copy":  func(n int) { b := buffer(n); copy(b[1:], b) },
	"delay clear": func(n int) { clear(buffer(n)) },
	"delay equal": func(n int) { b := buffer(n); c := append([]byte(nil), b...); sunk = bytes.Equal(b, c) },
	"delay compare": func(n int) {
		b := buffer(n)
		c := append([]byte(nil), b...)
		sunk = bytes.Compare(b, c) == 0 && string(b) < string(c)
	},
	"delay hash":       func(n int) { m := map[string]int{string(buffer(n)): 1}; sunk = m["x"] == 0 },
	"delay hash array": func(n int) { a, _ := wides(); m := map[vast]int{a[0]: 1}; m[a[1]]++; sunk = m[a[2]] == 0 },
	"delay index":      func(n int) { b := buffer(n); sunk = bytes.IndexByte(b, 0) < 0 && bytes.Count(b, []byte{2}) == 0 },
	"delay values":     func(n int) { a, b := wides(); *a = *b; a[1] = b[2]; sunk = *a == *b },
	"delay interfaces": func(n int) { p, q := wides(); var a, b any = *p, *q; sunk = a == b },
	"delay reflection": func(n int) {
		a, b := wides()
		v := reflect.ValueOf(a).Elem()
		v.Set(reflect.ValueOf(*b))
		v.SetZero()
		sunk = reflect.DeepEqual(a[0][:1000], b[0][:1000])
		c := reflect.MakeChan(reflect.ChanOf(reflect.BothDir, reflect.TypeFor[uint16]()), 1<<20)
		c.Send(reflect.ValueOf(uint16(1)))
		reflect.Copy(reflect.ValueOf(make([]byte, n<<20)), reflect.ValueOf(make([]byte, n<<20)))
	},
	"delay append":      func(n int) { b := buffer(n); b = append(b, b...); sink = b },
	"delay string":      func(n int) { s := string(buffer(n)); s += s; sink = []byte(s) },
	"delay runes":       func(n int) { s := string(buffer(n / 8)); sunk = string([]rune(s)) == s },
	"delay repeat":      func(n int) { sunk = strings.Repeat("ab", n<<19) == "" },
	"delay replace":     func(n int) { sunk = strings.ReplaceAll(string(buffer(n/8)), "a", "bcd") == "" },
	"delay random":      func(n int) { b := make([]byte, n<<20); rand.Read(b); sink = b },
	"delay write":       func(n int) { os.Stdout.Write(make([]byte, n<<20)) },
	"delay read":        func(n int) { b := make([]byte, n<<20); io.ReadFull(os.Stdin, b); sink = b },
	"delay read a file": func(n int) { os.WriteFile("/d/big", make([]byte, n<<20), 0o666); os.ReadFile("/d/big") },
	"delay read a directory": func(n int) {
		os.ReadDir("/d")
		f, _ := os.Open("/d")
		f.Readdirnames(-1)
	},
	"delay print": func(n int) { println(string(buffer(n))) },
	"delay sort strings": func(n int) {
		s := make([]string, 1000)
		b := buffer(n / 16)
		for i := range s {
			b[len(b)-1-i%7] ^= byte(i)
			s[i] = string(b[:len(b)-i%3])
			if len(s[i])*i > n<<21 {
				s = s[:i]
				break
			}
		}
		sort.Strings(s)
	},
	"delay sort": func(n int) {
		s := make([]int, n<<14)
		for i := range s {
			s[i] = i * 7919 % 1000003
		}
		slices.SortFunc(s, cmp.Compare[int])
	},
	"delay regexp": func(n int) {
		re := regexp.MustCompile(strings.Repeat("(a?b?)*", 100) + "$")
		sunk = re.MatchString(strings.Repeat("ab", n<<4) + "c")
	},
	"delay big": func(n int) {
		x := new(big.Int).Lsh(big.NewInt(3), uint(n)<<12)
		x.Mul(x, x).Sub(x, big.NewInt(1))
		sunk = x.String() == ""
	},
	"delay collection": func(n int) { kept = randomList(n << 20 / 48); runtime.GC() },
	"delay collection of pointers": func(n int) {
		p := make([]*int, n<<17)
		for i := range p {
			p[i] = &i1
		}
		kept = p
		runtime.GC()
	},
	"delay collection of garbage":     func(n int) { list(n << 20 / 32); runtime.GC() },
	"delay collection of a deep list": func(n int) { kept = list(n << 20 / 32); runtime.GC() },
	"delay collection of a stack":     func(n int) { down(n<<20/128, runtime.GC) },
	"delay collection of locals":      func(n int) { deepThen(nil, n<<20/400, runtime.GC) },
	"delay collection of goroutines":  func(n int) { goroutines(n<<20/4000, runtime.GC) },
	"delay collection of specials": func(n int) {
		all := make([]*[2]int, n<<20/400)
		for i := range all {
			all[i] = new([2]int)
			runtime.SetFinalizer(all[i], func(*[2]int) {})
			runtime.AddCleanup(all[i], func(int) {}, 1)
		}
		all = nil
		runtime.GC()
		time.Sleep(1)
		runtime.GC()
	},
	"delay end of goroutines": func(n int) {
		c := make(chan int)
		for range n << 20 / 4000 {
			go func() { <-c }()
		}
		runtime.Gosched()
		close(c)
		time.Sleep(1)
	},
	"delay callers": func(n int) { down(n<<20/128, func() { runtime.Callers(0, make([]uintptr, n<<20/128)) }) },
	"delay stack":   func(n int) { down(n<<20/128, func() { runtime.Stack(make([]byte, 64<<10), false) }) },
	"delay all stacks": func(n int) {
		goroutines(n<<20/4000, func() { runtime.Stack(make([]byte, n<<18), true); pprof.Lookup("goroutine").WriteTo(io.Discard, 1) })
	},
	"delay panic":   func(n int) { down(n<<20/128, func() { panic("deep") }) },
	"delay recover": func(n int) { defer func() { recover() }(); down(n<<20/128, func() { panic("deep") }) },
	"delay goexit":  func(n int) { go down(n<<20/128, runtime.Goexit); time.Sleep(1) },
	"delay map": func(n int) {
		m := map[int]int{}
		for i := range n << 20 / 64 {
			m[i] = i
		}
		for range m {
		}
		clear(m)
	},
	"delay map of a size": func(n int) { m := make(map[int]int, n<<20/64); m[1] = 1; clear(m) },
	"delay map of strings": func(n int) {
		m := map[string]int{}
		for i := range n << 20 / 128 {
			m[fmt.Sprint(i)] = i
		}
	},
	"delay channel": func(n int) {
		c := make(chan [1<<13 - 1]int, n<<4) // the largest element that Go takes
		c <- [1<<13 - 1]int{}
		<-c
	},
	"delay types": func(n int) {
		t := reflect.TypeFor[int]()
		for range n {
			t = reflect.StructOf([]reflect.StructField{{Name: "A", Type: t}, {Name: "B", Type: t}})
			if t.Size() > 1<<16 {
				break
			}
		}
		v := reflect.New(t)
		sunk = v.Elem().Interface() == v.Elem().Interface()
		sunk = t.String() == ""
	},
}

var (
	sunk bool
	i1   int
)

func goroutines(n int, f func()) {
	c := make(chan int)
	for range n {
		go func() { <-c }()
	}
	runtime.Gosched()
	f()
}

func deepThen(up *[8]*int, n int, f func()) {
	var x [8]*int
	if up != nil {
		x[1] = up[0]
	}
	if n == 0 {
		f()
		return
	}
	deepThen(&x, n-1, f)
	if x[0] != nil {
		i++
	}
}
