package exec

import "math"

// FMA32 rounds x*y + z once. The product of two float32 is exact in float64;
// the sum is rounded to odd there, after which rounding to float32 is right.
func FMA32(x, y, z float32) float32 {
	p := float64(x) * float64(y)
	s := p + float64(z)
	b := math.Float64bits(s)
	if b&0x1fffffff != 0x10000000 || math.IsNaN(s) || math.IsInf(s, 0) {
		return float32(s) // not halfway between two float32
	}
	// The error of the sum (two-sum) tells on which side the exact value lies.
	bb := s - p
	err := (p - (s - bb)) + (float64(z) - bb)
	switch {
	case err == 0:
	case (err > 0) == (s > 0):
		b++
	default:
		b--
	}
	return float32(math.Float64frombits(b))
}
