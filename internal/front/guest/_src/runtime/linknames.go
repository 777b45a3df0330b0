package runtime

import (
	"internal/abi"
	"internal/strconv"
	"unsafe"
)

// What the standard library takes from this package by linkname and what has no
// place elsewhere.

// Packages reflect and internal/reflectlite. Offsets in descriptors are
// addresses, those of functions are indices; 0 and -1 are none.

// gyr_typelinks is filled by the compiler: the addresses of the descriptors of
// unnamed types, sorted by their strings.
var gyr_typelinks []int32

//go:linkname reflect_typelinks reflect.typelinks
func reflect_typelinks() ([]unsafe.Pointer, [][]int32) {
	return []unsafe.Pointer{nil}, [][]int32{gyr_typelinks}
}

func offptr(off int32) unsafe.Pointer { return unsafe.Pointer(uintptr(uint32(off))) }

//go:linkname reflect_resolveNameOff reflect.resolveNameOff
func reflect_resolveNameOff(base unsafe.Pointer, off int32) unsafe.Pointer { return offptr(off) }

//go:linkname reflectlite_resolveNameOff internal/reflectlite.resolveNameOff
func reflectlite_resolveNameOff(base unsafe.Pointer, off int32) unsafe.Pointer { return offptr(off) }

//go:linkname reflect_resolveTypeOff reflect.resolveTypeOff
func reflect_resolveTypeOff(rtype unsafe.Pointer, off int32) unsafe.Pointer {
	return unsafe.Pointer(typeoff(abi.TypeOff(off)))
}

//go:linkname reflectlite_resolveTypeOff internal/reflectlite.resolveTypeOff
func reflectlite_resolveTypeOff(rtype unsafe.Pointer, off int32) unsafe.Pointer {
	return unsafe.Pointer(typeoff(abi.TypeOff(off)))
}

//go:linkname reflect_resolveTextOff reflect.resolveTextOff
func reflect_resolveTextOff(rtype unsafe.Pointer, off int32) unsafe.Pointer {
	if off == -1 {
		return unsafe.Pointer(funcPC(unreachableMethod))
	}
	return offptr(off)
}

// reflectOffs keeps alive what run-time made descriptors refer to by offset.
var reflectOffs struct {
	table []unsafe.Pointer // a hash set with linear probing
	count int
}

func reflectOffsSlot(p unsafe.Pointer) *unsafe.Pointer {
	mask := uintptr(len(reflectOffs.table) - 1)
	for h := uintptr(p) >> 3 * 0x9e3779b1; ; h++ {
		q := &reflectOffs.table[h&mask]
		if *q == nil || *q == p {
			return q
		}
	}
}

//go:linkname reflect_addReflectOff reflect.addReflectOff
func reflect_addReflectOff(p unsafe.Pointer) int32 {
	if p == nil {
		return 0
	}
	if 2*reflectOffs.count >= len(reflectOffs.table) {
		old := reflectOffs.table
		reflectOffs.table = make([]unsafe.Pointer, max(64, 2*len(old)))
		for _, o := range old {
			if o != nil {
				*reflectOffsSlot(o) = o
			}
		}
	}
	if q := reflectOffsSlot(p); *q == nil {
		*q = p
		reflectOffs.count++
	}
	return int32(uint32(uintptr(p)))
}

// shapestubs are the stubs of functions that were called lately: asking the host
// takes longer than many a function.
var shapestubs [64]struct{ fn, stub uintptr }

// reflectcall calls the function value fn with the parameters in the frame at
// args, laid out as reflect's funcLayout says, and leaves the results there. GOARCH
// wasm passes nothing in registers.
func reflectcall(argtype *abi.Type, fn, args unsafe.Pointer, argsize, retoffset, framesize uint32, regs *abi.RegArgs) {
	i := (*funcval)(fn).fn
	c := &shapestubs[i%uintptr(len(shapestubs))]
	if c.fn != i {
		c.fn, c.stub = i, host_shapestub(i)
	}
	stub := c.stub
	if stub == 0 {
		throw("reflect: call of a function that was compiled without a stub for it")
	}
	ir_callstub(stub, fn, args)
}

// reflect_gcbits is for the tests of package reflect: which words of the object
// that the pointer x leads to the collector follows, one byte each, without the
// zeros at the end.
//
//go:linkname reflect_gcbits reflect.gcbits
func reflect_gcbits(x any) []byte {
	base, size := host_objectof(efaceOf(&x).data)
	var mask []byte
	for i := uintptr(0); i < size; i += 8 {
		if host_follows(unsafe.Add(base, i)) == 0 {
			continue
		}
		for uintptr(len(mask)) < i/8 {
			mask = append(mask, 0)
		}
		mask = append(mask, 1)
	}
	return mask
}

// Arguments and environment.

// envs and args are read from the host at first use; nil before.
var envs, args []string

