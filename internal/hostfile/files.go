// Package hostfile reads untrusted files: sources of programs to compile, and entries of a cache
// that others may have changed.
//
// It reads only regular files of bounded size. With a root it reads only files below it, wherever
// links lead. A FIFO does not block, a device is not read, and a file of any size takes no more
// memory than the limit. All checks are on the open file, so a change of its name meanwhile does
// not matter.
package hostfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// ErrIrregular says that a name is neither a regular file nor a directory.
var ErrIrregular = errors.New("not a regular file")

// ErrEscapes says that a name or a link leads out of the root.
var ErrEscapes = errors.New("it leads out of its module")

// A SizeError says that a file is larger than the reader's limit.
type SizeError struct{ Limit int64 }

func (e *SizeError) Error() string { return fmt.Sprintf("larger than %d bytes", e.Limit) }

// Read returns the contents of a regular file of at most limit bytes. It follows links anywhere.
func Read(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, openFlags, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, limit)
}

// ReadOwn is Read for a file that must not be a link.
func ReadOwn(name string, limit int64) ([]byte, error) {
	f, err := os.OpenFile(name, openFlags|noFollow, 0)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, limit)
}

// OpenOwn opens a regular file for reading. The name must not be a link.
func OpenOwn(name string) (*os.File, error) {
	f, err := os.OpenFile(name, openFlags|noFollow, 0)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = ErrIrregular
	}
	if err != nil {
		f.Close()
		return nil, err
	}
	return f, nil
}

// ReadFS is Read for a file below the root of a file system. It follows links as far as the file
// system reports them.
func ReadFS(fsys fs.FS, name string, limit int64) ([]byte, error) {
	name, err := resolve(fsys, name)
	if err != nil {
		return nil, err
	}
	// Opening a FIFO would block if the file system is the machine's.
	if info, err := fs.Stat(fsys, name); err != nil {
		return nil, err
	} else if !info.Mode().IsRegular() {
		return nil, ErrIrregular
	}
	f, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, limit)
}

// read reads an open file.
func read(f fs.File, limit int64) ([]byte, error) {
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, ErrIrregular
	case info.Size() > limit:
		return nil, &SizeError{limit}
	}
	data := make([]byte, 0, info.Size()+1) // one more, to detect the end
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		switch {
		case int64(len(data)) > limit:
			return nil, &SizeError{limit} // the file grows
		case err == io.EOF:
			return data, nil
		case err != nil:
			return nil, err
		case len(data) == cap(data):
			data = slices.Grow(data, 512)
		}
	}
}

// maxLinks is how many links resolve follows, like the kernel.
const maxLinks = 40

// resolve replaces the links in a name by their targets. A target outside the file system is an
// error.
func resolve(fsys fs.FS, name string) (string, error) {
	links, ok := fsys.(fs.ReadLinkFS)
	if !ok {
		return name, nil
	}
	done, rest := ".", strings.Split(name, "/")
	for n := 0; len(rest) > 0; {
		elem := rest[0]
		rest = rest[1:]
		if done = path.Join(done, elem); !fs.ValidPath(done) {
			return "", ErrEscapes
		}
		info, err := links.Lstat(done)
		if err != nil || info.Mode()&fs.ModeSymlink == 0 {
			continue // opening a missing file reports it
		}
		if n++; n > maxLinks {
			return "", errors.New("too many links")
		}
		to, err := links.ReadLink(done)
		if err != nil {
			return "", err
		}
		if path.IsAbs(filepath.ToSlash(to)) || filepath.IsAbs(to) {
			return "", ErrEscapes
		}
		done, rest = path.Dir(done), append(strings.Split(filepath.ToSlash(to), "/"), rest...)
	}
	return done, nil
}

// A Root is a directory of the machine that neither names nor links can leave. It is opened at its
// first use. It is safe for concurrent use.
type Root struct {
	dir  string
	once sync.Once
	root *os.Root
	err  error
}

// NewRoot returns a root for a directory. The directory's name may be a link.
func NewRoot(dir string) *Root { return &Root{dir: dir} }

// Close releases a root. It must not be used any more.
func (r *Root) Close() {
	r.once.Do(func() { r.err = fs.ErrClosed })
	if r.root != nil {
		r.root.Close()
	}
}

// at returns the open root and the name relative to it.
func (r *Root) at(name string) (*os.Root, string, error) {
	r.once.Do(func() { r.root, r.err = os.OpenRoot(r.dir) })
	if r.err != nil {
		return nil, "", r.err
	}
	rel, err := filepath.Rel(r.dir, name)
	if err != nil || !filepath.IsLocal(rel) {
		return nil, "", ErrEscapes
	}
	return r.root, rel, nil
}

// open opens a file or directory below the root for reading.
func (r *Root) open(name string) (*os.File, error) {
	root, rel, err := r.at(name)
	if err != nil {
		return nil, err
	}
	f, err := root.OpenFile(rel, openFlags, 0)
	return f, escape(err)
}

// Read is the function Read, restricted to the root.
func (r *Root) Read(name string, limit int64) ([]byte, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return read(f, limit)
}

// ReadDir lists a directory below the root, sorted.
func (r *Root) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := r.open(name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	list, err := f.ReadDir(-1)
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return list, err
}

// Stat describes a file below the root.
func (r *Root) Stat(name string) (fs.FileInfo, error) {
	root, rel, err := r.at(name)
	if err != nil {
		return nil, err
	}
	info, err := root.Stat(rel)
	return info, escape(err)
}

// Lstat is Stat without following a link.
func (r *Root) Lstat(name string) (fs.FileInfo, error) {
	root, rel, err := r.at(name)
	if err != nil {
		return nil, err
	}
	info, err := root.Lstat(rel)
	return info, escape(err)
}

// escape replaces package os's error for a path that leaves a root, which package os does not
// export, by ErrEscapes.
func escape(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) && pe.Err.Error() == "path escapes from parent" {
		return &fs.PathError{Op: pe.Op, Path: pe.Path, Err: ErrEscapes}
	}
	return err
}
