package wasi

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// treeGuest has nothing but the tree, at descriptor 3.
func treeGuest(t testing.TB) *guest { return newGuest(t, api.Config{Name: "/x/prog"}) }

func (g *guest) all(fd int32) string {
	g.t.Helper()
	var all strings.Builder
	for {
		s, e := g.read(fd, 5000)
		if e != Success {
			g.t.Fatalf("read: errno %d", e)
		}
		if s == "" {
			return all.String()
		}
		all.WriteString(s)
	}
}

// content reads a file by its path.
func (g *guest) content(path string) string {
	g.t.Helper()
	fd := g.open(path, oRdonly)
	defer g.call("fd_close", uint64(fd))
	return g.all(fd)
}

func (g *guest) two(name string, from, to string) Errno {
	p, n := g.put(from)
	q, m := g.put(to)
	switch name {
	case "path_link":
		return g.call(name, root, 0, p, n, root, q, m)
	case "path_symlink":
		return g.call(name, p, n, root, q, m)
	}
	return g.call(name, root, p, n, root, q, m)
}

func TestTree(t *testing.T) {
	g := treeGuest(t)
	if got := g.names(root, 4096); !slices.Equal(got, []string{"bin", "dev", "home", "tmp"}) {
		t.Errorf("/ has %q", got)
	}
	if got := g.names(g.open("bin", oRdonly), 4096); !slices.Equal(got, []string{"prog"}) {
		t.Errorf("/bin has %q", got)
	}
	for _, p := range []string{"x", "bin/x", "dev/x", "tmpx", "../x", "/x"} {
		_, e := g.openat(root, p, oWronly|oCreate)
		g.wantErrno("create "+p, e, EROFS)
		g.wantErrno("mkdir "+p, g.on("path_create_directory", root, p), EROFS)
		_, e = g.openat(root, p, oRdonly)
		g.wantErrno("open "+p, e, ENOENT)
	}
	g.wantHint(`open "/tmpx": no directory is granted`)
	for _, p := range []string{"tmp", "home", "dev", "bin"} {
		g.wantErrno("rmdir "+p, g.on("path_remove_directory", root, p), EROFS)
	}
	_, e := g.openat(root, "bin/prog", oWronly)
	g.wantErrno("write the program", e, EROFS)
	g.wantErrno("unlink the program", g.on("path_unlink_file", root, "bin/prog"), EROFS)
	_, e = g.openat(root, "bin/prog/", oRdonly)
	g.wantErrno("a file as directory", e, ENOTDIR)
	_, e = g.openat(root, "tmp/"+strings.Repeat("n", 256), oWronly|oCreate)
	g.wantErrno("a long name", e, ENAMETOOLONG)

	fd := g.open("tmp/f", oRdwr|oCreate)
	g.write(fd, "hello")
	pos := g.alloc(8)
	g.wantErrno("seek far", g.call("fd_seek", uint64(fd), maxFile-2, 0, pos), Success)
	if _, e := g.write(fd, "xxx"); e != EFBIG {
		t.Errorf("write beyond the largest size: errno %d", e)
	}
	g.wantErrno("a large size", g.call("fd_filestat_set_size", uint64(fd), maxFile+1), EFBIG)
	g.wantErrno("a sparse file", g.call("fd_filestat_set_size", uint64(fd), maxFile), Success)
	g.wantErrno("and short", g.call("fd_filestat_set_size", uint64(fd), 3), Success)
	g.wantErrno("and longer", g.call("fd_filestat_set_size", uint64(fd), 6), Success)
	if got := g.content("tmp/f"); got != "hel\x00\x00\x00" {
		t.Errorf("content %q", got)
	}
	if st, _ := g.fstat(fd); st.size != 6 || st.dev != treeDevice || st.nlink != 1 || st.typ != typeRegular {
		t.Errorf("fstat: %+v", st)
	}
	g.wantErrno("link", g.two("path_link", "tmp/f", "tmp/f2"), Success)
	g.wantErrno("unlink", g.on("path_unlink_file", root, "tmp/f"), Success)
	g.wantErrno("unlink", g.on("path_unlink_file", root, "tmp/f2"), Success)
	if st, _ := g.fstat(fd); st.nlink != 0 || st.size != 6 {
		t.Errorf("a file without names: %+v", st)
	}
	g.write(fd, "still here")
}

