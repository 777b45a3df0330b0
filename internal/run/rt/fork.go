package rt

import (
	"errors"
	"fmt"
	"maps"
	"slices"

	"github.com/gyrvm/gyr/internal/run/memory"
)

// Output returns how many bytes the guest has written of those that count against Config.Output.
func (vm *VM) Output() int64 { return vm.sys.Written() }

// Fork makes a machine that is where the moment is: it was taken, and nothing has run since. The
// configuration grants what that of the moment's machine does. The caller sets Exec. A [Refusal]
// says what the guest has of its host, and no other machine can have.
func (m *Moment) Fork(c Config) (_ *VM, _ memory.Forked, err error) {
	was := m.vm
	if n := len(was.handles.list); n > 0 {
		return nil, memory.Forked{}, Refusal(fmt.Sprintf("the guest was given handles of %d objects of the host, the first one a %v", n, was.handles.list[0].typ))
	}
	vm := &VM{Mod: was.Mod, snap: was.snap}
	if vm.Space, err = memory.ReserveOnly(); err != nil {
		return nil, memory.Forked{}, err
	}
	heap, f, err := m.memory.Fork(vm.Space)
	vm.Heap = heap
	if err == nil {
		err = vm.adopt(m, c)
	}
	if err != nil {
		vm.Space.Release()
		return nil, f, err
	}
	return vm, f, nil
}

// adopt makes a machine, which has the memory of a moment, what the moment's is.
func (vm *VM) adopt(m *Moment, c Config) error {
	was := m.vm
	from, err := was.Space.Counters(vm.Mod.Counters)
	if err != nil {
		return err
	}
	counters, err := vm.Space.Counters(vm.Mod.Counters)
	if err != nil {
		return err
	}
	copy(counters, from)
	vm.Config = c
	if vm.memoryLimit() != was.memoryLimit() {
		return errors.New("rt: a fork with another limit of memory")
	}
	if err := vm.configure(c, nil); err != nil {
		return err
	}
	vm.sys.Adopt(&m.files, was.sys)
	vm.inits, vm.Began = was.inits, was.Began
	vm.call.funcs = slices.Clip(was.call.funcs)
	vm.crossing = crossing{kit: m.kit, byHost: maps.Clone(was.crossing.byHost)}
	vm.clock.jumped = m.jumped
	*vm.rng.runtime, *vm.rng.bytes = m.runtime, m.bytes
	for _, q := range m.queue {
		vm.queue.list.Append(q)
	}
	vm.types.mask = make([]uint64, m.mask)
	vm.stats, vm.Hints, vm.asked = m.stats, slices.Clone(m.hints), slices.Clone(m.asked)
	return nil
}
