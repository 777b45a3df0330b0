package main

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

// A price that is out of proportion is found, and only what has a reason passes.
func TestVerdict(t *testing.T) {
	for _, c := range []struct {
		row    row
		q      float64
		factor float64
		text   string
		ok     bool
	}{
		{row{Name: "add i64", NS: 1}, 1, 2, "ok", true},
		{row{Name: "add i64", NS: 1}, 2, 2, "ok", true},
		{row{Name: "add i64", NS: 1}, 0.5, 2, "ok", true},
		{row{Name: "add i64", NS: 1}, 2.1, 2, "OUT", false},
		{row{Name: "add i64", NS: 1}, 0.4, 2, "OUT", false},
		{row{Name: "add i64", NS: 1}, 2.1, 3, "ok", true},
		{row{Name: "sext i32 i64", NS: 0.1}, 0.1, 2, "no instruction of its own here", true},
		{row{Name: "moven 4096", NS: 30}, 0.4, 2, "priced between cache and memory", true},
		{row{Name: "moven 4096", NS: 30}, 2.5, 2, "OUT", false},
		{row{Name: "sort.Ints 64", NS: 5000, Stmt: true}, 0.3, 2, "a sum", true},
		{row{Name: "assert to interface", NS: 50, Stmt: true, Call: "getitab"}, 3, 2, "OUT", false},
	} {
		*factor = c.factor
		if text, ok := verdict(&c.row, c.q); text != c.text || ok != c.ok {
			t.Errorf("%s at %g of the median, factor %g: %q, %v; want %q, %v", c.row.Name, c.q, c.factor, text, ok, c.text, c.ok)
		}
	}
	*factor = 2
}

// The measurements that are kept bear the table out.
func TestCalibration(t *testing.T) {
	c, err := readCalibration("../../gas/testdata/calibration.json", regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	if len(c.Operations) < 100 || len(c.Statements) < 40 {
		t.Errorf("%d operations and %d statements", len(c.Operations), len(c.Statements))
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

// TestDocs: the tables of measurements in docs/gas.md are those of the figures that are kept.
func TestDocs(t *testing.T) {
	const (
		file  = "../../../docs/gas.md"
		begin = "<!-- measurements: written by go generate ./internal/gas -->\n"
		end   = "<!-- end of measurements -->\n"
	)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(text), begin)
	_, tail, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s has no part between %q and %q", file, begin, end)
	}
	c, err := readCalibration("../../gas/testdata/calibration.json", regexp.MustCompile(""))
	if err != nil {
		t.Fatal(err)
	}
	var tables strings.Builder
	*md = true
	printTable(&tables, "operation", c.Operations, c.NSPerUnit)
	printTable(&tables, "statement", c.Statements, c.NSPerUnit)
	*md = false
	want := head + begin + "\n" + tables.String() + end + tail
	switch {
	case want == string(text):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the measurements in %s are not those that are kept: go generate ./internal/gas", file)
	}
}