// TestTreeCharges: the charge returns to its start when everything is removed, and never falls
// below it.
func TestTreeCharges(t *testing.T) {
	g := treeGuest(t)
	g.stat(root, "tmp", true)
	began := g.host.charged
	for range 3 {
		g.wantErrno("mkdir", g.on("path_create_directory", root, "tmp/d"), Success)
		fd := g.open("tmp/d/f", oRdwr|oCreate)
		for range 10 {
			g.write(fd, strings.Repeat("x", 10000))
		}
		if used := g.host.charged - began; used < 100_000 {
			t.Errorf("charged %d bytes for 100000", used)
		}
		g.wantErrno("symlink", g.two("path_symlink", "../home/somewhere", "tmp/d/l"), Success)
		g.wantErrno("link", g.two("path_link", "tmp/d/f", "home/hard"), Success)
		g.wantErrno("rename", g.two("path_rename", "tmp/d", "home/moved"), Success)
		g.wantErrno("rename over", g.two("path_rename", "home/moved/l", "home/hard"), Success)
		g.wantErrno("unlink", g.on("path_unlink_file", root, "home/moved/f"), Success)
		g.wantErrno("unlink", g.on("path_unlink_file", root, "home/hard"), Success)
		g.wantErrno("rmdir", g.on("path_remove_directory", root, "home/moved"), Success)
		g.wantErrno("close", g.call("fd_close", uint64(fd)), Success)
		if g.host.charged != began {
			t.Fatalf("charged %d bytes when everything is gone", g.host.charged-began)
		}
	}
	g.host.limit = began + 100_000
	fd := g.open("tmp/f", oRdwr|oCreate)
	for {
		_, e := g.write(fd, strings.Repeat("x", 10000))
		if e == OutOfMemory {
			break
		}
		g.wantErrno("write", e, Success)
	}
	for i := 0; ; i++ {
		if e := g.on("path_create_directory", root, fmt.Sprint("tmp/", i)); e == OutOfMemory {
			break
		} else if e != Success || i > 1000 {
			t.Fatalf("mkdir %d: errno %d", i, e)
		}
	}
}

// TestTreeLinks follows links in the tree. They lead only to places in the tree.
func TestTreeLinks(t *testing.T) {
	g := treeGuest(t)
	g.on("path_create_directory", root, "tmp/d")
	g.call("fd_close", uint64(g.open("tmp/f", oWronly|oCreate)))
	for name, target := range map[string]string{
		"tmp/abs": "/tmp/f", "tmp/rel": "f", "tmp/d/up": "../../../../tmp/f", "tmp/loop": "loop", "tmp/two": "one", "tmp/one": "two/x",
		"tmp/dir": "/tmp/d/", "tmp/out": "/etc/passwd", "tmp/new": "d/made", "tmp/long": strings.Repeat("dir/../", 300),
	} {
		g.wantErrno("symlink "+name, g.two("path_symlink", target, name), Success)
	}
	for p, want := range map[string]Errno{
		"tmp/abs": Success, "tmp/rel": Success, "tmp/d/up": Success, "tmp/dir/up": Success, "tmp/loop": ELOOP, "tmp/one": ELOOP,
		"tmp/out": ENOENT, "tmp/rel/": ENOTDIR, "tmp/dir/": Success, "tmp/dir/../../tmp/dir/up": Success, "tmp/new": ENOENT,
		"tmp/long": ELOOP, "../../etc/passwd": ENOENT,
	} {
		_, e := g.openat(root, p, oRdonly)
		g.wantErrno("open "+p, e, want)
	}
	g.open("tmp/new", oWronly|oCreate)
	if got := g.names(g.open("tmp/d", oRdonly), 4096); !slices.Equal(got, []string{"made", "up"}) {
		t.Errorf("/tmp/d has %q", got)
	}
	_, e := g.openat(root, "tmp/new", oWronly|oCreate|oExcl)
	g.wantErrno("exclusive on a link", e, EEXIST)
	for _, c := range []struct {
		from, to string
		want     Errno
	}{
		{"tmp/d", "tmp/d/in", EINVAL}, {"tmp/d", "tmp/f", ENOTDIR}, {"tmp/f", "tmp/d", EISDIR}, {"tmp/f", "tmp/rel", Success},
		{"tmp", "home/t", EROFS}, {"tmp/.", "tmp/e", EBUSY}, {"tmp/rel", "tmp/x/", ENOTDIR}, {"tmp/nothing", "tmp/f", ENOENT},
		{"tmp/rel", "bin/x", EROFS}, {"bin/prog", "tmp/x", EROFS},
	} {
		g.wantErrno("rename "+c.from+" "+c.to, g.two("path_rename", c.from, c.to), c.want)
	}
	// A directory that is removed while it is open cannot get entries.
	g.on("path_create_directory", root, "tmp/gone")
	fd := g.open("tmp/gone", oRdonly)
	g.wantErrno("rmdir", g.on("path_remove_directory", root, "tmp/gone"), Success)
	g.wantErrno("mkdir in it", g.on("path_create_directory", fd, "x"), ENOENT)
	_, e = g.openat(fd, "x", oWronly|oCreate)
	g.wantErrno("create in it", e, ENOENT)
}

