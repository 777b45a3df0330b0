package research

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// The fixture is a small module with a hot path that allocates needlessly. Each stage of the path
// is in a file of its own, so that patches do not overlap.
var fixture = map[string]string{
	"go.mod": "module example.com/hot\n\ngo 1.24\n",
	"render.go": `// Package hot renders records.
package hot

// A Record is one line of the output.
type Record struct {
	ID   int
	Name string
	Tags []string
}

// Render writes records, a line each.
func Render(rs []Record) []byte {
	var out []byte
	for _, r := range rs {
		out = append(out, number(r.ID)...)
		out = append(out, sep()...)
		out = append(out, title(r.Name)...)
		out = append(out, ' ')
		out = append(out, join(r.Tags)...)
		out = append(out, mark(r)...)
		out = append(out, end()...)
	}
	return out
}
`,
	"number.go": `package hot

import "fmt"

func number(n int) string {
	return fmt.Sprintf("%d", n)
}
`,
	"title.go": `package hot

import "strings"

func title(s string) string {
	parts := strings.Split(s, "-")
	for i, p := range parts {
		parts[i] = strings.ToUpper(p[:1]) + p[1:]
	}
	return strings.Join(parts, "-")
}
`,
	"join.go": `package hot

func join(tags []string) string {
	s := ""
	for _, t := range tags {
		s += t
		s += ","
	}
	return s
}
`,
	"mark.go": `package hot

//go:noinline
func mark(r Record) []byte {
	b := make([]byte, 0, 64)
	for i := range width {
		if r.ID>>i&1 == 1 {
			b = append(b, '#')
		} else {
			b = append(b, '.')
		}
	}
	return b
}
`,
	"sep.go": `package hot

func sep() string {
	space := " "
	return space
}
`,
	"end.go": `package hot

import "fmt"

func end() string {
	return fmt.Sprint("\n")
}
`,
	"width.go": `package hot

const width = 20
`,
	"hot_test.go": `package hot

import (
	"bytes"
	"testing"
)

func records(n int) []Record {
	var rs []Record
	for i := range n {
		rs = append(rs, Record{i * 1000003, "some-long-name-of-a-record", []string{"red", "green", "blue"}})
	}
	return rs
}

func TestRender(t *testing.T) {
	if n := bytes.Count(Render(records(10)), []byte("\n")); n != 10 {
		t.Errorf("%d lines", n)
	}
}

func BenchmarkRender(b *testing.B) {
	rs := records(10)
	for b.Loop() {
		Render(rs)
	}
}
`,
	"cmd/golden/main.go": `// Command golden prints what Render makes of some records.
package main

import (
	"os"

	"example.com/hot"
)

func main() {
	os.Stdout.Write(hot.Render([]hot.Record{{7, "first-record", []string{"a", "b"}}, {1 << 19, "x", nil}}))
}
`,
	"testdata/golden.txt": "7 First-Record a,b,###.................\n524288 X ...................#\n",
}

// A fixturePatch changes one file of the fixture.
type fixturePatch struct {
	name, file, old, new string
	verdict, status      string
}

// fixturePatches are four gains in allocations and four changes without one.
var fixturePatches = []fixturePatch{
	{"number by strconv", "number.go", "import \"fmt\"\n\nfunc number(n int) string {\n\treturn fmt.Sprintf(\"%d\", n)", "import \"strconv\"\n\nfunc number(n int) string {\n\treturn strconv.Itoa(n)", ledger.VerdictKeep, ledger.Keep},
	{"another name for a variable", "sep.go", "space := \" \"\n\treturn space", "blank := \" \"\n\treturn blank", ledger.VerdictNoEffect, ledger.Discard},
	{"join with a builder", "join.go", "package hot\n\nfunc join(tags []string) string {\n\ts := \"\"\n\tfor _, t := range tags {\n\t\ts += t\n\t\ts += \",\"\n\t}\n\treturn s\n",
		"package hot\n\nimport \"strings\"\n\nfunc join(tags []string) string {\n\tvar s strings.Builder\n\ts.Grow(64)\n\tfor _, t := range tags {\n\t\ts.WriteString(t)\n\t\ts.WriteByte(',')\n\t}\n\treturn s.String()\n", ledger.VerdictKeep, ledger.Keep},
	{"marks are copied", "mark.go", "\treturn b\n", "\tseen := make(map[int][]byte, 100)\n\tseen[r.ID] = b\n\treturn seen[r.ID]\n", ledger.VerdictWorse, ledger.Discard},
	{"an end without formatting", "end.go", "import \"fmt\"\n\nfunc end() string {\n\treturn fmt.Sprint(\"\\n\")", "func end() string {\n\treturn \"\\r\\n\"", ledger.VerdictChecksFailed + ":golden", ledger.ChecksFailed},
	{"room for the output", "render.go", "var out []byte\n", "out := make([]byte, 0, 96*len(rs))\n", ledger.VerdictKeep, ledger.Keep},
	{"a pool of marks", "mark.go", "package hot\n\n//go:noinline\nfunc mark(r Record) []byte {\n\tb := make([]byte, 0, 64)\n",
		"package hot\n\nimport \"sync\"\n\nvar marks = sync.Pool{New: func() any { return new([]byte) }}\n\n//go:noinline\nfunc mark(r Record) []byte {\n\tp := marks.Get().(*[]byte)\n\tb := (*p)[:0]\n\tdefer func() {\n\t\t*p = b\n\t\tmarks.Put(p)\n\t}()\n", ledger.VerdictRisk, ledger.ChecksFailed},
	{"title in place", "title.go", "import \"strings\"\n\nfunc title(s string) string {\n\tparts := strings.Split(s, \"-\")\n\tfor i, p := range parts {\n\t\tparts[i] = strings.ToUpper(p[:1]) + p[1:]\n\t}\n\treturn strings.Join(parts, \"-\")",
		"func title(s string) string {\n\tb := []byte(s)\n\tfor i, c := range b {\n\t\tif (i == 0 || b[i-1] == '-') && 'a' <= c && c <= 'z' {\n\t\t\tb[i] = c - 'a' + 'A'\n\t\t}\n\t}\n\treturn string(b)", ledger.VerdictKeep, ledger.Keep},
}

