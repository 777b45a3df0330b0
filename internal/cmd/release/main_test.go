package main

import (
	"bytes"
	"crypto/sha256"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var full = flag.Bool("release", false, "build a release twice and compare: two minutes")

// Two releases of the same sources are equal, file by file, and the sums are right.
func TestTwice(t *testing.T) {
	if !*full {
		t.Skip("it takes two minutes: -release")
	}
	dirs := [2]string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	for _, dir := range dirs {
		if err := release(t.Context(), dir, []string{"linux/amd64", "linux/arm64", "darwin/arm64"}); err != nil {
			t.Fatal(err)
		}
	}
	sums, err := os.ReadFile(filepath.Join(dirs[0], "SHA256SUMS"))
	if err != nil {
		t.Fatal(err)
	}
	list, err := os.ReadDir(dirs[0])
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 7 {
		t.Errorf("%d files, want 7", len(list))
	}
	for _, e := range list {
		a, err := os.ReadFile(filepath.Join(dirs[0], e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		b, err := os.ReadFile(filepath.Join(dirs[1], e.Name()))
		if err != nil || !bytes.Equal(a, b) {
			t.Errorf("%s: two builds differ (%v)", e.Name(), err)
		}
		if line := fmt.Sprintf("%x  %s\n", sha256.Sum256(a), e.Name()); e.Name() != "SHA256SUMS" && !strings.Contains(string(sums), line) {
			t.Errorf("SHA256SUMS has no line %q", line)
		}
		t.Logf("%s: %d bytes", e.Name(), len(a))
	}
}

// A directory with something in it is left alone, and platforms are checked before anything is built.
func TestRefused(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "x"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := release(t.Context(), dir, []string{"linux/amd64"}); err == nil || !strings.Contains(err.Error(), "is not empty") {
		t.Errorf("a directory in use: %v", err)
	}
	if err := release(t.Context(), dir, []string{"linux"}); err == nil || !strings.Contains(err.Error(), `platform "linux"`) {
		t.Errorf("half a platform: %v", err)
	}
}
