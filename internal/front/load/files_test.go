//go:build unix

package load

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A trap turns a file name of a module into something that must not be read.
type trap func(dir, file string) error

func fifo(_, file string) error { return syscall.Mkfifo(file, 0o600) }

func linkTo(target string) trap {
	return func(dir, file string) error {
		return os.Symlink(strings.ReplaceAll(target, "OUT", filepath.Join(dir, "..", "out")), file)
	}
}

func sparse(_, file string) error {
	f, err := os.Create(file)
	if err != nil {
		return err
	}
	defer f.Close()
	return f.Truncate(20 << 30)
}

// TestFiles checks that the loader reads only regular files of bounded size inside the module, and
// that no error shows the contents of a file outside.
func TestFiles(t *testing.T) {
	const (
		good   = "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\nfunc main() {}\n"
		embeds = "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\nimport _ \"embed\"\n//go:embed e*\nvar s string\nfunc main() {}\n"
		whole  = "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\nimport \"embed\"\n//go:embed e\nvar s embed.FS\nfunc main() {}\n-- e/x --\nx\n"
		sub    = "-- go.mod --\nmodule m\ngo 1.26\n-- main.go --\npackage main\nimport \"m/sub\"\nfunc main() { sub.F() }\n"
		vend   = "-- go.mod --\nmodule m\ngo 1.26\nrequire a.b v1.0.0\n-- main.go --\npackage main\nimport \"a.b\"\nfunc main() { a.F() }\n-- vendor/a.b/a.go --\npackage a\nfunc F() {}\n"
		work   = "-- m/go.mod --\nmodule m\ngo 1.26\n-- m/main.go --\npackage main\nfunc main() {}\n"
		repl   = "-- go.mod --\nmodule m\ngo 1.26\nrequire a.b v1.0.0\nreplace a.b => ./r\n-- main.go --\npackage main\nimport \"a.b\"\nfunc main() { a.F() }\n-- r/a.go --\npackage a\nfunc F() {}\n"
		leads  = "it leads out of its module"
	)
	for _, c := range []struct {
		name, files, file string
		make              trap
		pattern           string
		want              string // empty: the load succeeds
	}{
		{"a FIFO beside main.go", good, "a.go", fifo, ".", "open a.go: not a regular file"},
		{"a FIFO named", good, "a.go", fifo, "a.go", "open a.go: not a regular file"},
		{"a FIFO as a test", good, "a_test.go", fifo, ".", ""},
		{"a device", good, "a.go", linkTo("/dev/zero"), ".", "open a.go: " + leads},
		{"a device named", good, "a.go", linkTo("/dev/zero"), "a.go", "open a.go: " + leads},
		{"a file of 20 GB", good, "z.go", sparse, ".", "open z.go: larger than 16777215 bytes"},
		{"a link to a source outside", good, "a.go", linkTo("OUT/a.go"), ".", "open a.go: " + leads},
		{"a link that is relative", good, "a.go", linkTo("../out/a.go"), ".", "open a.go: " + leads},
		{"a link inside", good + "-- sub/b.go --\npackage main\nfunc b() {}\n", "a.go", linkTo("sub/b.go"), ".", ""},
		{"a link to itself", good, "a.go", linkTo("a.go"), ".", "open a.go: "},
		{"a directory outside", sub, "sub", linkTo("OUT/sub"), ".", "main.go:2:8: package m/sub: sub: " + leads},
		{"a directory inside", sub + "-- other/s.go --\npackage sub\nfunc F() {}\n", "sub", linkTo("other"), ".", ""},
		{"a FIFO as a directory", sub, "sub", fifo, ".", "main.go:2:8: no required module provides package m/sub"},
		{"go.mod outside", "-- main.go --\npackage main\nfunc main() {}\n", "go.mod", linkTo("OUT/secret"), ".", "reading go.mod: " + leads},
		{"go.mod of 20 GB", "-- main.go --\npackage main\nfunc main() {}\n", "go.mod", sparse, ".", "reading go.mod: larger than 16777216 bytes"},
		{"go.work outside", work, "go.work", linkTo("OUT/secret"), "./m", "reading go.work: " + leads},
		{"go.work of 20 GB", work, "go.work", sparse, "./m", "reading go.work: larger than"},
		{"go.sum is not read", good, "go.sum", fifo, ".", ""},
		{"modules.txt outside", vend, "vendor/modules.txt", linkTo("OUT/secret"), ".", "reading vendor/modules.txt: " + leads},
		{"modules.txt of 20 GB", vend, "vendor/modules.txt", sparse, ".", "reading vendor/modules.txt: larger than"},
		{"a vendored FIFO", vend + "-- vendor/modules.txt --\n# a.b v1.0.0\n## explicit\na.b\n", "vendor/a.b/b.go", fifo, ".", "open vendor/a.b/b.go: not a regular file"},
		{"a vendored source outside", vend + "-- vendor/modules.txt --\n# a.b v1.0.0\n## explicit\na.b\n", "vendor/a.b/b.go", linkTo("OUT/a.go"), ".", "open vendor/a.b/b.go: " + leads},
		{"a replaced source outside", repl, "r/b.go", linkTo("OUT/a.go"), ".", "open r/b.go: " + leads},
		{"a replaced source in the main module", repl, "r/b.go", linkTo("../main.go"), ".", "open r/b.go: " + leads},
		{"a replaced go.mod that is a FIFO", repl, "r/go.mod", fifo, ".", ""},
		{"an embedded device", embeds, "e", linkTo("/dev/zero"), ".", "cannot embed irregular file e"},
		{"an embedded FIFO", embeds, "e", fifo, ".", "cannot embed irregular file e"},
		{"an embedded file outside", embeds, "e", linkTo("OUT/secret"), ".", "cannot embed irregular file e"},
		{"an embedded file of 20 GB", embeds, "e", sparse, ".", "embedded files up to e"},
		{"an embedded directory with a FIFO", whole, "e/y", fifo, ".", ""},
		{"an embedded directory with a link", whole, "e/y", linkTo("OUT/secret"), ".", ""},
		{"an embedded directory with 20 GB", whole, "e/y", sparse, ".", "embedded files up to"},
		{"assembly that is a FIFO", good, "a.s", fifo, ".", ""},
	} {
		for _, fs := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s/fs=%v", c.name, fs), func(t *testing.T) {
				dir := t.TempDir()
				root := filepath.Join(dir, "in")
				if err := os.CopyFS(root, files(c.files)); err != nil {
					t.Fatal(err)
				}
				if err := os.CopyFS(filepath.Join(dir, "out"), files("-- secret --\nhunter2\n-- a.go --\npackage hunter2\n-- sub/s.go --\npackage sub\nfunc F() {}\n")); err != nil {
					t.Fatal(err)
				}
				if err := c.make(root, filepath.Join(root, c.file)); err != nil {
					t.Fatal(err)
				}
				cfg := Options{Dir: root, Patterns: []string{c.pattern}, Overlay: overlay}
				if fs {
					cfg.Dir, cfg.FS = "", os.DirFS(root)
				}
				hang := time.AfterFunc(2*time.Minute, func() { panic(c.name + " hangs") })
				defer hang.Stop()
				_, err := Load(t.Context(), cfg)
				switch {
				case err == nil && c.want == "":
				case err == nil, c.want == "":
					t.Errorf("%v, want %q", err, c.want)
				case !strings.Contains(err.Error(), c.want) && !(fs && strings.Contains(c.want, leads)):
					t.Errorf("%v, want %q", err, c.want)
				}
				if err != nil && strings.Contains(err.Error(), "hunter2") {
					t.Errorf("the error shows what is outside: %v", err)
				}
			})
		}
	}
}

