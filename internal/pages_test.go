package internal_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var link = regexp.MustCompile(`\]\(([^)#:\s]+)(#[^)\s]*)?\)`)

// TestPages: every page has each of its headings once, no line that a tool left behind, and relative links that
// lead to files.
func TestPages(t *testing.T) {
	pages := 0
	err := filepath.WalkDir("..", func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && (d.Name() == "testdata" || d.Name() == ".git") {
			return filepath.SkipDir
		}
		if filepath.Ext(path) != ".md" {
			return nil
		}
		pages++
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		seen, code := map[string]bool{}, false
		for i, line := range strings.Split(string(text), "\n") {
			switch {
			case strings.HasPrefix(line, "```"):
				code = !code
			case code:
				continue
			case strings.HasPrefix(line, "## "), strings.HasPrefix(line, "# "):
				if seen[line] {
					t.Errorf("%s:%d: %q stands twice", path, i+1, line)
				}
				seen[line] = true
			case strings.HasPrefix(line, "@@"), strings.HasPrefix(line, "<<<<<<<"), strings.HasPrefix(line, ">>>>>>>"):
				t.Errorf("%s:%d: %q", path, i+1, line)
			}
			for _, m := range link.FindAllStringSubmatch(line, -1) {
				if _, err := os.Stat(filepath.Join(filepath.Dir(path), filepath.FromSlash(m[1]))); err != nil {
					t.Errorf("%s:%d: %v", path, i+1, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if pages < 40 {
		t.Errorf("%d pages", pages)
	}
}
