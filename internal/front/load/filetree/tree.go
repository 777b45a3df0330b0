package filetree

import (
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"sync"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// A Tree is a file system with the names that errors print: the machine's (with names of package
// filepath), or an fs.FS (with slash-separated names; "." is the root).
type Tree struct {
	FS   fs.FS          // nil: the machine's
	Rec  *Inputs        // nil: reads are not recorded
	root *hostfile.Root // in the machine's file system: names and links must not lead out of it; nil: no bound

	Replaced *overlaid // replacements of files of the machine; nil: none

	Moved func(name string) string // returns the real place of a file of the machine; nil: its name
}

// FileBits is the logarithm of the distance of the bases of two files in a token.FileSet.
const FileBits = 24

// Limits on reading one file. Callers pass the one that applies.
const (
	MaxSource     = 1<<FileBits - 1 // Go source: the size that positions can address
	MaxModuleFile = 16 << 20        // go.mod, go.work, modules.txt: as much as the go command reads
	maxEmbedded   = 256 << 20       // all embedded files of a program together
)

// Roots are the directories that a load reads without leaving them. The zero value has none.
type Roots struct {
	mu   sync.Mutex
	dirs map[string]*hostfile.Root // by name
}

// Close releases the directories.
func (r *Roots) Close() {
	for _, d := range r.dirs {
		d.Close()
	}
}

// Within returns the part of the user's files, or of the machine's, that is in a directory: a
// module, or the directory of a package without one. Neither names nor links lead out of it. File
// systems of embedders set their own bounds.
func (r *Roots) Within(t Tree, dir string) Tree {
	if t.FS != nil {
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

// real returns the real place of a file of the machine.
func (t Tree) real(name string) string {
	if t.Moved == nil {
		return name
	}
	return t.Moved(name)
}

// ReadDir lists a directory.
func (t Tree) ReadDir(dir string) ([]fs.DirEntry, error) { return t.list(InputList, dir) }

// ReadSources lists a directory for callers that use only the names of sources.
func (t Tree) ReadSources(dir string) ([]fs.DirEntry, error) { return t.list(InputGoList, dir) }

func (t Tree) list(kind InputKind, dir string) ([]fs.DirEntry, error) {
	done := t.record(kind, dir)
	list, err := t.RawDir(dir)
	done(listSum(kind, list, err))
	return t.Replaced.list(dir, list, err)
}

func (t Tree) RawDir(dir string) ([]fs.DirEntry, error) {
	switch {
	case t.root != nil:
		return t.root.ReadDir(t.real(dir))
	case t.FS == nil:
		return os.ReadDir(t.real(dir))
	}
	return fs.ReadDir(t.FS, path.Clean(dir))
}

// ReadFile returns the contents of a regular file of at most limit bytes.
func (t Tree) ReadFile(name string, limit int64) ([]byte, error) {
	if by, ok := t.Replaced.File(name); ok {
		return t.readReplaced(name, by, limit)
	}
	done := t.record(InputFile, name)
	data, err := t.RawFile(name, limit)
	done(contentSum(data, err))
	return data, err
}

func (t Tree) RawFile(name string, limit int64) ([]byte, error) {
	switch {
	case t.root != nil:
		return t.root.Read(t.real(name), limit)
	case t.FS == nil:
		return hostfile.Read(t.real(name), limit)
	}
	return hostfile.ReadFS(t.FS, path.Clean(name), limit)
}

// Stat follows symbolic links, Lstat does not. Callers may use only the type in the result.
func (t Tree) Stat(name string) (fs.FileInfo, error)  { return t.ask(InputType, name) }
func (t Tree) Lstat(name string) (fs.FileInfo, error) { return t.ask(InputLink, name) }

func (t Tree) ask(kind InputKind, name string) (fs.FileInfo, error) {
	if info, err, ok := t.Replaced.ask(name); ok {
		return info, err
	}
	done := t.record(kind, name)
	info, err := t.question(kind, name)
	done(typeSum(info, err))
	return info, err
}

func (t Tree) question(kind InputKind, name string) (fs.FileInfo, error) {
	switch {
	case t.root != nil && kind == InputLink:
		return t.root.Lstat(t.real(name))
	case t.root != nil:
		return t.root.Stat(t.real(name))
	case t.FS == nil && kind == InputLink:
		return os.Lstat(t.real(name))
	case t.FS == nil:
		return os.Stat(t.real(name))
	case kind == InputLink:
		return fs.Lstat(t.FS, path.Clean(name))
	}
	return fs.Stat(t.FS, path.Clean(name))
}

func (t Tree) IsDir(name string) bool {
	st, err := t.Stat(name)
	return err == nil && st.IsDir()
}

func (t Tree) IsFile(name string) bool {
	st, err := t.Stat(name)
	return err == nil && st.Mode().IsRegular()
}

func (t Tree) Join(elem ...string) string {
	if t.FS == nil {
		return filepath.Join(elem...)
	}
	return path.Join(elem...)
}

func (t Tree) Dir(name string) string {
	if t.FS == nil {
		return filepath.Dir(name)
	}
	return path.Dir(name)
}

func (t Tree) IsAbs(name string) bool {
	if t.FS == nil {
		return filepath.IsAbs(name)
	}
	return path.IsAbs(name)
}

// At makes a name absolute. In an fs.FS that means relative to its root.
func (t Tree) At(dir, name string) string {
	if t.IsAbs(name) {
		return name
	}
	return t.Join(dir, name)
}

// Rel returns name relative to dir with slashes, if it is in dir.
func (t Tree) Rel(dir, name string) (string, bool) {
	if t.FS != nil && dir == "." {
		return name, fs.ValidPath(name)
	}
	r, err := filepath.Rel(dir, name)
	if err != nil {
		return "", false
	}
	r = filepath.ToSlash(r)
	return r, fs.ValidPath(r)
}

// Reason returns the part of a file error that names neither operation nor file.
func Reason(err error) error {
	var pe *fs.PathError
	if errors.As(err, &pe) {
		return pe.Err
	}
	return err
}
