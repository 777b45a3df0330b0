package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A family is a process and all its descendants, with the processor time that they used. On a busy
// machine they wait for a processor. That wait does not count, so that limits mean nearly the same
// on every machine. Any other wait counts, such as a sleep. Without /proc all time counts.
type family struct {
	root    int
	seen    map[int]string // the members so far, and their start times
	used    time.Duration  // processor time, at the last look, of living members and ended children
	last    time.Time
	elapsed time.Duration
}

func newFamily(pid int) *family {
	return &family{root: pid, seen: map[int]string{}, last: time.Now()}
}

// A process is an entry of /proc.
type process struct {
	parent  int
	started string        // its start time, which tells it from a later process with the same number
	used    time.Duration // processor time of itself and of its children that have ended
}

// parseStat reads /proc/PID/stat.
func parseStat(b []byte) (p process, state byte, ok bool) {
	// The name is in parentheses, and may contain some.
	_, rest, ok := strings.Cut(string(b), "(")
	i := strings.LastIndexByte(rest, ')')
	if !ok || i < 0 {
		return p, 0, false
	}
	f := strings.Fields(rest[i+1:])
	if len(f) < 20 {
		return p, 0, false
	}
	p.parent, _ = strconv.Atoi(f[1])
	for _, ticks := range f[11:15] { // user and system time, its own and its children's
		n, _ := strconv.ParseInt(ticks, 10, 64)
		p.used += time.Duration(n) * (time.Second / 100)
	}
	p.started = f[19]
	return p, f[0][0], true
}

// processes returns all running processes.
func processes() map[int]process {
	all := map[int]process{}
	dir, err := os.Open("/proc")
	if err != nil {
		return all
	}
	defer dir.Close()
	names, _ := dir.Readdirnames(-1)
	for _, name := range names {
		pid, err := strconv.Atoi(name)
		if err != nil {
			continue
		}
		b, err := os.ReadFile("/proc/" + name + "/stat")
		if err != nil {
			continue // it has just ended
		}
		if p, state, ok := parseStat(b); ok && state != 'Z' {
			all[pid] = p
		}
	}
	return all
}

// look counts the time since the last look.
func (f *family) look() time.Duration {
	now := time.Now()
	since := now.Sub(f.last)
	f.last = now
	all := processes()
	for more := true; more; { // children of children of members
		more = false
		for pid, p := range all {
			if _, ok := f.seen[pid]; ok {
				continue
			}
			if _, ok := f.seen[p.parent]; ok || pid == f.root {
				f.seen[pid] = p.started
				more = true
			}
		}
	}
	var used time.Duration
	for pid, started := range f.seen {
		if p, ok := all[pid]; ok && p.started == started {
			used += p.used
		} else {
			delete(f.seen, pid)
		}
	}
	used, f.used = used-f.used, used
	if used = max(used, 0); len(all) == 0 || used < since/10 && !f.runnable() {
		f.elapsed += since
	} else {
		f.elapsed += min(used, since)
	}
	return f.elapsed
}

// runnable reports whether a thread of a member runs or waits for a processor.
func (f *family) runnable() bool {
	for pid := range f.seen {
		files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/stat", pid))
		for _, file := range files {
			b, err := os.ReadFile(file)
			if err != nil {
				continue
			}
			if _, state, ok := parseStat(b); ok && state == 'R' {
				return true
			}
		}
	}
	return false
}

// kill kills all members, and those that they start meanwhile.
func (f *family) kill() {
	for range 3 {
		f.look()
		for pid := range f.seen {
			if p, err := os.FindProcess(pid); err == nil {
				_ = p.Kill()
			}
		}
	}
}

// errLate says that a command was killed at its time limit.
var errLate = errors.New("the limit of time")

// patience is how many times its limit a command may take in wall time.
const patience = 8

// runWithin runs a command and returns the time that it took. It kills the command with all its
// descendants when the limit is reached or the context ends. It also kills processes that the
// command has left running.
func runWithin(ctx context.Context, cmd *exec.Cmd, most time.Duration) (time.Duration, error) {
	if err := cmd.Start(); err != nil {
		return 0, err
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	f := newFamily(cmd.Process.Pid)
	wall := time.After(patience * most)
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	var ended error
	for ended == nil {
		select {
		case err := <-done:
			f.kill()
			return f.elapsed, err
		case <-ctx.Done():
			ended = ctx.Err()
		case <-wall:
			ended = errLate
		case <-tick.C:
			if f.look() > most {
				ended = errLate
			}
		}
	}
	f.kill()
	_ = cmd.Process.Kill()
	<-done
	return f.elapsed, ended
}

// execWithin is what go test runs in place of a test binary: the binary with a time limit.
func execWithin(most time.Duration, args []string) int {
	cmd := exec.Command(args[0], args[1:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	_, err := runWithin(context.Background(), cmd, most)
	if e := (*exec.ExitError)(nil); errors.As(err, &e) && e.ExitCode() > 0 {
		return e.ExitCode()
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "census:", err)
		return 1
	}
	return 0
}
