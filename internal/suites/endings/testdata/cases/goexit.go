package main

import (
	"errors"
	"os"
	"runtime"
)

// Goexit, recover, and panics within panics.

func caseGoexitMain()     { runtime.Goexit() }
func caseGoexitDeferred() { defer println("deferred"); runtime.Goexit() }
func caseGoexitOthers() {
	go worker(nilc)
	runtime.Goexit()
}
func caseGoexitThenPanic() {
	go func() {
		panic("after main's Goexit")
	}()
	runtime.Goexit()
}
func caseGoexitPanics() {
	defer panic("in a deferred call of Goexit")
	runtime.Goexit()
}
func caseGoexitPanicRecovered() {
	defer func() { println("outer", recover() == nil) }()
	defer func() {
		defer func() { println("recovered", recover().(string)) }()
		panic("in a deferred call of Goexit")
	}()
	runtime.Goexit()
}
func caseGoexitRecoverBelow() {
	defer func() { println("recovered", recover() == nil) }()
	func() {
		defer panic("above Goexit")
		runtime.Goexit()
	}()
	println("not reached")
}
func caseGoexitRecoverBelowPanics() {
	defer func() {
		println("recovered", recover().(string))
		panic("once more")
	}()
	defer panic("above Goexit")
	runtime.Goexit()
}
func caseGoexitInPanic() {
	defer runtime.Goexit()
	panic("dropped by Goexit")
}
func caseGoexitInPanicGoroutine() {
	go func() {
		defer runtime.Goexit()
		panic("dropped by Goexit")
	}()
	settle()
	panic("main")
}
func caseGoexitInPanicPanics() {
	defer panic("second")
	defer runtime.Goexit()
	panic("first")
}
func caseGoexitTwice() {
	defer panic("at last")
	defer runtime.Goexit()
	runtime.Goexit()
}
func caseGoexitRecoverNil() {
	defer func() {
		println(recover() == nil)
		stacks()
		os.Exit(5)
	}()
	runtime.Goexit()
}
func caseGoexitFrames() {
	defer func() {
		defer func() { stacks(); os.Exit(5) }()
		defer func() { println(recover() != nil) }()
		panic("within")
	}()
	runtime.Goexit()
}
func caseGoexitRecoveredFrames() {
	defer func() { stacks(); os.Exit(6) }()
	defer func() { println(recover() != nil) }()
	func() {
		defer panic("recovered below")
		runtime.Goexit()
	}()
}
func caseGoexitRecoveredPanic() {
	defer panic("frames of a Goexit that went on")
	defer func() { println(recover() != nil) }()
	func() {
		defer panic("recovered below")
		runtime.Goexit()
	}()
}
func caseGoexitRecoveredTwice() {
	defer panic("end")
	defer func() { println(recover() != nil) }()
	defer panic("two")
	defer func() { println(recover() != nil) }()
	defer panic("one")
	runtime.Goexit()
}
func caseGoexitDeepRecover() {
	defer func() {
		defer func() { panic("third") }()
		println(recover() != nil)
		var p *pair
		p.a = 1
	}()
	defer func() {
		defer func() { println(recover() != nil); panic("second") }()
		panic("first")
	}()
	runtime.Goexit()
}

func caseRecover()            { defer func() { println(recover().(string)) }(); panic("recovered") }
func caseRecoverFrames()      { defer func() { recover(); stacks(); os.Exit(1) }(); panic("recovered") }
func caseRecoverNotDeferred() { println(recover() == nil); panic("end") }
func caseRecoverDeep() {
	defer func() { func() { println(recover() == nil) }() }()
	panic("not recovered")
}
func caseRecoverDirect() { defer recover(); panic("recover as the deferred call itself") }
func caseRecoverValue() {
	f := helper
	defer f()
	panic("recovered by a function value")
}
func helper() { println(recover() != nil) }

type recoverer struct{}

func (recoverer) r()  { println(recover() != nil) }
func (*recoverer) p() { println(recover() != nil) }

type embedding struct{ recoverer }
type recovers interface{ r() }

func caseRecoverMethod()      { defer recoverer{}.r(); panic(1) }
func caseRecoverPromoted()    { defer embedding{}.r(); panic(1) }
func caseRecoverPromotedPtr() { defer (&embedding{}).p(); panic(1) }
func caseRecoverInterface()   { var r recovers = &embedding{}; defer r.r(); panic(1) }
func caseRecoverMethodValue() { f := embedding{}.r; defer f(); panic(1) }
func caseRecoverMethodExpr()  { defer embedding.r(embedding{}); panic(1) }
func caseRecoverGeneric()     { defer recoverGeneric[int](); panic(1) }
func recoverGeneric[T any]()  { println(recover() != nil) }

