//go:build unix

package hostfile

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"testing/fstest"
	"time"
)

// TestRead: only regular files up to the size are read, and nothing outside the root.
func TestRead(t *testing.T) {
	dir := t.TempDir()
	in, out := filepath.Join(dir, "in"), filepath.Join(dir, "out")
	for _, d := range []string{filepath.Join(in, "d"), out} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, text := range map[string]string{"in/a": "aaaa", "in/d/b": "bbbb", "out/c": "cccc"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for name, to := range map[string]string{
		"in/link": "d/b", "in/up": "../out/c", "in/outside": "../out", "in/absolute": filepath.Join(out, "c"), "in/zero": "/dev/zero",
		"in/round": "../in/a", "in/self": "self", "in/d/back": "../a", "in/none": "nothing",
	} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	if err := syscall.Mkfifo(filepath.Join(in, "fifo"), 0o600); err != nil {
		t.Fatal(err)
	}
	sparse, err := os.Create(filepath.Join(in, "sparse"))
	if err != nil || sparse.Truncate(20<<30) != nil {
		t.Fatal(err)
	}
	sparse.Close()
	any := errors.New("any")
	for _, c := range []struct {
		name       string
		text       string
		root, free error // with a root, and without
	}{
		{"a", "aaaa", nil, nil},
		{"d/b", "bbbb", nil, nil},
		{"link", "bbbb", nil, nil},
		{"d/back", "aaaa", nil, nil},
		{"up", "cccc", ErrEscapes, nil},
		{"outside/c", "cccc", ErrEscapes, nil},
		{"absolute", "cccc", ErrEscapes, nil},
		{"zero", "", ErrEscapes, ErrIrregular},
		{"round", "aaaa", ErrEscapes, nil}, // it returns, but has been outside
		{"../out/c", "cccc", ErrEscapes, nil},
		{"self", "", any, any},
		{"none", "", fs.ErrNotExist, fs.ErrNotExist},
		{"nothing", "", fs.ErrNotExist, fs.ErrNotExist},
		{"fifo", "", ErrIrregular, ErrIrregular},
		{"d", "", ErrIrregular, ErrIrregular},
		{"sparse", "", &SizeError{5}, &SizeError{5}},
	} {
		root := NewRoot(in)
		defer root.Close()
		check := func(how string, want error, read func() ([]byte, error)) {
			t.Helper()
			start := time.AfterFunc(time.Minute, func() { panic(how + " of " + c.name + " hangs") })
			defer start.Stop()
			data, err := read()
			var size *SizeError
			switch {
			case want == nil && (err != nil || string(data) != c.text):
				t.Errorf("%s of %s: %q, %v", how, c.name, data, err)
			case want == any && err == nil, want != nil && want != any && !errors.Is(err, want) && !(errors.As(err, &size) && errors.As(want, &size)):
				t.Errorf("%s of %s: %q, %v, want %v", how, c.name, data, err, want)
			}
		}
		name := filepath.Join(in, c.name)
		check("Root.Read", c.root, func() ([]byte, error) { return root.Read(name, 5) })
		check("Read", c.free, func() ([]byte, error) { return Read(name, 5) })
		if fs.ValidPath(c.name) {
			check("ReadFS", c.root, func() ([]byte, error) { return ReadFS(os.DirFS(in), c.name, 5) })
		}
	}
	if _, err := Read(filepath.Join(in, "a"), 4); err != nil {
		t.Errorf("as large as the limit: %v", err)
	}
	if _, err := Read(filepath.Join(in, "a"), 3); err == nil {
		t.Error("larger than the limit: no error")
	}
	if _, err := ReadOwn(filepath.Join(in, "link"), 5); err == nil {
		t.Error("ReadOwn follows a link")
	}
}

// liar is a file with more contents than its size says.
type liar struct{ fs.File }

func (l liar) Stat() (fs.FileInfo, error) {
	info, err := l.File.Stat()
	return liarInfo{info}, err
}

type liarInfo struct{ fs.FileInfo }

func (liarInfo) Size() int64 { return 0 }

// TestGrowing: the limit holds for files that are larger than their reported size.
func TestGrowing(t *testing.T) {
	m := fstest.MapFS{"a": {Data: make([]byte, 10000)}}
	for limit, ok := range map[int64]bool{9999: false, 10000: true} {
		f, err := m.Open("a")
		if err != nil {
			t.Fatal(err)
		}
		if data, err := read(liar{f}, limit); (err == nil) != ok || ok && len(data) != 10000 {
			t.Errorf("limit %d: %d bytes, %v", limit, len(data), err)
		}
	}
}
