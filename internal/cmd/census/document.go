package main

import (
	"bufio"
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"
)

// A row is the document's line for a module. It can be read back, so that earlier measurements
// count although their record is gone.
type row struct {
	module                      string
	packages, refused, compiled int
	tests, lost, lostGranted    int // tests that pass with go; of these lost without grants, and lost with some
	why                         []cause
	err                         string // why nothing was measured
}

// A cause is how many tests and packages of a module are missing for one reason, and which.
type cause struct {
	reason          string
	tests, packages int
	which           string
}

// Causes that are not in reasons.txt.
const (
	causeSkip = "skip"
	causeLate = "late"
	causeNone = "none"
)

// rowOf sums up a module's result.
func rowOf(r *result, reasons []*reason) *row {
	var c counts
	c.add(r)
	out := &row{module: r.Module, packages: c.packages, refused: c.refused, compiled: c.compiled,
		tests: c.tests, lost: c.tests - c.plain, lostGranted: c.tests - c.granted, err: oneLine(r.Error)}
	out.err = strings.NewReplacer("|", "/", "`", "'").Replace(out.err)
	if len(out.err) > 150 {
		out.err = strings.ToValidUTF8(out.err[:150], "") + "…"
	}
	found := map[*reason][]missing{}
	collect(r, reasons, found)
	path, _, _ := strings.Cut(r.Module, "@")
	byName := map[string][]missing{}
	for why, list := range found {
		for _, m := range list {
			name := causeNone
			switch {
			case m.what == "not measured":
				continue
			case why != nil:
				name = why.name
			case m.test == "" && strings.HasPrefix(m.what, "no result"):
				name = causeLate
			case m.test != "" && r.of(m.path).Late == "gyr" && r.of(m.path).outcomes()[m.test] == "":
				name = causeLate
			}
			byName[name] = append(byName[name], m)
		}
	}
	for _, name := range sortedKeys(byName) {
		list := byName[name]
		slices.SortStableFunc(list, func(a, b missing) int { return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.test, b.test)) })
		c := cause{reason: name, which: which(path, list)}
		for _, m := range list {
			if m.test != "" {
				c.tests++
				continue
			}
			c.packages++
			if q := r.of(m.path); q.Build != "" {
				for _, outcome := range q.Go {
					if outcome == "pass" {
						c.tests++
					}
				}
			}
		}
		out.why = append(out.why, c)
	}
	return out
}

// which names tests and packages as briefly as possible.
func which(module string, list []missing) string {
	var words []string
	at := module
	for _, m := range list {
		if m.path != at || m.test == "" {
			at = m.path
			words = append(words, strings.TrimPrefix(strings.TrimPrefix(at, module), "/"))
		}
		if m.test != "" {
			words = append(words, m.test)
		}
	}
	if len(words) > 16 {
		words = append(words[:16], "…")
	}
	return strings.Join(slices.DeleteFunc(words, func(s string) bool { return s == "" }), " ")
}

// String returns the row as a line of Markdown, which parseRow reads.
func (r *row) String() string {
	var why []string
	for _, c := range r.why {
		text := fmt.Sprintf("%s %d", c.reason, c.tests)
		if c.packages > 0 {
			text += fmt.Sprintf(" and packages %d", c.packages)
		}
		if c.which != "" {
			text += ": " + c.which
		}
		why = append(why, text)
	}
	if r.err != "" {
		why = []string{"not measured: " + r.err}
	}
	return fmt.Sprintf("| %s | %d | %d | %d | %d | %d | %d | %s |", r.module, r.packages, r.refused, r.compiled, r.tests, r.lost, r.lostGranted, strings.Join(why, "; "))
}

var causeText = regexp.MustCompile(`^([a-z]+) ([0-9]+)(?: and packages ([0-9]+))?(?:: (.*))?$`)

// parseRow reads a line of a document. It returns nil if the line is no row.
func parseRow(line string) *row {
	cells := strings.Split(line, "|")
	if len(cells) != 10 {
		return nil
	}
	for i := range cells {
		cells[i] = strings.TrimSpace(cells[i])
	}
	r := &row{module: cells[1]}
	if !strings.Contains(r.module, "@") {
		return nil
	}
	for i, n := range []*int{&r.packages, &r.refused, &r.compiled, &r.tests, &r.lost, &r.lostGranted} {
		var err error
		if *n, err = strconv.Atoi(cells[2+i]); err != nil {
			return nil
		}
	}
	if err, ok := strings.CutPrefix(cells[8], "not measured: "); ok {
		r.err = err
		return r
	}
	for _, text := range strings.Split(cells[8], "; ") {
		if m := causeText.FindStringSubmatch(text); m != nil {
			c := cause{reason: m[1], which: m[4]}
			c.tests, _ = strconv.Atoi(m[2])
			c.packages, _ = strconv.Atoi(m[3])
			r.why = append(r.why, c)
		}
	}
	return r
}

// late reports whether anything in the module had no result in time.
func (r *row) late() bool {
	return slices.ContainsFunc(r.why, func(c cause) bool { return c.reason == causeLate })
}

// readRows reads the rows of a document by module. It returns none if the file does not exist.
func readRows(file string) (map[string]*row, error) {
	rows := map[string]*row{}
	if file == "" {
		return rows, nil
	}
	b, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	for line := range strings.Lines(string(b)) {
		if r := parseRow(strings.TrimSpace(line)); r != nil {
			rows[r.module] = r
		}
	}
	return rows, nil
}

