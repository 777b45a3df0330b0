// Package gofunc calls and makes functions of types that are known at run time, for less than package reflect takes.
//
// Functions of the host have types that only the host knows. reflect.Value.Call and reflect.MakeFunc serve them all, take 150 to 250 ns
// each, and allocate. [Prepare] and [MakerOf] serve most of them for a few nanoseconds:
//
//   - Prepare calls a function as one that has as many words as parameters as there are registers for them (registers.go). That needs
//     an ABI that passes parameters in registers, and a release of Go for which it was tested.
//   - MakerOf makes functions of the commonest shapes from a generic function for each (make.go).
//
// Both say when they do not serve a type. Then it is package reflect's.
package gofunc
