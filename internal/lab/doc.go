// Package lab is the folder of the packages that measure and judge programs: `gyr bench`, `gyr
// research`, and what only they use. A stranger can read the core, from the IR to `gyr run` and
// `gyr test`, without it.
//
//   - bench is `gyr bench`: benchmarks of Go packages with statistics, diagnoses and a page.
//   - research is `gyr research`: a session in which candidates for a change are tried and judged.
//   - ratio measures gyr itself against native Go.
//   - measure has the statistics, the lock and the fingerprint of the machine.
//   - markup writes HTML pages and their drawings.
//
// Tests keep the border. internal/floors_test.go lets only commands import the lab, so that a
// change here runs no test of the core again. testdata/surface.txt lists the core's names that the
// lab uses, package by package. If you change one of those names, look here too; for any other name
// you need not.
package lab
