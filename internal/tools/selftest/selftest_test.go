package selftest

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/engine"
)

// TestMain also runs the children of TestRun: what they do and the file that counts them are arguments.
func TestMain(m *testing.M) {
	if len(os.Args) == 4 && os.Args[1] == "child" {
		os.Exit(child(os.Args[2], os.Args[3]))
	}
	os.Exit(m.Run())
}

func child(does, count string) int {
	f, err := os.OpenFile(count, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.WriteString("x")
	}
	switch does {
	case "test":
		err = errors.Join(err, Child(context.Background(), compile))
	case "crash":
		panic("machine code has crashed")
	case "hang":
		time.Sleep(time.Hour)
	case "differ":
		err = errors.Join(err, (&outcome{output: "a"}).differs(&outcome{output: "b"}))
	case "nothing":
		fmt.Fprintln(os.Stderr, ErrUntested)
		return Untested
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

func compile(file string) (*engine.Program, error) {
	return engine.Compile(context.Background(), engine.Source{Patterns: []string{file}, NoBase: true})
}

func TestRun(t *testing.T) {
	if err := engine.CheckNative(); err != nil {
		t.Skip(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	closed := filepath.Join(t.TempDir(), "closed")
	if err := os.WriteFile(closed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, does, cache, want string
		runs                    int // of the child, for two starts
	}{
		{"passes", "test", "cache", "", 1},
		{"crashes", "crash", "cache", "exit status 2: panic: machine code has crashed", 1},
		{"hangs", "hang", "cache", "timeout", 1},
		{"differs", "differ", "cache", `machine code prints "a", the interpreter "b"`, 1},
		{"is not tested", "nothing", "cache", "its test did not run: the guest does not compile", 2},
		{"has no cache", "test", "", "", 2},
		{"has a file as cache", "test", closed, "", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			dir := t.TempDir()
			count, cache := filepath.Join(dir, "count"), c.cache
			if cache == "cache" {
				cache = filepath.Join(dir, "cache")
			}
			for range 2 {
				test := Test{Command: []string{exe, "child", c.does, count}, Timeout: time.Minute, Cache: cache}
				if c.does == "hang" {
					test.Timeout = 300 * time.Millisecond
				}
				if err := test.Run(t.Context()); (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
					t.Errorf("%v, want %q", err, c.want)
				}
			}
			if runs, _ := os.ReadFile(count); len(runs) != c.runs {
				t.Errorf("%d children for two starts, want %d", len(runs), c.runs)
			}
		})
	}
}

// A damaged result is none, and a user who stops the command leaves none.
func TestNoResult(t *testing.T) {
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	count := filepath.Join(dir, "count")
	test := Test{Command: []string{exe, "child", "hang", count}, Timeout: time.Hour, Cache: filepath.Join(dir, "cache")}
	ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
	defer cancel()
	if err := test.Run(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Fatal(err)
	}
	test.Command[2] = ""
	for range 2 {
		if err := test.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		entries, _ := filepath.Glob(filepath.Join(test.Cache, "*.entry"))
		if len(entries) != 1 {
			t.Fatal(entries)
		}
		if err := os.WriteFile(entries[0], []byte("damaged"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if runs, _ := os.ReadFile(count); len(runs) != 3 {
		t.Errorf("%d children, want 3", len(runs))
	}
}
