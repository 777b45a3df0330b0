package sample

import (
	"encoding/binary"
	"fmt"
	"unsafe"

	"golang.org/x/sys/unix"
)

// counted are the events of a Counting, in groups that are counted at the same time. Processors
// have four counters for arbitrary events, often no more.
var counted = [][]struct {
	unit string
	event
}{
	{
		{"cycles/op", cycles},
		{"hw-instructions/op", event{"instructions", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_INSTRUCTIONS}},
		{"branch-misses/op", event{"branch-misses", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_BRANCH_MISSES}},
		{"cache-misses/op", event{"cache-misses", unix.PERF_TYPE_HARDWARE, unix.PERF_COUNT_HW_CACHE_MISSES}},
	},
	{
		{"page-faults/op", event{"page-faults", unix.PERF_TYPE_SOFTWARE, unix.PERF_COUNT_SW_PAGE_FAULTS}},
	},
}

// CountThread opens the counters of the calling thread. The goroutine must be locked to it.
// Counters that cannot be opened are left out; nil: none can.
func CountThread() *Counting {
	c := &Counting{}
	for _, group := range counted {
		leader := -1
		for _, e := range group {
			a := &unix.PerfEventAttr{
				Type: e.kind, Config: e.config,
				Read_format: unix.PERF_FORMAT_TOTAL_TIME_ENABLED | unix.PERF_FORMAT_TOTAL_TIME_RUNNING,
				Bits:        unix.PerfBitExcludeKernel | unix.PerfBitExcludeHv,
			}
			a.Size = uint32(unsafe.Sizeof(*a))
			if leader < 0 {
				a.Bits |= unix.PerfBitDisabled // the others of the group run with it
			}
			fd, err := unix.PerfEventOpen(a, unix.Gettid(), -1, leader, unix.PERF_FLAG_FD_CLOEXEC)
			if err != nil {
				continue
			}
			x := counter{fd: fd, leads: leader < 0}
			if x.leads {
				leader = fd
			}
			c.list = append(c.list, named{e.unit, x})
		}
	}
	if len(c.list) == 0 {
		return nil
	}
	return c
}

// A counter is an open event.
type counter struct {
	fd    int
	leads bool // its group
}

func (c counter) enable(yes bool) error {
	if !c.leads {
		return nil
	}
	op := uint(unix.PERF_EVENT_IOC_DISABLE)
	if yes {
		op = unix.PERF_EVENT_IOC_ENABLE
	}
	if err := unix.IoctlSetInt(c.fd, op, unix.PERF_IOC_FLAG_GROUP); err != nil {
		return fmt.Errorf("counting: %w", err)
	}
	return nil
}

// read returns the count, and the part of the time in which the event had a counter.
func (c counter) read() (n uint64, part float64) {
	var b [24]byte
	if k, err := unix.Read(c.fd, b[:]); err != nil || k != len(b) {
		return 0, 0
	}
	ne := binary.NativeEndian
	enabled, running := ne.Uint64(b[8:]), ne.Uint64(b[16:])
	if enabled == 0 {
		return 0, 0
	}
	return ne.Uint64(b[:]), float64(running) / float64(enabled)
}

func (c counter) close() { unix.Close(c.fd) }
