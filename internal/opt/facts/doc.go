// Package facts computes facts about the result of an integer operation from facts about its
// operands.
//
// # Three views of one number
//
// A Value describes the set of numbers that a value of some width may be. It has three views, which
// say different things and must not be confused:
//
//   - a signed range, Lo ≤ x ≤ Hi;
//   - an unsigned range, ULo ≤ x ≤ UHi;
//   - known bits: those in Zeros are 0 and those in Ones are 1 in every member. Its run of low
//     zeros is the alignment.
//
// x % 3 lies in 0…2, but its bits only say that none above the second is set: the range is tighter.
// x &^ 1 lies in 0…MaxUint-1, and its bits say that it is even: they are tighter. Reduce lets each
// view learn from the others.
//
// # Transfer functions
//
// Apply looks an operation up in one table, in table.go, and computes the description of the result
// from those of the operands. Nothing here knows functions, blocks or values of the IR: widths are
// parameters. So the tests run at three and four bits and enumerate all descriptions and all
// numbers. That is the proof: for every operation, all pairs of descriptions and all of their
// members, the description of the result contains the result. The same functions then run at 8, 16,
// 32 and 64 bits; only mask, least and most depend on the width.
//
// A description is empty only at an unreachable place, or if the operands of an operation leave its
// result undefined (a division by zero). The functions may then return anything.
//
// # Where things are
//
// value.go has the descriptions, table.go the table, sums.go and bitwise.go its functions.
// operand.go goes the other way: it describes an operand from the result. of.go applies the table
// to operations of the IR.
package facts
