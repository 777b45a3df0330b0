//go:build unix

package wasi

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/gyrvm/gyr/api"
)

// TestModesOfTheHost: the guest sees the part of the host's permissions that git keeps, until it
// changes them. The host's files stay usable and never get more than they may.
func TestModesOfTheHost(t *testing.T) {
	defer syscall.Umask(syscall.Umask(0))
	base := t.TempDir()
	dir := filepath.Join(base, "in")
	writeFile(t, filepath.Join(dir, "plain"), "x")
	writeFile(t, filepath.Join(dir, "run"), "x")
	writeFile(t, filepath.Join(dir, "d/in"), "x")
	writeFile(t, filepath.Join(base, "out"), "x")
	for name, mode := range map[string]fs.FileMode{"in/plain": 0o660, "in/run": 0o4711 | fs.ModeSetuid, "in/d": 0o1770, "out": 0o604} {
		if err := os.Chmod(filepath.Join(base, name), mode); err != nil {
			t.Fatal(err)
		}
	}
	os.Symlink("../out", filepath.Join(dir, "l"))
	onHost := func(name string) fs.FileMode {
		fi, err := os.Lstat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		return fi.Mode() &^ fs.ModeDir
	}
	for _, grant := range []api.Dir{{Host: dir, Guest: "/"}, {Host: dir, Guest: "/", ReadOnly: true}} {
		g := newGuest(t, api.Config{Dirs: []api.Dir{grant}})
		for name, want := range map[string]uint16{"plain": 0o644, "run": 0o755, "d": 0o755, "l": 0o777} {
			g.wantMode(name, want)
		}
		if grant.ReadOnly {
			g.wantErrno("chmod", g.chmod("plain", 0o600), EROFS)
			g.wantErrno("chmod of nothing", g.chmod("none", 0o600), ENOENT)
			g.wantErrno("fchmod", g.call("fchmod", uint64(g.open("plain", oRdonly)), 0o600), EROFS)
			g.wantErrno("fchmod", g.call("fchmod", uint64(g.open("d", oRdonly)), 0o600), EROFS)
			continue
		}
		for _, c := range []struct {
			name string
			mode uint64
			want fs.FileMode
		}{
			{"plain", 0o7777, 0o755}, {"plain", 0, 0o600}, {"plain", 0o400, 0o600}, {"run", 0o4755, 0o755}, {"d", 0, 0o700}, {"d", 0o1777, 0o755},
		} {
			g.wantErrno("chmod", g.chmod(c.name, c.mode), Success)
			if got := onHost(c.name); got != c.want {
				t.Errorf("%s, chmod %#o: %v on the host, want %v", c.name, c.mode, got, c.want)
			}
			g.wantMode(c.name, uint16(c.mode)&0o777)
		}
		g.wantErrno("chmod of nothing", g.chmod("none", 0o600), ENOENT)
		g.wantErrno("chmod outside", g.chmod("l", 0o600), EPERM)
		g.wantErrno("chmod outside", g.chmod("../out", 0o600), EPERM)
		if fi, err := os.Stat(filepath.Join(base, "out")); err != nil || fi.Mode() != 0o604 {
			t.Errorf("outside: %v, %v", fi.Mode(), err)
		}
		fd := g.make("new", 0o4404)
		if got := onHost("new"); got != 0o604 {
			t.Errorf("made with %v", got)
		}
		g.wantMode("new", 0o404)
		g.wantErrno("fchmod", g.call("fchmod", uint64(fd), 0o4711), Success)
		if got := onHost("new"); got != 0o711 {
			t.Errorf("fchmod: %v", got)
		}
		g.wantMode("new", 0o711)
		p, n := g.put("newdir")
		g.wantErrno("mkdir", g.call("mkdir", root, p, n, 0o1040), Success)
		if got := onHost("newdir"); got != 0o740 {
			t.Errorf("mkdir: %v", got)
		}
		g.wantMode("newdir", 0o040)
		g.wantErrno("fchmod", g.call("fchmod", uint64(g.open("newdir", oRdonly)), 0o750), Success)
		if got := onHost("newdir"); got != 0o750 {
			t.Errorf("fchmod: %v", got)
		}
		os.Chmod(filepath.Join(dir, "run"), 0o4711)
		os.Chmod(filepath.Join(dir, "plain"), 0o660)
	}
	// A copy begins with the same permissions, and leaves the host's unchanged.
	g := newGuest(t, api.Config{Dirs: []api.Dir{{Host: dir, Guest: "/c", Copy: true}, {Host: base, Guest: "/r", ReadOnly: true}}})
	at := func(name string) (uint16, Errno) {
		p, n := g.put(name)
		b := g.alloc(filestatSize)
		e := g.call("path_filestat_get", root, 0, p, n, b)
		return le.Uint16(g.bytes(b+filestatMode, 2)), e
	}
	for name, want := range map[string]uint16{"plain": 0o644, "run": 0o755, "d": 0o755} {
		if got, e := at(name); got != want || e != Success {
			t.Errorf("copy of %s: %#o, errno %d", name, got, e)
		}
	}
	before := onHost("plain")
	g.wantErrno("chmod", g.chmod("plain", 0), Success)
	if got, _ := at("plain"); got != 0 || onHost("plain") != before {
		t.Errorf("chmod in a copy: %#o, %v on the host", got, onHost("plain"))
	}
}

func TestPipesAreNotOpened(t *testing.T) {
	g, dir := dirGuest(t, false)
	if err := syscall.Mkfifo(filepath.Join(dir, "pipe"), 0o666); err != nil {
		t.Skip(err)
	}
	for _, mode := range []int{oRdonly, oWronly, oRdwr, oWronly | oTrunc} {
		_, e := g.openat(root, "pipe", mode)
		g.wantErrno("open a pipe", e, EACCES)
	}
}
