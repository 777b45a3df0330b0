package filetest

import (
	"testing"

	"github.com/gyrvm/gyr/internal/release"
)

// TestFor: releases in a build constraint decide whether there is a filetest, and nothing else in it.
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
