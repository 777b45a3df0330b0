// Package proof shows what the optimiser left of a benchmark in its measured loop.
//
// A time says little about a benchmark whose work the compiler has removed: the loop then measures
// itself. Other tools guess this from times that are too short. gyr is the compiler, so this
// package follows the operations themselves, one by one. proof.go compiles a test binary and
// collects the results.
//
// # The measured loop
//
// source.go finds a benchmark's measured loops in its source: loops over b.N, b.Loop and pb.Next,
// in the benchmark, in function literals that it passes to Run and RunParallel, and in functions of
// its package that get b. In the IR a measured loop is a natural loop whose header is in these
// lines, in the function as lowered or in a function that it was inlined into (loop.go). From then
// on the charge at the loop's header identifies it, as no pass may move that charge out of the
// header.
//
// If a directive declares the benchmark, the compiler makes its loop, in a function that consists
// of the loop (//gyr:loop, package declare). The function that the loop calls is its body.
//
// # Payload and overhead
//
// The payload of the loop is every operation that executes something and does not belong to the
// loop itself (work.go). To the loop belong the counter, its comparison, the code of testing.B in
// Loop, charges of gas with their computation, and reports by b.Fatal. The callee's operations
// count in place of an inlined call. Functions of the benchmarks' own package are followed from the
// beginning, so operations that their own optimisation removed count as gone. Functions of other
// packages count as they are when they are inlined.
//
// Operations of the payload that compute, load, allocate or call are work. The rest, checks and
// stores, only supports work, and so does work that only checks use. A loop in which no work is
// left measures nothing, even if it still stores a constant in a variable.
//
// # Following operations
//
// An operation of the IR is one object from lowering to machine code. Passes change it in place,
// make it a copy of another one, or take it out of its block. After each pass follow.go compares
// the loop with its state before. An operation that became a constant was folded. One that became a
// copy of an earlier operation is equal to it. One that is now before the loop was hoisted. One
// that disappeared unchanged had no user. An allocation that does not escape becomes a local; if
// nothing reads the local, nothing needed the object. The optimiser's log adds the reasons that
// passes give. Only the result of the last pass counts: if a pass rewrote an operation, its
// replacement is followed.
//
// # Diagnoses
//
// A proof lists every removed operation. Most removals are what the optimiser is for. The rules
// (rules.go) accuse a benchmark only if it does not measure what its source says: no work is left
// at all, or a whole call or allocation in the benchmark's own lines is gone because nothing uses
// its result.
package proof
