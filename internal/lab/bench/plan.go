package bench

import (
	"math"
	"math/rand/v2"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

//go:generate go test . -run ^TestDocs$ -update

// Plans are the plans of the three modes. A batch is long enough that reading the clock, a
// millionth of it, does not count. Six visits are the fewest with an interval at 95 %, so quick
// ones have no interval.
var Plans = map[string]record.Plan{
	"quick":    {Mode: "quick", Visits: 3, Batches: 5, BatchNS: 5e6},
	"default":  {Mode: "default", Visits: 8, Batches: 8, BatchNS: 20e6},
	"thorough": {Mode: "thorough", Visits: 24, Batches: 12, BatchNS: 20e6},
}

// DefaultDelta is the part below which a difference counts as none.
const DefaultDelta = 0.01

// warmBatches of a visit do not count: at first, caches and predictors are another program's.
// Batches in which functions are compiled do not count either.
const warmBatches = 2

// countGas bounds the run that counts. Gas decides, not time, so that the number of iterations is
// the same on every machine.
const countGas = 20e6

// maxCount is the largest number of iterations of the run that counts.
const maxCount = 1000

// Declared benchmarks have a loop that runs in strips, which grow up to half a millisecond of the
// guest's clock. Their run ends before strips have grown.
const (
	declaredGas = 100e3
	maxDeclared = 20_000
)

// countIterations is the number of iterations of the run that counts, if the first one took this
// much gas.
func countIterations(gas float64, declared bool) int {
	in, most := countGas, float64(maxCount)
	if declared {
		in, most = declaredGas, maxDeclared
	}
	return int(math.Max(1, math.Min(most, in/math.Max(gas, 1))))
}

// visitsFor is how many visits each cell needs so that the signed-rank test can find anything in
// this many comparisons. The least p-value of n pairs is 2/2ⁿ, and Holm's correction multiplies it
// by the number of comparisons.
func visitsFor(comparisons int) int {
	if comparisons == 0 {
		return 0
	}
	return int(math.Ceil(math.Log2(2 * float64(comparisons) / result.Level)))
}

// orderOf is the order in which the cells of a block are visited in a round. Two cells go AB BA BA
// AB, so that neither is first more often, and an even drift affects both alike. More cells follow
// the rows of Latin squares: in as many rounds as cells, each is once at each place. Every square
// begins with another permutation.
func orderOf(cells, round int, seed uint64) []int {
	order := make([]int, cells)
	if cells == 2 {
		first := [4]int{0, 1, 1, 0}[round%4] ^ int(seed&1)
		return []int{first, 1 - first}
	}
	square := uint64(round / max(cells, 1))
	first := rand.New(rand.NewPCG(seed, square)).Perm(cells)
	for i := range order {
		order[i] = first[(i+round)%cells]
	}
	return order
}
