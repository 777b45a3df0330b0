package cache

import (
	"cmp"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A Dir is an open cache directory. It is safe for concurrent use.
type Dir struct {
	path string
	key  [keySize]byte
	// Limit is how many bytes entries may take together.
	Limit int64
}

// DefaultLimit is the limit of a directory that Open returns.
const DefaultLimit = 1 << 30

const (
	keySize  = 32
	keyFile  = "gyr.key"
	entryExt = ".entry"
	tempName = "gyr-temp-"

	useStep  = time.Hour           // how exactly the last use of an entry is known
	maxAge   = 30 * 24 * time.Hour // entries that were not used for so long go
	tempLife = time.Hour           // temporary files that are older have no owner any more
)

// DefaultPath is where the command keeps its cache: gyr in the user's directory
// for caches.
func DefaultPath() (string, error) {
	dir, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	return filepath.Join(dir, "gyr"), nil
}

// Open opens a cache directory, and makes it if it is not there. It is an error
// if somebody else owns it or can enter it.
func Open(path string) (*Dir, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// Somebody else may be cleaning up: then it comes and goes.
	for range openAttempts {
		if err = os.MkdirAll(path, 0o700); errors.Is(err, fs.ErrExist) {
			continue // MkdirAll found it made, and then gone
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

// private reports what is wrong with a file that only its owner, who is the
// user of this process, may have access to.
func private(path string, info fs.FileInfo, others fs.FileMode) error {
	if !ownedByUser(info) {
		return fmt.Errorf("%s belongs to another user", path)
	}
	if info.Mode().Perm()&others != 0 {
		return fmt.Errorf("%s is open to other users (mode %#o)", path, info.Mode().Perm())
	}
	return nil
}

// Path is the directory's absolute name.
func (d *Dir) Path() string { return d.path }

// readKey reads the key, or makes one. Whichever of several processes makes it
// first, all use the same.
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

// makeKey makes the key appear whole, unless there is one already.
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

// Get returns the contents of an entry, nil if there is none. The error says
// why a file of that name is not used; it is for curiosity only.
func (d *Dir) Get(n Name) ([]byte, error) {
	name := d.file(n)
	data, err := hostfile.ReadOwn(name, d.Limit)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			err = nil
		}
		return nil, err
	}
	contents, err := d.open(n, data)
	if err != nil {
		return nil, err
	}
	if info, err := os.Stat(name); err == nil {
		if now := time.Now(); now.Sub(info.ModTime()) > useStep {
			os.Chtimes(name, now, now)
		}
	}
	return contents, nil
}

// Put writes an entry and makes room for it. What is too large for the
// directory is not written, nor is anything if the directory was removed meanwhile.
func (d *Dir) Put(n Name, contents []byte) error {
	if int64(len(contents)) > d.Limit/2 {
		return nil
	}
	temp, err := d.temp(d.seal(n, contents), contents)
	if err == nil {
		if err = os.Rename(temp, d.file(n)); err != nil {
			os.Remove(temp)
		}
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil // cleaned up: there is no cache to keep it in
	case err != nil:
		return err
	}
	d.trim(d.file(n), time.Now())
	return nil
}

// Remove removes an entry that turned out to be of no use.
func (d *Dir) Remove(n Name) { os.Remove(d.file(n)) }

// A Usage says what is in a cache directory.
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
	return name == keyFile || strings.HasPrefix(name, tempName)
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

// UsageOf returns what a cache directory holds. A directory that does not exist
// holds nothing.
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

// trim removes entries that are too old, and the oldest of the others until
// what is left takes three quarters of the limit, if it was more than all of it. The file keep stays.
func (d *Dir) trim(keep string, now time.Time) {
	infos, err := files(d.path)
	if err != nil {
		return
	}
	slices.SortFunc(infos, func(a, b fs.FileInfo) int {
		return cmp.Or(a.ModTime().Compare(b.ModTime()), strings.Compare(a.Name(), b.Name()))
	})
	total := int64(0)
	for _, i := range infos {
		total += i.Size()
	}
	over := total > d.Limit
	for _, i := range infos {
		name := filepath.Join(d.path, i.Name())
		age := now.Sub(i.ModTime())
		switch {
		case i.Name() == keyFile || name == keep:
			continue
		case strings.HasPrefix(i.Name(), tempName):
			if age < tempLife {
				continue
			}
		case age < maxAge && (!over || total <= d.Limit/4*3):
			continue
		}
		if os.Remove(name) == nil {
			total -= i.Size()
		}
	}
}

// Clean removes what this package made in a directory, and the directory if
// nothing else is in it. It returns what was removed.
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
		os.Remove(path) // fails if there is something else
	}
	return u, err
}
