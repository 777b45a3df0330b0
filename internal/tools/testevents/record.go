package testevents

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"
)

// An Event is a line of the output of -json, of a test (go doc test2json) or of a build (go help buildjson).
// The first event of a shard's output has the action "shard" and the shard as its output.
type Event struct {
	Time        time.Time `json:",omitzero"`
	Action      string
	Package     string  `json:",omitempty"`
	ImportPath  string  `json:",omitempty"` // of a build
	Test        string  `json:",omitempty"`
	Elapsed     float64 `json:",omitempty"` // seconds
	Output      string  `json:",omitempty"`
	FailedBuild string  `json:",omitempty"` // the ImportPath of the build that failed
}

// ActionShard is the action of the event that says which shard an output is of.
const ActionShard = "shard"

// A Test is the outcome of a test. Subtests have slashes in their names.
type Test struct {
	Name    string
	Verdict string  // pass, fail, skip or bench; empty: it did not end
	Elapsed float64 // seconds
	Output  string
}

// A Package is the outcome of a package.
type Package struct {
	Path    string
	Verdict string // pass, fail or skip; empty: it did not end
	Elapsed float64
	Begun   time.Time
	Tests   []*Test // in the order in which they began
	Output  string  // that belongs to no test
	Build   string  // the output of the build that failed

	byName map[string]*Test
	lines  [][]byte // its events as they were read
}

// Failed reports whether the package failed or did not come to its end.
func (p *Package) Failed() bool { return p.Verdict != "pass" && p.Verdict != "skip" }

func (p *Package) test(name string) *Test {
	t := p.byName[name]
	if t == nil {
		t = &Test{Name: name}
		p.byName[name] = t
		p.Tests = append(p.Tests, t)
	}
	return t
}

// A Record is the outcome of a run.
type Record struct {
	Packages []*Package // in the order in which they began
	Shard    string     // "I/N"; empty: all packages

	byPath map[string]*Package
	builds map[string]*build
}

// A build is the output of one that failed.
type build struct {
	text  string
	lines [][]byte
}

// Add adds an event; line is its text, without the newline.
func (r *Record) Add(e Event, line []byte) {
	switch {
	case e.Action == ActionShard:
		r.Shard = e.Output
	case e.ImportPath != "":
		if r.builds == nil {
			r.builds = map[string]*build{}
		}
		b := r.builds[e.ImportPath]
		if b == nil {
			b = &build{}
			r.builds[e.ImportPath] = b
		}
		b.text += e.Output
		b.lines = append(b.lines, bytes.Clone(line))
	case e.Package != "":
		r.pkg(e.Package).add(r, e, line)
	}
}

func (r *Record) pkg(path string) *Package {
	p := r.byPath[path]
	if p == nil {
		p = &Package{Path: path, byName: map[string]*Test{}}
		r.join(p)
	}
	return p
}

func (r *Record) join(p *Package) {
	if r.byPath == nil {
		r.byPath = map[string]*Package{}
	}
	r.byPath[p.Path] = p
	r.Packages = append(r.Packages, p)
}

func (p *Package) add(r *Record, e Event, line []byte) {
	p.lines = append(p.lines, bytes.Clone(line))
	if p.Begun.IsZero() {
		p.Begun = e.Time
	}
	var t *Test
	if e.Test != "" {
		t = p.test(e.Test)
	}
	switch e.Action {
	case "output":
		if t != nil {
			t.Output += e.Output
		} else {
			p.Output += e.Output
		}
	case "pass", "fail", "skip", "bench":
		if t != nil {
			t.Verdict, t.Elapsed = e.Action, e.Elapsed
			return
		}
		p.Verdict, p.Elapsed = e.Action, e.Elapsed
		if b := r.builds[e.FailedBuild]; b != nil {
			p.Build = b.text
			p.lines = append(slices.Clone(b.lines), p.lines...)
		}
	}
}

// OK reports whether no package failed.
func (r *Record) OK() bool {
	return !slices.ContainsFunc(r.Packages, (*Package).Failed)
}

