// Package modproxy makes module proxies of files, for GOPROXY=file://DIR. Releases are tested with
// them before their tags exist.
package modproxy

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"golang.org/x/mod/module"
	modzip "golang.org/x/mod/zip"
)

// Add adds the module in a directory to a proxy, under a path and a version: its current files,
// without those of modules in subdirectories. If change is not nil, it gets the name and contents
// of each file and returns the replacement.
func Add(proxy string, m module.Version, dir string, change func(name string, data []byte) []byte) error {
	path, err := module.EscapePath(m.Path)
	if err != nil {
		return err
	}
	checked, err := modzip.CheckDir(dir)
	if err != nil {
		return err
	}
	var files []modzip.File
	for _, name := range checked.Valid {
		rel, err := filepath.Rel(dir, name)
		if err != nil {
			return err
		}
		if rel == ".git" { // of a work tree
			continue
		}
		files = append(files, file{dir, filepath.ToSlash(rel), change})
	}
	var zip bytes.Buffer
	if err := modzip.Create(&zip, m, files); err != nil {
		return err
	}
	mod, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		return err
	}
	out := filepath.Join(proxy, filepath.FromSlash(path), "@v")
	if err := os.MkdirAll(out, 0o777); err != nil {
		return err
	}
	list, err := os.ReadFile(filepath.Join(out, "list"))
	if err != nil && !os.IsNotExist(err) {
		return err
	}
	for name, data := range map[string][]byte{
		m.Version + ".zip": zip.Bytes(), m.Version + ".mod": mod, m.Version + ".info": fmt.Appendf(nil, "{%q:%q}", "Version", m.Version),
		"list": fmt.Appendln(list, m.Version),
	} {
		if err := os.WriteFile(filepath.Join(out, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// A file is a file of a module, possibly changed.
type file struct {
	root, name string
	change     func(name string, data []byte) []byte
}

func (f file) Path() string { return f.name }

func (f file) Lstat() (os.FileInfo, error) {
	info, err := os.Lstat(f.full())
	if err != nil || f.change == nil {
		return info, err
	}
	data, err := f.data()
	return sized{info, int64(len(data))}, err
}

func (f file) Open() (io.ReadCloser, error) {
	data, err := f.data()
	return io.NopCloser(bytes.NewReader(data)), err
}

func (f file) full() string { return filepath.Join(f.root, filepath.FromSlash(f.name)) }

func (f file) data() ([]byte, error) {
	data, err := os.ReadFile(f.full())
	if err == nil && f.change != nil {
		data = f.change(f.name, data)
	}
	return data, err
}

// A sized is the info of a file with another size.
type sized struct {
	os.FileInfo
	size int64
}

func (f sized) Size() int64 { return f.size }
