package api

import (
	"fmt"
	"time"
)

// Stats are the figures of a run. All but Wall are the same on every run.
type Stats struct {
	Gas         int64  // units charged
	Mallocs     uint64 // objects allocated
	AllocBytes  uint64 // their bytes
	HeapPeak    uint64 // peak bytes of heap in use since the program's own initialisation began
	Collections uint64
	Wall        time.Duration // wall time of Run; 0 for calls, because reading the clock takes longer than a short call

	// These are figures of the start before the program's own initialisation: packages of the
	// standard library that cannot be part of a snapshot. It is free of gas.
	InitPackages   int
	InitGas        int64  // gas that it would have cost
	InitMallocs    uint64 // part of Mallocs, objects of the snapshot included
	InitAllocBytes uint64 // part of AllocBytes
	InitHeap       uint64 // part of HeapPeak: bytes in use when the program's own initialisation began

	Began Beginning
}

// Repeatable returns the figures that are the same on every run and machine: s without times, and
// without how the instance began.
func (s Stats) Repeatable() Stats {
	s.Wall, s.Began = 0, Beginning{}
	return s
}

// A Beginning says how an instance came to its first call, or to its main function. An instance
// initialises its packages and makes the warm-up calls, or begins as a copy of one that has done so,
// which takes a fraction of the time. All other figures are the same either way.
// docs/embedding.md, "How instances begin", lists the reasons against a copy.
type Beginning struct {
	Copy   bool          // it began as a copy, or will when it runs
	Reason string        // why not
	Made   time.Duration // what NewInstance or Reset took
	Init   time.Duration // what initialisation took in the first call; of a copy: its calls of host functions
}

// Own returns the figures of memory without those of the start, which depend on how much of the
// standard library is linked into the program.
func (s *Stats) Own() (mallocs, bytes, peak uint64) {
	return s.Mallocs - s.InitMallocs, s.AllocBytes - s.InitAllocBytes, s.HeapPeak - min(s.HeapPeak, s.InitHeap)
}

// A LineGas is the gas that was used for one line of a program's source.
type LineGas struct {
	Position
	Gas int64 // units
}

// String returns the gas and the line: "120 main.f (file.go:12)".
func (l LineGas) String() string { return fmt.Sprintf("%d %v", l.Gas, l.Position) }
