package filetest

import (
	"testing"

	"github.com/gyrvm/gyr/internal/release"
)

// TestFor: only the releases in a build constraint decide whether a filetest exists.
func TestFor(t *testing.T) {
	for text, want := range map[string][2]bool{ // under go1.26, go1.27
		"package main\n":                                            {true, true},
		"//go:build ignore\n\npackage main\n":                       {true, true},
		"//go:build go1.27\n\npackage main\n":                       {false, true},
		"//go:build !go1.27\n\npackage main\n":                      {true, false},
		"// words\n\n//go:build go1.27 && ignore\n\npackage main\n": {false, true},
		"//go:build !(go1.27 || linux)\n\npackage main\n":           {true, false},
		"//go:build !ignore\n\npackage main\n":                      {true, true},
		"//go:build go1.26.3\n\npackage main\n":                     {true, true},
		"package main\n\n//go:build go1.27\n":                       {true, true},
		"//go:build (\n\npackage main\n":                            {true, true},
	} {
		archive := "-- p/p.go --\n//go:build go1.99\n\npackage p\n-- main.go --\n" + text
		for i, minor := range []int{26, 27} {
			r := release.OfMinor(minor)
			if got := For(r, "a_filetest.go", []byte(text)); got != want[i] {
				t.Errorf("%s %q: %v", r.Name(), text, got)
			}
			if got := For(r, "a_filetest.txtar", []byte(archive)); got != want[i] {
				t.Errorf("%s, an archive with %q: %v", r.Name(), text, got)
			}
		}
		if !For(nil, "a_filetest.go", []byte(text)) {
			t.Errorf("no release, %q: left out", text)
		}
	}
}

// TestFigures: a figure may name the first release that it is for.
func TestFigures(t *testing.T) {
	const code = "package main\n\nfunc main() {}\n\n"
	f, err := Parse("a_filetest.go", []byte(code+"// Gas go1.28: 3\n// Gas: 1\n// Gas go1.27: 2\n// Allocs go1.27:\n"))
	if err != nil {
		t.Fatal(err)
	}
	for minor, want := range map[int]string{26: "Gas", 27: "Gas go1.27", 28: "Gas go1.28", 30: "Gas go1.28"} {
		if d := f.figure("Gas", &release.Release{Minor: minor}); d == nil || d.Name() != want {
			t.Errorf("go1.%d: %v, want %s", minor, d, want)
		}
	}
	if d := f.figure("Allocs", &release.Release{Minor: 26}); d != nil {
		t.Errorf("go1.26 has the figure of go1.27: %v", d)
	}
	d := f.figure("Allocs", &release.Release{Minor: 27})
	if d == nil || !d.empty {
		t.Fatalf("no figure of go1.27: %v", d)
	}
	const want = code + "// Gas go1.28: 3\n// Gas: 1\n// Gas go1.27: 2\n// Allocs go1.27: 7\n"
	if got := f.rewrite([]change{{d, d.kind, d.Arg, "7"}}); string(got) != want {
		t.Errorf("rewritten:\n%s", got)
	}
	for text, want := range map[string]string{
		"// Gas go1.27: 1\n// Gas go1.27: 2\n": "line 6: second Gas go1.27; the first is in line 5",
		"// Gas main.main: 1\n":                "line 5: Gas: main.main is no release, as in // Gas go1.27:",
		"// ExitCode go1.27: 1\n":              "line 5: directive ExitCode: a colon is missing behind the name",
	} {
		if _, err := Parse("a_filetest.go", []byte(code+text)); err == nil || err.Error() != want {
			t.Errorf("%q: %v, want %s", text, err, want)
		}
	}
}
