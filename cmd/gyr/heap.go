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
// Programs that come from the cache do without. The zero value is ready for use.
type roomyHeap struct {
	mu      sync.Mutex
	taken   bool
	percent int // the setting before
}

// heapRoom is what is allocated between two collections.
const heapRoom = 96 << 20

// take is called when a compilation begins, also by several at a time. It leaves the heap alone if the user has chosen
// a setting.
func (h *roomyHeap) take() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken || os.Getenv("GOGC") != "" || os.Getenv("GOMEMLIMIT") != "" {
		return
	}
	h.taken, h.percent = true, debug.SetGCPercent(roomPercent())
	h.afterNext()
}

// afterNext renews the setting after the next collection.
func (h *roomyHeap) afterNext() {
	type sentinel struct{ _ [16]byte } // large enough to be an object of its own
	runtime.AddCleanup(new(sentinel), func(h *roomyHeap) {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.taken {
			debug.SetGCPercent(roomPercent())
			h.afterNext()
		}
	}, h)
}

// roomPercent is the setting with which the next collection begins when heapRoom bytes were allocated.
func roomPercent() int {
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	metrics.Read(live)
	// The runtime adds stacks and variables to what is live, and has a least heap that grows with the percentage.
	return int(heapRoom * 100 / max(live[0].Value.Uint64(), 4<<20))
}

// drop is called when all compilations are over.
func (h *roomyHeap) drop() {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.taken {
		h.taken = false
		debug.SetGCPercent(h.percent)
	}
}
