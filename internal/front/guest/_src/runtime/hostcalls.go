// Package runtime is gyr's replacement of the Go runtime: guest code that
// the real standard library runs on. It has two halves. The language half
// (this file, panic, error, iface, alg, string, slice, map, malloc, print,
// traceback, symtab, stats, api, linknames) is what compiled code and the
// library call; the scheduler half (proc, chan, select, sema, time, coro,
// finalizer, signal) runs goroutines.
//
// Execution is single threaded and switches goroutines only at loop headers
// of code outside this package and where this package asks for it, so nothing
// here takes locks. A call of a function of this package has a fixed price, charged
// where it is called. On top of that come the iterations of its loops after the first,
// which lowering charges, and bulk work that callers do not know (charge).
package runtime

import "unsafe"

// This file declares every primitive that the package stands on. A function
// named ir_NAME is an operation of the IR and is lowered in place; one named
// host_NAME is a function of the host with the flattened signature. The host
// checks every address and length that it is given.

// Memory. Lengths are not negative; ranges may overlap for ir_memmove only.

func ir_memmove(dst, src unsafe.Pointer, n uintptr)
func ir_memclr(p unsafe.Pointer, n uintptr)
func ir_memequal(p, q unsafe.Pointer, n uintptr) bool
func ir_memcmp(p unsafe.Pointer, n int, q unsafe.Pointer, m int) int // -1, 0 or 1, lexical
func ir_memhash(p unsafe.Pointer, seed, n uintptr) uintptr           // below 2^32

// Frames and calls.

// ir_frameid identifies this activation of the calling function. Of two live
// activations on one execution stack the callee has the larger number (panic.go
// depends on it); numbers are reused after a return.
func ir_frameid() uintptr

// ir_callfn calls a func() given as the address of its closure object.
func ir_callfn(fn *funcval)

// ir_unwind drops all frames above the given activation of this stack and
// continues at that activation's recovery block, which first calls
// deferreturn(frame) for the defers that are left. It does not return.
func ir_unwind(frame uintptr)

// ir_callstub calls the function with index stub, a Shape's Unpack function,
// as stub(fn, frame): it calls the closure fn with the values in the frame
// and stores the results there.
func ir_callstub(stub uintptr, fn, frame unsafe.Pointer)

// host_shapestub is the index of the Unpack function for the function with
// the given index; 0 when that function cannot be called by reflection.
func host_shapestub(fnindex uintptr) uintptr

// Execution stacks.

func host_newstack(fn unsafe.Pointer) uintptr // will call the closure fn, a func() that does not return
func host_switch(stk uintptr)                 // run stk; returns when somebody switches back
func host_freestack(stk uintptr)              // stk is not running
func host_curstack() uintptr

// One guest pointer per execution stack, a root of the collector.

func host_getg() unsafe.Pointer
func host_setg(g unsafe.Pointer)

// Tracebacks. Program counters are ir.SitePC return addresses, or the index
// of a function, which stands for its entry.

// host_callers stores up to n return addresses of the logical frames of stk
// (0: the current stack) from the innermost on: inlined calls are expanded,
// wrappers left out. For the current stack frame 0 is the function that calls
// host_callers. It skips the first skip frames and returns the number stored.
func host_callers(stk uintptr, skip int, buf *uintptr, n int) int

// host_dying says that the program is at its end and what follows is the report of it, which is free, and why, as soon as that is known: a report may
// be too long to be finished.
func host_dying(why string)

// host_parentframe is the activation that called the given one, looking
// through wrappers; 0 at the bottom of the stack.
func host_parentframe(frame uintptr) uintptr

// host_pcname stores up to n bytes of the function's full name and returns
// the length of the whole name, 0 for an unknown pc. host_pcfile does so for the
// file and returns the line too.
func host_pcname(pc uintptr, buf *byte, n int) int
func host_pcfile(pc uintptr, buf *byte, n int) (length int, line int)
func host_pcentry(pc uintptr) uintptr // the index of pc's function; 0 if unknown
func host_pcparams(pc uintptr) int    // how many scalars pc's function takes

