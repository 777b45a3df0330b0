package research

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A hostileModule is a candidate whose files try to have a program run during the build, or to
// include outside files in the build. PROG is a program that leaves a mark in the checkout, OUT an
// outside directory with the file secret.
type hostileModule struct {
	kind, name string
	files      map[string]string
	links      map[string]string
	needs      string // a required program
	refused    string // the go command's error; empty: it builds
	runs       bool   // its test runs too: it looks for outside files, and passes if it finds none
}

const plainGo = "package hot\n"

func goFile(text string) map[string]string { return map[string]string{"x.go": text} }

func goMod(text string) map[string]string {
	return map[string]string{"go.mod": "module example.com/hot\n\ngo 1.24\n\n" + text, "x.go": plainGo}
}

func replaced(by string) map[string]string {
	files := goMod("require example.com/out v0.0.0\n\nreplace example.com/out => " + by + "\n")
	files["x.go"] += "\nimport _ \"example.com/out\"\n"
	return files
}

func cgo(line string) map[string]string {
	return goFile("package hot\n\n// #cgo " + line + "\nimport \"C\"\n")
}

var hostileModules = []hostileModule{
	{kind: "toolchain", name: "in go.mod", files: goMod("toolchain go1.99.0\n")},
	{kind: "toolchain", name: "a language of the future", files: map[string]string{"go.mod": "module example.com/hot\n\ngo 1.99.0\n", "x.go": plainGo}, refused: "GOTOOLCHAIN=local"},
	{kind: "toolchain", name: "in go.work", files: map[string]string{"go.work": "go 1.99.0\n\ntoolchain go1.99.0\n\nuse .\n", "x.go": plainGo}, refused: "GOTOOLCHAIN=local"},
	{kind: "toolchain", name: "a tool of the module", files: map[string]string{"go.mod": "module example.com/hot\n\ngo 1.24\n\ntool example.com/hot/tool\n", "x.go": plainGo, "tool/main.go": "package main\n\nfunc main() {}\n"}},

	{kind: "module", name: "replaced by what is outside", files: replaced("OUT"), refused: "does not exist"},
	{kind: "module", name: "replaced by what is above", files: replaced("../../../../../side/out"), refused: "does not exist"},
	{kind: "module", name: "a workspace with what is outside", files: map[string]string{"go.work": "go 1.24\n\nuse (\n\t.\n\tOUT\n)\n", "x.go": plainGo}, refused: "no such file"},
	{kind: "module", name: "had from the network", files: map[string]string{"go.mod": "module example.com/hot\n\ngo 1.24\n\nrequire example.com/out v1.0.0\n", "x.go": "package hot\n\nimport _ \"example.com/out\"\n"}, refused: "go.sum"},
	{kind: "module", name: "vendored by a link", files: map[string]string{"go.mod": "module example.com/hot\n\ngo 1.24\n\nrequire example.com/out v1.0.0\n", "x.go": "package hot\n\nimport _ \"example.com/out\"\n",
		"vendor/modules.txt": "# example.com/out v1.0.0\n## explicit\nexample.com/out\n"}, links: map[string]string{"vendor/example.com/out": "OUT"}, refused: "example.com/out"},

	{kind: "flags", name: "go env file of the user", files: goFile(plainGo)},
	{kind: "flags", name: "go env file in the tree", files: map[string]string{"x.go": plainGo, "go.env": "GOFLAGS=-toolexec=PROG\n", ".config/go/env": "GOFLAGS=-toolexec=PROG\n"}},
	{kind: "flags", name: "generate", files: goFile("//go:generate PROG\npackage hot\n")},
	{kind: "flags", name: "a file of flags for every command", files: map[string]string{"x.go": plainGo, ".netrc": "machine example.com password x\n", "Makefile": "all:\n\tPROG\n"}},

	{kind: "cgo", name: "plugin of the compiler", files: cgo("CFLAGS: -fplugin=PROG"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "wrapper of the compiler", files: cgo("CFLAGS: -wrapper PROG"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "programs of the compiler", files: cgo("CFLAGS: -BOUT/"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "specs of the compiler", files: cgo("CFLAGS: -specs=OUT/specs"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "plugin of the linker", files: cgo("LDFLAGS: -Wl,-plugin,PROG"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "linker", files: cgo("LDFLAGS: -fuse-ld=PROG"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "flags from a file", files: cgo("CFLAGS: @OUT/flags"), needs: "gcc", refused: "invalid flag"},
	{kind: "cgo", name: "pkg-config", files: cgo("pkg-config: --define-variable=x=PROG"), needs: "gcc", refused: "pkg-config"},
	{kind: "cgo", name: "linker's flags without cgo", files: goFile("package hot\n\n//go:cgo_ldflag \"-fplugin=PROG\"\nfunc f()\n"), refused: "only allowed in cgo-generated code"},
	{kind: "cgo", name: "a header from outside", files: goFile("package hot\n\n// #include \"OUT/secret\"\nimport \"C\"\n"), needs: "gcc", refused: "No such file"},
	{kind: "cgo", name: "a file in the assembler", files: map[string]string{"x.go": "package hot\n\nimport \"C\"\n", "x.S": ".incbin \"OUT/secret\"\n"}, needs: "gcc", refused: "x.S"},

	{kind: "link", name: "embedded", files: goFile("package hot\n\nimport _ \"embed\"\n\n//go:embed secret\nvar s string\n"), links: map[string]string{"secret": "OUT/secret"}, refused: "irregular file"},
	{kind: "link", name: "a directory embedded", files: goFile("package hot\n\nimport \"embed\"\n\n//go:embed d/secret\nvar s embed.FS\n"), links: map[string]string{"d": "OUT"}, refused: "no matching files"},
	{kind: "link", name: "source", files: map[string]string{"x.go": plainGo}, links: map[string]string{"y.go": "OUT/out.go"}, refused: "y.go"},
	{kind: "link", name: "test data", runs: true, links: map[string]string{"testdata": "OUT"}, files: map[string]string{"x.go": plainGo, "x_test.go": `package hot

import (
	"os"
	"testing"
)

func TestData(t *testing.T) {
	if text, err := os.ReadFile("testdata/secret"); err == nil {
		t.Errorf("reads %s", text)
	}
	if os.WriteFile("testdata/new", nil, 0o666) == nil {
		t.Error("writes")
	}
}
`}},
	{kind: "cache", name: "of builds", runs: true, files: map[string]string{"x.go": plainGo, "x_test.go": `package hot

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

func TestCache(t *testing.T) {
	// This command's cache may be spoilt; the layers below it may not.
	for _, dir := range strings.Split(os.Getenv("GOCACHEPROG"), "' '")[1:] {
		dir = strings.Trim(dir, "'")
		if err := os.WriteFile(filepath.Join(dir, "poison"), []byte("x"), 0o666); err == nil && dir != os.Getenv("GOCACHE") {
			t.Errorf("writes to %s", dir)
		}
	}
	for _, name := range []string{"GOROOT", "GOMODCACHE", "GOPATH"} {
		out, _ := exec.Command("go", "env", name).Output()
		dir := strings.TrimSpace(string(out))
		if os.WriteFile(filepath.Join(dir, "poison"), []byte("x"), 0o666) == nil {
			t.Errorf("writes to %s", dir)
		}
	}
	if err := os.WriteFile("../can.bin/0.test", []byte("x"), 0o777); err == nil {
		t.Error("writes to its own binaries")
	}
}
`}},
}

// TestHostileModules: building a candidate runs nothing of it, and includes nothing from outside.
func TestHostileModules(t *testing.T) {
	byTurns(t)
	if _, err := sandboxWorks(); err != nil {
		t.Skip(err)
	}
	b := newBench(t)
	out, home := filepath.Join(b.side, "out"), filepath.Join(b.side, "home")
	b.write(out, map[string]string{"secret": "s3cr3t\n", "out.go": "package out // s3cr3t\n", "go.mod": "module example.com/out\n\ngo 1.24\n", "flags": "-O2\n", "specs": "\n"})
	// Programs that the box shows, and a toolchain in the user's PATH.
	bin := filepath.Join(b.side, "bin")
	script := "#!/bin/sh\necho \"$0 $*\" >> \"$MARK\"\nexec \"$@\"\n"
	b.write(bin, map[string]string{"prog": script, "go1.99.0": script})
	for _, name := range []string{"prog", "go1.99.0"} {
		if err := os.Chmod(filepath.Join(bin, name), 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"GOMODCACHE", "GOPATH"} {
		t.Setenv(name, goEnv(t, name))
	}
	b.write(home, map[string]string{".config/go/env": "GOFLAGS=-toolexec=" + bin + "/prog\n"})
	t.Setenv("HOME", home)
	t.Setenv("GOENV", "off") // for this test's own commands
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("CGO_ENABLED", "1")
	s := b.open(b.config(func(c map[string]any) { byText(c); c["sandbox"] = sandboxRequire }))
	defer s.Close()
	if err := s.setUp(t.Context()); err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOENV", filepath.Join(home, ".config/go/env"))
	d := s.candidate
	outside := files(t, out)
	words := strings.NewReplacer("PROG", filepath.Join(bin, "prog"), "OUT", out)
	count := map[string]int{}
	for _, x := range hostileModules {
		count[x.kind]++
		t.Run(x.kind+"/"+x.name, func(t *testing.T) {
			if _, err := exec.LookPath(x.needs); x.needs != "" && err != nil {
				t.Skip(err)
			}
			if err := d.wt.Reset(t.Context(), s.state.tip, s.parentTree); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(d.bin); err != nil {
				t.Fatal(err)
			}
			d.tree = "hostile"
			for name := range fixture {
				if strings.HasSuffix(name, ".go") {
					if err := os.Remove(filepath.Join(d.wt.Dir, name)); err != nil {
						t.Fatal(err)
					}
				}
			}
			for at, to := range x.links {
				at = filepath.Join(d.wt.Dir, at)
				if err := os.RemoveAll(at); err != nil {
					t.Fatal(err)
				}
				if err := os.MkdirAll(filepath.Dir(at), 0o777); err != nil {
					t.Fatal(err)
				}
				if err := os.Symlink(words.Replace(to), at); err != nil {
					t.Fatal(err)
				}
			}
			if x.files["x_test.go"] == "" {
				b.write(d.wt.Dir, map[string]string{"x_test.go": "package hot\n"})
			}
			for name, text := range x.files {
				b.write(d.wt.Dir, map[string]string{name: words.Replace(text)})
			}
			mark := filepath.Join(d.wt.Dir, "mark")
			run := func(what func(args ...string) (string, error), args ...string) {
				t.Helper()
				text, err := what(args...)
				if refused := x.refused != ""; refused != (err != nil) || !strings.Contains(text, x.refused) {
					t.Errorf("go %v: %v: %s", args, err, text)
				}
				if strings.Contains(text, "s3cr3t") {
					t.Errorf("go %v shows the secret: %s", args, text)
				}
				if text, err := os.ReadFile(mark); err == nil {
					t.Errorf("go %v ran %s", args, text)
				}
			}
			env := map[string]string{"MARK": mark, "GOTOOLCHAIN": "path"}
			compile := func(args ...string) (string, error) {
				o, err := s.runner.compile(t.Context(), d, d.wt.Dir, env, checkTimeout, "go", args...)
				if err != nil {
					t.Fatal(err)
				}
				return string(o.Stdout) + string(o.Stderr), o.Err()
			}
			run(compile, "test", "-c", "-vet=off", "-o", filepath.Join(d.bin, "0.test"), ".")
			if binary, err := os.ReadFile(filepath.Join(d.bin, "0.test")); err == nil && strings.Contains(string(binary), "s3cr3t") {
				t.Error("the binary has the secret")
			}
			if x.runs {
				run(func(args ...string) (string, error) {
					o, err := s.runner.on(t.Context(), d, d.wt.Dir, env, checkTimeout, "go", args...)
					if err != nil {
						t.Fatal(err)
					}
					return string(o.Stdout) + string(o.Stderr), o.Err()
				}, "test", "-vet=off", ".")
			}
		})
	}
	if now := files(t, out); now != outside {
		t.Errorf("outside was\n%s and is\n%s", outside, now)
	}
	var kinds []string
	for _, kind := range sortedKeys(count) {
		kinds = append(kinds, fmt.Sprint(kind, " ", count[kind]))
	}
	t.Logf("%d hostile modules: %s", len(hostileModules), strings.Join(kinds, ", "))
}

// files are the files below a directory with their contents.
func files(t *testing.T, dir string) string {
	t.Helper()
	var list []string
	filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.Type().IsRegular() {
			list = append(list, fmt.Sprintf("%s %q", path, read(t, path)))
		}
		return nil
	})
	slices.Sort(list)
	return strings.Join(list, "\n")
}

// TestCandidateConfig: a research.json in a candidate's tree has no effect.
func TestCandidateConfig(t *testing.T) {
	b := newBench(t)
	own := "{\"battery\": [], \"sandbox\": \"off\", \"scope\": {\"allow\": [\"**\"]}}\n"
	patch := filePatch(t, "its own rules", "research.json", "{}\n", own)
	_, change, _ := strings.Cut(filePatch(t, "x", "number.go", fixture["number.go"], "package hot\n\nfunc number(n int) string { return \"1\" }\n"), "\n\n")
	b.write(b.side, map[string]string{"patches/1.patch": patch + change})
	b.write(b.repo, map[string]string{"research.json": "{}\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "config")
	c := b.config(func(c map[string]any) {
		byText(c)
		c["scope"] = map[string]any{"allow": []string{"**"}}
		c["battery"] = []any{map[string]any{"name": "own", "run": []string{"sh", "-c", "grep -q Sprint n*.go"}}}
	})
	_, rows := b.run(c)
	if r := rows[0]; r.Verdict != ledger.VerdictChecksFailed+":own" {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// TestReadWritten: only regular files that a candidate wrote are read.
func TestReadWritten(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("file"), []byte("text"), 0o666); err != nil {
		t.Fatal(err)
	}
	for name, to := range map[string]string{"link": at("file"), "endless": "/dev/zero"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Skip(err)
		}
	}
	large, err := os.Create(at("large"))
	if err != nil {
		t.Fatal(err)
	}
	if err := large.Truncate(mostWritten + 1); err != nil {
		t.Fatal(err)
	}
	large.Close()
	if err := exec.Command("mkfifo", at("pipe")).Run(); err != nil {
		t.Skip(err)
	}
	for _, name := range []string{"link", "endless", "large", "pipe", "none", "."} {
		if text, err := readWritten(at(name)); err == nil {
			t.Errorf("%s: read %d bytes", name, len(text))
		}
	}
	if text, err := readWritten(at("file")); err != nil || string(text) != "text" {
		t.Errorf("%q, %v", text, err)
	}
}
