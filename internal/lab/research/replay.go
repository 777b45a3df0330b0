package research

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Replayed is one proposal of a replay with its published row.
type Replayed struct {
	Row       *ledger.Row // on its own parent; in the chain if that is the same, or the only one judged
	Chain     *ledger.Row // in the chain; nil: not judged there
	Published *ledger.Row // nil: the table has none
}

// Agree reports whether both say keep, or both do not. An unpublished proposal agrees.
func (r Replayed) Agree() bool {
	return r.Published == nil || (r.Published.Status == ledger.Keep) == (r.Row.Status == ledger.Keep)
}

// A Replay compares a session over an existing series with a published table.
type Replay struct {
	List  []Replayed
	Extra []*ledger.Row // published, but not in the series
	Shift int           // between the table's commits and its rows: -1 if each row has the commit of the row before
	Table bool          // there is a table
}

// Matrix counts the rows by the published verdict (keep, discard, nothing) and the one found here
// (keep, discard).
func (r *Replay) Matrix() (m [3][2]int) {
	for _, x := range r.List {
		i, k := 2, 1
		if x.Published != nil {
			if i = 1; x.Published.Status == ledger.Keep {
				i = 0
			}
		}
		if x.Row.Status == ledger.Keep {
			k = 0
		}
		m[i][k]++
	}
	return m
}

// Agrees reports whether every row of the table agrees.
func (r *Replay) Agrees() bool {
	return !slices.ContainsFunc(r.List, func(x Replayed) bool { return !x.Agree() })
}

// Proposals are the segment's rows of proposals, in their order.
func (s *Session) Proposals() []*ledger.Row {
	var list []*ledger.Row
	for _, r := range s.state.current {
		if r.Verdict != ledger.VerdictBaseline && r.Verdict != ledger.VerdictCanary {
			list = append(list, r)
		}
	}
	return list
}

// Replay matches the session's rows, whose sources are commits, with a published table. The table
// may be empty.
func (s *Session) Replay(ctx context.Context, table []*ledger.Row) (*Replay, error) {
	series, err := s.repo.Range(ctx, s.config.Proposer.Range)
	if err != nil {
		return nil, err
	}
	var subjects []string
	for _, c := range series {
		message, err := s.repo.Message(ctx, c)
		if err != nil {
			return nil, err
		}
		subjects = append(subjects, firstLine(message))
	}
	match, shift := matchTable(series, subjects, table)
	r := &Replay{Shift: shift, Table: len(table) > 0}
	used := map[int]bool{}
	at := map[string]int{} // commit -> index in the list
	for _, row := range s.Proposals() {
		if i, ok := at[row.Source]; ok {
			r.List[i].Chain = row
			continue
		}
		x := Replayed{Row: row}
		if !row.Apart {
			x.Chain = row
		}
		if i := slices.Index(series, row.Source); i >= 0 {
			at[row.Source] = len(r.List)
			if k := match[i]; k >= 0 {
				x.Published, used[k] = table[k], true
			}
		}
		r.List = append(r.List, x)
	}
	for k, row := range table {
		if !used[k] && row.Verdict != ledger.VerdictBaseline {
			r.Extra = append(r.Extra, row)
		}
	}
	if !r.Table {
		return r, nil
	}
	return r, s.event(ledger.EventReplayed, "", r.record())
}

// record is the log's form of a comparison.
func (r *Replay) record() *ledger.Replayed {
	out := &ledger.Replayed{Shift: r.Shift, Matrix: r.Matrix(), Rows: map[int]ledger.Published{}}
	published := func(p *ledger.Row) ledger.Published {
		return ledger.Published{Status: p.Status, Metric: p.Metric, Description: p.Description}
	}
	for _, x := range r.List {
		if x.Published == nil {
			continue
		}
		p := published(x.Published)
		p.Agrees = x.Agree()
		out.Rows[x.Row.Run] = p
		if x.Chain != nil {
			out.Rows[x.Chain.Run] = p
		}
	}
	for _, row := range r.Extra {
		out.Extra = append(out.Extra, published(row))
	}
	return out
}

// Kept is the number of commits that are kept, on their own parents or in the chain.
func (r *Replay) Kept() int {
	n := 0
	for _, x := range r.List {
		if x.Row.Status == ledger.Keep {
			n++
		}
	}
	return n
}

