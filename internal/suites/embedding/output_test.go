package embedding_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/gyrvm/gyr"
)

// floodMain writes in every way that a program has.
const floodMain = `package main

import (
	"fmt"
	"io"
	"os"
	"time"
)

func main() {
	switch os.Args[1] {
	case "print":
		for i := 0; ; i++ {
			fmt.Println("line", i) // the flood
		}
	case "println":
		for {
			println("by the runtime") // the flood
		}
	case "copy":
		io.Copy(os.Stdout, endless{}) // the flood
	case "panic":
		panic(string(make([]byte, 1000)))
	case "fits":
		fmt.Print(string(make([]byte, 300)))
		fmt.Fprint(os.Stderr, string(make([]byte, 700)))
	case "sleep":
		for i := range 3 {
			fmt.Println("out", i)
			fmt.Fprintln(os.Stderr, "err", time.Now().Format(time.RFC3339Nano))
			time.Sleep(time.Second)
		}
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }
`

var bothTiers = []gyr.Tier{gyr.TierInterp, gyr.DefaultTier}

// TestOutputLimit: a run ends when it has written as much as Config.Output allows, with the
// position of the program's own function that writes, after the same gas in both tiers. A Reset
// allows the same amount again.
func TestOutputLimit(t *testing.T) {
	p := compileText(t, floodMain)
	line := 0
	for i, text := range strings.Split(floodMain, "\n") {
		if strings.Contains(text, "fmt.Println(\"line\"") {
			line = i + 1
		}
	}
	for _, c := range []struct {
		how  string
		line int // 0: no OutputLimitError
		exit int
	}{{"print", line, 0}, {"println", line + 4, 0}, {"copy", line + 7, 0}, {"panic", 0, 2}, {"fits", 0, 0}} {
		var gas []int64
		for _, tier := range bothTiers {
			var out, errs strings.Builder
			in := newInstance(t, p, gyr.Config{})
			for range 2 {
				out.Reset()
				errs.Reset()
				cfg := gyr.Config{Args: []string{c.how}, Stdout: &out, Stderr: &errs, Output: 1000, Gas: 1_000_000_000, Tier: tier}
				if err := in.Reset(cfg); err != nil {
					t.Fatal(err)
				}
				err := in.Run(t.Context())
				var limit *gyr.OutputLimitError
				var exit *gyr.ExitError
				switch {
				case c.line > 0:
					if !errors.As(err, &limit) || limit.Limit != 1000 || limit.Line != c.line || limit.Func != "main.main" {
						t.Errorf("%s: %+v", c.how, err)
					}
				case c.exit > 0:
					if !errors.As(err, &exit) || exit.Code != c.exit {
						t.Errorf("%s: %v", c.how, err)
					}
				case err != nil:
					t.Errorf("%s: %v", c.how, err)
				}
				if n := out.Len() + errs.Len(); n != 1000 {
					t.Errorf("%s: %d bytes of output", c.how, n)
				}
				gas = append(gas, in.Stats().Gas)
			}
		}
		for _, g := range gas {
			if g != gas[0] {
				t.Errorf("%s: gas %d", c.how, gas)
				break
			}
		}
	}
}

// A recorder notes each write with its time.
type recorder struct{ list []string }

func (r *recorder) Write(p []byte) (int, error) { return 0, errors.New("Write instead of WriteTimed") }

func (r *recorder) WriteTimed(p []byte, at time.Time) (int, error) {
	r.list = append(r.list, at.Format(time.RFC3339Nano)+" "+string(p))
	return len(p), nil
}

// TestTimedWriter: a Writer gets the time of the guest's clock, the same in both tiers.
func TestTimedWriter(t *testing.T) {
	p := compileText(t, floodMain)
	var first []string
	for _, tier := range bothTiers {
		w := &recorder{}
		in := newInstance(t, p, gyr.Config{Args: []string{"sleep"}, Stdout: w, Stderr: w, Tier: tier})
		if err := in.Run(t.Context()); err != nil {
			t.Fatal(err)
		}
		if first == nil {
			first = w.list
		}
		if fmt.Sprint(w.list) != fmt.Sprint(first) || len(w.list) != 6 {
			t.Errorf("%q, in the other tier %q", w.list, first)
		}
		for i, text := range w.list {
			at, text, _ := strings.Cut(text, " ")
			when, err := time.Parse(time.RFC3339Nano, at)
			if err != nil {
				t.Fatal(err)
			}
			if want := fmt.Sprintf("2026-01-01T00:00:%02d", i/2); !strings.HasPrefix(at, want) {
				t.Errorf("write %d at %s", i, at)
			}
			if seen, ok := strings.CutPrefix(text, "err "); ok {
				told, err := time.Parse(time.RFC3339Nano, strings.TrimSpace(seen))
				if err != nil || when.Before(told) || when.Sub(told) > time.Millisecond {
					t.Errorf("written at %s what the guest did at %s", at, seen)
				}
			}
		}
	}
}

// TestProgress: Compile reports its stages, and the number of packages to check.
func TestProgress(t *testing.T) {
	file := func(text string) *fstest.MapFile { return &fstest.MapFile{Data: []byte(text)} }
	src := gyr.Source{FS: fstest.MapFS{
		"go.mod":  file("module example.com/m\ngo 1.26\n"),
		"main.go": file("package main\nimport (\"example.com/m/a\"; \"example.com/m/b\")\nfunc main() { a.F(); b.F() }\n"),
		"a/a.go":  file("package a\nfunc F() {}\n"),
		"b/b.go":  file("package b\nfunc F() {}\n"),
	}}
	var list []string
	tell := func(p gyr.Progress) {
		if !strings.Contains(p.Stage, "standard library") { // another test may have compiled it already
			list = append(list, p.String())
		}
	}
	if _, err := gyr.Compile(t.Context(), src, &gyr.CompileOptions{Progress: tell}); err != nil {
		t.Fatal(err)
	}
	want := "loading; loading, 0 of 3 packages; loading, 1 of 3 packages; loading, 2 of 3 packages; loading, 3 of 3 packages; " +
		"lowering; placing gas; optimising"
	if got := strings.Join(list, "; "); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
}
