// Package conformance holds the suites that compare gyr with the Go project's
// own programs: GOROOT/test, and the tests of the standard library.
//
//	go test ./internal/conformance               a sample of both
//	go test ./internal/conformance -goroot       all of GOROOT/test that a wasip1/wasm build may run
//	go test ./internal/conformance -std=fmt,io   the named std packages' own tests; -std=all for the list
//
// A program that cannot pass because of what the sandbox is stands in
// testdata/goroot-excluded.txt with the reason. It is run all the same: one
// that passes is an error too, so that the list does not outlive its reasons.
package conformance
