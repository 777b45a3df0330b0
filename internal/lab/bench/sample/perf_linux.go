package sample

import (
	"bytes"
	"errors"
	"fmt"
	"math/bits"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync/atomic"
	"unsafe"

	"golang.org/x/sys/unix"
)

// An event is an event that the kernel can count.
type event struct {
	name   string
	kind   uint32
	config uint64
}

var (
	cycles = event{"cycles", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CPU_CYCLES}
	clock  = event{"cpu-clock", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_CPU_CLOCK}
)

// stackPointers are the bits of the stack pointer in a register mask (asm/perf_regs.h), by
// processor.
var stackPointers = map[string]uint64{"amd64": 1 << 7, "arm64": 1 << 31}

// stack reports whether samples include a piece of the stack.
func (c *Config) stack() bool {
	return c.Stack > 0 && c.Unwind != nil && stackPointers[runtime.GOARCH] != 0
}

// attempts are the ways to sample, the best first.
var attempts = []struct {
	event
	precise int // requested bits of precision
}{
	{cycles, 2}, {cycles, 1}, {cycles, 0}, {clock, 0},
}

// attr is the attribute with which an event is opened.
func (c *Config) attr(e event, precise int, kernel, inherit bool) *unix.PerfEventAttr {
	a := &unix.PerfEventAttr{
		Type: e.kind, Config: e.config, Sample: uint64(c.hz()), Sample_type: unix.PERF_SAMPLE_IP,
		Bits: unix.PerfBitDisabled | unix.PerfBitFreq | unix.PerfBitExcludeHv,
	}
	a.Size = uint32(unsafe.Sizeof(*a))
	a.Bits |= uint64(precise&1)*unix.PerfBitPreciseIPBit1 | uint64(precise>>1&1)*unix.PerfBitPreciseIPBit2
	if !kernel {
		a.Bits |= unix.PerfBitExcludeKernel | unix.PerfBitExcludeCallchainKernel
	}
	if inherit {
		a.Bits |= unix.PerfBitInherit
	}
	if c.Calls {
		a.Sample_type |= unix.PERF_SAMPLE_CALLCHAIN
	}
	if c.stack() {
		a.Sample_type |= unix.PERF_SAMPLE_REGS_USER | unix.PERF_SAMPLE_STACK_USER
		a.Sample_regs_user, a.Sample_stack_user = stackPointers[runtime.GOARCH], uint32(c.Stack)
	}
	return a
}

// Thread is the number of the calling thread.
func Thread() int { return unix.Gettid() }

// OpenThread returns a sampler of the calling thread. The goroutine must be locked to it. It fails
// with a *DeniedError where the system gives no samples.
func OpenThread(c Config) (*Sampler, error) { return open(c, unix.Gettid(), []int{-1}, false) }

// OpenProcess returns a sampler of a process, including the threads and processes that it starts
// from now on.
func OpenProcess(pid int, c Config) (*Sampler, error) {
	cpus, err := online()
	if err != nil {
		return nil, err
	}
	return open(c, pid, cpus, true) // an inherited event has a ring only for a processor
}

func open(c Config, pid int, cpus []int, inherit bool) (*Sampler, error) {
	kernels := []bool{true, false}
	if !c.Kernel {
		kernels = kernels[1:]
	}
	var err error
	for _, try := range attempts {
		if c.Clock && try.event != clock {
			continue
		}
		for _, kernel := range kernels {
			s := &Sampler{by: try.name}
			for _, cpu := range cpus {
				var r *ring
				if r, err = openRing(c.attr(try.event, try.precise, kernel, inherit), pid, cpu, &c); err != nil {
					break
				}
				s.rings = append(s.rings, r)
			}
			if err == nil {
				return s, nil
			}
			s.Close()
		}
	}
	return nil, denied("perf_event_open", err)
}

