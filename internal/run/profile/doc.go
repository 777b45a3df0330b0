// Package profile records where a run spends gas, memory and time, and writes the records in the
// format of pprof.
//
// # Sources
//
// A tier knows stacks, this package does not. It gets places, which are positions of the IR
// ([ir.Pos]). A position names a site as lowered and, for inlined code, the calls that it was
// inlined into. So one frame of a tier becomes one location of pprof with as many lines as the
// source has frames. No other effect of the optimiser shows.
//
// A tier can report in two ways. If it follows every call, it keeps a [Node] of the calling context
// tree for each frame and counts at nodes: gas ([Tree.AddGas]) and objects ([Memory]), exactly. If
// it samples, it passes whole stacks: time ([CPU.Add]). The interpreter does both. A native tier
// that the kernel's clock interrupts does the second, from a buffer of addresses.
//
// # Files
//
// tree.go has the calling context tree, gas.go and lines.go the profile of gas, memory.go that of
// memory, cpu.go with clock_*.go that of time. encode.go turns places into pprof's locations,
// proto.go writes the format, stacks.go writes stacks from elsewhere.
//
// # What is exact
//
// Gas and memory are exact, to the unit and the object, and their profiles are the same bytes on
// every run. Time is sampled.
//
// # Trust
//
// This package reads nothing from guest memory but addresses and sizes of objects that the
// allocator has just made. What a guest can make grow is bounded: contexts by [MaxNodes], stacks of
// samples by [MaxDepth]. The record of live objects takes twelve bytes for each, which only a run
// with a memory profile pays.
package profile
