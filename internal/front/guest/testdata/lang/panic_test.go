package lang

import (
	"fmt"
	mrand "math/rand/v2"
	"runtime"
	"slices"
	"strings"
	"testing"
)

// A prog is the body of a function, for TestPanics: it runs natively and on the
// overlay's panics, and both must log the same.
type prog []step

type step struct {
	op   byte // d defer, c call, p panic, r recover, g Goexit, l log, w call recover in an inner function, b body of a range-over-func loop
	n    int
	body prog
}

func native(log *[]string, p prog) {
	nativeIn(log, p)
}

// nativeIn is a function of its own so that recover is called by the deferred
// function itself.
func nativeIn(log *[]string, p prog) (result int) {
	defer func() { *log = append(*log, fmt.Sprint("left ", result)) }()
	for _, s := range p {
		switch s.op {
		case 'd':
			defer nativeIn(log, s.body)
		case 'c':
			nativeIn(log, s.body)
		case 'p':
			panic(s.n)
		case 'r':
			*log = append(*log, fmt.Sprint("recover ", recover()))
		case 'w':
			func() { *log = append(*log, fmt.Sprint("inner recover ", recover())) }()
		case 'g':
			runtime.Goexit()
		case 'l':
			*log = append(*log, fmt.Sprint("at ", s.n))
		case 'b':
			for n := range nativeSeq(log, s.n) {
				defer nativeIn(log, prog{{op: 'l', n: n}})
				if s.body != nil && n == 0 {
					panic(s.n)
				}
			}
		}
	}
	return 1
}

func nativeSeq(log *[]string, n int) func(func(int) bool) {
	return func(yield func(int) bool) {
		defer func() { *log = append(*log, "seq left") }()
		for i := range n {
			if !yield(100 + i) {
				return
			}
		}
		yield(0)
	}
}

// activation runs body as compiled code would: the frame has deferred calls and
// a recovery block.
func activation(body func(frame uintptr)) {
	frame := ir_frameid()
	unwound := run(frame, func() {
		body(frame)
		deferreturn(frame)
	})
	for unwound {
		unwound = run(frame, func() { deferreturn(frame) })
	}
	frames = frames[:frame-1]
}

// run reports whether somebody unwound to the frame.
func run(frame uintptr, f func()) (unwound bool) {
	defer func() {
		if e := recover(); e != nil {
			if e != (unwindTo{frame}) {
				panic(e)
			}
			unwound = true
		}
	}()
	f()
	return false
}

func emulated(log *[]string, p prog) {
	result := 0
	activation(func(frame uintptr) {
		deferproc(frame, func() { *log = append(*log, fmt.Sprint("left ", result)) })
		for _, s := range p {
			switch s.op {
			case 'd':
				deferproc(frame, func() { emulated(log, s.body) })
			case 'c':
				emulated(log, s.body)
			case 'p':
				gopanic(s.n)
			case 'r':
				*log = append(*log, fmt.Sprint("recover ", gorecover(frame)))
			case 'w':
				activation(func(frame uintptr) { *log = append(*log, fmt.Sprint("inner recover ", gorecover(frame))) })
			case 'g':
				Goexit()
			case 'l':
				*log = append(*log, fmt.Sprint("at ", s.n))
			case 'b':
				emulatedSeq(log, s.n, func(n int) bool {
					activation(func(uintptr) {
						deferproc(frame, func() { emulated(log, prog{{op: 'l', n: n}}) })
						if s.body != nil && n == 0 {
							gopanic(s.n)
						}
					})
					return true
				})
			}
		}
		result = 1
	})
}

func emulatedSeq(log *[]string, n int, yield func(int) bool) {
	activation(func(frame uintptr) {
		deferproc(frame, func() { *log = append(*log, "seq left") })
		for i := range n {
			if !yield(100 + i) {
				return
			}
		}
		yield(0)
	})
}

// runEmulated runs p as a goroutine; how it ended is logged.
func runEmulated(p prog) (log []string) {
	curg = &g{id: 1, text: "running"}
	frames = nil
	defer func() {
		switch e := recover().(type) {
		case nil:
			log = append(log, "returned")
		case goexited:
			log = append(log, "goexit")
		case died:
			log = append(log, "died")
		default:
			panic(e)
		}
		if curg._defer != nil {
			log = append(log, "deferred calls left")
		}
	}()
	emulated(&log, p)
	return
}

func runNative(p prog) []string {
	var log []string
	end := "goexit"
	done := make(chan bool)
	go func() {
		defer close(done)
		defer func() {
			if e := recover(); e != nil {
				end = "died"
			}
		}()
		native(&log, p)
		end = "returned"
	}()
	<-done
	return append(log, end)
}

