package conformance

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
)

// A passSet records which tests have passed, by package. It is a file of the repository with one
// line for each package: its import path and the names, all sorted. A recorded test that no longer
// passes is an error.
type passSet struct {
	file  string
	tests map[string]map[string]bool
}

// readPassSet reads a pass set. A missing file is an empty set.
func readPassSet(file string) (*passSet, error) {
	p := &passSet{file: file, tests: map[string]map[string]bool{}}
	data, err := os.ReadFile(file)
	if os.IsNotExist(err) {
		return p, nil
	}
	if err != nil {
		return nil, err
	}
	s := bufio.NewScanner(bytes.NewReader(data))
	s.Buffer(nil, 1<<20)
	for s.Scan() {
		f := strings.Fields(s.Text())
		if len(f) == 0 || f[0][0] == '#' {
			continue
		}
		if p.tests[f[0]] != nil {
			return nil, fmt.Errorf("%s: two lines for %s", file, f[0])
		}
		p.tests[f[0]] = map[string]bool{}
		for _, name := range f[1:] {
			p.tests[f[0]][name] = true
		}
	}
	return p, s.Err()
}

// record replaces a package's set with the tests that passed in a complete run of the package. It
// updates the file as it is now, so a long run keeps its results if it is cut short, and does not
// undo those of others.
func (p *passSet) record(pkg string, results []testResult) error {
	now, err := readPassSet(p.file)
	if err != nil {
		return err
	}
	p.tests = now.tests
	p.tests[pkg] = map[string]bool{}
	for _, r := range results {
		if r.status == "PASS" {
			p.tests[pkg][r.name] = true
		}
	}
	var b strings.Builder
	b.WriteString("# Test functions that pass, by package. Written by -update; see passed.go.\n\n")
	for _, pkg := range sortedKeys(p.tests) {
		b.WriteString(pkg)
		for _, name := range sortedKeys(p.tests[pkg]) {
			b.WriteString(" " + name)
		}
		b.WriteByte('\n')
	}
	return os.WriteFile(p.file, []byte(b.String()), 0o666)
}

// compare returns the recorded tests that did not pass, with their outcomes, and the tests that
// passed and are not recorded. partial means that not all tests of the package were run: tests
// without a result do not count.
func (p *passSet) compare(pkg string, results []testResult, partial bool) (lost, gained []string) {
	status := map[string]string{}
	for _, r := range results {
		status[r.name] = r.status
		if r.status == "PASS" && !p.tests[pkg][r.name] {
			gained = append(gained, r.name)
		}
	}
	for _, name := range sortedKeys(p.tests[pkg]) {
		switch s := status[name]; {
		case s == "" && !partial:
			lost = append(lost, name+" (no result)")
		case s != "" && s != "PASS":
			lost = append(lost, name+" ("+s+")")
		}
	}
	slices.Sort(gained)
	return lost, gained
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}
