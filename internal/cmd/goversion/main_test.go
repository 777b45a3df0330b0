package main

import (
	"bytes"
	"flag"
	"go/build"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

var (
	update   = flag.Bool("update", false, "write what is found into the files of testdata")
	allPairs = flag.Bool("pairs", false, "compare the installations that are a patch apart, too")
)

// TestKinds compares small installations. Each file of testdata has an old one, a new one, sources
// of gyr, and the lines that the command must print. Every kind of finding occurs.
func TestKinds(t *testing.T) {
	names, err := filepath.Glob("testdata/*.txtar")
	if err != nil || names == nil {
		t.Fatal(err, names)
	}
	common, err := txtar.ParseFile("testdata/common.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, name := range names {
		if name == filepath.Join("testdata", "common.txtar") {
			continue
		}
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			older, newer, o := made(t, common, a)
			var got strings.Builder
			for _, f := range compare(older, newer, o) {
				got.WriteString(f.String() + "\n")
				seen[f.Kind] = true
			}
			for i := range a.Files {
				f := &a.Files[i]
				if f.Name != "want" {
					continue
				}
				if *update {
					f.Data = []byte(got.String())
					if err := os.WriteFile(name, txtar.Format(a), 0o666); err != nil {
						t.Fatal(err)
					}
				} else if got.String() != string(f.Data) {
					t.Errorf("got:\n%s\nwant:\n%s", got.String(), f.Data)
				}
			}
			same := compare(newer, newer, o)
			for _, f := range same {
				if f.Ours == "" {
					t.Errorf("an installation differs from itself: %v", &f)
				}
			}
		})
	}
	for _, k := range kinds {
		if !seen[k.name] {
			t.Errorf("no file of testdata shows the kind %s", k.name)
		}
	}
}

// made makes two installations and sources of gyr from the files below old, new and gyr, on top of
// those that all tests share.
func made(t *testing.T, archives ...*txtar.Archive) (older, newer *install, o *ours) {
	t.Helper()
	var trees [3]fs.FS
	for i, dir := range []string{"old/", "new/", "gyr/"} {
		files := map[string][]byte{}
		for _, a := range archives {
			for _, f := range a.Files {
				if rest, ok := strings.CutPrefix(f.Name, dir); ok {
					files[rest] = f.Data
				} else if rest, ok := strings.CutPrefix(f.Name, "both/"); ok && dir != "gyr/" {
					files[rest] = f.Data
				}
			}
		}
		tree := &txtar.Archive{}
		for name, data := range files {
			if !bytes.Equal(data, []byte("none\n")) {
				tree.Files = append(tree.Files, txtar.File{Name: name, Data: data})
			}
		}
		var err error
		if trees[i], err = txtar.FS(tree); err != nil {
			t.Fatal(err)
		}
	}
	var err error
	if older, err = openInstall("old", trees[0]); err != nil {
		t.Fatal(err)
	}
	if newer, err = openInstall("new", trees[1]); err != nil {
		t.Fatal(err)
	}
	if o, err = openOurs(trees[2]); err != nil {
		t.Fatal(err)
	}
	return older, newer, o
}

