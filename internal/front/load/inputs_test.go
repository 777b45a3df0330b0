package load

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"testing/fstest"
	"time"
)

// inputFiles is a program of two packages, a replaced module and embedded files.
var inputFiles = map[string]string{
	"app/go.mod":          "module app\n\ngo 1.26\n\nrequire dep v1.0.0\nreplace dep => ../dep\n",
	"app/main.go":         "package main\n\nimport (\n\t\"app/sub\"\n\t\"dep\"\n\t_ \"embed\"\n)\n\n//go:embed text/*.txt\nvar s string\n\nfunc main() { println(s, sub.X, dep.Y) }\n",
	"app/sub/sub.go":      "package sub\n\nvar X = 1\n",
	"app/text/a.txt":      "a\n",
	"app/other/other.go":  "package other\n",
	"app/notes.md":        "nothing\n",
	"dep/go.mod":          "module dep\n\ngo 1.26\n",
	"dep/dep.go":          "package dep\n\nvar Y = 2\n",
	"unrelated/hello.txt": "x\n",
}

// oldTree writes files and gives them a modification time an hour ago.
func oldTree(t *testing.T, files map[string]string) string {
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

func loadInputs(t *testing.T, cfg Options) []Input {
	t.Helper()
	cfg.Inputs = &Inputs{}
	if _, err := Load(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	return cfg.Inputs.List()
}

// changed returns the names of inputs whose results have changed.
func changed(list []Input, fsys fs.FS) (names []string) {
	names = changedAt(list, fsys, time.Now())
	if same, _ := Check(list, fsys); same != (names == nil) {
		names = append(names, fmt.Sprint("Check: ", same))
	}
	return names
}

// changedAt is changed at a time, on which it depends which stamps are relied on.
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

// Every change that could affect what is loaded is noticed, and no other.
func TestInputsNotice(t *testing.T) {
	write := func(name, text string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	remove := func(name string) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			if err := os.RemoveAll(filepath.Join(dir, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, c := range []struct {
		name   string
		change func(*testing.T, string)
		want   bool
	}{
		{"nothing", func(*testing.T, string) {}, false},
		{"same text again", write("app/main.go", inputFiles["app/main.go"]), false},
		{"file of the main package", write("app/main.go", inputFiles["app/main.go"]+"// more\n"), true},
		{"new file of the main package", write("app/new.go", "package main\n"), true},
		{"new test file", write("app/new_test.go", "package main\n"), true},
		{"new assembly file", write("app/new.s", "\n"), true},
		{"file of no interest", write("app/new.md", "x"), false},
		{"file of no interest changes", write("app/notes.md", "x"), false},
		{"go.mod", write("app/go.mod", inputFiles["app/go.mod"]+"godebug panicnil=1\n"), true},
		{"imported package", write("app/sub/sub.go", "package sub\n\nvar X = 3\n"), true},
		{"other package of the module", write("app/other/other.go", "package other\n\nvar Z = 1\n"), false},
		{"module within", write("app/sub/go.mod", "module sub\n"), true},
		{"dependency", write("dep/dep.go", "package dep\n\nvar Y = 4\n"), true},
		{"go.mod of a dependency", write("dep/go.mod", "module dep\n\ngo 1.20\n"), true},
		{"embedded file", write("app/text/a.txt", "b\n"), true},
		{"new embedded file", write("app/text/b.txt", "b\n"), true},
		{"workspace", write("app/go.work", "go 1.26\n\nuse .\n"), true},
		{"workspace above", write("go.work", "go 1.26\n\nuse ./app\n"), true},
		{"vendor directory", func(t *testing.T, dir string) {
			if err := os.Mkdir(filepath.Join(dir, "app/vendor"), 0o777); err != nil {
				t.Fatal(err)
			}
		}, true},
		{"package gone", remove("app/sub"), true},
		{"everything gone", remove("app"), true},
		{"size and time are the same", func(t *testing.T, dir string) {
			file := filepath.Join(dir, "app/sub/sub.go")
			st, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			write("app/sub/sub.go", "package sub\n\nvar X = 9\n")(t, dir)
			if err := os.Chtimes(file, st.ModTime(), st.ModTime()); err != nil {
				t.Fatal(err)
			}
		}, runtime.GOOS == "linux"}, // needs the inode's change time
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := oldTree(t, inputFiles)
			list := loadInputs(t, Options{Dir: filepath.Join(dir, "app")})
			c.change(t, dir)
			if got := changed(list, nil); (len(got) > 0) != c.want {
				t.Errorf("changed: %q", got)
			}
		})
	}
}

// The files of std are among the inputs, whether this process parsed them for this program or for an
// earlier one, and so is a file that is new in one of std's packages.
func TestInputsOfStd(t *testing.T) {
	goroot := copyGOROOT(t)
	dir := oldTree(t, map[string]string{"main.go": "package main\n\nimport \"errors\"\n\nfunc main() { println(errors.New(\"x\")) }\n"})
	for range 2 {
		list := loadInputs(t, Options{Dir: dir, Patterns: []string{"main.go"}, GOROOT: goroot})
		n := 0
		for _, in := range list {
			if strings.HasPrefix(in.Name, goroot) && in.Kind == InputFile {
				n++
			}
		}
		if n < 50 {
			t.Fatalf("%d files of std", n)
		}
		if got := changed(list, nil); got != nil {
			t.Errorf("changed: %q", got)
		}
		file := filepath.Join(goroot, "src/errors/zz.go")
		if err := os.WriteFile(file, []byte("package errors\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := changed(list, nil); len(got) != 1 || got[0] != filepath.Dir(file) {
			t.Errorf("changed: %q", got)
		}
		os.Remove(file)
		name := filepath.Join(goroot, "src/errors/errors.go")
		src, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, append(src, "// more\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := changed(list, nil); len(got) != 1 || got[0] != name {
			t.Errorf("changed: %q", got)
		}
		if err := os.WriteFile(name, src, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// copyGOROOT links those parts of the Go installation that package errors needs.
func copyGOROOT(t *testing.T) string {
	t.Helper()
	real, _, err := FindGo("")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"VERSION", "src/fmt/print.go"} {
		copyFile(t, filepath.Join(real, name), filepath.Join(dir, name))
	}
	list := loadInputs(t, Options{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nimport _ \"errors\"\n\nfunc main() {}\n")}}, Patterns: []string{"main.go"}})
	for _, in := range list {
		if rel, err := filepath.Rel(real, in.Name); err == nil && in.Kind == InputFile && !strings.HasPrefix(rel, "..") {
			copyFile(t, in.Name, filepath.Join(dir, rel))
		}
	}
	return dir
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	data, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Dir(to), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, data, 0o666); err != nil {
		t.Fatal(err)
	}
}

// Files of an fs.FS have no stamps: their contents are compared.
func TestInputsOfFS(t *testing.T) {
	fsys := fstest.MapFS{"main.go": {Data: []byte("package main\n\nfunc main() {}\n")}}
	list := loadInputs(t, Options{FS: fsys, Patterns: []string{"main.go"}})
	if got := changed(list, fsys); got != nil {
		t.Errorf("changed: %q", got)
	}
	fsys["main.go"].Data = []byte("package main\n\nfunc main() { }\n")
	if got := changed(list, fsys); len(got) != 1 || got[0] != "main.go" {
		t.Errorf("changed: %q", got)
	}
	fsys["main.go"].Data = []byte("package main\n\nfunc main() {}\n")
	fsys["go.mod"] = &fstest.MapFile{Data: []byte("module x\n")}
	if got := changed(list, fsys); len(got) == 0 {
		t.Error("a new go.mod is not noticed")
	}
}

// Where many inputs are in one directory, which is opened for them, each change is noticed as well: in files and
// directories, behind symbolic links and in those themselves.
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
			dir, rec := oldTree(t, files), &Inputs{}
			for link, to := range map[string]string{"link": "target", "dirlink": "real"} {
				if err := relink(to, link)(dir); err != nil {
					t.Skip(err) // the system does not let everybody make links
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
			if c.want == "all" { // what was missing still is
				if len(got) != len(list)-2 {
					t.Errorf("changed: %q", got)
				}
			} else if strings.Join(got, " ") != c.want {
				t.Errorf("changed: %q, want %q", got, c.want)
			}
		})
	}
}

