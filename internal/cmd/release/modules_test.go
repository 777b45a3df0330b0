package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/engine"
)

// TestModules: the modules of the repository could be released as they are. Everything but the date
// holds at any time.
func TestModules(t *testing.T) {
	root := filepath.Join("..", "..", "..")
	if err := checkModules(root, "v"+engine.Version); err != nil {
		t.Error(err)
	}
	changelog, err := os.ReadFile(filepath.Join(root, "CHANGELOG.md"))
	if err != nil {
		t.Fatal(err)
	}
	if err := checkChangelog(changelog, "v"+engine.Version, false); err != nil {
		t.Error(err)
	}
}

// TestUnfitModules: what prevents a release of a tree is named with its place.
func TestUnfitModules(t *testing.T) {
	const (
		root   = "-- go.mod --\nmodule github.com/gyrvm/gyr\n"
		others = "-- chain/go.mod --\nmodule github.com/gyrvm/gyr/chain\n-- programs/real/go.mod --\nmodule github.com/gyrvm/gyr/programs/real\n-- scale/go.mod --\nmodule github.com/gyrvm/gyr/scale\n-- otel/go.mod --\nmodule github.com/gyrvm/gyr/otel\n-- prometheus/go.mod --\nmodule github.com/gyrvm/gyr/prometheus\n" +
			"-- stream/go.mod --\nmodule github.com/gyrvm/gyr/stream\n"
		pebble = others + "-- store/pebble/go.mod --\nmodule github.com/gyrvm/gyr/store/pebble\n\nrequire github.com/gyrvm/gyr v1.2.3\n"
		peers  = "-- peers/go.mod --\nmodule github.com/gyrvm/gyr/peers\n\nreplace github.com/gyrvm/gyr => ../\n"
	)
	for _, c := range []struct{ name, tree, want string }{
		{"fit", root + pebble + peers + "-- x/testdata/go.mod --\nmodule x\n", ""},
		{"replaced", root + pebble + "replace github.com/gyrvm/gyr => ../..\n" + peers, "store/pebble/go.mod:4: github.com/gyrvm/gyr is replaced"},
		{"excluded", root + "exclude example.com/x v1.0.0\n" + pebble + peers, "go.mod:2: example.com/x@v1.0.0 is excluded"},
		{"another version", root + strings.Replace(pebble, "v1.2.3", "v1.2.2", 1) + peers, "store/pebble/go.mod:3: requires github.com/gyrvm/gyr@v1.2.2, want v1.2.3"},
		{"not published", root + "require github.com/gyrvm/gyr/peers v1.2.3\n" + pebble + peers, "go.mod:2: requires github.com/gyrvm/gyr/peers, which is not published"},
		{"on no list", root + pebble + peers + "-- examples/new/go.mod --\nmodule new\n", "examples/new/go.mod: is this module published or not?"},
		{"another path", root + strings.Replace(pebble, "store/pebble\n", "pebble\n", 1) + peers, "store/pebble/go.mod: want module github.com/gyrvm/gyr/store/pebble"},
		{"gone", root + pebble, "peers/go.mod: there is no such module"},
	} {
		dir := t.TempDir()
		for _, f := range txtar.Parse([]byte(c.tree)).Files {
			name := filepath.Join(dir, f.Name)
			if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, f.Data, 0o666); err != nil {
				t.Fatal(err)
			}
		}
		switch err := checkModules(dir, "v1.2.3"); {
		case c.want == "" && err != nil, c.want != "" && (err == nil || !strings.HasPrefix(err.Error(), c.want) || strings.Contains(err.Error(), "\n")):
			t.Errorf("%s: %v, want %q", c.name, err, c.want)
		}
	}
}

// TestChangelog: the changelog begins with the version of the tree. It has no date before the
// release, and a date with it.
func TestChangelog(t *testing.T) {
	const undated, dated = "# Changelog\n\n## [1.2.3] - unreleased\n\n## [1.2.2] - 2026-01-02\n", "# Changelog\n\n## [1.2.3] - 2026-02-03\n"
	for _, c := range []struct {
		text    string
		release bool
		want    string
	}{
		{undated, false, ""}, {dated, false, ""}, {dated, true, ""},
		{undated, true, `section [1.2.3] has the date "unreleased"`},
		{strings.Replace(dated, "2026-02-03", "soon", 1), false, `has the date "soon"`},
		{strings.Replace(undated, "1.2.3", "1.3.0", 1), false, "its first section is not [1.2.3]"},
		{"# Changelog\n", false, "its first section is not [1.2.3]"},
	} {
		if err := checkChangelog([]byte(c.text), "v1.2.3", c.release); c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%q, release %t: %v, want %q", c.text, c.release, err, c.want)
		}
	}
}

// TestTagsRefused: tags are only made for the version that the tree says it is.
func TestTagsRefused(t *testing.T) {
	for _, c := range [][2]string{{"1.2.3", "no version"}, {"v1.2", "no version"}, {"", "no version"}, {"v1.2.4", "the tree is version 1.2.3"}} {
		if err := tags(t.Context(), t.TempDir(), "1.2.3", c[0]); err == nil || !strings.Contains(err.Error(), c[1]) {
			t.Errorf("tags of %q: %v, want %q", c[0], err, c[1])
		}
	}
}

// TestDiffers: a diff of go mod tidy that only adds sums of the repository's own modules does not
// count.
func TestDiffers(t *testing.T) {
	const head = "diff current/go.sum tidy/go.sum\n--- current/go.sum\n+++ tidy/go.sum\n@@ -1,2 +1,3 @@\n a v1 h1:x\n"
	for diff, want := range map[string]bool{
		head + "+github.com/gyrvm/gyr v0.2.0 h1:y\n+github.com/gyrvm/gyr v0.2.0/go.mod h1:z\n": false,
		head + "-b v1 h1:y\n":                          true,
		head + "+github.com/gyrvm/other v0.2.0 h1:y\n": true,
		"": true, "go: cannot\n": true,
	} {
		if got := differs(diff); got != want {
			t.Errorf("differs(%q) is %t", diff, got)
		}
	}
}
