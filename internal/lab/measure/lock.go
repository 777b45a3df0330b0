package measure

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
	"unicode"
)

// LockFile is the file of the machine's lock for measuring. All users share it, and all processes
// that share a file system. So its place does not depend on the environment.
func LockFile() string { return filepath.Join(sharedDir, "gyr-measure.lock") }

// lockInterval is how often AcquireLock tries the lock again.
const lockInterval = 50 * time.Millisecond

// A Lock keeps others on the machine from measuring at the same time. The kernel releases it when
// its process ends in any way, so no lock is ever stale.
type Lock struct{ f *os.File }

// AcquireLock waits for the lock of the file until ctx ends. It makes the file if it does not
// exist. On systems where locks belong to processes it does not exclude a second lock of the same
// process, so a process takes it once.
func AcquireLock(ctx context.Context, file string) (*Lock, error) {
	for {
		l, err := TryLock(file)
		if l != nil || err != nil {
			return l, err
		}
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case <-time.After(lockInterval):
		}
	}
}

// TryLock takes the lock if it is free, and returns nil if it is not. The file then names the
// holder, if this user may write to it.
func TryLock(file string) (*Lock, error) {
	f, err := openLock(file)
	if err != nil {
		return nil, err
	}
	ok, err := lockFile(f)
	if !ok || err != nil {
		f.Close()
		return nil, err
	}
	l := &Lock{f}
	l.name(fmt.Sprintf("process %d of user %d: %s\n", os.Getpid(), os.Getuid(), strings.Join(os.Args[:min(len(os.Args), 3)], " ")))
	return l, nil
}

// Release gives the lock up.
func (l *Lock) Release() error {
	l.name("")
	return l.f.Close()
}

// name writes the holder's name into the file. It only writes to a regular file without other
// names: anybody may put anything into a shared directory. The lock holds without a name.
func (l *Lock) name(text string) {
	if ownFile(l.f) && l.f.Truncate(0) == nil {
		l.f.WriteAt([]byte(text), 0)
	}
}

// Holder names the process that holds the lock of a file, as far as that is known.
func Holder(file string) string {
	const unknown, most = "another process", 200
	f, err := openLock(file)
	if err != nil {
		return unknown
	}
	defer f.Close()
	text := make([]byte, most)
	n, _ := f.ReadAt(text, 0)
	line, _, whole := strings.Cut(string(text[:n]), "\n")
	if !whole && n < most || strings.TrimSpace(line) == "" {
		return unknown
	}
	return strings.Map(func(c rune) rune {
		if !unicode.IsPrint(c) {
			return '?'
		}
		return c
	}, line)
}

// openLock opens the file, for writing if this user may. To read is all that a lock needs, and it
// works with a file that another user made in a shared directory.
func openLock(file string) (*os.File, error) {
	f, err := os.OpenFile(file, os.O_RDWR|openFlags, 0)
	if os.IsPermission(err) {
		f, err = os.OpenFile(file, os.O_RDONLY|openFlags, 0)
	}
	if !os.IsNotExist(err) {
		return f, err
	}
	f, err = os.OpenFile(file, os.O_RDWR|os.O_CREATE|openFlags, 0o666)
	if err == nil {
		f.Chmod(0o666) // against the umask; an error does not matter
	}
	return f, err
}