// Times returns the seconds that each package took that came to its end.
func (r *Record) Times() map[string]float64 {
	times := map[string]float64{}
	for _, p := range r.Packages {
		if p.Verdict != "" && p.Elapsed > 0 {
			times[p.Path] = p.Elapsed
		}
	}
	return times
}

// ErrJUnit says that a record was read from JUnit XML, which has no events.
var ErrJUnit = errors.New("JUnit XML has no events: give the outputs of -json")

// JSON writes the events, package by package.
func (r *Record) JSON(w io.Writer) error {
	for _, p := range r.Packages {
		if p.lines == nil {
			return ErrJUnit
		}
		for _, l := range p.lines {
			if _, err := w.Write(append(slices.Clip(l), '\n')); err != nil {
				return err
			}
		}
	}
	return nil
}

// ErrNoEvents says that an input is neither events nor JUnit XML.
var ErrNoEvents = errors.New("not the output of gyr test -json, nor JUnit XML")

// Read reads events, or JUnit XML.
func Read(in io.Reader) (*Record, error) {
	br := bufio.NewReader(in)
	if first, _ := br.Peek(1); len(first) > 0 && first[0] == '<' {
		return readJUnit(br)
	}
	r := &Record{}
	n := 0
	for {
		line, err := br.ReadBytes('\n')
		if n++; len(bytes.TrimSpace(line)) > 0 {
			var e Event
			if jerr := json.Unmarshal(line, &e); jerr != nil || e.Action == "" {
				return nil, fmt.Errorf("line %d: %w", n, ErrNoEvents)
			}
			r.Add(e, bytes.TrimRight(line, "\r\n"))
		}
		if err == io.EOF {
			if len(r.Packages) == 0 && r.Shard == "" {
				return nil, ErrNoEvents
			}
			return r, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// A Writer makes a record of the events that are written to it, and hands each package on when it ends.
type Writer struct {
	Record
	Ended func(*Package) // may be nil
	rest  []byte
}

// Write takes lines of events.
func (w *Writer) Write(p []byte) (int, error) {
	w.rest = append(w.rest, p...)
	for {
		line, rest, ok := bytes.Cut(w.rest, []byte("\n"))
		if !ok {
			return len(p), nil
		}
		w.rest = rest
		var e Event
		if err := json.Unmarshal(line, &e); err != nil {
			return 0, fmt.Errorf("testevents: %w: %.100q", err, line)
		}
		w.Add(e, line)
		if pkg := w.byPath[e.Package]; w.Ended != nil && pkg != nil && e.Test == "" && pkg.Verdict != "" {
			w.Ended(pkg)
		}
	}
}

// Merge joins the records of shards, or of other divisions of a suite, by the paths of their packages. It
// refuses records of which one package has two outcomes, and shards of which one is missing.
func Merge(names []string, records []*Record) (*Record, error) {
	all := &Record{}
	from := map[string]string{}
	var shards []string
	of := ""
	for i, r := range records {
		if r.Shard != "" {
			_, n, _ := strings.Cut(r.Shard, "/")
			if of == "" {
				of = n
			}
			switch {
			case n != of:
				return nil, fmt.Errorf("%s is shard %s, and others are of %s shards", names[i], r.Shard, of)
			case slices.Contains(shards, r.Shard):
				return nil, fmt.Errorf("%s is shard %s, and so is another file", names[i], r.Shard)
			}
			shards = append(shards, r.Shard)
		}
		for _, p := range r.Packages {
			if other, twice := from[p.Path]; twice {
				return nil, fmt.Errorf("%s is in %s and in %s: each package belongs to one shard", p.Path, other, names[i])
			}
			from[p.Path] = names[i]
			all.join(p)
		}
	}
	var n int
	if fmt.Sscan(of, &n); of != "" && len(shards) != n {
		var missing []string
		for i := 1; i <= n; i++ {
			if s := fmt.Sprintf("%d/%s", i, of); !slices.Contains(shards, s) {
				missing = append(missing, s)
			}
		}
		return nil, fmt.Errorf("missing: %s", strings.Join(missing, ", "))
	}
	slices.SortFunc(all.Packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return all, nil
}
