package pebble_test

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/store"
	"github.com/gyrvm/gyr/store/pebble"
)

var kills = flag.Int("kills", 8, "how often TestKill kills a process")

// childDir names the database of a process that was started to be killed.
const childDir = "GYR_STORE_TEST_DIR"

func TestMain(m *testing.M) {
	if os.Getenv(childDir) != "" {
		flag.Parse()
		*kills = 0
	}
	os.Exit(m.Run())
}

// TestChild continues the history of a database for ever, in a process that was started for that,
// and reports on its standard output what it begins and what is done.
func TestChild(t *testing.T) {
	dir := os.Getenv(childDir)
	if dir == "" {
		t.Skip("it is what TestKill starts")
	}
	s := open(t, dir, nil)
	h := newHistory()
	h.to(t, latest(t, s))
	for {
		fmt.Printf("begin %d\n", h.seq+1)
		if err := h.step(t, s); err != nil {
			t.Fatal(err)
		}
		fmt.Printf("done %d\n", h.seq)
	}
}

// child starts such a process.
func child(t *testing.T, dir string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestChild$")
	cmd.Env = append(os.Environ(), childDir+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// TestKill kills a process that commits, at random moments and without warning. Everything that was
// committed exists, and nothing else.
func TestKill(t *testing.T) {
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(uint64(time.Now().UnixNano()), 1))
	var seq uint64
	for range *kills {
		cmd, out := child(t, dir)
		delay := time.Duration(rng.IntN(100_000)) * time.Microsecond
		var begun, done uint64
		// One in five is killed while it opens the database.
		timed := rng.IntN(5) == 0
		if timed {
			time.AfterFunc(delay, func() { cmd.Process.Kill() })
		}
		for out.Scan() {
			if !timed {
				timed = true
				time.AfterFunc(delay, func() { cmd.Process.Kill() })
			}
			fmt.Sscanf(out.Text(), "begin %d", &begun)
			fmt.Sscanf(out.Text(), "done %d", &done)
			if strings.Contains(out.Text(), "FAIL") {
				t.Error(out.Text())
			}
		}
		cmd.Wait()
		s := open(t, dir, nil)
		was := seq
		seq = verify(t, s, newHistory(), max(seq, done), max(seq, begun))
		t.Logf("killed after %v: from version %d to %d", delay, was, seq)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
}

// TestOpenedTwice: an open database cannot be opened again, under any name and from any process.
func TestOpenedTwice(t *testing.T) {
	dir := t.TempDir()
	link := filepath.Join(t.TempDir(), "link")
	if err := os.Symlink(dir, link); err != nil {
		t.Fatal(err)
	}
	inUse := func(dir string) {
		t.Helper()
		err := func() error { _, err := pebble.Open(dir, nil); return err }()
		if e := new(store.InUseError); !errors.As(err, &e) || e.Path != dir && dir != link {
			t.Errorf("%s: %v", dir, err)
		}
	}
	b, err := pebble.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	inUse(dir)
	inUse(link)
	if err := b.Close(); err != nil {
		t.Fatal(err)
	}
	if err := b.Close(); err != store.ErrClosed {
		t.Error(err)
	}
	cmd, out := child(t, dir)
	if !out.Scan() {
		t.Error("the other process says nothing")
	}
	inUse(dir)
	cmd.Process.Kill()
	cmd.Wait()
	s := open(t, dir, nil)
	verify(t, s, newHistory(), 0, 1<<32)
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(dir, "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := pebble.Open(file, nil); !errors.As(err, new(*store.BackendError)) {
		t.Error(err)
	}
}
