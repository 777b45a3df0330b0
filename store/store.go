package store

import (
	"crypto/sha256"
	"errors"
	"slices"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/state"
)

// A Store keeps versions of states. Several goroutines may call its methods.
type Store struct {
	backend Backend
	portion int // bytes of objects after which a commit writes what it has so far

	// Writers hold mu from their first look at the content to their last write. Versions are read
	// without it.
	mu       sync.Mutex
	leftover bool                  // objects of a failed commit may exist
	latest   map[string]*Entry     // of names that were looked up; nil: the name has none
	trees    map[string]state.Tree // of latest versions that were committed here
}

// New returns a store on a backend, which belongs to the store from then on. It removes leftovers
// of an unfinished commit of an earlier process.
func New(b Backend) (*Store, error) {
	s := &Store{backend: b, portion: 4 << 20, latest: map[string]*Entry{}, trees: map[string]state.Tree{}}
	return s, s.recover()
}

// Close closes the store and its backend. Its versions cannot be read any more.
func (s *Store) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := s.backend.Close(); err != nil {
		return &BackendError{"close", err}
	}
	return nil
}

// Latest returns the version of a name with the highest sequence number. The error is a
// [*NotFoundError] if the name has none.
func (s *Store) Latest(name string) (Entry, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if err := checkName(name); err != nil {
		return Entry{}, err
	}
	e, err := s.last(name)
	if err == nil && e == nil {
		err = &NotFoundError{Name: name, Any: true}
	}
	if err != nil {
		return Entry{}, err
	}
	return *e, nil
}

// last returns the latest version of a name, or nil.
func (s *Store) last(name string) (*Entry, error) {
	if e, ok := s.latest[name]; ok {
		return e, nil
	}
	var latest *Entry
	var corrupt error
	err := s.records(versionPrefix(name), true, func(e Entry, _ *record, err error) bool {
		latest, corrupt = &e, err
		return false
	})
	if err == nil {
		err = corrupt
	}
	if err != nil {
		return nil, err
	}
	s.latest[name] = latest
	return latest, nil
}

// latestTree returns the tree of the latest version of a name, or one of zeros.
func (s *Store) latestTree(name string) (state.Tree, error) {
	if tree, ok := s.trees[name]; ok {
		return tree, nil
	}
	e, err := s.last(name)
	if err != nil || e == nil {
		return state.Tree{}, err
	}
	r, err := s.record(e.Name, e.Seq)
	if err != nil {
		return state.Tree{}, err
	}
	return state.Load(r.tree, source{s, *e}), nil
}

// Entries returns the versions of a name in ascending order, or those of all names if the name is
// empty. It leaves out versions whose records are damaged; the error's tree has a [*CorruptError]
// for each of them.
func (s *Store) Entries(name string) ([]Entry, error) {
	prefix := []byte{keyVersion}
	if name != "" {
		prefix = versionPrefix(name)
	}
	var list []Entry
	var errs []error
	err := s.records(prefix, false, func(e Entry, _ *record, err error) bool {
		if err != nil {
			errs = append(errs, err)
		} else {
			list = append(list, e)
		}
		return true
	})
	return list, errors.Join(append(errs, err)...)
}

// records reads the records of versions. each gets an error for a damaged one.
func (s *Store) records(prefix []byte, reverse bool, each func(Entry, *record, error) bool) error {
	err := s.backend.Scan(prefix, reverse, func(key, value []byte) bool {
		name, seq, ok := versionOf(key)
		r, whole := decodeRecord(key, value)
		if !ok || !whole {
			return each(Entry{}, nil, corruptRecord(name, seq, state.ErrDamaged))
		}
		return each(Entry{name, seq, r.root}, &r, nil)
	})
	if errors.Is(err, state.ErrDamaged) {
		return &CorruptError{What: "the records of versions", Page: -1, Err: err}
	}
	if err != nil {
		return &BackendError{"scan", err}
	}
	return nil
}

func corruptRecord(name string, seq uint64, err error) *CorruptError {
	return &CorruptError{Entry: Entry{Name: name, Seq: seq}, What: "the record of the version", Page: -1, Err: err}
}

// failedGet returns the error of a Get. If the backend itself found damage, it is a CorruptError.
func failedGet(err error, corrupt *CorruptError) error {
	if errors.Is(err, state.ErrDamaged) {
		corrupt.Err = err
		return corrupt
	}
	return &BackendError{"get", err}
}

func checkName(name string) error {
	if name == "" || len(name) > 255 {
		return &NameError{name}
	}
	return nil
}

// record reads the record of a version.
func (s *Store) record(name string, seq uint64) (record, error) {
	if err := checkName(name); err != nil {
		return record{}, err
	}
	key := versionKey(name, seq)
	value, ok, err := s.backend.Get(key)
	switch {
	case err != nil:
		return record{}, failedGet(err, corruptRecord(name, seq, err))
	case !ok:
		return record{}, &NotFoundError{Name: name, Seq: seq}
	}
	r, ok := decodeRecord(key, value)
	if !ok {
		return record{}, corruptRecord(name, seq, state.ErrDamaged)
	}
	return r, nil
}

// recover removes the objects of an unfinished commit.
func (s *Store) recover() error {
	var writes []Write
	err := s.backend.Scan([]byte{keyPortion}, false, func(key, value []byte) bool {
		s.leftover = true
		writes = append(writes, Write{slices.Clone(key), nil})
		for object := range slices.Chunk(slices.Clone(value), 1+sha256.Size) {
			if len(object) == 1+sha256.Size && strings.IndexByte(objects, object[0]) >= 0 {
				writes = append(writes, Write{object, nil})
			}
		}
		return true
	})
	if err != nil {
		return &BackendError{"scan", err}
	}
	if len(writes) > 0 {
		if err := s.backend.Write(writes, true); err != nil {
			return &BackendError{"write", err}
		}
	}
	s.leftover = false
	return nil
}
