package store

import (
	"errors"
	"fmt"

	"github.com/gyrvm/gyr/state"
)

// A NotFoundError says that a version, or any version of a name, does not exist: it was never
// committed, or was pruned.
type NotFoundError struct {
	Name string
	Seq  uint64
	Any  bool // the latest version of the name was requested; Seq is 0
}

func (e *NotFoundError) Error() string {
	if e.Any {
		return fmt.Sprintf("store: no version of %q", e.Name)
	}
	return fmt.Sprintf("store: no version %d of %q", e.Seq, e.Name)
}

// A SequenceError says that the sequence number of a commit is not above the latest one of its
// name. Nothing was changed.
type SequenceError struct {
	Name        string
	Seq, Latest uint64
}

func (e *SequenceError) Error() string {
	return fmt.Sprintf("store: version %d of %q does not come after the latest, %d", e.Seq, e.Name, e.Latest)
}

// A NameError says that a name is invalid: it is empty, or has more than 255 bytes.
type NameError struct{ Name string }

func (e *NameError) Error() string {
	if e.Name == "" {
		return "store: a version without a name"
	}
	return fmt.Sprintf("store: a name of %d bytes, the most is 255: %.40q…", len(e.Name), e.Name)
}

// A CorruptError says that stored data are not those that were committed: they are missing, or do
// not have the hash that they are kept under.
type CorruptError struct {
	// Entry is the version that was being read. Root comes from its record, and is zero if the
	// record itself is damaged. An empty Name means that the version is not known.
	Entry
	// What names the damaged part: "page 17", "node 3 of level 2", `section "clock"`, "the record
	// of the version", "the reference count of page 17".
	What string
	Page int64      // number of the page, or -1
	Hash state.Hash // of the object; zero for a record
	Err  error      // has ErrMissing or state.ErrDamaged in its chain
}

func (e *CorruptError) Error() string {
	text := "store: "
	if e.Name != "" {
		text += fmt.Sprintf("version %d of %q", e.Seq, e.Name)
		if e.Root != (state.Hash{}) {
			text += fmt.Sprintf(", root %v", e.Root)
		}
		text += ": "
	}
	text += e.What
	if e.Hash != (state.Hash{}) {
		text += fmt.Sprintf(", %v", e.Hash)
	}
	return text + ": " + e.Err.Error()
}
func (e *CorruptError) Unwrap() error { return e.Err }

var (
	// ErrMissing, wrapped by a [*CorruptError], says that an object with a reference does not
	// exist.
	ErrMissing = errors.New("it is missing")
	// ErrUnknown, wrapped by a [*CorruptError] of [Store.Check], says that an object exists without
	// a reference.
	ErrUnknown = errors.New("nothing refers to it")
	// ErrCount, wrapped by a [*CorruptError] of [Store.Check], says that the stored number of
	// references is wrong.
	ErrCount = errors.New("it is not the number of references")
)

// A PageError says that a commit's [Change.Page] failed, or returned another page than that of the
// tree. Nothing was changed.
type PageError struct {
	Name string
	Page uint32
	Err  error
}

func (e *PageError) Error() string {
	return fmt.Sprintf("store: page %d of %q: %v", e.Page, e.Name, e.Err)
}
func (e *PageError) Unwrap() error { return e.Err }

// A BackendError says that the database failed. A failed write changed nothing.
type BackendError struct {
	Op  string // "get", "scan", "write" or "close"
	Err error  // the error of the backend; syscall.ENOSPC is in its chain if the disk is full
}

func (e *BackendError) Error() string { return fmt.Sprintf("store: %s: %v", e.Op, e.Err) }
func (e *BackendError) Unwrap() error { return e.Err }

// A BrokenError, wrapped by a [*BackendError], says that a database could not tell whether a write
// was done, and must be opened anew. Then it has all of that write or nothing of it.
type BrokenError struct{ Err error }

func (e *BrokenError) Error() string { return "the database has to be opened anew: " + e.Err.Error() }
func (e *BrokenError) Unwrap() error { return e.Err }

// An InUseError says that a store is open already, here or in another process.
type InUseError struct {
	Path string
	Err  error
}

func (e *InUseError) Error() string { return fmt.Sprintf("store: %s is in use: %v", e.Path, e.Err) }
func (e *InUseError) Unwrap() error { return e.Err }
