// Package runtime is the smallest one with which the tests of package load can
// type-check the standard library: declarations, and the pushes and variables
// that the tests look at.
package runtime

import (
	"internal/abi"
	_ "internal/runtime/atomic"
	_ "internal/runtime/maps"
	"unsafe"
)

const (
	Compiler = "gc"
	GOOS     = "wasip1"
	GOARCH   = "wasm"
)

type Error interface {
	error
	RuntimeError()
}

type TypeAssertionError struct {
	_interface, concrete, asserted *abi.Type
	missingMethod                  string
}

func (*TypeAssertionError) RuntimeError() {}
func (e *TypeAssertionError) Error() string {
	return "interface conversion"
}

type PanicNilError struct{ _ [0]func() }

func (*PanicNilError) Error() string {
	return "panic called with nil argument (use GODEBUG=panicnil=1 to disable)"
}
func (*PanicNilError) RuntimeError() {}

type Func struct{ opaque struct{} }

func FuncForPC(pc uintptr) *Func
func (f *Func) Name() string                      { return "" }
func (f *Func) Entry() uintptr                    { return 0 }
func (f *Func) FileLine(pc uintptr) (string, int) { return "", 0 }

type Frame struct {
	PC       uintptr
	Func     *Func
	Function string
	File     string
	Line     int
	Entry    uintptr
}

type Frames struct{ callers []uintptr }

func CallersFrames(callers []uintptr) *Frames     { return &Frames{callers} }
func (ci *Frames) Next() (frame Frame, more bool) { return }

func Callers(skip int, pc []uintptr) int
func Caller(skip int) (pc uintptr, file string, line int, ok bool)
func GC()
func Gosched()
func Goexit()
func GOMAXPROCS(n int) int
func GOROOT() string { return "" }
func NumCPU() int
func NumCgoCall() int64
func NumGoroutine() int
func KeepAlive(x any) {}
func SetFinalizer(obj any, finalizer any)
func Stack(buf []byte, all bool) int
func Version() string { return "go1.26" }
func LockOSThread()   {}
func UnlockOSThread() {}
func Breakpoint()     {}

type Cleanup struct{ id uint64 }

func (c Cleanup) Stop() {}

func AddCleanup[T, S any](ptr *T, cleanup func(S), arg S) Cleanup { return Cleanup{} }

type Pinner struct{ refs []unsafe.Pointer }

func (p *Pinner) Pin(pointer any) {}
func (p *Pinner) Unpin()          {}

type MemStats struct {
	Alloc, TotalAlloc, Sys, Lookups, Mallocs, Frees                                 uint64
	HeapAlloc, HeapSys, HeapIdle, HeapInuse, HeapReleased, HeapObjects              uint64
	StackInuse, StackSys, MSpanInuse, MSpanSys, MCacheInuse, MCacheSys, BuckHashSys uint64
	GCSys, OtherSys, NextGC, LastGC, PauseTotalNs                                   uint64
	PauseNs, PauseEnd                                                               [256]uint64
	NumGC, NumForcedGC                                                              uint32
	GCCPUFraction                                                                   float64
	EnableGC, DebugGC                                                               bool
	BySize                                                                          [61]struct {
		Size           uint32
		Mallocs, Frees uint64
	}
}

func ReadMemStats(m *MemStats)

var MemProfileRate int

func SetBlockProfileRate(rate int)         {}
func SetMutexProfileFraction(rate int) int { return 0 }
func SetCPUProfileRate(hz int)             {}

type MemProfileRecord struct {
	AllocBytes, FreeBytes, AllocObjects, FreeObjects int64
	Stack0                                           [32]uintptr
}
type StackRecord struct{ Stack0 [32]uintptr }
type BlockProfileRecord struct {
	Count, Cycles int64
	StackRecord
}

// A variable that other packages share.
//
//go:linkname zeroVal
var zeroVal [1024]byte

//go:linkname maps_errNilAssign internal/runtime/maps.errNilAssign
var maps_errNilAssign error = &PanicNilError{}

// Pushes.
//
//go:linkname os_runtime_args os.runtime_args
func os_runtime_args() []string { return nil }

//go:linkname sync_fatal sync.fatal
func sync_fatal(s string) { fatal(s) }

func fatal(s string) { panicText(s) }

//go:noinline
func panicText(s string) { panic(s) }

//go:linkname rand
func rand() uint64 { return 4 }
