// Package facts computes what an integer operation says about its result, given facts about its
// operands.
//
// # Three views of one number
//
// A Value describes the set of numbers of some width that a value may be, in three ways that say
// different things and must not be mistaken for one another:
//
//   - a signed range, Lo ≤ x ≤ Hi;
//   - an unsigned range, ULo ≤ x ≤ UHi;
//   - known bits: those of Zeros are 0 and those of Ones are 1 in every member. Its run of
//     low zeros is the alignment.
//
// x % 3 lies in 0…2, but its bits say only that none above the second is set: the range is tighter.
// x &^ 1 lies in 0…MaxUint-1, and its bits say that it is even: they are tighter. Reduce lets each
// view learn from the others.
//
// # Transfer functions
//
// Apply looks an operation up in one table, in table.go, and computes the description of the result
// from those of the operands. Nothing here knows functions, blocks or values of the IR: widths are
// parameters. So the tests run at three and four bits and enumerate all descriptions and all
// numbers. That is the proof: for every operation, all pairs of descriptions and all of their
// members, the result lies in the description of the result. The same functions then run at 8, 16,
// 32 and 64 bits; only mask, least and most depend on the width.
//
// A description without members comes only from an unreachable place, or from an operation whose
// result is open (a division by zero). The functions may then answer anything.
package facts
