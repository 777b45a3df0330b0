// Package risk reads the change that a candidate makes to a Go program and names what in it tends
// to be wrong, or to be faster without being better.
//
// A program that got faster passes its tests, or nobody would look at it. What it broke is what tests do
// not look at: an object that went back to its pool while something still refers to it, a
// slice that is no longer copied, a lock that is gone, a cache that knows the benchmark's
// input by heart. Reviewers find such things in the diff, so this lint reads the diff, too.
//
// # What is compared
//
// Lint gets both trees and the names of the changed files. It parses the packages around them, and
// checks types as far as it can: packages of the module and of the standard library are known,
// others are not, and no error stops it (source.go). What cannot be parsed is left to
// the compiler.
//
// Only what a change brings in is reported. Most rules look at one function, and what they find in the
// parent's version of it too is not new. Some compare both versions: what was locked and no longer
// is, what was compared with nil and no longer is.
//
// # What comes of it
//
// A finding has a rule, a place and a sentence. A rule has a label, which stands in the ledger and
// turns checks of the battery on ("when": "risk:unsafe"), and the names of the checks it asks
// for. A blocking rule's findings refuse the candidate, because no gain excuses them: they
// concern programs that behave otherwise when they are measured, or memory that is known to be used by two. All
// others are hints, with the checks that would show whether they matter. The rules
// err to both sides: they follow references through a function and what it calls in its package,
// not further, and not in the order of time.
//
// The rules are a table (rules.go), their families a file each: pool.go (sync.Pool), alias.go (inputs that are
// shared), unsafecode.go, guard.go (nil, errors), sync.go (locks and atomics), state.go (globals and caches),
// encoder.go, detect.go (programs that know that they are measured). testdata has a change for each rule that it
// catches and one like it that is right.
package risk