// TestGrantsInTheTree walks to granted directories from the root.
func TestGrantsInTheTree(t *testing.T) {
	base := t.TempDir()
	writeFile(t, filepath.Join(base, "in/f"), "in")
	writeFile(t, filepath.Join(base, "ro/r"), "ro")
	writeFile(t, filepath.Join(base, "secret"), "secret")
	os.Symlink("../secret", filepath.Join(base, "in/out"))
	g := newGuest(t, api.Config{Dirs: []api.Dir{
		{Host: filepath.Join(base, "in"), Guest: "/tmp/a/in"}, {Host: filepath.Join(base, "ro"), Guest: "/x/ro", ReadOnly: true}}})
	tree := int32(root + 2)
	open := func(p string, mode int) (int32, Errno) { return g.openat(tree, p, mode) }
	fd, e := open("tmp/a/in/f", oRdonly)
	if g.wantErrno("open", e, Success); g.all(fd) != "in" {
		t.Error("another file")
	}
	_, e = open("tmp/a/in/out", oRdonly)
	g.wantErrno("a link that leads out", e, EPERM)
	_, e = open("tmp/a/in/../../../secret", oRdonly)
	g.wantErrno("dots in a granted directory", e, EPERM)
	_, e = open("x/ro/r", oWronly)
	g.wantErrno("read-only", e, EROFS)
	if fd, e = open("x", oRdonly); e != Success || !slices.Equal(g.names(fd, 4096), []string{"ro"}) {
		t.Errorf("/x: errno %d", e)
	}
	_, e = g.openat(fd, "ro/r", oRdonly)
	g.wantErrno("from a directory that leads there", e, Success)
	_, e = open("x/new", oWronly|oCreate)
	g.wantErrno("beside", e, EROFS)
	// Links of the tree lead into granted directories, and no further.
	p, n := g.put("/tmp/a/in")
	q, m := g.put("tmp/l")
	g.wantErrno("symlink", g.call("path_symlink", p, n, uint64(tree), q, m), Success)
	_, e = open("tmp/l/f", oRdonly)
	g.wantErrno("through a link", e, Success)
	_, e = open("tmp/l/out", oRdonly)
	g.wantErrno("through two", e, EPERM)
	_, e = open("tmp/l/../secret", oRdonly)
	g.wantErrno("dots behind a link", e, EPERM)
	// Directories on the way to a grant cannot be removed.
	for _, dir := range []string{"tmp/a/in", "tmp/a"} {
		if e := g.on("path_remove_directory", tree, dir); e == Success {
			t.Errorf("removed %s", dir)
		}
		p, n := g.put(dir)
		q, m := g.put("tmp/b")
		if e := g.call("path_rename", uint64(tree), p, n, uint64(tree), q, m); e == Success {
			t.Errorf("renamed %s", dir)
		}
	}
	fd, _ = open("tmp/t", oWronly|oCreate)
	p, n = g.put("tmp/t")
	q, m = g.put("tmp/a/in/t")
	g.wantErrno("rename into it", g.call("path_rename", uint64(tree), p, n, uint64(tree), q, m), EXDEV)
	g.wantErrno("link into it", g.call("path_link", uint64(tree), 0, p, n, uint64(tree), q, m), EXDEV)
	// The guest may close the preopened descriptors.
	g.call("fd_close", root)
	_, e = open("tmp/a/in/f", oRdonly)
	g.wantErrno("when the descriptor is closed", e, Success)
}

func TestTreeDevices(t *testing.T) {
	g := treeGuest(t)
	fd := g.open("dev/null", oRdwr|oCreate|oTrunc)
	if n, e := g.write(fd, "abc"); n != 3 || e != Success {
		t.Errorf("null: %d, errno %d", n, e)
	}
	if s, e := g.read(fd, 3); s != "" || e != Success {
		t.Errorf("null: %q, errno %d", s, e)
	}
	if s, _ := g.read(g.open("dev/zero", oRdonly), 3); s != "\x00\x00\x00" {
		t.Errorf("zero: %q", s)
	}
	fd = g.open("dev/urandom", oRdonly)
	if s, _ := g.read(fd, 3); s != "\x01\x02\x03" {
		t.Errorf("urandom: %q", s)
	}
	if st, _ := g.fstat(fd); st.typ != typeCharacter || st.size != 0 {
		t.Errorf("urandom: %+v", st)
	}
	g.wantErrno("truncate", g.call("fd_filestat_set_size", uint64(g.open("dev/null", oWronly)), 5), EINVAL)
	_, e := g.openat(root, "dev/null/x", oRdonly)
	g.wantErrno("below a device", e, ENOTDIR)
}
