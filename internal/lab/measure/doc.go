// Package measure reads figures of programs and decides what they show.
//
// # Figures
//
// Package process (internal/tools/process) runs the programs. What they print is read as lines of
// Go benchmarks (bench.go) or as METRIC lines (metricline.go). Another measurement at the same time
// spoils figures, so a measurement holds the machine's lock (lock.go). The machine has a
// fingerprint (environment.go). Figures of two days are compared only if their fingerprints are
// equal. NewMachine measures what single operations take here (machine.go).
//
// # From figures to a verdict
//
// Samples of the same program tell the class of a metric (class.go). Exact figures repeat,
// near-exact ones stay within half a percent, all others are noisy. Exact figures are compared
// directly, near-exact ones by their ranges.
//
// Noisy figures are taken in pairs, parent and candidate one right after the other, so that a drift
// of the machine affects both. The gain of a pair is the logarithm of its ratio, with the sign that
// makes better positive. The test is Wilcoxon's signed-rank test of the gains with its exact
// distribution. The estimate is that of Hodges and Lehmann, with the interval that belongs to the
// same test (signedrank.go). Samples that are not pairs are compared by ranks too (ranksum.go).
// Medians have intervals from order statistics or a bootstrap (median.go), and a series is divided
// where its level changes (changepoint.go).
//
// A Trial (trial.go) takes pairs until it can decide. It looks after 8, 16 and 32 pairs and divides
// its level among the looks. It stops early where a gain has become unlikely. It requires that
// every guard is not worse than its tolerance. Before it accepts, it repeats all that with fresh
// pairs: the best of many candidates has also been lucky, and the second measurement does not share
// the luck of the first. Only the second one is reported. A Schedule (schedule.go) lowers the level
// the longer a session goes without success. So the expected number of false acceptances in a
// session stays bounded, however long the session is.
//
// TestSimulation simulates the error rates of all this; docs/research.md has the figures.
package measure
