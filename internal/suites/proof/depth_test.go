package proof

import (
	"bytes"
	"context"
	"fmt"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// depthProgram goes down to a depth. It stays there for some quanta while another goroutine wants
// to run, and allocates, so that the runtime calls functions where code has left: at the head of a
// loop whose values are all live, and after a function of the host.
const depthProgram = `package main

import (
	"os"
	"runtime"
	"strconv"
	"time"
)

var sink []byte
var last time.Time

func down(depth, n int, kind string) (sum int) {
	if depth > 0 {
		return down(depth-1, n, kind) + depth&1
	}
	if wait := leaves[kind]; wait != nil {
		return within(wait, n)
	}
	a, b, c, d, e, f, g := n, n+1, n+2, n+3, n+4, n+5, n+6
	for i := 0; i < n; i++ {
		a, b, c, d, e, f, g = b+i, c^a, d+b, e^c, f+d, g^e, a+f
		switch kind {
		case "allocate":
			if i%64 == 0 {
				sink = make([]byte, 64)
			}
		case "host":
			if i%4096 == 0 {
				last = time.Now()
			}
		case "collect":
			if i%65536 == 0 {
				runtime.GC()
			}
		}
	}
	return a + b + c + d + e + f + g
}

// leaves are functions without calls: they wait in a loop, fail, allocate, or spill what they compute.
var leaves = map[string]func(n int) int{
	"leaf": func(n int) (sum int) {
		for i := range n {
			sum += sum ^ i
		}
		return sum
	},
	"failing leaf": func(n int) int { return table[n] },
	"allocating leaf": func(n int) int {
		for range n {
			list = &cell{list.next}
		}
		return n
	},
	"spilling leaf": func(n int) int {
		var a, b, c, d, e, f float64 = 1, 2, 3, 4, 5, 6
		for i := range n {
			a, b, c, d, e, f = b/3, c*a, d-b, e+c, f*d, a-e
			a += float64(i)
			b, d = b*a+c*d+e*f+(a-b)*(c-d)*(e-f), (b+a)*(c+d)*(e+f)+(a+c)*(b+f)+(d-e)*(a-f)
		}
		return int(a+b+c) & int(d+e+f)
	},
}

type cell struct{ next *cell }

var table [8]int
var list = new(cell)

func within(wait func(n int) int, n int) (sum int) {
	defer func() {
		if e := recover(); e != nil {
			sum = len(e.(error).Error())
		}
	}()
	return wait(n)
}

func main() {
	depth, _ := strconv.Atoi(os.Args[1])
	n, _ := strconv.Atoi(os.Args[2])
	stop := make(chan bool)
	go func() {
		for {
			select {
			case <-stop:
				return
			default:
				runtime.Gosched()
			}
		}
	}()
	done := make(chan int)
	go func() { done <- down(depth, n, os.Args[3]) }()
	println(<-done)
	close(stop)
}
`

// TestDepthOfCallsByTheRuntime: what code saves when it leaves does not count as the guest's depth.
// So functions that the runtime then calls (for preemption, or to collect garbage) find the same
// stack depth in machine code and in the interpreter. The peak of memory shows the step at which
// more stack is charged; the test tries depths around several steps.
func TestDepthOfCallsByTheRuntime(t *testing.T) {
	daily.Turn(t, 3, false)
	if err := gyr.CheckNative(); err != nil {
		t.Skip(err)
	}
	ctx := context.Background()
	type program struct {
		nopass []string
		kind   string
	}
	var list []program
	for _, nopass := range [][]string{nil, {"phaseb"}} {
		for _, kind := range []string{"compute", "allocate", "host", "collect", "leaf", "failing leaf", "allocating leaf", "spilling leaf"} {
			list = append(list, program{nopass, kind})
		}
	}
	for _, x := range daily.Part(t, list, 2, *full) {
		nopass, kind := x.nopass, x.kind
		p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(depthProgram)}}, Patterns: []string{"main.go"}},
			&gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: nopass}})
		if err != nil {
			t.Fatal(err)
		}
		peaks := map[uint64]bool{}
		for depth := range 60 {
			var figures [2]string
			for i, tier := range []gyr.Tier{gyr.TierInterp, gyr.TierNative} {
				var out bytes.Buffer
				in, err := p.NewInstance(ctx, gyr.Config{Args: []string{fmt.Sprint(depth), "400000", kind}, Stderr: &out, Tier: tier})
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Run(ctx); err != nil {
					t.Fatal(err)
				}
				s := in.Stats()
				figures[i] = fmt.Sprint(out.String(), s.Gas, s.Mallocs, s.AllocBytes, s.HeapPeak, s.Collections)
				peaks[s.HeapPeak] = true
				if err := in.Close(); err != nil {
					t.Fatal(err)
				}
			}
			if figures[0] != figures[1] {
				t.Errorf("%s at depth %d, without %v: %s in the interpreter, %s in machine code", kind, depth, nopass, figures[0], figures[1])
			}
		}
		if len(peaks) < 3 {
			t.Errorf("%s: %d peaks of memory: the depth shows in none", kind, len(peaks))
		}
	}
}

// leafProgram calls a leaf below frames of two sizes, whose difference is small: of every depth in
// steps of that difference, some run has it.
const leafProgram = `package main

import (
	"os"
	"strconv"
)

var table [64]int

var leaf = func(n int) int { return table[n&63] + n }

func narrow(n, wide int) int {
	if n > 0 {
		return narrow(n-1, wide) + n
	}
	return broad(wide, n, n)
}

func broad(n, a, b int) int {
	if n > 0 {
		return broad(n-1, b+1, a) + n ^ a ^ b
	}
	return leaf(a) + leaf(b)
}

func main() {
	n, _ := strconv.Atoi(os.Args[1])
	wide, _ := strconv.Atoi(os.Args[2])
	done := make(chan int)
	go func() { done <- narrow(n, wide) }()
	println(<-done)
}
`

// TestDepthOfLeaves: no stack is charged for entering a leaf, also where it is the first frame that
// exceeds what has been charged.
func TestDepthOfLeaves(t *testing.T) {
	if err := gyr.CheckNative(); err != nil {
		t.Skip(err)
	}
	ctx := context.Background()
	p, err := gyr.Compile(ctx, gyr.Source{FS: fstest.MapFS{"main.go": {Data: []byte(leafProgram)}}, Patterns: []string{"main.go"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	run := func(tier gyr.Tier, n, wide int) string {
		var out bytes.Buffer
		in, err := p.NewInstance(ctx, gyr.Config{Args: []string{fmt.Sprint(n), fmt.Sprint(wide)}, Stderr: &out, Tier: tier})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		if err := in.Run(ctx); err != nil {
			t.Fatal(err)
		}
		s := in.Stats()
		return fmt.Sprint(out.String(), s.Gas, s.HeapPeak)
	}
	for n := range 24 {
		for wide := range 24 {
			if a, b := run(gyr.TierInterp, n, wide), run(gyr.TierNative, n, wide); a != b {
				t.Errorf("below %d and %d frames: %s in the interpreter, %s in machine code", n, wide, a, b)
			}
		}
	}
}
