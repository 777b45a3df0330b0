// Package profile records where a run spends gas, memory and time, and writes
// what it recorded in the format of pprof.
//
// # Who tells what
//
// A tier knows stacks, this package does not: it is told places, which are
// positions of the IR ([ir.Pos]). A position names a site as lowered and, for
// code that was inlined, the calls that it was inlined into, so one frame of a tier
// becomes one location of pprof with as many lines as the source has frames. What
// the optimiser did shows nowhere else.
//
// There are two ways to tell. A tier that follows every call keeps a [Node] of
// the calling context tree for each frame and counts at nodes: gas ([Tree.AddGas])
// and objects ([Memory]), exactly. A tier that looks now and then hands over
// whole stacks: time ([CPU.Add]). The interpreter does both; a native tier that is
// interrupted by the kernel's clock does the second, from a buffer of addresses.
//
// # What is exact
//
// Gas and memory are exact, to the unit and the object, and their profiles are
// the same bytes on every run. Time is sampled.
//
// # Trust
//
// Nothing here is read from guest memory but addresses and sizes of objects that
// the allocator has just made. What a guest can make grow is bounded: contexts by
// [MaxNodes], stacks of samples by [MaxDepth]. The record of live objects takes twelve bytes
// for each, which only a run that asked for a profile of memory pays.
package profile
