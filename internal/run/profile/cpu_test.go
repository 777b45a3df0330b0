package profile

import (
	"bytes"
	"runtime"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// A fakeThread is a thread whose clocks and stack the test sets.
type fakeThread struct {
	total, kernel time.Duration
	stack         []Frame
}

func (f *fakeThread) cpu() *CPU {
	mod := module(6)
	mod.Func(6).Flags |= ir.Runtime
	c := NewCPU(mod, func(buf []Frame) []Frame { return append(buf, f.stack...) })
	c.clock = func() (total, kernel time.Duration) { return f.total, f.kernel }
	return c
}

// tick makes a sample due, as the goroutine of ticks does.
func tick(c *CPU) { c.due.Store(c.busy.Load() + 1) }

func cpuStacks(t *testing.T, c *CPU) []string {
	t.Helper()
	var b bytes.Buffer
	if err := c.Write(&b); err != nil {
		t.Fatal(err)
	}
	return stacks(t, b.Bytes())
}

// begin is Start without the goroutine that ticks.
func (c *CPU) begin() { c.last, c.system = c.clock(); c.turn(Task{}) }

// finish is Stop.
func (c *CPU) finish() { c.take(Guest, c.elapsed()); c.settle() }

func TestSamples(t *testing.T) {
	var f fakeThread
	c := f.cpu()
	c.begin()
	at := func(ms int, stack ...Frame) { f.total, f.stack = time.Duration(ms)*time.Millisecond, stack }

	at(3, Frame{1, 12})
	c.Sample() // not due
	tick(c)
	c.Sample() // 3 ms

	// A host function of 2 ms, with a collection of 5 ms in it.
	at(4, Frame{6, 61}, Frame{1, 11})
	host := c.Enter(Runtime, "[host x]")
	at(5, Frame{6, 61}, Frame{1, 11})
	tick(c)
	gc := c.Enter(Collector, "") // takes the sample: 2 ms
	at(10, Frame{6, 61}, Frame{1, 11})
	tick(c)
	c.Leave(gc)
	at(11, Frame{6, 61}, Frame{1, 11})
	tick(c)
	c.Leave(host) // 1 ms

	// Compiling is timed without a tick. Earlier time goes to the next sample.
	at(13, Frame{1, 12})
	back := c.Enter(Compiler, "")
	at(17, Frame{1, 12})
	c.Leave(back)
	at(18, Frame{2, 23}, Frame{1, 11})
	tick(c)
	c.Sample() // 2 + 1 ms

	at(20, Frame{6, 61}, Frame{1, 11})
	tick(c)
	c.Sample() // the guest's, but in the runtime
	at(21)
	c.finish() // no stack
	check(t, cpuStacks(t, c), []string{
		"f1:12 [1 3000000][guest]",
		"[host x]:0 runtime.alloc:61 f1:11 [2 3000000][runtime]",
		"[collector]:0 runtime.alloc:61 f1:11 [1 5000000][collector]",
		"[compiler]:0 f1:12 [1 4000000][compiler]",
		"f1:23+ f2:21 f1:11 [1 3000000][guest]",
		"runtime.alloc:61 f1:11 [1 2000000][runtime]",
		"[no frame]:0 [1 1000000][guest]",
	})
}

// Kernel time replaces other time in the sample where it shows.
func TestKernelShare(t *testing.T) {
	var f fakeThread
	c := f.cpu()
	c.begin()
	ms := time.Millisecond
	sample := func(total, kernel time.Duration, stack ...Frame) {
		f.total, f.kernel, f.stack = total, kernel, stack
		tick(c)
		c.Sample()
	}
	sample(2*ms, 0, Frame{1, 11})
	sample(3*ms, 4*ms, Frame{2, 21}) // a step of the kernel's clock: 1 ms here…
	sample(5*ms, 4*ms, Frame{3, 31}) // …2 ms here
	f.total, f.stack = 5*ms, nil
	c.finish() // and 1 ms in the sample with the most other time
	check(t, cpuStacks(t, c), []string{
		"f1:11 [1 1000000][guest]",
		"[kernel]:0 f1:11 [0 1000000][kernel]",
		"[kernel]:0 f2:21 [1 1000000][kernel]",
		"[kernel]:0 f3:31 [1 2000000][kernel]",
	})
}

// On a real thread, the counted time equals the thread's clock.
func TestThread(t *testing.T) {
	c := NewCPU(module(6), func(buf []Frame) []Frame { return append(buf, Frame{1, 12}) })
	c.Start()
	before, _ := c.clock()
	work := 0
	for samples := 0; samples < 5; {
		work++
		if c.Ticks().Load() != 0 {
			c.Sample()
			samples++
		}
	}
	after, _ := c.clock()
	c.Stop()
	total := time.Duration(0)
	for _, s := range c.samples {
		total += s.user + s.kernel
	}
	if total < after-before {
		t.Errorf("%v counted, at least %v were spent", total, after-before)
	}
	if runtime.GOOS == "linux" && total <= 0 {
		t.Error("no time was spent")
	}
}

// A nil CPU does nothing.
func TestNilCPU(t *testing.T) {
	var c *CPU
	c.Leave(c.Enter(Collector, "x"))
}
