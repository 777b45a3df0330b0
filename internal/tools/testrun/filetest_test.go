package testrun

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// filetests writes a module with n filetests in each of two packages. Every fifth fails.
func filetests(t *testing.T, n int) string {
	t.Helper()
	dir := t.TempDir()
	write := func(name, text string) {
		name = filepath.Join(dir, name)
		os.MkdirAll(filepath.Dir(name), 0o777)
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("go.mod", "module m\n\ngo 1.26\n")
	for _, pkg := range []string{"a", "b"} {
		for i := range n {
			want := i
			if i%5 == 4 {
				want = -1
			}
			write(fmt.Sprintf("%s/f%d_filetest.go", pkg, i), fmt.Sprintf("package main\n\nfunc main() { println(%d) }\n\n// Stderr:\n// %d\n", i, want))
		}
	}
	return dir
}

// TestFiletestsOfReleases: a filetest for other releases of Go does not run.
func TestFiletestsOfReleases(t *testing.T) {
	dir := filetests(t, 1)
	for tag, name := range map[string]string{"go1.99": "future", "!go1.99": "present"} {
		text := "//go:build ignore && " + tag + "\n\npackage main\n\nfunc main() { undefined() }\n\n// CompileError:\n// " + name + "_filetest.go:5:15: undefined: undefined\n"
		if err := os.WriteFile(filepath.Join(dir, "a", name+"_filetest.go"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, list := range []bool{false, true} {
		o, out, errs := options(t, dir, "./a")
		o.Verbose, o.List = !list, list
		if list {
			o.Flags = []string{"-test.list=."}
		}
		sum, err := Run(context.Background(), o)
		if s := out.String(); err != nil || !sum.OK() || strings.Contains(s, "future") || !strings.Contains(s, "present_filetest.go") {
			t.Errorf("%+v, %v\n%s%s", sum, err, s, errs)
		}
	}
}

// TestFiletests: output, report and rewritten files are the same with any number of jobs.
func TestFiletests(t *testing.T) {
	const n = 6
	dir := filetests(t, n)
	var first, firstUsed string
	for _, jobs := range []int{1, 2, 8} {
		o, out, errs := options(t, dir, "./...")
		o.Jobs, o.Verbose = jobs, true
		sum, err := Run(context.Background(), o)
		if err != nil || sum.Failed != 2 || errs.Len() > 0 {
			t.Errorf("-jobs %d: %+v, %v, %s", jobs, sum, err, errs)
		}
		var used bytes.Buffer
		sum.Report.WriteText(&used)
		s := plain(out.String())
		if jobs == 1 {
			first, firstUsed = s, used.String()
		}
		if s != first || used.String() != firstUsed {
			t.Errorf("-jobs %d:\n%s%s\nwith one:\n%s%s", jobs, s, &used, first, firstUsed)
		}
	}
	for i := range n {
		if name := fmt.Sprintf("f%d_filetest.go (Xs)\n", i); strings.Count(first, name) != 2 {
			t.Errorf("no %s in:\n%s", name, first)
		}
	}
	if !strings.Contains(firstUsed, "m/b.f3_filetest.go\n") || strings.Count(first, "--- FAIL") != 2 {
		t.Errorf("got:\n%s%s", first, firstUsed)
	}

	o, out, _ := options(t, dir, "./...")
	o.Jobs, o.FailFast = 8, true
	if sum, err := Run(context.Background(), o); err != nil || sum.Failed != 1 || sum.Passed != 0 || strings.Count(out.String(), "--- FAIL") != 1 || strings.Contains(out.String(), "m/b") {
		t.Errorf("-failfast: %+v, %v\n%s", sum, err, out)
	}

	o, out, _ = options(t, dir, "./...")
	o.Jobs, o.Update = 8, true
	if sum, err := Run(context.Background(), o); err != nil || !sum.OK() {
		t.Errorf("-update: %+v, %v\n%s", sum, err, out)
	}
	for i := range n {
		data, err := os.ReadFile(filepath.Join(dir, "b", fmt.Sprintf("f%d_filetest.go", i)))
		if err != nil || !strings.HasSuffix(string(data), fmt.Sprintf("\n\n// Stderr:\n// %d\n", i)) {
			t.Errorf("%v\n%s", err, data)
		}
	}
	if list, _ := filepath.Glob(filepath.Join(dir, "*", ".*")); list != nil {
		t.Errorf("left behind: %v", list)
	}
}

// TestFiletestsInterrupted: filetests that have not begun do not begin, and known results are
// printed.
func TestFiletestsInterrupted(t *testing.T) {
	dir := filetests(t, 2)
	name := filepath.Join(dir, "a", "f0_filetest.go")
	if err := os.WriteFile(name, []byte("package main\n\nfunc main() {\n\tfor {\n\t}\n}\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	o, out, _ := options(t, dir, "./a", "./b")
	o.Jobs = 2
	o.Progress = func(p Progress) {
		if p.Done > 0 {
			cancel() // ./b is done
		}
	}
	sum, err := Run(ctx, o)
	if err != nil || sum.Failed == 0 || !strings.Contains(out.String(), "*** Test interrupted.\nFAIL\nFAIL\tm/a\t") {
		t.Errorf("%+v, %v\n%s", sum, err, out)
	}
}

// TestPatterns: patterns are split into elements and alternatives as package testing splits them.
func TestPatterns(t *testing.T) {
	for _, test := range []struct {
		flags []string
		name  string
		want  bool
	}{
		{nil, "a_filetest.go", true},
		{[]string{"-test.run=^a_"}, "a_filetest.go", true},
		{[]string{"-test.run=^b_"}, "a_filetest.go", false},
		{[]string{"-test.run=^b_|a_/x"}, "a_filetest.go", true},
		{[]string{"-test.run=(b|a)_file"}, "a_filetest.go", true},
		{[]string{"-test.run=[|/a]_f"}, "a_filetest.go", true},
		{[]string{`-test.run=\|`}, "a_filetest.go", false},
		{[]string{"-test.skip=a_"}, "a_filetest.go", false},
		{[]string{"-test.skip=a_/x"}, "a_filetest.go", true},
		{[]string{"-test.list=z"}, "a_filetest.go", false},
	} {
		f, err := newFilter(&Options{Flags: test.flags})
		if err != nil {
			t.Fatal(err)
		}
		if got := f(test.name); got != test.want {
			t.Errorf("%v: %s: %v", test.flags, test.name, got)
		}
	}
	if _, err := newFilter(&Options{Flags: []string{"-test.skip=("}}); err == nil {
		t.Error("a regular expression that is none is taken")
	}
}
