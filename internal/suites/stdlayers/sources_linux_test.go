package stdlayers

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestPlain: a go command whose flags change what it compiles does not test the sources on disk.
func TestPlain(t *testing.T) {
	for _, tt := range []struct {
		line, goflags string
		want          bool
	}{
		{"go test ./...", "", true},
		{"/usr/local/go/bin/go test -race -run=X . -overlays 3", "-mod=mod", true},
		{"go", "", false},
		{"go run ./cmd/gyr", "", false},
		{"dlv test .", "", false},
		{"go test -overlay o.json .", "", false},
		{"go test --overlay=o.json .", "", false},
		{"go test -toolexec=x .", "", false},
		{"go test .", "-mod=mod -overlay=o.json", false},
		{"go test .", "-toolexec=x", false},
	} {
		if got := plain(strings.Fields(tt.line), tt.goflags); got != tt.want {
			t.Errorf("%s with %q: %v", tt.line, tt.goflags, got)
		}
	}
}

// TestGoTest: a process's start is known to a few seconds, and never later than it was.
func TestGoTest(t *testing.T) {
	if _, err := goTest(os.Getpid()); err == nil {
		t.Error("this test is a go command")
	}
	script := filepath.Join(t.TempDir(), "go")
	if err := os.Symlink("/bin/sh", script); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(filepath.Dir(script), "test"), []byte("echo begun\nread line\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(script, "test")
	cmd.Dir = filepath.Dir(script)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	if err := cmd.Start(); err != nil {
		t.Skip(err)
	}
	defer cmd.Wait()
	defer in.Close()
	if _, err := out.Read(make([]byte, 1)); err != nil { // before, the process may have no command line yet
		t.Fatal(err)
	}
	started, err := goTest(cmd.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	if late := started.Sub(now); late > 0 || late < -time.Minute {
		t.Errorf("it started %v behind what the test saw", late)
	}
}

// TestSumOf: each source counts, tests and suites do not, and none may have changed at the time or
// later.
func TestSumOf(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range []string{"go.mod", "go.sum", "state/state.go", "internal/ir/ir.go", "internal/front/guest/_src/runtime/map.go"} {
		write(name, "package x\n")
	}
	later := time.Now().Add(time.Hour)
	sum := func() string {
		t.Helper()
		s, err := sumOf(root, later)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	first := sum()
	for _, name := range []string{"internal/ir/ir_test.go", "internal/suites/randgo/x.go", "internal/opt/testdata/x.txt", "gyr.go"} {
		write(name, "package y\n")
		if sum() != first {
			t.Errorf("%s counts", name)
		}
	}
	for _, name := range []string{"go.sum", "internal/ir/op.go", "internal/front/guest/_src/runtime/map.go", "internal/image/runtime_go1.26.txt"} {
		write(name, "package z\n")
		if next := sum(); next == first {
			t.Errorf("%s does not count", name)
		} else {
			first = next
		}
	}
	if _, err := sumOf(root, time.Now().Add(-time.Minute)); err == nil || !strings.HasSuffix(err.Error(), "has changed") {
		t.Errorf("sources that changed later: %v", err)
	}
}
