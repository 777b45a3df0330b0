package main

import (
	"iter"
	"runtime"
	"slices"
)

// Range over functions, and coroutines.

func upto(n int) iter.Seq[int] {
	return func(yield func(int) bool) {
		for i := range n {
			if !yield(i) {
				return
			}
		}
	}
}

func stubborn(yield func(int) bool) {
	yield(1)
	yield(2)
	println("stubborn ends")
}

func greedy(yield func(int) bool) {
	for i := range 5 {
		yield(i)
	}
}

func swallowing(yield func(int) bool) {
	defer func() { println("swallowed", recover() != nil) }()
	yield(1)
}

func swallowingOn(yield func(int) bool) {
	func() {
		defer func() { println("swallowed", recover() != nil) }()
		yield(1)
	}()
	yield(2)
}

var kept func(int) bool

func keeping(yield func(int) bool) {
	kept = yield
	yield(1)
}

func caseRangeBody() {
	for i := range upto(3) {
		if i == 1 {
			panic("in the body")
		}
	}
}
func caseRangeBodyNested() {
	for i := range upto(3) {
		for j := range upto(3) {
			if i == 1 && j == 2 {
				println(nums[5*j])
			}
		}
	}
}
func caseRangeBreak() {
	for range stubborn {
		break
	}
}
func caseRangeBreakGreedy() {
	for i := range greedy {
		println(i)
		if i == 2 {
			break
		}
	}
}
func caseRangeReturn() {
	for range stubborn {
		return
	}
}
func caseRangeLabel() {
outer:
	for range upto(3) {
		for range stubborn {
			continue outer
		}
	}
}
func caseRangeGoto() {
	for range stubborn {
		goto end
	}
end:
	println("end")
}
func caseRangeSwallow() {
	for range swallowing {
		panic("swallowed by the iterator")
	}
}
func caseRangeSwallowOn() {
	for range swallowingOn {
		panic("swallowed by the iterator")
	}
}
func caseRangeKept() {
	for range keeping {
	}
	kept(2)
}
func caseRangeKeptBreak() {
	for range keeping {
		break
	}
	kept(2)
}
func caseRangeKeptGoroutine() {
	for range keeping {
	}
	go kept(3)
	select {}
}
func caseRangeWithin() {
	for range keeping {
		kept(5)
	}
}
func caseRangeGoexit() {
	for range upto(3) {
		defer println("deferred by the body")
		runtime.Goexit()
	}
}
func caseRangeDefer() {
	for i := range upto(3) {
		defer func() { println("deferred", i, recover() != nil); panic(i) }()
	}
	panic("after the loop")
}
func caseRangeDeferBody() {
	for i := range upto(3) {
		defer func() { println("deferred", i) }()
		if i == 1 {
			panic("in the body")
		}
	}
}
func caseRangeRecover() {
	defer func() { println(recover().(string)); panic("end") }()
	for range upto(3) {
		panic("in the body")
	}
}
func caseRangeIterPanics() {
	for range func(yield func() bool) { panic("in the iterator") } {
	}
}
func caseRangeIterPanicsAfter() {
	for range func(yield func() bool) { yield(); panic("in the iterator") } {
		break
	}
}
func caseRangeNil() {
	var seq iter.Seq[int]
	for range seq {
	}
}
func caseRangeMisusedTwice() {
	caught("first", func() {
		for range stubborn {
			break
		}
	})
	caseRangeBreak()
}
func caseRangeRecovering() {
	for i := range func(yield func(int) bool) {
		defer func() {
			r := recover()
			println("recovered", r != nil)
			panic(r)
		}()
		yield(1)
	} {
		panic(i)
	}
}
func caseRangeSlices() {
	for i := range slices.Values(nums) {
		println(nums[i*2])
	}
}
func caseRangeMethod() {
	for range new(pair).all {
		panic("over a method")
	}
}
func (p *pair) all(yield func(int) bool) { yield(p.a) }
func caseRangeStacks() {
	for range upto(1) {
		for range upto(1) {
			stacks()
		}
	}
	panic("end")
}
func caseRangeLines() {
	for i := range upto(4) {
		switch i {
		case 0:
			println(i)
		case 3:
			func() {
				for j := range upto(2) {
					if j == 1 {
						failing()
					}
				}
			}()
		}
	}
}
func caseRangeGo() {
	for i := range upto(2) {
		go func() { panic(i) }()
		settle()
	}
}

func casePullPanics() {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1); panic("in the sequence") })
	defer stop()
	println(next())
	println(next())
}
func casePullStopPanics() {
	next, stop := iter.Pull(func(yield func(int) bool) { yield(1); panic("when stopped") })
	println(next())
	stop()
}
func casePullGoexit() {
	next, stop := iter.Pull(func(yield func(int) bool) { runtime.Goexit() })
	defer stop()
	println(next())
}
func casePullReenter() {
	var next func() (int, bool)
	next, _ = iter.Pull(func(yield func(int) bool) { next() })
	next()
}
func casePullAfter() {
	next, stop := iter.Pull(upto(1))
	println(next())
	println(next())
	println(next())
	stop()
	panic("end")
}
func casePullStopTwice() {
	_, stop := iter.Pull(upto(1))
	stop()
	stop()
	panic("end")
}
func casePullStates() {
	next, _ := iter.Pull(upto(3))
	println(next())
	select {}
}
func casePullStatesFresh() {
	next, _ := iter.Pull(upto(3))
	defer next()
	select {}
}
func casePullRecovered() {
	next, stop := iter.Pull(func(yield func(int) bool) { panic("in the sequence") })
	caught("next", func() { next() })
	stop()
	println(next())
	panic("end")
}
func casePull2() {
	next, _ := iter.Pull2(func(yield func(int, string) bool) { yield(1, "a"); println(nilp.a) })
	println(next())
	println(next())
}
func casePullOther() {
	next, _ := iter.Pull(upto(3))
	println(next())
	go func() { println(next()); panic("by another goroutine") }()
	select {}
}
func casePullWhile() {
	started := make(chan bool)
	next, _ := iter.Pull(func(yield func(int) bool) { close(started); <-nilc })
	go next()
	<-started
	settle()
	next()
}

// The functions that make deferred calls are numbered in the order of the source, in bodies and
// around them.
func caseRangeDeferred() {
	defer panic(1)
	for range upto(1) {
		defer func() {
			for range upto(1) {
				defer panic(2)
			}
			defer panic(3)
		}()
		for range upto(1) {
			defer panic(4)
		}
		defer panic(5)
	}
	if one == 1 {
		defer panic(6)
	}
	panic(7)
}