// host_nextinit is the initialiser of the next package, a func(); nil: all of
// them have run.
func host_nextinit() *funcval

// Accounts, see account.go.

// host_wanttest reports whether the named test is to run.
func host_wanttest(name *byte, n int) uintptr

// host_begintest opens the account of the named test, which is used from now on, and
// returns its number: 0 if there are no accounts.
func host_begintest(name *byte, n int) uintptr

// host_endtest says that the test with the given account is over. Goroutines of it may go on.
func host_endtest(account uintptr)

// host_account says whose account is used from now on.
func host_account(account uintptr)

// host_testsover says that package testing is done with the tests.
func host_testsover()

// Fuzzing, see fuzz.go.

// host_fuzzstep says that the given input, as a file of the corpus has it, is executed next;
// none: that none is. It returns the machine's time since fuzzing began in nanoseconds, or a negative number
// if fuzzing must end.
func host_fuzzstep(input *byte, n int) int

// host_fuzzcover returns how many blocks were executed since the last call that never were before.
func host_fuzzcover() int

// host_fuzzkeep has an input kept, among the seeds if it is a crash, and returns the name
// of its file as a number.
func host_fuzzkeep(input *byte, n int, crash int) int

// Heap.

// host_malloc returns zeroed memory: count elements of the type that typ
// describes, or size bytes without pointers when typ is nil. A size of 0 is
// allowed. When typ is given, size is at least the bytes of count elements.
func host_malloc(size uintptr, typ unsafe.Pointer, count uintptr) unsafe.Pointer

// ir_newbytes returns n zeroed bytes without pointers (OpNewArray of layout
// NoPointers). n is above 0 and below maxAlloc.
func ir_newbytes(n uintptr) unsafe.Pointer

func host_gc()                // a full collection
func host_gcwork() uintptr    // what it cost, in units of gas
func host_heapbytes() uintptr // bytes of the heap in use

// host_owed returns in n what collections cost that nobody has paid for, and
// settles it. A tier calls it before it takes the results of what it did last, so the
// words of the other results stay as they are.
func host_owed() (_, _, _, n uintptr)
func host_memstats(p *[16]uint64) // see stats.go
func host_addspecial(obj unsafe.Pointer, kind, id uintptr) int
func host_removespecial(obj unsafe.Pointer, kind, id uintptr)
func host_nextspecial() (kind, id uintptr, obj unsafe.Pointer)
func host_objectof(p unsafe.Pointer) (base unsafe.Pointer, size uintptr)

// host_follows is 1 if the collector takes the word at p for a pointer.
func host_follows(p unsafe.Pointer) int

// Clock, randomness.

func host_nanotime() int64

// host_walltime returns the time of day, and the monotonic clock at that moment.
func host_walltime() (sec int64, nsec int32, mono int64)
func host_idle(until int64)

// host_netpoll returns a socket that the host's network has news for, by the number that it was given, and
// 'r' or 'w': what is worth a try there. It returns 0 if the clock shows until before there is news, and -1
// if nothing can ever happen. Other numbers below 64 are signals.
func host_netpoll(until int64) (fd int, mode int)

// host_child returns the number of the process, 0 for one that no program started. host_sigmask tells which signals it cares for.
func host_child() int64
func host_sigmask(signals int64)

func host_rand() uint64

// host_maprand is host_rand for the seeds and iterators of maps. While memory is
// made that all instances start from, its numbers are the same for all.
func host_maprand() uint64

// The world outside.

func host_exit(code int32) // does not return
func host_fatal()          // engine-level end after the guest printed its report; does not return
func host_write(fd uintptr, p unsafe.Pointer, n int32) int32

// host_args and host_environ store up to n bytes of the arguments (including
// the program's name) or of the environment (KEY=VALUE), each string followed by a
// zero byte, and return the length of the whole.
func host_args(buf *byte, n int) int
func host_environ(buf *byte, n int) int
