package runtime

import _ "unsafe" // for go:linkname

// Statistics and control of the heap.

// A MemStats records statistics about the memory allocator. What gyr's allocator
// does not have is zero.
type MemStats struct {
	Alloc      uint64 // bytes of live objects and of those not yet collected
	TotalAlloc uint64 // bytes ever allocated
	Sys        uint64 // bytes obtained from the host
	Lookups    uint64
	Mallocs    uint64 // objects ever allocated
	Frees      uint64 // objects ever freed

	HeapAlloc    uint64 // the same as Alloc
	HeapSys      uint64
	HeapIdle     uint64
	HeapInuse    uint64
	HeapReleased uint64
	HeapObjects  uint64

	StackInuse  uint64
	StackSys    uint64
	MSpanInuse  uint64
	MSpanSys    uint64
	MCacheInuse uint64
	MCacheSys   uint64
	BuckHashSys uint64
	GCSys       uint64
	OtherSys    uint64

	NextGC        uint64 // heap size at which the next collection runs
	LastGC        uint64
	PauseTotalNs  uint64
	PauseNs       [256]uint64
	PauseEnd      [256]uint64
	NumGC         uint32
	NumForcedGC   uint32 // by calls of GC
	GCCPUFraction float64
	EnableGC      bool
	DebugGC       bool

	BySize [61]struct {
		Size    uint32
		Mallocs uint64
		Frees   uint64
	}
}

// The words that host_memstats fills.
const (
	statHeapAlloc = iota
	statTotalAlloc
	statMallocs
	statFrees
	statNumGC
	statHeapSys
	statHeapObjects
	statPauseTotal
	statStackInuse
	statSys
	statNextGC
)

var memstats [16]uint64 // filled for each question

var numForcedGC uint32

// ReadMemStats populates m with memory allocator statistics.
func ReadMemStats(m *MemStats) {
	host_memstats(&memstats)
	*m = MemStats{}
	m.Alloc = memstats[statHeapAlloc]
	m.TotalAlloc = memstats[statTotalAlloc]
	m.Sys = memstats[statSys]
	m.Mallocs = memstats[statMallocs]
	m.Frees = memstats[statFrees]
	m.HeapAlloc = m.Alloc
	m.HeapSys = memstats[statHeapSys]
	m.HeapInuse = m.HeapSys
	m.HeapObjects = memstats[statHeapObjects]
	m.StackInuse = memstats[statStackInuse]
	m.StackSys = m.StackInuse
	m.NextGC = memstats[statNextGC]
	m.PauseTotalNs = memstats[statPauseTotal]
	m.NumGC = uint32(memstats[statNumGC])
	m.NumForcedGC = numForcedGC
	m.EnableGC = true
	for i := 1; i < len(m.BySize); i++ {
		m.BySize[i].Size = uint32(sizeclass(i))
	}
}

// sizeclass is the size of gc's class number i.
func sizeclass(i int) uintptr {
	size := uintptr(0)
	for ; i > 0; i-- {
		size = roundupsize(size+1, true)
	}
	return size
}

// GC runs a garbage collection and blocks the caller until the garbage collection
// is complete. Finalizers and cleanups that it queued get their turn before the
// caller goes on: gc gives way while it sweeps, and programs count on that.
//
// Its price holds a quarter of a unit for each byte of the heap. What the collection
// cost beyond that is charged behind it.
func GC() {
	clearpools()
	numForcedGC++
	paid := host_heapbytes() / 4
	host_gc()
	if cost := host_gcwork(); cost > paid {
		charge(cost-paid, unitWeight)
	}
	drainspecials()
	if finalizers.head != nil || cleanups.head != nil {
		Gosched()
	}
}

// paycollection is called by the tier behind an operation for which memory was
// collected since the limit was near: allocations had not paid for that yet. It
// neither allocates nor gives way.
func paycollection() {
	_, _, _, n := host_owed()
	charge(n, unitWeight)
}

// Package runtime/debug. The collector's pace and the limits belong to the host:
// settings are remembered, and nothing more.

var (
	gcpercent   int32 = 100
	maxstack          = 1000000000
	maxthreads        = 10000
	memorylimit int64 = 1<<63 - 1
	crashfd           = ^uintptr(0)
)

//go:linkname setGCPercent runtime/debug.setGCPercent
func setGCPercent(in int32) (out int32) {
	out = gcpercent
	gcpercent = max(in, -1)
	return out
}

//go:linkname setMemoryLimit runtime/debug.setMemoryLimit
func setMemoryLimit(in int64) (out int64) {
	out = memorylimit
	if in >= 0 {
		memorylimit = in
	}
	return out
}

//go:linkname setMaxStack runtime/debug.setMaxStack
func setMaxStack(in int) (out int) {
	out = maxstack
	maxstack = in
	return out
}

//go:linkname setMaxThreads runtime/debug.setMaxThreads
func setMaxThreads(in int) (out int) {
	out = maxthreads
	maxthreads = in
	return out
}

//go:linkname setPanicOnFault runtime/debug.setPanicOnFault
func setPanicOnFault(b bool) (old bool) { return false }

//go:linkname setCrashFD
func setCrashFD(fd uintptr) uintptr {
	old := crashfd
	crashfd = fd
	return old
}

//go:linkname runtime_debug_freeOSMemory runtime/debug.freeOSMemory
func runtime_debug_freeOSMemory() { GC() }

//go:linkname runtime_debug_WriteHeapDump runtime/debug.WriteHeapDump
func runtime_debug_WriteHeapDump(fd uintptr) {}

// readGCStats fills what debug.ReadGCStats expects: pauses and their ends (none
// are recorded), then three numbers.
//
//go:linkname readGCStats runtime/debug.readGCStats
func readGCStats(pauses *[]uint64) {
	host_memstats(&memstats)
	p := (*pauses)[:0]
	*pauses = append(p, 0, memstats[statNumGC], memstats[statPauseTotal])
}

// gyr_modinfo is the build information of the program, set by the compiler.
var gyr_modinfo string

//go:linkname debug_modinfo runtime/debug.modinfo
func debug_modinfo() string { return gyr_modinfo }
