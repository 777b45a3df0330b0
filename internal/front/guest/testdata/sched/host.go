package runtime

import (
	"emulated/abi"
	"fmt"
	goruntime "runtime"
	"strings"
	"unsafe"
)

// The host, emulated: execution stacks are goroutines of the real Go, of which
// one runs at a time. Whoever switches passes the baton and waits for its own.

type _panic struct {
	link   *_panic
	goexit bool
}

type _defer struct{}
type plainError string

func (plainError) RuntimeError()   {}
func (e plainError) Error() string { return string(e) }

type funcval struct{ fn uintptr }
type eface struct {
	_type *abi.Type
	data  unsafe.Pointer
}

const maxAlloc = 1 << 32

type stack struct {
	baton chan bool
	g     unsafe.Pointer
}

type ending struct {
	code int
	text string
}

var host struct {
	stacks    map[uintptr]*stack
	cur       uintptr
	last      uintptr
	live      int // stacks
	made      int // stacks ever made
	now       int64
	tick      int64 // by how much a look at the clock moves it
	idled     int
	init      func() // the packages to be initialised
	rng       uint64
	draws     int
	out       strings.Builder
	end       chan ending
	dead      map[unsafe.Pointer]bool // objects for the next collection
	objects   map[unsafe.Pointer]uintptr
	registers []registration
	queue     []registration
	accounts  []string // who they are
	billed    []string // what was done for them, in turn
}

type registration struct {
	obj      unsafe.Pointer
	kind, id uintptr
}

// program runs main as a guest program and returns its exit code and report.
func program(main func()) (code int, text string) {
	return programInit(func() {}, main)
}

func programInit(init, main func()) (int, string) {
	allgs = nil
	sched = zero(sched)
	timers = zero(timers)
	specials = zero(specials)
	finalizers, cleanups = specialWorker{}, specialWorker{}
	curg, semaroot, poolcleanup, gyr_others, gyr_specials = nil, nil, nil, 0, 0
	host = zero(host)
	host.stacks = map[uintptr]*stack{}
	host.objects = map[unsafe.Pointer]uintptr{}
	host.dead = map[unsafe.Pointer]bool{}
	host.now = 1_000_000
	host.rng = 1
	host.end = make(chan ending)
	host.last = 1
	host.cur = 1
	host.stacks[1] = &stack{baton: make(chan bool)}
	host.live = 1
	go func() {
		defer func() {
			if e := recover(); e != nil {
				host.end <- ending{2, fmt.Sprintf("panic: %v", e)}
			}
		}()
		host.init = init
		rt0(main)
	}()
	e := <-host.end
	return e.code, e.text
}

func zero[T any](T) (z T) { return }

func exit(code int32) {
	host.end <- ending{int(code), host.out.String()}
	goruntime.Goexit()
}

func throw(s string) {
	host.end <- ending{2, "throw: " + s}
	goruntime.Goexit()
}

func fatalof(s string, processor bool) { fatal(s) }

func fatal(s string) {
	host.end <- ending{2, "fatal error: " + s}
	goruntime.Goexit()
}

func tracebackall() {
	for _, gp := range allgs {
		if gp.status != gdead && !gp.system {
			fmt.Fprintf(&host.out, "goroutine %d [%s]:\n", gp.id, gp.statusText())
		}
	}
}

func printlock()           {}
func printstring(s string) { host.out.WriteString(s) }

func printuint(v uint64) { printstring(fmt.Sprint(v)) }
func printnl()           { printstring("\n") }
func flushprint()        {}

// Accounts are named; what is done for them is noted by the tests.

func host_wanttest(name *byte, n int) uintptr { return 1 }

func host_begintest(name *byte, n int) uintptr {
	host.accounts = append(host.accounts, unsafe.String(name, n))
	n = len(host.accounts)
	host_account(uintptr(n))
	return uintptr(n)
}

func host_testsover() {}

func host_endtest(account uintptr) {
	host.billed = append(host.billed, "end "+host.accounts[account-1])
}

