package wasi

import (
	"bytes"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

func TestFilestatShowsNothingOfTheMachine(t *testing.T) {
	g, dir := dirGuest(t, false)
	writeFile(t, filepath.Join(dir, "b"), "bb")
	writeFile(t, filepath.Join(dir, "a"), "a")
	when := time.Date(2020, 2, 3, 4, 5, 6, 7000, time.UTC)
	os.Chtimes(filepath.Join(dir, "b"), time.Now(), when)
	st, e := g.stat(root, "b", true)
	want := filestatValues{dev: 1, ino: 2, typ: typeRegular, nlink: 1, size: 2,
		atim: uint64(when.UnixNano()), mtim: uint64(when.UnixNano()), ctim: uint64(when.UnixNano())}
	if e != Success || st != want {
		t.Errorf("stat: %+v, want %+v", st, want)
	}
	// Files are numbered in the order of first sight, and keep their numbers.
	if st, _ := g.stat(root, "a", true); st.ino != 3 {
		t.Errorf("second file has number %d", st.ino)
	}
	if st, _ := g.fstat(g.open("b", oRdonly)); st.ino != 2 {
		t.Errorf("first file has number %d now", st.ino)
	}
	if st, _ := g.stat(root, ".", true); st.typ != typeDirectory || st.size != 0 || st.nlink != 1 || st.ino != 4 {
		t.Errorf("directory: %+v", st)
	}
	// The bytes between the fields are zero, except for the mode.
	b := g.alloc(filestatSize)
	for i := range g.bytes(b, filestatSize) {
		g.bytes(b, filestatSize)[i] = 0xff
	}
	p, n := g.put("a")
	g.call("path_filestat_get", root, 0, p, n, b)
	if got, want := g.bytes(b, filestatSize)[17:24], []byte{0, 0o644 & 0xff, 0o644 >> 8, 0, 0, 0, 0}; !bytes.Equal(got, want) {
		t.Errorf("behind the type are %v, want %v", got, want)
	}
}

func TestFilesChangedByTheGuestHaveItsTime(t *testing.T) {
	g, dir := dirGuest(t, false)
	at := func(path string) uint64 {
		st, e := g.stat(root, path, false)
		g.wantErrno("stat", e, Success)
		return st.mtim - fakeEpoch
	}
	g.host.now = 1000
	fd := g.open("f", oWronly|oCreate)
	if got := at("f"); got != 1000 {
		t.Errorf("created at %d", got)
	}
	g.host.now = 2000
	g.write(fd, "x")
	g.host.now = 3000
	if got := at("f"); got != 2000 {
		t.Errorf("written at %d", got)
	}
	g.on("path_create_directory", root, "d")
	if got := at("d"); got != 3000 {
		t.Errorf("directory made at %d", got)
	}
	p, n := g.put("f")
	set := func(atime, mtime uint64, flags uint64) {
		t.Helper()
		e := g.call("path_filestat_set_times", root, lookupFollow, p, n, fakeEpoch+atime, fakeEpoch+mtime, flags)
		g.wantErrno("set times", e, Success)
	}
	set(50, 70, setAtime|setMtime)
	st, _ := g.stat(root, "f", true)
	if st.atim != fakeEpoch+50 || st.mtim != fakeEpoch+70 || st.ctim != st.mtim {
		t.Errorf("set times: %+v", st)
	}
	if fi, _ := os.Stat(filepath.Join(dir, "f")); fi.ModTime().UnixNano() != fakeEpoch+70 {
		t.Errorf("on the host: %v", fi.ModTime())
	}
	set(0, 80, setMtime)
	set(0, 0, 0)
	if st, _ = g.stat(root, "f", true); st.atim != fakeEpoch+50 || st.mtim != fakeEpoch+80 {
		t.Errorf("one time set: %+v", st)
	}
	g.call("path_filestat_set_times", root, lookupFollow, p, n, 0, 0, setAtime|setMtime)
	if st, _ = g.stat(root, "f", true); st.atim != 0 || st.mtim != 0 {
		t.Errorf("set to 1970: %+v", st)
	}
	g.host.now = 5000
	set(0, 0, setMtimeNow)
	if got := at("f"); got != 5000 {
		t.Errorf("touched at %d", got)
	}
	g.wantErrno("contradiction", g.call("path_filestat_set_times", root, 0, p, n, 1, 1, setMtime|setMtimeNow), EINVAL)
	m, k := g.put("missing")
	g.wantErrno("missing", g.call("path_filestat_set_times", root, 0, m, k, 1, 1, setMtime), ENOENT)
}

func TestRealTimesWithTheRealClock(t *testing.T) {
	g, dir := dirGuest(t, false)
	g.host.real = true
	g.write(g.open("f", oWronly|oCreate), "x")
	fi, err := os.Stat(filepath.Join(dir, "f"))
	if err != nil {
		t.Fatal(err)
	}
	st, _ := g.stat(root, "f", true)
	if st.mtim != uint64(fi.ModTime().UnixNano()) {
		t.Errorf("mtime %d, want %d", st.mtim, fi.ModTime().UnixNano())
	}
}

// A removed file's number is not given to another file, even if the host reuses its inode.
func TestNumbersOfRemovedFiles(t *testing.T) {
	g, _ := dirGuest(t, false)
	seen := map[uint64]bool{}
	for i := range 20 {
		fd := g.open("f", oWronly|oCreate|oExcl)
		st, _ := g.fstat(fd)
		if seen[st.ino] {
			t.Fatalf("round %d: number %d again", i, st.ino)
		}
		seen[st.ino] = true
		if i%2 == 0 {
			g.call("fd_close", uint64(fd))
			g.on("path_unlink_file", root, "f")
		} else {
			g.on("path_unlink_file", root, "f")
			if again, _ := g.fstat(fd); again.ino != st.ino {
				t.Fatalf("an open file changed its number from %d to %d", st.ino, again.ino)
			}
			g.call("fd_close", uint64(fd))
		}
	}
	if g.host.charged != 0 {
		t.Errorf("%d bytes are still charged", g.host.charged)
	}
}

func TestStatOfLimits(t *testing.T) {
	g, dir := dirGuest(t, false)
	writeFile(t, filepath.Join(dir, "f"), "")
	g.host.limit = 1
	_, e := g.stat(root, "f", true)
	g.wantErrno("stat beyond the memory limit", e, ENOMEM)
	_, e = g.openat(root, "f", oRdonly)
	g.wantErrno("open beyond the memory limit", e, ENOMEM)
	if timestamp(-1, 5) != 0 || timestamp(1<<62, 0) == 0 || timestamp(1, 5) != 1_000_000_005 {
		t.Error("timestamp")
	}
	os.Chtimes(filepath.Join(dir, "f"), time.Unix(-5, 0), time.Unix(-5, 0))
	g.host.limit = 0
	if st, e := g.stat(root, "f", true); e != Success || st.mtim != 0 {
		t.Errorf("before 1970: %+v, errno %d", st, e)
	}
}

func TestErrnos(t *testing.T) {
	for host, want := range hostErrnos {
		if got := errnoOf(&os.PathError{Op: "x", Path: "y", Err: host}); got != want {
			t.Errorf("%v: errno %d, want %d", host, got, want)
		}
	}
	if got := errnoOf(syscall.ENOTBLK); got != EIO {
		t.Errorf("an error without a number: %d", got)
	}
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	if _, err := root.Open("../x"); !isEscape(err) {
		t.Errorf("os.Root says %q for an escape: the constant escapes is out of date", err)
	}
}
