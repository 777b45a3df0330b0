package load

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// This file lets programs load without a Go installation. Then programs continue a base. A Std and
// the sources of the base's packages (Base.Sources) have all else that a load reads from an
// installation. A load that needs other sources of the standard library ends with a SourcesError.

// A Std replaces a Go installation in a load on a base that was made elsewhere. It is immutable.
type Std struct {
	Release  string   // of Go: "go1.26.8"
	packages []string // import paths of all packages below GOROOT/src that have Go files, sorted
	godebugs []byte   // internal/godebugs/table.go
}

// godebugTable is the file of GOROOT/src that gives the defaults of GODEBUG for language versions.
const godebugTable = "internal/godebugs/table.go"

// A SourcesError says that a load needs sources of the standard library, and has no Go installation
// (Options.Std).
type SourcesError struct {
	What string // what needs them

	// Program holds the errors of a program that does not compile. With the sources they would be
	// the same or more exact.
	Program diag.Errors
}

func (e *SourcesError) Error() string { return e.What + " needs the sources of the standard library" }

// errCoverStd is the error of Options.Cover with packages of the standard library.
var errCoverStd = &SourcesError{What: "counting the coverage of the standard library"}

// errNoSources is the error of reading a package that a Std does not have.
var errNoSources = errors.New("the sources of the standard library are not here")

// StdOf returns the parts of a Go installation that loads without one need. ReadStd reads the
// result.
func StdOf(goroot, release string) ([]byte, error) {
	src := os.DirFS(filepath.Join(goroot, "src")) // src may be a link
	var paths []string
	err := fs.WalkDir(src, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		base := d.Name()
		switch {
		case d.IsDir() && name != "." && (base == "testdata" || base[0] == '.' || base[0] == '_'):
			return fs.SkipDir
		case !d.IsDir() && strings.HasSuffix(base, ".go"):
			paths = append(paths, path.Dir(name))
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	slices.Sort(paths)
	table, err := fs.ReadFile(src, godebugTable)
	if err != nil {
		return nil, err
	}
	list := strings.Join(slices.Compact(paths), "\n")
	return packFiles([]txtar.File{{Name: "release", Data: []byte(release)}, {Name: "packages", Data: []byte(list)},
		{Name: godebugTable, Data: table}}), nil
}

// ReadStd reads the result of StdOf.
func ReadStd(b []byte) (*Std, error) {
	files, err := unpackFiles(b)
	if err != nil {
		return nil, err
	}
	if len(files) != 3 || files[0].Name != "release" || files[1].Name != "packages" || files[2].Name != godebugTable {
		return nil, errBase
	}
	return &Std{Release: string(files[0].Data), packages: strings.Split(string(files[1].Data), "\n"),
		godebugs: files[2].Data}, nil
}

// has reports whether GOROOT/src has a package in a directory.
func (s *Std) has(path string) bool {
	_, ok := slices.BinarySearch(s.packages, path)
	return ok
}

// Sources returns the files of the base's own packages that loads on the base read: the files of
// packages with generics, without the bodies of other functions. Packages of bases below are not
// included. Sources reads the Go installation that the base was made from. [OpenBase] takes the
// result.
func (b *Base) Sources(goroot string) ([]byte, error) {
	var files []txtar.File
	for _, p := range b.pkgs[b.own:] {
		if !p.source || p.overlay {
			continue
		}
		for _, base := range slices.Sorted(maps.Keys(p.blanks)) {
			if isAnswer(b.overlay, p.path, base) {
				continue // every loader has it
			}
			name := path.Join(p.path, base)
			src, err := os.ReadFile(filepath.Join(goroot, "src", filepath.FromSlash(name)))
			if err != nil {
				return nil, err
			}
			if src, err = p.blanks[base].apply(src, crc32.Checksum(src, castagnoli())); err != nil {
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			files = append(files, txtar.File{Name: name, Data: src})
		}
	}
	return packFiles(files), nil
}

// packFiles writes files one after the other, preceded by a list of their names and sizes.
func packFiles(files []txtar.File) []byte {
	var raw []byte
	raw = binary.AppendUvarint(raw, uint64(len(files)))
	for _, f := range files {
		raw = append(binary.AppendUvarint(raw, uint64(len(f.Name))), f.Name...)
		raw = binary.AppendUvarint(raw, uint64(len(f.Data)))
	}
	for _, f := range files {
		raw = append(raw, f.Data...)
	}
	return raw
}

// unpackFiles reads what packFiles wrote.
func unpackFiles(raw []byte) ([]txtar.File, error) {
	head := raw[:min(len(raw), 1<<20)] // names and sizes take far less
	d := baseDecoder{s: string(head)}
	files := make([]txtar.File, d.count())
	sizes := make([]uint64, len(files))
	total := uint64(0)
	for i := range files {
		files[i].Name, sizes[i] = d.string(), d.uint()
		if sizes[i] > uint64(len(raw)) {
			return nil, errBase
		}
		total += sizes[i]
	}
	data := raw[len(head)-len(d.s):]
	if d.bad || total != uint64(len(data)) {
		return nil, errBase
	}
	for i := range files {
		files[i].Data, data = data[:sizes[i]:sizes[i]], data[sizes[i]:]
	}
	return files, nil
}

// A laterFS is a file system that is made at its first use.
type laterFS func() (fs.FS, error)

// newLaterFS returns a file system of the packed files that sources returns, or nil if sources is
// nil.
func newLaterFS(sources func() ([]byte, error)) fs.FS {
	if sources == nil {
		return nil
	}
	return laterFS(sync.OnceValues(func() (fs.FS, error) {
		packed, err := sources()
		if err != nil {
			return nil, err
		}
		files, err := unpackFiles(packed)
		if err != nil {
			return nil, err
		}
		return txtar.FS(&txtar.Archive{Files: files})
	}))
}

func (l laterFS) Open(name string) (fs.File, error) {
	f, err := l()
	if err != nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: err}
	}
	return f.Open(name)
}

// noSources is the tree of packages whose sources are not here.
type noSources struct{}

func (noSources) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: errNoSources}
}

// needsSources ends the load because what needs missing sources.
func (l *loader) needsSources(what string) { l.stop(&SourcesError{What: what}) }
