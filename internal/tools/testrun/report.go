package testrun

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/run/rt"
)

// Usage is what a test and the goroutines that it started have used. It is the same on every run,
// whatever else runs at the same time.
type Usage struct {
	Gas         int64  `json:"gas"`         // units
	Allocations uint64 `json:"allocations"` // objects
	Bytes       uint64 `json:"bytes"`       // of the allocated objects
	Peak        uint64 `json:"peak"`        // peak of memory in use meanwhile, in bytes
}

func (u *Usage) add(v Usage) {
	u.Gas += v.Gas
	u.Allocations += v.Allocations
	u.Bytes += v.Bytes
	u.Peak = max(u.Peak, v.Peak)
}

// A Report says what the tests of a run used.
type Report struct {
	Determinism int             `json:"determinism_version"` // figures of another version cannot be compared
	GasTable    int             `json:"gas_table_version"`
	Packages    []PackageReport `json:"packages"` // in the order of the run, without those that have no tests
}

// A PackageReport says what the tests of a package used. Usage is the total of the package,
// including its initialisation, TestMain and benchmarks.
type PackageReport struct {
	Package string `json:"package"`
	Usage
	Tests []TestReport `json:"tests"` // in the order in which they began
}

// A TestReport says what a test, example, fuzz target or filetest used.
type TestReport struct {
	Test string `json:"test"`
	Usage
}

// add adds the accounts of one run of the test binary.
func (p *PackageReport) add(list []rt.Account) {
	for _, a := range list {
		p.addTest(a.Name, Usage{a.Gas, a.Mallocs, a.Bytes, a.Peak})
	}
}

// addTest adds what a test used, or what ran around the tests.
func (p *PackageReport) addTest(name string, u Usage) {
	p.Usage.add(u)
	if name == "" {
		return
	}
	i := slices.IndexFunc(p.Tests, func(t TestReport) bool { return t.Test == name })
	if i < 0 {
		i = len(p.Tests)
		p.Tests = append(p.Tests, TestReport{Test: name})
	}
	p.Tests[i].Usage.add(u)
}

// newReport returns a report without packages.
func newReport() *Report {
	return &Report{Determinism: engine.DeterminismVersion, GasTable: engine.GasTableVersion, Packages: []PackageReport{}}
}

// WriteJSON writes the report in the form that ReadReport reads.
func (r *Report) WriteJSON(w io.Writer) error {
	b, err := json.MarshalIndent(r, "", "\t")
	if err == nil {
		_, err = w.Write(append(b, '\n'))
	}
	return err
}

// ReadReport reads what WriteJSON wrote.
func ReadReport(b []byte) (*Report, error) {
	r := &Report{}
	if err := json.Unmarshal(b, r); err != nil {
		return nil, fmt.Errorf("not a report of gyr test -gasreport=json: %w", err)
	}
	return r, nil
}

// columns are the figures of a line.
var columns = []struct {
	name  string
	value func(*Usage) int64
}{
	{"gas", func(u *Usage) int64 { return u.Gas }},
	{"allocations", func(u *Usage) int64 { return int64(u.Allocations) }},
	{"bytes", func(u *Usage) int64 { return int64(u.Bytes) }},
	{"peak", func(u *Usage) int64 { return int64(u.Peak) }},
}

// WriteText writes the report as a table.
func (r *Report) WriteText(w io.Writer) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, c := range columns {
		fmt.Fprintf(t, "%s\t", c.name)
	}
	fmt.Fprintln(t, "  test")
	line := func(u *Usage, name string) {
		for _, c := range columns {
			fmt.Fprintf(t, "%d\t", c.value(u))
		}
		fmt.Fprintf(t, "  %s\n", name)
	}
	for i := range r.Packages {
		p := &r.Packages[i]
		line(&p.Usage, p.Package)
		for k := range p.Tests {
			line(&p.Tests[k].Usage, p.Package+"."+p.Tests[k].Test)
		}
	}
	return t.Flush()
}

// A Change is a test or a package whose figures differ from another report's.
type Change struct {
	Package string `json:"package"`
	Test    string `json:"test,omitempty"` // empty: the whole package
	From    *Usage `json:"from"`           // nil: it did not exist
	To      *Usage `json:"to"`             // nil: it is gone
}

// Changes returns the differences from an older report, packages in their order, each before its
// tests.
func (r *Report) Changes(old *Report) ([]Change, error) {
	if old.Determinism != r.Determinism || old.GasTable != r.GasTable {
		return nil,
			fmt.Errorf("the older report is of determinism version %d and gas table %d, this gyr has %d and %d: its figures cannot be compared",
				old.Determinism, old.GasTable, r.Determinism, r.GasTable)
	}
	changes := []Change{}
	note := func(pkg, test string, from, to *Usage) {
		if from == nil || to == nil || *from != *to {
			changes = append(changes, Change{pkg, test, from, to})
		}
	}
	merge(old.Packages, r.Packages, func(p *PackageReport) string { return p.Package },
		func(name string, from, to *PackageReport) {
			var a, b PackageReport
			var u, v *Usage
			if from != nil {
				a, u = *from, &from.Usage
			}
			if to != nil {
				b, v = *to, &to.Usage
			}
			note(name, "", u, v)
			merge(a.Tests, b.Tests, func(t *TestReport) string { return t.Test }, func(test string, from, to *TestReport) {
				var u, v *Usage
				if from != nil {
					u = &from.Usage
				}
				if to != nil {
					v = &to.Usage
				}
				note(name, test, u, v)
			})
		})
	return changes, nil
}

// merge calls f for each key of either list: first in the order of the second list, then for the
// keys of the first list only.
func merge[T any](from, to []T, key func(*T) string, f func(key string, from, to *T)) {
	old := map[string]*T{}
	for i := range from {
		old[key(&from[i])] = &from[i]
	}
	for i := range to {
		k := key(&to[i])
		f(k, old[k], &to[i])
		delete(old, k)
	}
	for i := range from {
		if k := key(&from[i]); old[k] != nil {
			f(k, old[k], nil)
		}
	}
}

// WriteChanges writes a line for each figure that changed.
func WriteChanges(w io.Writer, changes []Change) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range changes {
		name := strings.TrimSuffix(c.Package+"."+c.Test, ".")
		switch {
		case c.From == nil:
			fmt.Fprintf(t, "%s\tnew\tgas %d\n", name, c.To.Gas)
		case c.To == nil:
			fmt.Fprintf(t, "%s\tgone\tgas %d\n", name, c.From.Gas)
		default:
			for _, col := range columns {
				if a, b := col.value(c.From), col.value(c.To); a != b {
					fmt.Fprintf(t, "%s\t%s\t%d -> %d\t%s\n", name, col.name, a, b, percent(a, b))
				}
			}
		}
	}
	return t.Flush()
}

// percent says how much more b is than a.
func percent(a, b int64) string {
	if a == 0 {
		return ""
	}
	return fmt.Sprintf("%+.2f%%", 100*float64(b-a)/float64(a))
}
