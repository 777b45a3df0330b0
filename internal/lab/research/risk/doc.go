// Package risk reads a candidate's change of a Go program. It names changes that tend to be wrong,
// or to be faster without being better.
//
// A candidate for a faster program passes its tests, or nobody would consider it. Its faults are in
// what tests do not check: an object that went back to its pool while something still refers to it,
// a slice that is no longer copied, a lock that is gone, a cache that holds the benchmark's input.
// Reviewers find such faults in the diff, so this lint reads the diff, too.
//
// # What is compared
//
// Lint gets both trees and the names of the changed files. It parses the packages around them, and
// checks types as far as it can: packages of the module and of the standard library are known,
// others are not, and no error stops it (source.go). What cannot be parsed is left to the compiler.
//
// The lint reports only what a change introduces. Most rules examine one function; a finding that
// the parent's version has too is not new. Some rules compare both versions, and find a lock or a
// comparison with nil that is gone.
//
// # What a finding does
//
// A finding has a rule, a place and a sentence. A rule has a label, which the ledger records and
// which turns on checks of the battery ("when": "risk:unsafe"). It also names the checks that it
// asks for. A blocking rule's findings refuse the candidate, because no gain excuses them: they
// concern programs that behave differently when they are measured, or memory that certainly has two
// users. All others are hints, with the checks that would show whether they matter. The rules err
// on both sides: they follow references through a function and the functions that it calls in its
// package, not further, and without regard to the order of execution.
//
// The rules are a table (rules.go). Each family has a file: pool.go (sync.Pool), alias.go (shared
// inputs), unsafecode.go, guard.go (nil, errors), sync.go (locks and atomics), state.go (globals
// and caches), writes.go (what a function writes to), encoder.go, detect.go (programs that know
// that they are measured). refs.go follows references. testdata has for each rule a change that it
// catches and a similar one that is right.
package risk
