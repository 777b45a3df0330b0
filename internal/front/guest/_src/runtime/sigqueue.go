package runtime

import (
	_ "unsafe" // for go:linkname
)

// Package os/signal: no signal arrives but those that the program sends to itself. The goroutine that waits for one
// counts as the runtime's own, so that a program in which everybody else is blocked
// is reported as deadlocked.

// sigs are sets of signals, a bit for each.
var sigs struct {
	wanted, ignored, pending uint64
	gp                       *g // who waits for one
}

//go:linkname signal_recv os/signal.signal_recv
func signal_recv() uint32 {
	gp := getg()
	if gp.counted {
		gp.counted = false
		gp.system = true
		sched.count--
	}
	for {
		for sig := uint32(0); sig < 64; sig++ {
			if bit := uint64(1) << sig; sigs.pending&bit != 0 {
				sigs.pending &^= bit
				return sig
			}
		}
		sigs.gp = gp
		gopark(waitReasonSignal)
	}
}

// syscall_raise is a signal that the program sends to itself. It reports whether anybody cares.
//
//go:linkname syscall_raise syscall.gyrRaise
func syscall_raise(sig uint32) bool {
	bit := uint64(1) << sig
	switch {
	case sigs.ignored&bit != 0:
		return true
	case sigs.wanted&bit == 0:
		return false
	}
	sigs.pending |= bit
	if gp := sigs.gp; gp != nil {
		sigs.gp = nil
		goready(gp)
	}
	return true
}

//go:linkname signal_enable os/signal.signal_enable
func signal_enable(sig uint32) {
	sigs.wanted |= uint64(1) << sig
	sigs.ignored &^= uint64(1) << sig
	host_sigmask(int64(sigs.wanted | sigs.ignored))
}

//go:linkname signal_disable os/signal.signal_disable
func signal_disable(sig uint32) {
	sigs.wanted &^= uint64(1) << sig
	sigs.ignored &^= uint64(1) << sig
	host_sigmask(int64(sigs.wanted | sigs.ignored))
}

//go:linkname signal_ignore os/signal.signal_ignore
func signal_ignore(sig uint32) {
	sigs.wanted &^= uint64(1) << sig
	sigs.ignored |= uint64(1) << sig
	host_sigmask(int64(sigs.wanted | sigs.ignored))
}

//go:linkname signal_ignored os/signal.signal_ignored
func signal_ignored(sig uint32) bool { return sigs.ignored&(uint64(1)<<sig) != 0 }

// signalWaitUntilIdle waits until what was sent has been given to os/signal.
//
//go:linkname signalWaitUntilIdle os/signal.signalWaitUntilIdle
func signalWaitUntilIdle() {
	for sigs.pending != 0 {
		Gosched()
	}
}
