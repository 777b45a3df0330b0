// Package conformance compares gyr with the Go project's own programs (GOROOT/test and the tests of
// the standard library), and runs the tests of well-known modules.
//
//	go test ./internal/suites/conformance               a sample of both
//	go test ./internal/suites/conformance -goroot       all of GOROOT/test that a wasip1/wasm build may run
//	go test ./internal/suites/conformance -std=fmt,io   the named std packages' own tests; -std=all for the list
//	go test ./internal/suites/conformance -modules=all  the tests of well-known modules
//	go test ./internal/suites/conformance -run TestWithout -without=phaseb
//	                                             all of these, compared with runs without passes
//
// The passing tests of std packages and modules are recorded by package, in
// testdata/std-passed_go1.26.txt, one such file for each release, and modules-passed.txt. A
// recorded test that no longer passes is an error; -update records new ones. Tests that cannot pass
// are listed with a reason, tests that count allocations in a list of their own.
//
// testdata/goroot-excluded.txt lists the programs that cannot pass in the sandbox, with the reason.
// They are run all the same: one that passes is an error too, so that the list does not outlive its
// reasons.
//
// goroot_test.go and run_test.go run GOROOT/test, tests_test.go runs test binaries of packages,
// std_test.go and modules_test.go select these, and without_test.go compares runs without passes.
// programs_test.go, wasip1_test.go and whole_test.go run programs of testdata.
package conformance