// matchTable finds for each commit of a series its row of a table, -1 for none, and the shift of
// the table's commits.
//
// Rows name commits. But a log that is written before its commit exists, or read from the next
// commit, names the neighbour's. So descriptions decide: the shift is the one under which they are
// most like the commits' subjects. Rows whose commit is not in the series, a dash for example, are
// matched by their description alone, in order.
func matchTable(series, subjects []string, table []*ledger.Row) (match []int, shift int) {
	match = make([]int, len(series))
	named := make([]int, len(table)) // commit that a row names
	for k, row := range table {
		named[k] = slices.IndexFunc(series, func(c string) bool {
			return len(row.Commit) >= 7 && strings.HasPrefix(c, row.Commit)
		})
	}
	best := -1.0
	for _, try := range []int{0, -1, 1, -2, 2} {
		score := 0.0
		for k, row := range table {
			if i := named[k] - try; named[k] >= 0 && i >= 0 && i < len(series) {
				score += likeness(row.Description, subjects[i])
			}
		}
		if score > best+1e-9 {
			best, shift = score, try
		}
	}
	for i := range match {
		match[i] = -1
	}
	taken := make([]bool, len(table))
	for k := range table {
		if i := named[k] - shift; named[k] >= 0 && i >= 0 && i < len(series) && match[i] < 0 {
			// In a run of discards all rows may name the same commit.
			if shift != 0 && likeness(table[k].Description, subjects[i]) < alike {
				continue
			}
			match[i], taken[k] = k, true
		}
	}
	for i, subject := range subjects {
		if match[i] >= 0 {
			continue
		}
		most := alike
		for k, row := range table {
			if l := likeness(row.Description, subject); !taken[k] && l >= most {
				match[i], most = k, l+1e-9
			}
		}
		if match[i] >= 0 {
			taken[match[i]] = true
		}
	}
	return match, shift
}

// alike is the least likeness at which a description may belong to a commit.
const alike = 0.4

// likeness is the number of words that two texts share as a part of all their words.
func likeness(a, b string) float64 {
	words := func(s string) map[string]bool {
		m := map[string]bool{}
		for _, w := range strings.FieldsFunc(strings.ToLower(s),
			func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) }) {
			m[w] = true
		}
		return m
	}
	x, y := words(a), words(b)
	both := 0
	for w := range x {
		if y[w] {
			both++
		}
	}
	if len(x)+len(y)-both == 0 {
		return 0
	}
	return float64(both) / float64(len(x)+len(y)-both)
}

// Text prints a replay as a table with its matrix, for a terminal.
func (r *Replay) Text(c *Config) string {
	var b strings.Builder
	for _, x := range r.List {
		mark := " "
		if !x.Agree() {
			mark = "≠"
		}
		published := "-"
		if x.Published != nil {
			published = x.Published.Status
			if x.Published.Metric != nil {
				published += " " + number(*x.Published.Metric)
			}
		}
		if r.Table {
			fmt.Fprintf(&b, "%s %-16s", mark, published)
		}
		fmt.Fprintf(&b, "%s\n", rowLine(x.Row, c.objectives()))
		if x.Chain != nil && x.Chain != x.Row {
			if r.Table {
				fmt.Fprintf(&b, "%18s", "")
			}
			fmt.Fprintf(&b, "%s [in the chain]\n", rowLine(x.Chain, c.objectives()))
		}
	}
	if !r.Table {
		return b.String()
	}
	if r.Shift != 0 {
		fmt.Fprintf(&b,
			"\nthe table's commits are shifted against its rows by %+d: they are matched by their descriptions\n", r.Shift)
	}
	for _, row := range r.Extra {
		fmt.Fprintf(&b, "published, but no commit of the series: %s %s\n", row.Status, row.Description)
	}
	counts := r.Matrix()
	fmt.Fprintf(&b, "\n%-22s %8s %8s\n", "published \\ found", "keep", "discard")
	for i, name := range []string{"keep", "discard", "not in the table"} {
		fmt.Fprintf(&b, "%-22s %8d %8d\n", name, counts[i][0], counts[i][1])
	}
	return b.String()
}
