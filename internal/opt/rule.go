package opt

import (
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
)

// The algebra of the optimiser stands in rules/*.rules. What runs is made from it;
// package rules/prove shows that it is right.
//
//go:generate go run ./rules/gen

// A rule is the number of an entry there.
type rule uint16

func (r rule) String() string { return ruleNames[r] }

// isPowerOf2 is the function pow2 of rules.
func isPowerOf2(x uint64) bool { return x != 0 && x&(x-1) == 0 }

// log2 is the function log2 of rules.
func log2(x uint64) int64 { return int64(bits.TrailingZeros64(x)) }

// minSigned and maxSigned are the facts smin and smax of rules.
func minSigned(v *ir.Value) int64 { lo, _ := smallRange(v); return lo }
func maxSigned(v *ir.Value) int64 { _, hi := smallRange(v); return hi }

// remove deletes a value that does nothing.
func (p *simplifier) remove(v *ir.Value) {
	if p.log && v.HasEffect(ir.MayTrap) {
		p.because(v, "%s", alwaysPasses(v))
	}
	deleted(v)
}
