package filetest

import (
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/engine"
)

// A trimmer removes from texts what differs between machines.
type trimmer struct {
	dir    string // of the filetest
	pkg    string // its import path, as the compiler's messages have it
	goroot string // empty: not found
}

func (t *trimmer) init(dir, pkg, goroot string) {
	t.dir, t.pkg = dir, pkg
	if root, _, err := engine.FindGo(goroot); err == nil {
		t.goroot = filepath.Join(root, "src")
	}
}

// messages trims the compiler's messages, which have headings with the names of packages other than
// the filetest's own.
func (t *trimmer) messages(text string) string {
	var b strings.Builder
	for l := range strings.Lines(text) {
		if strings.TrimSpace(l) == "# "+t.pkg {
			continue
		}
		b.WriteString(here().ReplaceAllString(l, "$1"))
	}
	s := strings.ReplaceAll(b.String(), t.dir+string(filepath.Separator), "")
	return strings.TrimSuffix(s, "\n") + "\n"
}

var (
	here  = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(^|\s)\./`) })
	pc    = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` pc=0x[0-9a-f]+`) })
	where = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`([^\s("]*/[^\s:"]+\.(?:go|s)):(\d+)`) })
	entry = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m) \+0x[0-9a-f]+$`) })
	index = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(` #[0-9]+\b| shape [0-9]+\b`) })
)

// report trims the report of a panic, or a limit's error.
func (t *trimmer) report(text string) string { return t.places(pc().ReplaceAllString(text, "")) }

// trace trims a trace of goroutines.
func (t *trimmer) trace(text string) string { return t.places(entry().ReplaceAllString(text, "")) }

// code trims a listing. The numbers of functions and call shapes count the whole program, runtime
// included.
func (t *trimmer) code(text string) string { return t.places(index().ReplaceAllString(text, "")) }

// places shortens file:line.
func (t *trimmer) places(text string) string {
	return where().ReplaceAllStringFunc(text, func(s string) string {
		m := where().FindStringSubmatch(s)
		if strings.HasPrefix(m[1], "$GOROOT/") { // a file of the standard library
			return m[1]
		}
		if rel, ok := below(t.goroot, m[1]); ok {
			return "$GOROOT/src/" + rel
		}
		if rel, err := filepath.Rel(t.dir, m[1]); err == nil && filepath.IsAbs(m[1]) &&
			!strings.HasPrefix(rel, "../../../../") {
			return filepath.ToSlash(rel) + ":" + m[2]
		}
		return s
	})
}

func below(dir, name string) (string, bool) {
	rel, err := filepath.Rel(dir, name)
	if dir == "" || err != nil || !filepath.IsLocal(rel) {
		return "", false
	}
	return filepath.ToSlash(rel), true
}
