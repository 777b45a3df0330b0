// Package kernels holds the small kernels that MEP-38 of the language Mochi sets as its
// yardstick, at its sizes and with the shape that it gives their peers in Go.
// They are ordinary functions with ordinary benchmarks:
//
//	go test -bench . ./programs/kernels
//	go run ./internal/cmd/ratio -kernels      natively and in gyr, side by side
//
// A kernel makes all that it works on, so that a call is one operation of the
// benchmark, and returns a figure that depends on all of the work. The chains
// of pairs stand here as loops and as tail recursion.
package kernels

import "math"

// SpectralNorm multiplies a vector of ones by the leading n rows and columns of
// the infinite matrix once and estimates the norm from it.
func SpectralNorm(n int) float64 {
	element := func(i, j int) float64 { return 1 / float64((i+j)*(i+j+1)/2+i+1) }
	u, v := make([]float64, n), make([]float64, n)
	for i := range u {
		u[i] = 1
	}
	for i := range v {
		sum := 0.0
		for j := range u {
			sum += element(i, j) * u[j]
		}
		v[i] = sum
	}
	uv, vv := 0.0, 0.0
	for i := range u {
		uv += u[i] * v[i]
		vv += v[i] * v[i]
	}
	return math.Sqrt(uv / vv)
}

const bodies = 5

// NBody moves the bodies by one step of 0.01 and returns their energy. Body i lies at
// (i, 2i, 3i), moves by (i/10, i/5, 3i/10) and has the mass i+1.
func NBody() float64 {
	const n = bodies // which is known, so that the slices need no heap
	x, y, z := make([]float64, n), make([]float64, n), make([]float64, n)
	vx, vy, vz := make([]float64, n), make([]float64, n), make([]float64, n)
	mass := make([]float64, n)
	for i := range n {
		f := float64(i)
		x[i], y[i], z[i] = f, 2*f, 3*f
		vx[i], vy[i], vz[i] = f/10, f/5, 3*f/10
		mass[i] = f + 1
	}
	const dt = 0.01
	for i := range n {
		for j := i + 1; j < n; j++ {
			dx, dy, dz := x[i]-x[j], y[i]-y[j], z[i]-z[j]
			d2 := dx*dx + dy*dy + dz*dz
			mag := dt / (d2 * math.Sqrt(d2))
			vx[i] -= dx * mass[j] * mag
			vy[i] -= dy * mass[j] * mag
			vz[i] -= dz * mass[j] * mag
			vx[j] += dx * mass[i] * mag
			vy[j] += dy * mass[i] * mag
			vz[j] += dz * mass[i] * mag
		}
	}
	for i := range n {
		x[i] += dt * vx[i]
		y[i] += dt * vy[i]
		z[i] += dt * vz[i]
	}
	energy := 0.0
	for i := range n {
		energy += 0.5 * mass[i] * (vx[i]*vx[i] + vy[i]*vy[i] + vz[i]*vz[i])
		for j := i + 1; j < n; j++ {
			dx, dy, dz := x[i]-x[j], y[i]-y[j], z[i]-z[j]
			energy -= mass[i] * mass[j] / math.Sqrt(dx*dx+dy*dy+dz*dz)
		}
	}
	return energy
}

// Mandelbrot writes the escape counts of w by h points, at most most, as bytes
// and returns their sum. The imaginary part is computed by math.FMA.
func Mandelbrot(w, h, most int) int {
	out := make([]byte, w*h)
	for py := range h {
		ci := 2*float64(py)/float64(h) - 1
		for px := range w {
			cr := 3*float64(px)/float64(w) - 2
			zr, zi := 0.0, 0.0
			n := 0
			for n < most {
				r2, i2 := zr*zr, zi*zi
				if r2+i2 > 4 {
					break
				}
				zi = math.FMA(2*zr, zi, ci)
				zr = r2 - i2 + cr
				n++
			}
			out[py*w+px] = byte(n)
		}
	}
	sum := 0
	for _, b := range out {
		sum += int(b)
	}
	return sum
}

// fannkuchStart is a permutation of 1 to 7 that takes nine flips.
var fannkuchStart = []int64{2, 3, 6, 7, 5, 4, 1}

