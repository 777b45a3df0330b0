package embedding_test

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/gyrvm/gyr"
)

const worldProgram = `package main

import (
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

func main() {
	for _, dir := range os.Args[1:] {
		filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
			if err != nil {
				fmt.Println(err)
				return nil
			}
			fi, err := d.Info()
			fmt.Println(p, fi.Mode(), fi.Size(), fi.ModTime().UTC(), err)
			if !d.IsDir() && d.Type()&fs.ModeDevice == 0 {
				b, err := os.ReadFile(p)
				fmt.Printf("%q %v\n", b, err)
				fmt.Println(os.WriteFile(p, []byte("mine"), 0o666))
			}
			return nil
		})
	}
	f, err := os.CreateTemp("", "world")
	fmt.Println(f.Name(), err)
	for i := range 50 {
		fmt.Fprintln(f, i, make([]byte, 1000))
		os.Mkdir(fmt.Sprint("/home/", i), 0o777)
	}
	f.Seek(100, io.SeekStart)
	b, err := io.ReadAll(f)
	fmt.Println(len(b), err)
	random := make([]byte, 5)
	r, err := os.Open("/dev/urandom")
	fmt.Println(err)
	io.ReadFull(r, random)
	fmt.Println(random, os.Getpid(), os.Environ())
	pr, pw, err := os.Pipe()
	go func() { fmt.Fprint(pw, "through a pipe"); pw.Close() }()
	b, err = io.ReadAll(pr)
	fmt.Printf("%q %v\n", b, err)
	list, err := os.ReadDir("/home")
	fmt.Println(len(list), err)
}
`

// TestWorld runs a program that lists, reads and fills the files that every guest has and those
// that Mounts add: the same output, gas and memory each time and in both tiers.
func TestWorld(t *testing.T) {
	p := compileText(t, worldProgram)
	data := fstest.MapFS{"a": {Data: []byte("of the host")}, "d/l": {Data: []byte("../a"), Mode: fs.ModeSymlink}}
	type figures struct {
		out          string
		gas          int64
		bytes, peaks uint64
	}
	run := func(tier gyr.Tier, memory uint64) (f figures, err error) {
		var out bytes.Buffer
		in, err := p.NewInstance(context.Background(), gyr.Config{Tier: tier, Args: []string{"/", "/in", "/out"}, Stdout: &out, Stderr: &out, Memory: memory,
			Mounts: []gyr.Mount{{Guest: "/in", FS: data}, {Guest: "/out", FS: data, Write: true}, {Guest: "/tmp/mine/e", Write: true}}})
		if err != nil {
			t.Fatal(err)
		}
		defer in.Close()
		err = in.Run(context.Background())
		s := in.Stats()
		return figures{out.String(), s.Gas, s.AllocBytes, s.HeapPeak}, err
	}
	first, err := run(gyr.TierInterp, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"/tmp dtrwxrwxrwx", "/tmp/mine/e drwxr-xr-x", "/in dr-xr-xr-x", "/in/a -r--r--r-- 11", "/out/a -rw-r--r-- 11", `"of the host" <nil>` + "\nopen /in/a: read-only file system", `"through a pipe"`,
		"\n50 <nil>\n", `/out/d/l Lrwxrwxrwx 4`, `"mine" <nil>`} {
		if !strings.Contains(first.out, want) {
			t.Errorf("no %q in\n%s", want, first.out)
		}
	}
	tiers := []gyr.Tier{gyr.TierInterp}
	if gyr.CheckNative() == nil {
		tiers = append(tiers, gyr.TierNative, gyr.TierNative)
	}
	for _, tier := range tiers {
		if again, err := run(tier, 0); err != nil || again != first {
			t.Errorf("%s: %v\n%+v\nnot\n%+v", tier, err, again, first)
		}
	}
	if string(data["a"].Data) != "of the host" {
		t.Error("the host's file has changed")
	}
	// At the memory limit it gets the usual error, at the same place.
	for limit := uint64(1 << 20); limit < 1<<21; limit += 1 << 18 {
		a, errA := run(tiers[0], limit)
		b, errB := run(tiers[len(tiers)-1], limit)
		if a != b || (errA == nil) != (errB == nil) || errA != nil && !errors.As(errA, new(*gyr.MemoryLimitError)) {
			t.Errorf("limit %d: %v and %v, %+v and %+v", limit, errA, errB, a, b)
		}
	}
}

// TestMountErrors: invalid configurations, and a file system that panics.
func TestMountErrors(t *testing.T) {
	p := compileText(t, worldProgram)
	_, err := p.NewInstance(context.Background(), gyr.Config{Mounts: []gyr.Mount{{Guest: "/a"}, {Guest: "/a/b"}}})
	var refused *gyr.ConfigError
	if !errors.As(err, &refused) || refused.Field != "Mounts[1]" || !strings.Contains(err.Error(), "Mounts[0] (/a) and Mounts[1] (/a/b)") {
		t.Errorf("two that overlap: %v", err)
	}
	in, err := p.NewInstance(context.Background(), gyr.Config{Args: []string{"/in"}, Mounts: []gyr.Mount{{Guest: "/in", FS: panicFS{}}}})
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	var host *gyr.HostError
	var panicked *gyr.HostPanicError
	if err := in.Run(context.Background()); !errors.As(err, &host) || !errors.As(err, &panicked) || !strings.Contains(err.Error(), "Mounts[0]") {
		t.Errorf("a file system that panics: %v", err)
	}
}

type panicFS struct{}

func (panicFS) Open(string) (fs.File, error) { panic("ouch") }