func caseRepanic() {
	defer func() { panic(recover()) }()
	panic("same value")
}
func caseRepanicError() {
	err := errors.New("same error")
	defer func() { panic(recover()) }()
	panic(err)
}
func caseRepanicOther() {
	defer func() { recover(); panic("another value") }()
	panic("one value")
}
func caseRepanicEqual() {
	defer func() { recover(); panic(7) }()
	panic(7)
}
func caseRepanicEqualLarge() {
	defer func() { recover(); panic(70000) }()
	panic(70000)
}
func caseRepanicEqualVariable() {
	defer func() { recover(); panic(one + 254) }()
	panic(one + 254)
}
func caseRepanicEqualVariableLarge() {
	defer func() { recover(); panic(one + 255) }()
	panic(one + 255)
}
func caseRepanicEqualString() {
	defer func() { recover(); panic("the same text") }()
	panic("the same text")
}
func caseRepanicEqualEmpty() {
	defer func() { recover(); panic(text[:0]) }()
	panic("")
}
func caseRepanicEqualStruct() {
	defer func() { recover(); panic(empty{}) }()
	panic(empty{})
}
func caseRepanicEqualNamed() {
	defer func() { recover(); panic(namedUint16(one)) }()
	panic(namedUint16(1))
}
func caseRepanicEqualFloat() {
	defer func() { recover(); panic(float64(zero)) }()
	panic(0.0)
}
func caseRepanicEqualOther() {
	defer func() { recover(); panic(namedInt(one)) }()
	panic(one)
}
func caseRepanicEqualBool() {
	defer func() { recover(); panic(one == 1) }()
	panic(true)
}
func caseRepanicEqualNil() {
	defer func() { recover(); panic(nil) }()
	panic(nil)
}
func caseRepanicTwice() {
	defer func() { panic(recover()) }()
	defer func() { panic(recover()) }()
	panic("three times")
}
func caseRepanicRuntime() {
	defer func() { panic(recover()) }()
	println(nilp.a)
}
func caseRepanicRuntimeOther() {
	defer func() { recover(); panic("after a nil pointer") }()
	println(nilp.a)
}
func caseRepanicNilPointer() {
	defer func() { println(nilp.b) }()
	println(nilp.a)
}
func caseRepanicGoroutine() {
	go func() {
		defer func() { panic(recover()) }()
		panic("in a goroutine")
	}()
	select {}
}
func caseRepanicWithout() {
	var v any = "same, not recovered"
	defer func() { panic(v) }()
	panic(v)
}
func caseRepanicUncomparable() {
	defer func() { panic(recover()) }()
	panic(namedSlice{1})
}
func caseNested2() { defer panic("second"); panic("first") }
func caseNested3() { defer panic("third"); defer panic("second"); panic("first") }
func caseNestedDeep() {
	defer func() {
		defer func() {
			defer panic("fourth\nof two lines")
			panic("third")
		}()
		panic("second")
	}()
	panic("first")
}
func caseNestedRecovered() {
	defer panic("third")
	defer func() {
		defer func() { println(recover().(string)) }()
		panic("second")
	}()
	panic("first")
}
func caseNestedRecoverOuter() {
	defer func() {
		println(recover().(string))
		panic("end")
	}()
	defer panic("second")
	panic("first")
}
func caseNestedErrors() {
	defer panic(plain{"second"})
	defer panic(spoken(2))
	panic(errors.New("first"))
}
func caseNestedRecoverFirst() {
	defer func() {
		recover()
		defer panic("third")
		panic("second")
	}()
	panic("first")
}
func caseNestedInCall() {
	defer func() {
		defer func() { recover() }()
		caseNested3()
	}()
	panic("stays")
}
func caseAfterRecover() {
	func() {
		defer func() { recover() }()
		println(nilp.a)
	}()
	panic("later, without a signal")
}
func caseAfterRecoverFatal() {
	func() {
		defer func() { recover() }()
		println(nilp.a)
	}()
	caseUnlock()
}
func caseDeferLoop() {
	for i := range 3 {
		defer func() { println("deferred", i); panic(i) }()
	}
	panic("first")
}
func caseDeferArguments() {
	defer func(n int, s string) { println(n, s, recover() != nil); panic(s) }(nums[0], text)
	panic("x")
}
func caseDeferResult() { println(deferResult()); panic("end") }
func deferResult() (n int) {
	defer func() { recover(); n = 7 }()
	panic("x")
}
func caseDeferBuiltin() {
	c := make(chan int)
	close(c)
	defer close(c)
	println("body")
}
func caseDeferBuiltinPanic() {
	c := make(chan int)
	close(c)
	defer close(c)
	panic("body")
}
func caseDeferPanicBuiltin() { defer panic("deferred panic"); println("body") }
func caseDeferPrint()        { defer println("deferred"); panic("body") }
func where() {
	_, file, line, _ := runtime.Caller(1)
	println(file[len(file)-9:], line)
}
func caseDeferLines() {
	deferRange(1)
	deferRange(2)
	deferRange(3)
	deferRange(4)
	deferReturn(1)
	deferReturn(2)
	println(deferRangeResult())
	panic("end")
}
func deferRange(n int) {
	defer where()
	if n == 1 {
		return
	}
	for i := range upto(n) {
		for range upto(n) {
			if i == 1 && n == 3 {
				return
			}
		}
		if n == 4 {
			return
		}
	}
}
func counting(yield func(int) bool) { _ = yield(1) && yield(2) && yield(3) }
func deferRangeResult() int {
	defer where()
	for i := range counting {
		if i == 2 {
			return i
		}
	}
	return 7
}
func deferReturn(n int) {
	defer where()
	if n == 1 {
		return
	}
	println()
}
func caseDeferMultiline() {
	defer func() {
		println("a")
	}()
	f(
		one,
		nums[5*one],
		two())
}
func f(a, b, c int) {}
func two() int      { return 2 }
func caseMultilineCall() {
	f(
		1,
		2,
		failing(),
	)
}
func failing() int { panic("in an argument") }
func caseMultilineExpr() {
	x := one +
		nums[one] +
		nums[one*9]
	println(x)
}
func caseMultilineLiteral() {
	x := []int{
		1,
		nums[one*7],
	}
	println(len(x))
}
func caseClosureFrames() {
	func() {
		func() {
			panic("in closures")
		}()
	}()
}
func caseMethodFrames() { new(pair).fail() }
func (p *pair) fail()   { pair.failValue(*p) }
func (p pair) failValue() {
	f := p.last
	f()
}
func (p pair) last()     { panic("in methods") }
func caseGenericFrames() { genericFail[pair]() }
func genericFail[T any]() {
	func() { generic[T]{}.fail() }()
}
func (generic[T]) fail()  { panic("in generic code") }
func caseWrapperFrames()  { var r interface{ failValue() } = &pair{}; r.failValue() }
func casePromotedFrames() { var e struct{ *pair }; e.pair = new(pair); e.fail() }
func caseGoMethod()       { go new(pair).fail(); select {} }
func caseGoGeneric()      { go genericFail[int](); select {} }
func caseGoClosureArgs()  { go func(n int) { panic(n) }(5); select {} }
func caseGoBuiltin()      { go panic("as a goroutine"); select {} }
func caseGoInterface()    { var r interface{ failValue() } = &pair{}; go r.failValue(); select {} }
func caseGoMethodValue()  { f := new(pair).fail; go f(); select {} }
func caseGoLoop() {
	for i := range 3 {
		go func() {
			if i == 0 {
				panic("in a loop")
			}
			select {}
		}()
		settle()
	}
}

