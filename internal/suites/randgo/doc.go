// Package randgo generates random Go programs, and changes programs that people wrote. It compares
// what they do in native Go, in every tier, and with passes of the optimiser left out.
//
// [Generate] makes a program from a seed: the source of one file of package main, as a small tree,
// from which [Reduce] removes what a difference does not need. [Prelude] is the file around any
// number of programs: it runs them one after the other, recovers their panics, and prints their
// values and checksums. So one binary, native or ours, holds many programs. One seed in 25 gives a
// program that ends its process (an unrecovered panic, a deadlock, os.Exit); it runs in a process
// of its own.
//
// # What programs are made of
//
// Integers of all widths with conversions, shifts by variables, divisions, and constants at the
// edges of their types; floats, complex numbers, strings, arrays and structs by value, slices,
// maps, pointers, interfaces, named types with methods, embedding, type switches, closures, method
// values, generic functions, iterators, recursion; every kind of loop, labelled jumps, goto,
// switches with fallthrough; defer and recover with named results, and panics of every kind, most
// of them recovered; goroutines, channels, select, sync. (gen.go has functions and types, stmt.go
// statements, expr.go expressions.)
//
// A zoo of loops (zoo.go) has the shapes in which a removal of bounds checks may be wrong: strides,
// reversed and unsigned counters that wrap, offsets near the largest int, lengths that change in
// the loop. A web of cells (web.go) is linked through fields, slices, interfaces and closures, by
// functions that return what they can reach.
//
// Shapes (shapes.go, flow.go, data.go) are pieces of programs as people write them for a purpose,
// with all details drawn: bit fields, structs that pass by value through a chain of functions,
// pointers into arrays and slices, complex orbits, state machines, functions with many parameters,
// labelled loops, iterators that defer, methods of generic types as values, maps and slices that
// change while they are ranged over, select loops, reflection, and loops of narrow integers. Some
// shapes use what the specification leaves open and both builds of gc decide in the same way
// (unspecified.go): iterators that violate the protocol, floats out of the range of integers,
// operands beside calls that change them.
//
// Constants that are related to their operations occur everywhere (related.go): a mask beside the
// bound of a remainder or a bit count, a shift near a width, a conversion that changes nothing.
// 20,000 programs without them did not find a rule that took x%3&2 for 0.
//
// Programs for Go 1.27 and later (go127.go) have methods with type parameters, of plain and of
// generic types, promoted, as values and expressions, and within functions that are generic too.
// They also have literals whose keys are promoted fields. The Go that builds the test decides for
// which release programs are; those for Go 1.26 are the same with each.
//
// # Crossing
//
// TestCrossed (cross_test.go) draws programs from GOROOT/test, tests/lang and programs/, which are
// read where they are. Package srcmut changes them and puts pieces of one into another. The test
// leaves out programs that gc does not compile, that take long, that show addresses, or that differ
// between three native runs. The others go through the same comparison, many programs to a binary,
// each in a process of its own.
//
// # What they avoid
//
// A difference must be a bug, so nothing may depend on what the specification or a machine leaves
// open:
//
//   - Order of evaluation, except for one shape. A function that may do anything is called in a
//     statement of its own. Its results go to plain variables, and its arguments call only pure
//     functions (no writes, no output, no panics). At most one operation of a statement may panic.
//   - Capacities after append. A slice grows where nothing else sees it, or with its capacity cut
//     to its length, or within a known capacity. No slice is extended beyond its length otherwise.
//   - Order of maps. A range over a map adds up, or deletes by a condition on the entry; maps are
//     printed sorted.
//   - Scheduling. Goroutines only read what others write before or after, and the values that they
//     send are added up, stored at an index, or taken in turns.
//   - Floats: the bits of NaNs, and functions of math that are not exact. Nothing is fused on
//     amd64.
//   - Addresses, and the text of tracebacks. Maps with pointers as keys, such as the one in
//     reflect.DeepEqual: the length of their searches shows in gas.
//   - Work: loops have a number of rounds, a function calls only earlier ones or itself with a
//     smaller argument, and the cost of a call is known when it is generated. Strings and slices
//     are cut when they are assigned.
//
// # The test
//
//	go test ./internal/suites/randgo                              the first programs
//	go test ./internal/suites/randgo -programs=5000 -seed=100000  a long run
//	go test ./internal/suites/randgo -tier=interp                 the interpreter alone
//	GOTOOLCHAIN=go1.27.4 go test ./internal/suites/randgo         programs for another release
//	go test ./internal/suites/randgo -run TestCrossed -crossed=2000 -seed=N
//
// Every batch of programs is compared over native Go, both tiers, all passes off, phase B off, a
// random subset of its passes off, and a collector that works hard.
//
// Usually one program alone shows a difference. It is reduced and left in a directory that the
// failure names, with the command that finds it again.
package randgo
