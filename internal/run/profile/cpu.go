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

// A Share is what a thread that runs a guest is busy with. Its time is that of
// one of the shares or the kernel's.
type Share uint8

const (
	Guest     Share = iota // code of the program and of std
	Runtime                // the guest's package runtime and what the engine does for it
	Collector              // collections
	Compiler               // compiling functions at their first call
	numShares
)

// kernelShare is the label of what the kernel does for any of them.
const kernelShare = "kernel"

var shareNames = [numShares]string{"guest", "runtime", "collector", "compiler"}

func (s Share) String() string { return shareNames[s] }

const (
	// Period is the time between two samples.
	Period = time.Millisecond
	// MaxDepth is the number of frames that a sample has; outer ones are left out.
	MaxDepth = 256
)

// A Task is what a thread turned to: a share and a pseudo frame, or "".
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
// A goroutine of its own says every [Period] that a sample is due, and of which
// share, by storing one word. The thread that runs the guest sees that word between
// two instructions ([CPU.Due]) and takes the sample itself, so nobody looks at a
// stack that somebody else changes. A sample counts the processor time since the one
// before, read from the thread's clock, so the values add up to the time of the
// thread exactly, on a busy machine too. Collector and compiler are timed from
// their beginning to their end instead ([CPU.Enter]).
//
// How much of a sample was the kernel's time, rusage tells: for many kernels in
// steps of their own clock, a few milliseconds, so a step may be counted over the samples
// that follow.
//
// Where samples come from elsewhere, from perf_event_open for instance, Add takes
// them.
type CPU struct {
	mod  *ir.Module
	walk func([]Frame) []Frame

	due  atomic.Uint32 // 0, or the share at the tick plus 1
	busy atomic.Uint32 // share

	// What follows belongs to the thread that runs the guest.
	task   Task
	clock  func() (total, kernel time.Duration)
	last   time.Duration // the thread's clock at the last accounting
	carry  time.Duration // time of the guest and the runtime that no sample has counted
	system time.Duration // the kernel's share when it was last read
	debt   time.Duration // kernel time that no sample has counted
	stop   chan struct{}
	frames []Frame

	index   map[string]int
	samples []sample
	key     []byte

	first    time.Time // of all starts
	started  time.Time
	duration time.Duration
}

// A sample is what was counted for one stack.
type sample struct {
	stack  []Frame // innermost first
	share  Share
	detail string
	count  int64
	user   time.Duration
	kernel time.Duration
}

// NewCPU makes an empty profile of a module's code. walk appends the frames of
// the thread's current stack, innermost first, at most MaxDepth.
func NewCPU(mod *ir.Module, walk func([]Frame) []Frame) *CPU {
	return &CPU{mod: mod, walk: walk, clock: threadTime, index: map[string]int{}}
}

// Start begins sampling. The calling goroutine runs the guest, on this thread
// until Stop.
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

// Stop ends sampling. What no sample has counted is counted where the thread
// stands now.
func (c *CPU) Stop() {
	close(c.stop)
	c.due.Store(0)
	c.take(Guest, c.elapsed())
	c.settle()
	c.duration += time.Since(c.started)
	runtime.UnlockOSThread()
}

// Abandon takes the place of Stop when the stack that the time went to is somebody else's by now:
// nothing more is counted.
func (c *CPU) Abandon() {
	close(c.stop)
	runtime.UnlockOSThread()
}

// Ticks is the word that is not 0 when a sample is due.
func (c *CPU) Ticks() *atomic.Uint32 { return &c.due }

// Sample takes the sample that is due, if one is.
func (c *CPU) Sample() {
	if c.due.Load() == 0 {
		return
	}
	if s := c.due.Swap(0); s != 0 {
		c.take(Share(s-1), c.elapsed())
	}
}

// Enter says that the thread turns to something else, and returns what it will
// Leave to. detail, if not empty, is a pseudo frame for the samples until then. A
// nil CPU takes no notice.
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

// Leave ends what Enter began.
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

// elapsed is the thread's time since it was called before.
func (c *CPU) elapsed() time.Duration {
	now, system := c.clock()
	d := now - c.last
	c.last = now
	c.debt += system - c.system
	c.system = system
	return d
}

// take counts d, and what was carried over, for the current stack.
func (c *CPU) take(s Share, d time.Duration) {
	d += c.carry
	c.carry = 0
	kernel := min(c.debt, d)
	c.debt -= kernel
	c.frames = c.walk(c.frames[:0])
	c.Add(c.frames, s, c.task.detail, d-kernel, kernel)
}

// Add counts one sample: a stack, innermost frame first, what the thread was busy
// with, a pseudo frame below the stack or "", and the time that it stands for. A
// sample of the guest's whose innermost function is of the runtime is the runtime's.
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

// settle counts what is left of the kernel's time in place of other time, where
// that is most: the clock of rusage is coarse.
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

// Write writes the profile: the number of samples, and nanoseconds. The label
// share says whose they are.
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

// isRuntime reports whether the innermost source function of a frame is one of
// those whose price is charged where they are called.
func (c *CPU) isRuntime(f Frame) bool {
	fn := f.Func
	if e, ok := c.mod.Position(f.Pos); ok {
		if s, ok := c.mod.Site(e.Site); ok {
			fn = s.Func
		}
	}
	return fn > 0 && int(fn) < c.mod.NumFuncs() && c.mod.Func(int(fn)) != nil && c.mod.Func(int(fn)).Flags&ir.Runtime != 0
}
