// Package benchvet finds mistakes of benchmarks in their source alone, before anything runs: the static half of the diagnoses.
//
// It reads the files of a package and checks them with go/types as far as that goes without what they import: names
// resolve, types of other packages stay unknown. Everything that the checks ask is about local names, *testing.B
// and functions of the same package, so that no package needs to be loaded for them, and a package with an error is looked at as well.
//
// The checks (rules.go) are made for each function that has a *testing.B: a benchmark, a literal that is passed to Run, or a helper. They
// say what cannot be right, and leave what may be right alone. What is uncertain in the source is certain in the
// IR: package proof has the other half.
//
// # Silencing
//
// A comment in front of the function silences codes, with a reason that is for readers:
//
//	//gyr:ignore BP10,BP12 the loop is in C
//	//gyr:bench ignore=BP04 reason="the callee has a side effect"
package benchvet
