package lang

import (
	"bytes"
	"hash/fnv"
	"reflect"
	"unsafe"

	"emulated/abi"
)

// What the files under test take from the engine and from the rest of the
// package.

type _type = abi.Type
type itab = abi.ITab
type interfacetype = abi.InterfaceType
type arraytype = abi.ArrayType
type structtype = abi.StructType

type eface struct {
	_type *_type
	data  unsafe.Pointer
}

type iface struct {
	tab  *itab
	data unsafe.Pointer
}

type slice struct {
	array unsafe.Pointer
	len   int
	cap   int
}

type stringStruct struct {
	str unsafe.Pointer
	len int
}

func efaceOf(p *any) *eface { return (*eface)(unsafe.Pointer(p)) }

func add(p unsafe.Pointer, x uintptr) unsafe.Pointer { return unsafe.Add(p, x) }

func noescape(p unsafe.Pointer) unsafe.Pointer { return p }

func mem(p unsafe.Pointer, n uintptr) []byte { return unsafe.Slice((*byte)(p), n) }

func ir_memmove(dst, src unsafe.Pointer, n uintptr)   { copy(mem(dst, n), mem(src, n)) }
func ir_memclr(p unsafe.Pointer, n uintptr)           { clear(mem(p, n)) }
func ir_memequal(p, q unsafe.Pointer, n uintptr) bool { return bytes.Equal(mem(p, n), mem(q, n)) }
func ir_newbytes(n uintptr) unsafe.Pointer {
	if n == 0 || n >= maxAlloc {
		panic("ir_newbytes")
	}
	return unsafe.Pointer(unsafe.SliceData(make([]byte, n)))
}

func ir_memhash(p unsafe.Pointer, seed, n uintptr) uintptr {
	h := fnv.New32a()
	h.Write(mem(unsafe.Pointer(&seed), 8))
	h.Write(mem(p, n))
	return uintptr(h.Sum32())
}

func host_malloc(size uintptr, typ unsafe.Pointer, count uintptr) unsafe.Pointer {
	if size < (*_type)(typ).Size_*count {
		panic("host_malloc")
	}
	return unsafe.Pointer(unsafe.SliceData(make([]uintptr, (size+7)/8)))
}

var rands uint64

func rand() uint64 {
	rands++
	return rands * 0x9e3779b97f4a7c15
}

const maxAlloc = 1 << 32

var zerobase uintptr

// Goroutines: there is one at a time, and nobody switches.

type g struct {
	id        uint64
	stk       uintptr
	status    int
	system    bool
	goexiting bool
	startpc   uintptr
	gopc      uintptr
	parentid  uint64
	labels    unsafe.Pointer
	text      string
	_panic    *_panic
	_defer    *_defer
	sigpc     uintptr
	locked    uint32
	bubble    *synctestBubble
}

var sched struct{ initialising bool }

const (
	gidle = iota
	grunnable
	grunning
	gwaiting
	gdead
)

const goidMain = 1

func (gp *g) statusText() string { return gp.text }

func (gp *g) bubbled() bool { return false }

type synctestBubble struct{ id uint64 }

type synctestDeadlockError struct{ bubble *synctestBubble }

func godebugLabels() bool { return true }

var curg *g
var allgs []*g

func getg() *g { return curg }

type goexited struct{}

func goexit0() { panic(goexited{}) }
func goexit()  {}

// Activations are numbered by depth. Only functions of the program under test
// (frame in panic_test.go) and those that call ir_frameid have one.
var frames []uintptr // the number of each on the stack; parents stand before

func ir_frameid() uintptr {
	id := uintptr(len(frames) + 1)
	frames = append(frames, id)
	return id
}

func host_parentframe(frame uintptr) uintptr { return frame - 1 }

type unwindTo struct{ frame uintptr }

func ir_unwind(frame uintptr) {
	frames = frames[:frame]
	panic(unwindTo{frame})
}

// inactivation runs rungoexit with a recovery block, to which somebody may unwind.
func inactivation(p *_panic, f func()) {
	outer := len(frames)
	defer func() {
		if e := recover(); e != nil {
			if e != any(unwindTo{p.frame}) {
				panic(e)
			}
			frames = frames[:outer]
		}
	}()
	f()
}

// Output.

var written []byte

func host_write(fd uintptr, p unsafe.Pointer, n int32) int32 {
	written = append(written, mem(p, uintptr(n))...)
	return n
}

type died struct{ msg string }

var dyingOf string

func host_dying(why string) { dyingOf = why }

func host_fatal() { panic(died{dyingOf}) }

func builtinprint(args ...any) {
	printlock()
	for _, a := range args {
		switch a := a.(type) {
		case string:
			printstring(a)
		case bool:
			printbool(a)
		case int:
			printint(int64(a))
		case float64:
			printfloat64(a)
		case unsafe.Pointer:
			printpointer(a)
		default:
			v := reflect.ValueOf(a)
			switch {
			case v.CanInt():
				printint(v.Int())
			case v.CanUint():
				printuint(v.Uint())
			case v.CanComplex():
				printcomplex(v.Complex())
			default:
				printfloat32(float32(v.Float()))
			}
		}
	}
	printunlock()
}

func gogetenv(key string) string { return env[key] }

var env = map[string]string{}

func typestring(t *_type) string {
	e := eface{_type: t}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&e))).String()
}

func typepkg(t *_type) string { return "" }
