package runtime

import (
	_ "unsafe" // for go:linkname
)

// Package os/signal: no signal ever arrives. The goroutine that waits for one
// counts as the runtime's own, so that a program in which everybody else is blocked
// is reported as deadlocked.

//go:linkname signal_recv os/signal.signal_recv
func signal_recv() uint32 {
	gp := getg()
	if gp.counted {
		gp.counted = false
		gp.system = true
		sched.count--
	}
	for {
		gopark(waitReasonSignal)
	}
}

//go:linkname signal_enable os/signal.signal_enable
func signal_enable(sig uint32) {}

//go:linkname signal_disable os/signal.signal_disable
func signal_disable(sig uint32) {}

//go:linkname signal_ignore os/signal.signal_ignore
func signal_ignore(sig uint32) {}

//go:linkname signal_ignored os/signal.signal_ignored
func signal_ignored(sig uint32) bool { return false }

//go:linkname signalWaitUntilIdle os/signal.signalWaitUntilIdle
func signalWaitUntilIdle() {}
