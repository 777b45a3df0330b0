package bench_test

import (
	"cmp"
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/suites/docpart"
)

var update = flag.Bool("update", false, "write the table of diagnoses in docs/bench.md")

// TestDocs: the table of diagnoses in docs/bench.md matches the three packages that make them.
func TestDocs(t *testing.T) {
	docpart.Check(t, "../../../docs/bench.md", "codes", "./internal/lab/bench", codes()+"\n", *update)
}

// codes is the table of all diagnoses. A code that several packages make has a row for each.
func codes() string {
	type row struct{ code, severity, title, from, cure string }
	var rows []row
	for from, list := range map[string][]benchvet.Rule{"source": benchvet.Rules, "trial": benchvet.TrialRules} {
		for _, r := range list {
			severity := "warning"
			if r.Error {
				severity = "error"
			}
			rows = append(rows, row{r.Code, severity, r.Title, from, r.Cure})
		}
	}
	for _, r := range proof.Rules {
		rows = append(rows, row{r.Code, string(r.Severity), r.Title, "compiler", r.Cure})
	}
	for _, c := range result.Codes() {
		rows = append(rows, row{c.Code, string(c.Severity), c.Title, "figures", c.Cure})
	}
	order := []string{"source", "trial", "compiler", "figures"}
	slices.SortStableFunc(rows, func(a, b row) int {
		return cmp.Or(cmp.Compare(a.code, b.code), slices.Index(order, a.from)-slices.Index(order, b.from))
	})
	var b strings.Builder
	b.WriteString("| code | severity | what | seen in | cure |\n|---|---|---|---|---|\n")
	for _, r := range rows {
		fmt.Fprintf(&b, "| %s | %s | %s | %s | %s |\n", r.code, r.severity, r.title, r.from, strings.ReplaceAll(r.cure, "|", "\\|"))
	}
	return b.String()
}
