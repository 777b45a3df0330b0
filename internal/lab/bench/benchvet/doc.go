// Package benchvet finds mistakes of benchmarks from their sources alone, before anything runs. It
// is the static half of the diagnoses.
//
// It reads the files of a package and checks them with go/types, without the imported packages:
// names resolve, types of other packages stay unknown (vet.go). The checks ask only about local
// names, *testing.B and functions of the same package. So no other package needs to be loaded, and
// a package with errors is checked as well.
//
// The checks (rules.go) examine each function that has a *testing.B (scope.go): a benchmark, a
// literal that is passed to Run, or a helper; those of what a loop leaves behind are in loop.go, of
// readers at their end in drain.go, and of what compared benchmarks work on in inputs.go.
// They report what cannot be right and leave the rest alone. What is uncertain in the source is
// certain in the IR: package proof has the other half. pure.go knows which calls a compiler drops.
//
// # Silencing
//
// A comment before the function silences codes, with a reason for readers:
//
//	//gyr:ignore BP10,BP12 the loop is in C
//	//gyr:bench ignore=BP04 reason="the callee has a side effect"
package benchvet
