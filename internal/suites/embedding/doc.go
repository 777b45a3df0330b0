// Package embedding tests package gyr as its users see it: calls and values that cross, host
// packages, limits and errors, pools, transactions, states and upgrades, caches and images,
// including damaged and forged ones. docs/embedding.md is the guide to these features. The examples
// of package gyr are in example_test.go of that package, so that go doc finds them.
//
// The names of files begin with their subject:
//
//   - call, callwith, func, bind, exports: the ways to call a guest's functions; buffer: lent
//     memory
//   - values, hostvalues, crossing: values that cross, and what they cost
//   - hostpkg, handle, undo: host packages
//   - transaction, state, roots, rest, processes, upgrade, migrate: transactions, states and
//     programs that follow each other
//   - cache, image, base, relink, reproducible: compiled programs
//   - forged, hostile_image: forged states and images
//   - gas, limits, memory, output, panic, failure, debug, profile: limits, errors and figures
//   - network, world, modes, stdio, log: what a guest sees of the outside
//   - pool, stress, state_test.go: instances in use by several goroutines, and in every state
//
// Some tests take long in full:
//
//	go test ./internal/suites/embedding -run TestForgedStates -forged 10000
//	go test ./internal/suites/embedding -run xxx -bench Call
package embedding
