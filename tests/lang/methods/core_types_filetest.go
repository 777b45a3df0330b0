//go:build ignore && go1.27

// Bodies that need a core type: ranges, sends, indexes, conversions, make and calls.
package main

import "fmt"

type T struct{}

func (T) Range[S ~[]E, E any](s S) (n int) {
	for range s {
		n++
	}
	return n
}

func (T) Chan[C ~chan E, E any](n int, es ...E) (C, E) {
	c := make(C, n)
	for _, e := range es {
		c <- e
	}
	close(c)
	return c, <-c
}

func (T) Map[M ~map[K]V, K comparable, V any](m M, k K) (V, bool) {
	v, ok := m[k]
	delete(m, k)
	clear(m)
	return v, ok
}

func (T) Bytes[B ~[]byte | ~string](b B) (string, []byte, byte, B) {
	return string(b), []byte(b), b[0], b[1:]
}

func (T) Call[F ~func(A) R, A, R any](f F, a A) R { return f(a) }

func (T) Num[A, B ~int8 | ~float32 | ~uint16](a A) B { return B(a) + B(1) }

func (T) Slice[P ~*[4]E, E any](p P) []E { return p[1:3] }

func (T) Cat[S ~[]E, E any](a, b S) S { return append(a[:len(a):len(a)], b...) }

type str string
type ints []int
type fn func(string) int

func main() {
	var t T
	fmt.Println(t.Range(ints{1, 2, 3}), t.Range([]string{}))
	c, e := t.Chan[chan rune](3, 'a', 'b')
	fmt.Println(len(c), e, <-c)
	m := map[str]int{"k": 1, "l": 2}
	fmt.Println(t.Map(m, "k"))
	fmt.Println(len(m))
	fmt.Println(t.Bytes(str("héy")))
	fmt.Println(t.Bytes([]byte("xyz")))
	fmt.Println(t.Call(fn(func(s string) int { return len(s) }), "four"))
	fmt.Println(t.Num[float32, int8](3.75), t.Num[uint16, float32](65535), t.Num[int8, uint16](-1))
	a := [4]int{1, 2, 3, 4}
	t.Slice(&a)[0] = 9
	fmt.Println(a)
	fmt.Printf("%T %v\n", t.Cat(ints{1}, ints{2}), t.Cat(ints{1}, nil))
}

// Output:
// 3 0
// 1 97 98
// 1 true
// 0
// héy [104 195 169 121] 104 éy
// xyz [120 121 122] 120 [121 122]
// 4
// 4 65536 0
// [1 9 3 4]
// main.ints [1]
