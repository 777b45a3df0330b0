// Package proof shows what the optimiser left of a benchmark in its measured loop.
//
// A time says little about a benchmark whose work the compiler has removed: the loop then measures itself. Other tools guess this
// from times that are too short. Here the compiler is at hand, so the operations themselves are followed, one by one.
//
// # The measured loop
//
// A benchmark's measured loops are found in its source (source.go): loops over b.N, b.Loop and pb.Next, in the benchmark, in
// function literals that it passes to Run and RunParallel, and in functions of its package that are given the b. In the IR
// a measured loop is a natural loop whose header stands in these lines, in the function as lowered or in one that
// it was inlined into (loop.go). From then on the charge at the loop's header, which no pass may move out of it, is its mark.
//
// Loops of benchmarks that a directive declares are made by the compiler, in functions that consist of them (//gyr:loop, package
// declare). What such a loop calls is its body.
//
// # Payload and overhead
//
// The payload of the loop is every operation in it that executes something and is not the loop's own: not the counter, its
// comparison, what testing.B does in Loop, charges of gas and what computes them, or what b.Fatal reports (work.go). Of a
// call that is inlined the callee's operations count instead of it. Functions of the benchmarks' own package are followed from the
// beginning, so what their own optimisation removed counts as gone; those of other packages are counted as they are when they are inlined.
//
// Some of the payload is work: what computes, loads, allocates or calls. The rest, checks and stores, is there for work's
// sake, and so is work that only checks use. A loop in which no work is left measures nothing, even if it still stores a constant in a
// variable.
//
// # Following operations
//
// An operation of the IR is one object from lowering to machine code; passes change it in place, make it a copy of
// another one, or take it out of its block. After each pass the loop is compared with what it was before (follow.go): an
// operation that became a constant was folded, one that is a copy of another that was there before is equal to it, one
// that stands before the loop now was hoisted, and one that is gone as it was had no user. An allocation that does not
// escape becomes a local; if nobody reads that, nobody needed the object. What a pass tells in the optimiser's log is
// added. Only the result of the last pass counts: an operation that a pass rewrote goes on as what replaced it.
//
// # Diagnoses
//
// A proof lists everything that went, and most of it is what the optimiser is for. The rules (rules.go) accuse a benchmark
// only if what is measured is not what the source says: no work is left at all, or a whole call or allocation of the benchmark's own
// lines went without its result being of use to anybody.
package proof
