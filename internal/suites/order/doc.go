// Package order compares the order in which expressions are evaluated with that of native Go.
//
// The specification leaves open when an operand is read that is in the same statement as a call.
// The rule of gc depends on the kind of operand, and gyr has the same rule (docs/determinism.md,
// decision 26; internal/front/load/rewrite/order.go). [Generate] draws expressions: a kind of
// statement, with holes for operands and for calls, the kinds of operands that fill them, and the
// kind of the variables. Every call changes all variables that it can reach, so an operand shows
// when it was read. Operands that panic show what happened before.
//
// Each expression has a function of its own, and prints a line: the values that the statement got,
// the order of calls, a panic, and all variables at the end. Hundreds of functions make a program.
// Native Go builds it twice: as usual, and without optimisation and inlining. If both builds print
// the same line, gyr must print it in both tiers. If they differ, the order depends on how gc
// compiles and not on the source, and gyr is free; such rows are counted.
//
//	go test ./internal/suites/order                           a sample
//	go test ./internal/suites/order -cases=10000 -seed=N      a long run
//	go test ./internal/suites/order -v -table                 the same with a table of kinds
//
// gen.go draws the expressions, kinds.go has the tables of statements and operands. TestConversions
// does the same with the conversion of floats to integers.
package order
