package syscall

import (
	"sync"
	"unsafe"
)

// Programs that the program starts. The host runs them, in turns with this one (rt/process.go). When a child gets an end of a
// gyrPipe, the pipe moves to the host.

//go:wasmimport gyr_proc find
//go:noescape
func gyrProcFind(name *byte, n int64) int32

//go:wasmimport gyr_proc start
//go:noescape
func gyrProcStart(text *byte, n int64, fds *[7]int32) int32

//go:wasmimport gyr_proc wait
func gyrProcWait(pid int32) (result, status int32)

//go:wasmimport gyr_proc kill
func gyrProcKill(pid, signal int32) int32

//go:wasmimport gyr_proc read
//go:noescape
func gyrProcRead(pipe int32, p *byte, n int32) int32

//go:wasmimport gyr_proc write
//go:noescape
func gyrProcWrite(pipe int32, p *byte, n int32) int32

//go:wasmimport gyr_proc close
func gyrProcClose(pipe, end int32) int32

// What a child has as one of its first three descriptors, beside one of the program's.
const (
	gyrNothing = -1
	gyrPiped   = -2
	gyrSame    = -3
)

// gyrUnhost tells the runtime that the host has no more news of a child or a pipe.
func gyrUnhost(fd uintptr)

// gyrFind reports whether a path names a program that can be started.
//
//go:linkname gyrFind
func gyrFind(path string) bool {
	return path != "" && gyrProcFind(unsafe.StringData(path), int64(len(path))) != 0
}

// gyrProcessError says why there is nobody to start, to wait for or to send a signal. It is the number of the error for
// those who ask.
type gyrProcessError struct {
	Errno
	text string
}

func (e gyrProcessError) Error() string { return e.text }
func (e gyrProcessError) Unwrap() error { return e.Errno }

// gyrWhy says why a program cannot be started.
//
//go:linkname gyrWhy
func gyrWhy(path string) string {
	for i := len(path) - 1; i >= 0; i-- {
		if path[i] == '/' {
			path = path[i+1:]
			break
		}
	}
	if path == "go" {
		return "the go command does not run in this sandbox: it compiles and starts programs of the machine"
	}
	return "there is no such program in this sandbox: a program can start itself, and those that its host gives it"
}

// A gyrChild is a program that was started and not waited for.
type gyrChild struct {
	pid  int
	news uintptr // the number for its end
	once sync.Mutex
}

var gyrChildren struct {
	sync.Mutex
	list []*gyrChild
}

func gyrChildOf(pid int) *gyrChild {
	gyrChildren.Lock()
	defer gyrChildren.Unlock()
	for _, c := range gyrChildren.list {
		if c.pid == pid || pid == -1 {
			return c
		}
	}
	return nil
}

func StartProcess(argv0 string, argv []string, attr *ProcAttr) (pid int, handle uintptr, err error) {
	if attr == nil {
		attr = &ProcAttr{}
	}
	if !gyrFind(argv0) {
		return 0, 0, gyrProcessError{ENOENT, gyrWhy(argv0)}
	}
	if len(argv) == 0 {
		argv = []string{argv0}
	}
	if len(attr.Files) > 3 {
		return 0, 0, gyrProcessError{EINVAL, "a child has three descriptors of the program that starts it"}
	}
	dir := attr.Dir
	if dir == "" {
		dir = cwd
	} else if !isAbs(dir) {
		dir = joinPath(cwd, dir)
	}
	env := attr.Env
	if env == nil {
		env = Environ()
	}
	text := make([]byte, 0, 256)
	add := func(s string) {
		for i := range len(s) {
			if s[i] == 0 {
				err = EINVAL
			}
		}
		text = append(append(text, 0), s...)
	}
	text = append(text, argv0...)
	add(dir)
	add(gyrItoa(len(argv)))
	for _, s := range argv {
		add(s)
	}
	for _, s := range env {
		if len(s) < 4 || s[:4] != "PWD=" {
			add(s)
		}
	}
	add("PWD=" + dir)
	if err != nil {
		return 0, 0, err
	}
	var fds [7]int32
	var pipes [3]*gyrPipe
	for i := range pipes {
		fd := -1
		if i < len(attr.Files) {
			fd = int(int32(attr.Files[i]))
		}
		switch p, end := gyrPipeOf(fd); {
		case fd < 0:
			fds[2*i] = gyrNothing
		case i == 2 && len(attr.Files) > 1 && attr.Files[1] == attr.Files[2]:
			fds[4] = gyrSame
		case fd < gyrPipeBase:
			fds[2*i] = int32(fd)
		case p == nil || (end == 0) != (i == 0):
			return 0, 0, EBADF
		case p.host != 0:
			fds[2*i] = p.host
		default:
			pipes[i], fds[2*i], fds[2*i+1] = p, gyrPiped, int32(p.fd)
		}
	}
	n := gyrProcStart(&text[0], int64(len(text)), &fds)
	if n < 0 {
		if Errno(-n) == EAGAIN {
			return 0, 0, gyrProcessError{EAGAIN, "too many processes live"}
		}
		return 0, 0, Errno(-n)
	}
	for i, p := range pipes {
		if p != nil {
			p.gyrShare(fds[2*i])
		}
	}
	c := &gyrChild{pid: int(n), news: uintptr(fds[6])}
	gyrHost(c.news)
	gyrChildren.Lock()
	gyrChildren.list = append(gyrChildren.list, c)
	gyrChildren.Unlock()
	return c.pid, 0, nil
}

