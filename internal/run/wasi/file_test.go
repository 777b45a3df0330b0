package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/run/memory"
)

func TestFiles(t *testing.T) {
	g, dir := dirGuest(t, false)
	fd := g.open("f", oRdwr|oCreate|oExcl)
	if fd != 5 {
		t.Errorf("descriptor %d, want the lowest free one, 5", fd)
	}
	_, e := g.openat(root, "f", oRdwr|oCreate|oExcl)
	g.wantErrno("exclusive again", e, EEXIST)
	if n, e := g.write(fd, "hello world"); n != 11 || e != Success {
		t.Fatalf("write: %d, errno %d", n, e)
	}
	pos := g.alloc(8)
	g.wantErrno("seek", g.call("fd_seek", uint64(fd), 6, 0, pos), Success)
	if s, e := g.read(fd, 100); s != "world" || e != Success {
		t.Errorf("read: %q, errno %d", s, e)
	}
	if s, e := g.read(fd, 100); s != "" || e != Success {
		t.Errorf("read at the end: %q, errno %d", s, e)
	}
	minus5 := int64(-5)
	g.wantErrno("seek from the end", g.call("fd_seek", uint64(fd), uint64(minus5), 2, pos), Success)
	if g.u64(pos) != 6 {
		t.Errorf("position %d", g.u64(pos))
	}
	g.wantErrno("seek before the start", g.call("fd_seek", uint64(fd), uint64(minus5), 0, pos), EINVAL)
	g.wantErrno("seek from nowhere", g.call("fd_seek", uint64(fd), 0, 3, pos), EINVAL)

	buf, r := g.alloc(5), g.alloc(4)
	v, n := g.iovec(buf, 5)
	g.wantErrno("pread", g.call("fd_pread", uint64(fd), v, n, 6, r), Success)
	if got := string(g.bytes(buf, 5)); got != "world" || g.u32(r) != 5 {
		t.Errorf("pread: %q", got)
	}
	copy(g.bytes(buf, 5), "WORLD")
	g.wantErrno("pwrite", g.call("fd_pwrite", uint64(fd), v, n, 6, r), Success)
	g.wantErrno("pread at a negative offset", g.call("fd_pread", uint64(fd), v, n, uint64(minus5), r), EINVAL)
	g.wantErrno("sync", g.call("fd_sync", uint64(fd)), Success)
	g.wantErrno("truncate", g.call("fd_filestat_set_size", uint64(fd), 8), Success)
	g.wantErrno("close", g.call("fd_close", uint64(fd)), Success)
	g.wantErrno("close again", g.call("fd_close", uint64(fd)), EBADF)
	if got := readFile(t, filepath.Join(dir, "f")); got != "hello WO" {
		t.Errorf("the file holds %q", got)
	}

	fd = g.open("f", oWronly|oAppend)
	g.write(fd, "!")
	_, e = g.read(fd, 1)
	g.wantErrno("read of what is open for writing", e, EBADF)
	g.wantErrno("pwrite in append mode", g.call("fd_pwrite", uint64(fd), v, n, 0, r), EINVAL)
	g.call("fd_close", uint64(fd))
	fd = g.open("f", oRdonly)
	if s, _ := g.read(fd, 100); s != "hello WO!" {
		t.Errorf("read %q", s)
	}
	_, e = g.write(fd, "x")
	g.wantErrno("write to what is open for reading", e, EBADF)
	g.wantErrno("truncate of what is open for reading", g.call("fd_filestat_set_size", uint64(fd), 0), EINVAL)
	g.open("f", oWronly|oTrunc)
	if st, _ := g.fstat(fd); st.size != 0 || st.typ != typeRegular || st.nlink != 1 {
		t.Errorf("after truncation: %+v", st)
	}

	_, e = g.openat(root, "missing", oRdonly)
	g.wantErrno("missing", e, ENOENT)
	_, e = g.openat(root, "missing/f", oRdonly|oCreate)
	g.wantErrno("in a missing directory", e, ENOENT)
	_, e = g.openat(root, "f/g", oRdonly)
	g.wantErrno("below a file", e, ENOTDIR)
	_, e = g.openat(root, "f", oRdonly|oDir)
	g.wantErrno("file as directory", e, ENOTDIR)
	_, e = g.openat(root, ".", oWronly)
	g.wantErrno("directory for writing", e, EISDIR)
	_, e = g.openat(fd, "g", oRdonly)
	g.wantErrno("relative to a file", e, ENOTDIR)
	_, e = g.openat(99, "g", oRdonly)
	g.wantErrno("relative to nothing", e, EBADF)
	_, e = g.openat(root, "a\x00b", oRdonly)
	g.wantErrno("zero byte", e, EINVAL)
	_, e = g.openat(root, "", oRdonly)
	g.wantErrno("empty path", e, ENOENT)
	_, e = g.openat(root, string(make([]byte, 5000)), oRdonly)
	g.wantErrno("long path", e, ENAMETOOLONG)
}

