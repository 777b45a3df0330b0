// Command dijkstra finds shortest paths on a grid with random weights, with a
// priority queue of container/heap. The size is the side of the grid.
//
// Usage: dijkstra [size]
package main

import (
	"container/heap"
	"fmt"
	"math"
	"os"
	"strconv"
)

type edge struct{ to, weight int }

type graph [][]edge

func grid(n int) graph {
	g := make(graph, n*n)
	x := uint32(2463534242)
	join := func(a, b int) {
		x ^= x << 13
		x ^= x >> 17
		x ^= x << 5
		w := int(x%97) + 1
		g[a] = append(g[a], edge{b, w})
		g[b] = append(g[b], edge{a, w + int(x>>28)})
	}
	for y := range n {
		for c := range n {
			if c+1 < n {
				join(y*n+c, y*n+c+1)
			}
			if y+1 < n {
				join(y*n+c, y*n+c+n)
			}
			if y+1 < n && c+7 < n && (y+c)%5 == 0 {
				join(y*n+c, y*n+n+c+7)
			}
		}
	}
	return g
}

type state struct{ node, distance int }

type queue []state

func (q queue) Len() int           { return len(q) }
func (q queue) Less(i, j int) bool { return q[i].distance < q[j].distance }
func (q queue) Swap(i, j int)      { q[i], q[j] = q[j], q[i] }
func (q *queue) Push(x any)        { *q = append(*q, x.(state)) }
func (q *queue) Pop() any {
	old := *q
	s := old[len(old)-1]
	*q = old[:len(old)-1]
	return s
}

// distances returns the length of the shortest path to every node.
func (g graph) distances(from int) []int {
	d := make([]int, len(g))
	for i := range d {
		d[i] = math.MaxInt
	}
	d[from] = 0
	q := &queue{{from, 0}}
	for q.Len() > 0 {
		s := heap.Pop(q).(state)
		if s.distance > d[s.node] {
			continue
		}
		for _, e := range g[s.node] {
			if n := s.distance + e.weight; n < d[e.to] {
				d[e.to] = n
				heap.Push(q, state{e.to, n})
			}
		}
	}
	return d
}

func main() {
	n := size(300)
	g := grid(n)
	sum, most := 0, 0
	for _, from := range []int{0, len(g) / 2, len(g) - 1} {
		for _, d := range g.distances(from) {
			sum += d
			most = max(most, d)
		}
	}
	fmt.Println(len(g), sum, most)
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
