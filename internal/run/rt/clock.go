package rt

import (
	"math"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
)

// Epoch is the instant at which the virtual clock starts:
// 2026-01-01T00:00:00Z, in seconds since 1970.
const Epoch = 1767225600

// monotonicStart is the virtual monotonic clock at the start. It is not 0, which some code takes
// for "no time".
const monotonicStart = int64(time.Second)

// clock is the guest's time. The virtual clock advances one nanosecond per unit of gas. When all
// goroutines wait, it jumps to the next timer. It does not overflow: it stops at the last instant
// that 63 bits of nanoseconds can represent.
type clock struct {
	real    bool
	started time.Time // real clock: the monotonic time
	jumped  int64     // virtual clock: sum of the jumps
	timer   *time.Timer
}

func (c *clock) init(real bool) {
	c.real = real
	if real {
		c.started = time.Now()
	}
}

// sinceStart returns the nanoseconds since the start.
func (vm *VM) sinceStart() int64 {
	if vm.clock.real {
		return int64(time.Since(vm.clock.started))
	}
	n := vm.clock.jumped
	if vm.Exec != nil {
		n = satAdd(n, max(vm.Exec.Elapsed(), 0))
	}
	return n
}

func satAdd(a, b int64) int64 {
	if a > math.MaxInt64-b {
		return math.MaxInt64
	}
	return a + b
}

// Nanotime returns the monotonic clock.
func (vm *VM) Nanotime() int64 { return satAdd(vm.sinceStart(), monotonicStart) }

// Walltime returns the time of day, and the monotonic clock at that moment.
func (vm *VM) Walltime() (sec int64, nsec int32, mono int64) {
	if vm.clock.real {
		t := time.Now()
		return t.Unix(), int32(t.Nanosecond()), satAdd(int64(t.Sub(vm.clock.started)), monotonicStart)
	}
	n := vm.sinceStart()
	return Epoch + n/1e9, int32(n % 1e9), satAdd(n, monotonicStart)
}

// Idle lets time pass until the monotonic clock shows until. The virtual clock jumps; with the real
// clock the call sleeps.
func (vm *VM) Idle(until int64) Status {
	if !vm.alone() {
		_, st := vm.await(until)
		return st
	}
	if st := vm.Poll(); st != OK {
		return st
	}
	return vm.jump(until)
}

// jump is Idle for a machine without other processes.
func (vm *VM) jump(until int64) Status {
	now := vm.Nanotime()
	if until <= now {
		return OK
	}
	if !vm.clock.real {
		vm.clock.jumped = satAdd(vm.clock.jumped, until-now)
		return OK
	}
	timer := vm.clock.alarm(time.Duration(until - now))
	select {
	case <-timer.C:
		return OK
	case <-vm.ended():
	case <-vm.Config.Stop.done():
	}
	timer.Stop()
	return vm.interrupt()
}

// alarm returns the clock's timer, set to fire after d of real time.
func (c *clock) alarm(d time.Duration) *time.Timer {
	if c.timer == nil {
		c.timer = time.NewTimer(d)
	} else {
		c.timer.Reset(d)
	}
	return c.timer
}

// clockHosts are the host functions in this file, by their names in ir.Primitives.
var clockHosts = map[string]Func{
	"nanotime": hostNanotime,
	"walltime": hostWalltime,
	"idle":     hostIdle,
	"tracegas": hostTracegas,
}

func hostNanotime(vm *VM, a *ir.Args) Status {
	a[0] = vm.tell(vm.Nanotime())
	return OK
}

// tell lets the observer know what the guest reads from its monotonic clock.
func (vm *VM) tell(mono int64) uint64 {
	if o := vm.Config.Observer; o != nil && o.Nanotime != nil {
		o.Nanotime(mono)
	}
	return uint64(mono)
}

func hostWalltime(vm *VM, a *ir.Args) Status {
	sec, nsec, mono := vm.Walltime()
	a[0], a[1], a[2] = uint64(sec), uint64(nsec), vm.tell(mono)
	return OK
}

func hostIdle(vm *VM, a *ir.Args) Status { return vm.Idle(int64(a[0])) }

// hostTracegas returns the gas used so far, without what was rolled back.
func hostTracegas(vm *VM, a *ir.Args) Status {
	a[0] = uint64(vm.Exec.Elapsed())
	return OK
}
