// Package facts computes what an integer operation says about its result, given what is
// known of its operands.
//
// # Three views of one number
//
// A Value describes the set of numbers of some width that a value may be, in three ways
// that say different things and must not be taken for one another:
//
//   - a signed range, Lo ≤ x ≤ Hi;
//   - an unsigned range, ULo ≤ x ≤ UHi;
//   - known bits: those of Zeros are 0 and those of Ones are 1 in every member. Its run of
//     low zeros is the alignment.
//
// x % 3 lies in 0…2, and all that its bits say is that none above the second is set: the
// range is tighter. x &^ 1 lies in 0…MaxUint-1, and its bits say that it is even: they are
// tighter. Reduce lets each view learn what the others know.
//
// # Transfer functions
//
// Apply looks an operation up in one table, in table.go, and computes the description of the
// result from those of the operands. The functions know nothing of functions, blocks or
// values: widths are parameters, so that the tests run them at three and four bits, where
// all descriptions and all numbers can be looked at. That is the proof: for every operation,
// all pairs of descriptions and all of their members, the result lies in the description of
// the result. The same functions then run at 8, 16, 32 and 64 bits; nothing in them
// depends on the width but through mask, least and most.
//
// A description without members can only come of a place that is not reached, or of an
// operation whose result is open (a division by zero). The functions may then answer
// anything.
package facts
