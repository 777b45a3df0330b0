package rt

import (
	"encoding/binary"
	"time"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/profile"
)

// Kinds of specials, as the overlay numbers them.
const (
	specialFinalizer = 1
	specialCleanup   = 2
	specialWeak      = 3
)

// specialQueue holds what collections found. The overlay fetches it with nextspecial. The object of
// a queued finalizer is a root.
type specialQueue struct {
	list memory.Vec[memory.Special]
	head int
}

// enqueue queues s. A special counts against the limit until the guest has fetched it.
func (vm *VM) enqueue(s memory.Special) {
	q := &vm.queue
	if l := q.list.List; q.head > len(l)/2 {
		q.list.List = l[:copy(l, l[q.head:])]
		q.head = 0
	}
	q.list.Append(s)
	vm.Heap.CountHost(memory.UnitSpecial)
}

func (vm *VM) dequeue() (s memory.Special, ok bool) {
	q := &vm.queue
	if q.empty() {
		return s, false
	}
	s = q.list.List[q.head]
	q.head++
	vm.Heap.CountHost(-memory.UnitSpecial)
	if q.empty() {
		q.list.Clear(queueKeep)
		q.head = 0
	}
	return s, true
}

// queueKeep is the size up to which the memory of the empty queue is kept.
const queueKeep = 64 << 10

func (q *specialQueue) empty() bool { return q.head == len(q.list.List) }

// pollStep is how many entries of a list are visited between polls.
const pollStep = 1 << 10

// Stats are figures of a run for its host. The guest sees none of them.
type Stats struct {
	Collections uint64
	GCTime      time.Duration // wall time in collections
}

// Stats returns figures of the run.
func (vm *VM) Stats() Stats { return vm.stats }

// Collect runs a full collection. The guest is stopped: all its pointers are in memory, in the
// module's roots, or known to Exec.MarkRoots.
//
// Finalizers, cleanups and weak pointers follow Go's rules. What an object with a finalizer refers
// to stays alive. When the object itself becomes unreachable, its weak pointers are cleared, its
// finalizer is queued and it stays alive for that. Cleanups wait until the object is gone. They are
// queued in the order of the objects' addresses, with the weak pointers of an object first.
func (vm *VM) Collect() Status {
	if vm.build != nil {
		return vm.build.stop()
	}
	start := time.Now()
	back := vm.CPU.Enter(profile.Collector, "")
	st := vm.collect()
	vm.CPU.Leave(back)
	if st == OK && vm.Heap.Crowded() {
		vm.Exec.DropPools()
	}
	vm.stats.Collections++
	vm.stats.GCTime += time.Since(start)
	return st
}