// hostlist splits what host_args and host_environ give.
func hostlist(ask func(buf *byte, n int) int) []string {
	list := []string{}
	n := ask(nil, 0)
	if n <= 0 {
		return list
	}
	buf := make([]byte, n)
	if ask(&buf[0], n) != n {
		throw("the host's arguments or environment changed")
	}
	s := mkstring(unsafe.Pointer(&buf[0]), n) // nobody writes it again
	for s != "" {
		i := indexbyte(s, 0)
		if i < 0 {
			i = len(s)
		}
		list = append(list, s[:i])
		s = s[min(i+1, len(s)):]
	}
	return list
}

func environ() []string {
	if envs == nil {
		envs = hostlist(func(buf *byte, n int) int { return host_environ(buf, n) })
	}
	return envs
}

// gogetenv returns the value that a variable had when the program began.
func gogetenv(key string) string {
	for _, s := range environ() {
		if len(s) > len(key) && s[len(key)] == '=' && s[:len(key)] == key {
			return s[len(key)+1:]
		}
	}
	return ""
}

//go:linkname syscall_runtime_envs syscall.runtime_envs
func syscall_runtime_envs() []string { return append([]string{}, environ()...) }

//go:linkname os_runtime_args os.runtime_args
func os_runtime_args() []string {
	if args == nil {
		args = hostlist(func(buf *byte, n int) int { return host_args(buf, n) })
	}
	return append([]string{}, args...)
}

//go:linkname syscall_runtimeSetenv syscall.runtimeSetenv
func syscall_runtimeSetenv(key, value string) {
	if key == "GODEBUG" {
		godebug.env = value
		godebug.changed = true
		godebugNotify()
	}
}

//go:linkname syscall_runtimeUnsetenv syscall.runtimeUnsetenv
func syscall_runtimeUnsetenv(key string) {
	if key == "GODEBUG" {
		godebug.env = ""
		godebug.changed = true
		godebugNotify()
	}
}

//go:linkname syscall_runtimeClearenv syscall.runtimeClearenv
func syscall_runtimeClearenv(env map[string]int) {
	if _, ok := env["GODEBUG"]; ok {
		syscall_runtimeUnsetenv("GODEBUG")
	}
}

//go:linkname syscall_Exit syscall.Exit
func syscall_Exit(code int) { exit(int32(code)) }

//go:linkname syscall_Getpagesize syscall.Getpagesize
func syscall_Getpagesize() int { return 65536 }

//go:linkname os_beforeExit os.runtime_beforeExit
func os_beforeExit(code int) {}

//go:linkname os_sigpipe os.sigpipe
func os_sigpipe() {}

// Package internal/godebug.

// gyr_godebug holds the program's default settings (//go:debug lines), set by the
// compiler.
var gyr_godebug string

var godebug struct {
	env       string // GODEBUG
	known     bool
	changed   bool // by the program
	labels    int8 // tracebacklabels, if that is known: on (1), off (-1)
	update    func(def, env string)
	newNonDef func(name string) func()
}

// godebugSetting finds the last setting of a name in "name=value,name=value".
func godebugSetting(s, name string) (value string, ok bool) {
	for start := 0; start < len(s); {
		end := start
		for end < len(s) && s[end] != ',' {
			end++
		}
		if n := start + len(name); n < end && s[start:n] == name && s[n] == '=' {
			value, ok = s[n+1:end], true
		}
		start = end + 1
	}
	return value, ok
}

func godebugGet(name string) string {
	v, ok := godebugSetting(godebug.env, name)
	if !ok {
		v, _ = godebugSetting(gyr_godebug, name)
	}
	return v
}

// godebugApply applies the settings that are the runtime's own.
func godebugApply() {
	applyRemoved()
	nilpanics = godebugGet("panicnil") == "1"
	godebug.labels = 0
}

// godebugLabels is the setting tracebacklabels, which loses the default of the release when the program changes $GODEBUG, as in Go.
func godebugLabels() bool {
	if godebug.labels == 0 {
		if !godebug.known {
			godebug.known = true
			godebug.env = gogetenv("GODEBUG")
		}
		on := labelsByDefault && !godebug.changed
		for _, s := range [...]string{gyr_godebug, godebug.env} {
			if v, ok := godebugSetting(s, "tracebacklabels"); ok {
				if n, err := strconv.ParseInt(v, 10, 32); err == nil {
					on = n == 1
				}
			}
		}
		godebug.labels = -1
		if on {
			godebug.labels = 1
		}
	}
	return godebug.labels > 0
}

func init() {
	if gyr_godebug != "" {
		godebugApply()
	}
}

func godebugNotify() {
	godebug.known = true
	godebugApply()
	if godebug.update != nil {
		godebug.update(gyr_godebug, godebug.env)
	}
}

//go:linkname godebug_setUpdate internal/godebug.setUpdate
func godebug_setUpdate(update func(def, env string)) {
	godebug.update = update
	if !godebug.known {
		godebug.env = gogetenv("GODEBUG")
	}
	godebugNotify()
}

//go:linkname godebug_setNewIncNonDefault internal/godebug.setNewIncNonDefault
func godebug_setNewIncNonDefault(f func(name string) func()) { godebug.newNonDef = f }

