package runtime

import "unsafe"

// Fuzzing. The host counts what is executed, keeps inputs and knows the time; see
// testing/internal/testdeps.

//go:linkname fuzzstep testing/internal/testdeps.fuzzStep
func fuzzstep(input []byte) int { return host_fuzzstep(unsafe.SliceData(input), len(input)) }

//go:linkname fuzzcover testing/internal/testdeps.fuzzCover
func fuzzcover() int { return host_fuzzcover() }

//go:linkname fuzzkeep testing/internal/testdeps.fuzzKeep
func fuzzkeep(input []byte, crash int) uint64 {
	return uint64(host_fuzzkeep(unsafe.SliceData(input), len(input), crash))
}
