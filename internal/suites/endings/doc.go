// Package endings compares how programs end with how native Go ends them: the report of a panic or a fatal error, the states of goroutines, the frames with
// their lines, and the exit status.
//
// A program of testdata/cases has all cases, one function each, whose names begin with case. Random chains of calls, deferred calls, panics, Goexit and recover
// (chains.go) are further cases of it. The go command builds it once, gyr compiles it once, and each case is one run of it: natively and in both tiers.
//
// What native Go does not promise is left out of the comparison (report.go): addresses, arguments of frames, the numbers of goroutines but the first, and the lines of
// package runtime, which is another one here. A case whose native report changes from run to run counts as equal if it is equal to any of these.
//
// [TestEndings] takes all cases and a sample of chains; -chains N takes more, from -seed on.
//
// [TestMath] compares the functions of package math, some of which are assembly in native Go.
package endings
