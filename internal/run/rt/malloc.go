package rt

import (
	"encoding/binary"
	"math/bits"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
)

// Alloc allocates a zeroed object of size bytes with a layout. It collects when a collection is
// due. Tiers call it when their window has no room.
func (vm *VM) Alloc(layout uint32, size uint64) (addr uint32, st Status) {
	for range 3 {
		addr, st := vm.Heap.Alloc(layout, size)
		if st != memory.StatusCollect {
			if vm.Watch != nil && st == memory.StatusOK {
				vm.Watch.Allocated(addr, size)
			}
			return addr, vm.HeapStatus("malloc", st)
		}
		if st := vm.Collect(); st != OK {
			return 0, st
		}
	}
	return 0, OutOfMemory
}

// Charge counts n bytes of the host's memory against the guest's limit. It collects when that may
// help. A negative n returns them.
func (vm *VM) Charge(n int64) Status {
	for range 3 {
		st := memory.StatusCollect
		if n <= 0 || !vm.Heap.StressesCharge() {
			st = vm.Heap.ChargeHost(n)
		}
		if st != memory.StatusCollect {
			return vm.HeapStatus("charge", st)
		}
		if st := vm.Collect(); st != OK {
			return st
		}
	}
	return OutOfMemory
}

// HeapStatus translates a status of the heap.
func (vm *VM) HeapStatus(op string, st memory.Status) Status {
	switch st {
	case memory.StatusOK:
		return OK
	case memory.StatusLimit, memory.StatusCollect:
		return OutOfMemory
	case memory.StatusHost:
		return vm.Fail(op, vm.Heap.Err())
	case memory.StatusInterrupted:
		return vm.interrupt()
	case memory.StatusInvalid:
		return vm.Fail(op, ErrValue)
	}
	return vm.Fail(op, memory.ErrCorrupt)
}

// mallocHosts are the host functions in this file, by their names in ir.Primitives.
var mallocHosts = map[string]Func{
	"malloc":    hostMalloc,
	"objectof":  hostObjectof,
	"follows":   hostFollows,
	"memstats":  hostMemstats,
	"heapbytes": hostHeapbytes,
	"keepalive": hostKeepalive,
}

// hostMalloc(size, typ, count) allocates at least size bytes for count elements
// of the type at typ, or without pointers when typ is nil.
func hostMalloc(vm *VM, a *ir.Args) Status {
	size, layout := a[0], uint32(ir.NoPointers)
	if typ := uint32(a[1]); typ != 0 {
		t, st := vm.heapType(typ)
		if st != OK {
			return st
		}
		hi, lo := bits.Mul64(t.size, a[2])
		if hi != 0 {
			return OutOfMemory
		}
		layout, size = t.layout, max(size, lo)
	}
	addr, st := vm.Alloc(layout, size)
	a[0] = uint64(addr)
	return st
}

func hostObjectof(vm *VM, a *ir.Args) Status {
	start, size, ok := vm.Heap.ObjectOf(uint32(a[0]))
	if !ok {
		start, size = 0, 0
	}
	a[0], a[1] = uint64(start), size
	return OK
}

// hostFollows reports whether the collector treats the word at a heap address as a pointer.
func hostFollows(vm *VM, a *ir.Args) Status {
	n := uint64(0)
	if vm.Heap.Follows(uint32(a[0])) {
		n = 1
	}
	a[0] = n
	return OK
}

func hostMemstats(vm *VM, a *ir.Args) Status {
	b, st := vm.writable("memstats", a[0], 16*8)
	if st != OK {
		return st
	}
	if o := vm.Config.Observer; o != nil && o.MemStats != nil {
		o.MemStats()
	}
	s := vm.Heap.Stats()
	next := s.HeapAlloc
	if s.NextGC > s.SinceGC {
		next += s.NextGC - s.SinceGC
	}
	for i, v := range [16]uint64{
		0:  s.HeapAlloc,
		1:  s.TotalAlloc,
		2:  s.Mallocs,
		3:  s.Frees,
		4:  s.NumGC,
		5:  s.HeapSys,
		6:  s.HeapObjects,
		7:  0, // pauses: the guest's clock stands still during a collection
		8:  s.StackInuse,
		9:  s.InUse,
		10: next,
		11: s.HeapInuse,
		12: s.Peak,
		13: s.Limit,
	} {
		binary.LittleEndian.PutUint64(b[8*i:], v)
	}
	return OK
}

// hostHeapbytes returns the bytes of heap in use. Lowered code charges an explicit collection by
// them.
func hostHeapbytes(vm *VM, a *ir.Args) Status {
	a[0] = vm.Heap.Stats().InUse
	return OK
}

// hostKeepalive uses a pointer, and so keeps its object alive until here.
func hostKeepalive(*VM, *ir.Args) Status { return OK }
