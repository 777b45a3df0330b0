package guest

import (
	"fmt"
	"runtime"
	"runtime/debug"
	"strings"
)

//go:noinline
func deep(n int, f func()) {
	if n == 0 {
		if f != nil {
			f()
		}
		return
	}
	deep(n-1, f)
	num++
}

//go:noinline
func wide(n int) int {
	var room [64]int
	room[n&63] = n
	if n == 0 {
		return 0
	}
	return wide(n-1) + room[n&31]
}

//go:noinline
func even(n int, room *[16]int) int {
	if n == 0 {
		return room[0]
	}
	mine := *room
	mine[n&15] = n
	return odd(n-1, &mine) + mine[3]
}

//go:noinline
func odd(n int, room *[16]int) int {
	if n == 0 {
		return room[1]
	}
	return even(n-1, room) + 1
}

// fresh calls f on a new goroutine and waits for it.
func fresh(f func()) {
	go func() { f(); done <- 1 }()
	<-done
}

var done = make(chan int)

// stackRows are recursions: on stacks that have grown before, and on new ones.
func stackRows() []row {
	var list []row
	for _, n := range []int{100, 1000, 10_000, 100_000, 1_000_000} {
		list = append(list,
			each(fmt.Sprintf("stacks: %d calls deep", n), nil, func(int) { deep(n, nil) }),
			each(fmt.Sprintf("stacks: %d calls deep on a new stack", n), nil, func(int) { fresh(func() { deep(n, nil) }) }))
	}
	return append(list,
		each("stacks: 10000 frames of 512 bytes on a new stack", nil, func(int) { fresh(func() { num += wide(10_000) }) }),
		each("stacks: 10000 calls, two functions with locals, on a new stack", nil, func(int) { fresh(func() { num += even(10_000, new([16]int)) }) }),
		each("stacks: 1000 new stacks at once", nil, func(int) {
			for range 1000 {
				go func() { deep(100, nil); done <- 1 }()
			}
			for range 1000 {
				<-done
			}
		}),
		each("stacks: panic and recover over 1000 frames", nil, func(int) {
			func() {
				defer func() { num += recover().(int) }()
				deep(1000, func() { panic(1) })
			}()
		}),
		each("stacks: 1000 deferred calls", nil, func(int) {
			func() {
				for range 1000 {
					defer func() { num++ }()
				}
			}()
		}),
		each("stacks: recover in each of 100 frames", nil, func(int) { recovering(100) }))
}

func recovering(n int) {
	defer func() { recover() }()
	if n > 0 {
		recovering(n - 1)
	}
	panic(n)
}

var (
	pcs     [2000]uintptr
	records = make([]runtime.StackRecord, 20_000)
)

// waiting starts n goroutines that wait for ever, d calls deep.
func waiting(n, d int) {
	for range n {
		go deep(d, func() { <-never })
	}
	runtime.Gosched()
}

// walkRows ask for what is on a stack.
func walkRows() []row {
	var list []row
	for _, n := range []int{0, 100, 1000} {
		at := fmt.Sprintf(" %d calls deep", n)
		list = append(list,
			each("walks: Caller(0)"+at, nil, func(int) { deep(n, func() { _, _, line, _ := runtime.Caller(0); num += line }) }),
			each("walks: 100 of Caller(0)"+at, nil, func(int) {
				deep(n, func() {
					for range 100 {
						_, _, line, _ := runtime.Caller(0)
						num += line
					}
				})
			}),
			each("walks: 100 of Caller at the bottom"+at, nil, func(int) {
				deep(n, func() {
					for range 100 {
						_, _, line, _ := runtime.Caller(n)
						num += line
					}
				})
			}),
			each("walks: 100 of Callers"+at, nil, func(int) {
				deep(n, func() {
					for range 100 {
						num += runtime.Callers(0, pcs[:])
					}
				})
			}),
			each("walks: debug.Stack"+at, nil, func(int) { deep(n, func() { num += len(debug.Stack()) }) }))
	}
	return append(list,
		loop("walks: Frames.Next", func() { deep(1000, func() { runtime.Callers(0, pcs[:]) }) }, func(n int) {
			for n > 0 {
				frames := runtime.CallersFrames(pcs[:1000])
				for more := true; more && n > 0; n-- {
					var f runtime.Frame
					f, more = frames.Next()
					num += f.Line
				}
			}
		}),
		each("walks: FuncForPC", callers, func(i int) { num += len(runtime.FuncForPC(pcs[i&3]).Name()) }),
		each("walks: FuncForPC.FileLine", callers, func(i int) { _, line := runtime.FuncForPC(pcs[i&3]).FileLine(pcs[i&3]); num += line }),
		each("walks: FuncForPC.Entry", callers, func(i int) { num += int(runtime.FuncForPC(pcs[i&3]).Entry()) }),
		each("walks: runtime.Stack of all, 100 goroutines", func() { waiting(100, 10); raw = make([]byte, 1<<20) }, func(int) { num += runtime.Stack(raw, true) }),
		each("walks: GoroutineProfile, 10,000 goroutines", func() { waiting(10_000, 0) }, func(int) {
			n, _ := runtime.GoroutineProfile(records)
			num += n
		}),
		each("walks: GoroutineProfile, 100 goroutines 1000 deep", func() { waiting(100, 1000) }, func(int) {
			n, _ := runtime.GoroutineProfile(records)
			num += n
		}),
		each("walks: NumGoroutine", nil, func(int) { num += runtime.NumGoroutine() }),
		each("walks: text of a panic with its stack", nil, func(int) {
			func() {
				defer func() { str = fmt.Sprint(recover()) + strings.TrimSpace(string(debug.Stack())) }()
				var m map[string]int
				m["x"] = 1
			}()
		}))
}

func callers() { deep(4, func() { runtime.Callers(0, pcs[:]) }) }
