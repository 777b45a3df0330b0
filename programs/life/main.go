// Command life plays Conway's game on a torus of 128 by 128 cells, a byte each, and
// sixteen times as many with 64 cells in a word. The size is the number of
// generations.
//
// Usage: life [size]
package main

import (
	"fmt"
	"math/bits"
	"os"
	"strconv"
)

type world [][]byte

func newWorld(n int) world {
	w := make(world, n)
	for y := range w {
		w[y] = make([]byte, n)
	}
	return w
}

// step computes the next generation of w into next.
func (w world) step(next world) {
	n := len(w)
	for y := range n {
		up, row, down := w[(y+n-1)%n], w[y], w[(y+1)%n]
		for x := range n {
			l, r := (x+n-1)%n, (x+1)%n
			around := up[l] + up[x] + up[r] + row[l] + row[r] + down[l] + down[x] + down[r]
			if around == 3 || around == 2 && row[x] == 1 {
				next[y][x] = 1
			} else {
				next[y][x] = 0
			}
		}
	}
}

// words is a torus of rows of 64·k cells.
type words struct {
	k    int
	rows [][]uint64
}

func newWords(k int) *words {
	w := &words{k, make([][]uint64, 64*k)}
	for y := range w.rows {
		w.rows[y] = make([]uint64, k)
	}
	return w
}

// sum3 adds three bits in each place.
func sum3(a, b, c uint64) (one, two uint64) { return a ^ b ^ c, a&b | c&(a^b) }

// sides are the cells left and right of those of word i.
func (w *words) sides(row []uint64, i int) (left, right uint64) {
	before, after := row[(i+w.k-1)%w.k], row[(i+1)%w.k]
	return row[i]<<1 | before>>63, row[i]>>1 | after<<63
}

func (w *words) step(next *words) {
	n := len(w.rows)
	for y := range n {
		up, row, down := w.rows[(y+n-1)%n], w.rows[y], w.rows[(y+1)%n]
		for i := range row {
			ul, ur := w.sides(up, i)
			dl, dr := w.sides(down, i)
			l, r := w.sides(row, i)
			u1, u2 := sum3(ul, up[i], ur)
			d1, d2 := sum3(dl, down[i], dr)
			m1, m2 := l^r, l&r
			one, carry := sum3(u1, d1, m1)
			t1, t2 := sum3(u2, d2, m2)
			two, four := t1^carry, t2|t1&carry
			next.rows[y][i] = two &^ four & (one | row[i])
		}
	}
}

func main() {
	n := size(200)
	a, b := newWorld(128), newWorld(128)
	p, q := newWords(8), newWords(8)
	x := uint64(88172645463325252)
	random := func() uint64 {
		x ^= x << 13
		x ^= x >> 7
		x ^= x << 17
		return x
	}
	for y := range a {
		for c := range a[y] {
			a[y][c] = byte(random() >> 33 & 1)
		}
	}
	for y := range p.rows {
		for i := range p.rows[y] {
			p.rows[y][i] = random()
		}
	}
	for range n {
		a.step(b)
		a, b = b, a
		p.step(q)
		p, q = q, p
	}
	alive, many, h := 0, 0, uint64(0)
	for y := range a {
		for c, v := range a[y] {
			alive += int(v)
			h = h*3 + uint64(v)*uint64(c)
		}
	}
	for _, row := range p.rows {
		for _, w := range row {
			many += bits.OnesCount64(w)
			h = h*31 + w
		}
	}
	fmt.Printf("%d %d %016x\n", alive, many, h)
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
