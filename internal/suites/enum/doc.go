// Package enum enumerates small programs of the IR and compares what they do in the
// evaluator of package irtest, the interpreter and machine code, without passes, with all
// of phase B, without each pass and with each pass alone.
//
// # Spaces
//
// A [Space] is a numbered set of programs: every number up to its size names one, and the same
// one for as long as the tables of the space stay, so a difference is told and tried again by its
// number. There are three:
//
//   - trees (trees.go, grammar.go): all expressions of up to three operations, at each place where a value may
//     go: returned, stored, stored narrow, a condition, what a switch asks, an index behind its check; and behind a
//     condition that may tell something about it
//   - accesses (accesses.go): sequences of up to four loads, stores, moves and clears of an object of 16 bytes, by two
//     addresses that may be the same
//   - loops (loops.go): loops with one induction variable of each width, start, step, comparison and limit, with
//     checked accesses and sums inside
//
// Leaves are variables, of which each may come several times, and constants about the bounds of
// types, of shifts and of each other. Programs that differ in names or the order of commuting operands alone
// are one: only the first of them exists.
//
// # Comparing
//
// A [Batch] (batch.go) is a module of hundreds of programs, tens to a function, each with a place for its results for
// each of some rows of operands: compiling one at a time takes ten times as long. Programs that may trap, and some of
// the others, have functions of their own. What the evaluator makes of the module as it was built is what all others
// must make of it, after every set of passes (irtest/passes), to the last byte and with the same gas. The two sets
// that matter run in every batch, the others in turn.
//
// A program that differs is tried alone, with more operands, over all sets and both tiers, and then its parts are
// (reduce.go): what is told is the smallest part that still differs.
package enum
