package main

import (
	"reflect"
	"unsafe"
)

// Generated from the list of linknames: go test ./internal/suites/hostile -run TestLinknameCalls -linknames.update

//go:linkname f0 runtime.getAuxv
func f0() []uintptr

//go:linkname f1 runtime.nanotime
func f1() int64

//go:linkname f2 runtime.nanotime1
func f2() int64

//go:linkname f3 runtime.cputicks
func f3() int64

//go:linkname f4 runtime.walltime
func f4() (sec int64, nsec int32)

//go:linkname f5 time.now
func f5() (sec int64, nsec int32, mono int64)

//go:linkname f6 time.runtimeNano
func f6() int64

//go:linkname f7 time.runtimeNow
func f7() (sec int64, nsec int32, mono int64)

//go:linkname f8 runtime.rand
func f8() uint64

//go:linkname f9 runtime.rand32
func f9() uint32

//go:linkname f10 runtime.cheaprand
func f10() uint32

//go:linkname f11 runtime.cheaprand64
func f11() int64

//go:linkname f12 runtime.cheaprandn
func f12(n uint32) uint32

//go:linkname f13 runtime.fastrand
func f13() uint32

//go:linkname f14 runtime.fastrandn
func f14(n uint32) uint32

//go:linkname f15 runtime.fastrand64
func f15() uint64

//go:linkname f16 runtime.fastrandu
func f16() uint

//go:linkname f17 runtime.memmove
func f17(to, from unsafe.Pointer, n uintptr)

//go:linkname f18 reflect.memmove
func f18(to, from unsafe.Pointer, n uintptr)

//go:linkname f19 runtime.memclrNoHeapPointers
func f19(p unsafe.Pointer, n uintptr)

//go:linkname f20 runtime.memclrHasPointers
func f20(p unsafe.Pointer, n uintptr)

//go:linkname f21 reflect.memclrNoHeapPointers
func f21(p unsafe.Pointer, n uintptr)

//go:linkname f22 runtime.memequal
func f22(p, q unsafe.Pointer, n uintptr) bool

//go:linkname f23 runtime.memhash
func f23(p unsafe.Pointer, h, n uintptr) uintptr

//go:linkname f24 runtime.memhash32
func f24(p unsafe.Pointer, h uintptr) uintptr

//go:linkname f25 runtime.memhash64
func f25(p unsafe.Pointer, h uintptr) uintptr

//go:linkname f26 runtime.strhash
func f26(p unsafe.Pointer, h uintptr) uintptr

//go:linkname f27 runtime.stringHash
func f27(s string, h uintptr) uintptr

//go:linkname f28 runtime.nilinterhash
func f28(p unsafe.Pointer, h uintptr) uintptr

//go:linkname f29 runtime.typehash
func f29(t, p unsafe.Pointer, h uintptr) uintptr

//go:linkname f30 runtime.noescape
func f30(p unsafe.Pointer) unsafe.Pointer

//go:linkname f31 runtime.add
func f31(p unsafe.Pointer, x uintptr) unsafe.Pointer

//go:linkname f32 runtime.mallocgc
func f32(size uintptr, t unsafe.Pointer, zero bool) unsafe.Pointer

//go:linkname f33 runtime.newobject
func f33(t unsafe.Pointer) unsafe.Pointer

//go:linkname f34 runtime.newarray
func f34(t unsafe.Pointer, n int) unsafe.Pointer

//go:linkname f35 runtime.makeslice
func f35(t unsafe.Pointer, n, c int) unsafe.Pointer

//go:linkname f36 runtime.growslice
func f36(old unsafe.Pointer, newLen, oldCap, num int, t unsafe.Pointer) (unsafe.Pointer, int, int)

//go:linkname f37 runtime.typedmemmove
func f37(t, dst, src unsafe.Pointer)

//go:linkname f38 runtime.typedslicecopy
func f38(t, dst unsafe.Pointer, dstLen int, src unsafe.Pointer, srcLen int) int

//go:linkname f39 reflect.unsafe_New
func f39(t unsafe.Pointer) unsafe.Pointer

//go:linkname f40 reflect.unsafe_NewArray
func f40(t unsafe.Pointer, n int) unsafe.Pointer