func TestDirectories(t *testing.T) {
	g, dir := dirGuest(t, false)
	g.wantErrno("mkdir", g.on("path_create_directory", root, "d"), Success)
	g.wantErrno("mkdir again", g.on("path_create_directory", root, "d"), EEXIST)
	writeFile(t, filepath.Join(dir, "d/f"), "x")
	d := g.open("d", oRdonly)
	if st, _ := g.fstat(d); st.typ != typeDirectory || st.size != 0 {
		t.Errorf("fstat: %+v", st)
	}
	fd, e := g.openat(d, "f", oRdonly)
	g.wantErrno("openat", e, Success)
	_, e = g.read(d, 1)
	g.wantErrno("read", e, EISDIR)
	_, e = g.write(d, "x")
	g.wantErrno("write", e, EBADF)
	g.wantErrno("seek", g.call("fd_seek", uint64(d), 0, 0, g.alloc(8)), EBADF)
	g.wantErrno("readdir of a file", g.call("fd_readdir", uint64(fd), g.alloc(64), 64, 0, g.alloc(4)), ENOTDIR)

	g.wantErrno("rmdir not empty", g.on("path_remove_directory", root, "d"), ENOTEMPTY)
	g.wantErrno("unlink a directory", g.on("path_unlink_file", root, "d"), EISDIR)
	g.wantErrno("rmdir a file", g.on("path_remove_directory", root, "d/f"), ENOTDIR)
	g.wantErrno("unlink", g.on("path_unlink_file", d, "f"), Success)
	g.wantErrno("unlink again", g.on("path_unlink_file", d, "f"), ENOENT)
	g.wantErrno("rmdir", g.on("path_remove_directory", root, "d"), Success)
	if s, e := g.read(fd, 10); s != "x" || e != Success {
		t.Errorf("an open file outlives its name: %q, errno %d", s, e)
	}
}

func TestListingsAreSortedAndResume(t *testing.T) {
	g, dir := dirGuest(t, false)
	want := []string{"B", "a", "a.b", "link", "sub", "z"}
	for _, n := range []string{"z", "a.b", "B", "a"} {
		writeFile(t, filepath.Join(dir, n), n)
	}
	os.Mkdir(filepath.Join(dir, "sub"), 0o777)
	os.Symlink("a", filepath.Join(dir, "link"))
	fd := g.open(".", oRdonly)
	for _, portion := range []int{30, 31, 50, 64, 100, 1000} {
		got := g.names(fd, portion)
		if len(got) != len(want) {
			t.Fatalf("portion %d: %q", portion, got)
		}
		for i := range want {
			if got[i] != want[i] {
				t.Fatalf("portion %d: %q", portion, got)
			}
		}
	}
	g.wantErrno("cookie far beyond", g.call("fd_readdir", uint64(fd), g.alloc(64), 64, ^uint64(0), g.alloc(4)), Success)
	charged := g.host.charged
	if charged == 0 {
		t.Error("a listing costs nothing")
	}
	g.call("fd_close", uint64(fd))
	if g.host.charged >= charged {
		t.Error("closing does not give the listing back")
	}
	if g.host.charged%memory.UnitFile != 0 {
		t.Errorf("%d left", g.host.charged)
	}
	g.host.limit = g.host.charged + memory.UnitFile + 10
	fd = g.open(".", oRdonly)
	_, e := g.openat(root, ".", oRdonly)
	g.wantErrno("descriptor beyond the memory limit", e, ENOMEM)
	g.wantErrno("listing beyond the memory limit", g.call("fd_readdir", uint64(fd), g.alloc(64), 64, 0, g.alloc(4)), ENOMEM)
}

