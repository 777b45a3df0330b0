package cache

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A Dir is an open cache directory. It is safe for concurrent use.
type Dir struct {
	path string
	key  [keySize]byte
	// Limit is the largest total size of the entries, in bytes.
	Limit int64

	trimming sync.WaitGroup
}

// DefaultLimit is the limit of a directory that Open returns.
const DefaultLimit = 1 << 30

const (
	keySize  = 32
	keyFile  = "gyr.key"
	entryExt = ".entry"
	tempName = "gyr-temp-"

	useStep = time.Hour // precision of the time of an entry's last use
)

// DefaultPath returns the directory where the command keeps its cache: gyr in the user's cache
// directory.
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "gyr"), nil
}

// Open opens a cache directory, and creates it if it does not exist. It fails if another user owns
// it or can enter it. An empty path is an error, not the current directory.
func Open(path string) (*Dir, error) {
	if path == "" {
		return nil, errors.New("the cache has no directory")
	}
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Another process may be cleaning up, so that the directory disappears and reappears.
	for range openAttempts {
		if err = os.MkdirAll(path, 0o700); errors.Is(err, fs.ErrExist) {
			continue // MkdirAll found the directory, which was then removed
		} else if err != nil {
			return nil, err
		}
		var d *Dir
		if d, err = open(path); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return d, err
		}
	}
	return nil, err
}

const openAttempts = 100

// open opens a directory that exists.
func open(path string) (*Dir, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, fmt.Errorf("%s is not a directory", path)
	}
	if err := private(path, info, 0o077); err != nil {
		return nil, err
	}
	d := &Dir{path: path, Limit: DefaultLimit}
	if err := d.readKey(); err != nil {
		return nil, err
	}
	return d, nil
}

// private reports why a file is not private: only its owner, who must be the user of this process,
// may have access.
func private(path string, info fs.FileInfo, others fs.FileMode) error {
	if !ownedByUser(info) {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s is open to other users (mode %#o); chmod %o %s closes it", path, info.Mode().Perm(), info.Mode().Perm()&^others, path)
	}
	return nil
}

// Path is the directory's absolute name.
func (d *Dir) Path() string { return d.path }

// readKey reads the key, or makes one. If several processes try to make it, all use the key that
// was made first.
func (d *Dir) readKey() error {
	name := filepath.Join(d.path, keyFile)
	for range openAttempts {
		info, err := os.Lstat(name)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			if err := d.makeKey(name); err != nil {
				return err
			}
			continue
		case err != nil:
			return err
		case !info.Mode().IsRegular():
			return fmt.Errorf("%s is not a regular file", name)
		}
		if err := private(name, info, 0o077); err != nil {
			return err
		}
		key, err := hostfile.ReadOwn(name, keySize)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			continue
		case err != nil:
			return err
		}
		if len(key) != keySize {
			return fmt.Errorf("%s is damaged", name)
		}
		copy(d.key[:], key)
		return nil
	}
	return fmt.Errorf("%s comes and goes", name)
}