//go:linkname f41 reflect.typedmemmove
func f41(t, dst, src unsafe.Pointer)

//go:linkname f42 reflect.typedmemclr
func f42(t, p unsafe.Pointer)

//go:linkname f43 reflect.typedslicecopy
func f43(t unsafe.Pointer, dst, src []byte) int

//go:linkname f44 reflect.growslice
func f44(t unsafe.Pointer, old []byte, num int) []byte

//go:linkname f45 runtime.makemap
func f45(t unsafe.Pointer, hint int, m unsafe.Pointer) unsafe.Pointer

//go:linkname f46 runtime.makemap_small
func f46() unsafe.Pointer

//go:linkname f47 runtime.mapaccess1
func f47(t, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname f48 runtime.mapaccess2
func f48(t, m, key unsafe.Pointer) (unsafe.Pointer, bool)

//go:linkname f49 runtime.mapassign
func f49(t, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname f50 runtime.mapassign_fast32
func f50(t, m unsafe.Pointer, key uint32) unsafe.Pointer

//go:linkname f51 runtime.mapassign_fast32ptr
func f51(t, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname f52 runtime.mapassign_fast64
func f52(t, m unsafe.Pointer, key uint64) unsafe.Pointer

//go:linkname f53 runtime.mapassign_fast64ptr
func f53(t, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname f54 runtime.mapassign_faststr
func f54(t, m unsafe.Pointer, key string) unsafe.Pointer

//go:linkname f55 runtime.mapaccess2_fast32
func f55(t, m unsafe.Pointer, key uint32) (unsafe.Pointer, bool)

//go:linkname f56 runtime.mapaccess2_fast64
func f56(t, m unsafe.Pointer, key uint64) (unsafe.Pointer, bool)

//go:linkname f57 runtime.mapaccess2_faststr
func f57(t, m unsafe.Pointer, key string) (unsafe.Pointer, bool)

//go:linkname f58 runtime.mapdelete
func f58(t, m, key unsafe.Pointer)

//go:linkname f59 runtime.mapdelete_fast32
func f59(t, m unsafe.Pointer, key uint32)

//go:linkname f60 runtime.mapdelete_fast64
func f60(t, m unsafe.Pointer, key uint64)

//go:linkname f61 runtime.mapdelete_faststr
func f61(t, m unsafe.Pointer, key string)

//go:linkname f62 runtime.mapiterinit
func f62(t, m, it unsafe.Pointer)

//go:linkname f63 runtime.mapiternext
func f63(it unsafe.Pointer)

//go:linkname f64 runtime.mapiternext
func f64(it unsafe.Pointer) unsafe.Pointer

//go:linkname f65 reflect.makemap
func f65(t unsafe.Pointer, hint int) unsafe.Pointer

//go:linkname f66 reflect.mapaccess
func f66(t, m, key unsafe.Pointer) unsafe.Pointer

//go:linkname f67 reflect.mapaccess_faststr
func f67(t, m unsafe.Pointer, key string) unsafe.Pointer

//go:linkname f68 reflect.mapassign
func f68(t, m, key, elem unsafe.Pointer)

//go:linkname f69 reflect.mapassign0
func f69(t, m, key, elem unsafe.Pointer)

//go:linkname f70 reflect.mapassign_faststr
func f70(t, m unsafe.Pointer, key string, elem unsafe.Pointer)

//go:linkname f71 reflect.mapassign_faststr0
func f71(t, m unsafe.Pointer, key string, elem unsafe.Pointer)

//go:linkname f72 reflect.mapdelete
func f72(t, m, key unsafe.Pointer)

//go:linkname f73 reflect.mapdelete_faststr
func f73(t, m unsafe.Pointer, key string)

//go:linkname f74 reflect.mapclear
func f74(t, m unsafe.Pointer)

//go:linkname f75 reflect.mapiterinit
func f75(t, m, it unsafe.Pointer)

//go:linkname f76 reflect.mapiterinit
func f76(t, m unsafe.Pointer) unsafe.Pointer

//go:linkname f77 reflect.mapiternext
func f77(it unsafe.Pointer)

//go:linkname f78 reflect.mapiterkey
func f78(it unsafe.Pointer) unsafe.Pointer

//go:linkname f79 reflect.mapiterelem
func f79(it unsafe.Pointer) unsafe.Pointer

//go:linkname f80 reflect.maplen
func f80(m unsafe.Pointer) int

//go:linkname f81 runtime.convT64
func f81(x uint64) unsafe.Pointer

//go:linkname f82 runtime.convTstring
func f82(s string) unsafe.Pointer

//go:linkname f83 runtime.convTslice
func f83(s []byte) unsafe.Pointer

//go:linkname f84 runtime.getitab
func f84(inter, t unsafe.Pointer, canfail bool) unsafe.Pointer

//go:linkname f85 reflect.ifaceE2I
func f85(inter unsafe.Pointer, e any, dst unsafe.Pointer)

//go:linkname f86 reflect.typelinks
func f86() ([]unsafe.Pointer, [][]int32)

//go:linkname f87 reflect.resolveNameOff
func f87(base unsafe.Pointer, off int32) unsafe.Pointer

//go:linkname f88 reflect.resolveTypeOff
func f88(t unsafe.Pointer, off int32) unsafe.Pointer

//go:linkname f89 reflect.rtypeOff
func f89(section unsafe.Pointer, off int32) unsafe.Pointer

//go:linkname f90 runtime.procPin
func f90() int

//go:linkname f91 runtime.procUnpin
func f91()

//go:linkname f92 sync.runtime_procPin
func f92() int

//go:linkname f93 sync.runtime_procUnpin
func f93()

//go:linkname f94 runtime.procyield
func f94(cycles uint32)

//go:linkname f95 runtime.osyield
func f95()

//go:linkname f96 runtime.goyield
func f96()

//go:linkname f97 runtime.entersyscall
func f97()

//go:linkname f98 runtime.exitsyscall
func f98()

//go:linkname f99 sync.runtime_canSpin
func f99(i int) bool

//go:linkname f100 sync.runtime_doSpin
func f100()

//go:linkname f101 sync.runtime_Semacquire
func f101(addr *uint32)

//go:linkname f102 sync.runtime_Semrelease
func f102(addr *uint32, handoff bool, skipframes int)

//go:linkname f103 runtime.throw
func f103(s string)

//go:linkname f104 reflect.(*rtype).Align
func f104(t unsafe.Pointer) int

//go:linkname f105 reflect.(*rtype).AssignableTo
func f105(t unsafe.Pointer, u reflect.Type) bool

//go:linkname f106 reflect.(*rtype).Bits
func f106(t unsafe.Pointer) int

//go:linkname f107 reflect.(*rtype).ChanDir
func f107(t unsafe.Pointer) reflect.ChanDir

//go:linkname f108 reflect.(*rtype).Comparable
func f108(t unsafe.Pointer) bool

//go:linkname f109 reflect.(*rtype).ConvertibleTo
func f109(t unsafe.Pointer, u reflect.Type) bool

//go:linkname f110 reflect.(*rtype).Elem
func f110(t unsafe.Pointer) reflect.Type

//go:linkname f111 reflect.(*rtype).Field
func f111(t unsafe.Pointer, i int) reflect.StructField

//go:linkname f112 reflect.(*rtype).FieldAlign
func f112(t unsafe.Pointer) int

//go:linkname f113 reflect.(*rtype).FieldByIndex
func f113(t unsafe.Pointer, index []int) reflect.StructField

//go:linkname f114 reflect.(*rtype).FieldByName
func f114(t unsafe.Pointer, name string) (reflect.StructField, bool)

//go:linkname f115 reflect.(*rtype).FieldByNameFunc
func f115(t unsafe.Pointer, match func(string) bool) (reflect.StructField, bool)

//go:linkname f116 reflect.(*rtype).Implements
func f116(t unsafe.Pointer, u reflect.Type) bool

//go:linkname f117 reflect.(*rtype).In
func f117(t unsafe.Pointer, i int) reflect.Type

//go:linkname f118 reflect.(*rtype).IsVariadic
func f118(t unsafe.Pointer) bool

//go:linkname f119 reflect.(*rtype).Key
func f119(t unsafe.Pointer) reflect.Type

//go:linkname f120 reflect.(*rtype).Kind
func f120(t unsafe.Pointer) reflect.Kind

//go:linkname f121 reflect.(*rtype).Len
func f121(t unsafe.Pointer) int

//go:linkname f122 reflect.(*rtype).Method
func f122(t unsafe.Pointer, i int) reflect.Method

//go:linkname f123 reflect.(*rtype).MethodByName
func f123(t unsafe.Pointer, name string) (reflect.Method, bool)

//go:linkname f124 reflect.(*rtype).Name
func f124(t unsafe.Pointer) string

//go:linkname f125 reflect.(*rtype).NumField
func f125(t unsafe.Pointer) int

//go:linkname f126 reflect.(*rtype).NumIn
func f126(t unsafe.Pointer) int

//go:linkname f127 reflect.(*rtype).NumMethod
func f127(t unsafe.Pointer) int

//go:linkname f128 reflect.(*rtype).NumOut
func f128(t unsafe.Pointer) int

//go:linkname f129 reflect.(*rtype).Out
func f129(t unsafe.Pointer, i int) reflect.Type

//go:linkname f130 reflect.(*rtype).PkgPath
func f130(t unsafe.Pointer) string

//go:linkname f131 reflect.(*rtype).Size
func f131(t unsafe.Pointer) uintptr

//go:linkname f132 reflect.(*rtype).String
func f132(t unsafe.Pointer) string

//go:linkname f133 reflect.(*rtype).ptrTo
func f133(t unsafe.Pointer) unsafe.Pointer

//go:linkname f134 reflect.toType
func f134(t unsafe.Pointer) reflect.Type

//go:linkname f135 reflect.ifaceIndir
func f135(t unsafe.Pointer) bool

//go:linkname f136 math/big.addVV
func f136(z, x, y []uint) uint

//go:linkname f137 math/big.subVV
func f137(z, x, y []uint) uint

//go:linkname f138 math/big.addVW
func f138(z, x []uint, y uint) uint

//go:linkname f139 math/big.subVW
func f139(z, x []uint, y uint) uint

//go:linkname f140 math/big.shlVU
func f140(z, x []uint, s uint) uint

//go:linkname f141 math/big.mulAddVWW
func f141(z, x []uint, m, a uint) uint

//go:linkname f142 math/big.addMulVVW
func f142(z, x []uint, y uint) uint

//go:linkname v143 runtime.zeroVal
var v143 [1024]byte

//go:linkname v144 crypto/tls.cipherSuitesTLS13
var v144 []unsafe.Pointer

//go:linkname v145 crypto/tls.defaultCipherSuitesTLS13
var v145 []uint16

//go:linkname v146 crypto/tls.defaultCipherSuitesTLS13NoAES
var v146 []uint16

var calls map[string]func()

func init() {
	calls = map[string]func(){
		"runtime.getAuxv":                  func() { r0 := f0(); keep(r0) },
		"runtime.nanotime":                 func() { r0 := f1(); keep(r0) },
		"runtime.nanotime1":                func() { r0 := f2(); keep(r0) },
		"runtime.cputicks":                 func() { r0 := f3(); keep(r0) },
		"runtime.walltime":                 func() { r0, r1 := f4(); keep(r0, r1) },
		"time.now":                         func() { r0, r1, r2 := f5(); keep(r0, r1, r2) },
		"time.runtimeNano":                 func() { r0 := f6(); keep(r0) },
		"time.runtimeNow":                  func() { r0, r1, r2 := f7(); keep(r0, r1, r2) },
		"runtime.rand":                     func() { r0 := f8(); keep(r0) },
		"runtime.rand32":                   func() { r0 := f9(); keep(r0) },
		"runtime.cheaprand":                func() { r0 := f10(); keep(r0) },
		"runtime.cheaprand64":              func() { r0 := f11(); keep(r0) },
		"runtime.cheaprandn":               func() { r0 := f12(uint32(n())); keep(r0) },
		"runtime.fastrand":                 func() { r0 := f13(); keep(r0) },
		"runtime.fastrandn":                func() { r0 := f14(uint32(n())); keep(r0) },
		"runtime.fastrand64":               func() { r0 := f15(); keep(r0) },
		"runtime.fastrandu":                func() { r0 := f16(); keep(r0) },
		"runtime.memmove":                  func() { f17(p(), p(), uintptr(n())) },
		"reflect.memmove":                  func() { f18(p(), p(), uintptr(n())) },
		"runtime.memclrNoHeapPointers":     func() { f19(p(), uintptr(n())) },
		"runtime.memclrHasPointers":        func() { f20(p(), uintptr(n())) },
		"reflect.memclrNoHeapPointers":     func() { f21(p(), uintptr(n())) },
		"runtime.memequal":                 func() { r0 := f22(p(), p(), uintptr(n())); keep(r0) },
		"runtime.memhash":                  func() { r0 := f23(p(), uintptr(n()), uintptr(n())); keep(r0) },
		"runtime.memhash32":                func() { r0 := f24(p(), uintptr(n())); keep(r0) },
		"runtime.memhash64":                func() { r0 := f25(p(), uintptr(n())); keep(r0) },
		"runtime.strhash":                  func() { r0 := f26(p(), uintptr(n())); keep(r0) },
		"runtime.stringHash":               func() { r0 := f27(text(), uintptr(n())); keep(r0) },
		"runtime.nilinterhash":             func() { r0 := f28(p(), uintptr(n())); keep(r0) },
		"runtime.typehash":                 func() { r0 := f29(typ(), p(), uintptr(n())); keep(r0) },
		"runtime.noescape":                 func() { r0 := f30(p()); keep(r0) },
		"runtime.add":                      func() { r0 := f31(p(), uintptr(n())); keep(r0) },
		"runtime.mallocgc":                 func() { r0 := f32(uintptr(n()), typ(), n()&1 != 0); keep(r0) },
		"runtime.newobject":                func() { r0 := f33(typ()); keep(r0) },
		"runtime.newarray":                 func() { r0 := f34(typ(), int(n())); keep(r0) },
		"runtime.makeslice":                func() { r0 := f35(typ(), int(n()), int(n())); keep(r0) },
		"runtime.growslice":                func() { r0, r1, r2 := f36(p(), int(n()), int(n()), int(n()), typ()); keep(r0, r1, r2) },
		"runtime.typedmemmove":             func() { f37(typ(), p(), p()) },
		"runtime.typedslicecopy":           func() { r0 := f38(typ(), p(), int(n()), p(), int(n())); keep(r0) },
		"reflect.unsafe_New":               func() { r0 := f39(typ()); keep(r0) },
		"reflect.unsafe_NewArray":          func() { r0 := f40(typ(), int(n())); keep(r0) },
		"reflect.typedmemmove":             func() { f41(typ(), p(), p()) },
		"reflect.typedmemclr":              func() { f42(typ(), p()) },
		"reflect.typedslicecopy":           func() { r0 := f43(typ(), bytes(), bytes()); keep(r0) },
		"reflect.growslice":                func() { r0 := f44(typ(), bytes(), int(n())); keep(r0) },
		"runtime.makemap":                  func() { r0 := f45(mapType(""), int(n()), hmap("")); keep(r0) },
		"runtime.makemap_small":            func() { r0 := f46(); keep(r0) },
		"runtime.mapaccess1":               func() { r0 := f47(mapType(""), hmap(""), p()); keep(r0) },
		"runtime.mapaccess2":               func() { r0, r1 := f48(mapType(""), hmap(""), p()); keep(r0, r1) },
		"runtime.mapassign":                func() { r0 := f49(mapType(""), hmap(""), p()); keep(r0) },
		"runtime.mapassign_fast32":         func() { r0 := f50(mapType("32"), hmap("32"), uint32(n())); keep(r0) },
		"runtime.mapassign_fast32ptr":      func() { r0 := f51(mapType(""), hmap(""), p()); keep(r0) },
		"runtime.mapassign_fast64":         func() { r0 := f52(mapType("64"), hmap("64"), uint64(n())); keep(r0) },
		"runtime.mapassign_fast64ptr":      func() { r0 := f53(mapType("ptr"), hmap("ptr"), p()); keep(r0) },
		"runtime.mapassign_faststr":        func() { r0 := f54(mapType("str"), hmap("str"), text()); keep(r0) },
		"runtime.mapaccess2_fast32":        func() { r0, r1 := f55(mapType("32"), hmap("32"), uint32(n())); keep(r0, r1) },
		"runtime.mapaccess2_fast64":        func() { r0, r1 := f56(mapType("64"), hmap("64"), uint64(n())); keep(r0, r1) },
		"runtime.mapaccess2_faststr":       func() { r0, r1 := f57(mapType("str"), hmap("str"), text()); keep(r0, r1) },
		"runtime.mapdelete":                func() { f58(mapType(""), hmap(""), p()) },
		"runtime.mapdelete_fast32":         func() { f59(mapType("32"), hmap("32"), uint32(n())) },
		"runtime.mapdelete_fast64":         func() { f60(mapType("64"), hmap("64"), uint64(n())) },
		"runtime.mapdelete_faststr":        func() { f61(mapType("str"), hmap("str"), text()) },
		"runtime.mapiterinit":              func() { f62(mapType(""), hmap(""), iter()) },
		"runtime.mapiternext":              func() { f63(iter()) },
		"runtime.mapiternext/2":            func() { r0 := f64(iter()); keep(r0) },
		"reflect.makemap":                  func() { r0 := f65(mapType(""), int(n())); keep(r0) },
		"reflect.mapaccess":                func() { r0 := f66(mapType(""), hmap(""), p()); keep(r0) },
		"reflect.mapaccess_faststr":        func() { r0 := f67(mapType("str"), hmap("str"), text()); keep(r0) },
		"reflect.mapassign":                func() { f68(mapType(""), hmap(""), p(), p()) },
		"reflect.mapassign0":               func() { f69(mapType(""), hmap(""), p(), p()) },
		"reflect.mapassign_faststr":        func() { f70(mapType("str"), hmap("str"), text(), p()) },
		"reflect.mapassign_faststr0":       func() { f71(mapType("str"), hmap("str"), text(), p()) },
		"reflect.mapdelete":                func() { f72(mapType(""), hmap(""), p()) },
		"reflect.mapdelete_faststr":        func() { f73(mapType("str"), hmap("str"), text()) },
		"reflect.mapclear":                 func() { f74(mapType(""), hmap("")) },
		"reflect.mapiterinit":              func() { f75(mapType(""), hmap(""), iter()) },
		"reflect.mapiterinit/2":            func() { r0 := f76(mapType(""), hmap("")); keep(r0) },
		"reflect.mapiternext":              func() { f77(iter()) },
		"reflect.mapiterkey":               func() { r0 := f78(iter()); keep(r0) },
		"reflect.mapiterelem":              func() { r0 := f79(iter()); keep(r0) },
		"reflect.maplen":                   func() { r0 := f80(hmap("")); keep(r0) },
		"runtime.convT64":                  func() { r0 := f81(uint64(n())); keep(r0) },
		"runtime.convTstring":              func() { r0 := f82(text()); keep(r0) },
		"runtime.convTslice":               func() { r0 := f83(bytes()); keep(r0) },
		"runtime.getitab":                  func() { r0 := f84(inter(), typ(), n()&1 != 0); keep(r0) },
		"reflect.ifaceE2I":                 func() { f85(inter(), value(), p()) },
		"reflect.typelinks":                func() { r0, r1 := f86(); keep(r0, r1) },
		"reflect.resolveNameOff":           func() { r0 := f87(p(), int32(n())); keep(r0) },
		"reflect.resolveTypeOff":           func() { r0 := f88(typ(), int32(n())); keep(r0) },
		"reflect.rtypeOff":                 func() { r0 := f89(p(), int32(n())); keep(r0) },
		"runtime.procPin":                  func() { r0 := f90(); keep(r0) },
		"runtime.procUnpin":                func() { f91() },
		"sync.runtime_procPin":             func() { r0 := f92(); keep(r0) },
		"sync.runtime_procUnpin":           func() { f93() },
		"runtime.procyield":                func() { f94(uint32(n())) },
		"runtime.osyield":                  func() { f95() },
		"runtime.goyield":                  func() { f96() },
		"runtime.entersyscall":             func() { f97() },
		"runtime.exitsyscall":              func() { f98() },
		"sync.runtime_canSpin":             func() { r0 := f99(int(n())); keep(r0) },
		"sync.runtime_doSpin":              func() { f100() },
		"sync.runtime_Semacquire":          func() { f101(sema()) },
		"sync.runtime_Semrelease":          func() { f102(sema(), n()&1 != 0, int(n())) },
		"runtime.throw":                    func() { f103(text()) },
		"reflect.(*rtype).Align":           func() { r0 := f104(typ()); keep(r0) },
		"reflect.(*rtype).AssignableTo":    func() { r0 := f105(typ(), reflectType()); keep(r0) },
		"reflect.(*rtype).Bits":            func() { r0 := f106(typ()); keep(r0) },
		"reflect.(*rtype).ChanDir":         func() { r0 := f107(typ()); keep(r0) },
		"reflect.(*rtype).Comparable":      func() { r0 := f108(typ()); keep(r0) },
		"reflect.(*rtype).ConvertibleTo":   func() { r0 := f109(typ(), reflectType()); keep(r0) },
		"reflect.(*rtype).Elem":            func() { r0 := f110(typ()); keep(r0) },
		"reflect.(*rtype).Field":           func() { r0 := f111(typ(), int(n())); keep(r0) },
		"reflect.(*rtype).FieldAlign":      func() { r0 := f112(typ()); keep(r0) },
		"reflect.(*rtype).FieldByIndex":    func() { r0 := f113(typ(), []int{int(n()), int(n())}); keep(r0) },
		"reflect.(*rtype).FieldByName":     func() { r0, r1 := f114(typ(), text()); keep(r0, r1) },
		"reflect.(*rtype).FieldByNameFunc": func() { r0, r1 := f115(typ(), func(string) bool { return n()&1 != 0 }); keep(r0, r1) },
		"reflect.(*rtype).Implements":      func() { r0 := f116(typ(), reflectType()); keep(r0) },
		"reflect.(*rtype).In":              func() { r0 := f117(typ(), int(n())); keep(r0) },
		"reflect.(*rtype).IsVariadic":      func() { r0 := f118(typ()); keep(r0) },
		"reflect.(*rtype).Key":             func() { r0 := f119(typ()); keep(r0) },
		"reflect.(*rtype).Kind":            func() { r0 := f120(typ()); keep(r0) },
		"reflect.(*rtype).Len":             func() { r0 := f121(typ()); keep(r0) },
		"reflect.(*rtype).Method":          func() { r0 := f122(typ(), int(n())); keep(r0) },
		"reflect.(*rtype).MethodByName":    func() { r0, r1 := f123(typ(), text()); keep(r0, r1) },
		"reflect.(*rtype).Name":            func() { r0 := f124(typ()); keep(r0) },
		"reflect.(*rtype).NumField":        func() { r0 := f125(typ()); keep(r0) },
		"reflect.(*rtype).NumIn":           func() { r0 := f126(typ()); keep(r0) },
		"reflect.(*rtype).NumMethod":       func() { r0 := f127(typ()); keep(r0) },
		"reflect.(*rtype).NumOut":          func() { r0 := f128(typ()); keep(r0) },
		"reflect.(*rtype).Out":             func() { r0 := f129(typ(), int(n())); keep(r0) },
		"reflect.(*rtype).PkgPath":         func() { r0 := f130(typ()); keep(r0) },
		"reflect.(*rtype).Size":            func() { r0 := f131(typ()); keep(r0) },
		"reflect.(*rtype).String":          func() { r0 := f132(typ()); keep(r0) },
		"reflect.(*rtype).ptrTo":           func() { r0 := f133(typ()); keep(r0) },
		"reflect.toType":                   func() { r0 := f134(typ()); keep(r0) },
		"reflect.ifaceIndir":               func() { r0 := f135(typ()); keep(r0) },
		"math/big.addVV":                   func() { r0 := f136(uints(), uints(), uints()); keep(r0) },
		"math/big.subVV":                   func() { r0 := f137(uints(), uints(), uints()); keep(r0) },
		"math/big.addVW":                   func() { r0 := f138(uints(), uints(), uint(n())); keep(r0) },
		"math/big.subVW":                   func() { r0 := f139(uints(), uints(), uint(n())); keep(r0) },
		"math/big.shlVU":                   func() { r0 := f140(uints(), uints(), uint(n())); keep(r0) },
		"math/big.mulAddVWW":               func() { r0 := f141(uints(), uints(), uint(n()), uint(n())); keep(r0) },
		"math/big.addMulVVW":               func() { r0 := f142(uints(), uints(), uint(n())); keep(r0) },
	}
}
