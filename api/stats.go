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
	HeapPeak    uint64 // most bytes of heap in use since the program's own initialisation began
	Collections uint64
	Wall        time.Duration // of Run: reading the clock takes longer than a short call

	// What the start took before the program's own initialisation: packages of
	// the standard library that cannot be part of a snapshot. It is free of gas.
	InitPackages   int
	InitGas        int64  // what it would have cost
	InitMallocs    uint64 // objects that Mallocs counts, those of the snapshot among them
	InitAllocBytes uint64 // of AllocBytes
	InitHeap       uint64 // of HeapPeak: bytes in use when the program's own initialisation began
}

// Own returns the figures of memory without those of the start, which depend on how much of the
// standard library the program is linked with.
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
