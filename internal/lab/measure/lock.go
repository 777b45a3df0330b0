package measure

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// LockFile is the file of the machine's lock for measuring. All users and all sessions share it.
func LockFile() string { return filepath.Join(os.TempDir(), "gyr-measure.lock") }

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

// TryLock takes the lock if it is free, and returns nil if it is not.
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
	return &Lock{f}, nil
}

// Release gives the lock up.
func (l *Lock) Release() error { return l.f.Close() }

// openLock opens the file for reading. That is all that a lock needs, and it works with a file that
// another user made in a shared directory.
func openLock(file string) (*os.File, error) {
	f, err := os.Open(file)
	if !os.IsNotExist(err) {
		return f, err
	}
	f, err = os.OpenFile(file, os.O_RDONLY|os.O_CREATE, 0o666)
	if err == nil {
		f.Chmod(0o666) // against the umask; an error does not matter
	}
	return f, err
}
