package wasi

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr/api"
)

func mountGuest(t testing.TB, fsys fs.FS, write bool) *guest {
	return newGuest(t, api.Config{Mounts: []api.Mount{{Guest: "/m", FS: fsys, Write: write}}})
}

func TestMount(t *testing.T) {
	files := fstest.MapFS{
		"a":   {Data: []byte("aaa"), ModTime: time.Unix(100, 0)},
		"d/b": {Data: []byte("bbb")},
		"l":   {Data: []byte("d/b"), Mode: fs.ModeSymlink},
		"top": {Data: []byte("/tmp/f"), Mode: fs.ModeSymlink},
		"dev": {Mode: fs.ModeDevice},
	}
	for _, write := range []bool{false, true} {
		g := newGuest(t, api.Config{Mounts: []api.Mount{{Guest: "/m", FS: files, Write: write}, {Guest: "/tmp/deep/w", Write: true}}})
		if got := strings.Join(g.names(g.open("m", oRdonly), 4096), " "); got != "a d dev l top" {
			t.Errorf("/m has %s", got)
		}
		if st, e := g.stat(root, "m/a", true); e != Success || st.size != 3 || st.mtim != 100e9 {
			t.Errorf("stat: %+v, errno %d", st, e)
		}
		if g.content("m/a") != "aaa" || g.content("m/l") != "bbb" || g.content("m/d/../l") != "bbb" {
			t.Error("another content")
		}
		_, e := g.openat(root, "m/top", oRdonly)
		g.wantErrno("a link to nothing", e, ENOENT)
		g.call("fd_close", uint64(g.open("tmp/f", oWronly|oCreate)))
		g.open("m/top", oRdonly) // the descriptor refers to a file of the guest's now
		_, e = g.openat(root, "m/dev", oRdonly)
		g.wantErrno("a device", e, EACCES)
		want := map[bool]Errno{false: EROFS, true: Success}[write]
		fd, e := g.openat(root, "m/a", oRdwr)
		g.wantErrno("open for writing", e, want)
		if write {
			g.write(fd, "x")
			g.call("fd_close", uint64(fd))
			if got := g.content("m/a"); got != "xaa" {
				t.Errorf("written: %q", got)
			}
		}
		_, e = g.openat(root, "m/new", oWronly|oCreate)
		g.wantErrno("create", e, want)
		g.wantErrno("rename", g.two("path_rename", "m/d", "m/e"), want)
		g.wantErrno("unlink", g.on("path_unlink_file", root, "m/l"), want)
		g.wantErrno("mkdir", g.on("path_create_directory", root, "m/q"), want)
		g.wantErrno("mkdir in the empty one", g.on("path_create_directory", root, "tmp/deep/w/q"), Success)
		if string(files["a"].Data) != "aaa" || len(files) != 5 {
			t.Error("the file system has changed")
		}
		for _, p := range []string{"m", "tmp/deep/w", "tmp/deep"} {
			if e := g.on("path_remove_directory", root, p); e == Success {
				t.Errorf("removed %s", p)
			}
		}
	}
}

// TestCopy changes a copied directory of the host.
func TestCopy(t *testing.T) {
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	writeFile(t, filepath.Join(dir, "f"), "was")
	writeFile(t, filepath.Join(dir, "d/g"), "g")
	writeFile(t, filepath.Join(base, "secret"), "secret")
	os.Symlink("../secret", filepath.Join(dir, "up"))
	os.Symlink(filepath.Join(base, "secret"), filepath.Join(dir, "abs"))
	os.Symlink("d/g", filepath.Join(dir, "in"))
	os.Symlink(base, filepath.Join(dir, "d/base"))
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/c", Copy: true}}})
	if g.content("in") != "g" {
		t.Error("another content")
	}
	for _, p := range []string{"up", "abs", "d/base/secret", "../secret", "../../secret", "d/base"} {
		if _, e := g.openat(root, p, oRdonly); e != ENOENT {
			t.Errorf("open %s: errno %d", p, e)
		}
	}
	g.write(g.open("f", oWronly|oTrunc), "is")
	g.write(g.open("d/new", oWronly|oCreate), "new")
	g.on("path_unlink_file", root, "d/g")
	g.two("path_rename", "d", "e")
	if g.content("f") != "is" || g.content("e/new") != "new" {
		t.Error("what was written is not there")
	}
	if readFile(t, filepath.Join(dir, "f")) != "was" || readFile(t, filepath.Join(dir, "d/g")) != "g" {
		t.Error("the directory has changed")
	}
}

