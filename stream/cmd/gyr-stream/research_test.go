package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/nats-io/nats.go/jetstream"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/stream/internal/cluster"
)

// researchFiles are a module whose lines with "print" are counted.
var researchFiles = map[string]string{
	"repo/go.mod": "module example.com/say\n\ngo 1.24\n",
	"repo/a.go":   "package say\n\nfunc a() {\n\tprint(1)\n\n\n\tprint(2)\n\n\n\tprint(3)\n\n\n\tprint(4)\n}\n",
}

// A lab is a session with workers.
type lab struct {
	t        *testing.T
	dir      string
	session  string // its public key
	lease    string
	finished sync.WaitGroup
}

func (l *lab) run(dir, name string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command(name, args...)
	cmd.Dir, cmd.Env = filepath.Join(l.dir, dir), gitx.Environ()
	out, err := cmd.Output()
	if err != nil {
		l.t.Fatalf("%s %q: %v\n%s%s", name, args, err, out, stderrOf(err))
	}
	return strings.TrimSpace(string(out))
}

func stderrOf(err error) []byte {
	if e, ok := err.(*exec.ExitError); ok {
		return e.Stderr
	}
	return nil
}

// newLab makes the repository, four patches with a gain each, and the clones of workers, which are
// admitted.
func newLab(t *testing.T, workers ...string) *lab {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip(err)
	}
	bin := t.TempDir()
	for name, pkg := range map[string]string{"gyr-stream": ".", "gyr": "github.com/gyrvm/gyr/cmd/gyr"} {
		if out, err := exec.Command("go", "build", "-o", filepath.Join(bin, name), pkg).CombinedOutput(); err != nil {
			t.Fatalf("%v %s", err, out)
		}
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	l := &lab{t: t, dir: t.TempDir(), lease: "2s"}
	t.Setenv("HOME", filepath.Join(l.dir, "home"))
	t.Setenv("XDG_CACHE_HOME", "")
	t.Setenv("XDG_CONFIG_HOME", "")
	// The check tells the test where it runs, which it could not from a box.
	files := map[string]string{"repo/research.json": fmt.Sprintf(`{"name": "say", "sandbox": "off",
 "metrics": [{"name": "prints", "from": "command", "class": "exact", "goal": "min", "run": ["sh", "-c", "echo METRIC prints=$(grep -c print a.go)"]}],
 "battery": [{"name": "slow", "run": ["sh", "-c", "pwd >>'%s'; sleep 1"]}],
 "risk": {"off": ["differential", "mutation", "fresh-input"]},
 "proposer": {"kind": "patches", "dir": "../patches"}, "parallel": {"propose": 4},
 "statistics": {"calibrate": 2, "plant": 0, "aaEvery": -1}}`, filepath.Join(l.dir, "started"))}
	for name, text := range researchFiles {
		files[name] = text
	}
	base := researchFiles["repo/a.go"]
	for i := range 4 {
		files[fmt.Sprintf("patches/%d/a.go", i)] = strings.Replace(base, fmt.Sprintf("\tprint(%d)\n", i+1), "", 1)
	}
	for name, text := range files {
		name = filepath.Join(l.dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	l.run("repo", "git", "init", "-q", "-b", "main")
	l.run("repo", "git", "config", "user.name", "u")
	l.run("repo", "git", "config", "user.email", "u@example.com")
	l.run("repo", "git", "add", "go.mod", "a.go")
	l.run("repo", "git", "commit", "-qm", "base")
	for i := range 4 {
		diff := exec.Command("git", "diff", "--no-index", "--no-prefix", "repo/a.go", fmt.Sprintf("patches/%d/a.go", i))
		diff.Dir = l.dir
		out, _ := diff.Output() // a difference is status 1
		text := strings.NewReplacer(fmt.Sprintf("patches/%d/a.go", i), "b/a.go", "repo/a.go", "a/a.go").Replace(string(out))
		if err := os.WriteFile(filepath.Join(l.dir, fmt.Sprintf("patches/%d.patch", i)), []byte(fmt.Sprintf("no print %d\n\n%s", i+1, text)), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, w := range workers {
		l.run(".", "git", "clone", "-q", "repo", w)
		key := l.run(w, "gyr", "research", "worker", "-key", "../"+w+".key", "-show")
		l.run("repo", "gyr", "research", "workers", "-add", key, "-name", w)
	}
	list := l.run("repo", "gyr", "research", "workers")
	l.session = strings.Fields(list)[2]
	return l
}

// worker starts a worker. The test waits for its end.
func (l *lab) worker(name string) *exec.Cmd {
	l.t.Helper()
	cmd := exec.Command("gyr-stream", "research-worker", "-from", l.session, "-key", "../"+name+".key", "-unboxed", "-lease", l.lease, "say")
	cmd.Dir = filepath.Join(l.dir, name)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.finished.Go(func() { _ = cmd.Wait() })
	l.t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGINT)
		l.finished.Wait()
	})
	return cmd
}

// started returns the checks that have begun, by the directory that they run in.
func (l *lab) started() string {
	b, _ := os.ReadFile(filepath.Join(l.dir, "started"))
	return string(b)
}

// A researchRow is what the log has of a candidate.
type researchRow struct {
	Verdict, Description, Worker string
}

// rows returns the rows of candidates, and how many results the log has.
func (l *lab) rows() (rows []researchRow, results int) {
	l.t.Helper()
	b, err := os.ReadFile(filepath.Join(l.dir, "repo", ".git", "research", "say", "log.jsonl"))
	if err != nil {
		l.t.Fatal(err)
	}
	for line := range bytes.Lines(b) {
		var x struct {
			researchRow
			Run   int
			Phase string
		}
		if err := json.Unmarshal(line, &x); err != nil {
			l.t.Fatal(err)
		}
		if x.Run > 1 {
			rows = append(rows, x.researchRow)
		}
		if x.Phase == "tried" {
			results++
		}
	}
	return rows, results
}

// TestResearch runs a session with two workers. The first one is killed (SIGKILL) while it tries a
// candidate, and the second gets the trial. All patches are kept, in their order, and nothing is left
// in the queue.
func TestResearch(t *testing.T) {
	servers, err := cluster.Start(t.Context(), t.TempDir(), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer servers.Stop()
	t.Setenv("NATS_URL", servers.URL)
	l := newLab(t, "ada", "bob")
	ada := l.worker("ada")
	session := exec.Command("gyr", "research", "run", "-workers", "gyr-stream research-queue say")
	session.Dir = filepath.Join(l.dir, "repo")
	var out bytes.Buffer
	session.Stdout, session.Stderr = &out, &out
	if err := session.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	// A worker's checkout is in a directory of its own: the base has been checked in the session's.
	for !strings.Contains(l.started(), "worker-") {
		select {
		case err := <-ended:
			t.Fatalf("the session ended: %v\n%s", err, out.String())
		case <-time.After(5 * time.Millisecond):
		}
	}
	if err := ada.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	tried := strings.Count(l.started(), "worker-")
	l.worker("bob")
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, out.String())
	}
	t.Logf("%s", out.String())
	if now := strings.Count(l.started(), "worker-"); tried != 1 || now < 5 {
		t.Errorf("%d trials before the kill and %d in all", tried, now)
	}
	rows, results := l.rows()
	if len(rows) != 4 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
	if results < 4 {
		t.Errorf("%d results", results)
	}
	for i, r := range rows {
		if want := fmt.Sprintf("no print %d", i+1); r.Verdict != "keep" || r.Description != want || !strings.HasPrefix(r.Worker, "bob on ") {
			t.Errorf("row %+v, want %s", r, want)
		}
	}
	if text := l.run("repo", "gyr", "research", "status"); strings.Contains(text, "Not to be believed") {
		t.Error(text)
	}
	nc, err := servers.Connect()
	if err != nil {
		t.Fatal(err)
	}
	defer nc.Close()
	js, err := jetstream.New(nc)
	if err != nil {
		t.Fatal(err)
	}
	s, err := js.Stream(t.Context(), "GYR_RESEARCH_say")
	if err != nil {
		t.Fatal(err)
	}
	if info, err := s.Info(t.Context()); err != nil || info.State.Msgs != 0 {
		t.Errorf("%d messages are left, %v", info.State.Msgs, err)
	}
}
