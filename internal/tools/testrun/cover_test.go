package testrun

import (
	"bytes"
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var coverStd = flag.Bool("coverstd", false, "compare the coverage of packages of the standard library with go test's")

// goCover runs go test and returns what it printed and the profile.
func goCover(t *testing.T, dir string, args ...string) (out, profile string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "cover.out")
	cmd := exec.Command("go", append([]string{"test", "-vet=off", "-count=1", "-coverprofile=" + file}, args...)...)
	cmd.Dir = dir
	b, err := cmd.Output()
	if err != nil && len(b) == 0 {
		t.Fatal(err)
	}
	p, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return string(b), string(p)
}

var (
	seconds    = regexp.MustCompile(`\d+\.\d+s\b|\(cached\)`)
	goroutines = regexp.MustCompile(`(?s)\ngoroutine .*?\nFAIL`)
)

// TestCover compares output and profiles with those of go test, line for line.
func TestCover(t *testing.T) {
	dir := moduleOf(t, "testdata/cover.txtar")
	for _, args := range [][]string{
		{"./..."},
		{"-covermode=count", "-coverpkg=./...", "./shapes", "./outside", "./untested"},
		{"-coverpkg=example.com/cover/nothing", "./outside"},
	} {
		t.Run(strings.Join(args, " "), func(t *testing.T) {
			want, wantProfile := goCover(t, dir, args...)
			cover := &Cover{Mode: "set"}
			var patterns []string
			for _, a := range args {
				if m, ok := strings.CutPrefix(a, "-covermode="); ok {
					cover.Mode = m
				} else if p, ok := strings.CutPrefix(a, "-coverpkg="); ok {
					cover.Packages = strings.Split(p, ",")
				} else {
					patterns = append(patterns, a)
				}
			}
			o, out, _ := options(t, dir, patterns...)
			var profile bytes.Buffer
			cover.Profile, o.Cover = &profile, cover
			if _, err := Run(context.Background(), o); err != nil {
				t.Fatal(err)
			}
			plain := func(s string) string {
				s = seconds.ReplaceAllString(s, "T")
				s = goroutines.ReplaceAllString(s, "\nFAIL")
				return strings.TrimSuffix(strings.TrimSuffix(s, "\n"), "\nFAIL")
			}
			if got, want := plain(out.String()), plain(want); got != want {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
			compareLines(t, profile.String(), wantProfile)
		})
	}
}

// TestCoverStd compares the coverage of packages whose tests do the same on every machine: packages
// without architecture-specific sources.
func TestCoverStd(t *testing.T) {
	list := []string{"path"}
	if *coverStd {
		list = []string{
			"bufio", "container/heap", "container/list", "container/ring", "encoding/csv", "encoding/hex", "encoding/pem",
			"go/scanner", "html", "path", "sort", "text/scanner", "text/tabwriter", "unicode/utf8",
		}
	}
	for _, path := range list {
		t.Run(path, func(t *testing.T) {
			_, want := goCover(t, "", path)
			o, out, _ := options(t, "", path)
			var profile bytes.Buffer
			o.Cover = &Cover{Mode: "set", Profile: &profile}
			sum, err := Run(context.Background(), o)
			if err != nil || !sum.OK() {
				t.Fatal(err, out)
			}
			compareLines(t, profile.String(), want)
		})
	}
}

// compareLines reports the lines that differ and ignores their order: go prints its packages in the
// order in which they end.
func compareLines(t *testing.T, got, want string) {
	t.Helper()
	g, w := strings.Split(strings.TrimSuffix(got, "\n"), "\n"), strings.Split(strings.TrimSuffix(want, "\n"), "\n")
	slices.Sort(g[1:])
	slices.Sort(w[1:])
	for i := range max(len(g), len(w)) {
		x, y := "", ""
		if i < len(g) {
			x = g[i]
		}
		if i < len(w) {
			y = w[i]
		}
		if x != y {
			t.Errorf("line %d:\ngot  %s\nwant %s", i+1, x, y)
		}
	}
}
