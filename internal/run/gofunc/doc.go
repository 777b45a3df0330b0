// Package gofunc calls and makes functions of types that are known only at run time, at a lower
// cost than package reflect.
//
// Functions of the host have types that only the host knows. reflect.Value.Call and
// reflect.MakeFunc serve them all, take 150 to 250 ns each, and allocate. [Prepare] and [MakerOf]
// serve most of them in a few nanoseconds:
//
//   - Prepare calls a function as one with a word-sized parameter for each parameter register
//     (registers.go). That needs an ABI that passes parameters in registers, and a release of Go
//     for which it was tested.
//   - MakerOf makes functions of the commonest shapes from a generic function for each (make.go).
//
// Both report types that they do not serve. The caller uses package reflect for these.
package gofunc
