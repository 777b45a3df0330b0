package prove

import (
	"math/rand/v2"
	"sync"

	"github.com/gyrvm/gyr/internal/opt/rules"
)

// Sample tries boundary and random operands at some widths. n is the number of assignments under
// which the rule applies.
func Sample(r *rules.Rule, w Widths, seed, n uint64) Result {
	c := newClaim(r, w)
	c.order()
	s := &search{c: c, env: make(env, len(c.vars)), goal: c.goal()}
	tests := c.assumptions()
	rng := rand.New(rand.NewPCG(seed, 0))
	lists := make([][]uint64, len(c.vars))
	for i, v := range c.vars {
		lists[i] = Boundaries(v.shape)
	}
draw:
	for misses := uint64(0); s.Tried < n && misses < 100*n+1000; misses++ {
		for i, v := range c.vars {
			if rng.IntN(2) == 0 {
				s.env[i] = lists[i][rng.IntN(len(lists[i]))]
			} else {
				s.env[i] = v.shape.Mask(rng.Uint64() >> rng.IntN(int(v.shape.Bits)))
			}
		}
		for _, t := range tests {
			if !t.holds(s.env) {
				continue draw
			}
		}
		s.Tried++
		if !s.goal(s.env) {
			s.Counter = s.describe()
			return s.Result
		}
	}
	return s.Result
}

// Boundaries are the critical values of a shape: numbers next to 0 and next to powers of two. For
// floats they are all powers of two and their neighbours, the ends of the range, infinities and
// NaNs, with both signs. The caller must not change the list.
func Boundaries(s Shape) []uint64 {
	if list, ok := boundaries.Load(s); ok {
		return list.([]uint64)
	}
	list := newBoundaries(s)
	boundaries.Store(s, list)
	return list
}

var boundaries sync.Map // []uint64 by Shape

func newBoundaries(s Shape) (list []uint64) {
	seen := map[uint64]bool{}
	add := func(x uint64) {
		if x = s.Mask(x); !seen[x] {
			seen[x] = true
			list = append(list, x)
		}
	}
	step := uint64(1)
	if isFloat(s) {
		_, fb := format(s.Bits)
		step = 1 << fb // from one power of two to the next
		for e := uint64(0); e <= s.ones()>>1/step; e++ {
			for d := -1; d <= 1; d++ {
				add(e*step + uint64(d))
				add(e*step + uint64(d) | 1<<(s.Bits-1))
			}
		}
	}
	for i := uint(0); i <= s.Bits; i++ {
		for d := -1; d <= 1; d++ {
			add(1<<i + uint64(d))
			add(-(1 << i) + uint64(d))
		}
	}
	for x := uint64(0); x <= 12; x++ {
		add(x)
		add(-x)
	}
	return list
}
