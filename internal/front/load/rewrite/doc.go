// Package rewrite changes the syntax of a program where go/ssa would otherwise build something else than gc.
// It knows syntax trees and types only, and nothing of packages, files or modules.
//
//   - order.go has gc's order of evaluation: statements in which a call may change an operand that gc reads
//     late are split, so that left to right is that order. orderexpr.go goes through the expressions,
//     ordervars.go tells which variables a call cannot change, ordertypes.go what gc knows of types, and
//     orderinit.go does the same for the initial values of package-level variables;
//   - methodexpr.go replaces method expressions of generic methods, which go/ssa cannot instantiate;
//   - defers.go adds an empty defer statement to functions that go/ssa would otherwise run without their
//     deferred calls.
//
// [AddDefers] works on parsed files. All other functions need checked ones, run before SSA is built, and keep the
// information of go/types complete for what they write.
package rewrite