func host_account(account uintptr) {
	name := "none"
	if account > 0 {
		name = host.accounts[account-1]
	}
	host.billed = append(host.billed, name)
}

func host_dying(string) {}

func host_fatal() { exit(2) }

func println(args ...any) { fmt.Fprintln(&host.out, args...) }

func host_newstack(fn unsafe.Pointer) uintptr {
	host.last++
	host.live++
	host.made++
	s := &stack{baton: make(chan bool)}
	host.stacks[host.last] = s
	f := *(*func())(unsafe.Pointer(&fn))
	go func() {
		if !<-s.baton {
			return
		}
		defer func() {
			if e := recover(); e != nil {
				host.end <- ending{2, fmt.Sprintf("panic: %v", e)}
			}
		}()
		f()
	}()
	return host.last
}

func host_switch(stk uintptr) {
	self, next := host.stacks[host.cur], host.stacks[stk]
	if next == nil {
		panic("switch to a stack that does not exist")
	}
	if self == next {
		panic("switch to the current stack")
	}
	host.cur = stk
	next.baton <- true
	if !<-self.baton {
		goruntime.Goexit()
	}
}

func host_freestack(stk uintptr) {
	if stk == host.cur {
		panic("the current stack is freed")
	}
	s := host.stacks[stk]
	delete(host.stacks, stk)
	host.live--
	close(s.baton)
}

func host_curstack() uintptr     { return host.cur }
func host_setg(g unsafe.Pointer) { host.stacks[host.cur].g = g }
func getg() *g {
	if unsafe.Pointer(curg) != host.stacks[host.cur].g {
		panic("curg is not the word of the current stack")
	}
	return curg
}
func host_nanotime() int64 { host.now += host.tick; return host.now }
func host_walltime() (int64, int32, int64) {
	return 1e9 + host.now/1e9, int32(host.now % 1e9), host.now
}

// No program started this one, nobody sends signals, and it does not exit.
func host_child() int64          { return 0 }
func host_sigmask(signals int64) {}
func host_exit(code int32)       { panic(code) }

// host_netpoll: there is no network.
func host_netpoll(until int64) (fd int, mode int) { return 0, 0 }

func host_idle(until int64) {
	host.idled++
	host.now = max(host.now, until)
}

// host_nextinit names the only initialiser once.
func host_nextinit() *funcval {
	fn := host.init
	host.init = nil
	return *(**funcval)(unsafe.Pointer(&fn))
}

func ir_callfn(fn *funcval) { (*(*func())(unsafe.Pointer(&fn)))() }

func host_rand() uint64 {
	host.draws++
	host.rng ^= host.rng << 13
	host.rng ^= host.rng >> 7
	host.rng ^= host.rng << 17
	return host.rng
}

func randn(n uint32) uint32 { return uint32((uint64(uint32(host_rand()>>32)) * uint64(n)) >> 32) }

func host_callers(stk uintptr, skip int, buf *uintptr, n int) int {
	*buf = 42
	return 1
}

// Memory. The pages of the test run without a collector.

func add(p unsafe.Pointer, x uintptr) unsafe.Pointer { return unsafe.Add(p, x) }

func ir_memmove(dst, src unsafe.Pointer, n uintptr) {
	copy(unsafe.Slice((*byte)(dst), n), unsafe.Slice((*byte)(src), n))
}

func ir_memclr(p unsafe.Pointer, n uintptr) { clear(unsafe.Slice((*byte)(p), n)) }

func host_malloc(size uintptr, typ unsafe.Pointer, count uintptr) unsafe.Pointer {
	return unsafe.Pointer(unsafe.SliceData(make([]uint64, size/8+1)))
}

func newarray(t *abi.Type, n int) unsafe.Pointer { return host_malloc(t.Size_*uintptr(n), nil, 1) }

func efaceOf(p *any) *eface { return (*eface)(unsafe.Pointer(p)) }

