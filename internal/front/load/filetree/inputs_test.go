package filetree

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// agedTree writes files and gives them a modification time an hour ago.
func agedTree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	old := time.Now().Add(-time.Hour)
	for name, text := range files {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// changedAt returns the names of inputs whose results have changed. The time decides which stamps
// are reliable.
func changedAt(list []Input, fsys fs.FS, now time.Time) (names []string) {
	c := newChecker(list, fsys)
	defer c.close()
	c.now = now
	for i := range list {
		if !c.check(&list[i]) {
			names = append(names, list[i].Name)
		}
	}
	return names
}

// TestInputsOfOneDirectory: if many inputs are in one directory, which is opened for them, each
// change is noticed as well: in files and directories, in symbolic links and in their targets.
func TestInputsOfOneDirectory(t *testing.T) {
	files := map[string]string{"real/a.go": "a", "real/b.go": "b", "other/a.go": "c", "target": "d", "target2": "e"}
	for i := range 2 * manyInputs {
		files[fmt.Sprintf("many/%d.go", i)] = "x"
	}
	at := func(dir, name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	relink := func(to, name string) func(dir string) error {
		return func(dir string) error {
			_ = os.Remove(at(dir, name))
			return os.Symlink(at(dir, to), at(dir, name))
		}
	}
	write := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(at(dir, name), []byte(text), 0o666) }
	}
	remove := func(name string) func(dir string) error {
		return func(dir string) error { return os.RemoveAll(at(dir, name)) }
	}
	for _, c := range []struct {
		name   string
		change func(dir string) error
		want   string // names of inputs
	}{
		{"nothing", func(string) error { return nil }, ""},
		{"same text", write("many/7.go", "x"), ""},
		{"text", write("many/7.go", "y"), "many/7.go"},
		{"removed", remove("many/7.go"), "many many/7.go many/7.go"},
		{"replaced", func(dir string) error {
			if err := write("new", "z")(dir); err != nil {
				return err
			}
			return os.Rename(at(dir, "new"), at(dir, "many/7.go"))
		}, "many/7.go"},
		{"replaced by a directory", func(dir string) error {
			if err := remove("many/7.go")(dir); err != nil {
				return err
			}
			return os.Mkdir(at(dir, "many/7.go"), 0o777)
		}, "many many/7.go many/7.go"},
		{"new", write("many/new.go", "x"), "many"},
		{"what was missing", write("missing", "x"), "missing missing"},
		{"behind a link", write("target", "y"), "link"},
		{"link to another file", relink("target2", "link"), "link"},
		{"link to nothing", relink("nothing", "link"), "link link"},
		{"link to a directory", relink("real", "link"), "link link"},
		{"link becomes a file", func(dir string) error {
			if err := remove("link")(dir); err != nil {
				return err
			}
			return write("link", "d")(dir)
		}, "link"},
		{"in a linked directory", write("real/a.go", "y"), "dirlink/a.go"},
		{"linked directory", relink("other", "dirlink"), "dirlink dirlink/a.go dirlink/b.go"},
		{"the whole directory", func(dir string) error { return os.Rename(dir, dir+"x") }, "all"},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir, rec := agedTree(t, files), &Inputs{}
			for link, to := range map[string]string{"link": "target", "dirlink": "real"} {
				if err := relink(to, link)(dir); err != nil {
					t.Skip(err) // the system does not let every user make links
				}
			}
			readAll(t, dir, rec)
			list, now := rec.List(), time.Now()
			if runtime.GOOS == "linux" { // stamps alone show what has changed
				now = now.Add(time.Hour)
				if got := changedAt(list, nil, now); got != nil {
					t.Fatalf("changed: %q", got)
				}
				time.Sleep(20 * time.Millisecond) // a step of the file system's time
			}
			if err := c.change(dir); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, name := range changedAt(list, nil, now) {
				rel, err := filepath.Rel(dir, name)
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, filepath.ToSlash(rel))
			}
			if c.want == "all" { // the missing file is still missing
				if len(got) != len(list)-2 {
					t.Errorf("changed: %q", got)
				}
			} else if strings.Join(got, " ") != c.want {
				t.Errorf("changed: %q, want %q", got, c.want)
			}
		})
	}
}

