package syscall

import "sync"

// File locks. The host keeps those of flock: they exclude other descriptors of the program and of those that it starts. Those of
// fcntl belong to a process, and exclude nobody.

// Operations of Flock, as on Linux.
const (
	LOCK_SH = 0x1
	LOCK_EX = 0x2
	LOCK_NB = 0x4
	LOCK_UN = 0x8

	EWOULDBLOCK = EAGAIN
)

// Flock_t is what FcntlFlock locks: a part of a file.
type Flock_t struct {
	Type   int16
	Whence int16
	Start  int64
	Len    int64
	Pid    int32
}

// gyrHost tells the runtime that the host has news under a number, gyrAwait waits for some.
func gyrHost(fd uintptr)
func gyrAwait(fd uintptr, mode int)

//go:wasmimport gyr_fs flock
func gyrFlock(fd, op int32) Errno

//go:wasmimport gyr_proc await
func gyrAwaitLock()

// gyrLockNews is the number of the news that a lock was given up.
const gyrLockNews = 1 << 29

// gyrLockers are the goroutines that wait for a lock. One of them waits for the news.
var gyrLockers struct {
	sync.Mutex
	news  bool
	freed sync.Cond
}

// Flock locks an open file, changes its lock, or unlocks it. It waits for other descriptors, those of programs that it started
// too, unless how has LOCK_NB.
func Flock(fd int, how int) error {
	if fd >= 1<<20 { // a pipe, whose ends are this program's alone
		var st Stat_t
		return Fstat(fd, &st)
	}
	for waits := false; ; {
		errno := gyrFlock(int32(fd), int32(how&^LOCK_NB))
		switch {
		case errno != EAGAIN || how&LOCK_NB != 0:
			return errnoErr(errno)
		case waits:
			gyrLockWait()
		default: // from now on no news is lost
			gyrAwaitLock()
			gyrHost(gyrLockNews)
			waits = true
		}
	}
}

// gyrLockWait waits until some lock was given up.
func gyrLockWait() {
	l := &gyrLockers
	l.Lock()
	defer l.Unlock()
	l.freed.L = &l.Mutex
	if l.news {
		l.freed.Wait()
		return
	}
	l.news = true
	l.Unlock()
	gyrAwait(gyrLockNews, 'r')
	l.Lock()
	l.news = false
	l.freed.Broadcast()
}

// FcntlFlock locks a part of a file for the process, or tells what other process has it locked: none.
func FcntlFlock(fd uintptr, cmd int, lk *Flock_t) error {
	var st Stat_t
	if err := Fstat(int(fd), &st); err != nil {
		return err
	}
	switch {
	case lk == nil:
		return EFAULT
	case cmd != F_GETLK && cmd != F_SETLK && cmd != F_SETLKW,
		lk.Type != F_RDLCK && lk.Type != F_WRLCK && (lk.Type != F_UNLCK || cmd == F_GETLK):
		return EINVAL
	}
	if cmd == F_GETLK {
		lk.Type = F_UNLCK
	}
	return nil
}
