package rt

import (
	"encoding/binary"
	"time"

	"github.com/gyrvm/gyr/internal/memory"
)

// Kinds of specials, as the overlay numbers them.
const (
	specialFinalizer = 1
	specialCleanup   = 2
	specialWeak      = 3
)

// specialQueue is what collections found: the overlay fetches it with
// nextspecial. The object of a finalizer is a root while it is queued.
type specialQueue struct {
	list []memory.Special
	head int
}

func (q *specialQueue) put(s memory.Special) { q.list = append(q.list, s) }

func (q *specialQueue) take() (s memory.Special, ok bool) {
	if q.head == len(q.list) {
		q.list, q.head = q.list[:0], 0
		return s, false
	}
	s = q.list[q.head]
	q.head++
	return s, true
}

func (q *specialQueue) empty() bool { return q.head == len(q.list) }

// Stats are figures of a run for its host; the guest sees none of them.
type Stats struct {
	Collections uint64
	GCTime      time.Duration // wall time in collections
}

// Stats returns figures of the run.
func (vm *VM) Stats() Stats { return vm.stats }

// Collect runs a full collection. The guest stands still: all its pointers are
// in memory, in the module's roots, or known to Exec.MarkRoots.
//
// Finalizers, cleanups and weak pointers follow Go's rules: what an object with
// a finalizer refers to stays alive; when the object itself is unreachable its
// weak pointers are cleared, its finalizer is queued and it lives on once more;
// cleanups wait until the object is gone. They are queued in the order of the
// objects' addresses, and for one object weak pointers first.
func (vm *VM) Collect() Status {
	start := time.Now()
	st := vm.collect()
	vm.stats.Collections++
	vm.stats.GCTime += time.Since(start)
	return st
}

func (vm *VM) collect() Status {
	h := vm.Heap
	if st := h.BeginMark(); st != memory.StatusOK {
		return vm.heapStatus("gc", st)
	}
	for i := range vm.Mod.Roots {
		r := &vm.Mod.Roots[i]
		h.MarkRange(r.Addr, uint32(r.Layout), uint32(r.Count))
	}
	vm.Exec.MarkRoots()
	for i := range vm.queue.list[vm.queue.head:] {
		if s := &vm.queue.list[vm.queue.head+i]; s.Kind == specialFinalizer {
			h.MarkPtr(s.Obj)
		}
	}
	if st := vm.drain(); st != OK {
		return st
	}
	h.MarkSpecials(specialFinalizer)
	if st := vm.drain(); st != OK {
		return st
	}
	vm.queueSpecials(h.DeadSpecials())
	if st := vm.drain(); st != OK {
		return st
	}
	if st := h.Sweep(); st != memory.StatusOK {
		return vm.heapStatus("gc", st)
	}
	vm.types.forgetDynamic()
	if !vm.queue.empty() {
		vm.setFlag(vm.SpecialsFlag)
		vm.setFlag(vm.OthersFlag)
	}
	return OK
}

// drain follows pointers, and looks about every 100 µs whether the run has to end.
func (vm *VM) drain() Status {
	for {
		for !vm.Heap.Drain(memory.MarkQuantum) {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
		if !vm.Exec.MarkLocals() {
			return OK
		}
	}
}

// queueSpecials queues what is due for unreachable objects. dead is sorted by object.
//
// Everything that an object with a finalizer leads to is marked by now, so an
// object in dead without one is gone, whatever comes back to life here.
func (vm *VM) queueSpecials(dead []memory.Special) {
	for len(dead) > 0 {
		n, revived := 1, dead[0].Kind == specialFinalizer
		for n < len(dead) && dead[n].Obj == dead[0].Obj {
			revived = revived || dead[n].Kind == specialFinalizer
			n++
		}
		group := dead[:n]
		dead = dead[n:]
		for _, s := range group {
			if s.Kind == specialWeak {
				vm.queue.put(s)
				if revived {
					vm.Heap.RemoveSpecial(s.Obj, s.Kind, s.ID)
				}
			}
		}
		for _, s := range group {
			switch {
			case s.Kind == specialFinalizer:
				vm.queue.put(s)
				vm.Heap.RemoveSpecial(s.Obj, s.Kind, s.ID)
				vm.Heap.MarkPtr(s.Obj)
			case s.Kind == specialCleanup && !revived:
				vm.queue.put(s)
			}
		}
	}
}

// setFlag sets a variable of the overlay; no address, no flag.
func (vm *VM) setFlag(addr uint32) {
	if addr == 0 {
		return
	}
	if b, ok := vm.Space.Bytes(uint64(addr), 4); ok {
		binary.LittleEndian.PutUint32(b, 1)
	}
}

func hostGC(vm *VM, a *[16]uint64) Status { return vm.Collect() }

func hostAddspecial(vm *VM, a *[16]uint64) Status {
	obj, kind, id := uint32(a[0]), a[1], a[2]
	if kind < specialFinalizer || kind > specialWeak {
		return vm.Fail("addspecial", ErrValue)
	}
	for range 3 {
		switch st := vm.Heap.AddSpecial(obj, uint32(kind), id); st {
		case memory.StatusCollect:
			if st := vm.Collect(); st != OK {
				return st
			}
		case memory.StatusInvalid: // not an object of the heap
			a[0] = 0
			return OK
		default:
			a[0] = 1
			return vm.heapStatus("addspecial", st)
		}
	}
	return OutOfMemory
}

func hostRemovespecial(vm *VM, a *[16]uint64) Status {
	if a[1] == uint64(uint32(a[1])) {
		vm.Heap.RemoveSpecial(uint32(a[0]), uint32(a[1]), a[2])
	}
	return OK
}

func hostNextspecial(vm *VM, a *[16]uint64) Status {
	s, ok := vm.queue.take()
	if !ok {
		a[0], a[1], a[2] = 0, 0, 0
		return OK
	}
	a[0], a[1], a[2] = uint64(s.Kind), s.ID, 0
	if s.Kind == specialFinalizer {
		a[2] = uint64(s.Obj)
	}
	return OK
}
