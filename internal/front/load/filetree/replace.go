package filetree

import (
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/hostfile"
)

// This file replaces files of the machine by others, like -overlay of the go command. The
// replacements are in Settings.Replace and so in the identity of a program. The files that were
// read instead are among its inputs.

// An overlaid is Settings.Replace, with the directories that it implies.
type overlaid struct {
	files map[string]string          // by name; empty: no such file exists
	dirs  map[string]map[string]bool // names in directories: true for a directory, false for a file
}

// NewOverlay returns the replacements of files, or nil if nothing is replaced.
func NewOverlay(files map[string]string) *overlaid {
	if len(files) == 0 {
		return nil
	}
	r := &overlaid{files: files, dirs: map[string]map[string]bool{}}
	for name, by := range files {
		for isDir := false; by != ""; isDir = true {
			dir := filepath.Dir(name)
			if dir == name {
				break
			}
			if r.dirs[dir] == nil {
				r.dirs[dir] = map[string]bool{}
			}
			r.dirs[dir][filepath.Base(name)] = isDir
			name = dir
		}
	}
	return r
}

// File returns the replacement of a file. ok reports whether the file is replaced. If by is empty,
// no such file exists.
func (r *overlaid) File(name string) (by string, ok bool) {
	if r == nil {
		return "", false
	}
	if by, ok = r.files[name]; ok || r.dirs[name] != nil {
		return by, ok
	}
	for dir := filepath.Dir(name); dir != name; name, dir = dir, filepath.Dir(dir) {
		if _, ok := r.files[dir]; ok {
			return "", true // its directory is gone, or is a file now
		}
	}
	return "", false
}

// readReplaced reads the replacement of a file.
func (t Tree) readReplaced(name, by string, limit int64) ([]byte, error) {
	if by == "" {
		return nil, notThere("open", name)
	}
	done := t.record(InputFile, by)
	data, err := hostfile.Read(by, limit)
	done(contentSum(data, err))
	return data, err
}

// list changes the listing of a directory.
func (r *overlaid) list(dir string, list []fs.DirEntry, err error) ([]fs.DirEntry, error) {
	if r == nil {
		return list, err
	}
	if _, ok := r.File(dir); ok {
		return nil, notThere("open", dir)
	}
	added := r.dirs[dir]
	if err != nil && added == nil {
		return nil, err
	}
	var out []fs.DirEntry
	for _, e := range list {
		_, gone := r.files[filepath.Join(dir, e.Name())]
		if _, again := added[e.Name()]; !gone && !again {
			out = append(out, e)
		}
	}
	for name, isDir := range added {
		out = append(out, newEntry(name, isDir))
	}
	slices.SortFunc(out, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return out, nil
}

// ask returns the type of a replaced file, or of a directory that holds one. ok reports whether
// name is one of these.
func (r *overlaid) ask(name string) (info fs.FileInfo, err error, ok bool) {
	if r == nil {
		return nil, nil, false
	}
	switch by, replaced := r.File(name); {
	case replaced && by == "":
		return nil, notThere("stat", name), true
	case replaced:
		return newEntry(filepath.Base(name), false), nil, true
	case r.dirs[name] != nil:
		return newEntry(filepath.Base(name), true), nil, true
	}
	return nil, nil, false
}

func notThere(op, name string) error { return &fs.PathError{Op: op, Path: name, Err: fs.ErrNotExist} }

// An entry is a file or directory with only its name and type.
type entry struct {
	name string
	mode fs.FileMode
}

func newEntry(name string, isDir bool) entry {
	if isDir {
		return entry{name, fs.ModeDir}
	}
	return entry{name: name}
}

func (e entry) Name() string               { return e.name }
func (e entry) IsDir() bool                { return e.mode.IsDir() }
func (e entry) Type() fs.FileMode          { return e.mode.Type() }
func (e entry) Info() (fs.FileInfo, error) { return e, nil }
func (e entry) Size() int64                { return 0 }
func (e entry) Mode() fs.FileMode          { return e.mode }
func (e entry) ModTime() time.Time         { return time.Time{} }
func (e entry) Sys() any                   { return nil }
