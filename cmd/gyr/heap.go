package main

import (
	"os"
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"sync"
)

// A roomyHeap gives compilations a heap that is collected less often while it is small, and more often when it is
// large. A compilation allocates a few hundred megabytes, of which little is garbage before one of its stages ends:
// with Go's default, to collect when the heap has doubled, a fifth of its time would go into collecting a small heap,
// and a large one would double. Here a collection begins when heapRoom bytes were allocated since the last one.
// A program that comes from the cache starts within startRoom bytes, without any collection.
type roomyHeap struct {
	mu      sync.Mutex
	taken   bool
	percent int  // the setting that is in force
	watched bool // the next collection renews it
}

// heap is the command's.
var heap roomyHeap

const (
	heapRoom  = 96 << 20 // what is allocated between two collections
	startRoom = 16 << 20 // and before the first one
)

// tunable reports whether the user has left the heap to us.
var tunable = sync.OnceValue(func() bool { return os.Getenv("GOGC") == "" && os.Getenv("GOMEMLIMIT") == "" })

// start is called once, when the command begins.
func (h *roomyHeap) start() {
	if tunable() {
		h.mu.Lock()
		defer h.mu.Unlock()
		h.apply(startRoom * 100 / leastHeap)
	}
}

// take is called when something begins to be compiled, also more than once.
func (h *roomyHeap) take() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if !h.taken && tunable() {
		h.taken = true
		h.set()
	}
}

// drop is called when all compilations are over. The next collection is the last that comes late.
func (h *roomyHeap) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.taken = false
}

// set makes the setting what is right now: Go's default, unless something is being compiled. h.mu is held.
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
	leastHeap = 4 << 20 // the size of a heap that is not collected with that
)

// apply changes the setting, and has it renewed after the next collection unless it is Go's default. h.mu is held.
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