func TestRename(t *testing.T) {
	g, dir := dirGuest(t, false)
	rename := func(od int32, o string, nd int32, n string) Errno {
		op, on := g.put(o)
		np, nn := g.put(n)
		return g.call("path_rename", uint64(od), op, on, uint64(nd), np, nn)
	}
	writeFile(t, filepath.Join(dir, "a"), "a")
	writeFile(t, filepath.Join(dir, "b"), "b")
	writeFile(t, filepath.Join(dir, "full/x"), "")
	for _, d := range []string{"d1", "d2/deep", "empty"} {
		os.MkdirAll(filepath.Join(dir, d), 0o777)
	}
	g.wantErrno("over a file", rename(root, "a", root, "b"), Success)
	if got := readFile(t, filepath.Join(dir, "b")); got != "a" {
		t.Errorf("b holds %q", got)
	}
	g.wantErrno("missing", rename(root, "a", root, "c"), ENOENT)
	g.wantErrno("file over directory", rename(root, "b", root, "empty"), EISDIR)
	g.wantErrno("directory over file", rename(root, "d1", root, "b"), ENOTDIR)
	g.wantErrno("directory over a full one", rename(root, "d1", root, "full"), ENOTEMPTY)
	g.wantErrno("directory over an empty one", rename(root, "d1", root, "empty"), Success)
	g.wantErrno("onto itself", rename(root, "b", root, "b"), Success)
	d2, deep := g.open("d2", oRdonly), g.open("d2/deep", oRdonly)
	g.wantErrno("between descriptors", rename(root, "b", deep, "c"), Success)
	g.wantErrno("between descriptors, back", rename(deep, "c", d2, "b"), Success)
	g.wantErrno("out of a descriptor's directory", rename(deep, "../b", d2, "c"), EPERM)
	os.Rename(filepath.Join(dir, "d2"), filepath.Join(dir, "d3"))
	g.wantErrno("a directory that moved", rename(d2, "b", deep, "b"), ENOENT)

	link := func(od int32, o string, nd int32, n string) Errno {
		op, on := g.put(o)
		np, nn := g.put(n)
		return g.call("path_link", uint64(od), 0, op, on, uint64(nd), np, nn)
	}
	writeFile(t, filepath.Join(dir, "l1"), "x")
	g.wantErrno("link", link(root, "l1", root, "l2"), Success)
	g.wantErrno("link to what exists", link(root, "l1", root, "l2"), EEXIST)
	s1, _ := g.stat(root, "l1", true)
	s2, _ := g.stat(root, "l2", true)
	if s1.ino != s2.ino || s1.nlink != 2 {
		t.Errorf("links differ: %+v, %+v", s1, s2)
	}
}

// TestFilesOfTheHostAreBounded: files in the guest's memory may be open more often than files that
// the host's process holds.
func TestFilesOfTheHostAreBounded(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "f"), "")
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/"}}})
	var last int32
	for i := range maxHostFiles {
		if i%2 == 0 {
			last = g.open("f", oRdonly)
		} else {
			last = g.open(".", oRdonly)
		}
	}
	_, e := g.openat(root, "f", oRdonly)
	g.wantErrno("one file too many", e, EMFILE)
	_, e = g.openat(root, ".", oRdonly)
	g.wantErrno("one directory too many", e, EMFILE)
	g.call("fd_close", uint64(last))
	g.open("f", oRdonly)
	if _, e = g.openat(root, "f", oRdonly); e != EMFILE {
		t.Errorf("after one was closed and one opened: %v", e)
	}
}

