package runtime

import (
	"internal/abi"
	"internal/goarch"
	"internal/goos"
	"unsafe"
)

// The rest of the exported API. Profiles are taken by the host, which sees more
// than the guest: here they are empty.

// Compiler is the name of the compiler toolchain that built the running binary.
// It says gc because layouts and descriptors are gc's.
const Compiler = "gc"

// GOOS is the running program's operating system target.
const GOOS string = goos.GOOS

// GOARCH is the running program's architecture target.
const GOARCH string = goarch.GOARCH

// Version returns the release whose standard library the program uses. It is the same for all its patches.
func Version() string { return version }

// GOROOT returns the root of the Go tree: the GOROOT environment variable, or "".
func GOROOT() string { return gogetenv("GOROOT") }

// NumCgoCall returns 0: there is no cgo.
func NumCgoCall() int64 { return 0 }

// Breakpoint does nothing: there is no debugger in the guest.
func Breakpoint() {}

// A StackRecord describes a single execution stack.
type StackRecord struct {
	Stack0 [32]uintptr // ends at the first 0
}

// Stack returns the stack trace associated with the record, a prefix of
// r.Stack0.
func (r *StackRecord) Stack() []uintptr { return untilZero(r.Stack0[:]) }

func untilZero(pcs []uintptr) []uintptr {
	for i, pc := range pcs {
		if pc == 0 {
			return pcs[:i]
		}
	}
	return pcs
}

// MemProfileRate controls the fraction of memory allocations that are recorded
// and reported in the memory profile. The guest records none.
var MemProfileRate int = 512 * 1024

// A MemProfileRecord describes the live objects allocated by a particular call
// sequence.
type MemProfileRecord struct {
	AllocBytes, FreeBytes     int64
	AllocObjects, FreeObjects int64
	Stack0                    [32]uintptr // ends at the first 0
}

// InUseBytes returns the number of bytes in use.
func (r *MemProfileRecord) InUseBytes() int64 { return r.AllocBytes - r.FreeBytes }

// InUseObjects returns the number of objects in use.
func (r *MemProfileRecord) InUseObjects() int64 { return r.AllocObjects - r.FreeObjects }

// Stack returns the stack trace associated with the record.
func (r *MemProfileRecord) Stack() []uintptr { return untilZero(r.Stack0[:]) }

// MemProfile returns an empty profile.
func MemProfile(p []MemProfileRecord, inuseZero bool) (n int, ok bool) { return 0, true }

// BlockProfileRecord describes blocking events originated at a particular call
// sequence.
type BlockProfileRecord struct {
	Count  int64
	Cycles int64
	StackRecord
}

// BlockProfile returns an empty profile.
func BlockProfile(p []BlockProfileRecord) (n int, ok bool) { return 0, true }

// MutexProfile returns an empty profile.
func MutexProfile(p []BlockProfileRecord) (n int, ok bool) { return 0, true }

// ThreadCreateProfile returns an empty profile.
func ThreadCreateProfile(p []StackRecord) (n int, ok bool) { return 0, true }

// GoroutineProfile returns n, the number of active goroutines, and, if p has room
// for them, ok and their stacks.
func GoroutineProfile(p []StackRecord) (n int, ok bool) {
	for _, gp := range allgs {
		if gp.status == gdead || gp.status == gidle || gp.system {
			continue
		}
		if n < len(p) {
			r := &p[n]
			*r = StackRecord{}
			frames := 1
			switch {
			case gp == getg():
				frames += host_callers(0, 1, &r.Stack0[0], len(r.Stack0))
			case gp.stk == 0:
				r.Stack0[0] = gp.startpc
			default:
				frames = host_callers(gp.stk, 0, &r.Stack0[0], len(r.Stack0))
			}
			charge(1, goroutineWeight)
			charge(uintptr(frames), frameWeight)
		}
		n++
	}
	return n, n <= len(p)
}

// CPUProfile panics.
//
// Deprecated: Use the [runtime/pprof] package.
func CPUProfile() []byte { panic("CPUProfile no longer available") }

// SetCPUProfileRate does nothing.
func SetCPUProfileRate(hz int) {}

// SetBlockProfileRate does nothing.
func SetBlockProfileRate(rate int) {}

var mutexProfileFraction int

// SetMutexProfileFraction remembers the fraction and returns the previous one.
func SetMutexProfileFraction(rate int) int {
	old := mutexProfileFraction
	if rate >= 0 {
		mutexProfileFraction = rate
	}
	return old
}

// StartTrace reports that tracing is not supported.
func StartTrace() error { return plainError("tracing is not supported by gyr's guest runtime") }

// StopTrace does nothing.
func StopTrace() {}

// ReadTrace returns nil: no trace is being taken.
func ReadTrace() (buf []byte) { return nil }

// SetCgoTraceback checks its version and does nothing: there is no cgo.
func SetCgoTraceback(version int, traceback, context, symbolizer unsafe.Pointer) {
	if version != 0 {
		panic("unsupported version")
	}
}

// A Pinner is a set of Go objects each pinned to a fixed location in memory.
// Objects never move; a Pinner keeps them alive.
type Pinner struct {
	*pinner
}

// A pinner is the list of a Pinner, in an object of its own that nobody else can give a finalizer.
type pinner struct {
	refs []unsafe.Pointer
}

// Pin pins a Go object, preventing it from being moved or freed by the garbage
// collector until the [Pinner.Unpin] method has been called. The argument must be a
// pointer of any type or an unsafe.Pointer.
func (p *Pinner) Pin(pointer any) {
	e := efaceOf(&pointer)
	if e._type == nil {
		panic(errorString("runtime.Pinner: argument is nil"))
	}
	if k := e._type.Kind(); k != abi.Pointer && k != abi.UnsafePointer {
		panic(errorString("runtime.Pinner: argument is not a pointer: " + typestring(e._type)))
	}
	if p.pinner == nil {
		p.pinner = new(pinner)
		SetFinalizer(p.pinner, (*pinner).lost)
	}
	if base, _ := host_objectof(e.data); base != nil {
		p.refs = append(p.refs, e.data)
	}
}

// Unpin unpins all pinned objects of the [Pinner].
func (p *Pinner) Unpin() {
	if p.pinner != nil {
		p.refs = nil
	}
}

// lost is the finalizer of a pinner.
func (p *pinner) lost() {
	if len(p.refs) != 0 {
		p.refs = nil
		panic(errorString("runtime.Pinner: found leaking pinned pointer; forgot to call Unpin()?"))
	}
}
