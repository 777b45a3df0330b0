// Package randgo generates random Go programs, and changes programs that people wrote, and compares what they
// do in native Go, in every tier, and with passes of the optimiser left out.
//
// [Generate] makes a program from a seed: the source of one file of package main, in
// the form of a small tree, so that [Reduce] can take away from it what a
// difference does not need. [Prelude] is the file around any number of programs: it
// runs them one after the other, recovers what escapes them, and prints their values
// and checksums. One binary, native or ours, so holds many programs. One seed in
// 25 gives a program that ends its process (an unrecovered panic, a
// deadlock, os.Exit); it runs in a process of its own.
//
// # What programs are made of
//
// Integers of all widths with conversions, shifts by variables, divisions, and
// constants at the edges of their types; floats, complex numbers, strings, arrays
// and structs by value, slices, maps, pointers, interfaces, named types with methods,
// embedding, type switches, closures, method values, generic functions,
// iterators, recursion; every kind of loop, labelled jumps, goto, switches with
// fallthrough; defer and recover with named results, and panics of every kind, most
// of them recovered; goroutines, channels, select, sync. A zoo of loops (zoo.go)
// has the shapes that a removal of bounds checks gets wrong: strides, reversed and
// unsigned counters that wrap, offsets near the largest int, lengths that change on the way. A web of
// cells (web.go) is linked through fields, slices, interfaces and closures, by functions that
// return what they can reach.
//
// Shapes (shapes.go, flow.go, data.go) are pieces of programs as people write them for a purpose, with all that is
// open in them drawn: bit fields, structs that go by value through a row of functions, pointers into arrays and
// slices, complex orbits, machines of states, functions of many parameters, labelled loops, iterators that defer,
// methods of generic types as values, maps and slices that change while they are ranged over, select loops,
// reflection, and loops of narrow integers. Some go where gc decides what the specification leaves open, and both of its builds
// agree (unspecified.go): iterators that do not keep to the protocol, floats out of the range of integers, operands beside calls that change them. Constants that belong to their operations stand everywhere (related.go):
// a mask beside the bound of a remainder or a bit count, a shift near a width, a conversion that changes nothing.
// 20,000 programs without them did not find a rule that took x%3&2 for 0.
//
// Programs for Go 1.27 and later (go127.go) have methods with type parameters, of plain and of generic types, promoted, as values and
// expressions, within functions that are generic too, and literals whose keys are promoted fields. The Go that builds the test says for which
// release programs are; those for Go 1.26 are the same with each.
//
// # Crossing
//
// TestCrossed draws programs from GOROOT/test, tests/lang and programs/, which are read where they are, and lets
// package srcmut change them and put pieces of one into another. What gc does not compile, what takes long, shows
// addresses or is not the same in three native runs is left out; the rest goes through the same comparison, many
// programs to a binary, each in a process of its own.
//
// # What they avoid
//
// A difference must be somebody's fault, so nothing depends on what the
// specification or a machine leaves open:
//
//   - Order of evaluation, but for one shape. A function that may do anything is called in a statement
//     of its own, whose results go to plain variables, with arguments that call only
//     pure functions (no writes, no output, no panics). In a statement at most
//     one operation may panic.
//   - Capacities after append. A slice grows where nothing else sees it, or with its
//     capacity cut to its length, or within a capacity that is known; no slice
//     is extended beyond its length otherwise.
//   - Order of maps. A range over a map adds up, or deletes by a condition on the entry;
//     maps are printed sorted.
//   - Scheduling. Goroutines only read what others write before or after, and what they
//     send is added up, stored at an index, or taken in turn.
//   - Floats. The bits of NaNs, and
//     functions of math that are not exact. Nothing is fused on amd64.
//   - Addresses, and the text of tracebacks. Maps with pointers as keys, as reflect.DeepEqual has one: how
//     long they search shows in gas.
//   - Work: loops have a number of rounds, a function calls only earlier ones or
//     itself with a smaller argument, and what a call costs is known when it is generated.
//     Strings and slices are cut when they are assigned.
//
// # The test
//
//	go test ./internal/suites/randgo                              the first programs
//	go test ./internal/suites/randgo -programs=5000 -seed=100000  a long run
//	go test ./internal/suites/randgo -tier=interp                 the interpreter alone
//	GOTOOLCHAIN=go1.27.4 go test ./internal/suites/randgo         programs for another release
//	go test ./internal/suites/randgo -run TestCrossed -crossed=2000 -seed=N
//
// Every batch of programs is compared over native Go, both tiers, all passes off, phase B off, a random subset of its
// passes off, and a collector that works hard.
//
// A difference is shown by one program alone as a rule; it is reduced and left
// in a directory that the failure names, with the command that finds it again.
package randgo
