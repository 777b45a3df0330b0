package vet

import (
	"bytes"
	"io"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/api"
)

// files are the files of a guest: contents by absolute name.
type files struct {
	tops map[string]*folder // by the first element of the name
}

// guestName is the name that a file of the machine has for the guest.
func guestName(name string) string {
	if name = filepath.ToSlash(name); !strings.HasPrefix(name, "/") {
		name = "/" + name
	}
	return name
}

// add adds a file.
func (f *files) add(name string, data []byte) {
	top, rest, _ := strings.Cut(strings.TrimPrefix(path.Clean(name), "/"), "/")
	if f.tops == nil {
		f.tops = map[string]*folder{}
	}
	if f.tops[top] == nil {
		f.tops[top] = &folder{name: top, entries: map[string]any{}}
	}
	f.tops[top].add(rest, data)
}

// mounts returns the files as directories of a guest.
func (f *files) mounts() (list []api.Mount) {
	for top, d := range f.tops {
		list = append(list, api.Mount{Guest: "/" + top, FS: d})
	}
	return list
}

// A folder is a directory in memory. It is an fs.FS and its own fs.FileInfo.
type folder struct {
	name    string
	entries map[string]any // *folder, or *content
}

// A content is a file in memory.
type content struct {
	name string
	data []byte
}

func (d *folder) add(name string, data []byte) {
	first, rest, deeper := strings.Cut(name, "/")
	if !deeper {
		d.entries[first] = &content{first, data}
		return
	}
	sub, ok := d.entries[first].(*folder)
	if !ok {
		sub = &folder{name: first, entries: map[string]any{}}
		d.entries[first] = sub
	}
	sub.add(rest, data)
}

func (d *folder) Open(name string) (fs.File, error) {
	var at any = d
	if name != "." {
		for elem := range strings.SplitSeq(name, "/") {
			sub, ok := at.(*folder)
			if !ok {
				at = nil
				break
			}
			at = sub.entries[elem]
		}
	}
	switch at := at.(type) {
	case *folder:
		return &openFolder{folder: at}, nil
	case *content:
		return &openContent{content: at, Reader: bytes.NewReader(at.data)}, nil
	}
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
}

func (d *folder) Name() string               { return d.name }
func (d *folder) Size() int64                { return 0 }
func (d *folder) Mode() fs.FileMode          { return fs.ModeDir | 0o555 }
func (d *folder) ModTime() time.Time         { return time.Time{} }
func (d *folder) IsDir() bool                { return true }
func (d *folder) Sys() any                   { return nil }
func (d *folder) Type() fs.FileMode          { return fs.ModeDir }
func (d *folder) Info() (fs.FileInfo, error) { return d, nil }

func (c *content) Name() string               { return c.name }
func (c *content) Size() int64                { return int64(len(c.data)) }
func (c *content) Mode() fs.FileMode          { return 0o444 }
func (c *content) ModTime() time.Time         { return time.Time{} }
func (c *content) IsDir() bool                { return false }
func (c *content) Sys() any                   { return nil }
func (c *content) Type() fs.FileMode          { return 0 }
func (c *content) Info() (fs.FileInfo, error) { return c, nil }

type openFolder struct {
	*folder
	read int
}

func (o *openFolder) Stat() (fs.FileInfo, error) { return o.folder, nil }
func (o *openFolder) Close() error               { return nil }
func (o *openFolder) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: o.name, Err: fs.ErrInvalid}
}

func (o *openFolder) ReadDir(n int) ([]fs.DirEntry, error) {
	var list []fs.DirEntry
	for _, e := range o.entries {
		list = append(list, e.(fs.DirEntry))
	}
	slices.SortFunc(list, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	list = list[min(o.read, len(list)):]
	if n > 0 && len(list) == 0 {
		return nil, io.EOF
	}
	if n > 0 {
		list = list[:min(n, len(list))]
	}
	o.read += len(list)
	return list, nil
}

type openContent struct {
	*content
	*bytes.Reader
}

func (o *openContent) Size() int64                { return o.content.Size() }
func (o *openContent) Stat() (fs.FileInfo, error) { return o.content, nil }
func (o *openContent) Close() error               { return nil }
