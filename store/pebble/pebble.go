// Package pebble is a [store.Backend] on disk: a database of github.com/cockroachdb/pebble, a
// log-structured merge tree.
//
// A write is one batch. Pebble appends it to a write-ahead log and, for a durable write, waits for
// fsync. After a crash it replays the log up to the first incomplete record. The promises of a
// [store.Store] about kill -9 and power failures rest on this.
//
// # When the disk fails
//
// A write for which the disk has not enough room is refused in advance (Options.Reserve): the error
// has syscall.ENOSPC in its chain, nothing has changed, and the backend stays usable. If a write
// fails all the same, the backend stops: it does not touch the disk any more, and all its methods
// return a [*store.BrokenError] with the cause, until it is closed and opened anew. It then has all
// of the last write, if its record was complete, or nothing of it.
//
// Pebble has a checksum for each block. The error for a wrong block has state.ErrDamaged in its
// chain, and a Store then says in which version and page it occurred. The log has checksums too,
// but it may end anywhere after a crash. To distinguish damage at its end from such an end, a file
// beside it counts the durable writes. Open then returns a [*store.CorruptError], and with
// Options.AcceptLoss opens at the version before the damage. One case goes unnoticed: damage in the
// last record, if the machine crashed while the unsynced count was on its way to the disk. A host
// that knows the latest root detects even that.
package pebble

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	db "github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/bloom"
	"github.com/cockroachdb/pebble/v2/vfs"

	"github.com/gyrvm/gyr/state"
	"github.com/gyrvm/gyr/store"
)

// Options are the settings of a Backend. The zero value has the defaults.
type Options struct {
	// Cache is the size of the cache of blocks in bytes. 0: 32 MiB.
	Cache int64
	// Reserve is how many bytes of the disk stay free in addition to twice the size of a write,
	// because Pebble reorganises its data. 0: 64 MiB.
	Reserve uint64
	// AcceptLoss opens a database whose log is damaged at its end, and loses the writes there.
	AcceptLoss bool
	// FS is the file system. nil: that of the machine.
	FS vfs.FS
}

// A Backend is an open database.
type Backend struct {
	dir     string
	reserve uint64
	fs      *failStop
	lock    *db.Lock

	mu sync.RWMutex // held while the database is in use, in write mode by Close
	db *db.DB       // nil: closed

	head head // used by the writer only
}

var _ store.Backend = (*Backend)(nil)

// memTable is the number of bytes that Pebble collects before it writes a table.
const memTable = 16 << 20

// Open opens the database in a directory, and makes the directory if it does not exist. If the
// database is open already, in any process, the error is a [*store.InUseError]. nil stands for the
// default options.
func Open(dir string, opts *Options) (*Backend, error) {
	if opts == nil {
		opts = &Options{}
	}
	disk := opts.FS
	if disk == nil {
		disk = vfs.Default
		// Within one process, the names of the lock files tell locks apart: a directory must have
		// only one name.
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return nil, &store.BackendError{Op: "open", Err: err}
		}
		whole, err := filepath.Abs(dir)
		if err == nil {
			whole, err = filepath.EvalSymlinks(whole)
		}
		if err != nil {
			return nil, &store.BackendError{Op: "open", Err: err}
		}
		dir = whole
	} else if err := disk.MkdirAll(dir, 0o700); err != nil {
		return nil, &store.BackendError{Op: "open", Err: err}
	}
	b := &Backend{dir: dir, reserve: opts.Reserve, fs: newFailStop(disk)}
	if b.reserve == 0 {
		b.reserve = 64 << 20
	}
	var err error
	if b.lock, err = db.LockDirectory(dir, b.fs); err != nil {
		if errors.As(err, new(*fs.PathError)) {
			return nil, &store.BackendError{Op: "open", Err: err}
		}
		return nil, &store.InUseError{Path: dir, Err: err}
	}
	cache := opts.Cache
	if cache == 0 {
		cache = 32 << 20
	}
	o := &db.Options{
		CacheSize:          cache,
		FS:                 b.fs,
		Lock:               b.lock,
		MemTableSize:       memTable,
		FormatMajorVersion: db.FormatNewest,
		Logger:             logger{b.fs},
		EventListener:      &db.EventListener{DataCorruption: func(db.DataCorruptionInfo) {}},
	}
	for i := range o.Levels {
		// Most commits ask for objects that do not exist.
		o.Levels[i].FilterPolicy = bloom.FilterPolicy(10)
	}
	// Values stay in the tables. Pebble can keep them in files of their own
	// (ValueSeparationPolicy), which halves the work of compactions here, but version 2.1.7 panics
	// when it reads such a file with damage.
	b.db, err = db.Open(dir, o)
	if err != nil {
		return nil, &store.BackendError{Op: "open", Err: errors.Join(damaged(err), b.lock.Close())}
	}
	b.head, err = openHead(b.fs, dir, b.db, opts.AcceptLoss)
	if stopped := b.fs.err(); stopped != nil {
		err = stopped
	}
	if corrupt := new(store.CorruptError); errors.As(err, &corrupt) {
		b.Close()
		return nil, corrupt
	}
	if err != nil {
		return nil, &store.BackendError{Op: "open", Err: errors.Join(damaged(err), b.Close())}
	}
	return b, nil
}

// A logger gets the errors for which Pebble wants to end the process. The disk stops instead.
type logger struct{ fs *failStop }

