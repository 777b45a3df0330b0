package main

import (
	"errors"
	"fmt"
	"os"
	"runtime"
	"syscall"
	"unsafe"
)

// Values of panics.

type (
	namedBool      bool
	namedInt       int
	namedInt8      int8
	namedInt16     int16
	namedInt32     int32
	namedInt64     int64
	namedUint      uint
	namedUint8     uint8
	namedUint16    uint16
	namedUint32    uint32
	namedUint64    uint64
	namedUintptr   uintptr
	namedFloat32   float32
	namedFloat64   float64
	namedComplex   complex128
	namedSmall     complex64
	namedString    string
	namedSlice     []int
	pair           struct{ a, b int }
	empty          struct{}
	generic[T any] struct{ v T }
)

type plain struct{ text string }

func (p plain) Error() string { return p.text }

type pointer struct{ text string }

func (p *pointer) Error() string { return p.text }

type spoken int

func (s spoken) String() string { return "spoken\nin two lines" }

type both int

func (both) Error() string  { return "as an error" }
func (both) String() string { return "as a Stringer" }

type wicked int

func (w wicked) Error() string {
	switch w {
	case 0:
		panic("within Error")
	case 1:
		panic(errors.New("an error within Error"))
	case 2:
		panic(w)
	case 3:
		panic(nil)
	case 4:
		runtime.Goexit()
	case 5:
		panic(spoken(1))
	case 6:
		var m map[int]int
		m[1] = 2
	case 7:
		panic(wicked(0))
	case 8:
		panic(42)
	case 9:
		defer func() { recover() }()
		panic("recovered within Error")
	case 10:
		os.Exit(7)
	case 11:
		select {}
	case 12:
		panic("with\nnewlines")
	case 13:
		println("prints something")
	case 14:
		panic(fmt.Errorf("wrapped: %w", plain{"x"}))
	case 15:
		panic(namedString("a named string"))
	}
	return "wicked"
}

func caseValueBool()       { panic(true) }
func caseValueInt()        { panic(-5) }
func caseValueInt8()       { panic(int8(-5)) }
func caseValueInt16()      { panic(int16(-5)) }
func caseValueInt32()      { panic('x') }
func caseValueInt64()      { panic(int64(-1 << 63)) }
func caseValueUint()       { panic(uint(5)) }
func caseValueUint8()      { panic(byte(200)) }
func caseValueUint16()     { panic(uint16(65535)) }
func caseValueUint32()     { panic(uint32(1 << 31)) }
func caseValueUint64()     { panic(uint64(1 << 63)) }
func caseValueUintptr()    { panic(uintptr(77)) }
func caseValueFloat32()    { panic(float32(1.25)) }
func caseValueFloat64()    { panic(1e300) }
func caseValueComplex64()  { panic(complex64(1 + 2i)) }
func caseValueComplex128() { panic(1 - 2i) }
func caseValueString()     { panic("one line") }
func caseValueLines()      { panic("several\nlines\n\tand a tab\n") }
func caseValueEmpty()      { panic("") }
func caseValueBytes()      { panic("\x00\xff\x1b[31m") }

func caseValueNamedBool()    { panic(namedBool(true)) }
func caseValueNamedInt()     { panic(namedInt(3)) }
func caseValueNamedInt8()    { panic(namedInt8(3)) }
func caseValueNamedInt16()   { panic(namedInt16(3)) }
func caseValueNamedInt32()   { panic(namedInt32(3)) }
func caseValueNamedInt64()   { panic(namedInt64(3)) }
func caseValueNamedUint()    { panic(namedUint(3)) }
func caseValueNamedUint8()   { panic(namedUint8(3)) }
func caseValueNamedUint16()  { panic(namedUint16(3)) }
func caseValueNamedUint32()  { panic(namedUint32(3)) }
func caseValueNamedUint64()  { panic(namedUint64(3)) }
func caseValueNamedUintptr() { panic(namedUintptr(3)) }
func caseValueNamedFloat32() { panic(namedFloat32(3)) }
func caseValueNamedFloat64() { panic(namedFloat64(3)) }
func caseValueNamedComplex() { panic(namedComplex(3)) }
func caseValueNamedSmall()   { panic(namedSmall(3)) }
func caseValueNamedString()  { panic(namedString("a\nb")) }
func caseValueNamedSlice()   { panic(namedSlice{1}) }
func caseValueStruct()       { panic(pair{1, 2}) }
func caseValueEmptyStruct()  { panic(empty{}) }
func caseValuePointer()      { panic(&pair{1, 2}) }
func caseValueNilPointer()   { panic((*pair)(nil)) }
func caseValueFunc()         { panic(func() {}) }
func caseValueNilFunc()      { panic((func())(nil)) }
func caseValueChan()         { panic(make(chan int)) }
func caseValueMap()          { panic(map[string]int{}) }
func caseValueArray()        { panic([2]string{"a", "b"}) }
func caseValueGeneric()      { panic(generic[pair]{}) }
func caseValueGenericIn()    { panic(generic[generic[int]]{}) }
func caseValueAnonymous() {
	panic(struct {
		A int `x:"y"`
		b string
	}{1, "x"})
}
func caseValueUnsafe() { x := 1; panic(unsafe.Pointer(&x)) }
func caseValueNil()    { panic(nil) }
func caseValueNilAny() { var x any; panic(x) }
func caseValueNilErr() { var err error; panic(err) }

//endings:env GODEBUG=panicnil=1
func caseValueNilAllowed() { panic(nil) }

//endings:env GODEBUG=panicnil=1
func caseValueNilAllowedRecovered() {
	defer func() { println("recovered", recover() == nil); panic("after") }()
	panic(nil)
}

func caseValueError()        { panic(errors.New("a plain error")) }
func caseValueErrorf()       { panic(fmt.Errorf("wrapped %w\nand more", errors.New("inside"))) }
func caseValueErrorValue()   { panic(plain{"of a value"}) }
func caseValueErrorPointer() { panic(&pointer{"of a pointer"}) }
func caseValueErrorNil()     { panic((*pointer)(nil)) }
func caseValueErrorNilVal()  { panic((*plain)(nil)) }
func caseValueStringer()     { panic(spoken(1)) }
func caseValueBoth()         { panic(both(1)) }
func caseValueErrno()        { panic(syscall.ENOENT) }
func caseValuePathError()    { _, err := os.Open("/does/not/exist"); panic(err) }
func caseValueJoined()       { panic(errors.Join(errors.New("a"), errors.New("b"))) }

func caseWicked0()  { panic(wicked(0)) }
func caseWicked1()  { panic(wicked(1)) }
func caseWicked2()  { panic(wicked(3)) }
func caseWicked4()  { panic(wicked(4)) }
func caseWicked5()  { panic(wicked(5)) }
func caseWicked6()  { panic(wicked(6)) }
func caseWicked7()  { panic(wicked(7)) }
func caseWicked8()  { panic(wicked(8)) }
func caseWicked9()  { panic(wicked(9)) }
func caseWicked10() { panic(wicked(10)) }
func caseWicked11() { panic(wicked(11)) }
func caseWicked12() { panic(wicked(12)) }
func caseWicked13() { panic(wicked(13)) }
func caseWicked14() { panic(wicked(14)) }
func caseWicked15() { panic(wicked(15)) }
func caseWickedGoroutine() {
	go panic(wicked(0))
	select {}
}
func caseWickedNested() {
	defer panic(wicked(12))
	panic(wicked(13))
}

func caseWickedGoexit() {
	go func() {
		defer println("deferred")
		panic(wicked(4))
	}()
	settle()
	println("main goes on")
}
