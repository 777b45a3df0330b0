package bench_test

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

var update = flag.Bool("update", false, "write the table of diagnoses in docs/bench.md")

// TestDocs: the table of diagnoses in docs/bench.md is that of the three packages which make them.
func TestDocs(t *testing.T) {
	const (
		file  = "../../../docs/bench.md"
		begin = "<!-- codes: written by go generate ./internal/lab/bench -->\n"
		end   = "<!-- end of codes -->\n"
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
	want := head + begin + "\n" + codes() + "\n" + end + tail
	switch {
	case want == string(text):
	case *update:
		if err := os.WriteFile(file, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("the table in %s is not that of the packages: go generate ./internal/lab/bench", file)
	}
}

// codes is the table of all diagnoses. A code that several packages make has a row for each.
func codes() string {
	type row struct{ code, severity, title, from, cure string }
	var rows []row
	for _, r := range benchvet.Rules {
		severity := "warning"
		if r.Error {
			severity = "error"
		}
		rows = append(rows, row{r.Code, severity, r.Title, "source", r.Cure})
	}
	for _, r := range proof.Rules {
		rows = append(rows, row{r.Code, string(r.Severity), r.Title, "compiler", r.Cure})
	}
	for _, c := range result.Codes() {
		rows = append(rows, row{c.Code, string(c.Severity), c.Title, "figures", c.Cure})
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.code, b.code) })
	var b strings.Builder
	b.WriteString("| code | severity | what | seen in | cure |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.code, r.severity, r.title, r.from, strings.ReplaceAll(r.cure, "|", "\\|"))
	}
	return b.String()
}