// A liar is a file system with the faults in its fields.
type liar struct {
	fs.FS
	open func(name string) (fs.File, error)
}

func (l liar) Open(name string) (fs.File, error) {
	if f, err := l.open(name); f != nil || err != nil {
		return f, err
	}
	return l.FS.Open(name)
}

type lyingFile struct {
	fs.File
	read    func(p []byte) (int, error)
	readDir func(n int) ([]fs.DirEntry, error)
}

func (f lyingFile) Read(p []byte) (int, error)           { return f.read(p) }
func (f lyingFile) ReadDir(n int) ([]fs.DirEntry, error) { return f.readDir(n) }

type lyingEntry struct {
	fs.DirEntry
	name string
}

func (e lyingEntry) Name() string { return e.name }

func TestLyingFileSystems(t *testing.T) {
	truth := fstest.MapFS{"a": {Data: []byte("aaa")}, "d/b": {Data: []byte("b")}}
	file := func(read func([]byte) (int, error)) fs.FS {
		return liar{truth, func(name string) (fs.File, error) {
			if name != "a" {
				return nil, nil
			}
			f, err := truth.Open(name)
			return lyingFile{File: f, read: read}, err
		}}
	}
	dir := func(readDir func(int) ([]fs.DirEntry, error)) fs.FS {
		return liar{truth, func(name string) (fs.File, error) {
			if name != "." {
				return nil, nil
			}
			f, err := truth.Open(name)
			return lyingFile{File: f, readDir: readDir}, err
		}}
	}
	entry, _ := fs.ReadDir(truth, ".")
	named := func(names ...string) func(int) ([]fs.DirEntry, error) {
		return func(int) (list []fs.DirEntry, err error) {
			for _, n := range names {
				list = append(list, lyingEntry{entry[0], n})
			}
			return list, io.EOF
		}
	}
	count := 0
	for _, c := range []struct {
		name       string
		fsys       fs.FS
		open, read Errno // of /m/a
	}{
		{"nothing", liar{truth, func(string) (fs.File, error) { return nil, errors.New("no") }}, EIO, 0},
		{"no file", fsFunc(func(string) (fs.File, error) { return nil, nil }), EIO, 0},
		{"permission", liar{truth, func(string) (fs.File, error) { return nil, fs.ErrPermission }}, EPERM, 0},
		{"an endless file", file(func(p []byte) (int, error) { return len(p), nil }), OutOfMemory, 0},
		{"a file of nothing", file(func([]byte) (int, error) { return 0, nil }), Success, EIO},
		{"a count below zero", file(func([]byte) (int, error) { return -1, nil }), Success, EIO},
		{"a count above the length", file(func(p []byte) (int, error) { return len(p) + 1, nil }), Success, EIO},
		{"an error in the middle", file(func(p []byte) (int, error) {
			if count++; count%2 == 1 {
				return copy(p, "half"), nil
			}
			return 0, errors.New("broken")
		}), Success, EIO},
		{"an endless directory", dir(func(int) ([]fs.DirEntry, error) {
			count++
			return []fs.DirEntry{lyingEntry{entry[0], strings.Repeat("x", count%200) + time.Duration(count).String()}}, nil
		}), OutOfMemory, 0},
		{"a directory of nothing", dir(func(int) ([]fs.DirEntry, error) { return nil, nil }), EIO, 0},
		{"an entry twice", dir(named("a", "a")), EIO, 0},
		{"dots", dir(named("a", "..")), EIO, 0},
		{"a path", dir(named("a", "b/../../c")), EIO, 0},
		{"no name", dir(named("a", "")), EIO, 0},
		{"a zero byte", dir(named("a", "x\x00")), EIO, 0},
		{"an error after an entry", dir(func(int) ([]fs.DirEntry, error) { return entry[:1], errors.New("broken") }), EIO, 0},
		{"no directory", fsFunc(func(string) (fs.File, error) { return truth.Open("a") }), ENOTDIR, 0},
		{"a panic", liar{truth, func(string) (fs.File, error) { panic("ouch") }}, Interrupted, 0},
		{"a panic while reading", file(func([]byte) (int, error) { panic("ouch") }), Interrupted, 0},
		{"a panic while listing", dir(func(int) ([]fs.DirEntry, error) { panic("ouch") }), Interrupted, 0},
	} {
		g := mountGuest(t, c.fsys, false)
		g.host.limit = 4 << 20
		fd, e := g.openat(root, "m/a", oRdonly)
		if e != c.open {
			t.Errorf("%s: open gives errno %d, want %d", c.name, e, c.open)
			continue
		}
		if e == Interrupted && (g.host.failed == nil || !strings.Contains(g.host.failed.Error(), "Config.Mounts[0]")) {
			t.Errorf("%s: the run ends with %v", c.name, g.host.failed)
		}
		if e != Success {
			continue
		}
		for range 5 {
			if _, e = g.read(fd, 100); e != Success {
				break
			}
		}
		if e != c.read {
			t.Errorf("%s: read gives errno %d, want %d", c.name, e, c.read)
		}
	}
}

