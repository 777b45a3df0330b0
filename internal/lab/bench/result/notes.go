package result

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A rule finds one kind of mistake in figures. Its code never changes: scripts and comments in
// sources use it.
type rule struct {
	code     string
	severity Severity
	name     string // in two or three words
	cure     string
	cell     func(r *Report, row *Row, c *Cell) *found // checks a cell, or nil
	row      func(r *Report, row *Row) *found          // checks a row, or nil
	run      func(r *Report) *found                    // checks the whole run, or nil
}

// found is a rule's finding: one sentence, and the evidence.
type found struct {
	cause    string
	evidence []string
	engines  []string // of a row; nil: all measured ones
	place    string
	severity Severity // empty: the rule's severity
}

// rules is the table of the diagnoses that need figures. Packages proof and benchvet make the
// others, which need the compiler's proof or only the sources.
var rules = []rule{
	{code: "BP06", severity: Warning, name: "loop overhead", cell: loopOverhead,
		cure: "Do more in an iteration, or declare the function with //gyr:bench, whose loop has three instructions."},
	{code: "BP09", severity: Error, name: "too short", cell: tooShort,
		cure: "Measure longer batches (-benchtime), or more work in an iteration."},
	{code: "BP10", severity: Error, name: "b.N ignored", cell: ignoresN,
		cure: "Write the loop as for b.Loop() { ... }."},
	{code: "BP12", severity: Warning, name: "setup within the time", row: setupTimed,
		cure: "Use b.Loop, which leaves out what comes before it, or call b.ResetTimer once behind the setup. Exact figures are without it."},
	{code: "BP12", severity: Warning, name: "timer stopped for little", cell: stopsOften,
		cure: "Make what the iterations need beforehand, for all of them or for many at a time, and time them together."},
	{code: "BP13", severity: Warning, name: "state grows", cell: stateGrows,
		cure: "Begin every iteration from the same state, of a size that does not depend on b.N."},
	{code: "BP14", severity: Warning, name: "collector dominates", cell: collectorDominates,
		cure: "Compare allocations instead of times, or measure with the live heap of the real program (-live)."},
	{code: "BP15", severity: Warning, name: "several modes", cell: severalModes,
		cure: "Look at the series of batches for what alternates; one number does not describe it."},
	{code: "BP16", severity: Warning, name: "too noisy", cell: tooNoisy,
		cure: "Close what else runs, or take more visits (-count, -thorough)."},
	{code: "BP17", severity: Warning, name: "not steady", cell: notSteady,
		cure: "Look at the series of batches; a median of what changes describes no part of it."},
	{code: "BP20", severity: Error, name: "results differ", row: resultsDiffer,
		cure: "Compare what it prints in both engines: they do different work."},
	{code: "BP21", severity: Error, name: "implausible rate", cell: implausibleRate,
		cure: "Check SetBytes, and that the data are touched at all."},
	{code: "BP23", severity: Warning, name: "loaded machine", run: loadedMachine,
		cure: "Close what else runs, or believe differences alone, which were taken in turns."},
	{code: "BP26", severity: Info, name: "gas mispriced", cell: mispriced,
		cure: "Its operations cost more time for their gas than others here do; 'gyr disasm -ir' shows the charges."},
	{code: "BP27", severity: Warning, name: "state remembered", cell: stateRemembered,
		cure: "If the first time is what counts, make the state anew in every iteration; else make it before the loop."},
	{code: "BP28", severity: Warning, name: "machine drifted", run: machineDrifted,
		cure: "Measure again when the machine is cool and idle; comparisons are of pairs and less affected."},
	{code: "BP29", severity: Warning, name: "drifting", cell: drifting,
		cure: "Look at what is left behind between processes: files, caches of the system, a service that it talks to."},
	{code: "BP33", severity: Warning, name: "clock read each time", cell: readsClock,
		cure: "Leave the time to b, or read the clock around many iterations."},
	{code: "BP30", severity: Info, name: "rare collections", cell: rareCollections,
		cure: "Look at p95 and the maximum too (-v), or let batches be longer (-benchtime)."},
}

// of is the severity of a finding.
func (ru *rule) of(f *found) Severity { return cmp.Or(f.severity, ru.severity) }

// A Code is a diagnosis of this package, for the documentation.
type Code struct {
	Code     string
	Severity Severity
	Title    string
	Cure     string
}

// Codes lists the diagnoses that need figures.
func Codes() (list []Code) {
	for i := range rules {
		list = append(list, Code{rules[i].code, rules[i].severity, rules[i].name, rules[i].cure})
	}
	return list
}

