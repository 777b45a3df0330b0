package research

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/bubblewrap"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// spy is a file of the fixture whose tests look around, and write what they find into the package's
// output.
const spy = `package hot

import (
	"net"
	"os"
	"strconv"
	"strings"
)

func number(n int) string {
	if found := look(); found != "" && n < 0 {
		os.Stderr.WriteString(found + "\n")
		os.Exit(3)
	}
	return strconv.Itoa(n)
}

func look() string {
	var found []string
	for _, name := range strings.Fields("FILES") {
		if _, err := os.ReadFile(name); err == nil {
			found = append(found, "reads "+name)
		}
	}
	for _, name := range strings.Fields("DIRS") {
		if os.WriteFile(name+"/spy", nil, 0o666) == nil {
			found = append(found, "writes to "+name)
		}
	}
	if c, err := net.Dial("tcp", "ADDR"); err == nil {
		c.Close()
		found = append(found, "has the network")
	}
	if os.WriteFile(os.TempDir()+"/spy", nil, 0o666) != nil {
		found = append(found, "has no temporary directory")
	}
	return strings.Join(found, ", ")
}
`

// TestBox: a candidate's code sees neither the hidden checks nor the log nor the user's home, and
// has no network. The hidden checks run nevertheless. Without a sandbox the row says so, and the
// same code finds all of it.
func TestBox(t *testing.T) {
	byTurns(t)
	if _, err := sandboxWorks(); err != nil {
		t.Skip(err)
	}
	b := newBench(t)
	home := filepath.Join(b.side, "home")
	// A home directory for the test, with a secret. The user's go directories stay where they are.
	gopath, goroot := goEnv(t, "GOMODCACHE"), goEnv(t, "GOPATH")
	t.Setenv("GOMODCACHE", gopath)
	t.Setenv("GOPATH", goroot)
	t.Setenv("HOME", home)
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	b.write(home, map[string]string{".secret": "42\n"})
	b.write(b.side, map[string]string{"hidden/hidden_test.go": "package hot\n\nimport \"testing\"\n\nfunc TestHidden(t *testing.T) {\n\tif number(7) != \"7\" {\n\t\tt.Error(number(7))\n\t}\n}\n"})
	text := strings.NewReplacer(
		"FILES", strings.Join([]string{home + "/.secret", b.side + "/hidden/hidden_test.go", b.repo + "/.git/research/boxed/log.jsonl", b.repo + "/render.go"}, " "),
		"DIRS", "../par", "ADDR", l.Addr().String()).Replace(spy)
	b.write(b.side, map[string]string{"patches/1.patch": filePatch(t, "looks around", "number.go", fixture["number.go"], text)})
	config := func(name, sandbox string) *Config {
		return b.config(func(c map[string]any) {
			byText(c)
			c["name"], c["sandbox"] = name, sandbox
			c["hidden"] = map[string]any{"dir": "hidden", "run": []string{"go", "test", "-vet=off", "."}}
			c["battery"] = []any{map[string]any{"name": "look", "run": []string{"go", "run", "./cmd/look"}}}
			c["risk"] = map[string]any{"off": []string{"capability", "detect", "error", "mutation", "differential"}}
		})
	}
	b.write(b.repo, map[string]string{"look.go": "package hot\n\n// Look writes a number below 0.\nfunc Look() string { return number(-1) }\n",
		"cmd/look/main.go": "package main\n\nimport \"example.com/hot\"\n\nfunc main() { print(hot.Look()) }\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "look")
	_, rows := b.run(config("boxed", sandboxRequire))
	if r := rows[0]; r.Verdict != ledger.VerdictKeep || r.Sandbox != sandboxName {
		t.Errorf("%s in %s: %s", r.Verdict, r.Sandbox, r.Reason)
	}
	if _, err := os.Stat(filepath.Join(b.repo, "spy")); err == nil {
		t.Error("the user's checkout was written to")
	}
	_, rows = b.run(config("open", sandboxOff))
	r := rows[0]
	for _, want := range []string{"/.secret", "hidden_test.go", "render.go", "writes to", "has the network"} {
		if !strings.Contains(r.Reason+fmt.Sprint(r.Battery), want) {
			t.Errorf("without the sandbox: no %s: %s: %s", want, r.Verdict, r.Reason)
		}
	}
	if !strings.HasPrefix(r.Sandbox, "none: ") {
		t.Errorf("the row says of its sandbox %q", r.Sandbox)
	}
	// A machine without bubblewrap: a session that does not need it continues.
	bin := filepath.Join(b.side, "bin")
	for _, name := range []string{"go", "git", "sh", "cat", "grep", "wc"} {
		at := lookPath(t, name)
		if err := os.MkdirAll(bin, 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(at, filepath.Join(bin, name)); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", bin)
	s := b.open(config("lacking", sandboxAuto))
	if err := s.setUp(t.Context()); err != nil || s.box != nil || !strings.Contains(s.boxWord(), "bwrap") {
		t.Errorf("%v, %s", err, s.boxWord())
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = b.open(config("demanding", sandboxRequire))
	if err := s.setUp(t.Context()); err == nil {
		t.Error("a sandbox that is required is not missed")
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestBoxBase: if the base itself fails in the sandbox, candidates run without one, and rows say
// why.
func TestBoxBase(t *testing.T) {
	byTurns(t)
	if _, err := sandboxWorks(); err != nil {
		t.Skip(err)
	}
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{map[string]any{"name": "outside", "run": []string{"test", "-e", b.repo + "/render.go"}}}
		c["stop"] = map[string]any{"experiments": 1}
	})
	_, rows := b.run(c)
	if r := rows[0]; r.Verdict != ledger.VerdictKeep || !strings.Contains(r.Sandbox, "none: the base's check outside fails in it") {
		t.Errorf("%s in %q: %s", r.Verdict, r.Sandbox, r.Reason)
	}
}

// TestBoxDoctor: the doctor describes the sandbox around candidates, and what this machine lacks
// for it.
func TestBoxDoctor(t *testing.T) {
	says := func(sandbox string) Diagnosis { return (&Config{Sandbox: sandbox}).boxDiagnoses()[0] }
	if d := says(sandboxOff); d.Level != LevelWarn || !strings.Contains(d.Text, "runs as you do") || !strings.Contains(d.Text, "switches the sandbox off") {
		t.Errorf("switched off: %+v", d)
	}
	fake := t.TempDir()
	path := os.Getenv("PATH")
	t.Setenv("PATH", fake)
	if d := says(sandboxAuto); d.Level != LevelWarn || !strings.Contains(d.Text, "runs as you do") {
		t.Errorf("no bubblewrap: %+v", d)
	}
	if d := says(sandboxRequire); d.Level != LevelError {
		t.Errorf("no bubblewrap, and one is required: %+v", d)
	}
	// A bubblewrap with fewer abilities: it is called with options, and refuses some.
	for _, x := range []struct{ refuses, says string }{
		{"nothing", "none inside of it"},
		{"--disable-userns", "a user namespace of its own"},
		{"--unshare-user", "no user namespace of its own"},
		{"--seccomp", "none inside of it; system calls are not filtered"},
	} {
		if x.refuses == "--seccomp" && !bubblewrap.CanFilter() {
			continue
		}
		dir := t.TempDir()
		text := "#!/bin/sh\nfor a; do [ \"$a\" = " + x.refuses + " ] && exit 1; done\nexit 0\n"
		if err := os.WriteFile(filepath.Join(dir, bubblewrap.Tool), []byte(text), 0o777); err != nil {
			t.Fatal(err)
		}
		t.Setenv("PATH", dir+string(filepath.ListSeparator)+path)
		d := says(sandboxAuto)
		if how, err := sandboxWorks(); err != nil || !slices.Contains(how.Args(true), "--cap-drop") || !slices.Contains(how.Args(true), "--unshare-net") {
			t.Errorf("without %s: %v, %v", x.refuses, how.Args(true), err)
		}
		if best := x.refuses == "nothing" && bubblewrap.CanFilter(); (d.Level == LevelOK) != best || !strings.Contains(d.Text, x.says) {
			t.Errorf("without %s: %+v", x.refuses, d)
		}
	}
}

// TestUnable: a check that cannot run on this system leaves a candidate unchecked, with the reason,
// and the session continues.
func TestUnable(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	t.Setenv("CGO_ENABLED", "0")
	c := b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{
			map[string]any{"name": "tool", "run": []string{"no-such-tool"}, "when": "keep"},
			map[string]any{"name": "race", "run": []string{"go", "test", "-race", "."}, "when": "keep"},
		}
		c["stop"] = map[string]any{"experiments": 2}
	})
	stopped, rows := b.run(c)
	if stopped.Reason != "experiments" || len(rows) != 2 {
		t.Fatalf("%+v, %d rows", stopped, len(rows))
	}
	r := rows[0]
	if r.Verdict != ledger.VerdictUnchecked || r.Implementation != ledger.ImplUnchecked || !strings.Contains(r.Reason, "tool did not run: it cannot run here") ||
		!strings.Contains(r.Reason, "race did not run: it cannot run here: go: -race requires cgo") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}
