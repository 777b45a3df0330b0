package syscall

import (
	"runtime"
	"sync"
	"unsafe"
)

// Pipes. They are the guest's own affair: the two ends have descriptors that the host knows nothing of, and what was written
// waits in the guest's memory. Package internal/poll waits for them as it does for those of Unix (the runtime's netpoll.go).

const (
	gyrPipeBase = 1 << 20 // descriptors of pipes, runtime.pipeFirst: an even one reads, the next one writes
	gyrPipeSize = 64 << 10
	gyrPipeUnit = 4 << 10 // what no other write comes between
)

// A gyrPipe is a pipe.
type gyrPipe struct {
	fd       int // of the end that is read
	mu       sync.Mutex
	changed  sync.Cond
	data     []byte
	open     [2]bool
	host     int32 // the host's number, once a child has an end; then the data is there
	nonblock [2]bool
}

var gyrPipes struct {
	sync.Mutex
	list []*gyrPipe // nil: both ends are closed
}

// gyrPipeOf returns a pipe and which end of it a descriptor is, nil if it is none.
func gyrPipeOf(fd int) (*gyrPipe, int) {
	i, end := (fd-gyrPipeBase)/2, fd&1
	gyrPipes.Lock()
	defer gyrPipes.Unlock()
	if fd < gyrPipeBase || i >= len(gyrPipes.list) || gyrPipes.list[i] == nil || !gyrPipes.list[i].open[end] {
		return nil, 0
	}
	return gyrPipes.list[i], end
}

// Pipe makes a pipe: what is written to the second descriptor is read from the first.
func Pipe(fd []int) error {
	if len(fd) != 2 {
		return EINVAL
	}
	p := &gyrPipe{open: [2]bool{true, true}}
	p.changed.L = &p.mu
	gyrPipes.Lock()
	defer gyrPipes.Unlock()
	i := 0
	for i < len(gyrPipes.list) && gyrPipes.list[i] != nil {
		i++
	}
	if i == len(gyrPipes.list) {
		gyrPipes.list = append(gyrPipes.list, nil)
	}
	gyrPipes.list[i] = p
	p.fd = gyrPipeBase + 2*i
	fd[0], fd[1] = gyrPipeBase+2*i, gyrPipeBase+2*i+1
	return nil
}

// gyrReady tells who waits to read ('r') or write ('w') that it is worth a try.
func gyrReady(fd uintptr, mode int)

// tell wakes who waits at one end.
func (p *gyrPipe) gyrTell(end int) {
	p.changed.Broadcast()
	gyrReady(uintptr(p.fd+end), int("rw"[end]))
}

