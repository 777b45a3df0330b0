package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

func TestStat(t *testing.T) {
	p, state, ok := parseStat([]byte("7 (a (b) c) R 3 7 7 0 -1 4194560 1 0 0 0 150 25 10 15 20 0 1 0 4711 1 2 3"))
	if want := (process{parent: 3, started: "4711", used: 2 * time.Second}); !ok || p != want || state != 'R' {
		t.Errorf("%+v, state %c, %v; want %+v", p, state, ok, want)
	}
	for _, s := range []string{"", "7 (a", "7 (a) R 3"} {
		if _, _, ok := parseStat([]byte(s)); ok {
			t.Errorf("%q is taken", s)
		}
	}
}

// TestWithin runs a command that ends in time, one that does not, and one that leaves another
// process running.
func TestWithin(t *testing.T) {
	if _, err := os.Stat("/proc/self/stat"); err != nil {
		t.Skip("this system has no /proc")
	}
	sh := func(script string) *exec.Cmd { return exec.Command("sh", "-c", script) }
	if took, err := runWithin(t.Context(), sh("sleep 0.1; exit 3"), time.Minute); err == nil || err.Error() != "exit status 3" || took > 30*time.Second {
		t.Errorf("took %v, %v", took, err)
	}
	for _, script := range []string{"sleep 1000 & echo $! >%; wait", "(while :; do :; done) & echo $! >%; wait"} {
		file := filepath.Join(t.TempDir(), "pid")
		took, err := runWithin(t.Context(), sh(strings.ReplaceAll(script, "%", file)), time.Second)
		if !errors.Is(err, errLate) {
			t.Errorf("%s: %v after %v", script, err, took)
		}
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		pid, _ := strconv.Atoi(strings.TrimSpace(string(b)))
		for i := 0; ; i++ {
			if _, ok := processes()[pid]; !ok {
				break
			}
			if i == 1000 {
				t.Fatalf("%s: process %d lives on", script, pid)
			}
			time.Sleep(10 * time.Millisecond)
		}
	}
	if code := execWithin(time.Minute, []string{"sh", "-c", "exit 3"}); code != 3 {
		t.Errorf("status %d, want 3", code)
	}
	if code := execWithin(time.Second, []string{"sleep", "1000"}); code != 1 {
		t.Errorf("status %d of what is late, want 1", code)
	}
}