// writeDocument writes the document of a record to a file. Modules that the record does not have
// keep their rows from an earlier document.
func writeDocument(file, recordFile, known, build string) error {
	reasons, err := parseReasons(reasonsText)
	if err != nil {
		return fmt.Errorf("reasons.txt: %w", err)
	}
	rec, err := readRecord(recordFile)
	if err != nil {
		return err
	}
	rows, err := readRows(known)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	document(&b, rec, rows, reasons, time.Now().UTC().Format(time.DateOnly), build)
	return os.WriteFile(file, b.Bytes(), 0o666)
}

// A sum is the total of rows.
type sum struct {
	modules, unmeasured, packages, refused, compiled, tests, lost, lostGranted int
}

func (s *sum) add(r *row) {
	if r == nil {
		return
	}
	if r.err != "" {
		s.unmeasured++
		return
	}
	s.modules++
	s.packages += r.packages
	s.refused += r.refused
	s.compiled += r.compiled
	s.tests += r.tests
	s.lost += r.lost
	s.lostGranted += r.lostGranted
}

func document(out io.Writer, rec *record, rows map[string]*row, reasons []*reason, date, build string) {
	w := bufio.NewWriter(out)
	defer w.Flush()
	for m, r := range rec.modules {
		rows[m] = rowOf(r, reasons)
	}
	named := map[string]bool{}
	for _, p := range rec.order {
		for _, m := range rec.programs[p].Modules {
			named[m] = true
		}
	}
	if len(named) == 0 {
		for m := range rows {
			named[m] = true
		}
	}
	modules := slices.Sorted(maps.Keys(named))
	var all sum
	var pending []string
	whys := map[string]cause{}
	for _, m := range modules {
		all.add(rows[m])
		if rows[m] == nil {
			pending = append(pending, m)
			continue
		}
		for _, c := range rows[m].why {
			w := whys[c.reason]
			w.tests += c.tests
			w.packages += c.packages
			whys[c.reason] = w
		}
	}

	fmt.Fprintf(w, `# Census

How much of the Go world runs in gyr: all modules that the go.mod files of ten large programs name, directly or not, and their tests
with `+"`go test`, with `gyr test`"+` and no flag that grants anything, and, for packages that lost some, with the module's directory and GOROOT granted.
This file is written by `+"`go run ./internal/cmd/census -report -record FILE -known docs/census.md -markdown docs/census.md`"+`; the package's comment tells how it measures.
With `+"`-known docs/census.md`"+` a census leaves out the modules below.

Written on %s. Measured: %s.

| what | asked for | measured |
|---|---|---|
| modules measured | %d | %d; %d others cannot be measured; %d have had no turn |
| packages with tests that compile, of those that go vet accepts for wasip1 | 98 %% | %s: %d of %d; vet refuses %d others |
| tests that pass with no flag, of those that pass with go | 95 %% | %s: %d of %d |
| tests that pass with grants | 99.5 %% | %s: %d of %d |

`, date, build, len(modules), all.modules, all.unmeasured, len(pending),
		percent(all.compiled, all.packages), all.compiled, all.packages, all.refused,
		percent(all.tests-all.lost, all.tests), all.tests-all.lost, all.tests,
		percent(all.tests-all.lostGranted, all.tests), all.tests-all.lostGranted, all.tests)

	fmt.Fprintf(w, "## By program\n\n| program | modules | measured | packages | compile | tests | pass | with grants |\n|---|---|---|---|---|---|---|---|\n")
	for _, p := range rec.order {
		var s sum
		for _, m := range rec.programs[p].Modules {
			s.add(rows[m])
		}
		fmt.Fprintf(w, "| %s | %d | %d | %d | %s | %d | %s | %s |\n", p, len(rec.programs[p].Modules), s.modules+s.unmeasured,
			s.packages, percent(s.compiled, s.packages), s.tests, percent(s.tests-s.lost, s.tests), percent(s.tests-s.lostGranted, s.tests))
	}

	fmt.Fprintf(w, "\n## Why tests and packages are missing\n\nWith grants. `internal/cmd/census/reasons.txt` says which reason is whose.\n\n| reason | tests | packages | |\n|---|---|---|---|\n")
	texts := map[string]string{
		causeSkip: "The test skips itself and says why.",
		causeLate: "There was no result within the limit of time, with go or with gyr.",
		causeNone: "NO REASON IS KNOWN.",
	}
	for _, r := range reasons {
		texts[r.name] = r.text
	}
	names := sortedKeys(whys)
	slices.SortStableFunc(names, func(a, b string) int { return cmp.Or(whys[b].tests-whys[a].tests, whys[b].packages-whys[a].packages) })
	for _, name := range names {
		fmt.Fprintf(w, "| %s | %d | %d | %s |\n", name, whys[name].tests, whys[name].packages, texts[name])
	}

	fmt.Fprintf(w, "\n## Modules\n\nOf each: its packages with tests that count, those that vet refuses, those that compile; the tests that pass with go, those of them that are lost with no flag and with grants, and why.\n\n")
	fmt.Fprintf(w, "| module | packages | refused | compile | tests | lost | with grants | why |\n|---|---|---|---|---|---|---|---|\n")
	for _, m := range modules {
		if r := rows[m]; r != nil {
			fmt.Fprintln(w, r)
		}
	}
	if len(pending) > 0 {
		fmt.Fprintf(w, "\n## Modules that had no turn\n\n")
		for _, m := range pending {
			fmt.Fprintf(w, "* %s\n", m)
		}
	}
}