// Fannkuch reverses as many leading numbers as the first one says until that is 1,
// and returns how often.
func Fannkuch() int {
	perm := make([]int64, len(fannkuchStart))
	copy(perm, fannkuchStart)
	flips := 0
	for perm[0] != 1 {
		for i, j := 0, int(perm[0])-1; i < j; i, j = i+1, j-1 {
			perm[i], perm[j] = perm[j], perm[i]
		}
		flips++
	}
	return flips
}

type tree struct{ left, right *tree }

func build(depth int) *tree {
	if depth == 0 {
		return &tree{}
	}
	return &tree{build(depth - 1), build(depth - 1)}
}

func (t *tree) count() int {
	if t.left == nil {
		return 1
	}
	return 1 + t.left.count() + t.right.count()
}

// BinaryTrees builds a full binary tree and returns the number of its nodes.
func BinaryTrees(depth int) int { return build(depth).count() }

// ReverseComplement fills a buffer with the bases in turn, writes their
// complements to a second one in reverse, and returns the sum of that.
func ReverseComplement(n int) int {
	in, out := make([]byte, n), make([]byte, n)
	for i := range in {
		in[i] = "ACGT"[i&3]
	}
	for i, b := range in {
		var c byte
		switch b {
		case 'A':
			c = 'T'
		case 'C':
			c = 'G'
		case 'G':
			c = 'C'
		case 'T':
			c = 'A'
		default:
			c = b
		}
		out[n-1-i] = c
	}
	sum := 0
	for i, b := range out {
		sum += int(b) * (i & 7)
	}
	return sum
}

// ReverseComplementInPlace does the same with one buffer, from both ends.
func ReverseComplementInPlace(n int) int {
	complement := func(b byte) byte {
		switch b {
		case 'A':
			return 'T'
		case 'C':
			return 'G'
		case 'G':
			return 'C'
		case 'T':
			return 'A'
		}
		return b
	}
	buf := make([]byte, n)
	for i := range buf {
		buf[i] = "ACGT"[i&3]
	}
	i, j := 0, n-1
	for i < j {
		buf[i], buf[j] = complement(buf[j]), complement(buf[i])
		i++
		j--
	}
	if i == j {
		buf[i] = complement(buf[i])
	}
	sum := 0
	for i, b := range buf {
		sum += int(b) * (i & 7)
	}
	return sum
}

type pair struct{ a, b *pair }

// last keeps what PairThroughput makes.
var last *pair

// PairThroughput makes a chain of n pairs, each of which refers twice to the one
// before, and returns the length of the chain through halves that agree, at most 2.
func PairThroughput(n int) int {
	var p *pair
	for range n {
		p = &pair{p, p}
	}
	last = p
	return p.depth()
}

// PairThroughputTail is PairThroughput by tail recursion.
func PairThroughputTail(n int) int {
	last = chain(n, nil)
	return last.depth()
}

func chain(n int, p *pair) *pair {
	if n == 0 {
		return p
	}
	return chain(n-1, &pair{p, p})
}

func (p *pair) depth() int {
	switch {
	case p == nil || p.a != p.b:
		return 0
	case p.a == nil || p.a.a != p.b.b:
		return 1
	}
	return 2
}

type numbers struct{ a, b int64 }

// PairSwap makes a new pair n times, with the halves of the one before exchanged
// and the second one greater by 1.
func PairSwap(n int) int64 {
	p := &numbers{1, 2}
	for range n {
		p = &numbers{p.b, p.a + 1}
	}
	return 3*p.a + p.b
}

// PairSwapTail is PairSwap by tail recursion.
func PairSwapTail(n int) int64 {
	p := swap(n, &numbers{1, 2})
	return 3*p.a + p.b
}

func swap(n int, p *numbers) *numbers {
	if n == 0 {
		return p
	}
	return swap(n-1, &numbers{p.b, p.a + 1})
}

type cell struct {
	value int64
	next  *cell
}

// PairWalk builds a list of n cells and adds up what they hold.
func PairWalk(n int) int64 {
	var l *cell
	for i := range int64(n) {
		l = &cell{i, l}
	}
	sum := int64(0)
	for ; l != nil; l = l.next {
		sum += l.value
	}
	return sum
}

// PairWalkTail is PairWalk by tail recursion.
func PairWalkTail(n int) int64 { return sum(list(0, int64(n), nil), 0) }

func list(i, n int64, l *cell) *cell {
	if i == n {
		return l
	}
	return list(i+1, n, &cell{i, l})
}

func sum(l *cell, s int64) int64 {
	if l == nil {
		return s
	}
	return sum(l.next, s+l.value)
}
