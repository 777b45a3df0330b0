package kernels

import (
	"math"
	"math/big"
	"testing"
)

// The results are compared with those of other ways to the same figure.

func TestSpectralNorm(t *testing.T) {
	for _, n := range []int{1, 2, 10, 100} {
		// The matrix as a whole, rows added up from the other end.
		uv, vv := 0.0, 0.0
		for i := range n {
			row := 0.0
			for j := n - 1; j >= 0; j-- {
				d := i + j
				row += 1 / float64(d*(d+1)/2+i+1)
			}
			uv += row
			vv += row * row
		}
		want := math.Sqrt(uv / vv)
		if got := SpectralNorm(n); math.Abs(got-want) > 1e-12 {
			t.Errorf("SpectralNorm(%d) = %v, want %v", n, got, want)
		}
	}
}

func TestNBody(t *testing.T) {
	type vec [3]float64
	var pos, vel [bodies]vec
	var mass [bodies]float64
	for i := range bodies {
		for k := range 3 {
			pos[i][k] = float64(i * (k + 1))
			vel[i][k] = float64(i*(k+1)) / 10
		}
		mass[i] = float64(i + 1)
	}
	distance := func(i, j int) float64 {
		return math.Hypot(math.Hypot(pos[i][0]-pos[j][0], pos[i][1]-pos[j][1]), pos[i][2]-pos[j][2])
	}
	// What pulls at a body, summed up body by body.
	next := vel
	for i := range bodies {
		for j := range bodies {
			if i != j {
				for k := range 3 {
					next[i][k] += 0.01 * mass[j] * (pos[j][k] - pos[i][k]) / math.Pow(distance(i, j), 3)
				}
			}
		}
	}
	want := 0.0
	for i := range bodies {
		for k := range 3 {
			pos[i][k] += 0.01 * next[i][k]
			want += mass[i] * next[i][k] * next[i][k] / 2
		}
	}
	for i := range bodies {
		for j := range i {
			want -= mass[i] * mass[j] / distance(i, j)
		}
	}
	if got := NBody(); math.Abs(got-want) > 1e-12*(1+math.Abs(want)) {
		t.Errorf("NBody() = %v, want %v", got, want)
	}
}

// TestMandelbrot counts with 200 bits, where no rounding decides.
func TestMandelbrot(t *testing.T) {
	const w, h, most = 8, 8, 50
	number := func(x float64) *big.Float { return new(big.Float).SetPrec(200).SetFloat64(x) }
	mul := func(a, b *big.Float) *big.Float { return number(0).Mul(a, b) }
	want := 0
	for py := range h {
		for px := range w {
			cr, ci := number(3*float64(px)/w-2), number(2*float64(py)/h-1)
			zr, zi := number(0), number(0)
			n := 0
			for ; n < most; n++ {
				r2, i2 := mul(zr, zr), mul(zi, zi)
				if number(0).Add(r2, i2).Cmp(number(4)) > 0 {
					break
				}
				zi = number(0).Add(mul(mul(number(2), zr), zi), ci)
				zr = number(0).Add(number(0).Sub(r2, i2), cr)
			}
			want += n
		}
	}
	if got := Mandelbrot(w, h, most); got != want {
		t.Errorf("Mandelbrot = %d, want %d", got, want)
	}
}

func TestFannkuch(t *testing.T) {
	seen := 0
	for _, v := range fannkuchStart {
		seen |= 1 << v
	}
	if seen != 0xfe || len(fannkuchStart) != 7 {
		t.Errorf("%v is no permutation of 1 to 7", fannkuchStart)
	}
	// With lists instead of swaps.
	p, flips := fannkuchStart, 0
	for p[0] != 1 {
		var q []int64
		for i := p[0] - 1; i >= 0; i-- {
			q = append(q, p[i])
		}
		p = append(q, p[p[0]:]...)
		flips++
	}
	if got := Fannkuch(); got != flips || got != 9 {
		t.Errorf("Fannkuch() = %d, want %d, which is to be 9", got, flips)
	}
}