func TestDescriptorsAreBounded(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "f"), "")
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/"}}}, Setup{MaxFiles: 8})
	for range 3 {
		g.open("f", oRdonly)
	}
	_, e := g.openat(root, "f", oRdonly)
	g.wantErrno("one too many", e, EMFILE)
	_, e = g.openat(root, ".", oRdonly)
	g.wantErrno("one directory too many", e, EMFILE)
	g.call("fd_close", 5)
	if fd := g.open("f", oRdonly); fd != 5 {
		t.Errorf("descriptor %d, want 5", fd)
	}
	g.call("fd_close", 0)
	if fd := g.open("f", oRdonly); fd != 0 {
		t.Errorf("descriptor %d, want 0", fd)
	}
}

func TestRights(t *testing.T) {
	g, dir := dirGuest(t, false)
	writeFile(t, filepath.Join(dir, "f"), "abc")
	fd := g.open("f", oRdwr)
	st := g.alloc(24)
	g.wantErrno("fdstat", g.call("fd_fdstat_get", uint64(fd), st), Success)
	if typ := g.bytes(st, 1)[0]; typ != typeRegular {
		t.Errorf("type %d", typ)
	}
	rights := g.u64(st + 8)
	if rights&rightFdWrite == 0 || rights&rightPathOpen != 0 {
		t.Errorf("rights of a file: %#x", rights)
	}
	g.wantErrno("fewer", g.call("fd_fdstat_set_rights", uint64(fd), rights&^rightFdSeek, 0), Success)
	g.wantErrno("more", g.call("fd_fdstat_set_rights", uint64(fd), rights, 0), ENOTCAPABLE)
	g.wantErrno("seek without the right", g.call("fd_seek", uint64(fd), 0, 0, g.alloc(8)), ENOTCAPABLE)

	d := g.open(".", oRdonly)
	g.wantErrno("of a directory", g.call("fd_fdstat_set_rights", uint64(d), rightPathOpen, rightFdRead), Success)
	g.wantErrno("unlink without the right", g.on("path_unlink_file", d, "f"), ENOTCAPABLE)
	f2, e := g.openat(d, "f", oRdwr)
	g.wantErrno("open", e, Success)
	_, e = g.write(f2, "x")
	g.wantErrno("write without an inherited right", e, EBADF)
}

func TestPreopens(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: a, Guest: "/"}, {Host: b, Guest: "data/in/"}, {Host: b, Guest: "", ReadOnly: true}}})
	for i, want := range []string{"/", "/data/in", b} {
		fd := uint64(root + i)
		p := g.alloc(8)
		g.wantErrno("prestat", g.call("fd_prestat_get", fd, p), Success)
		n := g.u32(p + 4)
		name := g.alloc(int(n))
		g.wantErrno("name", g.call("fd_prestat_dir_name", fd, name, uint64(n)), Success)
		if got := string(g.bytes(name, uint64(n))); got != want {
			t.Errorf("directory %d is %q, want %q", i, got, want)
		}
		g.wantErrno("short buffer", g.call("fd_prestat_dir_name", fd, name, uint64(n-1)), ENAMETOOLONG)
	}
	g.wantErrno("the guest's own", g.call("fd_prestat_get", root+3, g.alloc(8)), Success)
	g.wantErrno("after the last", g.call("fd_prestat_get", root+4, g.alloc(8)), EBADF)

	if _, err := New(g.mem, g.host, api.Config{Dirs: []api.Dir{{Host: a, Guest: "/x"}, {Host: b, Guest: "x"}}}, Setup{}); err == nil {
		t.Error("two directories under one path")
	}
	if _, err := New(g.mem, g.host, api.Config{Dirs: []api.Dir{{Host: filepath.Join(a, "missing"), Guest: "/x"}}}, Setup{}); err == nil {
		t.Error("a missing directory")
	}
	writeFile(t, filepath.Join(a, "f"), "")
	if _, err := New(g.mem, g.host, api.Config{Dirs: []api.Dir{{Host: filepath.Join(a, "f"), Guest: "/x"}}}, Setup{}); err == nil {
		t.Error("a file as directory")
	}
	p, n := g.put("f")
	g.wantErrno("rename between directories", g.call("path_rename", root, p, n, root+1, p, n), EXDEV)
}
