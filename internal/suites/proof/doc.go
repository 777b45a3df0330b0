// Package proof tests the promises of the engine as a whole:
//
//	TestNoGoAllocations   a guest in steady state makes no Go allocation (DESIGN invariant 1)
//	TestDeterminism       output, gas and heap figures are equal over runs, processes,
//	                      instances in parallel, statistics and passes (invariant 7)
//	TestPasses            … and over subsets of the passes
//	TestStress            … and however often memory is collected
//	TestBase              … and on a base of the standard library as alone
//	TestAliases           copies do not alias
//	TestChains            chains of copies cost time and gas linear in size
//	TestLocals            locals keep alive what they keep alive in Go
//	TestPrograms          programs/ print what native Go prints
//	TestDeterminismVersion  programs become the same under one determinism version
//
// Native Go is the oracle: a test that needs it builds one binary with the go command of the
// machine.
//
//	go test ./internal/suites/proof           small sizes, a sample of the passes' subsets
//	go test ./internal/suites/proof -full     the programs' own sizes, many subsets of the passes
//
// The package has no code but tests.
package proof

//go:generate go test . -run ^TestDeterminismVersion$ -update
