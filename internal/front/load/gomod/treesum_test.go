package gomod

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/sumdb/dirhash"
)

// keptSums is a TreeSums in memory.
type keptSums map[string][]byte

func (k keptSums) Recall(dir string) []byte     { return k[dir] }
func (k keptSums) Keep(dir string, data []byte) { k[dir] = data }

// TestTreeSums remembers the sum of a directory until one of its files changes.
func TestTreeSums(t *testing.T) {
	dir, prefix := t.TempDir(), "example.com/a@v1.0.0"
	old := time.Now().Add(-time.Hour)
	for name, text := range map[string]string{"go.mod": "module example.com/a\n", "a.go": "package a\n", "sub/sub.go": "package sub\n"} {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(file, old, old); err != nil {
			t.Fatal(err)
		}
	}
	d := &Module{Src: module.Version{Path: "example.com/a", Version: "v1.0.0"}, Dir: dir}
	kept := keptSums{}
	sum := func(now time.Time) string {
		t.Helper()
		s, err := d.treeSumAt(t.Context(), kept, now)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
	later := time.Now().Add(time.Hour) // files that were written just now have no stamps
	first := sum(later)
	if want, err := dirhash.HashDir(dir, prefix, dirhash.Hash1); err != nil || first != want {
		t.Errorf("sum %s, want %s, %v", first, want, err)
	}
	e := treeSums.m[d.Dir]
	e.sum = "remembered"
	treeSums.m[d.Dir] = e
	if got := sum(later); got != "remembered" {
		t.Errorf("computed again: %s", got)
	}
	if got := sum(time.Now()); got != first {
		t.Errorf("files that may change are trusted: %s", got)
	}
	// Another process has the kept sums.
	kept[d.Dir] = append(kept[d.Dir][:32:32], "kept"...)
	forget := func() { delete(treeSums.m, d.Dir) }
	if forget(); sum(later) != "kept" {
		t.Error("what was kept is not used")
	}
	for _, damaged := range []string{"", "x", string(kept[d.Dir][:31]), strings.Repeat("x", 99)} {
		kept[d.Dir] = []byte(damaged)
		if forget(); sum(later) != first {
			t.Errorf("what was kept is %q, and it is used", damaged)
		}
	}
	if err := os.WriteFile(filepath.Join(dir, "new.txt"), nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if got := sum(later); got == "remembered" || got == first {
		t.Errorf("a new file is not noticed: %s", got)
	}
}
