package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"slices"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/gas"
)

// A calibration is the contents of a file that -json writes.
type calibration struct {
	Table      int     `json:"table"`
	Date       string  `json:"date"`
	CPU        string  `json:"cpu"`
	Go         string  `json:"go"`
	Busy       bool    `json:"busy,omitempty"` // the machine did other work, too: times are not exact
	NSPerUnit  float64 `json:"nsPerUnit"`      // median over the operations in the interpreter
	Operations []row   `json:"operations,omitempty"`
	Statements []row   `json:"statements,omitempty"`
	Primitives []row   `json:"primitives,omitempty"`
}

// A row is one measurement.
type row struct {
	Name   string  `json:"name"`
	Gas    float64 `json:"units"`            // charged for one execution
	N      int     `json:"n,omitempty"`      // executions over which it was counted
	Interp *figure `json:"interp,omitempty"` // nil: not measured, or not a time
	Native *figure `json:"native,omitempty"`
	Fix    string  `json:"fix,omitempty"`

	Stmt bool   `json:"statement,omitempty"` // a statement of Go
	Call string `json:"call,omitempty"`      // the function of gas.Calls that it measures, if any
}

// A figure is the result of a row in a tier.
type figure struct {
	NS    float64 `json:"ns"`    // of one execution
	Plain float64 `json:"plain"` // of a unit of the plain loop, measured at the same time
}

// figure returns the figure of a tier, or nil.
func (r *row) figure(t gyr.Tier) *figure {
	if t == gyr.TierNative {
		return r.Native
	}
	return r.Interp
}

// perUnit is the time of a unit in the interpreter, in ns; 0: not measured.
func (r *row) perUnit() float64 {
	if r.Interp == nil {
		return 0
	}
	return r.Interp.NS / r.Gas
}

// loops is the time of a unit as a multiple of a unit of the plain loop; 0: not measured.
func (r *row) loops(t gyr.Tier) float64 {
	f := r.figure(t)
	if f == nil || f.Plain <= 0 {
		return 0
	}
	return f.NS / r.Gas / f.Plain
}

// worst is the larger value of both tiers.
func (r *row) worst() float64 { return max(r.loops(gyr.TierInterp), r.loops(gyr.TierNative)) }

// readCalibration reads a file that -json wrote.
func readCalibration(name string, re *regexp.Regexp) (c calibration, err error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return c, err
	}
	if err := json.Unmarshal(data, &c); err != nil {
		return c, fmt.Errorf("%s: %w", name, err)
	}
	for _, rows := range c.lists() {
		*rows = slices.DeleteFunc(*rows, func(r row) bool { return !re.MatchString(r.Name) })
	}
	return c, nil
}

// write writes a file with one line for each row.
func (c *calibration) write(name string) error {
	head := *c
	for _, rows := range head.lists() {
		*rows = nil
	}
	text, err := json.Marshal(&head)
	if err != nil {
		return err
	}
	text = text[:len(text)-1]
	for i, rows := range c.lists() {
		text = fmt.Appendf(text, ",\n%q: [", []string{"operations", "statements", "primitives"}[i])
		for k := range *rows {
			line, err := json.Marshal(&(*rows)[k])
			if err != nil {
				return err
			}
			if k > 0 {
				text = append(text, ',')
			}
			text = append(append(text, '\n'), line...)
		}
		text = append(text, "\n]"...)
	}
	return os.WriteFile(name, append(text, "}\n"...), 0o666)
}

// where describes the machine of the measurement.
func (c *calibration) where() string {
	s := fmt.Sprintf("gas table %d, %s, %s, %s, %.2f ns a unit in the median", c.Table, c.CPU, c.Go, c.Date, c.NSPerUnit)
	if c.Busy {
		s += ", on a machine that was busy"
	}
	return s
}

// lists returns all lists of rows.
func (c *calibration) lists() []*[]row { return []*[]row{&c.Operations, &c.Statements, &c.Primitives} }

// merge adds the figures of another tier. Gas and its number of executions stay those of the first.
func (c *calibration) merge(other *calibration) {
	for i, rows := range other.lists() {
		mine := c.lists()[i]
		for _, r := range *rows {
			if k := find(*mine, r.Name); k >= 0 {
				(*mine)[k].take(&r)
			} else {
				*mine = append(*mine, r)
			}
		}
	}
}

// replace replaces existing rows with newly measured ones, and adds new rows.
func (c *calibration) replace(by *calibration) {
	for i, rows := range by.lists() {
		mine := c.lists()[i]
		for _, r := range *rows {
			if k := find(*mine, r.Name); k >= 0 {
				old := (*mine)[k]
				(*mine)[k] = r
				if *tier != "" { // the other tier's figure stays
					(*mine)[k] = old
					(*mine)[k].take(&r)
					(*mine)[k].Gas, (*mine)[k].N = r.Gas, r.N
				}
			} else {
				*mine = append(*mine, r)
			}
		}
	}
	c.Table, c.Date, c.CPU, c.Go, c.Busy = by.Table, by.Date, by.CPU, by.Go, by.Busy
}

func find(rows []row, name string) int {
	return slices.IndexFunc(rows, func(r row) bool { return r.Name == name })
}

// take copies the figures that another row of the same name has.
func (r *row) take(other *row) {
	if other.Interp != nil {
		r.Interp = other.Interp
	}
	if other.Native != nil {
		r.Native = other.Native
	}
}

// finish computes what follows from the rows.
func (c *calibration) finish() {
	c.NSPerUnit = medianPerUnit(c.Operations)
	if len(c.Operations) == 0 {
		c.NSPerUnit = medianPerUnit(c.Statements)
	}
	for i := range c.Statements {
		if r := &c.Statements[i]; r.Call != "" && r.Interp != nil {
			want := gas.Call(r.Call) + int64(r.Interp.NS/c.NSPerUnit-r.Gas+0.5)
			r.Fix = fmt.Sprintf("%s %d → %d", r.Call, gas.Call(r.Call), max(want, 0))
		}
	}
}

func medianPerUnit(rows []row) float64 {
	s := slices.Clone(rows)
	if s = slices.DeleteFunc(s, func(r row) bool { return r.Interp == nil }); len(s) == 0 {
		return 1
	}
	slices.SortFunc(s, func(a, b row) int { return cmp.Compare(a.perUnit(), b.perUnit()) })
	return s[len(s)/2].perUnit()
}
