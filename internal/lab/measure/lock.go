package measure

import (
	"context"
	"os"
	"path/filepath"
	"time"
)

// LockFile is the file of the machine's lock for measuring: one for all users and all sessions.
func LockFile() string { return filepath.Join(os.TempDir(), "gyr-measure.lock") }

// lockInterval is how often is looked whether the lock is free.
const lockInterval = 50 * time.Millisecond

// A Lock keeps others on the machine from measuring at the same time. The kernel gives it up when its process
// ends, however that ends, so there is no stale one.
type Lock struct{ f *os.File }

// AcquireLock waits for the lock of the file, which it makes if it is not there, until ctx
// ends. It does not exclude a second lock of the same process on systems where locks belong to
// processes, so a process takes it once.
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

// openLock opens the file for reading, which is all that a lock needs, and which works with
// a file that another user made in a directory for all.
func openLock(file string) (*os.File, error) {
	f, err := os.Open(file)
	if !os.IsNotExist(err) {
		return f, err
	}
	f, err = os.OpenFile(file, os.O_RDONLY|os.O_CREATE, 0o666)
	if err == nil {
		f.Chmod(0o666) // against the umask; who cannot does without
	}
	return f, err
}
