package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"
)

// counts are the numbers of a program, or of all.
type counts struct {
	modules, unmeasured          int
	packages, refused, compiled  int
	tests, plain, granted, skips int // passed with go; with gyr; with gyr and grants; skipped with grants
	absent                       int // tests that do not exist for wasip1
	pending                      int // modules not yet in the record
}

// A missing is a difference from go.
type missing struct {
	what, path, test, output string
}

// report prints a summary of a record.
func report(w io.Writer, file string) error {
	reasons, err := parseReasons(reasonsText)
	if err != nil {
		return fmt.Errorf("reasons.txt: %w", err)
	}
	rec, err := readRecord(file)
	if err != nil {
		return err
	}
	return reportRecord(w, rec, reasons)
}

func reportRecord(w io.Writer, rec *record, reasons []*reason) error {
	table := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(table, "modules\tnot measured\tpackages\tcompile\t\ttests\tpass\t\twith grants\t\t  program")
	inProgram := map[string]bool{} // whether some program names it without calling it indirect
	for _, p := range rec.order {
		var c counts
		line := rec.programs[p]
		for _, m := range line.Modules {
			inProgram[m] = inProgram[m] || !slices.Contains(line.Indirect, m)
			c.add(rec.modules[m])
		}
		c.print(table, p)
	}
	// A record may have modules of an earlier list. They count only if no program is named at all.
	names := slices.Sorted(maps.Keys(inProgram))
	if len(names) == 0 {
		names = slices.Sorted(maps.Keys(rec.modules))
	}
	var all counts
	some := map[bool]*counts{false: {}, true: {}}
	var pending []string
	for _, m := range names {
		all.add(rec.modules[m])
		some[inProgram[m]].add(rec.modules[m])
		if rec.modules[m] == nil {
			pending = append(pending, m)
		}
	}
	if c := some[false]; c.modules > 0 && len(inProgram) > 0 {
		some[true].print(table, "those that a go.mod does not call indirect")
		c.print(table, "those that are only called indirect")
	}
	all.print(table, "all, each module once")
	if err := table.Flush(); err != nil {
		return err
	}
	fmt.Fprintf(w, "packages: those with tests that go vet accepts for wasip1, and go test builds here; %d are refused\n", all.refused)
	fmt.Fprintf(w, "tests: those of these packages that pass with go; %d others are in files for other systems\n", all.absent)
	fmt.Fprintf(w, "pass: with gyr test and no flag that grants anything; %d tests that pass with go skip themselves in the end, which does not count as passing\n", all.skips)
	fmt.Fprintf(w, "with grants: with the module's directory and GOROOT granted to the packages that lost some\n")
	if all.pending > 0 {
		fmt.Fprintf(w, "modules that are not in the record yet: %d\n", all.pending)
		for _, m := range pending {
			fmt.Fprintf(w, "    %s\n", m)
		}
	}

	found := map[*reason][]missing{}
	grants := 0
	for _, m := range names {
		if r := rec.modules[m]; r != nil {
			grants += collect(r, reasons, found)
		}
	}
	fmt.Fprintf(w, "\nneeds what gyr test does not grant by itself, the module's directory or GOROOT: %d tests\n", grants)
	for _, r := range reasons {
		if len(found[r]) > 0 {
			fmt.Fprintf(w, "\n%s: %s %s\n", r.name, r.text, howMany(found[r]))
			printPackages(w, found[r])
		}
	}
	printEach(w, "skip themselves, and say why", found[skipped])
	printEach(w, "WITHOUT A REASON", found[nil])
	for _, r := range reasons {
		for _, c := range r.claims {
			if !c.used {
				fmt.Fprintf(w, "reasons.txt:%d: it explains nothing here\n", c.line)
			}
		}
	}
	return nil
}

// skipped stands for the reason that a test itself gives.
var skipped = &reason{name: "skip"}

