// Command generics uses containers with type parameters: an ordered map (a treap), a heap, a
// ring buffer, sets, and functions over sequences with range-over-func. The size is
// the number of thousand elements.
//
// Usage: generics [size]
package main

import (
	"cmp"
	"fmt"
	"iter"
	"os"
	"strconv"
)

// An ordered map.
type tree[K cmp.Ordered, V any] struct {
	root *node[K, V]
	n    int
	seed uint32
}

type node[K cmp.Ordered, V any] struct {
	key         K
	value       V
	rank        uint32
	left, right *node[K, V]
}

func (t *tree[K, V]) set(key K, value V) { t.root = t.insert(t.root, key, value) }

func (t *tree[K, V]) insert(n *node[K, V], key K, value V) *node[K, V] {
	if n == nil {
		t.n++
		t.seed = t.seed*1664525 + 1013904223
		return &node[K, V]{key: key, value: value, rank: t.seed}
	}
	switch c := cmp.Compare(key, n.key); {
	case c < 0:
		n.left = t.insert(n.left, key, value)
		if l := n.left; l.rank > n.rank {
			n.left, l.right = l.right, n
			return l
		}
	case c > 0:
		n.right = t.insert(n.right, key, value)
		if r := n.right; r.rank > n.rank {
			n.right, r.left = r.left, n
			return r
		}
	default:
		n.value = value
	}
	return n
}

func (t *tree[K, V]) get(key K) (v V, ok bool) {
	for n := t.root; n != nil; {
		switch {
		case key < n.key:
			n = n.left
		case key > n.key:
			n = n.right
		default:
			return n.value, true
		}
	}
	return v, false
}

// all is every key with its value, in order.
func (t *tree[K, V]) all() iter.Seq2[K, V] {
	return func(yield func(K, V) bool) { t.root.walk(yield) }
}

func (n *node[K, V]) walk(yield func(K, V) bool) bool {
	return n == nil || n.left.walk(yield) && yield(n.key, n.value) && n.right.walk(yield)
}

// A heap gives its elements back by less.
type heap[T any] struct {
	list []T
	less func(a, b T) bool
}

func (h *heap[T]) push(x T) {
	h.list = append(h.list, x)
	for i := len(h.list) - 1; i > 0; {
		p := (i - 1) / 2
		if !h.less(h.list[i], h.list[p]) {
			break
		}
		h.list[i], h.list[p] = h.list[p], h.list[i]
		i = p
	}
}

func (h *heap[T]) pop() T {
	top, last := h.list[0], len(h.list)-1
	h.list[0] = h.list[last]
	h.list = h.list[:last]
	for i := 0; ; {
		c := 2*i + 1
		if c >= last {
			break
		}
		if c+1 < last && h.less(h.list[c+1], h.list[c]) {
			c++
		}
		if !h.less(h.list[c], h.list[i]) {
			break
		}
		h.list[i], h.list[c] = h.list[c], h.list[i]
		i = c
	}
	return top
}

// A ring keeps the last elements.
type ring[T any] struct {
	buf []T
	at  int
}

func (r *ring[T]) add(x T) (old T) {
	old, r.buf[r.at] = r.buf[r.at], x
	r.at = (r.at + 1) % len(r.buf)
	return old
}

type set[T comparable] map[T]struct{}

func (s set[T]) add(x T)      { s[x] = struct{}{} }
func (s set[T]) has(x T) bool { _, ok := s[x]; return ok }

type integer interface{ ~int | ~int32 | ~int64 }

func count[T integer](n T) iter.Seq[T] {
	return func(yield func(T) bool) {
		for i := T(0); i < n; i++ {
			if !yield(i) {
				return
			}
		}
	}
}

func apply[A, B any](seq iter.Seq[A], f func(A) B) iter.Seq[B] {
	return func(yield func(B) bool) {
		for a := range seq {
			if !yield(f(a)) {
				return
			}
		}
	}
}

func filter[T any](seq iter.Seq[T], keep func(T) bool) iter.Seq[T] {
	return func(yield func(T) bool) {
		for x := range seq {
			if keep(x) && !yield(x) {
				return
			}
		}
	}
}

func sum[T integer | ~float64](seq iter.Seq[T]) (s T) {
	for x := range seq {
		s += x
	}
	return s
}

func main() {
	n := size(100) * 1000
	var words tree[string, int]
	var numbers tree[int32, float64]
	queue := heap[[2]int]{less: func(a, b [2]int) bool { return a[0] < b[0] || a[0] == b[0] && a[1] < b[1] }}
	last := ring[int]{buf: make([]int, 100)}
	odd := set[int]{}
	total := 0
	for i := range n {
		x := i * 7919 % 100003
		if i%8 == 0 {
			words.set("k"+strconv.Itoa(x), i)
		}
		numbers.set(int32(x%5000), float64(i))
		queue.push([2]int{x, i})
		if i%3 == 2 {
			p := queue.pop()
			total += p[0] ^ p[1]
		}
		total += last.add(x)
		if x&1 == 1 {
			odd.add(x % 1000)
		}
	}
	hits := 0
	for i := range n {
		if v, ok := numbers.get(int32(i % 6000)); ok && odd.has(int(v)%1000) {
			hits++
		}
	}
	order, place := 0, 0
	for k, v := range words.all() {
		place++
		order += place * (len(k) + v)
		if place > 10000 {
			break
		}
	}
	squares := sum(filter(apply(count(int64(n)), func(x int64) int64 { return x * x % 1000 }), func(x int64) bool { return x%3 == 0 }))
	halves := sum(apply(count(n), func(x int) float64 { return float64(x) / 2 }))
	fmt.Println(words.n, numbers.n, len(queue.list), total, hits, order, squares, halves)
}

// size returns the first argument, or def.
func size(def int) int {
	if len(os.Args) > 1 {
		if n, err := strconv.Atoi(os.Args[1]); err == nil {
			return n
		}
	}
	return def
}
