package native

import (
	"sync"
	"sync/atomic"
	"syscall"
	"unsafe"
)

// Faults.
//
// Machine code of a program without package unsafe never faults, unless the
// compiler is wrong; of other programs it does whenever the guest goes where
// it has no memory. To Go's signal handler a fault in code that it does not know is the end of
// the process. So the first program installs a handler before Go's: a fault
// at an address where an arena lies becomes an exit of the code that
// faulted (Handle sees FaultExit), everything else goes on to the
// handler that was there, with the arguments that the kernel passed.
//
// The handler runs on the signal stack that Go gives to every thread and reads nothing but
// the list of arenas and the context page. It is the process's: of a host
// that installs handlers itself, they must call those that they found.

// A codeRange is where an arena lies. It is read by the handler without a lock:
// lo is written first, the others before and behind it.
type codeRange struct {
	next   *codeRange // does not change
	lo, hi uintptr
}

const noRange = ^uintptr(0)

var (
	codeRanges atomic.Pointer[codeRange] // all there have ever been
	faultMu    sync.Mutex
	freeRanges []*codeRange
	chained    [32]uintptr // handlers that were there before, by signal
)

// faultSignals are those of instructions that cannot be executed.
var faultSignals = [...]syscall.Signal{syscall.SIGSEGV, syscall.SIGBUS, syscall.SIGFPE, syscall.SIGILL}

// faultHandler is the handler, see fault_linux_amd64.s.
func faultHandler()

// faultHandlerAddress returns the address of the handler itself.
func faultHandlerAddress() uintptr

// watchCode makes faults at addresses from lo to hi exits.
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

// unwatch ends that. The code does not run any more.
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

// handleFaults installs the handler, or does so again if the one that was there
// before is back. A third one is left alone: who installed it has found ours.
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
