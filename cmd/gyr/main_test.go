package main

import (
	"bytes"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
)

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){"gyr": main})
}

// TestScripts runs the scripts of testdata: the command as its users see it. A
// script has two commands of its own:
//
//	status N args...    gyr args... ends with exit status N
//	lines FILE N        FILE (or stdout, stderr) has N lines
func TestScripts(t *testing.T) {
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("no go command: %v", err)
	}
	testscript.Run(t, testscript.Params{
		Dir: "testdata",
		Setup: func(env *testscript.Env) error {
			env.Setenv("GOROOT", strings.TrimSpace(string(goroot)))
			env.Setenv("PROGRAMS", filepath.Join(must(os.Getwd()), "..", "..", "programs"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){
			"status": status,
			"lines":  lines,
		},
	})
}

func must[T any](v T, err error) T {
	if err != nil {
		panic(err)
	}
	return v
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 1 {
		ts.Fatalf("usage: status N args...")
	}
	want, err := strconv.Atoi(args[0])
	ts.Check(err)
	got := 0
	if err := ts.Exec("gyr", args[1:]...); err != nil {
		var e *exec.ExitError
		if !errors.As(err, &e) {
			ts.Fatalf("%v", err)
		}
		got = e.ExitCode()
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

func lines(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: lines FILE N")
	}
	want, err := strconv.Atoi(args[1])
	ts.Check(err)
	if got := strings.Count(ts.ReadFile(args[0]), "\n"); got != want {
		ts.Fatalf("%d lines in %s, want %d", got, args[0], want)
	}
}

// The progress line appears after the delay, changes in place, and is gone
// when the compilation ends.
func TestProgressLine(t *testing.T) {
	pr, pw := io.Pipe()
	p := newProgressLine(pw, time.Millisecond)
	p.stage("loading")
	read := func(want string) {
		t.Helper()
		b := make([]byte, len(want))
		if _, err := io.ReadFull(pr, b); err != nil || string(b) != want {
			t.Fatalf("read %q, %v, want %q", b, err, want)
		}
	}
	read("\r\x1b[Kgyr: loading…")
	go p.stage("lowering")
	read("\r\x1b[Kgyr: lowering…")
	go p.stop()
	read("\r\x1b[K")
}

// A compilation that ends before the delay shows nothing.
func TestProgressLineOfAShortCompilation(t *testing.T) {
	var b bytes.Buffer
	p := newProgressLine(&b, time.Hour)
	p.stage("loading")
	p.stop()
	p.stage("late")
	if b.Len() > 0 {
		t.Errorf("wrote %q", b.String())
	}
}

func TestIsTerminal(t *testing.T) {
	for _, name := range []string{os.DevNull, "main.go"} {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		if isTerminal(f) {
			t.Errorf("%s is taken for a terminal", name)
		}
		f.Close()
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	defer w.Close()
	if isTerminal(w) {
		t.Error("a pipe is taken for a terminal")
	}
	if f, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0); err == nil {
		if !isTerminal(f) {
			t.Error("/dev/ptmx is not taken for a terminal")
		}
		f.Close()
	}
}