// godebugMetrics are the counters of settings that had an effect, the latest first. There are as
// many as settings of GODEBUG that the program has and that changed something.
var godebugMetrics *godebugMetric

type godebugMetric struct {
	name string
	read func() uint64
	next *godebugMetric
}

//go:linkname godebug_registerMetric internal/godebug.registerMetric
func godebug_registerMetric(name string, read func() uint64) {
	godebugMetrics = &godebugMetric{name, read, godebugMetrics}
}

// Packages under crypto.

// fips is the service indicator of the goroutine that set it last: it is asked
// for by the goroutine that has just called a service.
var fips struct {
	gp        *g
	indicator uint8
	bypass    *g
}

//go:linkname fips_getIndicator crypto/internal/fips140.getIndicator
func fips_getIndicator() uint8 {
	if fips.gp != getg() {
		return 0
	}
	return fips.indicator
}

//go:linkname fips_setIndicator crypto/internal/fips140.setIndicator
func fips_setIndicator(indicator uint8) {
	fips.gp = getg()
	fips.indicator = indicator
}

//go:linkname fips140_setBypass crypto/fips140.setBypass
func fips140_setBypass() { fips.bypass = getg() }

//go:linkname fips140_unsetBypass crypto/fips140.unsetBypass
func fips140_unsetBypass() { fips.bypass = nil }

//go:linkname fips140_isBypassed crypto/fips140.isBypassed
func fips140_isBypassed() bool { return fips.bypass != nil && fips.bypass == getg() }

//go:linkname dit_setEnabled crypto/subtle.setDITEnabled
func dit_setEnabled() bool { return false }

//go:linkname dit_setDisabled crypto/subtle.setDITDisabled
func dit_setDisabled() {}

// Atomic operations on pointers, which the real runtime pushes because of its
// write barriers.

//go:linkname atomic_storePointer internal/runtime/atomic.storePointer
func atomic_storePointer(p *unsafe.Pointer, v unsafe.Pointer) { *p = v }

//go:linkname atomic_casPointer internal/runtime/atomic.casPointer
func atomic_casPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	if *p != old {
		return false
	}
	*p = new
	return true
}

//go:linkname sync_atomic_StoreUintptr sync/atomic.StoreUintptr
func sync_atomic_StoreUintptr(p *uintptr, v uintptr) { *p = v }

//go:linkname sync_atomic_StorePointer sync/atomic.StorePointer
func sync_atomic_StorePointer(p *unsafe.Pointer, v unsafe.Pointer) { *p = v }

//go:linkname sync_atomic_SwapUintptr sync/atomic.SwapUintptr
func sync_atomic_SwapUintptr(p *uintptr, v uintptr) uintptr {
	old := *p
	*p = v
	return old
}

//go:linkname sync_atomic_SwapPointer sync/atomic.SwapPointer
func sync_atomic_SwapPointer(p *unsafe.Pointer, v unsafe.Pointer) unsafe.Pointer {
	old := *p
	*p = v
	return old
}

//go:linkname sync_atomic_CompareAndSwapUintptr sync/atomic.CompareAndSwapUintptr
func sync_atomic_CompareAndSwapUintptr(p *uintptr, old, new uintptr) bool {
	if *p != old {
		return false
	}
	*p = new
	return true
}

//go:linkname sync_atomic_CompareAndSwapPointer sync/atomic.CompareAndSwapPointer
func sync_atomic_CompareAndSwapPointer(p *unsafe.Pointer, old, new unsafe.Pointer) bool {
	return atomic_casPointer(p, old, new)
}

// Package runtime/pprof: labels of goroutines.

//go:linkname pprof_setProfLabel runtime/pprof.runtime_setProfLabel
func pprof_setProfLabel(labels unsafe.Pointer) { getg().labels = labels }

//go:linkname pprof_getProfLabel runtime/pprof.runtime_getProfLabel
func pprof_getProfLabel() unsafe.Pointer { return getg().labels }

// Package runtime/metrics.

// metrics_read stores the memory statistics (host_memstats), then the number of
// goroutines and of forced collections.
//
//go:linkname metrics_read runtime/metrics.runtime_read
func metrics_read(p *[18]uint64) {
	host_memstats((*[16]uint64)(unsafe.Pointer(p)))
	p[16] = uint64(NumGoroutine())
	p[17] = uint64(numForcedGC)
}

// metrics_godebug returns how often a setting of GODEBUG had an effect: 0 for one that had none.
//
//go:linkname metrics_godebug runtime/metrics.runtime_godebug
func metrics_godebug(name string) uint64 {
	for m := godebugMetrics; m != nil; m = m.next {
		if m.name == name {
			return m.read()
		}
	}
	return 0
}

// Programs are not built with -cover: there are no counters.
//
//go:linkname coverage_getCovCounterList internal/coverage/cfile.getCovCounterList
func coverage_getCovCounterList() []struct {
	Counters *uint32
	Len      uint64
} {
	return nil
}