// TestControlCharacters checks that names and sources are escaped before they reach a terminal.
func TestControlCharacters(t *testing.T) {
	for _, c := range []struct{ name, files, pattern, want string }{
		{"a line directive", "-- main.go --\npackage main\n//line \x1b[31mx\ry.go:7\nfunc main() { undefined() }\n", "main.go", `\x1b[31mx\ry.go:7:`},
		{"an identifier", "-- main.go --\npackage main\nfunc main() { a\u202eb() }\n", "main.go", "U+202E"},
		{"a string", "-- main.go --\npackage main\nvar x int = \"\x1b[2J\"\nfunc main() { }\n", "main.go", `\x1b[2J`},
		{"a build tag", "-- main.go --\n//go:build \x1b[2J\npackage main\nvar x int = 1.5\nfunc main() { }\n", "main.go", "main.go:3"},
		{"an import", "-- main.go --\npackage main\nimport \"a\x1b[2J\"\nfunc main() { }\n", "main.go", `main.go:2:8: `},
		{"a module's path", "-- go.mod --\nmodule \"a\x1b[2Jb\"\n-- main.go --\npackage main\nfunc main() { }\n", ".", `go.mod`},
		{"a line of go.mod", "-- go.mod --\nmodule m\nfoo \x1b[2J\n-- main.go --\npackage main\nfunc main() { }\n", ".", `go.mod:2`},
		{"an embed pattern", "-- main.go --\npackage main\nimport _ \"embed\"\n//go:embed a\x1b[2J\nvar s string\nfunc main() { }\n", "main.go", `pattern a\x1b[2J`},
	} {
		_, err := loadText(c.files, Options{Patterns: []string{c.pattern}})
		if err == nil || !strings.Contains(err.Error(), c.want) || strings.ContainsAny(err.Error(), "\x1b\r\u202e") {
			t.Errorf("%s: %q, want %q", c.name, err, c.want)
		}
	}
	// File names that an archive cannot have.
	const odd = "a\n\x1b[2Jb.go"
	m := files("-- main.go --\npackage main\nfunc main() { }\n")
	m[odd] = m["main.go"]
	_, err := Load(t.Context(), Options{FS: m, Overlay: overlay})
	if err == nil || strings.ContainsAny(err.Error(), "\x1b\r") || strings.Contains(err.Error(), "\n\x1b") || !strings.Contains(err.Error(), `a\n\x1b[2Jb.go`) {
		t.Errorf("a file name: %q", err)
	}
	// Directory names, too, as patterns list them.
	dir := t.TempDir()
	if err := os.CopyFS(dir, files("-- go.mod --\nmodule m\ngo 1.26\n")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "x\x1b[2J"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "x\x1b[2J", "a.go"), []byte("package x\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	list, _, err := List(t.Context(), Options{Dir: dir, Patterns: []string{"./..."}})
	if err != nil || len(list) != 1 || list[0].Path != `m/x\x1b[2J` || list[0].Err == nil || strings.Contains(list[0].Err.Error(), "\x1b") {
		t.Errorf("a directory: %+v, %v", list, err)
	}
}
