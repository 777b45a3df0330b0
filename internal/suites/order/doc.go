// Package order compares the order in which expressions are evaluated with that of native Go.
//
// The specification leaves open when an operand is read that stands beside a call. gc has a rule for it that goes by the kind of
// operand, and gyr has the same (docs/determinism.md, decision 26; internal/front/load/rewrite/order.go). [Generate] draws expressions: a kind of
// statement, with holes for operands and for calls, the kinds of operands that fill them, and the kind of the variables. Every call
// changes all variables that it can reach, so an operand shows when it was read. Operands that panic show what happened before.
//
// Each expression stands in a function of its own, and prints a line: what the statement had for values, the calls in the order in
// which they came, a panic, and all variables at the end. Hundreds of functions make a program, which native Go
// builds twice, as always and without optimisation and inlining. Where both builds print the same line, gyr has to print it in both tiers.
// Where they differ the order follows from how gc compiles, not from the source, and gyr is free; such rows are counted.
//
//	go test ./internal/suites/order                           a sample
//	go test ./internal/suites/order -cases=10000 -seed=N      a long run
//	go test ./internal/suites/order -v -table                 the same with a table of kinds
//
// TestConversions does the same with the conversion of floats to integers.
package order
