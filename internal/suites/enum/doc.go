// Package enum enumerates small programs of the IR and compares what they do in the evaluator of
// package irtest, the interpreter and machine code. It does so without passes, with all of phase B,
// without each pass and with each pass alone.
//
// # Spaces
//
// A [Space] is a numbered set of programs. Every number up to its size names a program, and always
// the same one while the tables of the space do not change. So a number is enough to report a
// difference and to try it again. The spaces are:
//
//   - trees (trees.go, grammar.go): all expressions of up to three operations, at each place where
//     a value may go: returned, stored, stored narrow, as a condition, as the operand of a switch,
//     as an index with its check; and after a condition that may say something about it
//   - accesses (accesses.go): sequences of up to four loads, stores, moves and clears of an object
//     of 16 bytes, by two addresses that may be the same
//   - loops (loops.go): loops with one induction variable of each width, start, step, comparison
//     and limit, with checked accesses and sums inside
//
// Leaves are variables, which may occur several times, and constants near the bounds of types, of
// shifts and of each other. Programs that differ only in names or in the order of commuting
// operands are one: only the first of them exists.
//
// # Comparing
//
// A [Batch] (batch.go) is a module of hundreds of programs, tens to a function. Each program has a
// place for its results for each of some rows of operands. To compile one program at a time would
// take ten times as long. Programs that may trap, and some of the others, have functions of their
// own. The evaluator's results for the module as it was built are the reference. All others must
// have the same results after every set of passes (irtest/passes), to the last byte and with the
// same gas. The two sets that matter most run in every batch, the others in turns (compare.go).
//
// A program that differs is tried alone, with more operands, over all sets and both tiers. Then its
// parts are tried (reduce.go), and the report shows the smallest part that still differs.
package enum
