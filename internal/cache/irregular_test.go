//go:build unix

package cache

import (
	"os"
	"path/filepath"
	"sync"
	"syscall"
	"testing"
	"time"
)

// TestIrregular checks that a name in the directory does not count as an entry unless it is a
// regular file with the size of an entry.
func TestIrregular(t *testing.T) {
	traps := map[string]func(file string) error{
		"FIFO":              func(file string) error { return syscall.Mkfifo(file, 0o600) },
		"link to a device":  func(file string) error { return os.Symlink("/dev/zero", file) },
		"link to an entry":  func(file string) error { return os.Symlink(filepath.Base(file)+".real", file) },
		"directory":         func(file string) error { return os.Mkdir(file, 0o700) },
		"file of 30 GB":     func(file string) error { os.WriteFile(file, nil, 0o600); return os.Truncate(file, 30<<30) },
		"link to nowhere":   func(file string) error { return os.Symlink("nowhere", file) },
		"link to itself":    func(file string) error { return os.Symlink(filepath.Base(file), file) },
		"file without text": func(file string) error { return os.WriteFile(file, nil, 0o600) },
	}
	for what, make := range traps {
		t.Run(what, func(t *testing.T) {
			hang := time.AfterFunc(time.Minute, func() { panic("reading a " + what + " hangs") })
			defer hang.Stop()
			d := openTest(t)
			if err := d.Put(name(1), contents(1)); err != nil {
				t.Fatal(err)
			}
			file := d.file(name(1))
			if err := os.Rename(file, file+".real"); err != nil {
				t.Fatal(err)
			}
			if err := make(file); err != nil {
				t.Fatal(err)
			}
			if b, _ := d.Get(name(1)); b != nil {
				t.Errorf("%d bytes were read", len(b))
			}
			// The key must be as private as the entries that it authenticates.
			key := filepath.Join(d.path, keyFile)
			if err := os.Remove(key); err != nil {
				t.Fatal(err)
			}
			if err := make(key); err != nil {
				t.Fatal(err)
			}
			if _, err := Open(d.path); err == nil {
				t.Error("it was taken for the key")
			}
		})
	}
}

// TestCleanMeanwhile checks that cleaning up causes no error for processes that open the cache and
// store entries.
func TestCleanMeanwhile(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	stop := make(chan struct{})
	var cleaner, users sync.WaitGroup
	cleaner.Go(func() {
		for {
			select {
			case <-stop:
				return
			default:
				if _, err := Clean(dir); err != nil {
					t.Errorf("clean: %v", err)
				}
			}
		}
	})
	for i := range 4 {
		users.Go(func() {
			for range 50 {
				d, err := Open(dir)
				if err != nil {
					t.Errorf("open: %v", err)
					continue
				}
				if err := d.Put(name(i), contents(i)[:100]); err != nil {
					t.Errorf("put: %v", err)
				}
				if _, err := d.Get(name(i)); err != nil {
					t.Errorf("get: %v", err)
				}
			}
		})
	}
	users.Wait()
	close(stop)
	cleaner.Wait()
}
