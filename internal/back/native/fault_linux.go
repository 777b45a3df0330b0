//go:build amd64 || arm64

package native

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Faults.
//
// Machine code of a program without package unsafe never faults, unless the compiler is wrong. In
// other programs it faults whenever the guest accesses memory that it does not have. Go's signal
// handler ends the process on a fault in code that it does not know. So the first program installs
// a handler before Go's. A fault at an address inside an arena becomes an exit of the faulting code
// (Handle sees FaultExit). Everything else goes on to the previous handler, with the arguments from
// the kernel.
//
// The handler runs on the signal stack that Go gives every thread and reads only the list of arenas
// and the context page. It belongs to the process: a host that installs handlers itself must chain
// to those that it found.

// A codeRange is the place of an arena. The handler reads it without a lock, so the range is empty
// while it changes: hi becomes 0, then lo is written, then hi.
type codeRange struct {
	next   *codeRange // does not change
	lo, hi uintptr
}

// FaultsAreCaught says that a fault in machine code ends the run and not the process.
const FaultsAreCaught = true

const noRange = ^uintptr(0)

var (
	codeRanges atomic.Pointer[codeRange] // all that ever existed
	faultMu    sync.Mutex
	freeRanges []*codeRange
	chained    [32]uintptr // the previous handlers, by signal
)

// faultSignals are the signals of instructions that cannot be executed.
var faultSignals = [...]syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL}

// faultHandler is the handler, see fault_linux_amd64.s and fault_linux_arm64.s.
func faultHandler()

// faultHandlerAddress returns the address of the handler itself.
func faultHandlerAddress() uintptr

// watchCode turns faults at addresses from lo to hi into exits.
func watchCode(lo, hi uintptr) *codeRange {
	faultMu.Lock()
	defer faultMu.Unlock()
	var r *codeRange
	if n := len(freeRanges); n > 0 {
		r, freeRanges = freeRanges[n-1], freeRanges[:n-1]
	} else {
		r = &codeRange{next: codeRanges.Load(), lo: noRange}
		defer codeRanges.Store(r)
	}
	atomic.StoreUintptr(&r.hi, 0)
	atomic.StoreUintptr(&r.lo, lo)
	atomic.StoreUintptr(&r.hi, hi)
	return r
}

// unwatch ends that. The code must not be running any more.
func (r *codeRange) unwatch() {
	if r == nil {
		return
	}
	faultMu.Lock()
	defer faultMu.Unlock()
	atomic.StoreUintptr(&r.lo, noRange)
	freeRanges = append(freeRanges, r)
}

// A sigaction is the kernel's struct of that name.
type sigaction struct {
	handler, flags, restorer uintptr
	mask                     uint64
}

func rtSigaction(sig syscall.Signal, set, old *sigaction) error {
	_, _, errno := syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(sig), uintptr(unsafe.Pointer(set)),
		uintptr(unsafe.Pointer(old)), 8, 0, 0)
	if errno != 0 {
		return errno
	}
	return nil
}

// handleFaults installs the handler, or installs it again if the previous one is back. It leaves a
// third one alone: its owner has found ours.
func handleFaults() error {
	faultMu.Lock()
	defer faultMu.Unlock()
	own := faultHandlerAddress()
	for _, sig := range faultSignals {
		var a sigaction
		if err := rtSigaction(sig, nil, &a); err != nil {
			return err
		}
		was := &chained[sig]
		if a.handler <= 1 || a.handler == own || *was != 0 && a.handler != *was {
			continue
		}
		atomic.StoreUintptr(was, a.handler)
		a.handler = own
		if err := rtSigaction(sig, &a, nil); err != nil {
			return err
		}
	}
	return nil
}
