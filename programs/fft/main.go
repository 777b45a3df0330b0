// Command fft transforms complex vectors forth and back with the fast Fourier
// transform and multiplies polynomials with it. The size is the number of rounds over
// 4096 points.
//
// Usage: fft [size]
package main

import (
	"fmt"
	"math"
	"math/bits"
	"math/cmplx"
	"os"
	"strconv"
)

type plan struct {
	n     int
	roots []complex128 // of unity, the first half
	swap  []int32      // bit-reversed indices
}

func newPlan(n int) *plan {
	p := &plan{n, make([]complex128, n/2), make([]int32, n)}
	for i := range p.roots {
		p.roots[i] = cmplx.Rect(1, -2*math.Pi*float64(i)/float64(n))
	}
	shift := 64 - bits.Len(uint(n-1))
	for i := range p.swap {
		p.swap[i] = int32(bits.Reverse64(uint64(i)) >> shift)
	}
	return p
}

func (p *plan) transform(a []complex128) {
	for i, j := range p.swap {
		if int(j) > i {
			a[i], a[j] = a[j], a[i]
		}
	}
	for half := 1; half < p.n; half *= 2 {
		step := p.n / (2 * half)
		for at := 0; at < p.n; at += 2 * half {
			lo, hi := a[at:at+half], a[at+half:at+2*half]
			for k := range lo {
				t := hi[k] * p.roots[k*step]
				lo[k], hi[k] = lo[k]+t, lo[k]-t
			}
		}
	}
}

func (p *plan) inverse(a []complex128) {
	for i, v := range a {
		a[i] = cmplx.Conj(v)
	}
	p.transform(a)
	for i, v := range a {
		a[i] = complex(real(v)/float64(p.n), -imag(v)/float64(p.n))
	}
}

func main() {
	n := size(300)
	const points = 4096
	p := newPlan(points)
	a, b := make([]complex128, points), make([]complex128, points)
	sum := uint64(0)
	for round := range n {
		for i := range points / 2 {
			a[i] = complex(float64((i*3+round)%10), 0)
			b[i] = complex(float64((i*7+round)%10), 0)
		}
		clear(a[points/2:])
		clear(b[points/2:])
		p.transform(a)
		p.transform(b)
		for i := range a {
			a[i] *= b[i]
		}
		p.inverse(a)
		for _, v := range a {
			sum = sum*31 + uint64(math.Round(real(v)))
		}
	}
	fmt.Printf("%016x\n", sum)
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
