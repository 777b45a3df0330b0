package show_test

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/tools/bench/fixture"
	"github.com/gyrvm/gyr/internal/tools/bench/result"
	"github.com/gyrvm/gyr/internal/tools/bench/show"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden compares what was written with testdata/name.
func golden(t *testing.T, name, got string) {
	t.Helper()
	file := filepath.Join("testdata", name)
	if *update {
		if err := os.WriteFile(file, []byte(got), 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s differs (-update writes it):\n%s", file, got)
	}
}

func text(t *testing.T, r *result.Report, o show.Options) string {
	t.Helper()
	var b strings.Builder
	if err := show.Text(&b, r, o); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestText: the same report for terminals of several widths.
func TestText(t *testing.T) {
	golden(t, "wide.txt", text(t, fixture.Report(), show.Options{Width: 140}))
	golden(t, "narrow.txt", text(t, fixture.Report(), show.Options{Width: 60}))
	golden(t, "default.txt", text(t, fixture.Report(), show.Options{}))
	golden(t, "verbose.txt", text(t, fixture.Report(), show.Options{Width: 110, Verbose: true}))
	golden(t, "one.txt", text(t, oneEngine(), show.Options{Width: 100}))
}

// oneEngine is the report without the other engines.
func oneEngine() *result.Report {
	r := fixture.Report()
	r.Engines, r.Means = r.Engines[:1], nil
	for _, t := range r.Tables {
		for _, row := range t.Rows {
			row.Cells = row.Cells[:1]
		}
	}
	return r
}