func typestring(t *abi.Type) string { return "type" }

func mallocgc(size uintptr, typ *abi.Type, needzero bool) unsafe.Pointer {
	return host_malloc(size, nil, 1)
}

func getitab(inter *abi.InterfaceType, typ *abi.Type, canfail bool) *abi.ITab { return nil }

// Specials. Tests say which objects are dead.

func host_objectof(p unsafe.Pointer) (unsafe.Pointer, uintptr) {
	if n, ok := host.objects[p]; ok {
		return p, n
	}
	return nil, 0
}

// host_follows says that objects hold no other types than pointers.
func host_follows(unsafe.Pointer) int { return 1 }

func host_addspecial(obj unsafe.Pointer, kind, id uintptr) int {
	host.registers = append(host.registers, registration{obj, kind, id})
	return 0
}

func host_removespecial(obj unsafe.Pointer, kind, id uintptr) {
	for i, r := range host.registers {
		if r == (registration{obj, kind, id}) {
			host.registers = append(host.registers[:i:i], host.registers[i+1:]...)
			return
		}
	}
	panic("removal of a special that is not there")
}

func host_nextspecial() (kind, id uintptr, obj unsafe.Pointer) {
	if len(host.queue) == 0 {
		return 0, 0, nil
	}
	r := host.queue[0]
	host.queue = host.queue[1:]
	return r.kind, r.id, r.obj
}

// collect is a collection that finds host.dead unreachable.
func collect() {
	var keep []registration
	final := map[unsafe.Pointer]bool{}
	for _, r := range host.registers {
		if host.dead[r.obj] && r.kind == specialFinalizer {
			final[r.obj] = true
		}
	}
	for _, kind := range []uintptr{specialWeak, specialFinalizer, specialCleanup} {
		for _, r := range host.registers {
			if r.kind != kind {
				continue
			}
			if host.dead[r.obj] && (kind != specialCleanup || !final[r.obj]) {
				host.queue = append(host.queue, r)
				gyr_specials, gyr_others = 1, 1
			} else {
				keep = append(keep, r)
			}
		}
	}
	host.registers = keep
	for p := range host.dead {
		if !final[p] {
			delete(host.objects, p)
		}
		delete(host.dead, p)
	}
}

// object allocates something that host_objectof knows.
func object[T any]() *T {
	p := new(T)
	host.objects[unsafe.Pointer(p)] = unsafe.Sizeof(*p)
	return p
}

func die[T any](p *T) { host.dead[unsafe.Pointer(p)] = true }

func host_shapestub(fnindex uintptr) uintptr { return 1 }

// ir_callstub calls finalizers whose parameter is a pointer.
func ir_callstub(stub uintptr, fn, frame unsafe.Pointer) {
	f := *(*func(unsafe.Pointer))(unsafe.Pointer(&fn))
	f(*(*unsafe.Pointer)(frame))
}

// Conveniences of the tests.

func makech[T any](n int) *hchan { return makechan(chantype[T](), n) }

func chantype[T any]() *abi.ChanType {
	return (*abi.ChanType)(unsafe.Pointer(abi.TypeFor[chan T]()))
}

func send[T any](c *hchan, v T) { chansend1(c, unsafe.Pointer(&v)) }

func recv[T any](c *hchan) T {
	v, _ := recv2[T](c)
	return v
}

func recv2[T any](c *hchan) (v T, ok bool) {
	ok = chanrecv2(c, unsafe.Pointer(&v))
	return v, ok
}

func tryrecv[T any](c *hchan) (v T, ok bool) {
	ok, _ = chanrecv(c, unsafe.Pointer(&v), false)
	return v, ok
}

// panics returns what f panics with.
func panics(f func()) (e any) {
	defer func() { e = recover() }()
	f()
	return nil
}

// What files for a release or the environment have.

const synctestAsyncText = "synctest.Run not supported with asynctimerchan!=0"

var asynctimerchan bool

func fromSnapshot() {}
func startenv()     {}