func gyrPipeRead(fd int, b []byte) (int, error) {
	p, end := gyrPipeOf(fd)
	if p == nil || end != 0 {
		return -1, EBADF
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for len(p.data) == 0 && len(b) > 0 {
		if p.host != 0 && p.open[0] {
			n := gyrProcRead(p.host, &b[0], int32(min(len(b), gyrPipeSize)))
			if n >= 0 || Errno(-n) != EAGAIN {
				return int(n), errnoErr(Errno(max(-n, 0)))
			}
		}
		switch {
		case !p.open[0]:
			return -1, EBADF
		case !p.open[1] && p.host == 0:
			return 0, nil
		case p.nonblock[0]:
			return -1, EAGAIN
		}
		p.gyrWait(0)
	}
	n := copy(b, p.data)
	if p.data = p.data[n:]; len(p.data) == 0 {
		p.data = nil
	}
	p.gyrTell(1)
	return n, nil
}

func gyrPipeWrite(fd int, b []byte) (int, error) {
	p, end := gyrPipeOf(fd)
	if p == nil || end != 1 {
		return -1, EBADF
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	done := 0
	for done < len(b) {
		if p.host != 0 && p.open[1] {
			n := gyrProcWrite(p.host, &b[done], int32(min(len(b)-done, gyrPipeSize)))
			switch {
			case n > 0:
				done += int(n)
				continue
			case Errno(-n) != EAGAIN:
				return -1, Errno(-n)
			case !p.nonblock[1]:
				p.gyrWait(1)
				continue
			case done == 0:
				return -1, EAGAIN
			}
			break
		}
		if !p.open[0] || !p.open[1] {
			return -1, EPIPE
		}
		room := gyrPipeSize - len(p.data)
		if room == 0 || len(b) <= gyrPipeUnit && room < len(b) {
			if !p.nonblock[1] {
				p.changed.Wait()
				continue
			}
			if done == 0 {
				return -1, EAGAIN
			}
			break
		}
		n := min(room, len(b)-done)
		p.data = append(p.data, b[done:done+n]...)
		done += n
		p.gyrTell(0)
	}
	return done, nil
}

func gyrPipeClose(fd int) error {
	p, end := gyrPipeOf(fd)
	if p == nil {
		return EBADF
	}
	p.mu.Lock()
	p.open[end] = false
	gone := !p.open[1-end]
	if p.host != 0 {
		gyrUnhost(uintptr(p.fd + end))
		gyrProcClose(p.host, int32(end))
	}
	p.gyrTell(1 - end)
	p.mu.Unlock()
	if gone {
		gyrPipes.Lock()
		gyrPipes.list[(fd-gyrPipeBase)/2] = nil
		gyrPipes.Unlock()
	}
	return nil
}

// Read reads from a file.
func Read(fd int, b []byte) (int, error) {
	if fd >= gyrPipeBase {
		return gyrPipeRead(fd, b)
	}
	var n size
	errno := fd_read(int32(fd), makeIOVec(b), 1, &n)
	runtime.KeepAlive(b)
	return int(n), errnoErr(errno)
}

// Write writes to a file.
func Write(fd int, b []byte) (int, error) {
	if fd >= gyrPipeBase {
		return gyrPipeWrite(fd, b)
	}
	var n size
	errno := fd_write(int32(fd), makeIOVec(b), 1, &n)
	runtime.KeepAlive(b)
	return int(n), errnoErr(errno)
}

// Close closes a file.
func Close(fd int) error {
	if fd >= gyrPipeBase {
		return gyrPipeClose(fd)
	}
	return errnoErr(fd_close(int32(fd)))
}

// Seek moves to a place in a file.
func Seek(fd int, offset int64, whence int) (int64, error) {
	if fd >= gyrPipeBase {
		if p, _ := gyrPipeOf(fd); p == nil {
			return 0, EBADF
		}
		return 0, ESPIPE
	}
	var at filesize
	errno := fd_seek(int32(fd), filedelta(offset), uint32(whence), &at)
	return int64(at), errnoErr(errno)
}

// Fstat tells about a file.
func Fstat(fd int, st *Stat_t) error {
	if fd >= gyrPipeBase {
		if p, _ := gyrPipeOf(fd); p == nil {
			return EBADF
		}
		*st = Stat_t{Dev: 3, Ino: uint64(fd-gyrPipeBase)/2 + 1, Filetype: FILETYPE_SOCKET_STREAM, Nlink: 1, Mode: 0600,
			Uid: uint32(Getuid()), Gid: uint32(Getgid())}
		return nil
	}
	if errno := fd_filestat_get(int32(fd), unsafe.Pointer(st)); errno != 0 {
		return errno
	}
	setDefaultMode(st)
	return nil
}

// SetNonblock says whether reading and writing waits.
func SetNonblock(fd int, nonblocking bool) error {
	if fd >= gyrPipeBase {
		p, end := gyrPipeOf(fd)
		if p == nil {
			return EBADF
		}
		p.mu.Lock()
		p.nonblock[end] = nonblocking
		p.mu.Unlock()
		return nil
	}
	flags, err := fd_fdstat_get_flags(fd)
	if err != nil {
		return err
	}
	flags &^= FDFLAG_NONBLOCK
	if nonblocking {
		flags |= FDFLAG_NONBLOCK
	}
	return errnoErr(fd_fdstat_set_flags(int32(fd), flags))
}
