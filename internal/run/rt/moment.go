package rt

import (
	"maps"
	"math/rand/v2"
	"slices"

	"github.com/gyrvm/gyr/internal/run/memory"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// A Moment holds the state of an instance that waits for a call, so that the instance can return to
// it: memory, what the host functions keep, and the tree of files. Taking it and going back cost
// time for what has changed since it was last taken, see [memory.Checkpoint]. The caller copies the
// machine of the tier.
//
// Effects outside the instance are not undone: what was written to streams and granted directories,
// and what host functions did. Host functions may register an undo, see [Undo].
//
// A Moment is not safe for concurrent use.
type Moment struct {
	vm     *VM
	memory *memory.Checkpoint
	files  wasi.Mark

	jumped         int64
	runtime, bytes rand.ChaCha8
	queue          []memory.Special
	mask           int
	stats          Stats
	hints          []Hint
	asked          []string
	handles        int
	kit            kit
}

// A Refusal says why an instance has no Moment.
type Refusal string

func (r Refusal) Error() string { return string(r) }

// NewMoment starts to track changes. Nothing has been taken yet. The tracker may be nil.
func (vm *VM) NewMoment(t *memory.Tracker) (*Moment, error) {
	cp, err := memory.NewCheckpoint(vm.Heap, t)
	if err != nil {
		return nil, err
	}
	return &Moment{vm: vm, memory: cp}, nil
}

// Release stops the tracking.
func (m *Moment) Release() { m.memory.Release() }

// Memory returns the moment's memory.
func (m *Moment) Memory() *memory.Checkpoint { return m.memory }

// Refusal says why the instance cannot be copied now; empty: it can.
func (vm *VM) Refusal() Refusal {
	switch {
	case vm.net != nil:
		return "it has a network (Config.Dial, Config.Listen)"
	case len(vm.Config.Programs) > 0:
		return "it may start programs (Config.Programs)"
	case vm.Config.Realtime:
		return "its clock is the machine's"
	case vm.Config.RealRandom:
		return "its random numbers are the machine's"
	case vm.CPU != nil || vm.Watch != nil || vm.Config.Fuzz != nil || vm.Config.Accounts != nil || vm.Config.Observer != nil:
		return "it is observed"
	case len(vm.procs.list) > 0:
		return "a program that it started lives, or nobody has waited for it"
	case vm.sys.HasOpenFiles():
		return "a file is open"
	case vm.LeftBehind() != nil:
		return "a Reader, Writer or function of the host that a run left behind has not returned"
	case vm.Space.HasBuffers():
		return "there are lent buffers"
	case !vm.Heap.Quiet():
		return "a collection is due"
	case vm.dying || vm.pending != OK || vm.call.waits || vm.call.runs:
		return "it does not wait for a call"
	}
	for _, c := range vm.hosts.open {
		if c != nil {
			return "a call of a function of the host is open"
		}
	}
	return ""
}

// Take makes the moment the present. If it returns a [Refusal], nothing has changed.
func (m *Moment) Take() error {
	vm := m.vm
	if why := vm.Refusal(); why != "" {
		return why
	}
	if err := m.memory.Take(); err != nil {
		return err
	}
	vm.sys.Mark(&m.files)
	m.jumped, m.runtime, m.bytes = vm.clock.jumped, *vm.rng.runtime, *vm.rng.bytes
	m.queue = append(m.queue[:0], vm.queue.list.List[vm.queue.head:]...)
	m.mask, m.stats, m.handles = len(vm.types.mask), vm.stats, len(vm.handles.list)
	m.hints, m.asked, m.kit = vm.Hints, vm.asked, vm.crossing.kit
	return nil
}

// Back returns the instance to the state when the moment was taken. Its machine is gone: the caller
// sets another Exec. An error comes from the operating system, or it is a Refusal because host code
// is still at work in memory; then the instance can only be closed.
func (m *Moment) Back() error {
	vm := m.vm
	if vm.LeftBehind() != nil {
		return Refusal("a Reader, Writer or function of the host that the run left behind has not returned")
	}
	vm.abandonHost()
	vm.sys.Back(&m.files)
	vm.DropMachine()
	if err := m.memory.Back(); err != nil {
		return err
	}
	closeAll(vm.handles.cut(m.handles))
	vm.ExitCode, vm.Err, vm.Fatal, vm.Hints, vm.asked = 0, nil, "", slices.Clip(m.hints), slices.Clip(m.asked)
	vm.super, vm.asides = nil, 0
	s := &vm.state
	s.call = callState{funcs: s.call.funcs}
	s.hosts = hostCalls{co: s.hosts.co, linked: s.hosts.linked}
	s.crossing.kit = m.kit // known types are those of the program's data
	s.clock.jumped = m.jumped
	*s.rng.runtime, *s.rng.bytes = m.runtime, m.bytes
	s.queue.list.List, s.queue.head = s.queue.list.List[:0], 0
	for _, q := range m.queue {
		s.queue.list.Append(q)
	}
	if len(s.types.mask) != m.mask {
		s.types.mask = make([]uint64, m.mask)
	}
	s.stats, s.sha, s.report, s.pending, s.dying = m.stats, sha256State{}, report{}, OK, false
	s.watched = false // the first call is over
	return nil
}

// DropMachine gives the machine back and clears its part of memory. The caller sets another one.
func (vm *VM) DropMachine() {
	if vm.Exec != nil {
		vm.Exec.Release()
		vm.Exec = nil
	}
	vm.forgetTypes()
	context := vm.Space.Context()
	clear(context[len(context)-machineContext:])
}

// machineContext is the size of the machine's part of the context, at its end.
const machineContext = memory.TypeSlots * memory.TypeSlot

// The cache of types lies before it.
var _ = [1]struct{}{}[memory.TypeCache+memory.TypeSlots*memory.TypeSlot+machineContext]

// cut removes the handles after the first n from the table and returns their objects, the last one
// first.
func (t *handles) cut(n int) (list []*object) {
	if n >= len(t.list) {
		return nil
	}
	maps.DeleteFunc(t.numbers, func(_ any, number uint64) bool { return number > uint64(n) })
	list = slices.Clone(t.list[n:])
	slices.Reverse(list)
	clear(t.list[n:])
	t.list = t.list[:n]
	return list
}
