package pebble

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"sync"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// A failStop is a file system that stops at the first write that fails. Whatever is written from then on goes into a
// memory of its own, successfully, and nothing on the disk changes any more, as if there had been a crash.
//
// Pebble ends the process, or panics where it cannot be recovered, when a log or a manifest cannot be written. A full disk
// must not end a host; so Pebble never hears of it, and the backend asks the file system after each write whether it was real.
type failStop struct {
	vfs.FS

	mu     sync.RWMutex // held by what changes the disk, and in write mode by what stops that
	failed error
	after  *vfs.MemFS // writes after that
}

func newFailStop(inner vfs.FS) *failStop { return &failStop{FS: inner, after: vfs.NewMem()} }

// err returns what stopped the file system, or nil.
func (f *failStop) err() error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	return f.failed
}

// stop notes an error, if it is the first.
func (f *failStop) stop(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.failed == nil {
		f.failed = err
	}
}

// change does what changes the disk, unless that has stopped. What fails is as good as done, but for expected errors.
func (f *failStop) change(do func() error, expected ...error) error {
	f.mu.RLock()
	failed := f.failed
	var err error
	if failed == nil {
		err = do()
	}
	f.mu.RUnlock()
	if err == nil {
		return nil
	}
	for _, e := range expected {
		if errors.Is(err, e) {
			return err
		}
	}
	f.stop(err)
	return nil
}

// create makes a file, in memory if the disk has stopped.
func (f *failStop) create(name string, do func() (vfs.File, error)) (vfs.File, error) {
	var made vfs.File
	f.change(func() (err error) {
		made, err = do()
		return err
	})
	if made != nil {
		return &failStopFile{made, f}, nil
	}
	if err := f.after.MkdirAll(f.after.PathDir(name), 0o700); err != nil {
		return nil, err
	}
	return f.after.Create(name, vfs.WriteCategoryUnspecified)
}

func (f *failStop) Create(name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return f.create(name, func() (vfs.File, error) { return f.FS.Create(name, category) })
}

func (f *failStop) ReuseForWrite(old, name string, category vfs.DiskWriteCategory) (vfs.File, error) {
	return f.create(name, func() (vfs.File, error) { return f.FS.ReuseForWrite(old, name, category) })
}

func (f *failStop) OpenReadWrite(name string, category vfs.DiskWriteCategory, opts ...vfs.OpenOption) (vfs.File, error) {
	return f.create(name, func() (vfs.File, error) { return f.FS.OpenReadWrite(name, category, opts...) })
}

func (f *failStop) Open(name string, opts ...vfs.OpenOption) (vfs.File, error) {
	if f.err() != nil {
		if file, err := f.after.Open(name, opts...); err == nil {
			return file, nil
		}
	}
	return f.FS.Open(name, opts...)
}

func (f *failStop) OpenDir(name string) (vfs.File, error) {
	dir, err := f.FS.OpenDir(name)
	if err != nil {
		return nil, err
	}
	return &failStopFile{dir, f}, nil
}

func (f *failStop) Stat(name string) (vfs.FileInfo, error) {
	if f.err() != nil {
		if info, err := f.after.Stat(name); err == nil {
			return info, nil
		}
	}
	return f.FS.Stat(name)
}

func (f *failStop) Remove(name string) error {
	return f.change(func() error { return f.FS.Remove(name) }, fs.ErrNotExist)
}

func (f *failStop) RemoveAll(name string) error {
	return f.change(func() error { return f.FS.RemoveAll(name) })
}

func (f *failStop) Rename(old, name string) error {
	return f.change(func() error { return f.FS.Rename(old, name) })
}

func (f *failStop) Link(old, name string) error {
	return f.change(func() error { return f.FS.Link(old, name) })
}

func (f *failStop) MkdirAll(name string, perm os.FileMode) error {
	return f.change(func() error { return f.FS.MkdirAll(name, perm) })
}

func (f *failStop) Lock(name string) (io.Closer, error) { return f.FS.Lock(name) }
func (f *failStop) Unwrap() vfs.FS                      { return f.FS }

// A failStopFile is a file of the disk.
type failStopFile struct {
	vfs.File
	fs *failStop
}

func (f *failStopFile) Write(p []byte) (int, error) {
	return len(p), f.fs.change(func() error { _, err := f.File.Write(p); return err })
}

func (f *failStopFile) WriteAt(p []byte, at int64) (int, error) {
	return len(p), f.fs.change(func() error { _, err := f.File.WriteAt(p, at); return err })
}

func (f *failStopFile) Sync() error     { return f.fs.change(f.File.Sync) }
func (f *failStopFile) SyncData() error { return f.fs.change(f.File.SyncData) }

func (f *failStopFile) SyncTo(length int64) (whole bool, err error) {
	err = f.fs.change(func() error { whole, err = f.File.SyncTo(length); return err })
	return whole, err
}

// Preallocate is a help, and what it is refused a write will be told, too.
func (f *failStopFile) Preallocate(offset, length int64) error {
	f.fs.mu.RLock()
	defer f.fs.mu.RUnlock()
	if f.fs.failed == nil {
		return f.File.Preallocate(offset, length)
	}
	return nil
}

// Close closes the file even if the disk has stopped.
func (f *failStopFile) Close() error {
	if err := f.File.Close(); err != nil {
		f.fs.stop(err)
	}
	return nil
}
