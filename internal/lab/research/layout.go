package research

import (
	"fmt"
	"os"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/goflags"
)

// Where the linker places functions changes how fast they run, by a third in a short loop: a change to
// one function moves all that follow it. A benchmark that the change does not touch may then look slower,
// in every pair of the same two binaries. So when the first look at the pairs has not decided, the later
// pairs are of binaries whose functions are in other orders, equal ones on both sides, a new one every
// few pairs. See T. Mytkowicz et al., "Producing Wrong Data Without Doing Anything Obviously Wrong!",
// ASPLOS 2009, and C. Curtsinger and E. Berger, "Stabilizer", ASPLOS 2013.

// layoutPairs are the pairs of one order of functions: linking takes longer than a pair.
const layoutPairs = 4

// layoutOf is the seed of the order of functions in both binaries of pair n of a stage; 0 is the usual
// order.
func (s *Session) layoutOf(src *source, stage string, n int) int {
	first := s.config.Statistics.Pairs[0]
	if src.from != "gobench" || stage != ledger.StageMeasure || n <= first || !s.needsTurn(src) {
		return 0
	}
	return (n-first-1)/layoutPairs + 1
}

// layoutFlags are the flags for GOFLAGS by which the linker uses a layout, after those in use.
func layoutFlags(layout int, inUse ...string) string {
	var words []string
	for _, list := range inUse {
		flags, _ := goflags.Split(list) // a list with an error fails in the go command
		for _, flag := range flags {
			if value, ok := strings.CutPrefix(strings.TrimLeft(flag, "-"), "ldflags="); ok {
				words = []string{value} // the last one counts
			}
		}
	}
	words = append(words, fmt.Sprint("-randlayout=", layout))
	return "'-ldflags=" + strings.Join(words, " ") + "'"
}

// flagsInUse are the lists of flags that builds of a side have.
func (d *side) flagsInUse() []string {
	return []string{os.Getenv("GOFLAGS"), d.settings["GOFLAGS"], d.settings.environ()[goFlags]}
}
