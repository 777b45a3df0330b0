package rt

import (
	"encoding/binary"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/run/wasi"
)

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
	found := vm.Config.Starter != nil && len(name) <= maxArguments && vm.Config.Starter.Finds(vm, string(name))
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
	if vm.Config.Starter == nil || !vm.Config.Starter.Finds(vm, r.Path) {
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
	prog, err := vm.Config.Starter.Start(vm, p.setup(r, stdio))
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
	case signal == 0:
		return outcome(a, 0, wasi.Success)
	case p.begun && p.vm.procs.handled>>signal&1 != 0 && signal != Killed:
		p.vm.procs.signals = append(p.vm.procs.signals, signal)
		ready := p.ready
		p.ready = func() bool { return len(p.vm.procs.signals) > 0 || ready != nil && ready() }
		return outcome(a, 0, wasi.Success)
	}
	switch {
	case idleSignals>>signal&1 != 0:
	case stopSignals>>signal&1 != 0:
		return outcome(a, 0, wasi.ENOTSUP)
	default:
		if st := p.kill(signal); st != OK {
			return st
		}
	}
	return outcome(a, 0, wasi.Success)
}

// Killed is the signal that ends a program whatever it asks for. Signals have the guest's numbers, which
// are those of WASI.
const Killed = 9

// Signals that do nothing unless a program asks for them (SIGCHLD, SIGCONT, SIGURG, SIGWINCH), and those
// that would stop it (SIGSTOP, SIGTSTP, SIGTTIN, SIGTTOU), which is not supported.
const (
	idleSignals = 1<<16 | 1<<17 | 1<<22 | 1<<27
	stopSignals = 1<<18 | 1<<19 | 1<<20 | 1<<21
)

// hostProcRead reads up to a[2] bytes from pipe a[0] to a[1]. 0 is the end.
func hostProcRead(vm *VM, a *ir.Args) Status {
	b, st := vm.writable("read", a[1], uint64(uint32(a[2])))
	if st != OK {
		return st
	}
	return vm.usePipe(a, b, (*pipe).read)
}

// hostProcWrite writes up to a[2] bytes at a[1] to pipe a[0].
func hostProcWrite(vm *VM, a *ir.Args) Status {
	size := uint64(uint32(a[2]))
	b, ok := vm.bytes(a[1], size)
	if !ok {
		return vm.badAddress("write", a[1], size)
	}
	return vm.usePipe(a, b, (*pipe).write)
}

func (vm *VM) usePipe(a *ir.Args, b []byte, use func(*pipe, []byte) (int, wasi.Errno)) Status {
	p, ok := vm.procs.end(a[0]).(*pipe)
	if !ok || len(b) == 0 {
		return outcome(a, 0, wasi.EBADF)
	}
	n, e := use(p, b)
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
