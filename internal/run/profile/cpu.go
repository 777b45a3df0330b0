package profile

import (
	"cmp"
	"encoding/binary"
	"io"
	"runtime"
	"slices"
	"sync/atomic"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// A Share is the occupation of a thread that runs a guest. All its time belongs to one of the
// shares or to the kernel.
type Share uint8

const (
	Guest     Share = iota // code of the program and of std
	Runtime                // the guest's package runtime and the engine's work for it
	Collector              // collections
	Compiler               // compiling functions at their first call
	numShares
)

// kernelShare is the label of the kernel's work for any share.
const kernelShare = "kernel"

var shareNames = [numShares]string{"guest", "runtime", "collector", "compiler"}

func (s Share) String() string { return shareNames[s] }

const (
	// Period is the time between two samples.
	Period = time.Millisecond
	// MaxDepth is the most frames of a sample; outer ones are left out.
	MaxDepth = 256
)

// A Task is the occupation of a thread: a share and a pseudo frame, or "".
type Task struct {
	share  Share
	detail string
}

// A Frame is a frame of a tier: a place in a function as compiled.
type Frame struct {
	Func int32
	Pos  ir.Pos
}

// A CPU is the profile of the processor time of one thread, by sampling.
//
// A separate goroutine stores one word every [Period]: a sample is due, and for which share. The
// thread that runs the guest sees that word between two instructions ([CPU.Ticks]) and takes the
// sample itself, so no goroutine reads a stack that another one changes. A sample counts the
// processor time since the previous one, read from the thread's clock. So the values add up exactly
// to the time of the thread, on a busy machine too. Collector and compiler are timed from their
// beginning to their end instead ([CPU.Enter]).
//
// rusage tells the kernel's part of a sample. Many kernels count it in steps of their own clock, a
// few milliseconds, so a step may be spread over the samples that follow.
//
// Add takes samples from other sources, for instance from perf_event_open.
type CPU struct {
	mod  *ir.Module
	walk func([]Frame) []Frame

	due  atomic.Uint32 // 0, or the share at the tick plus 1
	busy atomic.Uint32 // share

	// The thread that runs the guest owns the fields below.
	task   Task
	clock  func() (total, kernel time.Duration)
	last   time.Duration // the thread's clock at the last accounting
	carry  time.Duration // time of the guest and the runtime that is not in a sample yet
	system time.Duration // the kernel's share when it was last read
	debt   time.Duration // kernel time that is not in a sample yet
	stop   chan struct{}
	frames []Frame

	index   map[string]int
	samples []sample
	key     []byte

	first    time.Time // the first start
	started  time.Time
	duration time.Duration
}

// A sample has the counts of one stack.
type sample struct {
	stack  []Frame // innermost first
	share  Share
	detail string
	count  int64
	user   time.Duration
	kernel time.Duration
}

// NewCPU makes an empty profile of a module's code. walk appends the frames of the thread's current
// stack, innermost first, at most MaxDepth.
func NewCPU(mod *ir.Module, walk func([]Frame) []Frame) *CPU {
	return &CPU{mod: mod, walk: walk, clock: threadTime, index: map[string]int{}}
}

// Start begins sampling. The calling goroutine runs the guest, on this thread until Stop.
func (c *CPU) Start() {
	runtime.LockOSThread()
	c.started = time.Now()
	if c.first.IsZero() {
		c.first = c.started
	}
	c.last, c.system = c.clock()
	c.turn(Task{})
	c.stop = make(chan struct{})
	go c.ticks(c.stop)
}

func (c *CPU) ticks(stop chan struct{}) {
	t := time.NewTicker(Period)
	defer t.Stop()
	for {
		select {
		case <-stop:
			return
		case <-t.C:
			c.due.Store(c.busy.Load() + 1)
		}
	}
}

// Stop ends sampling. The remaining time counts for the thread's present stack.
func (c *CPU) Stop() {
	close(c.stop)
	c.due.Store(0)
	c.take(Guest, c.elapsed())
	c.settle()
	c.duration += time.Since(c.started)
	runtime.UnlockOSThread()
}

// Abandon replaces Stop when the stack belongs to another goroutine by now. It counts nothing more.
func (c *CPU) Abandon() {
	close(c.stop)
	runtime.UnlockOSThread()
}

// Ticks returns the word that is not 0 when a sample is due.
func (c *CPU) Ticks() *atomic.Uint32 { return &c.due }

// Sample takes a sample if one is due.
func (c *CPU) Sample() {
	if c.due.Load() == 0 {
		return
	}
	if s := c.due.Swap(0); s != 0 {
		c.take(Share(s-1), c.elapsed())
	}
}

// Enter changes the occupation of the thread, and returns the previous one for Leave. detail, if
// not empty, is a pseudo frame for the samples until then. A nil CPU does nothing.
func (c *CPU) Enter(s Share, detail string) (back Task) {
	if c == nil {
		return Task{}
	}
	c.Sample()
	back = c.task
	if s.timed() {
		c.carry += c.elapsed()
	}
	c.turn(Task{s, detail})
	return back
}

func (c *CPU) turn(t Task) {
	c.task = t
	c.busy.Store(uint32(t.share))
}

// Leave ends the occupation that Enter began.
func (c *CPU) Leave(back Task) {
	if c == nil {
		return
	}
	if s := c.task.share; s.timed() {
		c.due.Store(0)
		carry := c.carry
		c.carry = 0
		c.take(s, c.elapsed())
		c.carry = carry
	} else {
		c.Sample()
	}
	c.turn(back)
}

// timed reports whether a share is timed as a whole.
func (s Share) timed() bool { return s == Collector || s == Compiler }

// elapsed returns the thread's time since its last call.
func (c *CPU) elapsed() time.Duration {
	now, system := c.clock()
	d := now - c.last
	c.last = now
	c.debt += system - c.system
	c.system = system
	return d
}

// take counts d, and the time carried over, for the current stack.
func (c *CPU) take(s Share, d time.Duration) {
	d += c.carry
	c.carry = 0
	kernel := min(c.debt, d)
	c.debt -= kernel
	c.frames = c.walk(c.frames[:0])
	c.Add(c.frames, s, c.task.detail, d-kernel, kernel)
}

// Add counts one sample: a stack, innermost frame first, the occupation of the thread, a pseudo
// frame below the stack or "", and the time. A sample of the guest counts as the runtime's if its
// innermost function is a function of the runtime.
func (c *CPU) Add(stack []Frame, s Share, detail string, user, kernel time.Duration) {
	if user <= 0 && kernel <= 0 {
		return
	}
	c.key = append(c.key[:0], byte(s))
	for _, f := range stack {
		c.key = binary.AppendUvarint(c.key, uint64(f.Func))
		c.key = binary.AppendUvarint(c.key, uint64(f.Pos))
	}
	c.key = append(c.key, 0)
	c.key = append(c.key, detail...)
	i, ok := c.index[string(c.key)]
	if !ok {
		i = len(c.samples)
		c.index[string(c.key)] = i
		c.samples = append(c.samples, sample{stack: slices.Clone(stack), share: s, detail: detail})
	}
	x := &c.samples[i]
	x.count++
	x.user += user
	x.kernel += kernel
}

// settle moves the remaining kernel time to the samples with the most other time: the clock of
// rusage is coarse.
func (c *CPU) settle() {
	order := make([]*sample, len(c.samples))
	for i := range order {
		order[i] = &c.samples[i]
	}
	slices.SortStableFunc(order, func(a, b *sample) int { return cmp.Compare(b.user, a.user) })
	for _, x := range order {
		n := min(c.debt, x.user)
		x.user -= n
		x.kernel += n
		c.debt -= n
	}
}

// Write writes the profile: the number of samples, and nanoseconds. The label share names their
// share.
func (c *CPU) Write(w io.Writer) error {
	e := newEncoder(c.mod, valueType{"samples", "count"},
		valueType{"cpu", "nanoseconds"})
	e.p.period, e.p.every = valueType{"cpu", "nanoseconds"}, int64(Period)
	e.p.time, e.p.took = c.first.UnixNano(), int64(c.duration)
	for i := range c.samples {
		x := &c.samples[i]
		share := x.share
		if share == Guest && len(x.stack) > 0 && c.isRuntime(x.stack[0]) {
			share = Runtime
		}
		stack := func(kernel bool) {
			e.begin()
			if kernel {
				e.pseudo("[kernel]")
			}
			switch {
			case share.timed():
				e.pseudo("[" + share.String() + "]")
			case x.detail != "":
				e.pseudo(x.detail)
			}
			for _, f := range x.stack {
				e.add(f.Func, f.Pos)
			}
			if len(x.stack) == MaxDepth {
				e.pseudo("[outer frames]")
			}
		}
		if x.user > 0 {
			stack(false)
			e.end(share.String(), x.count, int64(x.user))
		}
		if x.kernel > 0 {
			count := int64(0)
			if x.user <= 0 {
				count = x.count
			}
			stack(true)
			e.end(kernelShare, count, int64(x.kernel))
		}
	}
	return e.p.write(w)
}

// isRuntime reports whether the innermost source function of a frame is charged by its callers.
func (c *CPU) isRuntime(f Frame) bool {
	fn := f.Func
	if e, ok := c.mod.Position(f.Pos); ok {
		if s, ok := c.mod.Site(e.Site); ok {
			fn = s.Func
		}
	}
	return fn > 0 && int(fn) < c.mod.NumFuncs() && c.mod.Func(int(fn)) != nil && c.mod.Func(int(fn)).Flags&ir.Runtime != 0
}