// A traceback prints 50 frames, begins again, and prints 50 more at most. The second part does not
// begin with the frame of a panic or with a wrapper.

func panics(n int) {
	defer func() {
		if n > 0 {
			panics(n - 1)
		}
	}()
	panic(n)
}
func casePanicsSecondPart0() { panics(25) }
func casePanicsSecondPart1() { defer func() { func() { panics(25) }() }(); panics(3) }
func casePanicsSecondPart2() {
	defer func() { panic(func() int { panics(25); return 0 }()) }()
	panics(2)
}
func casePanicsElided0() { panics(60) }
func casePanicsElided1() { defer func() { func() { panics(60) }() }(); panics(3) }
func casePanicsElided2() { defer func() { panic(func() int { panics(60); return 0 }()) }(); panics(2) }

func panicsDeferred(n int) {
	defer panic(n)
	if n > 0 {
		panicsDeferred(n - 1)
	}
	panic("the deepest")
}

func casePanicsDeferredSecondPart0() { panicsDeferred(30) }
func casePanicsDeferredSecondPart1() { defer func() { panic("the last") }(); panicsDeferred(30) }
func casePanicsDeferredElided0()     { panicsDeferred(70) }
func casePanicsDeferredElided1()     { defer func() { panic("the last") }(); panicsDeferred(70) }