func (vm *VM) collect() Status {
	h := vm.Heap
	if st := h.BeginMark(); st != memory.StatusOK {
		return vm.HeapStatus("gc", st)
	}
	for i := range vm.Mod.Roots {
		r := &vm.Mod.Roots[i]
		h.MarkRange(r.Addr, uint32(r.Layout), uint32(r.Count))
	}
	if st := vm.Exec.MarkRoots(); st != OK {
		return st
	}
	for i, s := range vm.queue.list.List[vm.queue.head:] {
		if s.Kind == specialFinalizer {
			h.MarkPtr(s.Obj)
		}
		if i%pollStep == pollStep-1 {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
	}
	if st := vm.drain(); st != OK {
		return st
	}
	if st := h.MarkSpecials(specialFinalizer); st != memory.StatusOK {
		return vm.HeapStatus("gc", st)
	}
	if st := vm.drain(); st != OK {
		return st
	}
	dead, st := h.DeadSpecials()
	if st != memory.StatusOK {
		return vm.HeapStatus("gc", st)
	}
	if st := vm.queueSpecials(dead); st != OK {
		return st
	}
	if st := vm.drain(); st != OK {
		return st
	}
	if vm.Watch != nil {
		vm.Watch.Sweeping()
	}
	if st := h.Sweep(); st != memory.StatusOK {
		return vm.HeapStatus("gc", st)
	}
	if vm.types.dynamic {
		vm.forgetTypes()
	}
	if !vm.queue.empty() {
		vm.setFlag(SpecialsFlag)
		vm.setFlag(OthersFlag)
	}
	return OK
}

// drain follows pointers. About every 100 µs it checks whether the run has to end.
func (vm *VM) drain() Status {
	for {
		for !vm.Heap.Drain(memory.MarkQuantum) {
			if st := vm.Poll(); st != OK {
				return st
			}
		}
		if any, st := vm.Exec.MarkLocals(); st != OK || !any {
			return st
		}
	}
}

// queueSpecials queues the specials of unreachable objects that are due. dead is sorted by object.
//
// Everything that an object with a finalizer leads to is marked by now. So an object in dead
// without a finalizer is gone, whatever is revived here.
func (vm *VM) queueSpecials(dead []memory.Special) Status {
	next := len(dead) - pollStep
	for len(dead) > 0 {
		if len(dead) <= next {
			next -= pollStep
			if st := vm.Poll(); st != OK {
				return st
			}
		}
		n, revived := 1, dead[0].Kind == specialFinalizer
		for n < len(dead) && dead[n].Obj == dead[0].Obj {
			revived = revived || dead[n].Kind == specialFinalizer
			if n++; n%pollStep == 0 {
				if st := vm.Poll(); st != OK {
					return st
				}
			}
		}
		group := dead[:n]
		dead = dead[n:]
		for i, s := range group {
			if i%pollStep == pollStep-1 {
				if st := vm.Poll(); st != OK {
					return st
				}
			}
			if s.Kind == specialWeak {
				vm.enqueue(s)
				if revived {
					vm.Heap.RemoveSpecial(s.Obj, s.Kind, s.ID)
				}
			}
		}
		for i, s := range group {
			if i%pollStep == pollStep-1 {
				if st := vm.Poll(); st != OK {
					return st
				}
			}
			switch {
			case s.Kind == specialFinalizer:
				vm.enqueue(s)
				vm.Heap.RemoveSpecial(s.Obj, s.Kind, s.ID)
				vm.Heap.MarkPtr(s.Obj)
			case s.Kind == specialCleanup && !revived:
				vm.enqueue(s)
			}
		}
	}
	return OK
}

// Variables of the overlay that a collection sets to 1 if it has queued something and the module
// has them.
const (
	SpecialsFlag = "gyr_specials"
	OthersFlag   = "gyr_others" // other goroutines may run
)

// setFlag sets a variable of the overlay, if the module has it.
func (vm *VM) setFlag(name string) {
	addr := vm.Mod.Vars[name]
	if addr == 0 {
		return
	}
	if b, ok := vm.Space.Bytes(uint64(addr), 4); ok {
		binary.LittleEndian.PutUint32(b, 1)
	}
}

// collectHosts are the host functions in this file, by their names in ir.Primitives.
var collectHosts = map[string]Func{
	"gc":            hostGC,
	"gcwork":        hostGcwork,
	"owed":          hostOwed,
	"addspecial":    hostAddspecial,
	"removespecial": hostRemovespecial,
	"nextspecial":   hostNextspecial,
}

func hostGC(vm *VM, a *ir.Args) Status {
	if o := vm.Config.Observer; o != nil && o.Collect != nil {
		o.Collect()
	}
	return vm.Collect()
}

func hostGcwork(vm *VM, a *ir.Args) Status {
	a[0] = vm.Heap.Work()
	return OK
}

func hostOwed(vm *VM, a *ir.Args) Status {
	a[3] = vm.Heap.Settle() // the others are not this function's, see the overlay
	return OK
}

func hostAddspecial(vm *VM, a *ir.Args) Status {
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
		case memory.StatusInvalid: // not a heap object
			a[0] = 0
			return OK
		default:
			a[0] = 1
			return vm.HeapStatus("addspecial", st)
		}
	}
	return OutOfMemory
}

func hostRemovespecial(vm *VM, a *ir.Args) Status {
	if a[1] == uint64(uint32(a[1])) {
		vm.Heap.RemoveSpecial(uint32(a[0]), uint32(a[1]), a[2])
	}
	return OK
}

func hostNextspecial(vm *VM, a *ir.Args) Status {
	s, ok := vm.dequeue()
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