func randomProg(r *mrand.Rand, depth int) prog {
	var p prog
	for range r.IntN(4) + 1 {
		s := step{op: "ddddccprrwglb"[r.IntN(13)], n: r.IntN(5)}
		switch s.op {
		case 'd', 'c':
			if depth == 0 {
				s.op = 'l'
			} else {
				s.body = randomProg(r, depth-1)
			}
		case 'g':
			if r.IntN(3) != 0 {
				s.op = 'p'
			}
		case 'b':
			if r.IntN(2) == 0 {
				s.body = prog{}
			}
		}
		p = append(p, s)
	}
	return p
}

func TestPanics(t *testing.T) {
	written = nil
	ends := map[string]int{}
	for seed := range uint64(60000) {
		r := mrand.New(mrand.NewPCG(seed, 1))
		p := randomProg(r, 1+int(seed%5))
		want := runNative(p)
		got := runEmulated(p)
		isdying, printing.n, printing.depth = false, 0, 0
		ends[want[len(want)-1]]++
		if !slices.Equal(want, got) {
			t.Fatalf("seed %d: %v\nnative   %q\nemulated %q", seed, p, want, got)
		}
	}
	for _, end := range []string{"returned", "goexit", "died"} {
		if ends[end] < 100 {
			t.Errorf("%s: only %d programs", end, ends[end])
		}
	}
}

type failing struct{ s string }

func (e failing) Error() string { return e.s }

type named string
type wide struct{ a, b int }

// report runs body as a goroutine that dies and returns what it printed before
// the traceback.
func report(body func(frame uintptr)) (text string, msg string) {
	curg = &g{id: 7, text: "running"}
	frames = nil
	written = nil
	defer func() {
		msg = recover().(died).msg
		isdying, printing.depth = false, 0
		var ok bool
		text, _, ok = strings.Cut(string(written), "\ngoroutine 7 [running]:\n")
		if !ok {
			text = "no traceback: " + text
		}
	}()
	activation(body)
	return
}

func TestPanicReports(t *testing.T) {
	e := failing{"bad\nthing"}
	for _, c := range []struct {
		body      func(frame uintptr)
		want, msg string
	}{
		{func(uintptr) { gopanic("x") }, "panic: x\n", "panic: x"},
		{func(uintptr) { gopanic(e) }, "panic: bad\n\tthing\n", ""},
		{func(uintptr) { gopanic(1.5) }, "panic: 1.5\n", ""},
		{func(uintptr) { gopanic(named("q")) }, "panic: lang.named(\"q\")\n", ""},
		{func(uintptr) { gopanic(nil) }, "panic: " + panicNilText + "\n", ""},
		{func(uintptr) { gopanic(errorString("integer divide by zero")) }, "panic: runtime error: integer divide by zero\n", ""},
		{func(frame uintptr) {
			deferproc(frame, func() { activation(func(uintptr) { gopanic("second") }) })
			gopanic("first")
		}, "panic: first\n\tpanic: second\n", "panic: second"},
		{func(frame uintptr) {
			deferproc(frame, func() {
				activation(func(f uintptr) { gorecover(f); gopanic("second") })
			})
			gopanic("first")
		}, "panic: first [recovered]\n\tpanic: second\n", ""},
		{func(frame uintptr) {
			deferproc(frame, func() {
				activation(func(f uintptr) { gopanic(gorecover(f)) })
			})
			gopanic(e)
		}, "panic: bad\n\tthing [recovered, repanicked]\n", ""},
		{func(uintptr) {
			defer func() { gopanic(recover()) }() // the panic statement is native here
			sigpanic()
		}, "panic: runtime error: invalid memory address or nil pointer dereference\n[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x4000007]\n", ""},
		{func(uintptr) { fatal("all is lost") }, "fatal error: all is lost\n", "fatal error: all is lost"},
		{func(frame uintptr) {
			deferproc(frame, func() { fatal("worse") })
			gopanic("first")
		}, "panic: first\n\tfatal error: worse\n", ""},
		{func(uintptr) { throw("runtime") }, "fatal error: runtime\n", ""},
	} {
		got, msg := report(c.body)
		if got != c.want || c.msg != "" && msg != c.msg {
			t.Errorf("%q, message %q; want %q", got, msg, c.want)
		}
	}
	got, _ := report(func(uintptr) { gopanic(wide{}) })
	if !strings.HasPrefix(got, "panic: (lang.wide) 0x") {
		t.Errorf("%q", got)
	}
}
