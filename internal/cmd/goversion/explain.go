package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// An explanation says how a finding was dealt with.
type explanation struct {
	key  string // kind, name and mark
	text string
	at   string // file:line

	listed bool // report it if it explains no finding
	used   bool
}

const (
	toDo    = "to do: "   // begins a task: the finding stays open
	without = "without: " // begins why gyr lacks a thing; its sources show that it does
	ditto   = `"`         // the explanation of the previous line
)

func (f *Finding) key() string { return f.Kind + " " + f.Name + " " + f.Mark }

// open says why a finding is not dealt with; "" if it is.
func (f *Finding) open() string {
	switch {
	case f.Explained == "":
		return "unexplained"
	case strings.HasPrefix(f.Explained, toDo):
		return "to do"
	case f.Ours != "" && !strings.HasPrefix(f.Explained, without):
		return "explained, but gyr's sources do not show it"
	}
	return ""
}

// explanationFiles names the files with explanations for two releases. In listed, lines that
// explain nothing are reported. In others they are not: a change of a patch release may show up
// between two minor releases too.
func explanationFiles(older, newer int) (listed string, others []string) {
	was, is := fmt.Sprintf("1.%d.txt", older), fmt.Sprintf("1.%d.txt", newer)
	if older == newer {
		return is, nil
	}
	return fmt.Sprintf("1.%d-1.%d.txt", older, newer), []string{was, is}
}

// readExplanations reads the files for two releases from a directory.
func readExplanations(dir string, older, newer int) ([]*explanation, error) {
	name, others := explanationFiles(older, newer)
	list, err := readExplanationFile(filepath.Join(dir, name), true)
	for _, name := range others {
		if err == nil {
			var more []*explanation
			more, err = readExplanationFile(filepath.Join(dir, name), false)
			list = append(list, more...)
		}
	}
	return list, err
}

func readExplanationFile(name string, listed bool) ([]*explanation, error) {
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	} else if err != nil {
		return nil, err
	}
	list, err := parseExplanations(filepath.Base(name), string(data))
	for _, e := range list {
		e.listed = listed
	}
	return list, err
}

var explanationLine = regexp.MustCompile(`^(\S+ .+? [0-9a-f]{6}): (.+)$`)

func parseExplanations(name, data string) (list []*explanation, err error) {
	keys := map[string]bool{}
	for i, line := range strings.Split(data, "\n") {
		at := fmt.Sprintf("%s:%d", name, i+1)
		if line = strings.TrimSpace(line); line == "" || line[0] == '#' {
			continue
		}
		m := explanationLine.FindStringSubmatch(line)
		switch {
		case m == nil:
			return nil, fmt.Errorf("%s: a line is KIND NAME MARK: what was done", at)
		case keys[m[1]]:
			return nil, fmt.Errorf("%s: %s has an explanation already", at, m[1])
		case m[2] == ditto && list == nil:
			return nil, fmt.Errorf("%s: no line before it", at)
		case m[2] == ditto:
			m[2] = list[len(list)-1].text
		}
		keys[m[1]] = true
		list = append(list, &explanation{key: m[1], text: m[2], at: at})
	}
	return list, nil
}

// explain gives findings their explanations, and returns the explanations without a finding.
func explain(findings []Finding, list []*explanation) (idle []*explanation) {
	by := map[string]*explanation{}
	for _, e := range list {
		if by[e.key] == nil {
			by[e.key] = e
		}
	}
	for i := range findings {
		f := &findings[i]
		if e := by[f.key()]; e != nil {
			f.Explained, e.used = e.text, true
		}
	}
	for _, e := range list {
		if e.listed && !e.used && !strings.HasPrefix(e.key, "syntax ") { // syntax depends on the Go that built the command
			idle = append(idle, e)
		}
	}
	return idle
}
