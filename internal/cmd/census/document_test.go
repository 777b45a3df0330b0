package main

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
)

// TestDocument writes a document, reads its rows, and writes it again without the modules' record.
func TestDocument(t *testing.T) {
	rec, err := readRecord(writeRecord(t))
	if err != nil {
		t.Fatal(err)
	}
	reasons, err := parseReasons("processes: A guest starts none.\n    prints no processes\nnamed: It is so.\n    test m/... TestNam.*\n    build m/build\n")
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	document(&out, rec, map[string]*row{"later@v1.0.0": {module: "later@v1.0.0", tests: 3}}, reasons, "2000-01-01", "what I have")
	got := out.String()
	for _, want := range []string{
		"Written on 2000-01-01. Measured: what I have.\n",
		"| modules measured | 3 | 2; 1 others cannot be measured; 0 have had no turn |\n",
		"| 98 % | 50.00 %: 2 of 4; vet refuses 1 others |\n", "| 95 % | 30.76 %: 4 of 13 |\n", "| 99.5 % | 38.46 %: 5 of 13 |\n",
		"| big@v1.0.0 | 2 | 2 | 4 | 50.00 % | 10 | 10.00 % | 20.00 % |\n",
		"| small@v1.0.0 | 2 | 2 | 0 | 0.00 % | 3 | 100.00 % | 100.00 % |\n",
		"| processes | 3 | 0 | A guest starts none. |\n", "| none | 1 | 0 | NO REASON IS KNOWN. |\n", "| skip | 1 | 0 | The test",
		"| later@v1.0.0 | 0 | 0 | 0 | 3 | 0 | 0 |  |\n",
		"| m@v1.0.0 | 4 | 1 | 2 | 10 | 9 | 8 | late 1 and packages 1: late TestLate slow; named 2 and packages 1: build lost TestNamed; none 1: lost TestOdd; " +
			"processes 3: lost TestExec TestPanic TestUnended; skip 1: good TestB |\n",
		"| n@v1.0.0 | 0 | 0 | 0 | 0 | 0 | 0 | not measured: no such module |\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("the document lacks %q", want)
		}
	}

	file := filepath.Join(t.TempDir(), "census.md")
	if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
		t.Fatal(err)
	}
	rows, err := readRows(file)
	if err != nil {
		t.Fatal(err)
	}
	if len(rows) != 3 || !reflect.DeepEqual(rows["m@v1.0.0"], rowOf(rec.modules["m@v1.0.0"], reasons)) || !rows["m@v1.0.0"].late() {
		t.Errorf("rows: %v", rows)
	}
	clear(rec.modules)
	out.Reset()
	document(&out, rec, rows, reasons, "2000-01-01", "what I have")
	if out.String() != got {
		t.Errorf("the second time:\n%s", out.String())
	}
	if t.Failed() {
		t.Logf("the document:\n%s", got)
	}
	if rows, err := readRows(file + ".none"); err != nil || len(rows) != 0 {
		t.Errorf("no document: %v, %v", rows, err)
	}
}
