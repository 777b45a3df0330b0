package load

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// write makes the files of a directory, by their names in it.
func write(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, text := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestPlan: Options.Plan gets the program's own packages before they are compiled, in the order of
// their dependencies, and the load ends with the error that it returns.
func TestPlan(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, map[string]string{
		"go.mod": "module example.com/m\n\ngo 1.26\n", "main.go": "package main\n\nimport _ \"example.com/m/lib\"\n\nfunc main() {}\n",
		"lib/lib.go": "package lib\n\nvar X = nosuch\n",
	})
	var paths []string
	_, err := Load(context.Background(), Options{Dir: dir, Plan: func(list []Step) error {
		for _, s := range list {
			paths = append(paths, s.Path)
		}
		return ErrPlanned
	}})
	if err != ErrPlanned {
		t.Errorf("error %v", err)
	}
	if want := []string{"example.com/m/lib", "example.com/m"}; !slices.Equal(paths, want) {
		t.Errorf("packages %q, want %q", paths, want)
	}
}

// TestIdentityOfSettings: no two settings that load different programs have the same identity.
func TestIdentityOfSettings(t *testing.T) {
	seen := map[string]bool{}
	for _, s := range []Settings{
		{}, {Mod: "mod"}, {ModFile: "mod"}, {TrimPath: true}, {Replace: map[string]string{"a": "b"}}, {Replace: map[string]string{"a": ""}},
		{Measured: []string{"a"}}, {Measured: []string{"a", "b"}},
		{Vars: map[string]string{"a": "b"}}, {Vars: map[string]string{"a": ""}},
	} {
		id := strings.Join(s.Identity(), "\x00")
		if seen[id] {
			t.Errorf("%+v has the identity of another", s)
		}
		seen[id] = true
	}
}