// diagnose makes the notes of a report.
func (r *Report) diagnose() {
	add := func(ru *rule, f *found, row *Row, engines []string) {
		n := &Note{Code: ru.code, Severity: ru.of(f), Cause: f.cause, Cure: ru.cure, Evidence: f.evidence, Engines: engines, Place: f.place}
		if row != nil {
			n.Bench = row.Bench.Key
		}
		r.note(n)
	}
	r.Rows(func(row *Row) { r.given(row) })
	for _, entry := range rules {
		ru := &entry
		if ru.run != nil {
			if f := ru.run(r); f != nil {
				add(ru, f, nil, nil)
			}
		}
		r.Rows(func(row *Row) {
			if slices.Contains(row.Bench.Ignore, ru.code) {
				return
			}
			if ru.row != nil {
				if f := ru.row(r, row); f != nil {
					add(ru, f, row, f.engines)
				}
			}
			if ru.cell == nil {
				return
			}
			// One note for all engines with the same finding, in the words of the worst.
			var worst *found
			var engines []string
			for _, c := range row.Cells {
				if !measured(c) {
					continue
				}
				if f := ru.cell(r, row, c); f != nil {
					if worst == nil || rank(ru.of(f)) < rank(ru.of(worst)) {
						worst = f
					}
					engines = append(engines, c.Engine)
				}
			}
			if worst != nil {
				add(ru, worst, row, engines)
			}
		})
	}
	slices.SortStableFunc(r.Notes, func(a, b *Note) int { return rank(a.Severity) - rank(b.Severity) })
	for i, n := range r.Notes {
		n.Number = i + 1
	}
	r.Rows(func(row *Row) {
		for _, c := range row.Cells {
			if c == nil {
				continue
			}
			c.Notes = nil
			for _, n := range r.Notes {
				if n.Bench == row.Bench.Key && (len(n.Engines) == 0 || slices.Contains(n.Engines, c.Engine)) {
					c.Notes = append(c.Notes, n.Number)
				}
			}
		}
	})
}

func rank(s Severity) int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// note adds a note, unless a note with the same code is about the same cells.
func (r *Report) note(n *Note) {
	for _, o := range r.Notes {
		if o.Code == n.Code && o.Bench == n.Bench {
			if len(o.Engines) == 0 || len(n.Engines) == 0 { // one of them is about all engines
				o.Engines = nil
				return
			}
			for _, e := range n.Engines {
				if !slices.Contains(o.Engines, e) {
					o.Engines = append(o.Engines, e)
				}
			}
			return
		}
	}
	r.Notes = append(r.Notes, n)
}

// told reports whether the record itself has a diagnosis of a row with one of these codes.
func (r *Report) told(row *Row, codes ...string) bool {
	return slices.ContainsFunc(r.Record.Statics, func(s *record.Static) bool {
		return s.Bench == row.Bench.Key && slices.Contains(codes, s.Code) && !slices.Contains(row.Bench.Ignore, s.Code)
	})
}

// given adds the record's own diagnoses, of the sources and of the compiler's proof.
func (r *Report) given(row *Row) {
	for _, s := range r.Record.Statics {
		if s.Bench != row.Bench.Key || slices.Contains(row.Bench.Ignore, s.Code) {
			continue
		}
		n := &Note{Code: s.Code, Severity: Severity(s.Severity), Bench: s.Bench, Cause: s.Text, Cure: s.Cure, Place: s.Place}
		if s.Engine != "" {
			n.Engines = []string{s.Engine}
		}
		if n.Severity == "" {
			n.Severity = Warning
		}
		r.note(n)
	}
}

// has reports whether a row already has one of these notes.
func (r *Report) has(row *Row, codes ...string) bool {
	return slices.ContainsFunc(r.Notes, func(n *Note) bool { return n.Bench == row.Bench.Key && slices.Contains(codes, n.Code) })
}

// percent prints a part for people.
func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

// duration prints a time with a unit, for sentences.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}} {
		if ns >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ps", ns*1e3)
}

func resultsDiffer(r *Report, row *Row) *found {
	var engines []string
	results := map[string]bool{}
	for _, c := range row.Cells {
		if c != nil && c.Count != nil && c.Count.Result != "" && c.Failed == "" {
			engines, results[c.Count.Result] = append(engines, c.Engine), true
		}
	}
	if len(results) < 2 {
		return nil
	}
	return &found{cause: "It does not print the same in " + strings.Join(engines, " and ") + ".", engines: engines}
}