func (logger) Infof(string, ...any)  {}
func (logger) Errorf(string, ...any) {}

func (l logger) Fatalf(format string, args ...any) { l.fs.stop(fmt.Errorf(format, args...)) }

// damaged returns an error of Pebble, with state.ErrDamaged in its chain if a block is not as it
// was written.
func damaged(err error) error {
	if db.IsCorruptionError(err) {
		return fmt.Errorf("%w: %w", state.ErrDamaged, err)
	}
	return err
}

// use returns the database, which stays open until done is called.
func (b *Backend) use() (d *db.DB, done func(), err error) {
	b.mu.RLock()
	if b.db == nil {
		b.mu.RUnlock()
		return nil, nil, store.ErrClosed
	}
	if err := b.broken(); err != nil {
		b.mu.RUnlock()
		return nil, nil, err
	}
	return b.db, b.mu.RUnlock, nil
}

func (b *Backend) broken() error {
	if err := b.fs.err(); err != nil {
		return &store.BrokenError{Err: err}
	}
	return nil
}

// Get implements [store.Backend].
func (b *Backend) Get(key []byte) ([]byte, bool, error) {
	d, done, err := b.use()
	if err != nil {
		return nil, false, err
	}
	defer done()
	value, closer, err := d.Get(key)
	if errors.Is(err, db.ErrNotFound) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, damaged(err)
	}
	value = append([]byte{}, value...)
	// Some errors of reading the value appear only now.
	if err := closer.Close(); err != nil {
		return nil, false, damaged(err)
	}
	return value, true, nil
}

// Has implements [store.Backend].
func (b *Backend) Has(key []byte) (bool, error) {
	d, done, err := b.use()
	if err != nil {
		return false, err
	}
	defer done()
	// DB.Get would search the lowest level, which has most of the data, without asking its filters
	// first.
	it, err := d.NewIter(&db.IterOptions{UseL6Filters: true})
	if err != nil {
		return false, damaged(err)
	}
	found := it.SeekPrefixGE(key) && bytes.Equal(it.Key(), key)
	return found, damaged(it.Close())
}

// Scan implements [store.Backend].
func (b *Backend) Scan(prefix []byte, reverse bool, each func(key, value []byte) bool) (err error) {
	d, done, err := b.use()
	if err != nil {
		return err
	}
	defer done()
	it, err := d.NewIter(&db.IterOptions{LowerBound: prefix, UpperBound: after(prefix)})
	if err != nil {
		return damaged(err)
	}
	defer func() {
		if e := it.Close(); err == nil {
			err = damaged(e)
		}
	}()
	first, next := it.First, it.Next
	if reverse {
		first, next = it.Last, it.Prev
	}
	for ok := first(); ok; ok = next() {
		value, err := it.ValueAndErr()
		if err != nil {
			return damaged(err)
		}
		if !each(it.Key(), value) {
			return nil
		}
	}
	return damaged(it.Error())
}

// after returns the first key after all keys with a prefix, or nil.
func after(prefix []byte) []byte {
	end := bytes.TrimRight(prefix, "\xff")
	if len(end) == 0 {
		return nil
	}
	end = bytes.Clone(end)
	end[len(end)-1]++
	return end
}

// Write implements [store.Backend].
func (b *Backend) Write(writes []store.Write, durable bool) error {
	d, done, err := b.use()
	if err != nil {
		return err
	}
	defer done()
	size, grows := uint64(0), false
	for _, w := range writes {
		size += uint64(len(w.Key) + len(w.Value) + 16)
		grows = grows || w.Value != nil
	}
	// Writes that only remove are let through, so that a full disk can be cleared.
	if grows {
		if usage, err := b.fs.GetDiskUsage(b.dir); err == nil && usage.AvailBytes < 2*size+b.reserve {
			return fmt.Errorf("%w: %d bytes are left, of which %d are a reserve, and %d are to be written", syscall.ENOSPC, usage.AvailBytes, b.reserve, size)
		}
	}
	batch := d.NewBatchWithSize(int(size))
	defer batch.Close()
	for _, w := range writes {
		if w.Value == nil {
			err = batch.Delete(w.Key, nil)
		} else {
			err = batch.Set(w.Key, w.Value, nil)
		}
		if err != nil {
			return err
		}
	}
	number := b.head.number + 1
	if err := batch.Set(headKey, binary.BigEndian.AppendUint64(nil, number), nil); err != nil {
		return err
	}
	option := db.NoSync
	if durable {
		option = db.Sync
	}
	err = d.Apply(batch, option)
	if broken := b.broken(); broken != nil {
		return broken
	}
	if err != nil {
		b.fs.stop(err)
		return b.broken()
	}
	b.head.number = number
	if durable {
		return b.head.durable()
	}
	return nil
}

// Close ends the use of the database. A second call returns store.ErrClosed.
func (b *Backend) Close() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.db == nil {
		return store.ErrClosed
	}
	// Tables have checksums everywhere. A log with a damaged last record looks as if it ended
	// before it.
	err := errors.Join(b.db.Flush(), b.db.Close())
	if b.head.file != nil {
		err = errors.Join(err, b.head.file.Close())
	}
	if b.fs.err() != nil {
		err = nil // the error concerns data that were not on the disk
	}
	b.db = nil
	return errors.Join(err, b.lock.Close())
}
