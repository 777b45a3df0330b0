package syscall

import "sync"

// File locks. A program is alone with its files while it runs, so its locks are its own affair: flock's exclude other
// descriptors of the program, and fcntl's, which belong to a process, exclude nobody.

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

// A gyrLock is a lock of a file: several descriptors hold it, or one holds it alone.
type gyrLock struct {
	fds   []int
	alone bool
}

var gyrLocks struct {
	sync.Mutex
	freed sync.Cond
	files map[[2]uint64]*gyrLock // by device and number
}

// Flock locks an open file, changes its lock, or unlocks it. It waits for other descriptors unless how has LOCK_NB.
func Flock(fd int, how int) error {
	var st Stat_t
	if err := Fstat(fd, &st); err != nil {
		return err
	}
	op := how &^ LOCK_NB
	if op != LOCK_SH && op != LOCK_EX && op != LOCK_UN {
		return EINVAL
	}
	gyrLocks.Lock()
	defer gyrLocks.Unlock()
	if gyrLocks.files == nil {
		gyrLocks.files, gyrLocks.freed.L = map[[2]uint64]*gyrLock{}, &gyrLocks.Mutex
	}
	file := [2]uint64{st.Dev, st.Ino}
	gyrUnlock(file, fd) // a lock is given up before another one is taken
	for op != LOCK_UN {
		l := gyrLocks.files[file]
		if l == nil {
			gyrLocks.files[file] = &gyrLock{[]int{fd}, op == LOCK_EX}
			break
		}
		if op == LOCK_SH && !l.alone {
			l.fds = append(l.fds, fd)
			break
		}
		if how&LOCK_NB != 0 {
			return EWOULDBLOCK
		}
		gyrLocks.freed.Wait()
		if err := Fstat(fd, &st); err != nil {
			return err // it was closed meanwhile
		}
	}
	return nil
}

// gyrUnlock gives up what a descriptor holds of a file. The table is locked.
func gyrUnlock(file [2]uint64, fd int) {
	l := gyrLocks.files[file]
	if l == nil {
		return
	}
	for i, held := range l.fds {
		if held == fd {
			if l.fds = append(l.fds[:i], l.fds[i+1:]...); len(l.fds) == 0 {
				delete(gyrLocks.files, file)
			}
			gyrLocks.freed.Broadcast()
			return
		}
	}
}

// gyrUnlockAll gives up what a descriptor holds: it is closed.
func gyrUnlockAll(fd int) {
	gyrLocks.Lock()
	defer gyrLocks.Unlock()
	for file := range gyrLocks.files {
		gyrUnlock(file, fd) // at most one has it, so the order does not matter
	}
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
