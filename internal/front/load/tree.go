package load

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A tree is a file system with the names that errors print: the machine's (names as package filepath
// has them), or an fs.FS (slash-separated names, "." is the root).
type tree struct {
	fs   fs.FS          // nil: the machine's
	rec  *Inputs        // nil: what is read is not recorded
	root *hostfile.Root // in the machine's file system: names and links must not lead out of it; nil: no bound

	replaced *overlaid // what takes the place of files of the machine; nil: nothing

	moved func(name string) string // returns where a file of the machine is; nil: where its name says
}

// fileBits is the logarithm of the distance of the bases of two files in a token.FileSet.
const fileBits = 24

// Limits on reading one file. Callers pass the one that applies.
const (
	maxSource     = 1<<fileBits - 1 // Go source: the size that positions can address
	maxModuleFile = 16 << 20        // go.mod, go.work, modules.txt: as much as the go command reads
	maxEmbedded   = 256 << 20       // all files together that a program embeds
)

// openRoots are the directories that a load reads without leaving them. The zero value has none.
type openRoots struct {
	mu   sync.Mutex
	dirs map[string]*hostfile.Root // by name
}

// close releases the directories.
func (r *openRoots) close() {
	for _, d := range r.dirs {
		d.Close()
	}
}

// within returns the part of the user's files, or of the machine's, that is in a directory: a module, or the
// directory of a package without one. Neither names nor links lead out of it. File systems of embedders set their
// own bounds.
func (r *openRoots) within(t tree, dir string) tree {
	if t.fs != nil {
		return t
	}
	dir = t.real(dir)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.dirs == nil {
		r.dirs = map[string]*hostfile.Root{}
	}
	if r.dirs[dir] == nil {
		r.dirs[dir] = hostfile.NewRoot(dir)
	}
	t.root = r.dirs[dir]
	return t
}

// real returns where a file of the machine really is.
func (t tree) real(name string) string {
	if t.moved == nil {
		return name
	}
	return t.moved(name)
}

// readDir lists a directory.
func (t tree) readDir(dir string) ([]fs.DirEntry, error) { return t.list(InputList, dir) }

// readSources lists a directory for callers that use only the names of sources.
func (t tree) readSources(dir string) ([]fs.DirEntry, error) { return t.list(InputGoList, dir) }

func (t tree) list(kind InputKind, dir string) ([]fs.DirEntry, error) {
	done := t.record(kind, dir)
	list, err := t.rawDir(dir)
	done(listSum(kind, list, err))
	return t.replaced.list(dir, list, err)
}

func (t tree) rawDir(dir string) ([]fs.DirEntry, error) {
	switch {
	case t.root != nil:
		return t.root.ReadDir(t.real(dir))
	case t.fs == nil:
		return os.ReadDir(t.real(dir))
	}
	return fs.ReadDir(t.fs, path.Clean(dir))
}

// readFile returns the contents of a regular file of at most limit bytes.
func (t tree) readFile(name string, limit int64) ([]byte, error) {
	if by, ok := t.replaced.file(name); ok {
		return t.readReplaced(name, by, limit)
	}
	done := t.record(InputFile, name)
	data, err := t.rawFile(name, limit)
	done(contentSum(data, err))
	return data, err
}

func (t tree) rawFile(name string, limit int64) ([]byte, error) {
	switch {
	case t.root != nil:
		return t.root.Read(t.real(name), limit)
	case t.fs == nil:
		return hostfile.Read(t.real(name), limit)
	}
	return hostfile.ReadFS(t.fs, path.Clean(name), limit)
}

// stat follows symbolic links, lstat does not. Callers may use only the type in the result.
func (t tree) stat(name string) (fs.FileInfo, error)  { return t.ask(InputType, name) }
func (t tree) lstat(name string) (fs.FileInfo, error) { return t.ask(InputLink, name) }

func (t tree) ask(kind InputKind, name string) (fs.FileInfo, error) {
	if info, err, ok := t.replaced.ask(name); ok {
		return info, err
	}
	done := t.record(kind, name)
	info, err := t.question(kind, name)
	done(typeSum(info, err))
	return info, err
}

func (t tree) question(kind InputKind, name string) (fs.FileInfo, error) {
	switch {
	case t.root != nil && kind == InputLink:
		return t.root.Lstat(t.real(name))
	case t.root != nil:
		return t.root.Stat(t.real(name))
	case t.fs == nil && kind == InputLink:
		return os.Lstat(t.real(name))
	case t.fs == nil:
		return os.Stat(t.real(name))
	case kind == InputLink:
		return fs.Lstat(t.fs, path.Clean(name))
	}
	return fs.Stat(t.fs, path.Clean(name))
}

func (t tree) isDir(name string) bool {
	st, err := t.stat(name)
	return err == nil && st.IsDir()
}

func (t tree) isFile(name string) bool {
	st, err := t.stat(name)
	return err == nil && st.Mode().IsRegular()
}

func (t tree) join(elem ...string) string {
	if t.fs == nil {
		return filepath.Join(elem...)
	}
	return path.Join(elem...)
}

func (t tree) dir(name string) string {
	if t.fs == nil {
		return filepath.Dir(name)
	}
	return path.Dir(name)
}

func (t tree) isAbs(name string) bool {
	if t.fs == nil {
		return filepath.IsAbs(name)
	}
	return path.IsAbs(name)
}

// at makes a name absolute; in an fs.FS that means relative to its root.
func (t tree) at(dir, name string) string {
	if t.isAbs(name) {
		return name
	}
	return t.join(dir, name)
}

// rel returns name relative to dir with slashes, if it is in dir.
func (t tree) rel(dir, name string) (string, bool) {
	if t.fs != nil && dir == "." {
		return name, fs.ValidPath(name)
	}
	r, err := filepath.Rel(dir, name)
	if err != nil {
		return "", false
	}
	r = filepath.ToSlash(r)
	return r, fs.ValidPath(r)
}

// reason returns the part of a file error that names neither operation nor file.
func reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
