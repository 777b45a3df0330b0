// Guests that want more memory than there is.
package main

import (
	"bytes"
	"os"
	"runtime"
	"strings"
	"sync"
	"unique"
	"weak"
)

func main() { guests[os.Args[1]]() }

var guests = map[string]func(){
	"append": func() {
		var s []int
		for {
			s = append(s, len(s))
		}
	},
	"append slices": func() {
		var s [][]byte
		for {
			s = append(s, make([]byte, 1000))
		}
	},
	"nested slices": func() {
		var s []any
		for {
			s = []any{s, s}
			keep = append(keep, s)
		}
	},
	"list": func() {
		type cell struct{ next *cell }
		var head *cell
		for {
			head = &cell{head}
		}
	},
	"tree": func() { keep = append(keep, tree(40)) },
	"map": func() {
		m := map[int]int{}
		for i := 0; ; i++ {
			m[i] = i
		}
	},
	"map of maps": func() {
		m := map[int]any{}
		for i := 0; ; i++ {
			m[i] = map[int]any{i: m}
		}
	},
	"map with room": func() { keep = append(keep, make(map[int]int, 1<<40)) },
	"map with negative room": func() {
		n := -1
		keep = append(keep, make(map[int]int, n))
		println(len(keep))
	},
	"closures": func() {
		f := func() int { return 0 }
		for {
			g := f
			f = func() int { return g() + 1 }
		}
	},
	"interfaces": func() {
		var x any
		for {
			x = [1]any{x}
		}
	},
	"huge make":             func() { keep = append(keep, make([]byte, one<<30)) },
	"make out of range":     func() { keep = append(keep, make([]byte, one<<60)) },
	"make negative":         func() { keep = append(keep, make([]byte, -one)) },
	"make cap below len":    func() { keep = append(keep, make([]byte, one, one-1)) },
	"4 GiB":                 func() { keep = append(keep, make([]byte, one<<32-1)) },
	"just above 4 GiB":      func() { keep = append(keep, make([]byte, one<<32+1)) },
	"many of size 0":        func() { keep = append(keep, make([]struct{}, one<<62)); println(len(keep)) },
	"huge new":              func() { keep = append(keep, new([1 << 30]byte)) },
	"channel with a buffer": func() { keep = append(keep, make(chan [1000]byte, one<<20)) },
	"channel out of range":  func() { keep = append(keep, make(chan int, one<<61)) },
	"channels": func() {
		for {
			keep = append(keep, make(chan int, 100))
		}
	},
	"channel of channels": func() {
		type c chan c
		for {
			x := make(c, 100)
			keep = append(keep, x)
			x <- x
		}
	},
	"defers": func() {
		for {
			defer func() {}()
		}
	},
	"concatenation": func() {
		s := "x"
		for {
			s += s
		}
	},
	"builder": func() {
		var b strings.Builder
		for {
			b.WriteString("0123456789")
		}
	},
	"buffer": func() {
		var b bytes.Buffer
		for {
			b.WriteString("0123456789")
		}
	},
	"buffer grows": func() {
		var b bytes.Buffer
		b.Grow(int(one) << 60)
	},
	"pool": func() {
		var p sync.Pool
		for {
			p.Put(make([]byte, 1000))
		}
	},
	"unique": func() {
		for i := 0; ; i++ {
			keep = append(keep, unique.Make([2]int{i, i}))
		}
	},
	"weak pointers": func() {
		for i := 0; ; i++ {
			p := new(int)
			keep = append(keep, p, weak.Make(p))
		}
	},
	"finalizers": func() {
		for {
			p := new([2]int)
			runtime.SetFinalizer(p, func(*[2]int) {})
			keep = append(keep, p)
		}
	},
	"cleanups": func() {
		p := new([2]int)
		keep = append(keep, p)
		for i := 0; ; i++ {
			runtime.AddCleanup(p, func(int) {}, i)
		}
	},
	"environment": func() {
		for i := 0; ; i++ {
			os.Setenv("V"+string(rune('0'+i%10))+strings.Repeat("x", i%1000), strings.Repeat("y", i))
		}
	},
	"large locals": func() { large(1) },
	"goroutines": func() {
		c := make(chan int)
		for {
			go func() { <-c }()
		}
	},
	"deep goroutines": func() {
		c := make(chan int)
		for {
			go block(1000, c)
			runtime.Gosched()
		}
	},
}

var (
	keep []any
	one  = int64(len(os.Args) - 1)
)

func tree(n int) any {
	if n == 0 {
		return nil
	}
	return [2]any{tree(n - 1), tree(n - 1)}
}

func large(n int) int {
	var a [8 << 20]int
	for i := range a {
		a[i] = n + i
	}
	return a[n] + large(n+1) + a[n+1]
}

func block(n int, c chan int) int {
	if n == 0 {
		return <-c
	}
	return block(n-1, c) + n
}
