package research

import (
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
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
	words := []string{fmt.Sprint("-randlayout=", layout)}
	for _, flags := range slices.Backward(inUse) {
		if ld, ok := lastLinkFlags(flags); ok {
			words = slices.Insert(words, 0, ld)
			break
		}
	}
	return "'-ldflags=" + strings.Join(words, " ") + "'"
}

// lastLinkFlags is the value of -ldflags that counts in a list like GOFLAGS. A word of the list may be
// quoted as a whole.
func lastLinkFlags(list string) (value string, ok bool) {
	for list = strings.TrimSpace(list); list != ""; list = strings.TrimSpace(list) {
		word, rest, _ := strings.Cut(list, " ")
		if q := list[:1]; q == "'" || q == `"` {
			word, rest, _ = strings.Cut(list[1:], q)
		}
		if v, is := strings.CutPrefix(strings.TrimPrefix(word, "-"), "-ldflags="); is {
			value, ok = v, true
		} else if v, is := strings.CutPrefix(word, "-ldflags="); is {
			value, ok = v, true
		}
		list = rest
	}
	return value, ok
}

// flagsInUse are the lists of flags that builds of a side have.
func (d *side) flagsInUse() []string {
	return []string{os.Getenv("GOFLAGS"), d.settings["GOFLAGS"], d.settings.environ()[goFlags]}
}
