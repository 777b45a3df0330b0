//go:build linux && (amd64 || arm64)

package jitinfo

import (
	"runtime"
	"unsafe"

	"golang.org/x/sys/unix"
)

// gdb's interface (the GDB manual, "JIT Compilation Interface"): a list of images at a well-known
// symbol, and a function where gdb stops to read new ones.

type jitEntry struct {
	next, prev uintptr
	image      uintptr
	size       uint64
}

type jitDescriptor struct {
	version, action uint32
	relevant, first uintptr
}

const actionRegister = 1

// registered keeps alive what only the descriptor refers to: Go's collector does not see the
// descriptor.
var registered []struct {
	entry *jitEntry
	image []byte
}

func registerCode()
func descriptor() *jitDescriptor

// register shows gdb an image. The caller holds mu.
//
// The signal by which Go's runtime preempts is blocked while gdb steps over its breakpoint. A
// collection sends it again each time it was handled in vain, as it is in assembly. gdb handles a
// signal that comes during a step by running the handler and starting the step again, with the
// reading of the image. It would never finish.
func register(image []byte) error {
	d := descriptor()
	e := &jitEntry{next: d.first, image: uintptr(unsafe.Pointer(&image[0])), size: uint64(len(image))}
	at := uintptr(unsafe.Pointer(e))
	if n := len(registered); n > 0 {
		registered[n-1].entry.prev = at // the previous head of the list
	}
	registered = append(registered, struct {
		entry *jitEntry
		image []byte
	}{e, image})
	d.first, d.relevant, d.action = at, at, actionRegister
	runtime.LockOSThread() // the mask is the thread's
	defer runtime.UnlockOSThread()
	var urg, old unix.Sigset_t
	urg.Val[0] = 1 << (unix.SIGURG - 1)
	if err := unix.PthreadSigmask(unix.SIG_BLOCK, &urg, &old); err != nil {
		return err
	}
	registerCode()
	return unix.PthreadSigmask(unix.SIG_SETMASK, &old, nil)
}
