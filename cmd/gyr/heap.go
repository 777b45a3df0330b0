package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A roomyHeap lets a compilation's heap grow: it is collected less often than usual while it is
// small, and more often when it is large. A compilation allocates a few hundred megabytes, and
// little of that is garbage before a stage ends. By default Go collects when the heap has doubled.
// Then a fifth of the compilation's time would go into collecting a small heap, and a large heap
// would double. A roomyHeap collects after every heapRoom bytes of allocation instead. A program
// from the cache starts within startRoom bytes, without any collection.
type roomyHeap struct {
	mu      sync.Mutex
	taken   bool
	percent int  // the setting in force
	watched bool // the next collection renews it
}

// heap is the command's heap.
var heap roomyHeap

const (
	heapRoom  = 96 << 20 // allocated between two collections
	startRoom = 16 << 20 // allocated before the first one
)

// tunable reports whether the user has left the heap's settings to the command.
var tunable = sync.OnceValue(func() bool { return os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" })

// start is called once, when the command begins.
func (h *roomyHeap) start() {
	if tunable() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.apply(startRoom * 100 / leastHeap)
	}
}

// take is called when a compilation begins. It may be called more than once.
func (h *roomyHeap) take() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.taken && tunable() {
		h.taken = true
		h.set()
	}
}

// drop is called when all compilations are over. Only the next collection is still late.
func (h *roomyHeap) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = false
}

// set applies the setting that is right now: Go's default unless a compilation is running. h.mu is
// held.
func (h *roomyHeap) set() {
	if !h.taken {
		h.apply(goPercent)
		return
	}
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	h.apply(int(heapRoom * 100 / max(live[0].Value.Uint64(), leastHeap)))
}

const (
	goPercent = 100     // Go's default
	leastHeap = 4 << 20 // the heap size below which Go's default does not collect
)

// apply changes the setting. Unless it is Go's default, it is renewed after the next collection.
// h.mu is held.
func (h *roomyHeap) apply(percent int) {
	if percent != h.percent {
		h.percent = percent
		debug.SetGCPercent(percent)
	}
	if h.watched || percent == goPercent {
		return
	}
	h.watched = true
	type sentinel struct{ _ [16]byte } // large enough to be an object of its own
	runtime.AddCleanup(new(sentinel), func(h *roomyHeap) {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.watched = false
		h.set()
	}, h)
}
