package show

import (
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/markup"
)

// Half prints how far an interval reaches from its value: ±0.6 %. If the sides differ, it prints
// the longer one. It is empty without an interval.
func Half(i result.Interval) string {
	reach := max(i.Hi-i.Value, i.Value-i.Lo) / i.Value
	if math.IsNaN(reach) || math.IsInf(reach, 0) {
		return ""
	}
	return "±" + Percent(reach)
}

// Verdict tells a comparison in words.
func Verdict(c *result.Comparison) string {
	if c == nil {
		return ""
	}
	switch c.Verdict {
	case result.Same:
		return "same (±" + Percent(c.Delta) + ")"
	case result.Unresolved:
		if !(c.Visible > 0) || math.IsInf(c.Visible, 0) {
			return "unresolved"
		}
		return "unresolved, could see " + Percent(c.Visible)
	case result.Few:
		return "ratio " + strconv.FormatFloat(c.Ratio, 'f', ratioDigits(c.Ratio), 64) + ", too few visits"
	}
	return Times(c.Ratio, c.Lo, c.Hi)
}

// Times tells a ratio of times in words, with its interval: 1.3 times as slow (1.29-1.33). The ends
// are NaN without an interval.
func Times(ratio, lo, hi float64) string {
	word := "slow"
	if ratio < 1 {
		word, ratio, lo, hi = "fast", 1/ratio, 1/hi, 1/lo
	}
	if math.IsNaN(ratio) || math.IsInf(ratio, 0) {
		return none
	}
	print := func(v float64, digits int) string { return markup.Thousands(strconv.FormatFloat(v, 'f', digits, 64)) }
	digits := ratioDigits(ratio)
	if math.IsNaN(lo) || math.IsNaN(hi) || math.IsInf(lo, 0) || math.IsInf(hi, 0) {
		return print(ratio, digits) + " times as " + word
	}
	// A ratio rounded out of its interval would look wrong.
	for unit := math.Pow10(digits); digits < 4 && lo <= ratio && ratio <= hi && (math.Round(ratio*unit)/unit < lo || math.Round(ratio*unit)/unit > hi); unit = math.Pow10(digits) {
		digits++
	}
	text := print(ratio, digits) + " times as " + word
	// The ends get one digit more than a small ratio, and enough digits to tell them from each
	// other and from 1.
	if digits == 1 && ratio < 9.95 {
		digits++
	}
	for digits < 5 && lo != hi && (print(lo, digits) == print(hi, digits) || math.Trunc(lo) == 1 && !strings.ContainsAny(print(lo, digits)[1:], "123456789")) {
		digits++
	}
	return text + fmt.Sprintf(" (%s-%s)", print(lo, digits), print(hi, digits))
}

// ratioDigits is the number of decimals of a ratio: 183, 18.3, 1.3, 1.04, 1.003.
func ratioDigits(ratio float64) int {
	if ratio < 1 && ratio > 0 {
		ratio = 1 / ratio
	}
	switch {
	case ratio >= 99.5:
		return 0
	case ratio >= 1.195:
		return 1
	case ratio >= 1.0095:
		return 2
	}
	return 3
}

// Relation is the text beside a cell's time. tag says whether it is the fastest or the baseline of
// its group. c compares it with another engine or revision. In the first column, if that is not
// compared with any, c compares it with its group.
func Relation(t *result.Table, row *result.Row, column int) (tag string, c *result.Comparison) {
	cell := row.Cells[column]
	if cell == nil || cell.Failed != "" {
		return "", nil
	}
	if column > 0 {
		return "", cell.ToOther
	}
	switch {
	case row.Fastest && groupSize(t, row) > 1:
		tag = "(fastest)"
	case row.Bench.Baseline && groupSize(t, row) > 1:
		tag = "(baseline)"
	}
	if cell.ToOther != nil {
		return tag, cell.ToOther
	}
	return tag, cell.InGroup
}

// Failure is the reason for a missing figure, in one line. The record has the rest: stacks and
// output.
func Failure(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}

// Compared says in a sentence what engines are compared with; empty with a single engine.
func Compared(r *result.Report) string {
	switch {
	case r.Record.Run != nil && r.Record.Run.Against != "":
		return "Each engine is compared with itself at the revision " + r.Record.Run.Against + "."
	case len(r.Engines) > 1:
		return "The other engines are compared with " + r.Engines[0] + "."
	}
	return ""
}

// groupSize is how many rows of the table are compared with each other, this row included.
func groupSize(t *result.Table, row *result.Row) int {
	if row.Bench.Group == "" {
		return 1
	}
	n := 0
	for _, r := range t.Rows {
		if r.Bench.Group == row.Bench.Group {
			n++
		}
	}
	return n
}
