// Package planted has what the benchmarks of the planted suite measure. Each benchmark says in its comment what a tool has to
// find: "want" and a code, or nothing. A benchmark may be caught with other codes besides those that it names; one that wants
// nothing may be caught with none.
package planted

import (
	"errors"
	"math"
	"sort"
	"strings"
)

// mix is pure, and small enough to be inlined.
func mix(a, b int) int { return (a*31 + b) ^ a>>3 }

// poly is pure, and small enough to be inlined.
func poly(x float64) float64 { return math.Sqrt(x*x+1) - x/3 }

// nothing executes nothing.
func nothing() {}

// digits formats a number.
func digits(n int) string {
	var buf [20]byte
	i := len(buf)
	for {
		i--
		buf[i] = byte('0' + n%10)
		if n /= 10; n == 0 {
			return string(buf[i:])
		}
	}
}

// fib is recursive, so it is never inlined.
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

// A point is a small object.
type point struct{ x, y float64 }

func (p *point) norm() float64 { return math.Sqrt(p.x*p.x + p.y*p.y) }

func newPoint(x, y float64) *point { return &point{x, y} }

// grow appends to a list that grows.
func grow(n int) []int {
	var list []int
	for i := range n {
		list = append(list, i)
	}
	return list
}

// A counter has a method that stores.
type counter struct{ n int }

func (c *counter) inc() { c.n++ }

// A shape is called through an interface.
type shape interface{ area() float64 }

type square struct{ side float64 }
type circle struct{ r float64 }

func (s square) area() float64 { return s.side * s.side }
func (c circle) area() float64 { return math.Pi * c.r * c.r }

var errEmpty = errors.New("empty")

// parse returns an error besides its result.
func parse(s string) (int, error) {
	if s == "" {
		return 0, errEmpty
	}
	n := 0
	for _, c := range []byte(s) {
		if c < '0' || c > '9' {
			return 0, errEmpty
		}
		n = n*10 + int(c-'0')
	}
	return n, nil
}

// build makes a sorted list of words.
func build(n int) []string {
	list := make([]string, n)
	for i := range list {
		list[i] = strings.Repeat("x", i%7) + digits(i*7919%n)
	}
	sort.Strings(list)
	return list
}

// checksum is a loop over bytes.
func checksum(data []byte) uint32 {
	var a, b uint32 = 1, 0
	for _, c := range data {
		a += uint32(c)
		b += a
	}
	return b<<16 | a&0xffff
}

// total is a loop over numbers.
func total(list []int) (sum int) {
	for _, x := range list {
		sum += x
	}
	return sum
}

// largest is another loop over numbers.
func largest(list []int) (most int) {
	for _, x := range list {
		most = max(most, x)
	}
	return most
}

// ascii reports whether a text has no other letters.
func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

// mustBeSorted panics if a list is not sorted.
func mustBeSorted(list []int) {
	for i := 1; i < len(list); i++ {
		if list[i] < list[i-1] {
			panic("not sorted")
		}
	}
}

// A stack grows and shrinks.
type stack[T any] struct{ list []T }

func (s *stack[T]) push(x T) { s.list = append(s.list, x) }

func (s *stack[T]) pop() T {
	x := s.list[len(s.list)-1]
	s.list = s.list[:len(s.list)-1]
	return x
}

// Where results go, and where inputs come from that the compiler does not know.
var (
	sinkInt    int
	sinkFloat  float64
	sinkString string
	sinkAny    any
	sinkInts   []int
	sinkErr    error
	sinkUint32 uint32

	inputInt   = 12345
	inputFloat = 2.5
	inputText  = "8675309"
	inputBytes = make([]byte, 4096)
	inputInts  = make([]int, 1024)
)
