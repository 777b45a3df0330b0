// Package clients holds the HTTP clients that mean harm, and the tests that a host which answers with a guest's handler (package gyrhttp) outlives them:
//
//	TestClients   each kind of client (http1_test.go, http2_test.go, library_test.go), then all of them mixed at random, with guests that do harm as well,
//	              against hosts of both tiers with a Pool and with one Warm instance: in the test's process, and in one of its own, which must live
//
// After each kind an honest client is served, no goroutine is left, no instance in use, nothing of gyrhttp has touched a request or its answer
// behind the handler's end, and every byte of each answer belonged to the request that it came for: each carries its request's nonce.
//
//	go test ./internal/suites/clients                                        everything, a few seconds
//	go test ./internal/suites/clients -v -hostile.requests 60000 -seed 7     longer, with a table of the kinds
//	go test ./internal/suites/clients -v -hostile.kind '^HTTP/2 reset'       some kinds
//
// The package has no code but tests.
package clients