func TestBinaryTrees(t *testing.T) {
	for d := range 13 {
		if got, want := BinaryTrees(d), 1<<(d+1)-1; got != want {
			t.Errorf("BinaryTrees(%d) = %d, want %d", d, got, want)
		}
	}
}

func TestReverseComplement(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 1024, 1025} {
		want := 0
		for i := range n {
			want += int("TGCA"[(n-1-i)%4]) * (i % 8)
		}
		if got := ReverseComplement(n); got != want {
			t.Errorf("ReverseComplement(%d) = %d, want %d", n, got, want)
		}
		if got := ReverseComplementInPlace(n); got != want {
			t.Errorf("ReverseComplementInPlace(%d) = %d, want %d", n, got, want)
		}
	}
}

func TestPairs(t *testing.T) {
	for _, n := range []int{0, 1, 2, 5, 1000} {
		if got, tail := PairThroughput(n), PairThroughputTail(n); got != min(n, 2) || tail != got {
			t.Errorf("PairThroughput(%d) = %d, by recursion %d", n, got, tail)
		}
		// Two steps add 1 to both halves.
		a, b := int64(1+n/2), int64(2+n/2)
		if n%2 == 1 {
			a, b = b, a+1
		}
		if got, tail := PairSwap(n), PairSwapTail(n); got != 3*a+b || tail != got {
			t.Errorf("PairSwap(%d) = %d, by recursion %d, want %d", n, got, tail, 3*a+b)
		}
		if got, tail := PairWalk(n), PairWalkTail(n); got != int64(n*(n-1)/2) || tail != got {
			t.Errorf("PairWalk(%d) = %d, by recursion %d", n, got, tail)
		}
	}
}

// Sinks, so that no compiler drops a call; and sizes that it does not know.
var (
	floatSink                        float64
	intSink                          int
	int64Sink                        int64
	eight, twelve, fifty             = 8, 12, 50
	hundred, thousand, thousandBytes = 100, 1000, 1024
)

func benchmark[T any](b *testing.B, sink *T, f func() T) {
	b.ReportAllocs()
	for range b.N {
		*sink = f()
	}
}

func BenchmarkSpectralNorm(b *testing.B) {
	benchmark(b, &floatSink, func() float64 { return SpectralNorm(hundred) })
}

func BenchmarkNBody(b *testing.B) { benchmark(b, &floatSink, NBody) }

func BenchmarkMandelbrot(b *testing.B) {
	benchmark(b, &intSink, func() int { return Mandelbrot(eight, eight, fifty) })
}

func BenchmarkFannkuch(b *testing.B) { benchmark(b, &intSink, Fannkuch) }

func BenchmarkBinaryTrees8(b *testing.B) {
	benchmark(b, &intSink, func() int { return BinaryTrees(eight) })
}

func BenchmarkBinaryTrees12(b *testing.B) {
	benchmark(b, &intSink, func() int { return BinaryTrees(twelve) })
}

func BenchmarkReverseComplement(b *testing.B) {
	benchmark(b, &intSink, func() int { return ReverseComplement(thousandBytes) })
}

func BenchmarkReverseComplementInPlace(b *testing.B) {
	benchmark(b, &intSink, func() int { return ReverseComplementInPlace(thousandBytes) })
}

func BenchmarkPairThroughput(b *testing.B) {
	benchmark(b, &intSink, func() int { return PairThroughput(thousand) })
}

func BenchmarkPairThroughputTail(b *testing.B) {
	benchmark(b, &intSink, func() int { return PairThroughputTail(thousand) })
}

func BenchmarkPairSwap(b *testing.B) {
	benchmark(b, &int64Sink, func() int64 { return PairSwap(thousand) })
}

func BenchmarkPairSwapTail(b *testing.B) {
	benchmark(b, &int64Sink, func() int64 { return PairSwapTail(thousand) })
}

func BenchmarkPairWalk(b *testing.B) {
	benchmark(b, &int64Sink, func() int64 { return PairWalk(thousand) })
}

func BenchmarkPairWalkTail(b *testing.B) {
	benchmark(b, &int64Sink, func() int64 { return PairWalkTail(thousand) })
}
