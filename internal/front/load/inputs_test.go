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

	"github.com/gyrvm/gyr/internal/front/load/filetree"
	"github.com/gyrvm/gyr/internal/front/load/gomod"
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
	write(t, dir, files)
	old := time.Now().Add(-time.Hour)
	for name := range files {
		if err := os.Chtimes(filepath.Join(dir, filepath.FromSlash(name)), old, old); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func loadInputs(t *testing.T, cfg Options) []filetree.Input {
	t.Helper()
	cfg.Inputs = &filetree.Inputs{}
	if _, err := Load(context.Background(), cfg); err != nil {
		t.Fatal(err)
	}
	return cfg.Inputs.List()
}

// changed returns the names of inputs whose results have changed.
func changed(list []filetree.Input, fsys fs.FS) (names []string) {
	for i := range list {
		if same, _ := filetree.Check(list[i:i+1], fsys); !same {
			names = append(names, list[i].Name)
		}
	}
	if same, _ := filetree.Check(list, fsys); same != (names == nil) {
		names = append(names, fmt.Sprint("Check: ", same))
	}
	return names
}

// TestInputsNotice: every change that could affect a load is noticed, and no other.
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

// TestInputsOfStd: the files of std are among the inputs, whether this process parsed them for this
// program or for an earlier one. A new file in one of std's packages is noticed, too.
func TestInputsOfStd(t *testing.T) {
	goroot := copyGOROOT(t)
	dir := oldTree(t, map[string]string{"main.go": "package main\n\nimport \"errors\"\n\nfunc main() { println(errors.New(\"x\")) }\n"})
	for range 2 {
		list := loadInputs(t, Options{Dir: dir, Patterns: []string{"main.go"}, GOROOT: goroot})
		n := 0
		for _, in := range list {
			if strings.HasPrefix(in.Name, goroot) && in.Kind == filetree.InputFile {
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

// copyGOROOT links the parts of the Go installation that package errors needs.
func copyGOROOT(t *testing.T) string {
	t.Helper()
	real, _, err := gomod.FindGo("")
	if err != nil {
		t.Skip(err)
	}
	dir := t.TempDir()
	for _, name := range []string{"VERSION", "src/fmt/print.go"} {
		copyFile(t, filepath.Join(real, name), filepath.Join(dir, name))
	}
	list := loadInputs(t, Options{FS: fstest.MapFS{"main.go": {Data: []byte("package main\n\nimport _ \"errors\"\n\nfunc main() {}\n")}}, Patterns: []string{"main.go"}})
	for _, in := range list {
		if rel, err := filepath.Rel(real, in.Name); err == nil && in.Kind == filetree.InputFile && !strings.HasPrefix(rel, "..") {
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

// TestInputsOfFS: files of an fs.FS have no stamps, so their contents are compared.
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