// printEach prints what is missing, a line for each test and its output.
func printEach(w io.Writer, title string, list []missing) {
	if len(list) == 0 {
		return
	}
	fmt.Fprintf(w, "\n%s: %s\n", title, howMany(list))
	for i := 0; i < len(list); {
		m, same := list[i], 0
		for i++; i < len(list) && list[i].what == m.what && list[i].path == m.path && list[i].output == m.output; i++ {
			same++
		}
		if same > 0 {
			m.test += fmt.Sprintf(" and %d others", same)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", m.what, m.path, m.test, oneLine(m.output))
	}
}

// add counts a module; nil means that it was not measured yet.
func (c *counts) add(r *result) {
	c.modules++
	if r == nil {
		c.pending++
		return
	}
	if r.Error != "" {
		c.unmeasured++
	}
	for i := range r.Packages {
		p := &r.Packages[i]
		switch {
		case p.Vet != "":
			c.refused++
			continue
		case p.Late == "go":
			continue
		}
		c.packages++
		if p.compiles() {
			c.compiled++
		}
		c.absent += p.Absent
		best := p.outcomes()
		for name, outcome := range p.Go {
			if outcome != "pass" {
				continue
			}
			c.tests++
			if p.Gyr[name] == "pass" {
				c.plain++
			}
			switch best[name] {
			case "pass":
				c.granted++
			case "skip":
				c.skips++
			}
		}
	}
}

// compiles reports whether a package is known to compile: it has started.
func (p *packageResult) compiles() bool {
	return p.Build == "" && (p.Late == "" || len(p.Gyr) > 0 || p.End != "")
}

func (c *counts) print(w io.Writer, name string) {
	fmt.Fprintf(w, "%d\t%d\t%d\t%d\t%s\t%d\t%d\t%s\t%d\t%s\t  %s\n", c.modules-c.pending, c.unmeasured, c.packages, c.compiled,
		percent(c.compiled, c.packages), c.tests, c.plain, percent(c.plain, c.tests), c.granted, percent(c.granted, c.tests), name)
}

// collect files what is missing in a module under its reason, or under nil. It returns how many
// tests pass only with grants.
func collect(r *result, reasons []*reason, found map[*reason][]missing) (grants int) {
	enter := func(why *reason, m missing) { found[why] = append(found[why], m) }
	if r.Error != "" {
		path, _, _ := strings.Cut(r.Module, "@")
		enter(ofPath(reasons, "module", path), missing{"not measured", r.Module, "", r.Error})
	}
	for i := range r.Packages {
		p := &r.Packages[i]
		switch {
		case p.Vet != "":
			continue
		case p.Late == "go":
			enter(ofPath(reasons, "late", p.Path), missing{"no result with go", p.Path, "", ""})
			continue
		case p.Build != "":
			enter(ofPath(reasons, "build", p.Path), missing{"does not compile", p.Path, "", p.Build})
			continue
		case p.Late == "gyr" && len(p.Lost) == 0:
			enter(ofPath(reasons, "late", p.Path), missing{"no result with gyr", p.Path, "", ""})
		}
		for _, name := range sortedKeys(p.Go) {
			if p.Go[name] != "pass" || p.Gyr[name] == "pass" {
				continue
			}
			best := p.outcomes()[name]
			if best == "pass" {
				grants++
				continue
			}
			output := p.Lost[name]
			if output == "" {
				output = "did not end; the package: " + p.End
			}
			what, why := "lost", ofTest(reasons, p, name)
			if best == "skip" {
				what, output = "skips", p.Lost[name]
				if why == nil {
					why = skipped
				}
			}
			enter(why, missing{what, p.Path, name, output})
		}
	}
	return grants
}

// howMany says how much is missing.
func howMany(list []missing) string {
	var tests, packages, modules int
	for _, m := range list {
		switch {
		case m.test != "":
			tests++
		case m.what == "not measured":
			modules++
		default:
			packages++
		}
	}
	var parts []string
	for _, p := range []struct {
		n    int
		what string
	}{{tests, "tests"}, {packages, "packages"}, {modules, "modules"}} {
		if p.n > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", p.what, p.n))
		}
	}
	return strings.Join(parts, ", ")
}

// printPackages prints what is missing, a line for each package.
func printPackages(w io.Writer, list []missing) {
	for len(list) > 0 {
		m := list[0]
		var tests []string
		for len(list) > 0 && list[0].what == m.what && list[0].path == m.path {
			if list[0].test != "" {
				tests = append(tests, list[0].test)
			}
			list = list[1:]
		}
		if len(tests) == 0 {
			fmt.Fprintf(w, "    %s: %s %s\n", m.path, m.what, oneLine(m.output))
			continue
		}
		fmt.Fprintf(w, "    %s: %s\n", m.path, strings.Join(tests, " "))
	}
}

// percent rounds down, so that a figure just below a bar is not shown at it.
func percent(n, of int) string {
	p := 10000 * n / max(of, 1)
	return fmt.Sprintf("%d.%02d %%", p/100, p%100)
}

func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// oneLine prepares a text for a cell of a table.
func oneLine(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 400 {
		s = s[:400] + "…"
	}
	return s
}
