// Package hostile holds guests that try to harm their host, and the tests that none of them does:
//
//	TestGuests       every guest of the table (table_test.go) ends as its line says, twice in
//	                 the same way and in each tier, and leaves nothing behind in the process
//	TestImages       damaged and forged images end with the error that the table (images_test.go)
//	                 names; with changed bytes and right checksums they do no harm (TestImageBits)
//	TestEntries      damaged and forged entries of a cache are not used
//	TestTakeovers    modules that put their own package in place of one of std end with the go command's error,
//	                 for every victim and way (identity_test.go); TestIdentities, TestIdentityImages: names and
//	                 flags do not give what only std may do either
//	TestVariables    package-level variables of the module that are written after initialisation
//	TestRace         different programs and instances of one program at once, for the race detector
//	TestLinknameGas  what programs take from std by go:linkname costs what it does; family linknames of TestGuests
//	                 calls all of it with wrong operands
//	TestCrossing     random values of random types, on all ways between host and guests: the host's work for them is paid, ends
//	                 with the guest's time and gas, and leaves nothing behind
//	FuzzProgram      mutated Go programs: no panic in Compile or Run, whatever they contain
//	FuzzMemory       a guest with package unsafe writes random bytes over its memory
//
// A family of guests is one program in testdata; its first argument names the guest. Families run
// in child processes, so that a guest that kills its process is a named failure and the other
// guests still run.
//
//	go test ./internal/suites/hostile                       everything, small limits
//	go test ./internal/suites/hostile -run /stack/pull -v   one guest
//	go test ./internal/suites/hostile -run Guests -observe  print how each guest ends instead of comparing
//
// The package has no code but tests.
package hostile
