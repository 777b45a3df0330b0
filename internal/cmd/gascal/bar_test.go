package main

import (
	"flag"
	"fmt"
	"math"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr"
	_ "github.com/gyrvm/gyr/internal/suites/stdlayers" // the standard library is compiled once
)

var every = flag.Bool("every", false, "TestBar counts the gas of all rows anew, not only of those near the bar")

// TestBar: no unit of gas buys more time than the bar allows. It takes the recorded times and
// counts the gas again, so a lower price or a lost charge fails on every machine. Without -every it
// counts the rows that take at least half of the time that they may.
func TestBar(t *testing.T) {
	c := keptCalibration(t)
	p, err := compilePrimitives()
	if err != nil {
		t.Fatal(err)
	}
	names, err := primitiveNames(p)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		if find(c.Primitives, name) < 0 {
			t.Errorf("%s is not measured: go run ./internal/cmd/gascal -only '^%s$' -json internal/gas/testdata/calibration.json", name, regexp.QuoteMeta(name))
		}
	}
	counted := 0
	if *every {
		if err := recountAll(&c); err != nil {
			t.Fatal(err)
		}
		counted = len(c.Operations) + len(c.Statements) + len(c.Primitives)
	}
	for i := range c.Primitives {
		r := &c.Primitives[i]
		if !slices.Contains(names, r.Name) {
			t.Errorf("%s is measured, and there is no such primitive any more", r.Name)
			continue
		}
		if !*every && r.worst() > bar/2 {
			before := r.Gas
			if err := recountPrimitive(p, r); err != nil {
				t.Fatal(err)
			}
			if q := r.Gas / before; q < 0.9 || q > 1.1 {
				t.Logf("%s: %.2f units, %.2f when it was measured", r.Name, r.Gas, before)
			}
			counted++
		}
	}
	t.Logf("the gas of %d rows is counted anew", counted)
	for _, problem := range checkBar(slices.Concat(c.Operations, c.Statements, c.Primitives)) {
		t.Error(problem)
	}
}

// TestCheckBar: checkBar finds a row above the bar in either tier, and a row without figures.
func TestCheckBar(t *testing.T) {
	fig := func(ns float64) *figure { return &figure{ns, 1} }
	rows := []row{
		{Name: "at the bar", Gas: 2, Interp: fig(2 * bar), Native: fig(2 * bar)},
		{Name: "dear in the interpreter", Gas: 2, Interp: fig(2*bar + 1), Native: fig(1)},
		{Name: "dear in machine code", Gas: 2, Interp: fig(1), Native: fig(2*bar + 1)},
		{Name: "without a figure", Gas: 2, N: 5, Interp: fig(1)},
	}
	got := strings.Join(checkBar(rows), "\n")
	for _, want := range []string{"dear in the interpreter: interp: a unit", "dear in machine code: native: a unit", "without a figure: native: " + notMeasured} {
		if strings.Count(got, want) != 1 {
			t.Errorf("%q is not among\n%s", want, got)
		}
	}
	if strings.Contains(got, "at the bar") || strings.Contains(got, "dear in machine code: interp") {
		t.Errorf("too much is found:\n%s", got)
	}
	if interp := checkBar(rows[:0:0]); len(interp) != len(above) {
		t.Errorf("of no rows %d exceptions are not needed, want %d", len(interp), len(above))
	}
}

// TestFigures: a value that is no time gives no figure, so that a file holds no infinity. Figures
// of one tier leave the other's alone.
func TestFigures(t *testing.T) {
	for _, c := range [][2]float64{{0, 1}, {-1, 1}, {math.NaN(), 1}, {math.Inf(1), 1}, {1, 0}, {1, math.NaN()}, {1, math.Inf(1)}} {
		if f := newFigure(c[0], c[1]); f != nil {
			t.Errorf("%v comes to %v", c, *f)
		}
	}
	c := calibration{Operations: []row{{Name: "a", Gas: 1, Interp: &figure{3, 1}}, {Name: "b", Gas: 1}}}
	c.merge(&calibration{Operations: []row{{Name: "a", Gas: 2, Native: &figure{4, 1}}}, Primitives: []row{{Name: "p", Gas: 1}}})
	c.finish()
	file := filepath.Join(t.TempDir(), "f")
	if err := c.write(file); err != nil {
		t.Fatal(err)
	}
	got, err := readCalibration(file, regexp.MustCompile("^[ap]$"))
	if err != nil {
		t.Fatal(err)
	}
	a := got.Operations[0]
	if len(got.Operations) != 1 || len(got.Primitives) != 1 || a.Gas != 1 || a.loops(gyr.TierInterp) != 3 || a.loops(gyr.TierNative) != 4 {
		t.Errorf("%+v", got)
	}
	*tier = "native"
	got.replace(&calibration{Operations: []row{{Name: "a", Gas: 2, Native: &figure{8, 2}}}})
	*tier = ""
	if a := got.Operations[0]; fmt.Sprint(a.Gas, *a.Interp, *a.Native) != "2 {3 1} {8 2}" {
		t.Errorf("%+v %v %v", a, a.Interp, a.Native)
	}
}
