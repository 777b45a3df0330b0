package main

import (
	"encoding/json"
	"errors"
	"maps"
	"os"
	"slices"
)

// A programLine is a line of the record with the modules that a program names.
type programLine struct {
	Program  string
	Modules  []string
	Indirect []string `json:",omitempty"` // those of Modules that go.mod calls indirect
}

func (p *programLine) equal(q *programLine) bool {
	return p != nil && q != nil && slices.Equal(p.Modules, q.Modules) && slices.Equal(p.Indirect, q.Indirect)
}

// A result is a line of the record with the results for a module.
type result struct {
	Module   string
	Error    string          `json:",omitempty"` // why nothing was measured
	Packages []packageResult `json:",omitempty"`
}

// A packageResult is the result for a package with tests.
type packageResult struct {
	Path    string
	Vet     string `json:",omitempty"` // why go vet refuses it for wasip1, or go test for this machine
	Late    string `json:",omitempty"` // which command had no result for it within the limit of time: go or gyr
	Build   string `json:",omitempty"` // why it does not compile with gyr
	Go      tests  `json:",omitempty"` // outcomes with go test, of the tests that exist for wasip1
	Absent  int    `json:",omitempty"` // how many others pass with go test, in files for other systems
	Gyr     tests  `json:",omitempty"` // with gyr test
	Granted tests  `json:",omitempty"` // with gyr test and directories granted, where Gyr has lost some
	// Lost is the output of the tests that pass with go and not with gyr: they fail, do not end or
	// skip themselves. If Granted was measured, it is the output of the tests that do not pass then
	// either, from that run.
	Lost map[string]string `json:",omitempty"`
	End  string            `json:",omitempty"` // the package's last output outside tests, if tests were lost

	declared map[string]bool // functions of its test files for wasip1, nil if unknown
}

// of returns the result for a package, or nil.
func (r *result) of(path string) *packageResult {
	if r == nil {
		return nil
	}
	for i := range r.Packages {
		if r.Packages[i].Path == path {
			return &r.Packages[i]
		}
	}
	return nil
}

// tests are outcomes of the test functions of a package, by name: pass, fail or skip.
type tests map[string]string

// ranks are the outcomes of a test, best first; a test that did not end is last.
var ranks = []string{"pass", "skip", "fail", ""}

// A record is the parsed contents of a record file.
type record struct {
	programs map[string]*programLine
	order    []string // of programs
	modules  map[string]*result
}

// readRecord reads a record. It returns an empty one if the file does not exist, and leaves out an
// incomplete line.
func readRecord(file string) (*record, error) {
	rec := &record{programs: map[string]*programLine{}, modules: map[string]*result{}}
	b, err := os.ReadFile(file)
	if errors.Is(err, os.ErrNotExist) {
		return rec, nil
	}
	if err != nil {
		return nil, err
	}
	for _, line := range splitLines(b) {
		var p programLine
		var r result
		switch {
		case json.Unmarshal(line, &p) == nil && p.Program != "":
			if rec.programs[p.Program] == nil {
				rec.order = append(rec.order, p.Program)
			}
			rec.programs[p.Program] = &p
		case json.Unmarshal(line, &r) == nil && r.Module != "":
			rec.modules[r.Module] = &r
		}
	}
	return rec, nil
}

// outcomes returns the best outcome of each test in gyr: of a run without grants and a run with
// them.
func (p *packageResult) outcomes() tests {
	if p.Granted == nil {
		return p.Gyr
	}
	best := maps.Clone(p.Granted)
	for name, outcome := range p.Gyr {
		if slices.Index(ranks, outcome) < slices.Index(ranks, best[name]) {
			best[name] = outcome
		}
	}
	return best
}
