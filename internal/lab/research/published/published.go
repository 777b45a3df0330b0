// Package published reads the tables of published sessions, so that `gyr research replay -table`
// can compare them with its own results: logs of pi-autoresearch (pi.go), the table of
// karpathy/autoresearch (tsv.go), and tables in Markdown (markdown.go).
//
// Programs, agents and people wrote these tables. So a reader takes what it can and skips the rest.
// It invents no value: a missing value stays missing. It must not become 0, which would be the best
// value of all where less is better. A row has a commit, a status, a value and a description, as
// far as the table has them.
package published

import (
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// Read reads the rows of a table, without the baseline. The file's name tells the format: .jsonl
// and .json are pi's log, .tsv is karpathy's table, .md is Markdown with columns named commit,
// status and description.
func Read(name string, text []byte) ([]*ledger.Row, error) {
	var rows []*ledger.Row
	var err error
	switch filepath.Ext(name) {
	case ".md":
		return markdown(text)
	case ".jsonl", ".json":
		rows, err = pi(text)
	case ".tsv":
		rows, err = tsv(text)
	default:
		err = fmt.Errorf("%s is neither .jsonl, .tsv nor .md", name)
	}
	if len(rows) > 0 && (rows[0].Commit == "baseline" || strings.EqualFold(rows[0].Description, "baseline")) {
		rows = rows[1:]
	}
	return rows, err
}

// status is one of the four statuses. An unknown or missing one is a keep, as pi reads it.
func status(s string) string {
	switch strings.ReplaceAll(strings.ToLower(s), "-", "_") {
	case "discard", "discarded", "reject", "rejected", "revert", "reverted", "no_op", "noop":
		return ledger.Discard
	case "crash", "crashed", "error", "metric_error":
		return ledger.Crash
	case "checks_failed", "hook_blocked":
		return ledger.ChecksFailed
	}
	return ledger.Keep
}
