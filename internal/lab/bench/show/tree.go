package show

import (
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// A TreeRow is a line of a table's tree: a heading, or a benchmark.
type TreeRow struct {
	Heading string
	Depth   int // 1, or 2 below a heading
	Name    string
	Row     *result.Row
}

// Tree arranges the rows of a table: a group's rows below its name, and sub-benchmarks below the
// name of their function if it has several. Groups and functions stand where their first row does.
func Tree(t *result.Table) []TreeRow {
	// place is the heading of a row, and the row's name below that heading.
	place := func(r *result.Row) (heading, name string) {
		if g := r.Bench.Group; g != "" {
			return g, r.Bench.Name
		}
		if top, sub, ok := strings.Cut(r.Bench.Name, "/"); ok {
			return top, sub
		}
		return "", r.Bench.Name
	}
	below := map[string]int{}
	for _, r := range t.Rows {
		heading, _ := place(r)
		below[heading]++
	}
	var list []TreeRow
	done := map[string]bool{}
	for _, r := range t.Rows {
		heading, _ := place(r)
		if heading == "" || below[heading] < 2 {
			name := r.Bench.Name
			list = append(list, TreeRow{Depth: 1, Name: name, Row: r})
			continue
		}
		if done[heading] {
			continue
		}
		done[heading] = true
		list = append(list, TreeRow{Heading: heading})
		for _, other := range t.Rows {
			if h, name := place(other); h == heading {
				list = append(list, TreeRow{Depth: 2, Name: name, Row: other})
			}
		}
	}
	return list
}