// A bench is a repository with the fixture, and a directory for files outside of it.
type bench struct {
	t    *testing.T
	repo string
	side string // directory beside the repository
}

func newBench(t *testing.T) *bench {
	t.Helper()
	for _, name := range []string{"git", "go"} {
		if _, err := exec.LookPath(name); err != nil {
			t.Skip(err)
		}
	}
	dir := t.TempDir()
	// The build cache stays the user's. Worktrees get a place of the test's own.
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOCACHE", strings.TrimSpace(string(out)))
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	t.Setenv("GOFLAGS", "-ldflags=-w") // saves a quarter of the linking time
	b := &bench{t, filepath.Join(dir, "repo"), filepath.Join(dir, "side")}
	b.write(b.repo, fixture)
	b.git("init", "-q", "-b", "main")
	b.git("config", "user.name", "user")
	b.git("config", "user.email", "user@example.com")
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "fixture", "--date=2026-01-01T00:00:00Z")
	return b
}

func (b *bench) write(dir string, files map[string]string) {
	b.t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			b.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			b.t.Fatal(err)
		}
	}
}

func (b *bench) git(args ...string) string {
	b.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = b.repo
	cmd.Env = append(gitx.Environ(), "GIT_COMMITTER_DATE=2026-01-01T00:00:00Z")
	out, err := cmd.CombinedOutput()
	if err != nil {
		b.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// patch is the text of a patch of one file.
func (p *fixturePatch) patch(t *testing.T) string {
	t.Helper()
	before := fixture[p.file]
	after := strings.Replace(before, p.old, p.new, 1)
	if after == before {
		t.Fatalf("%s: nothing is replaced", p.name)
	}
	return filePatch(t, p.name, p.file, before, after)
}

// filePatch is a patch from one text of a file to another. An empty text is no file.
func filePatch(t *testing.T, subject, file, before, after string) string {
	t.Helper()
	dir := t.TempDir()
	for side, text := range map[string]string{"a": before, "b": after} {
		name := filepath.Join(dir, side, file)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if text == "" {
			continue
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	cmd := exec.Command("git", "diff", "--no-index", "--no-prefix", "a", "b")
	cmd.Dir = dir
	out, _ := cmd.Output()
	if len(out) == 0 {
		t.Fatalf("%s: an empty patch", subject)
	}
	return subject + "\n\n" + string(out)
}

// archived makes the files of an archive in testdata the whole repository, and returns them.
func (b *bench) archived(name string) map[string]string {
	b.t.Helper()
	a, err := txtar.ParseFile(filepath.Join("testdata", name))
	if err != nil {
		b.t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	b.hold(files, name)
	return files
}

// hold commits files as all that the repository has.
func (b *bench) hold(files map[string]string, message string) {
	b.t.Helper()
	b.git("rm", "-rqf", ".")
	b.write(b.repo, files)
	b.git("add", "-A")
	b.git("commit", "-qm", message)
}

// patches writes the fixture's patches into a directory beside the repository.
func (b *bench) patches() {
	b.t.Helper()
	for i := range fixturePatches {
		b.write(b.side, map[string]string{fmt.Sprintf("patches/%02d.patch", i+1): fixturePatches[i].patch(b.t)})
	}
}

// config is the fixture's research.json, with changes.
func (b *bench) config(change func(c map[string]any)) *Config {
	b.t.Helper()
	c := map[string]any{
		"name": "fixture",
		"metrics": []any{
			map[string]any{"name": "allocs_per_op", "from": "gobench", "bench": "BenchmarkRender", "unit": "allocs/op", "goal": "min", "minEffect": "1"},
		},
		"battery": []any{
			map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "."}},
			map[string]any{"name": "golden", "run": []string{"go", "run", "./cmd/golden"}, "golden": "testdata/golden.txt"},
		},
		"proposer":   map[string]any{"kind": "patches", "dir": "patches"},
		"statistics": map[string]any{"aaEvery": -1, "calibrate": 2, "plant": 0},
	}
	if change != nil {
		change(c)
	}
	text, err := json.MarshalIndent(c, "", " ")
	if err != nil {
		b.t.Fatal(err)
	}
	b.write(b.side, map[string]string{"research.json": string(text)})
	config, err := LoadConfig(filepath.Join(b.side, "research.json"))
	if err != nil {
		b.t.Fatal(err)
	}
	return config
}

// byText makes the objective one that needs no build: the number of the fixture's lines that
// allocate. The first three patches have the same verdicts under it.
func byText(c map[string]any) {
	c["metrics"] = []any{map[string]any{"name": "lines", "from": "command", "class": "exact", "goal": "min",
		"run": []string{"sh", "-c", `echo METRIC lines=$(cat *.go | grep -c -e fmt.Sprint -e += -e 'make(')`}}}
}

// linter is shared by all sessions of tests that run one after the other, so that it reads the
// standard library once.
var linter = risk.NewLinter("")

// open opens the session of a config.
func (b *bench) open(c *Config) *Session {
	b.t.Helper()
	s, err := Open(b.t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{b.t}})
	if err != nil {
		b.t.Fatal(err)
	}
	s.linter = linter
	return s
}

// run runs the session of a config to its end and returns its rows without the baseline.
func (b *bench) run(c *Config) (*Stopped, []*ledger.Row) {
	b.t.Helper()
	s := b.open(c)
	stopped, err := s.Run(b.t.Context())
	if err != nil {
		b.t.Fatal(err)
	}
	rows := s.state.rows
	if err := s.Close(); err != nil {
		b.t.Error(err)
	}
	if len(rows) == 0 || rows[0].Verdict != ledger.VerdictBaseline {
		b.t.Fatalf("the first of %d rows is no baseline", len(rows))
	}
	return stopped, rows[1:]
}

// checkout is a hash of everything in the user's checkout, and of the index.
func (b *bench) checkout() string {
	b.t.Helper()
	h := sha256.New()
	err := filepath.WalkDir(b.repo, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.Name() == ".git" {
			return fs.SkipDir
		}
		fi, err := d.Info()
		if err != nil {
			return err
		}
		fmt.Fprintf(h, "%s %v %v\n", path, fi.Mode(), fi.ModTime())
		if d.Type().IsRegular() {
			text, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			h.Write(text)
		}
		return nil
	})
	if err != nil {
		b.t.Fatal(err)
	}
	for _, name := range []string{"index", "HEAD"} {
		text, err := os.ReadFile(filepath.Join(b.repo, ".git", name))
		if err != nil {
			b.t.Fatal(err)
		}
		h.Write(text)
	}
	return hex.EncodeToString(h.Sum(nil))
}

// settled is what must be equal in two sessions: rows without times, and refs.
func (b *bench) settled(c *Config) string {
	b.t.Helper()
	repo, err := gitx.Open(context.Background(), b.repo)
	if err != nil {
		b.t.Fatal(err)
	}
	lines, err := ledger.ReadFile(LogFile(repo, c.Session))
	if err != nil {
		b.t.Fatal(err)
	}
	var out bytes.Buffer
	for _, r := range ledger.Rows(lines) {
		x := *r
		x.Timestamp, x.Seconds, x.Waited = 0, 0, 0
		x.Battery = nil
		for _, k := range r.Battery {
			k.Seconds, k.Detail = 0, ""
			x.Battery = append(x.Battery, k)
		}
		text, err := json.Marshal(x)
		if err != nil {
			b.t.Fatal(err)
		}
		fmt.Fprintf(&out, "%s\n", text)
	}
	out.WriteString(b.git("for-each-ref", "--format=%(refname) %(objectname)", "refs/heads/research", "refs/research"))
	return out.String()
}

// A testWriter logs a session's output.
type testWriter struct{ t *testing.T }

func (w testWriter) Write(p []byte) (int, error) {
	w.t.Log(strings.TrimRight(string(p), "\n"))
	return len(p), nil
}

var _ io.Writer = testWriter{}

var long = flag.Bool("long", false, "the long forms of tests: a kill at 50 moments, all patches, everything twice")

// notShort skips a test that runs the go command many times.
func notShort(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("runs the go command many times")
	}
}

// byTurns skips a test that runs the go command many times on four of five days. Sessions have most
// of their steps in common. TestFixture covers these each day, and -long runs all.
func byTurns(t *testing.T) {
	t.Helper()
	notShort(t)
	daily.Turn(t, 10, *long)
}

// goEnv is a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// lookPath is the path of a program.
func lookPath(t *testing.T, name string) string {
	t.Helper()
	at, err := exec.LookPath(name)
	if err != nil {
		t.Skip(err)
	}
	return at
}