// readAll reads all that TestInputsOfOneDirectory changes.
func readAll(t *testing.T, dir string, rec *Inputs) {
	t.Helper()
	r := tree{rec: rec}
	for _, name := range []string{"many", "dirlink", "real"} {
		list, err := r.readSources(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "real" {
			continue
		}
		for _, e := range list {
			if _, err := r.readFile(filepath.Join(dir, name, e.Name()), maxSource); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, name := range []string{"link", "missing", "many/7.go", "dirlink"} {
		_, _ = r.stat(filepath.Join(dir, name))
	}
	for _, name := range []string{"link", "missing"} {
		_, _ = r.readFile(filepath.Join(dir, name), maxSource)
	}
	_, _ = r.lstat(filepath.Join(dir, "link"))
}

// The checker asks for what os.Stat would say, with a directory open and without.
func TestAsker(t *testing.T) {
	dir := oldTree(t, map[string]string{"d/a": "a", "d/b/c": "bc", "e": "e"})
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
				want.stamp = stampOf(info, c.now)
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

// The directory that is opened is the one that all names are in.
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

// The stamp of a file that has just changed is not relied on.
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
	if s := stampOf(info, now); s != (Stamp{}) {
		t.Errorf("stamp %+v", s)
	}
	if s := stampOf(info, now.Add(racy+time.Second)); s == (Stamp{}) {
		t.Error("no stamp of an old file")
	}
}
