package wasi

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// jail has a secret beside the granted directory, and links that lead to it.
func jail(t *testing.T, ro bool) (g *guest, inside, outside string) {
	base := t.TempDir()
	inside, outside = filepath.Join(base, "in"), filepath.Join(base, "out")
	writeFile(t, filepath.Join(outside, "secret"), "secret")
	writeFile(t, filepath.Join(inside, "sub/f"), "f")
	writeFile(t, filepath.Join(inside, "own"), "own")
	for link, target := range map[string]string{
		"abs":       filepath.Join(outside, "secret"),
		"absdir":    outside,
		"up":        "../out/secret",
		"updir":     "../out",
		"chain":     "sub/chain2",
		"here":      "own",
		"loop":      "loop",
		"dangling":  "nothing",
		"weird":     "sub/../../out/secret",
		"backagain": "../in/own",
	} {
		if err := os.Symlink(target, filepath.Join(inside, link)); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("../../out", filepath.Join(inside, "sub/chain2"))
	return newGuest(t, api.Config{Dirs: []api.Dir{{Host: inside, Guest: "/", ReadOnly: ro}}}), inside, outside
}

var escapesOut = []string{
	"../out/secret", "..", "../", "sub/../../out/secret", "./../out/secret", "/etc/passwd", "/", "//x",
	"abs", "absdir/secret", "up", "updir/secret", "chain/secret", "weird", "sub/../up", "updir", "absdir/", "backagain",
}

func TestNothingLeadsOut(t *testing.T) {
	for _, ro := range []bool{false, true} {
		g, _, outside := jail(t, ro)
		sub := g.open("sub", oRdonly)
		paths := append([]string{}, escapesOut...)
		for _, p := range paths {
			for _, mode := range []int{oRdonly, oRdonly | oDir, oRdwr, oWronly | oCreate, oWronly | oTrunc} {
				if fd, e := g.openat(root, p, mode); e == Success {
					t.Errorf("open %s with mode %#o: descriptor %d", p, mode, fd)
				}
			}
			if _, e := g.openat(root, p, oRdonly); e != EPERM {
				t.Errorf("open %s: errno %d, want EPERM", p, e)
			}
			if _, e := g.stat(root, p, true); e == Success {
				t.Errorf("stat %s", p)
			}
		}
		g.wantHint("leads out of \"/\"")
		for _, p := range []string{"../own", "..", "../../out/secret"} {
			if _, e := g.openat(sub, p, oRdonly); e != EPERM {
				t.Errorf("open %s below a directory: errno %d, want EPERM", p, e)
			}
		}
		// Creating, removing, moving through links.
		for _, p := range []string{"../new", "updir/new", "absdir/new", "chain/new", "../out/new"} {
			_, e := g.openat(root, p, oWronly|oCreate)
			if e == Success {
				t.Errorf("created %s", p)
			}
			for _, f := range []string{"path_create_directory", "path_unlink_file", "path_remove_directory"} {
				if e := g.on(f, root, p); e == Success {
					t.Errorf("%s %s", f, p)
				}
			}
			ownP, ownN := g.put("own")
			pp, pn := g.put(p)
			if e := g.call("path_rename", root, ownP, ownN, root, pp, pn); e == Success {
				t.Errorf("rename to %s", p)
			}
			if e := g.call("path_link", root, 0, ownP, ownN, root, pp, pn); e == Success {
				t.Errorf("link to %s", p)
			}
			if e := g.call("path_symlink", ownP, ownN, root, pp, pn); e == Success {
				t.Errorf("symlink to %s", p)
			}
		}
		for _, p := range []string{"updir/secret", "absdir/secret", "../out/secret", "chain/secret"} {
			for _, f := range []string{"path_unlink_file", "path_remove_directory"} {
				if e := g.on(f, root, p); e == Success {
					t.Errorf("%s %s", f, p)
				}
			}
			pp, pn := g.put(p)
			np, nn := g.put("stolen")
			if e := g.call("path_rename", root, pp, pn, root, np, nn); e == Success {
				t.Errorf("rename of %s", p)
			}
			if e := g.call("path_link", root, 0, pp, pn, root, np, nn); e == Success {
				t.Errorf("link of %s", p)
			}
			if e := g.call("path_filestat_set_times", root, lookupFollow, pp, pn, 1, 1, setMtime); e == Success {
				t.Errorf("times of %s", p)
			}
		}
		if got := readFile(t, filepath.Join(outside, "secret")); got != "secret" {
			t.Errorf("the secret is now %q", got)
		}
		if list, _ := os.ReadDir(outside); len(list) != 1 {
			t.Errorf("outside: %v", list)
		}
	}
}

func TestLinksInside(t *testing.T) {
	g, inside, _ := jail(t, false)
	fd := g.open("here", oRdonly)
	if s, _ := g.read(fd, 10); s != "own" {
		t.Errorf("through a link: %q", s)
	}
	_, e := g.openat(root, "here", oRdonly|oNofol)
	g.wantErrno("not following", e, ELOOP)
	_, e = g.openat(root, "here", oWronly|oCreate|oExcl)
	g.wantErrno("exclusive on a link", e, EEXIST)
	_, e = g.openat(root, "loop", oRdonly)
	g.wantErrno("loop", e, ELOOP)
	_, e = g.openat(root, "dangling", oRdonly)
	g.wantErrno("dangling", e, ENOENT)
	_, e = g.openat(root, "dangling", oRdonly|oNofol)
	g.wantErrno("dangling, not following", e, ELOOP)
	g.open("dangling", oWronly|oCreate)
	if _, err := os.Stat(filepath.Join(inside, "nothing")); err != nil {
		t.Errorf("creating through a dangling link: %v", err)
	}
	st, _ := g.stat(root, "here", false)
	if st.typ != typeSymlink || st.size != 3 {
		t.Errorf("lstat: %+v", st)
	}
	if st, _ := g.stat(root, "here", true); st.typ != typeRegular {
		t.Errorf("stat: %+v", st)
	}
	p, n := g.put("abs")
	buf, r := g.alloc(4), g.alloc(4)
	g.wantErrno("readlink", g.call("path_readlink", root, p, n, buf, 4, r), Success)
	if g.u32(r) != 4 {
		t.Errorf("readlink stored %d bytes", g.u32(r))
	}
	p, n = g.put("own")
	g.wantErrno("readlink of a file", g.call("path_readlink", root, p, n, buf, 4, r), EINVAL)
	np, nn := g.put("made")
	g.wantErrno("symlink", g.call("path_symlink", p, n, root, np, nn), Success)
	if s, _ := os.Readlink(filepath.Join(inside, "made")); s != "own" {
		t.Errorf("made -> %q", s)
	}
	p, n = g.put("/etc/passwd")
	np, nn = g.put("made2")
	g.wantErrno("absolute symlink", g.call("path_symlink", p, n, root, np, nn), EPERM)
}

func TestReadOnly(t *testing.T) {
	g, inside, _ := jail(t, true)
	fd := g.open("own", oRdonly)
	if s, _ := g.read(fd, 10); s != "own" {
		t.Errorf("read %q", s)
	}
	_, e := g.write(fd, "x")
	g.wantErrno("write", e, EBADF)
	g.open("own", oRdonly|oCreate)
	for _, mode := range []int{oWronly, oRdwr, oRdonly | oTrunc, oWronly | oAppend} {
		_, e := g.openat(root, "own", mode)
		g.wantErrno("open for writing", e, EROFS)
	}
	_, e = g.openat(root, "new", oWronly|oCreate)
	g.wantErrno("create", e, EROFS)
	_, e = g.openat(root, "new", oRdonly|oCreate)
	g.wantErrno("create for reading", e, EROFS)
	_, e = g.openat(root, "new", oWronly)
	g.wantErrno("missing", e, ENOENT)
	g.wantErrno("mkdir", g.on("path_create_directory", root, "new"), EROFS)
	g.wantErrno("mkdir of what exists", g.on("path_create_directory", root, "sub"), EEXIST)
	g.wantErrno("unlink", g.on("path_unlink_file", root, "own"), EROFS)
	g.wantErrno("unlink of nothing", g.on("path_unlink_file", root, "none"), ENOENT)
	g.wantErrno("rmdir", g.on("path_remove_directory", root, "sub"), EROFS)
	p, n := g.put("own")
	q, m := g.put("own2")
	g.wantErrno("rename", g.call("path_rename", root, p, n, root, q, m), EROFS)
	g.wantErrno("link", g.call("path_link", root, 0, p, n, root, q, m), EROFS)
	g.wantErrno("symlink", g.call("path_symlink", p, n, root, q, m), EROFS)
	g.wantErrno("times", g.call("path_filestat_set_times", root, lookupFollow, p, n, 1, 1, setMtime), EROFS)
	g.wantErrno("truncate", g.call("fd_filestat_set_size", uint64(fd), 0), EINVAL)
	sub := g.open("sub", oRdonly)
	_, e = g.openat(sub, "f", oRdwr)
	g.wantErrno("open for writing below", e, EROFS)
	g.wantHint("read-only; -dir without :ro")
	if got := readFile(t, filepath.Join(inside, "own")); got != "own" {
		t.Errorf("own is now %q", got)
	}
}

func TestNoDirectoryGranted(t *testing.T) {
	g := newGuest(t, api.Config{})
	_, e := g.openat(-1, "etc/passwd", oRdonly)
	g.wantErrno("open", e, ENOENT)
	g.wantHint(`open "/etc/passwd": no directory is granted`)
	g.wantHint("-dir")
	_, e = g.openat(root, "etc/passwd", oRdonly)
	g.wantErrno("open in the tree", e, ENOENT)
	g.wantHint(`open "/etc/passwd": no directory is granted`)
	_, e = g.openat(4, "x", oRdonly)
	g.wantErrno("a descriptor that is not there", e, EBADF)
}

func TestDevices(t *testing.T) {
	if _, err := os.Stat("/dev/null"); err != nil {
		t.Skip(err)
	}
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: "/dev", Guest: "/dev"}}})
	fd := g.open("null", oRdwr)
	if n, e := g.write(fd, "x"); n != 1 || e != Success {
		t.Errorf("write: %d, errno %d", n, e)
	}
	if s, e := g.read(fd, 1); s != "" || e != Success {
		t.Errorf("read: %q, errno %d", s, e)
	}
	if st, _ := g.fstat(fd); st.typ != typeCharacter {
		t.Errorf("type %d", st.typ)
	}
}
