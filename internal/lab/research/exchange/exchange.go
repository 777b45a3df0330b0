// Package exchange reads and writes the logs of other tools: the JSON lines of pi-autoresearch, which
// hundreds of repositories hold as .auto/log.jsonl or autoresearch.jsonl, and the table results.tsv of
// karpathy/autoresearch.
//
// The logs that people have were written by programs, by agents and by hand. So an import takes what it can
// and says in notes what it made of the rest; it never makes a value up. A missing value
// is missing, and not 0, which would be the best there ever was where less is better.
package exchange

import (
	"fmt"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Log is what was imported.
type Log struct {
	// Entries are *ledger.Config and *ledger.Row in the order of the file; the first one is a
	// Config. Rows have numbers from 1 in each file, rising.
	Entries []any
	Notes   []string // on lines that were skipped or understood in an unusual way
}

// Lines are the entries as lines of a ledger.
func (l *Log) Lines() []ledger.Line {
	lines := make([]ledger.Line, len(l.Entries))
	for i, e := range l.Entries {
		switch e := e.(type) {
		case *ledger.Config:
			lines[i].Config = e
		case *ledger.Row:
			lines[i].Row = e
		}
	}
	return lines
}

// Rows are the rows alone.
func (l *Log) Rows() []*ledger.Row { return ledger.Rows(l.Lines()) }

func (l *Log) note(line int, format string, args ...any) {
	l.Notes = append(l.Notes, fmt.Sprintf("line %d: ", line)+fmt.Sprintf(format, args...))
}

// verdicts are the finer words for the statuses of logs that have only these.
var verdicts = map[string]string{
	ledger.Keep: ledger.VerdictKeep, ledger.Discard: "", ledger.Crash: ledger.VerdictCrash,
	ledger.ChecksFailed: ledger.VerdictChecksFailed,
}
