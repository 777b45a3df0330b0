package wasi

import (
	"math"

	"github.com/gyrvm/gyr/internal/ir"
)

// poll_oneoff waits for descriptors or times.
//
// subscription, 48 bytes: userdata u64; tag u8 at 8 (0 clock, 1 read, 2 write);
// then at 16 the clock's id u32, at 24 its timeout u64, at 32 the precision, at
// 40 flags u16 (1: absolute), or at 16 the descriptor u32.
// event, 32 bytes: userdata u64, error u16 at 8, type u8 at 10, bytes u64 at
// 16, flags u16 at 24.
//
// Every descriptor counts as ready: reading one waits by itself. So a call
// waits only when it names nothing but clocks.

const (
	subscriptionSize = 48
	eventSize        = 32
	maxSubscriptions = 1 << 16

	eventClock = 0
	eventRead  = 1
	eventWrite = 2
)

func pollOneoff(s *System, a *ir.Args) Errno {
	n := u32(a[2])
	if n == 0 || n > maxSubscriptions {
		return EINVAL
	}
	in, ok := s.mem.Bytes(u32(a[0]), n*subscriptionSize)
	if !ok {
		return EFAULT
	}
	out, ok := s.mem.Bytes(u32(a[1]), n*eventSize)
	if !ok {
		return EFAULT
	}
	if _, ok := s.mem.Bytes(u32(a[3]), 4); !ok {
		return EFAULT
	}
	began := s.now()
	// The first pass finds the earliest clock, and whether anything is ready at once.
	wake, ready := int64(math.MaxInt64), false
	for i := range n {
		sub := in[i*subscriptionSize:][:subscriptionSize]
		if sub[8] != eventClock {
			ready = true
			continue
		}
		t, e := began.wakeTime(sub)
		if e != Success {
			ready = true
			continue
		}
		wake = min(wake, t)
	}
	if !ready && !s.host.Idle(wake) {
		return Interrupted
	}
	now, events := s.host.Monotonic(), 0
	for i := range n {
		sub := in[i*subscriptionSize:][:subscriptionSize]
		userdata, tag, e := le.Uint64(sub), sub[8], Success
		var bytes uint64
		switch tag {
		case eventClock:
			var t int64
			if t, e = began.wakeTime(sub); e == Success && t > now {
				continue
			}
		case eventRead, eventWrite:
			right := uint64(rightFdRead)
			if tag == eventWrite {
				right = rightFdWrite
			}
			if _, e = s.file(int32(le.Uint32(sub[16:])), rightPollFdReadwrite|right); e == Success {
				bytes = 1
			}
		default:
			e = EINVAL
		}
		// in and out may overlap: the subscription has been read.
		ev := out[events*eventSize:][:eventSize]
		clear(ev)
		le.PutUint64(ev, userdata)
		le.PutUint16(ev[8:], uint16(e))
		ev[10] = tag
		le.PutUint64(ev[16:], bytes)
		events++
	}
	return s.count(u32(a[3]), events)
}

// instant is one moment on both clocks.
type instant struct{ monotonic, realtime uint64 }

func (s *System) now() instant {
	return instant{uint64(s.host.Monotonic()), s.host.Realtime()}
}

// wakeTime returns the monotonic time at which a clock subscription made at now is due.
func (now instant) wakeTime(sub []byte) (int64, Errno) {
	timeout := le.Uint64(sub[24:])
	var clock uint64
	switch le.Uint32(sub[16:]) {
	case clockRealtime:
		clock = now.realtime
	case clockMonotonic, clockProcessCPU, clockThreadCPU:
		clock = now.monotonic
	default:
		return 0, EINVAL
	}
	if le.Uint16(sub[40:])&1 != 0 { // absolute
		timeout -= min(timeout, clock)
	}
	if timeout > math.MaxInt64-now.monotonic {
		return math.MaxInt64, Success
	}
	return int64(now.monotonic + timeout), Success
}
