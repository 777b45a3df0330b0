// Package embedding tests package gyr as its users see it: calls and values that cross, host
// packages, limits and errors, pools, transactions, states and upgrades, caches and images,
// including damaged and forged ones. docs/embedding.md is the guide to these features. The examples
// of package gyr are in example_test.go of that package, so that go doc finds them.
//
//	go test ./internal/suites/embedding -run TestForgedStates -forged 10000
//	go test ./internal/suites/embedding -run xxx -bench Call
package embedding
