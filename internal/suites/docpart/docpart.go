// Package docpart lets a test check that a part of a docs page is what a package generates, and
// lets go generate write that part.
package docpart

import (
	"os"
	"strings"
	"testing"
)

// Check compares the part of a file between the lines
//
//	<!-- NAME: written by go generate PKG -->
//	<!-- end of NAME -->
//
// with want, which includes an empty line at the end of the part if there is one. With update it
// writes the part instead.
func Check(t *testing.T, file, name, pkg, want string, update bool) {
	t.Helper()
	begin := "<!-- " + name + ": written by go generate " + pkg + " -->\n"
	end := "<!-- end of " + name + " -->\n"
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	}
	whole := head + begin + "\n" + want + end + tail
	switch {
	case whole == string(text):
	case update:
		if err := os.WriteFile(file, []byte(whole), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the %s in %s are not those of the package: go generate %s", name, file, pkg)
	}
}
