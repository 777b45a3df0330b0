package main

import (
	"flag"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/suites/docpart"
)

// TestVerdict: a price out of proportion is found, and passes only with a reason.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row    row
		q      float64
		factor float64
		text   string
		ok     bool
	}{
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 1, 2, "ok", true},
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 2, 2, "ok", true},
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 0.5, 2, "ok", true},
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 2.1, 2, "OUT", false},
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 0.4, 2, "OUT", false},
		{row{Name: "add i64", Interp: &figure{NS: 1, Plain: 1}}, 2.1, 3, "ok", true},
		{row{Name: "sext i32 i64", Interp: &figure{NS: 0.1, Plain: 1}}, 0.1, 2, "no instruction of its own here", true},
		{row{Name: "sext i32 i64"}, 0, 2, "no instruction of its own here", true},
		{row{Name: "add i64", Interp: &figure{NS: 0.1, Plain: 1}}, 0.1, 2, notMeasured, false},
		{row{Name: "mul i64"}, 0, 2, notMeasured, false},
		{row{Name: "moven 4096", Interp: &figure{NS: 30, Plain: 1}}, 0.4, 2, "priced between cache and memory", true},
		{row{Name: "moven 4096", Interp: &figure{NS: 30, Plain: 1}}, 2.5, 2, "OUT", false},
		{row{Name: "sort.Ints 64", Interp: &figure{NS: 5000, Plain: 1}, Stmt: true}, 0.3, 2, "a sum", true},
		{row{Name: "assert to interface", Interp: &figure{NS: 50, Plain: 1}, Stmt: true, Call: "getitab"}, 3, 2, "OUT", false},
	} {
		*factor = c.factor
		if text, ok := verdict(&c.row, c.q); text != c.text || ok != c.ok {
			t.Errorf("%s at %g of the median, factor %g: %q, %v; want %q, %v", c.row.Name, c.q, c.factor, text, ok, c.text, c.ok)
		}
	}
	*factor = 2
}

// busyFactor is the tolerance for figures of a busy machine.
const busyFactor = 2.5

const keptFile = "../../gas/testdata/calibration.json"

func keptCalibration(t *testing.T) calibration {
	t.Helper()
	c, err := readCalibration(keptFile, regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

// TestCalibration: the recorded measurements agree with the gas table.
func TestCalibration(t *testing.T) {
	c := keptCalibration(t)
	if len(c.Operations) < 100 || len(c.Statements) < 40 || len(c.Primitives) < 200 {
		t.Errorf("%d operations, %d statements and %d primitives", len(c.Operations), len(c.Statements), len(c.Primitives))
	}
	if c.Busy {
		*factor = busyFactor
		defer func() { *factor = 2 }()
	}
	for _, rows := range [][]row{c.Operations, c.Statements} {
		for _, r := range rows {
			if text, ok := verdict(&r, r.perUnit()/c.NSPerUnit); !ok {
				t.Errorf("%s: %s", r.Name, text)
			}
		}
	}
}

var update = flag.Bool("update", false, "write the tables of docs/gas.md")

// TestDocs: the tables of measurements in docs/gas.md show the recorded figures.
func TestDocs(t *testing.T) {
	c := keptCalibration(t)
	var tables strings.Builder
	*md = true
	fmt.Fprintf(&tables, "The figures: %s.\n\n", c.where())
	printTable(&tables, "operation", c.Operations, c.NSPerUnit)
	printTable(&tables, "statement", c.Statements, c.NSPerUnit)
	printPrimitives(&tables, c.Primitives)
	tables.WriteString("Above the bar:\n\n")
	printAbove(&tables)
	*md = false
	docpart.Check(t, "../../../docs/gas.md", "measurements", "./internal/gas", tables.String(), *update)
}
