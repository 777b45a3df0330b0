// Package clients has hostile HTTP clients, and the tests that a host survives them when it answers
// with a guest's handler (package gyrhttp):
//
//	TestClients   each kind of client (http1_test.go, http2_test.go, library_test.go), then all of them mixed at random, with hostile guests as well,
//	              against hosts of both tiers with a Pool and with one Warm instance: in the test's process, and in one of its own, which must live
//
// After each kind of client an honest client is served. No goroutine is left and no instance is in
// use. gyrhttp has not touched a request or its answer after the handler's end. Every byte of each
// answer belongs to its request: each answer carries its request's nonce.
//
//	go test ./internal/suites/clients                                        everything, a few seconds
//	go test ./internal/suites/clients -v -hostile.requests 60000 -seed 7     longer, with a table of the kinds
//	go test ./internal/suites/clients -v -hostile.kind '^HTTP/2 reset'       some kinds
//
// The package has no code but tests. clients_test.go has the tests, client_test.go the client and
// the check of answers, host_test.go the hosts, guest_test.go the guest, and frames_test.go the
// frames of HTTP/2.
package clients
