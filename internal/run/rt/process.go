package rt

import (
	"context"
	"encoding/binary"
	"errors"
	"math"
	"strings"
	"syscall"

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

// A pipe is one of a guest whose ends children have, too. Its data is here from then on.
type pipe struct {
	owner  *VM
	number int
	token  uint32  // the guest is told of its reading end by this number, of the other one by the next
	open   [2]bool // ends of the guest: to read, to write
	others [2]int  // those of children
	data   []byte
}

// tell says to the guest that its ends may be ready.
func (p *pipe) tell() {
	for end, mode := range []byte("rw") {
		if p.open[end] {
			p.owner.procs.tell(p.token+uint32(end), mode)
		}
	}
}

// shut reports whether nobody has an end any more.
func (p *pipe) shut(end int) bool { return !p.open[end] && p.others[end] == 0 }

// read takes data. If there is none it returns 0 at the end, or else an error.
func (p *pipe) read(b []byte) (int, wasi.Errno) {
	n := copy(b, p.data)
	switch {
	case n > 0:
		if p.data = p.data[n:]; len(p.data) == 0 {
			p.data = nil
		}
		p.tell()
	case !p.shut(1):
		return 0, wasi.EAGAIN
	}
	return n, wasi.Success
}

// write adds data, as much as there is room for.
func (p *pipe) write(b []byte) (int, wasi.Errno) {
	switch n := min(len(b), pipeSize-len(p.data)); {
	case p.shut(0):
		return 0, wasi.EPIPE
	case n == 0:
		return 0, wasi.EAGAIN
	default:
		p.data = append(p.data, b[:n]...)
		p.tell()
		return n, wasi.Success
	}
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

// A stream is a child's end of a pipe. It waits for the others.
type stream struct {
	pipe   *pipe
	end    int // 0 reads, 1 writes
	proc   *process
	closed bool
}

// newStream is an end of a pipe for a process.
func newStream(p *pipe, end int, of *process) *stream {
	p.others[end]++
	s := &stream{pipe: p, end: end, proc: of}
	of.pipes = append(of.pipes, s)
	return s
}

// errKilled ends a call of a child that is killed.
var errKilled = errors.New("the process is killed")

// Waits implements [wasi.Stream].
func (s *stream) Waits() {}

func (s *stream) Read(b []byte) (int, error) {
	p := s.pipe
	for len(b) > 0 {
		n, e := p.read(b)
		switch {
		case n > 0:
			return n, nil
		case e == wasi.Success:
			return 0, wasi.EndOfStream
		}
		if !s.proc.awaits(func() bool { return len(p.data) > 0 || p.shut(1) }) {
			return 0, wasi.ErrInterrupted
		}
	}
	return 0, nil
}

func (s *stream) Write(b []byte) (int, error) {
	p := s.pipe
	for len(b) > 0 {
		n, e := p.write(b)
		switch {
		case n > 0:
			return n, nil
		case e == wasi.EPIPE:
			return 0, syscall.EPIPE
		}
		if !s.proc.awaits(func() bool { return len(p.data) < pipeSize || p.shut(0) }) {
			return 0, wasi.ErrInterrupted
		}
	}
	return 0, nil
}

// close closes a child's end.
func (s *stream) close() {
	if !s.closed {
		s.closed = true
		s.pipe.others[s.end]--
		s.pipe.tell()
	}
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

// awaits waits at a pipe. Children of the process have their turns meanwhile.
func (p *process) awaits(ready func() bool) bool {
	vm := p.vm
	for !ready() {
		progress, st := vm.turns()
		if st != OK {
			return false
		}
		wake := vm.wake(never)
		if progress {
			wake = 0
		}
		if !p.pass(wake, func() bool { return ready() || vm.busyChildren() }) {
			return false
		}
	}
	return true
}

// wants reports whether a process has something to do.
func (p *process) wants(now int64) bool {
	return !p.ended && (p.until <= now || p.ready != nil && p.ready())
}

// give gives a process the turn, and charges its parent for it.
func (p *process) give() Status {
	vm := p.parent
	p.vm.Exec.LimitGas(vm.Exec.GasLeft())
	p.vm.Heap.SetLimit(p.vm.Heap.InUse() + vm.room())
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
	p.parent.Exec.Spend(used - p.used)
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
		p.kill(int(syscall.SIGKILL))
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

// processHosts are the host functions in this file, by their names in ir.Primitives.
var processHosts = map[string]Func{
	"child":          hostChild,
	"sigmask":        hostSigmask,
	"gyr_proc.find":  hostProcFind,
	"gyr_proc.start": hostProcStart,
	"gyr_proc.wait":  hostProcWait,
	"gyr_proc.kill":  hostProcKill,
	"gyr_proc.read":  hostProcRead,
	"gyr_proc.write": hostProcWrite,
	"gyr_proc.close": hostProcClose,
	"gyr_proc.await": hostAwaitLock,
}

// hostChild returns the number of the process, 0 for the first one.
func hostChild(vm *VM, a *ir.Args) Status {
	a[0] = 0
	if p := vm.procs.self; p != nil {
		a[0] = uint64(p.number)
	}
	return OK
}

// hostSigmask notes which signals the guest wants to see.
func hostSigmask(vm *VM, a *ir.Args) Status {
	vm.procs.handled = a[0]
	return OK
}

// hostProcFind returns 1 if the text at a[0] names a program.
func hostProcFind(vm *VM, a *ir.Args) Status {
	name, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("find", a[0], a[1])
	}
	found := vm.Config.Start != nil && len(name) <= maxArguments && vm.Config.Finds(string(name))
	a[0] = 0
	if found {
		a[0] = 1
	}
	return OK
}

// What a child gets as one of its first three descriptors, beside a descriptor of the parent.
const (
	nothing = -1 // what is read is empty, what is written is lost
	piped   = -2 // a pipe of the guest's
	same    = -3 // as the one before
)

// hostProcStart starts a program. The text at a[0], of a[1] bytes, has the path, the directory, the
// number of arguments, the arguments and the environment, separated by zeros. At a[2] are three pairs of
// numbers of 32 bits, for the descriptors of the child: one of the parent's descriptors, or nothing,
// same, piped, or the number of a pipe that other children have ends of; and for piped, the number of
// the pipe in the guest. In place of piped the pipe's number here is stored, and behind the pairs the
// number for news of the child.
// The result is the number of the process.
func hostProcStart(vm *VM, a *ir.Args) Status {
	text, ok := vm.bytes(a[0], a[1])
	if !ok {
		return vm.badAddress("start", a[0], a[1])
	}
	fds, st := vm.writable("start", a[2], 28)
	if st != OK {
		return st
	}
	if len(text) > maxArguments {
		return outcome(a, 0, wasi.E2BIG)
	}
	r, ok := readStart(string(text))
	if !ok {
		return outcome(a, 0, wasi.EINVAL)
	}
	if vm.Config.Start == nil || !vm.Config.Finds(r.Path) {
		return outcome(a, 0, wasi.ENOENT)
	}
	if vm.procs.shared == nil {
		vm.procs.shared = &shared{last: 3}
	}
	depth := 1
	if p := vm.procs.self; p != nil {
		depth = p.depth + 1
	}
	if vm.procs.shared.count >= maxProcesses || depth > maxDepth {
		return outcome(a, 0, wasi.EAGAIN)
	}
	vm.Exec.Spend(processGas)
	cost := int64(processMemory)
	for i := range 3 {
		if int32(binary.LittleEndian.Uint32(fds[8*i:])) == piped {
			cost += pipeMemory
		}
	}
	if st := vm.Charge(cost); st != OK {
		return st
	}
	p := &process{parent: vm, depth: depth, turn: make(chan struct{}), back: make(chan struct{}), held: 0}
	stdio, numbers, e := vm.childStdio(p, fds)
	if e != wasi.Success {
		p.unstart(cost)
		return outcome(a, 0, e)
	}
	vm.procs.shared.count++
	vm.procs.shared.last++
	p.number = vm.procs.shared.last
	prog, err := vm.Config.Start(vm, p.setup(r, stdio))
	if err != nil {
		vm.procs.shared.count--
		p.unstart(cost)
		if err == ErrNoRoom {
			return outcome(a, 0, wasi.ENOMEM)
		}
		return vm.Fail("start", err)
	}
	p.prog = prog
	p.wait = vm.procs.add(p)
	vm.procs.list = append(vm.procs.list, p)
	for i, n := range numbers {
		binary.LittleEndian.PutUint32(fds[8*i:], n)
	}
	binary.LittleEndian.PutUint32(fds[24:], p.token())
	go p.main()
	if tell := vm.observed(); tell != nil {
		tell("proc_start(" + strings.Join(r.Args, " ") + ")")
	}
	return outcome(a, int(p.number), wasi.Success)
}

// readStart reads the text of hostProcStart.
func readStart(text string) (r ProcessStart, ok bool) {
	fields := strings.Split(text, "\x00")
	if len(fields) < 3 {
		return r, false
	}
	n := 0
	for _, c := range fields[2] {
		if c < '0' || c > '9' || n > maxArguments {
			return r, false
		}
		n = 10*n + int(c-'0')
	}
	if n < 1 || n > len(fields)-3 {
		return r, false
	}
	return ProcessStart{Path: fields[0], Dir: fields[1], Args: fields[3 : 3+n], Env: fields[3+n:]}, true
}

// childStdio makes the first three descriptors of a child. The numbers are for the guest.
func (vm *VM) childStdio(p *process, fds []byte) (stdio [3]wasi.Inherited, numbers [3]uint32, e wasi.Errno) {
	for i := range stdio {
		fd := int32(binary.LittleEndian.Uint32(fds[8*i:]))
		numbers[i] = uint32(fd)
		end := min(i, 1)
		known, isPipe := vm.procs.end(uint64(fd)).(*pipe)
		switch {
		case fd == piped:
			q := &pipe{owner: vm, open: [2]bool{true, true}, token: binary.LittleEndian.Uint32(fds[8*i+4:])}
			q.number = vm.procs.add(q)
			stdio[i].Stream, numbers[i] = newStream(q, end, p), uint32(firstProcess+q.number)
		case isPipe:
			stdio[i].Stream = newStream(known, end, p)
		case fd == nothing:
		case fd == same && i == 2:
			stdio[2] = stdio[1]
		default:
			if stdio[i], e = vm.sys.Inherit(fd); e != wasi.Success {
				return stdio, numbers, e
			}
			if s, ok := stdio[i].Stream.(*stream); ok { // the parent is a child itself
				stdio[i].Stream = newStream(s.pipe, s.end, p)
			}
		}
	}
	return stdio, numbers, wasi.Success
}

// unstart gives back what a child that did not start has got.
func (p *process) unstart(cost int64) {
	vm := p.parent
	for _, s := range p.pipes {
		s.close()
		if q := s.pipe; q.owner == vm && q.others == [2]int{} {
			vm.procs.ends[q.number] = nil
		}
	}
	vm.Heap.ChargeHost(-cost)
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

// hostProcWait stores in a[1] how process a[0] ended: what Linux has as its status. It returns EAGAIN
// while the process lives.
func hostProcWait(vm *VM, a *ir.Args) Status {
	p := vm.child(a[0])
	switch {
	case p == nil:
		return outcome(a, 0, wasi.ECHILD)
	case !p.ended:
		return outcome(a, 0, wasi.EAGAIN)
	}
	status := p.status
	vm.reap(p)
	a[1] = uint64(status)
	return outcome(a, int(p.number), wasi.Success)
}

// child returns a child that nobody has waited for.
func (vm *VM) child(number uint64) *process {
	for _, p := range vm.procs.list {
		if p.number == int32(uint32(number)) {
			return p
		}
	}
	return nil
}

// reap removes a child that has ended.
func (vm *VM) reap(p *process) {
	for i, q := range vm.procs.list {
		if q == p {
			vm.procs.list = append(vm.procs.list[:i:i], vm.procs.list[i+1:]...)
			break
		}
	}
	vm.procs.ends[p.wait] = nil
	vm.procs.shared.count--
	vm.Heap.ChargeHost(-processMemory)
}

// hostProcKill sends signal a[1] to process a[0].
func hostProcKill(vm *VM, a *ir.Args) Status {
	p, signal := vm.child(a[0]), int(int32(uint32(a[1])))
	switch {
	case p == nil || p.ended:
		return outcome(a, 0, wasi.ESRCH)
	case signal < 0 || signal > 63:
		return outcome(a, 0, wasi.EINVAL)
	case signal == 0 || ignored[syscall.Signal(signal)]:
		return outcome(a, 0, wasi.Success)
	case p.begun && p.vm.procs.handled>>signal&1 != 0 && signal != int(syscall.SIGKILL):
		p.vm.procs.signals = append(p.vm.procs.signals, signal)
		ready := p.ready
		p.ready = func() bool { return len(p.vm.procs.signals) > 0 || ready != nil && ready() }
		return outcome(a, 0, wasi.Success)
	}
	if st := p.kill(signal); st != OK {
		return st
	}
	return outcome(a, 0, wasi.Success)
}

// ignored are the signals that do nothing unless a program asks for them, and those that stop and
// continue it, which are not supported.
var ignored = map[syscall.Signal]bool{syscall.SIGCHLD: true, syscall.SIGURG: true, syscall.SIGWINCH: true, syscall.SIGCONT: true}

// hostProcRead reads up to a[2] bytes from pipe a[0] to a[1]. 0 is the end.
func hostProcRead(vm *VM, a *ir.Args) Status {
	size := uint64(uint32(a[2]))
	b, st := vm.writable("read", a[1], size)
	if st != OK {
		return st
	}
	p, ok := vm.procs.end(a[0]).(*pipe)
	if !ok || size == 0 {
		return outcome(a, 0, wasi.EBADF)
	}
	n, e := p.read(b)
	return outcome(a, n, e)
}

// hostProcWrite writes up to a[2] bytes at a[1] to pipe a[0].
func hostProcWrite(vm *VM, a *ir.Args) Status {
	size := uint64(uint32(a[2]))
	b, ok := vm.bytes(a[1], size)
	if !ok {
		return vm.badAddress("write", a[1], size)
	}
	p, ok := vm.procs.end(a[0]).(*pipe)
	if !ok || size == 0 {
		return outcome(a, 0, wasi.EBADF)
	}
	n, e := p.write(b)
	return outcome(a, n, e)
}

// hostProcClose closes end a[1] of pipe a[0], 0 to read and 1 to write.
func hostProcClose(vm *VM, a *ir.Args) Status {
	p, ok := vm.procs.end(a[0]).(*pipe)
	if !ok || a[1] > 1 || !p.open[a[1]] {
		return outcome(a, 0, wasi.EBADF)
	}
	p.open[a[1]] = false
	p.tell()
	if p.open == [2]bool{} {
		vm.procs.ends[p.number] = nil
		vm.Heap.ChargeHost(-pipeMemory)
	}
	return outcome(a, 0, wasi.Success)
}
