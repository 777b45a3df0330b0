// Package endings compares how programs end in gyr and in native Go: the report of a panic or a
// fatal error, the states of goroutines, the frames with their lines, and the exit status.
//
// A program of testdata/cases has all cases, one function each, with a name that begins with case.
// Random chains of calls, deferred calls, panics, Goexit and recover (chains.go) are further cases
// of it. The go command builds it once, gyr compiles it once, and each case is one run of it:
// natively and in both tiers.
//
// The comparison leaves out what native Go does not promise (report.go): addresses, arguments of
// frames, the numbers of goroutines but the first, and the lines of package runtime, which gyr
// replaces. A case whose native report changes from run to run counts as equal if it equals any of
// these reports.
//
// [TestEndings] takes all cases and a sample of chains; -chains N takes more, starting with -seed.
//
// [TestMath] compares the functions of package math, some of which are assembly in native Go.
package endings