// makeKey creates the key file with its full contents in one step, unless it exists.
func (d *Dir) makeKey(name string) error {
	var key [keySize]byte
	rand.Read(key[:])
	temp, err := d.temp(key[:])
	if err != nil {
		return err
	}
	defer os.Remove(temp)
	if err := os.Link(temp, name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return nil
}

// temp writes a temporary file, readable by its owner only.
func (d *Dir) temp(parts ...[]byte) (name string, err error) {
	f, err := os.CreateTemp(d.path, tempName)
	if err != nil {
		return "", err
	}
	for _, p := range parts {
		if _, err = f.Write(p); err != nil {
			break
		}
	}
	if e := f.Close(); err == nil {
		err = e
	}
	if err != nil {
		os.Remove(f.Name())
		return "", err
	}
	return f.Name(), nil
}

// A Name is the name of an entry.
type Name [32]byte

func (d *Dir) file(n Name) string {
	return filepath.Join(d.path, hex.EncodeToString(n[:])+entryExt)
}

// An Entry is an open entry, whose sections are read on demand. It is safe for concurrent use.
type Entry struct {
	file     *os.File
	sections []section
}

// A section is a part of an entry's file.
type section struct {
	at, size int64
	sum      [sha256.Size]byte
}

// Open opens an entry, or returns nil if it does not exist. The error says why an existing file of
// that name is not used; it is only for information. The file is closed by Close, or when the entry
// becomes unreachable.
func (d *Dir) Open(n Name) (*Entry, error) {
	name := d.file(n)
	f, err := hostfile.OpenOwn(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && info.Size() > d.Limit {
		err = &hostfile.SizeError{Limit: d.Limit}
	}
	e := &Entry{file: f}
	if err == nil {
		e.sections, err = d.readHeader(n, f, info.Size())
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	if now := time.Now(); now.Sub(info.ModTime()) > useStep {
		os.Chtimes(name, now, now)
	}
	return e, nil
}

// Close closes the file. Sections cannot be read any more.
func (e *Entry) Close() { e.file.Close() }

// Len returns the number of sections.
func (e *Entry) Len() int { return len(e.sections) }

// size returns the size of the sections from one on.
func (e *Entry) size(first int) (n int) {
	for _, s := range e.sections[first:] {
		n += int(s.size)
	}
	return n
}

// Section reads a section and checks it. The caller may keep the bytes.
func (e *Entry) Section(i int) ([]byte, error) {
	if i >= len(e.sections) {
		return nil, errNoEntry
	}
	b := make([]byte, e.sections[i].size)
	if err := e.read(i, b); err != nil {
		return nil, err
	}
	return b, nil
}

// read reads a section into a buffer of its size and checks it.
func (e *Entry) read(i int, b []byte) error {
	s := &e.sections[i]
	if _, err := e.file.ReadAt(b, s.at); err != nil {
		return err
	}
	if sumOf(b) != s.sum {
		return fmt.Errorf("cache: section %d of an entry is damaged", i)
	}
	return nil
}

// Get returns the contents of an entry of one section, or nil if it does not exist. The error says
// why an existing file of that name is not used; it is only for information.
func (d *Dir) Get(n Name) ([]byte, error) {
	e, err := d.Open(n)
	if e == nil || err != nil {
		return nil, err
	}
	defer e.Close()
	return e.Section(0)
}

// Put writes an entry with its sections, and makes room by removing others if the directory grows
// too large. It does not write an entry that is larger than the limit, and nothing at all if the
// directory was removed meanwhile.
func (d *Dir) Put(n Name, sections ...[]byte) error {
	size := 0
	for _, s := range sections {
		size += len(s)
	}
	if int64(size) > d.Limit/2 {
		return nil
	}
	header := d.seal(n, sections)
	temp, err := d.temp(append([][]byte{header}, sections...)...)
	if err == nil {
		if err = os.Rename(temp, d.file(n)); err != nil {
			os.Remove(temp)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // the directory was removed: the entry has no place
	case err != nil:
		return err
	}
	d.written(n, int64(len(header)+size))
	return nil
}

// Remove removes an entry that turned out to be useless.
func (d *Dir) Remove(n Name) { os.Remove(d.file(n)) }

// A Usage is the number and size of the entries in a cache directory.
type Usage struct {
	Entries int
	Bytes   int64
}

// ours reports whether a file of the directory was made by this package.
func ours(name string) bool {
	hexName, entry := strings.CutSuffix(name, entryExt)
	if entry {
		b, err := hex.DecodeString(hexName)
		return err == nil && len(b) == len(Name{})
	}
	return name == keyFile || name == usedFile || strings.HasPrefix(name, tempName)
}

// files lists the files that were made by this package.
func files(path string) ([]fs.FileInfo, error) {
	list, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	var infos []fs.FileInfo
	for _, e := range list {
		if !ours(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if info, err := e.Info(); err == nil {
			infos = append(infos, info)
		}
	}
	return infos, nil
}

// UsageOf returns the usage of a cache directory. A directory that does not exist has none.
func UsageOf(path string) (u Usage, err error) {
	infos, err := files(path)
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	for _, i := range infos {
		if strings.HasSuffix(i.Name(), entryExt) {
			u.Entries++
			u.Bytes += i.Size()
		}
	}
	return u, err
}

// Clean removes from a directory what this package made, and the directory too if nothing else is
// in it. It returns what was removed.
func Clean(path string) (u Usage, err error) {
	infos, err := files(path)
	if errors.Is(err, fs.ErrNotExist) {
		return u, nil
	}
	if err != nil {
		return u, err
	}
	for _, i := range infos {
		if e := os.Remove(filepath.Join(path, i.Name())); e != nil && !errors.Is(e, fs.ErrNotExist) {
			err = e
			continue
		}
		if strings.HasSuffix(i.Name(), entryExt) {
			u.Entries++
			u.Bytes += i.Size()
		}
	}
	if err == nil {
		os.Remove(path) // fails if the directory holds anything else
	}
	return u, err
}
