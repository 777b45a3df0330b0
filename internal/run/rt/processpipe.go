package rt

import (
	"errors"
	"syscall"

	"github.com/gyrvm/gyr/internal/run/wasi"
)

// Pipes between programs. A stream is a child's end of one.

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
