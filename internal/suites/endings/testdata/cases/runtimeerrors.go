package main

import (
	"errors"
	"fmt"
	"io"
	"reflect"
	"runtime"
	"strings"
	"unsafe"
)

// Errors that the language raises.

var (
	zero  = 0
	one   = 1
	minus = -1
	big   = 1 << 40
	ubig  = uint64(1) << 63
	nums  = []int{1, 2, 3}
	text  = "text"
	arr   [4]int
	nilp  *pair
	nilf  func()
	nilm  map[string]int
	nilc  chan int
	any1  any = 1
	anyn  any
	anyp  any = pair{}
	read  io.Reader
	deep  *[1 << 20]int
)

func caseIndex()            { println(nums[3*one]) }
func caseIndexNegative()    { println(nums[minus]) }
func caseIndexBig()         { println(nums[big]) }
func caseIndexUnsigned()    { println(nums[ubig]) }
func caseIndexUint8()       { println(nums[uint8(zero+200)]) }
func caseIndexInt8()        { println(nums[int8(zero-100)]) }
func caseIndexArray()       { println(arr[4*one]) }
func caseIndexString()      { println(text[4*one]) }
func caseIndexStore()       { nums[5*one] = 1 }
func caseIndexEmpty()       { println([]int{}[zero]) }
func caseSliceHigh()        { println(len(nums[:4*one])) }
func caseSliceLow()         { println(len(nums[4*one:])) }
func caseSliceCrossed()     { println(len(nums[2*one : one])) }
func caseSliceNegative()    { println(len(nums[minus:])) }
func caseSliceNegativeTo()  { println(len(nums[:minus])) }
func caseSliceBig()         { println(len(nums[:ubig])) }
func caseSliceString()      { println(len(text[:5*one])) }
func caseSliceStringLow()   { println(len(text[5*one:])) }
func caseSliceStringCross() { println(len(text[3*one : 2*one])) }
func caseSliceArray()       { println(len(arr[:5*one])) }
func caseSlice3Max()        { println(len(nums[0 : 1 : 4*one])) }
func caseSlice3Array()      { println(len(arr[0 : 1 : 5*one])) }
func caseSlice3High()       { println(len(nums[0 : 3*one : 2*one])) }
func caseSlice3Low()        { println(len(nums[2*one : one : 3])) }
func caseSlice3NegMax()     { println(len(nums[0:1:minus])) }
func caseSlice3NegHigh()    { println(len(nums[0:minus:3])) }
func caseSlice3NegLow()     { println(len(nums[minus:1:3])) }
func caseConvertArray()     { println([4]int(nums)[0]) }
func caseConvertPointer()   { println((*[4]int)(nums)[0]) }
func caseDivide()           { println(1 / zero) }
func caseModulo()           { println(one % zero) }
func caseDivideUint8()      { println(uint8(1) / uint8(zero)) }
func caseShift()            { println(1 << minus) }
func caseShiftRight()       { println(one >> minus) }
func caseNilRead()          { println(nilp.b) }
func caseNilWrite()         { nilp.b = 1 }
func caseNilFar()           { println(deep[1000*one]) }
func caseNilFunc()          { nilf() }
func caseNilMethod()        { println(read.Read(nil)) }
func caseNilMethodValue()   { f := read.Read; println(f == nil) }
func caseNilMapWrite()      { nilm["x"] = 1 }
func caseNilMapIncrement()  { nilm["x"]++ }
func caseNilArrayRange() {
	for i, v := range deep {
		println(i, v)
	}
}
func caseNilString()         { println(*(*string)(unsafe.Pointer(nilp))) }
func caseNilCopy()           { p := *nilp; println(p.a) }
func caseNilEmbedded()       { var o *struct{ *pair }; println(o.a) }
func caseNilValueMethod()    { var e error = (*plain)(nil); println(indirect(e).Error()) }
func caseNilFuncDefer()      { defer nilf(); println("body") }
func caseNilMethodDefer()    { defer read.Read(nil); println("body") }
func caseNilFuncDeferPanic() { defer nilf(); panic("body") }
func caseNilGo()             { go nilf(); select {} }
func caseNilGoOthers() {
	go worker(nilc)
	settle()
	go nilf()
}
func caseNilGoMethod()    { var r interface{ failValue() }; go r.failValue() }
func caseNilGoArgs()      { var f func(int); go f(one); select {} }
func caseNilGoPanicking() { defer func() { go nilf() }(); panic("before") }

func indirect(e error) error { return e }

