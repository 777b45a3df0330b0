//go:build ignore

// The same bytes are compared again, in either order: at once, after a write, a call or another goroutine's
// work, and where ways meet. Short ranges lie at every place around the end of a page.

package main

import (
	"bytes"
	"cmp"
	"fmt"
	"runtime"
	"strings"
)

var log uint64

func note(x int) { log = (log ^ uint64(x+2)) * 1099511628211 }

func sign(x, y string) int {
	switch {
	case x < y:
		return -1
	case y < x:
		return 1
	}
	return 0
}

func twice(x, y []byte) (int, int) { return bytes.Compare(x, y), bytes.Compare(y, x) }

func written(x, y []byte, c byte) (int, int) {
	first := bytes.Compare(x, y)
	x[0] = c
	return first, bytes.Compare(y, x)
}

//go:noinline
func set(x []byte, c byte) { x[0] = c }

func called(x, y []byte, c byte) (int, int) {
	first := bytes.Compare(x, y)
	set(x, c)
	return first, bytes.Compare(x, y)
}

func elsewhere(x, y []byte, c byte) (int, int) {
	first := bytes.Compare(x, y)
	go set(x, c)
	for range 3 {
		runtime.Gosched()
	}
	return first, bytes.Compare(y, x)
}

func sometimes(x, y []byte, c byte, write bool) (int, int) {
	first := bytes.Compare(x, y)
	if write {
		x[0] = c
	}
	return first, bytes.Compare(x, y)
}

// parts compares ranges that begin at the same places.
func parts(x, y []byte, n, m int) [7]int {
	return [7]int{
		bytes.Compare(x, y), bytes.Compare(y[:m], x), bytes.Compare(y, x[:n]), bytes.Compare(x[:n], y[:m]),
		bytes.Compare(x[1:], y), bytes.Compare(y, x), bytes.Compare(x, y[len(y)-m:]),
	}
}

func halves(x, y *[8]byte) [6]int {
	return [6]int{
		bytes.Compare(x[:4], y[:4]), bytes.Compare(x[4:], y[:4]), bytes.Compare(x[:4], y[4:]), bytes.Compare(y[4:], x[4:]),
		bytes.Compare(y[:4], x[4:]), bytes.Compare(y[4:], x[:4]),
	}
}

func inLoop(x, y []byte, n int) (sum int) {
	for i := range n {
		if bytes.Compare(x, y) < 0 {
			x[0] += byte(i)
		}
		if bytes.Compare(y, x) < 0 {
			sum += i
		}
	}
	return sum
}

// plain is what Compare has to return.
func plain(x, y []byte) int {
	for i := range min(len(x), len(y)) {
		if x[i] != y[i] {
			return cmp.Compare(x[i], y[i])
		}
	}
	return cmp.Compare(len(x), len(y))
}

func main() {
	words := []string{"", "a", "b", "aa", "ab", "a\x00", "abcdefg", "abcdefgh", "abcdefgi", "abcdefghi", "\xff", "abcdefg\x80"}
	for _, x := range words {
		for _, y := range words {
			if c := cmp.Compare(x, y); c != sign(x, y) || c != strings.Compare(x, y) || c != -cmp.Compare(y, x) {
				fmt.Printf("%q and %q: %d\n", x, y, c)
			}
			if x == "" {
				continue
			}
			for _, f := range []func(x, y []byte) (int, int){
				twice,
				func(x, y []byte) (int, int) { return written(x, y, 'b') },
				func(x, y []byte) (int, int) { return called(x, y, 'b') },
				func(x, y []byte) (int, int) { return elsewhere(x, y, 'b') },
				func(x, y []byte) (int, int) { return sometimes(x, y, 'b', true) },
				func(x, y []byte) (int, int) { return sometimes(x, y, 'b', false) },
			} {
				first, second := f([]byte(x), []byte(y))
				note(first)
				note(second)
			}
			for _, c := range halves((*[8]byte)([]byte(x+"12345678")), (*[8]byte)([]byte(y+"1234567z"))) {
				note(c)
			}
			for _, c := range parts([]byte(x), []byte(y), len(x)/2, len(y)/2) {
				note(c)
			}
			note(inLoop([]byte(x), []byte(y), 9))
		}
	}
	fmt.Println(log)
	room := make([]byte, 3*4096)
	for i := range room {
		room[i] = byte(i % 3)
	}
	wrong := 0
	for at := 4096 - 20; at < 4096+4; at++ {
		for from := 2*4096 - 12; from < 2*4096+4; from++ {
			for n := range 10 {
				for m := range 10 {
					x, y := room[at:at+n], room[from:from+m]
					if bytes.Compare(x, y) != plain(x, y) {
						wrong++
					}
				}
			}
		}
	}
	fmt.Println(wrong)
}

// Output:
// 7839001075411666188
// 0
