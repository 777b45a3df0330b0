package wasi

import (
	"io/fs"
	"testing"
	"testing/fstest"
)

// mode returns the permissions that the guest sees of a file.
func (g *guest) mode(path string, follow bool) uint16 {
	g.t.Helper()
	p, n := g.put(path)
	b, flags := g.alloc(filestatSize), uint64(0)
	if follow {
		flags = lookupFollow
	}
	if e := g.call("path_filestat_get", root, flags, p, n, b); e != Success {
		g.t.Fatalf("stat %s: errno %d", path, e)
	}
	return le.Uint16(g.bytes(b+filestatMode, 2))
}

func (g *guest) wantMode(path string, want uint16) {
	g.t.Helper()
	if got := g.mode(path, false); got != want {
		g.t.Errorf("%s has mode %#o, want %#o", path, got, want)
	}
}

func (g *guest) chmod(path string, mode uint64) Errno {
	p, n := g.put(path)
	return g.call("chmod", root, lookupFollow, p, n, mode)
}

// make makes a file with a mode and returns its descriptor.
func (g *guest) make(path string, mode uint64) int32 {
	g.t.Helper()
	p, n := g.put(path)
	r := g.alloc(4)
	e := g.call("open", root, lookupFollow, p, n, oflagCreate|oflagExcl, rightFdRead|rightFdWrite|rightFdFilestatGet|rightFdFilestatSetTimes,
		1<<28-1, 0, mode, r)
	if e != Success {
		g.t.Fatalf("make %s: errno %d", path, e)
	}
	return int32(g.u32(r))
}

// TestModesOfTheTree: initial files, files made by WASI's own functions, and the arguments that
// count.
func TestModesOfTheTree(t *testing.T) {
	g := treeGuest(t)
	for path, want := range map[string]uint16{".": 0o755, "tmp": 0o1777, "home": 0o755, "bin": 0o755, "bin/prog": 0o755, "dev": 0o755, "dev/null": 0o666} {
		g.wantMode(path, want)
	}
	for _, path := range []string{".", "bin", "bin/prog", "dev"} {
		g.wantErrno("chmod "+path, g.chmod(path, 0), EROFS)
	}
	g.wantErrno("chmod of a device", g.chmod("dev/null", 0), EPERM)
	g.call("fd_close", uint64(g.open("tmp/f", oWronly|oCreate)))
	g.wantMode("tmp/f", 0o644)
	g.wantErrno("mkdir", g.on("path_create_directory", root, "tmp/d"), Success)
	g.wantMode("tmp/d", 0o755)
	g.make("tmp/g", 1<<40|0xffff)
	g.wantMode("tmp/g", 0o7777)
	p, n := g.put("tmp/e")
	g.wantErrno("mkdir", g.call("mkdir", root, p, n, 0xffff), Success)
	g.wantMode("tmp/e", 0o1777)
	g.two("path_symlink", "f", "tmp/l")
	g.wantMode("tmp/l", 0o777)
	g.wantErrno("chmod through a link", g.chmod("tmp/l", 0xf000|0o4321), Success)
	g.wantMode("tmp/f", 0o4321)
	p, n = g.put("tmp/l")
	g.wantErrno("chmod of a link", g.call("chmod", root, 0, p, n, 0o600), ENOTSUP)
	g.wantErrno("fchmod of a stream", g.call("fchmod", 1, 0), Success)
	g.wantErrno("fchmod of nothing", g.call("fchmod", 99, 0), EBADF)

	// A descriptor keeps what it was opened for, whatever the mode becomes.
	fd := g.make("tmp/h", 0o600)
	g.wantErrno("fchmod", g.call("fchmod", uint64(fd), 0), Success)
	if n, e := g.write(fd, "text"); n != 4 || e != Success {
		t.Errorf("write: %d, errno %d", n, e)
	}
	_, e := g.openat(root, "tmp/h", oRdonly)
	g.wantErrno("open", e, EACCES)
	g.call("fd_close", uint64(fd))
	g.wantErrno("unlink", g.on("path_unlink_file", root, "tmp/h"), Success)
}

// TestModesAreKept: a mark and a state contain the modes of the tree.
func TestModesAreKept(t *testing.T) {
	g := treeGuest(t)
	g.call("fd_close", uint64(g.make("tmp/f", 0o4640)))
	var m Mark
	g.sys.Mark(&m)
	g.wantErrno("chmod", g.chmod("tmp/f", 0), Success)
	g.sys.Back(&m)
	g.wantMode("tmp/f", 0o4640)
	g.wantErrno("chmod", g.chmod("tmp", 0o1333), Success)
	state, err := g.sys.AppendState(nil)
	if err != nil {
		t.Fatal(err)
	}
	other := treeGuest(t)
	if _, err := other.sys.SetState(state, func() error { return nil }); err != nil {
		t.Fatal(err)
	}
	other.wantMode("tmp", 0o1333)
	other.wantMode("tmp/f", 0o4640)
	_, e := other.openat(root, "tmp", oRdonly)
	other.wantErrno("list", e, EACCES)
	again, err := other.sys.AppendState(nil)
	if err != nil || string(again) != string(state) {
		t.Errorf("another state, %v", err)
	}
}

// TestModesOfVolumes: the modes of a host's file system count, and the guest may also read, and
// write what it may change.
func TestModesOfVolumes(t *testing.T) {
	files := fstest.MapFS{
		"none": {}, "private": {Mode: 0o600}, "shut": {Mode: 0o007}, "run": {Mode: 0o4555},
		"d": {Mode: fs.ModeDir | 0o070}, "d/in": {}, "e": {Mode: fs.ModeDir}, "l": {Mode: fs.ModeSymlink, Data: []byte("none")},
	}
	for _, write := range []bool{false, true} {
		g := mountGuest(t, files, write)
		want := map[string]uint16{"none": 0o444, "private": 0o600, "shut": 0o407, "run": 0o555, "d": 0o570, "e": 0o555, "l": 0o777}
		if write {
			want = map[string]uint16{"none": 0o644, "private": 0o600, "shut": 0o607, "run": 0o755, "d": 0o770, "e": 0o755, "l": 0o777}
		}
		for name, mode := range want {
			g.wantMode("m/"+name, mode)
		}
		for _, name := range []string{"none", "private", "shut", "d/in"} {
			g.content("m/" + name)
		}
		if !write {
			g.wantErrno("chmod", g.chmod("m/none", 0), EROFS)
			continue
		}
		g.wantErrno("chmod", g.chmod("m/none", 0o200), Success)
		g.wantMode("m/none", 0o200)
		_, e := g.openat(root, "m/none", oRdonly)
		g.wantErrno("open", e, EACCES)
		g.wantErrno("chmod", g.chmod("m/d", 0), Success)
		_, e = g.stat(root, "m/d/in", true)
		g.wantErrno("stat", e, EACCES)
		if files["none"].Mode != 0 {
			t.Error("the host's file has changed")
		}
	}
	// It makes no difference whether a file was examined before it is written.
	g := mountGuest(t, files, true)
	g.call("fd_close", uint64(g.open("m/run", oRdwr)))
	fd := g.open("m/private", oRdwr)
	g.write(fd, "x")
	g.call("fd_close", uint64(fd))
	g.call("fd_close", uint64(g.open("m/shut", oWronly|oTrunc)))
	g.wantMode("m/run", 0o755)
	g.wantMode("m/private", 0o600)
	g.wantMode("m/shut", 0o607)
}
