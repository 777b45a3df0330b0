package research

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Replayed is one proposal of a replay beside what was published of it.
type Replayed struct {
	Row       *ledger.Row // on its own parent, or in the chain if that is the same or alone was judged
	Chain     *ledger.Row // in the chain; nil: it was not judged there
	Published *ledger.Row // nil: the table has none
}

// Agree reports whether both say keep, or both do not. What was not published agrees.
func (r Replayed) Agree() bool {
	return r.Published == nil || (r.Published.Status == ledger.Keep) == (r.Row.Status == ledger.Keep)
}

// A Replay compares a session over an existing series with a published table.
type Replay struct {
	List  []Replayed
	Extra []*ledger.Row // published, but not in the series
	Shift int           // of the table's commits against its rows: -1, each row has the commit of the one before
	Table bool          // there is a table
}

// Matrix counts the rows by what was published (keep, discard, nothing) and what is
// found (keep, discard).
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

// Agrees reports whether no row of the table is contradicted.
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

// Replay matches the session's rows, whose sources are commits, with a published
// table; no rows for none.
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

// record is what the log keeps of a comparison.
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

// Kept is how many commits are kept, on their own parents or in the chain.
func (r *Replay) Kept() int {
	n := 0
	for _, x := range r.List {
		if x.Row.Status == ledger.Keep {
			n++
		}
	}
	return n
}

// matchTable finds for each commit of a series its row of a table, -1 for none, and
// the shift of the table's commits.
//
// Rows name commits, but a log that is written before its commit is made, or read
// from the commit after it, names the neighbour's. So the descriptions tell the
// shift: that with which they are most like the commits' subjects. Rows whose commit is
// none of the series, as a dash, are matched by their description alone, in order.
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
			// Of a run of discards all rows may name the same commit.
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

// alike is the likeness from which a description may be that of a commit.
const alike = 0.4

// likeness of two texts: the words that they share as a part of all their words.
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

// Text is the table of a replay with its matrix, for a terminal.
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
