package filetree

import (
	"path/filepath"
	"strings"
	"testing"
)

// TestReplacement asks a tree for names and types where files are replaced, added and removed.
func TestReplacement(t *testing.T) {
	dir := agedTree(t, map[string]string{"a.go": "a", "b.go": "b", "sub/c.go": "c", "gone/d.go": "d", "new.txt": "new"})
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	tr := Tree{Replaced: NewOverlay(map[string]string{
		at("a.go"): at("new.txt"), at("b.go"): "", at("deep/er/x.go"): at("new.txt"), at("gone"): "",
		at("sub"): at("new.txt"), at("y.go"): at("nosuch.txt"),
	})}
	for name, want := range map[string]string{"a.go": "new", "deep/er/x.go": "new", "sub": "new", "new.txt": "new"} {
		if data, err := tr.ReadFile(at(name), 100); err != nil || string(data) != want {
			t.Errorf("%s: %q, %v, want %q", name, data, err, want)
		}
		if !tr.IsFile(at(name)) {
			t.Errorf("%s is not a file", name)
		}
	}
	for _, name := range []string{"b.go", "gone", "gone/d.go", "sub/c.go", "y.go"} {
		if data, err := tr.ReadFile(at(name), 100); err == nil {
			t.Errorf("%s: %q", name, data)
		}
	}
	for dir, want := range map[string]string{".": "a.go deep/ new.txt sub y.go", "deep": "er/", "deep/er": "x.go", "gone": "none", "sub": "none"} {
		got := "none"
		if list, err := tr.ReadDir(at(dir)); err == nil {
			var names []string
			for _, e := range list {
				name := e.Name()
				if e.IsDir() {
					name += "/"
				}
				names = append(names, name)
			}
			got = strings.Join(names, " ")
		}
		if got != want {
			t.Errorf("%s: %s, want %s", dir, got, want)
		}
	}
	if !tr.IsDir(at("deep/er")) || tr.IsDir(at("sub")) || tr.IsDir(at("gone")) {
		t.Error("wrong directories")
	}
}
