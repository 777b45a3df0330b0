// Package measure takes figures of programs and says what they show.
//
// # Figures
//
// Package process (internal/tools/process) runs the programs. What they print is read as lines of Go
// benchmarks (bench.go) or as METRIC lines (metricline.go). Figures that were taken while another
// measurement ran are worth little, so those who measure hold a lock of the machine (lock.go). The machine
// has a fingerprint (environment.go), and figures of two days are compared only where it is the same.
// NewMachine measures what single operations take here (machine.go).
//
// # From figures to a verdict
//
// Samples of one and the same program tell what kind of figure a metric is (class.go): exact
// ones repeat, near-exact ones stay within half a percent, all others are noisy.
// Two exact figures are compared; of near-exact ones the ranges are.
//
// Noisy figures are taken in pairs, parent and candidate one right after the other, so that
// what drifts on the machine drifts under both. The logarithm of a pair's ratio, with the
// sign that makes better positive, is its gain. The test is Wilcoxon's signed-rank test of the
// gains with its exact distribution, the estimate is that of Hodges and Lehmann, with the
// interval that belongs to the same test (signedrank.go).
//
// A Trial (trial.go) takes pairs until it can decide. It looks after 8, 16 and 32 of them and
// divides its level among the looks, stops early where a gain has become unlikely, asks of
// every guard that it is not worse than its tolerance, and repeats all that with fresh
// pairs before it accepts: of many candidates the one that looks best has also been lucky, and
// the second measurement does not know of the luck of the first. Only the second one
// is reported. A Schedule (schedule.go) makes the level smaller the longer a session goes without
// success, so that the false acceptances that are expected of a session stay bounded however long it is.
//
// What this yields is simulated by TestSimulation: docs/research.md has the figures.
package measure
