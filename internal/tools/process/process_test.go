//go:build unix

package process

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

func shell(script string) *Process {
	return &Process{Path: "sh", Args: []string{"-c", script}, Timeout: time.Minute}
}

func runProcess(t *testing.T, p *Process) *Outcome {
	t.Helper()
	out, err := p.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestProcess(t *testing.T) {
	p := shell("echo out; echo err >&2; cat; pwd; echo $X")
	p.Dir, p.Env, p.Stdin = "/", []string{"X=y", "PATH=" + os.Getenv("PATH")}, strings.NewReader("in\n")
	out := runProcess(t, p)
	if out.Err() != nil || string(out.Stdout) != "out\nin\n/\ny\n" || string(out.Stderr) != "err\n" || out.Wall <= 0 {
		t.Errorf("%+v %q %q", out, out.Stdout, out.Stderr)
	}
	if out := runProcess(t, shell("exit 3")); out.Exit != 3 || out.Err() == nil {
		t.Errorf("%+v", out)
	}
	if out := runProcess(t, shell("kill -TERM $$")); out.Signal == "" || out.Err() == nil {
		t.Errorf("%+v", out)
	}
	if _, err := (&Process{Path: "/no/such/program"}).Run(t.Context()); err == nil {
		t.Error("a program that is not there runs")
	}
}

// TestProcessOutput: output beyond the limit is discarded, and the process continues.
func TestProcessOutput(t *testing.T) {
	p := shell("head -c 1000000 /dev/zero; echo end >&2")
	p.Output = 1000
	out := runProcess(t, p)
	if len(out.Stdout) != 1000 || !out.Cut || string(out.Stderr) != "end\n" || out.Exit != 0 || out.Err() == nil {
		t.Errorf("%d bytes, cut %v, %q, %v", len(out.Stdout), out.Cut, out.Stderr, out.Err())
	}
}

// gone waits until a process no longer exists or is a zombie.
func gone(t *testing.T, pid int) {
	t.Helper()
	for range 500 {
		stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
		if runtime.GOOS == "linux" && (err != nil || strings.Contains(string(stat), ") Z ")) {
			return
		}
		if syscall.Kill(pid, 0) != nil {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d lives", pid)
}

// TestProcessTimeout: the whole group ends, and Run does not wait for processes that hold the
// output.
func TestProcessTimeout(t *testing.T) {
	p := shell("sleep 1000 & echo $!; sleep 1000")
	p.Timeout = 50 * time.Millisecond
	out := runProcess(t, p)
	for len(out.Stdout) == 0 && p.Timeout < time.Minute {
		p.Timeout *= 4 // the shell did not get that far
		out = runProcess(t, p)
	}
	if !out.TimedOut || out.Err() == nil {
		t.Errorf("%+v", out)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
	if err != nil {
		t.Fatal(err)
	}
	gone(t, pid)
}

// TestProcessLeft: a process that outlives its parent is reported and killed, on Linux even if it
// left the group.
func TestProcessLeft(t *testing.T) {
	scripts := []string{"sleep 1000 & echo $!"}
	if runtime.GOOS == "linux" {
		fifo := filepath.Join(t.TempDir(), "fifo") // the shell waits by it until the other process exists
		scripts = append(scripts, "mkfifo "+fifo+"; setsid sh -c 'echo $$; echo >"+fifo+"; exec sleep 1000' & read x <"+fifo)
	}
	for _, script := range scripts {
		out := runProcess(t, shell(script))
		if out.Left != 1 || out.Err() == nil {
			t.Errorf("%s: %d left", script, out.Left)
		}
		pid, err := strconv.Atoi(strings.TrimSpace(string(out.Stdout)))
		if err != nil {
			t.Fatal(err)
		}
		gone(t, pid)
	}
}

func TestProcessCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := shell("sleep 1000").Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := shell("true").Run(ctx); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
