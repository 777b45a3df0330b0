// Package conformance holds the suites that compare gyr with the Go project's
// own programs (GOROOT/test and the tests of the standard library), and the
// tests of modules that people use.
//
//	go test ./internal/suites/conformance               a sample of both
//	go test ./internal/suites/conformance -goroot       all of GOROOT/test that a wasip1/wasm build may run
//	go test ./internal/suites/conformance -std=fmt,io   the named std packages' own tests; -std=all for the list
//	go test ./internal/suites/conformance -modules=all  the tests of well-known modules
//	go test ./internal/suites/conformance -run TestWithout -without=phaseb
//	                                             all of these, compared with runs without passes
//
// The std packages' and the modules' tests that pass are recorded, by package, in
// testdata/std-passed_go1.26.txt, that of each release, and modules-passed.txt; one that does not pass any more
// is an error, and -update enters new ones. Tests that cannot pass are listed
// with a reason, those that count allocations apart.
//
// A program that cannot pass because of what the sandbox is stands in
// testdata/goroot-excluded.txt with the reason. It is run all the same: one
// that passes is an error too, so that the list does not outlive its reasons.
package conformance