func gyrItoa(n int) string {
	if n < 10 {
		return string(rune('0' + n))
	}
	return gyrItoa(n/10) + string(rune('0'+n%10))
}

// gyrShare moves a pipe to the host: a child has an end.
func (p *gyrPipe) gyrShare(host int32) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.host = host
	for len(p.data) > 0 {
		n := gyrProcWrite(host, &p.data[0], int32(len(p.data)))
		if n <= 0 {
			break
		}
		p.data = p.data[n:]
	}
	p.data = nil
	for end := range p.open {
		if p.open[end] {
			gyrHost(uintptr(p.fd + end))
		} else {
			gyrProcClose(host, int32(end))
		}
	}
	p.changed.Broadcast() // who waits here goes on there
}

// gyrWait waits until something may have changed at an end. The pipe is locked.
func (p *gyrPipe) gyrWait(end int) {
	if p.host == 0 {
		p.changed.Wait()
		return
	}
	p.mu.Unlock()
	gyrAwait(uintptr(p.fd+end), int("rw"[end]))
	p.mu.Lock()
}

func Wait4(pid int, wstatus *WaitStatus, options int, rusage *Rusage) (wpid int, err error) {
	c := gyrChildOf(pid)
	if c == nil {
		return 0, ECHILD
	}
	c.once.Lock()
	defer c.once.Unlock()
	for {
		n, status := gyrProcWait(int32(c.pid))
		switch {
		case n >= 0:
			gyrUnhost(c.news)
			gyrChildren.Lock()
			for i, other := range gyrChildren.list {
				if other == c {
					gyrChildren.list = append(gyrChildren.list[:i], gyrChildren.list[i+1:]...)
					break
				}
			}
			gyrChildren.Unlock()
			if wstatus != nil {
				*wstatus = WaitStatus(status)
			}
			if rusage != nil {
				*rusage = Rusage{}
			}
			return c.pid, nil
		case Errno(-n) != EAGAIN:
			return 0, Errno(-n)
		case options&1 != 0: // WNOHANG
			return 0, nil
		}
		gyrAwait(c.news, 'r')
	}
}

// How a program ended, as on Linux.

func (w WaitStatus) Exited() bool   { return w&0x7f == 0 }
func (w WaitStatus) Signaled() bool { return w&0x7f != 0 }
func (w WaitStatus) ExitStatus() int {
	if !w.Exited() {
		return -1
	}
	return int(w>>8) & 0xff
}

func (w WaitStatus) Signal() Signal {
	if !w.Signaled() {
		return 0
	}
	return Signal(w & 0x7f)
}

// gyrRaise gives a signal to package os/signal, and reports whether anybody cares.
func gyrRaise(sig uint32) bool

// Kill sends a signal to a child, or to the program itself: to those who asked package os/signal for it, or else
// it ends the program.
func Kill(pid int, signum Signal) error {
	switch {
	case pid > 0 && pid != Getpid():
		if n := gyrProcKill(int32(pid), int32(signum)); n < 0 {
			return Errno(-n)
		}
		return nil
	case signum < 0 || signum >= 64:
		return EINVAL
	case signum == 0: // a question whether the process is there
		return nil
	case signum != SIGKILL && gyrRaise(uint32(signum)):
		return nil
	}
	ProcExit(128 + int32(signum))
	return nil
}