// readAll reads all files and directories that TestInputsOfOneDirectory changes.
func readAll(t *testing.T, dir string, rec *Inputs) {
	t.Helper()
	r := Tree{Rec: rec}
	for _, name := range []string{"many", "dirlink", "real"} {
		list, err := r.ReadSources(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "real" {
			continue
		}
		for _, e := range list {
			if _, err := r.ReadFile(filepath.Join(dir, name, e.Name()), MaxSource); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"link", "missing", "many/7.go", "dirlink"} {
		_, _ = r.Stat(filepath.Join(dir, name))
	}
	for _, name := range []string{"link", "missing"} {
		_, _ = r.ReadFile(filepath.Join(dir, name), MaxSource)
	}
	_, _ = r.Lstat(filepath.Join(dir, "link"))
}

// TestAsker: the checker gets the same answers as os.Stat, with a directory open and without.
func TestAsker(t *testing.T) {
	dir := agedTree(t, map[string]string{"d/a": "a", "d/b/c": "bc", "e": "e"})
	for link, to := range map[string]string{"l": "d/a", "loop": "loop", "up": "d"} {
		if err := os.Symlink(to, filepath.Join(dir, link)); err != nil {
			t.Skip(err)
		}
	}
	sep := string(filepath.Separator)
	for _, open := range []string{"", sep, dir + sep, filepath.Join(dir, "d") + sep, filepath.Join(dir, "none") + sep} {
		c := checker{now: time.Now().Add(time.Hour)}
		c.open(open)
		for _, name := range []string{"d", "d/a", "d/b", "d/b/c", "e", "l", "loop", "up", "up/a", "none", "e/x", "d/../e"} {
			file := dir + sep + filepath.FromSlash(name)
			info, err := os.Stat(file)
			want := state{typ: typeSum(info, err)}
			if err == nil {
				want.stamp = StampOf(info, c.now)
			}
			if got := c.state(file); got != want {
				t.Errorf("with %q open: %s: %+v, want %+v", open, name, got, want)
			}
		}
		for _, name := range []string{"", sep, dir + sep + sep + "e", os.DevNull} {
			info, err := os.Stat(name)
			if got, want := c.state(name).typ, typeSum(info, err); got != want {
				t.Errorf("with %q open: %q has type %q, want %q", open, name, got[:1], want[:1])
			}
		}
		c.close()
	}
}

// TestCommonDir: the opened directory contains all names.
func TestCommonDir(t *testing.T) {
	for _, c := range []struct{ first, last, want string }{
		{"/a/b/c.go", "/a/b/d.go", "/a/b/"},
		{"/a/b", "/a/b/d.go", "/a/"},
		{"/a/bc/x", "/a/bd/x", "/a/"},
		{"/a", "/b", "/"},
		{"a", "b", ""},
		{"", "/a", ""},
		{"/a/b/c", "/a/b/c", "/a/b/"},
	} {
		list := make([]Input, manyInputs)
		list[0].Name, list[len(list)-1].Name = c.first, c.last
		if got := commonDir(list); got != c.want {
			t.Errorf("%s to %s: %q, want %q", c.first, c.last, got, c.want)
		}
		if got := commonDir(list[:manyInputs-1]); got != "" {
			t.Errorf("few names: %q", got)
		}
	}
}

// TestRacyStamp: the stamp of a file that has just changed is not reliable.
func TestRacyStamp(t *testing.T) {
	file := filepath.Join(t.TempDir(), "x")
	if err := os.WriteFile(file, []byte("a"), 0o666); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if s := StampOf(info, now); s != (Stamp{}) {
		t.Errorf("stamp %+v", s)
	}
	if s := StampOf(info, now.Add(racy+time.Second)); s == (Stamp{}) {
		t.Error("no stamp of an old file")
	}
}
