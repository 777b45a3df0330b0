package plan

import (
	"math"
	"math/bits"
)

// SHA256Words returns the constants of the rounds of SHA-256, two in a word. The constant of a round is the first 32
// bits after the point of the cube root of a prime. Computing all of them takes some microseconds.
func SHA256Words() (list []uint64) {
	for p, n := uint64(2), 0; n < 64; p++ {
		if !isPrime(p) {
			continue
		}
		r := uint64(0) // the largest number whose cube is at most p * 2^96: the root times 2^32
		for bit := uint64(1) << 35; bit > 0; bit >>= 1 {
			if cubeWithin(r|bit, p) {
				r |= bit
			}
		}
		if n%2 == 0 {
			list = append(list, r&math.MaxUint32)
		} else {
			list[n/2] |= r << 32
		}
		n++
	}
	return list
}

func isPrime(p uint64) bool {
	for d := uint64(2); d*d <= p; d++ {
		if p%d == 0 {
			return false
		}
	}
	return true
}

// cubeWithin reports whether the cube of r is at most p * 2^96, for p below 2^32.
func cubeWithin(r, p uint64) bool {
	hi, lo := bits.Mul64(r, r)
	top, middle := bits.Mul64(hi, r)
	carry, low := bits.Mul64(lo, r)
	middle, c := bits.Add64(middle, carry, 0)
	return top+c == 0 && (middle < p<<32 || middle == p<<32 && low == 0)
}
