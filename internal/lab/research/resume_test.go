package research

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/buildcache"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
)

// forget removes everything that a session has left in the repository.
func (b *bench) forget(c *Config) {
	b.t.Helper()
	for line := range strings.Lines(b.git("for-each-ref", "--format=%(refname)", "refs/research/"+c.Session+"/", "refs/heads/research/"+c.Session)) {
		b.git("update-ref", "-d", strings.TrimSpace(line))
	}
	repo, err := gitx.Open(b.t.Context(), b.repo)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.RemoveAll(Directory(repo, c.Session)); err != nil {
		b.t.Fatal(err)
	}
}

// childDir tells this test program to run a session in that directory instead, in a process of its
// own.
const childDir = "GYR_RESEARCH_CHILD"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childDir); dir != "" {
		if level, err := strconv.Atoi(os.Getenv("GYR_RESEARCH_ISOLATION")); err == nil {
			isolations = isolations[level:]
		}
		os.Exit(child(dir))
	}
	if len(os.Args) > 3 && os.Args[2] == buildcache.Verb { // as gyr does
		if err := buildcache.Serve(os.Args[3:], os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	if dir := os.Getenv(workerDir); dir != "" {
		os.Exit(serveWorker(dir))
	}
	if len(os.Args) > 1 && os.Args[1] == "test" {
		fmt.Fprintln(os.Stderr, "this is no gyr")
		os.Exit(2)
	}
	os.Exit(m.Run())
}

// child runs the session of dir/../side/research.json.
func child(dir string) int {
	c, err := LoadConfig(filepath.Join(dir, "..", "side", "research.json"))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := signal.NotifyContext(context.Background(), os.Interrupt)
	defer cancel()
	s, err := Open(ctx, Options{Dir: dir, Config: c, Out: os.Stdout})
	if errors.Is(err, context.Canceled) {
		return 0 // interrupted before it could pause
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	stopped, err := s.Run(ctx)
	if err := errors.Join(err, s.Close()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	fmt.Println(stopped.Reason)
	return 0
}

// session starts the session of the config in a process of its own.
func (b *bench) session() *exec.Cmd {
	b.t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+b.repo)
	cmd.Stderr = os.Stderr
	if err := cmd.Start(); err != nil {
		b.t.Fatal(err)
	}
	return cmd
}

// TestKill kills or interrupts a session at random moments, chosen by a seed, until it finishes.
// Rows, refs and checkout are those of an undisturbed session. A moment is a number of bytes of the
// log, plus a time, since most of the work happens between two lines.
func TestKill(t *testing.T) {
	byTurns(t)
	kills := 3
	if *long {
		kills = 50
	}
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		if !*long {
			c["stop"] = map[string]any{"experiments": 2}
			c["battery"] = []any{map[string]any{"name": "width", "run": []string{"cat", "width.go"}, "golden": "width.go"}}
			byText(c)
		}
	})
	b.kill(c, kills)
}

// kill does this with the session of a config.
func (b *bench) kill(c *Config, kills int) {
	t := b.t
	t.Helper()
	before := b.checkout()
	if err := b.session().Wait(); err != nil {
		t.Fatal(err)
	}
	want := b.settled(c)
	log := filepath.Join(b.repo, ".git", "research", c.Session, "log.jsonl")
	whole, err := os.Stat(log)
	if err != nil {
		t.Fatal(err)
	}
	b.forget(c)
	rng := rand.New(rand.NewPCG(6, 2026))
	total := 0
	for total < kills {
		done := false
		for !done && total < kills {
			cmd := b.session()
			ended := make(chan error, 1)
			go func() { ended <- cmd.Wait() }()
			at, later := rng.Int64N(whole.Size()), time.Duration(rng.IntN(500))*time.Millisecond
			have := size(log)
			for !done && size(log) < max(at, have+1) {
				select {
				case err := <-ended:
					if err != nil {
						t.Fatal(err)
					}
					done = true
				case <-time.After(time.Millisecond):
				}
			}
			if done {
				break
			}
			select {
			case err := <-ended:
				if err != nil {
					t.Fatal(err)
				}
				done = true
			case <-time.After(later):
				// Every third time it gets a signal and ends by itself.
				signal := syscall.SIGKILL
				if total%3 == 2 {
					signal = syscall.SIGINT
				}
				cmd.Process.Signal(signal)
				if err := <-ended; err != nil && signal == syscall.SIGINT {
					t.Errorf("interrupted: %v", err)
				}
				total++
			}
		}
		if !done {
			if err := b.session().Wait(); err != nil {
				t.Fatal(err)
			}
		}
		if got := b.settled(c); got != want {
			t.Fatalf("after %d kills:\n%s\nwant\n%s", total, got, want)
		}
		b.forget(c)
	}
	if b.checkout() != before {
		t.Error("the user's checkout changed")
	}
	t.Logf("%d kills", total)
}

func size(file string) int64 {
	fi, err := os.Stat(file)
	if err != nil {
		return 0
	}
	return fi.Size()
}

// TestOrphans: the proposer of a killed driver ends with it. Processes that the proposer started
// end when the session is resumed.
func TestOrphans(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("needs /proc and the parent's death signal")
	}
	b := newBench(t)
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "size", "from": "file", "path": "number.go", "goal": "min"}}
		c["battery"] = []any{}
		c["proposer"] = map[string]any{"kind": "command", "run": []string{"sh", "-c", "cd '" + b.side + "'; setsid sleep 1000 & echo $! $$ > pids.new; mv pids.new pids; wait"}}
	})
	cmd := b.session()
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	pids := ""
	for pids == "" {
		select {
		case err := <-ended:
			t.Fatalf("the driver ended: %v", err)
		case <-time.After(time.Millisecond):
			text, _ := os.ReadFile(filepath.Join(b.side, "pids"))
			pids = string(text)
		}
	}
	var child, proposer int
	if _, err := fmt.Sscan(pids, &child, &proposer); err != nil {
		t.Fatal(err)
	}
	cmd.Process.Kill()
	<-ended
	// Another process may have to reap the proposer: it is gone, or a zombie.
	for alive(proposer) {
		time.Sleep(time.Millisecond)
	}
	if !alive(child) {
		t.Error("what the proposer started did not outlive it: the test shows nothing")
	}
	list, err := Doctor(t.Context(), b.repo, c)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.ContainsFunc(list, func(d Diagnosis) bool { return d.Subject == "orphans" }) {
		t.Errorf("the doctor says %+v", list)
	}
	for alive(child) {
		time.Sleep(time.Millisecond)
	}
	if err := b.open(c).Close(); err != nil {
		t.Error(err)
	}
}

// alive reports whether a process runs, on Linux.
func alive(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(text), ") Z ")
}
