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

func throw(s string) { panic("throw: " + s) }
func fatal(s string) { panic("fatal: " + s) }

var printed []byte

func printstring(s string) { printed = append(printed, s...) }

func typestring(t *_type) string {
	e := eface{_type: t}
	return reflect.TypeOf(*(*any)(unsafe.Pointer(&e))).String()
}

func typepkg(t *_type) string { return "" }
