package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/front/load"
)

// A buildTrace prints what is compiled, for -v, -x and -n. The lines of -x and -n look like
// commands of a shell. They name what go build -x has commands for: the directory, the files of
// each package, and what is written and run.
type buildTrace struct {
	names, steps, dry bool

	mu    sync.Mutex
	begun bool
	seen  map[string]bool // packages already printed
}

// on reports whether anything is printed.
func (t *buildTrace) on() bool { return t.names || t.shows() }

// shows reports whether steps are printed.
func (t *buildTrace) shows() bool { return t.steps || t.dry }

// attach makes the compilation of a source report what it does. With -n it stops before it compiles
// anything. It does not use the cache, since all steps must be printed.
func (t *buildTrace) attach(s *engine.Source) {
	if !t.on() {
		return
	}
	s.Plan = t.packages
	if t.dry {
		s.BaseOnly = true
	}
}

// packages prints the packages of a program that were not printed before.
func (t *buildTrace) packages(list []load.Step) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	for _, u := range list {
		if t.seen[u.Path] {
			continue
		}
		if t.seen == nil {
			t.seen = map[string]bool{}
		}
		t.seen[u.Path] = true
		if t.names {
			fmt.Fprintln(stderr, u.Path)
		}
		words := []string{"compile", u.Path}
		for _, f := range u.Files {
			words = append(words, relative(f))
		}
		t.print(words)
	}
	if t.dry {
		return engine.ErrPlanned
	}
	return nil
}

// step prints a step other than compiling.
func (t *buildTrace) step(words ...string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.print(words)
}

// print prints one line of -x or -n. Before the first line it prints the directory that names are
// relative to. t.mu is held.
func (t *buildTrace) print(words []string) {
	if !t.shows() {
		return
	}
	if dir, err := os.Getwd(); err == nil && !t.begun {
		fmt.Fprintln(stderr, "cd "+quoteWord(dir))
	}
	t.begun = true
	for i, w := range words {
		words[i] = quoteWord(w)
	}
	fmt.Fprintln(stderr, strings.Join(words, " "))
}

// relative returns a file's name as the go command prints it.
func relative(name string) string {
	dir, err := os.Getwd()
	if err != nil {
		return name
	}
	if rel, err := filepath.Rel(dir, name); err == nil && !strings.HasPrefix(rel, "..") {
		return "." + string(filepath.Separator) + rel
	}
	return name
}

// quoteWord quotes a word for a shell if necessary. It escapes what could control a terminal.
func quoteWord(s string) string {
	plain := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("@%_-+=:,./", r)
	}
	if s != "" && strings.IndexFunc(s, func(r rune) bool { return !plain(r) }) < 0 {
		return s
	}
	quoted := fmt.Sprintf("%+q", s)
	if quoted[1:len(quoted)-1] != s { // it contains what Go escapes
		return "$'" + strings.ReplaceAll(quoted[1:len(quoted)-1], "'", `\'`) + "'"
	}
	return "'" + strings.ReplaceAll(s, "'", `'\''`) + "'"
}
