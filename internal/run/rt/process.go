package rt

import (
	"context"
	"errors"
	"math"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Programs that the guest starts (front/guest/_src/answers/syscall/gyr_process.go).
//
// A child is an instance of its own, in the world of its parent: the same files, clock and limits.
// It is a part of the parent's run. Of a parent and its descendants one runs at a time: they pass a
// turn. A parent gives turns to its children whenever its scheduler asks for news (netpoll), which it
// does at the end of each quantum and when no goroutine can run. A child gives the turn back at the
// end of a quantum, when it has nothing to do, or waits at a pipe. So the order of everything follows
// from the programs alone.
//
// What a child used in its turn counts as its parent's use of gas and memory. The limits of a child
// are what its parent has left.

// Limits of the processes of a run, the first one not counted.
const (
	maxProcesses = 64 // that live, or that nobody has waited for
	maxDepth     = 8
	maxArguments = 1 << 20 // bytes of a child's arguments and environment

	// processGas and processMemory are what a child costs beside what it does: its initialisation of
	// the standard library is free, and the host has tables for it.
	processGas    = 1 << 20
	processMemory = 1 << 20

	pipeSize   = 64 << 10
	pipeMemory = pipeSize + 4<<10 // until the guest closes its end
)

// firstProcess is the least number by which the guest knows a child or the end of a pipe to one
// (runtime.procFirst).
const firstProcess = 1 << 29

// never is a time at which nothing happens; the guest waits for it if it has no timer
// (runtime.maxWhen).
const never = int64(math.MaxInt64)

// A ProcessStart is what a guest wants to start.
type ProcessStart struct {
	Path string
	Args []string // with the name
	Env  []string
	Dir  string
}

// A Program is what a process runs. The engine makes it.
type Program interface {
	// Run runs the child to its end.
	// The status is what Linux has: an exit code in the second byte, a signal in the first. An error
	// ends the parent, too.
	Run() (status uint32, err error)
	// Close gives back its resources, after the end.
	Close()
}

// A Starter knows the programs that a guest may start.
type Starter interface {
	// Finds reports whether a path names one.
	Finds(vm *VM, path string) bool
	// Start makes a child of vm, whose path Finds knows.
	Start(vm *VM, c *ChildSetup) (Program, error)
}

// ErrNoRoom says that what the parent has left of its memory is too little for a child.
var ErrNoRoom = errors.New("there is no room for a child")

// processes are the children of an instance, and what it needs to be one.
type processes struct {
	self    *process   // nil: nobody has started it
	shared  *shared    // with all of the run; nil: it has no children
	list    []*process // that live, or that nobody has waited for
	ends    []any      // *process or *pipe, by number; nil: free
	news    []news
	signals []int  // that the guest has not seen
	locks   bool   // the guest has waited for the lock of a file
	handled uint64 // signals that the guest wants to see
}

// shared is what the processes of a run have in common.
type shared struct {
	count int
	last  int32 // process number
}

// news says that an end may be ready.
type news struct {
	token uint32
	mode  byte // 'r' or 'w'
}

// A process is a child.
type process struct {
	number int32
	parent *VM
	wait   int // number of its end
	depth  int
	vm     *VM
	prog   Program
	pipes  []*stream

	turn, back chan struct{}
	begun      bool
	until      int64       // when it wants the next turn
	ready      func() bool // what else makes it ready; nil: nothing
	used       int64       // gas that its parent has been charged for
	held       int64       // memory

	killed int // the signal that ended it
	ended  bool
	status uint32 // as Linux has it: exit code in the second byte, signal in the first
	fatal  error  // ends its parent as well
}

func (s *processes) tell(token uint32, mode byte) {
	for _, n := range s.news {
		if n == (news{token, mode}) {
			return
		}
	}
	s.news = append(s.news, news{token, mode})
}

// add gives a number to a child or a pipe, at least 1: 0 is for locks of files.
func (s *processes) add(end any) int {
	if len(s.ends) == 0 {
		s.ends = append(s.ends, 0)
	}
	for i, e := range s.ends {
		if e == nil {
			s.ends[i] = end
			return i
		}
	}
	s.ends = append(s.ends, end)
	return len(s.ends) - 1
}

// end returns what has a number.
func (s *processes) end(number uint64) any {
	if i := int64(int32(uint32(number))) - firstProcess; i >= 0 && i < int64(len(s.ends)) {
		return s.ends[i]
	}
	return nil
}

// pass gives the turn back to the parent until the time comes, or ready says so. It returns false if
// the process has to end.
func (p *process) pass(until int64, ready func() bool) bool {
	p.until, p.ready = until, ready
	p.back <- struct{}{}
	<-p.turn
	p.until, p.ready = 0, nil
	if p.killed != 0 {
		p.vm.Err = errKilled
		return false
	}
	return p.vm.Poll() == OK
}

// wants reports whether a process has something to do.
func (p *process) wants(now int64) bool {
	return !p.ended && (p.until <= now || p.ready != nil && p.ready())
}

// give gives a process the turn, and charges its parent for it.
func (p *process) give() Status {
	vm := p.parent
	p.vm.Exec.LimitGas(vm.Exec.GasLeft())
	p.vm.Config.Memory = p.vm.Heap.InUse() + vm.room()
	p.vm.Heap.SetLimit(p.vm.Config.Memory)
	if !vm.clock.real {
		p.vm.clock.jumped = satAdd(p.vm.clock.jumped, vm.Nanotime()-p.vm.Nanotime())
	}
	p.begun = true
	p.turn <- struct{}{}
	<-p.back
	if p.ended {
		p.close()
		vm.procs.tell(p.token(), 'r')
		if p.fatal != nil {
			return vm.Fail("process", p.fatal)
		}
	} else {
		return p.charge(p.vm.Exec.Elapsed(), int64(p.vm.Heap.InUse()))
	}
	return OK
}

// charge charges the parent for what a process has used by now.
func (p *process) charge(used, held int64) Status {
	p.parent.Exec.SpendOutside(used - p.used)
	more := held - p.held
	p.used, p.held = used, held
	return p.parent.Charge(more)
}

// room is the memory that a machine has left.
func (vm *VM) room() uint64 {
	limit, used := vm.memoryLimit(), vm.Heap.InUse()
	return limit - min(limit, used)
}

// token is the number by which the guest is told that the process has ended.
func (p *process) token() uint32 { return uint32(firstProcess + p.wait) }

// main is the goroutine of a process.
func (p *process) main() {
	<-p.turn
	status, err := uint32(0), error(nil)
	returned := false
	defer func() {
		if !returned {
			recover()
			err = errors.New("the host's code ended the goroutine of a process")
		}
		p.vm.endProcesses()
		p.finish(status, err)
		p.back <- struct{}{}
	}()
	if p.killed == 0 {
		status, err = p.prog.Run()
	}
	returned = true
}

// finish notes how a process ended.
func (p *process) finish(status uint32, err error) {
	switch {
	case p.killed != 0:
		p.status = uint32(p.killed)
	case err != nil:
		p.fatal = err
	default:
		p.status = status
	}
	p.ended = true
	for _, s := range p.pipes {
		s.close()
	}
}

// close charges for the rest of what an ended process used, and gives back its memory.
func (p *process) close() {
	p.charge(max(p.used, p.vm.Exec.Elapsed()), 0)
	p.prog.Close()
}

// first is the machine of the first program of the run.
func (p *process) first() *VM {
	vm := p.parent
	for vm.procs.self != nil {
		vm = vm.procs.self.parent
	}
	return vm
}

// beChild says whether the machine is a child.
func (vm *VM) beChild(c *ChildSetup) {
	if c != nil {
		vm.procs.self, vm.procs.shared = c.self, c.self.parent.procs.shared
		c.self.vm = vm
	}
}

// deadlocked is a number that says that nothing can ever happen.
const deadlocked = ^uint64(0)

// processNews is hostNetpoll for a child, and for a program with children.
func (vm *VM) processNews(until int64, a *ir.Args) Status {
	if until > 0 {
		if dead, st := vm.await(until); st != OK {
			return st
		} else if dead {
			a[0], a[1] = deadlocked, 0
			return OK
		}
	} else {
		if _, st := vm.turns(); st != OK {
			return st
		}
		if p := vm.procs.self; p != nil && !p.pass(0, nil) {
			return vm.killedStatus()
		}
	}
	return vm.takeNews(a)
}

// takeNews stores the number of an end that may be ready, or of a signal.
func (vm *VM) takeNews(a *ir.Args) Status {
	a[0], a[1] = 0, 0
	if vm.net != nil {
		vm.reclaim()
		if st := vm.netCrashed(); st != OK {
			return st
		}
	}
	s := &vm.procs
	switch {
	case len(s.signals) > 0:
		a[0] = uint64(s.signals[0])
		s.signals = s.signals[1:]
	case len(s.news) > 0:
		a[0], a[1] = uint64(s.news[0].token), uint64(s.news[0].mode)
		s.news = s.news[1:]
	case vm.net != nil:
		if token, mode, ok := vm.net.Next(); ok {
			a[0], a[1] = uint64(token), uint64("rw"[mode])
		}
	}
	return OK
}

// await lets time pass until the clock shows until, or there is news. It gives turns to children
// meanwhile, and the turn back if the machine is a child. It reports whether nothing can ever happen.
func (vm *VM) await(until int64) (dead bool, st Status) {
	for {
		if st := vm.Poll(); st != OK {
			return false, st
		}
		progress, st := vm.turns()
		if st != OK {
			return false, st
		}
		if len(vm.procs.news)+len(vm.procs.signals) > 0 || until <= vm.Nanotime() {
			return false, OK
		}
		wake := vm.wake(until)
		switch p := vm.procs.self; {
		case p != nil:
			if progress {
				wake = 0
			}
			if !p.pass(wake, vm.busyChildren) {
				return false, vm.killedStatus()
			}
		case progress:
		case vm.net != nil:
			if vm.net.HasNews() {
				return false, OK
			}
			if st := vm.awaitNetwork(wake); st != OK {
				return false, st
			}
		case wake == never:
			return true, OK
		default:
			if st := vm.jump(wake); st != OK {
				return false, st
			}
		}
	}
}

// kill ends a process at once. Its descendants end with it.
func (p *process) kill(signal int) Status {
	if p.ended {
		return OK
	}
	p.killed = signal
	return p.give()
}

// turns gives each child that has something to do one turn.
func (vm *VM) turns() (progress bool, st Status) {
	now := vm.Nanotime()
	for _, p := range append([]*process(nil), vm.procs.list...) {
		if p.wants(now) {
			progress = true
			if st := p.give(); st != OK {
				return true, st
			}
		}
	}
	return progress, OK
}

// wake is the first time at which a child has something to do.
func (vm *VM) wake(until int64) int64 {
	for _, p := range vm.procs.list {
		if !p.ended {
			until = min(until, p.until)
		}
	}
	return until
}

// busyChildren reports whether a child has something to do, or there is news of one.
func (vm *VM) busyChildren() bool {
	now := vm.Nanotime()
	for _, p := range vm.procs.list {
		if p.wants(now) {
			return true
		}
	}
	return len(vm.procs.news)+len(vm.procs.signals) > 0
}

// alone reports whether the machine neither is a child nor has children, and has not waited for a lock.
func (vm *VM) alone() bool {
	return vm.procs.self == nil && len(vm.procs.list) == 0 && !vm.procs.locks
}

// unlocked tells all programs of the run that wait for a lock that one was given up.
func (vm *VM) unlocked() {
	first := vm
	if p := vm.procs.self; p != nil {
		first = p.first()
	}
	first.tellLock()
}

func (vm *VM) tellLock() {
	if vm.procs.locks {
		vm.procs.tell(firstProcess, 'r')
	}
	for _, p := range vm.procs.list {
		p.vm.tellLock()
	}
}

// hostAwaitLock says that the guest waits until a lock of a file is given up.
func hostAwaitLock(vm *VM, _ *ir.Args) Status {
	vm.procs.locks = true
	return OK
}

// endProcesses ends all children: the program has ended.
func (vm *VM) endProcesses() {
	for _, p := range vm.procs.list {
		p.kill(Killed)
		vm.procs.shared.count--
	}
	vm.procs.list, vm.procs.ends, vm.procs.news = nil, nil, nil
}

// killedStatus is the status of a child that has to end.
func (vm *VM) killedStatus() Status {
	if vm.Err == errKilled {
		return Interrupted
	}
	return vm.interrupt()
}

// A ChildSetup is what the machine that starts a child gives to the engine.
type ChildSetup struct {
	ProcessStart
	Gas    int64 // 0: no limit
	Memory uint64
	World  *wasi.World
	Stop   *Stop
	// Context ends the child with its parent.
	Context context.Context

	self *process
}

// Number is the number of the process.
func (c *ChildSetup) Number() int32 { return c.self.number }

// setup is what the engine needs to know of a child.
func (p *process) setup(r ProcessStart, stdio [3]wasi.Inherited) *ChildSetup {
	vm := p.parent
	c := &ChildSetup{ProcessStart: r, self: p, Memory: vm.room(), World: vm.sys.World(stdio), Stop: vm.Config.Stop, Context: vm.untilDeadline()}
	if vm.Exec.GasLimit() > 0 {
		c.Gas = max(1, vm.Exec.GasLeft())
	}
	return c
}