// TestDeepFileSystem walks down a directory that contains itself, until the path has its maximal
// length.
func TestDeepFileSystem(t *testing.T) {
	name := strings.Repeat("d", 100)
	g := mountGuest(t, fsFunc(func(string) (fs.File, error) {
		f, err := fstest.MapFS{name + "/x": {}}.Open(".")
		return f, err
	}), false)
	fd := g.open("m", oRdonly)
	for depth := 0; ; depth++ {
		next, e := g.openat(fd, name, oRdonly)
		if e == ENAMETOOLONG && depth > 30 {
			break
		}
		if e != Success || depth > 100 {
			t.Fatalf("depth %d: errno %d", depth, e)
		}
		g.call("fd_close", uint64(fd))
		fd = next
	}
}

type fsFunc func(string) (fs.File, error)

func (f fsFunc) Open(name string) (fs.File, error) { return f(name) }

func TestGrantErrors(t *testing.T) {
	dir := t.TempDir()
	for _, c := range []struct {
		c           api.Config
		field, want string
	}{
		{api.Config{Mounts: []api.Mount{{Guest: "/a"}, {Guest: "/a/"}}}, "Mounts[1]", "Mounts[0] and Mounts[1] have the same path /a"},
		{api.Config{Mounts: []api.Mount{{Guest: "/a/b"}, {Guest: "/a"}}}, "Mounts[1]", "Mounts[0] (/a/b) and Mounts[1] (/a) overlap"},
		{api.Config{Mounts: []api.Mount{{Guest: "/a"}, {Guest: "/a/b"}}}, "Mounts[1]", "overlap"},
		{api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/a"}}, Mounts: []api.Mount{{Guest: "/a/x"}}}, "Mounts[0]", "directory " + dir + " (/a) and Mounts[0] (/a/x) overlap"},
		{api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/a"}}, Mounts: []api.Mount{{Guest: "/a"}}}, "Mounts[0]", "same path"},
		{api.Config{Mounts: []api.Mount{{Guest: "a"}}}, "Mounts[0]", "absolute path"},
		{api.Config{Mounts: []api.Mount{{Guest: "/.."}}}, "Mounts[0]", "root directory"},
		{api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/a", ReadOnly: true, Copy: true}}}, "Dirs", "read-only and a copy"},
		{api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/a"}, {Host: dir, Guest: "/a", Copy: true}}}, "Dirs", "the same path /a"},
	} {
		_, err := New(make(flatMemory, memEnd-memStart), &fakeHost{}, c.c, Setup{})
		var grant *GrantError
		if !errors.As(err, &grant) || grant.Field != c.field || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %s: … %s", c.c, err, c.field, c.want)
		}
	}
	if _, err := New(make(flatMemory, memEnd-memStart), &fakeHost{}, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/"}},
		Mounts: []api.Mount{{Guest: "/a"}}}, Setup{}); err != nil {
		t.Error(err)
	}
}