func caseAssertConcrete()   { println(any1.(string)) }
func caseAssertNil()        { println(anyn.(string)) }
func caseAssertInterface()  { println(any1.(error).Error()) }
func caseAssertNilToInter() { println(anyn.(error).Error()) }
func caseAssertMissing()    { println(anyp.(io.ReadWriter)) }
func caseAssertPointer()    { println(anyp.(*pair)) }
func caseAssertReader()     { println(read.(*strings.Reader)) }
func caseAssertLocal() {
	type pair struct{ a, b int }
	println(anyp.(pair).a)
}
func caseAssertGeneric() { println(anyp.(generic[pair]).v.a) }
func caseAssertPointerRecv() {
	var x any = pointer{}
	println(x.(error).Error())
}
func caseCompareSlices() { var a, b any = nums, nums; println(a == b) }
func caseCompareMaps()   { var a, b any = map[int]int{}, map[int]int{}; println(a == b) }
func caseCompareFuncs()  { var a, b any = func() {}, func() {}; println(a == b) }
func caseCompareStruct() {
	type s struct{ f []int }
	var a, b any = s{}, s{}
	println(a == b)
}
func caseCompareArray() { var a, b any = [1][]int{}, [1][]int{}; println(a == b) }
func caseHashSlice()    { m := map[any]int{}; m[nums] = 1 }
func caseHashStruct() {
	m := map[any]int{}
	println(m[struct{ f func() }{}])
}
func caseHashDelete()      { m := map[any]int{1: 1}; delete(m, any(nums)) }
func caseHashNilMap()      { var m map[any]int; println(m[any(nums)]) }
func caseMakeSlice()       { println(len(make([]int, minus))) }
func caseMakeSliceBig()    { println(len(make([]int, big<<20))) }
func caseMakeSliceCap()    { println(len(make([]int, 1, zero))) }
func caseMakeSliceCapBig() { println(len(make([]int, 1, big<<20))) }
func caseMakeChan()        { println(make(chan int, minus)) }
func caseMakeChanBig()     { println(make(chan int, big<<20)) }
func caseMakeMap()         { println(len(make(map[int]int, minus))) }
func caseUnsafeSlice()     { x := 1; println(len(unsafe.Slice(&x, minus))) }
func caseUnsafeSliceNil()  { var p *int; println(len(unsafe.Slice(p, one))) }
func caseUnsafeSliceBig()  { x := 1; println(len(unsafe.Slice(&x, ubig))) }
func caseUnsafeString()    { x := byte(1); println(len(unsafe.String(&x, minus))) }
func caseUnsafeStringNil() { var p *byte; println(len(unsafe.String(p, one))) }
func caseClearNil()        { clear(nilm); println("cleared"); panic("end") }
func caseRepeat()          { println(len(strings.Repeat("x", minus))) }
func caseGrow()            { var b strings.Builder; b.Grow(minus) }
func caseBuilderCopy() {
	var a strings.Builder
	a.WriteString("x")
	b := a
	b.WriteString("y")
}

func caseReflectSet()     { reflect.ValueOf(1).SetInt(2) }
func caseReflectIndex()   { reflect.ValueOf(nums).Index(5) }
func caseReflectZero()    { reflect.Value{}.Int() }
func caseReflectKind()    { reflect.ValueOf("x").Int() }
func caseReflectCall()    { reflect.ValueOf(caseReflectCall).Call([]reflect.Value{reflect.ValueOf(1)}) }
func caseReflectCallArg() { reflect.ValueOf(func(int) {}).Call([]reflect.Value{reflect.ValueOf("x")}) }
func caseReflectNilCall() { reflect.ValueOf(nilf).Call(nil) }
func caseReflectField()   { reflect.ValueOf(struct{ a int }{}).Field(0).Interface() }
func caseReflectPanics()  { reflect.ValueOf(func() { panic("through reflect") }).Call(nil) }
func caseReflectMakeFunc() {
	f := reflect.MakeFunc(reflect.TypeFor[func() int](), func([]reflect.Value) []reflect.Value { return nil })
	f.Call(nil)
}
func caseReflectSelect() { reflect.Select([]reflect.SelectCase{{Dir: reflect.SelectSend}}) }
func caseReflectChanDir() {
	var c <-chan int = make(chan int)
	reflect.ValueOf(c).Send(reflect.ValueOf(1))
}
func caseReflectMapKey()  { reflect.MapOf(reflect.TypeFor[[]int](), reflect.TypeFor[int]()) }
func caseReflectConvert() { reflect.ValueOf(nums).Convert(reflect.TypeFor[[5]int]()) }

// All texts, without the ends of programs.
func caseTexts() {
	caught("index", caseIndex)
	caught("divide", caseDivide)
	caught("shift", caseShift)
	caught("nil", caseNilRead)
	caught("nilmap", caseNilMapWrite)
	caught("assert", caseAssertConcrete)
	caught("compare", caseCompareSlices)
	caught("hash", caseHashSlice)
	caught("makeslice", caseMakeSlice)
	caught("makechan", caseMakeChan)
	caught("panicnil", caseValueNil)
	defer func() {
		e := recover().(runtime.Error)
		fmt.Printf("%T %v\n", e, errors.Is(e, e))
		panic(e)
	}()
	caseSlice3Low()
}

func caseErrorTypes() {
	for _, f := range []func(){caseIndex, caseDivide, caseNilRead, caseNilMapWrite, caseAssertConcrete, caseCompareSlices, caseMakeChan, caseValueNil, caseNilValueMethod} {
		func() {
			defer func() {
				r := recover()
				_, addr := r.(interface{ Addr() uintptr })
				fmt.Printf("%T %v %v\n", r, r, addr)
			}()
			f()
		}()
	}
	panic("end")
}

func caseDeepRecursion() { recurse(300) }

func recurse(n int) {
	if n == 0 {
		panic("at the bottom")
	}
	recurse(n - 1)
}

func caseMutual() { even(151) }

func even(n int) {
	if n < 0 {
		panic("mutual")
	}
	odd(n - 1)
}

func odd(n int) { even(n - 1) }
