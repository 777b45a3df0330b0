package runtime

import "unsafe"

// This file declares everything that package runtime takes from the engine.
// docs/contract.md ("Intrinsics of the overlay") is the specification.

// Operations of the IR, lowered inline.

func getg() *g
func ir_memmove(dst, src unsafe.Pointer, n uintptr)
func ir_memclr(p unsafe.Pointer, n uintptr)
func ir_memequal(p, q unsafe.Pointer, n uintptr) bool
func ir_memcmp(p unsafe.Pointer, n int, q unsafe.Pointer, m int) int
func ir_memhash(p unsafe.Pointer, seed, n uintptr) uintptr
func ir_frameid() uintptr
func ir_callfn(fn *funcval)
func ir_unwind(frame uintptr)

// Functions of the host (internal/rt).

func host_newstack(fn unsafe.Pointer) uintptr
func host_switch(stk uintptr)
func host_freestack(stk uintptr)
func host_curstack() uintptr
func host_getg() unsafe.Pointer
func host_setg(g unsafe.Pointer)
func host_callers(stk uintptr, skip int, buf *uintptr, n int) int
func host_parentframe(frame uintptr) uintptr
func host_pcname(pc uintptr, buf *byte, n int) int
func host_pcfile(pc uintptr, buf *byte, n int) (length int, line int)
func host_pcentry(pc uintptr) uintptr
func host_malloc(size uintptr, typ unsafe.Pointer, count uintptr) unsafe.Pointer
func host_gc()
func host_memstats(p *[16]uint64)
func host_addspecial(obj unsafe.Pointer, kind, id uintptr) int
func host_removespecial(obj unsafe.Pointer, kind, id uintptr)
func host_nextspecial() (kind, id uintptr, obj unsafe.Pointer)
func host_objectof(p unsafe.Pointer) (base unsafe.Pointer, size uintptr)
func host_nanotime() int64
func host_walltime() (sec int64, nsec int32)
func host_idle(until int64)
func host_rand() uint64
func host_exit(code int32)
func host_fatal(msg string)
func host_write(fd uintptr, p unsafe.Pointer, n int32) int32
func host_shapestub(fnindex uintptr) uintptr

// A funcval is a closure object: the function index, then the captured variables.
type funcval struct {
	fn uintptr
	// variable-size, fn-specific data here
}