// TestExplained: what opens and closes a finding.
func TestExplained(t *testing.T) {
	list, err := parseExplanations("x.txt", "# text\n\npull a.b 012345: done\npull a.c 012345: \"\nlayout a.T 999999: without: nobody reads it\ntext \"x: 1\" 00000f: to do: say it\ntag old 777777: gone\n")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range list {
		e.listed = true
	}
	findings := []Finding{
		{Kind: "pull", Name: "a.b", Mark: "012345"},
		{Kind: "pull", Name: "a.c", Mark: "012345", Ours: "nothing has it"},
		{Kind: "pull", Name: "a.b", Mark: "543210"},
		{Kind: "layout", Name: "a.T", Mark: "999999", Ours: "nothing has it"},
		{Kind: "text", Name: `"x: 1"`, Mark: "00000f"},
	}
	idle := explain(findings, list)
	for i, want := range []string{"", "explained, but gyr's sources do not show it", "unexplained", "", "to do"} {
		if got := findings[i].open(); got != want {
			t.Errorf("%v: open is %q, want %q", &findings[i], got, want)
		}
	}
	if len(idle) != 1 || idle[0].key != "tag old 777777" {
		t.Errorf("explanations of nothing: %v", idle)
	}
	for text, want := range map[string]string{
		"pull a.b: done":                            "x.txt:1: a line is",
		"pull a.b 012345: x\npull a.b 012345: y":    "x.txt:2: pull a.b 012345 has an explanation already",
		"pull a.b 012345: \"":                       "x.txt:1: no line before it",
		"pull a.b 012345:":                          "x.txt:1: a line is",
		"pull a.b 01234: x":                         "x.txt:1: a line is",
		"# fine\n\npull a.b 012345 x: y\npull a: b": "x.txt:3: a line is",
	} {
		if _, err := parseExplanations("x.txt", text); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}

// TestRun: the exit statuses, with installations on disk.
func TestRun(t *testing.T) {
	common, err := txtar.ParseFile("testdata/common.txtar")
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for _, f := range common.Files {
		for _, root := range []string{"old/", "new/"} {
			name := strings.Replace(f.Name, "both/", root, 1)
			if strings.HasSuffix(name, "/VERSION") && root == "new/" {
				continue // a checkout
			}
			name = filepath.Join(dir, name)
			os.MkdirAll(filepath.Dir(name), 0o777)
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
	}
	explained := filepath.Join(dir, "explained")
	os.Mkdir(explained, 0o777)
	older, newer := filepath.Join(dir, "old"), filepath.Join(dir, "new")
	flags := []string{"-gyr", filepath.Join(dir, "gyr"), "-explained", explained}
	check := func(status int, wantOut, wantErr string, args ...string) {
		t.Helper()
		var stdout, stderr bytes.Buffer
		if got := run(append(flags[:len(flags):len(flags)], args...), &stdout, &stderr); got != status {
			t.Errorf("%q: status %d, want %d", args, got, status)
		}
		if !strings.Contains(stdout.String(), wantOut) || wantOut == "" && stdout.Len() > 0 || !strings.Contains(stderr.String(), wantErr) {
			t.Errorf("%q: got\n%s%swant %q, %q", args, &stdout, &stderr, wantOut, wantErr)
		}
	}
	check(0, "", "go1.91.2 to devel go1.91: 0 findings, 0 open", older, newer)
	os.WriteFile(filepath.Join(newer, "src/internal/abi/more.go"), []byte("package abi\n\nconst More = 7\n"), 0o666)
	const line = "const internal/abi.More 790269: "
	check(1, line+"src/internal/abi/more.go:3: new: 7\n", "1 findings, 1 open", older, newer)
	check(1, `"pos":"src/internal/abi/more.go:3","text":"new: 7"}`, "1 findings, 1 open", "-json", older, newer)
	os.WriteFile(filepath.Join(explained, "1.91.txt"), []byte(line+"nobody reads it\ntag x 123456: gone\n"), 0o666)
	check(0, "", "1.91.txt:2 explains nothing that was found: tag x 123456", older, newer)
	check(0, "src/internal/abi/more.go:3: new: 7 | nobody reads it\n", "1 findings, 0 open", "-all", older, newer)
	os.WriteFile(filepath.Join(explained, "1.91.txt"), []byte("more\n"), 0o666)
	check(2, "", "1.91.txt:1: a line is KIND NAME MARK", older, newer)
	check(2, "", "usage:")
	check(2, "", "usage:", older, newer, newer)
	check(2, "", "holds no Go installation", older, dir)
	check(2, "", "flag provided but not defined", "-x", older, newer)
	check(0, "", "wasmimport", "-h")
}

// TestInstalled compares installations on this machine: the one that runs the test with itself, and
// the pairs that have explanations.
func TestInstalled(t *testing.T) {
	root, err := findOurs(".")
	if err != nil {
		t.Fatal(err)
	}
	o, err := openOurs(os.DirFS(root))
	if err != nil {
		t.Fatal(err)
	}
	opened := map[string]*install{}
	open := func(dir string) *install {
		in := opened[dir]
		if in == nil {
			if in, err = openInstall(dir, os.DirFS(dir)); err != nil {
				t.Skipf("no sources of Go: %v", err)
			}
			opened[dir] = in
		}
		return in
	}
	here := open(build.Default.GOROOT)
	for _, f := range compare(here, here, o) {
		if f.Kind != "compile" { // gyr may not serve this release yet
			t.Errorf("an installation differs from itself: %v", &f)
		}
	}
	for _, m := range mirrors {
		for name := range strings.FieldsSeq(m.names) {
			if here.decl(m.path, name) == nil && here.version == "go1.26.8" {
				t.Errorf("%s has no %s.%s, which a line of mirrors names", here.version, m.path, name)
			}
		}
		for _, name := range strings.Split(m.where, " and ") {
			if _, err := fs.Stat(o.fsys, name); err != nil && strings.Contains(name, "/") {
				t.Errorf("a line of mirrors: %v", err)
			}
		}
	}
	pairs := [][2]string{{"go1.26.8", "go1.27.4"}}
	if *allPairs {
		pairs = append(pairs, [2]string{"go1.26.8", "go1.26.11"}, [2]string{"go1.27.0", "go1.27.4"})
	}
	for _, pair := range pairs {
		t.Run(pair[0]+"-"+pair[1], func(t *testing.T) {
			older, newer := open(installed(t, pair[0])), open(installed(t, pair[1]))
			list, err := readExplanations("explained", older.minor, newer.minor)
			if err != nil {
				t.Fatal(err)
			}
			findings := compare(older, newer, o)
			idle := explain(findings, list)
			toBeDone := 0
			for i := range findings {
				switch why := findings[i].open(); why {
				case "":
				case "to do":
					toBeDone++
				default:
					t.Errorf("%s: %v", why, &findings[i])
				}
			}
			for _, e := range idle {
				t.Errorf("%s explains nothing that was found: %s", e.at, e.key)
			}
			t.Logf("%d findings, %d to be done", len(findings), toBeDone)
		})
	}
}

// installed returns the path of a release, from PATH or the module cache.
func installed(t *testing.T, version string) string {
	for _, dir := range []string{build.Default.GOROOT, filepath.Join(moduleCache(), "golang.org", "toolchain@v0.0.1-"+version+".linux-amd64")} {
		data, _ := os.ReadFile(filepath.Join(dir, "VERSION"))
		if line, _, _ := strings.Cut(string(data), "\n"); line == version {
			return dir
		}
	}
	if goroot, err := exec.Command("go", "env", "GOROOT").Output(); err == nil {
		dir := strings.TrimSpace(string(goroot))
		data, _ := os.ReadFile(filepath.Join(dir, "VERSION"))
		if line, _, _ := strings.Cut(string(data), "\n"); line == version {
			return dir
		}
	}
	t.Skipf("no %s here: GOTOOLCHAIN=%s go version fetches it", version, version)
	return ""
}

func moduleCache() string {
	if dir := os.Getenv("GOMODCACHE"); dir != "" {
		return dir
	}
	return filepath.Join(filepath.SplitList(build.Default.GOPATH)[0], "pkg", "mod")
}
