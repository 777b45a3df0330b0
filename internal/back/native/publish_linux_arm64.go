package native

import (
	"fmt"
	"sync"
	"unsafe"

	"golang.org/x/sys/unix"
)

// makeExecutable makes new code executable, and visible to the instruction fetches of all processors. The
// caller makes its address known afterwards.
func makeExecutable(code []byte) error {
	if err := protectCode(code); err != nil {
		return err
	}
	lo := uintptr(unsafe.Pointer(&code[0]))
	flush(lo, lo+uintptr(len(code)))
	return synchronize()
}

// flush is written in assembly.
func flush(lo, hi uintptr)

// Commands of the system call membarrier.
const (
	syncCore         = 1 << 5 // MEMBARRIER_CMD_PRIVATE_EXPEDITED_SYNC_CORE
	registerSyncCore = 1 << 6
)

func membarrier(command uintptr) error {
	if _, _, errno := unix.RawSyscall(unix.SYS_MEMBARRIER, command, 0, 0); errno != 0 {
		return errno
	}
	return nil
}

// registered asks the kernel once for what synchronize needs.
var registered = sync.OnceValue(func() error {
	if err := membarrier(registerSyncCore); err != nil {
		return fmt.Errorf("native: the kernel has no membarrier that synchronizes processors: %w", err)
	}
	return nil
})

// synchronize has all processors that run threads of this process fetch instructions anew: code that they
// have fetched before may be older than the caches.
func synchronize() error {
	if err := registered(); err != nil {
		return err
	}
	return membarrier(syncCore)
}
