// Package lab is the folder of what measures and judges programs: `gyr bench`, `gyr research`, and
// what only they use. A stranger can read the core, from the IR to `gyr run` and `gyr test`, without it.
//
//   - bench is `gyr bench`: benchmarks of Go packages with statistics, diagnoses and a page.
//   - research is `gyr research`: a session in which candidates for a change are tried and judged.
//   - ratio measures gyr itself against native Go.
//   - measure has the statistics, the lock and the fingerprint of the machine.
//   - markup writes the pages of HTML and their drawings.
//
// The border is kept by tests. internal/floors_test.go lets only commands import the lab, so that a change here
// runs no test of the core again. What the lab uses of the core stands in testdata/surface.txt,
// package by package: who changes one of those names looks here, and who changes another need not.
package lab
