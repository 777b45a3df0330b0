// Package rewrite changes the syntax of a program where go/ssa would otherwise build different code
// from gc. It knows only syntax trees and types, no packages, files or modules.
//
//   - order.go has gc's order of evaluation: it splits statements in which a call may change an
//     operand that gc reads late, so that gc's order is the order from left to right. orderexpr.go
//     visits expressions, ordervars.go says which variables a call cannot change, ordertypes.go
//     has gc's facts about types, and orderinit.go does the same for the initial values of
//     package-level variables;
//   - methodexpr.go replaces method expressions of generic methods, which go/ssa cannot
//     instantiate;
//   - defers.go adds an empty defer statement to functions that go/ssa would otherwise run without
//     their deferred calls.
//
// [AddDefers] works on parsed files. All other functions need checked files. They run before SSA is
// built, and keep the information of go/types complete for the syntax that they write.
package rewrite