// denied makes the error that says why.
func denied(what string, err error) *DeniedError {
	why := "the kernel has no such event"
	switch {
	case errors.Is(err, unix.ENOSYS):
		why = "the kernel has no perf events, or a filter of system calls hides them"
	case errors.Is(err, unix.EACCES), errors.Is(err, unix.EPERM):
		why = "not permitted"
		if b, e := os.ReadFile("/proc/sys/kernel/perf_event_paranoid"); e == nil {
			why = "kernel.perf_event_paranoid is " + strings.TrimSpace(string(b))
		}
		if filtered() {
			why += ", and a filter of system calls (seccomp) is in force: containers deny it by that"
		}
	case errors.Is(err, unix.EMFILE), errors.Is(err, unix.ENOMEM):
		why = "too many files are open, or too much memory is locked"
	}
	return &DeniedError{what, why, err}
}

// filtered reports whether a filter examines this process's system calls.
func filtered() bool {
	b, err := os.ReadFile("/proc/self/status")
	return err == nil && bytes.Contains(b, []byte("\nSeccomp:\t2"))
}

// online are the numbers of the available processors, as in "0-3,6".
func online() (list []int, err error) {
	b, err := os.ReadFile("/sys/devices/system/cpu/online")
	if err != nil {
		return nil, err
	}
	for _, part := range strings.Split(strings.TrimSpace(string(b)), ",") {
		from, to, is := strings.Cut(part, "-")
		lo, err := strconv.Atoi(from)
		hi := lo
		if err == nil && is {
			hi, err = strconv.Atoi(to)
		}
		if err != nil || hi-lo > 1<<12 {
			return nil, fmt.Errorf("/sys/devices/system/cpu/online: %q", b)
		}
		for ; lo <= hi; lo++ {
			list = append(list, lo)
		}
	}
	return list, nil
}

// A ring is the buffer into which the kernel writes the samples of an event: a page with two
// positions, and the memory through which they cycle.
type ring struct {
	fd   int
	mem  []byte
	page *unix.PerfEventMmapPage
	data []byte
	d    decoder
	buf  []byte
}

// Largest and smallest useful number of pages of a ring: the amount of locked memory is limited.
const (
	ringPages    = 1024
	ringPagesMin = 4
)

func openRing(a *unix.PerfEventAttr, pid, cpu int, c *Config) (*ring, error) {
	fd, err := unix.PerfEventOpen(a, pid, cpu, -1, unix.PERF_FLAG_FD_CLOEXEC)
	if err != nil {
		return nil, err
	}
	r := &ring{fd: fd, d: decoder{calls: c.Calls}}
	if c.stack() {
		r.d.unwind = c.Unwind
	}
	page := os.Getpagesize()
	for n := ringPages; n >= ringPagesMin; n /= 2 {
		if r.mem, err = unix.Mmap(fd, 0, (1+n)*page, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_SHARED); err == nil {
			break
		}
	}
	if err != nil {
		unix.Close(fd)
		return nil, err
	}
	r.page = (*unix.PerfEventMmapPage)(unsafe.Pointer(&r.mem[0]))
	r.data = r.mem[page:]
	if bits.OnesCount(uint(len(r.data))) != 1 {
		panic("sample: a ring's size is no power of two")
	}
	return r, nil
}

func (r *ring) enable(yes bool) error {
	op := uint(unix.PERF_EVENT_IOC_DISABLE)
	if yes {
		op = unix.PERF_EVENT_IOC_ENABLE
	}
	err := unix.IoctlSetInt(r.fd, op, 0)
	if err != nil {
		return fmt.Errorf("sampling: %w", err)
	}
	return nil
}

// read appends the samples since the last call, and returns how many were lost.
func (r *ring) read(list []Sample) ([]Sample, int) {
	head, tail := atomic.LoadUint64(&r.page.Data_head), r.page.Data_tail
	mask := uint64(len(r.data) - 1)
	r.buf = r.buf[:0]
	for tail < head { // at most twice: once to the end of the memory, once from its start
		from := tail & mask
		n := min(head-tail, uint64(len(r.data))-from)
		r.buf = append(r.buf, r.data[from:from+n]...)
		tail += n
	}
	r.d.out, r.d.lost = list, 0
	n := r.d.records(r.buf)
	atomic.StoreUint64(&r.page.Data_tail, tail-uint64(len(r.buf)-n))
	list, r.d.out = r.d.out, nil
	return list, r.d.lost
}

func (r *ring) close() error {
	err := unix.Munmap(r.mem)
	if e := unix.Close(r.fd); err == nil {
		err = e
	}
	return err
}
