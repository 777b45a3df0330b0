package main

import (
	"cmp"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/gyrvm/gyr"
)

// notMeasured is printed for a row whose time is unknown. It does not mean that the row is cheap.
const notMeasured = "NOT MEASURED"

// A printer writes a table, as text or as Markdown.
type printer struct {
	out io.Writer
	w   *tabwriter.Writer
}

func newPrinter(out io.Writer, titles ...string) printer {
	p := printer{out, tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)}
	p.row(titles...)
	if *md {
		for range titles {
			fmt.Fprint(out, "|---")
		}
		fmt.Fprintln(out, "|")
	}
	return p
}

func (p *printer) row(cells ...string) {
	for _, c := range cells {
		if *md {
			fmt.Fprintf(p.out, "| %s ", strings.ReplaceAll(c, "|", `\|`))
		} else {
			fmt.Fprintf(p.w, "%s\t", c)
		}
	}
	if *md {
		fmt.Fprintln(p.out, "|")
	} else {
		fmt.Fprintln(p.w)
	}
}

func (p *printer) end() {
	p.w.Flush()
	fmt.Fprintln(p.out)
}

// ns returns the time of one execution in a tier.
func (r *row) ns(t gyr.Tier) string {
	if f := r.figure(t); f != nil {
		return fmt.Sprintf("%.2f", f.NS)
	}
	return notMeasured
}

// loopsText returns the time of a unit in terms of the plain loop in a tier.
func (r *row) loopsText(t gyr.Tier) string {
	if q := r.loops(t); q > 0 {
		return fmt.Sprintf("%.2f", q)
	}
	return notMeasured
}

// printTable prints rows and returns how many are out of proportion.
func printTable(out io.Writer, title string, rows []row, median float64) (bad int) {
	if len(rows) == 0 {
		return 0
	}
	titles := []string{title, "ns", "units", "of median", "plain loops", "ns native", "plain loops native", "verdict"}
	if !*md {
		titles = append(titles, "")
	}
	p := newPrinter(out, titles...)
	for _, r := range rows {
		q := r.perUnit() / median
		v, ok := verdict(&r, q)
		if !ok {
			bad++
		}
		cells := []string{r.Name, r.ns(gyr.TierInterp), fmt.Sprintf("%.2f", r.Gas), fmt.Sprintf("%.2f", q), r.loopsText(gyr.TierInterp),
			r.ns(gyr.TierNative), r.loopsText(gyr.TierNative), v}
		if !*md {
			cells = append(cells, r.Fix)
		}
		p.row(cells...)
	}
	p.end()
	return bad
}

// printPrimitives prints rows of primitives, and returns how many were measured in no tier.
func printPrimitives(out io.Writer, rows []row) (bad int) {
	if len(rows) == 0 {
		return 0
	}
	p := newPrinter(out, "primitive", "units", "ns", "plain loops", "ns native", "plain loops native")
	for _, r := range rows {
		if r.worst() == 0 {
			bad++
		}
		p.row(r.Name, fmt.Sprintf("%.2f", r.Gas), r.ns(gyr.TierInterp), r.loopsText(gyr.TierInterp), r.ns(gyr.TierNative), r.loopsText(gyr.TierNative))
	}
	p.end()
	return bad
}

// printWorst prints the rows of any kind whose unit takes longest in terms of the plain loop.
func printWorst(out io.Writer, c *calibration, n int) {
	all := slices.Concat(c.Operations, c.Statements, c.Primitives)
	slices.SortStableFunc(all, func(a, b row) int { return cmp.Compare(b.worst(), a.worst()) })
	p := newPrinter(out, "row", "units", "ns", "plain loops", "ns native", "plain loops native")
	for _, r := range all[:min(n, len(all))] {
		p.row(r.Name, fmt.Sprintf("%.2f", r.Gas), r.ns(gyr.TierInterp), r.loopsText(gyr.TierInterp), r.ns(gyr.TierNative), r.loopsText(gyr.TierNative))
	}
	p.end()
}

// verdict says whether q, the time of a row relative to its price, is within the factor. If not, it
// says whether and why that is allowed.
func verdict(r *row, q float64) (text string, ok bool) {
	if r.Interp == nil || r.Interp.NS < 0.3 {
		if noInstruction.MatchString(r.Name) {
			return nothing, true
		}
		return notMeasured, false
	}
	if q >= 1 / *factor && q <= *factor {
		return "ok", true
	}
	for _, e := range exceptions {
		if e.re.MatchString(r.Name) && e.cheap == (q < 1) {
			return e.why, true
		}
	}
	if r.Stmt && r.Call == "" {
		return "a sum", true
	}
	return "OUT", false
}

// nothing is the verdict of noInstruction.
const nothing = "no instruction of its own here"

// noInstruction are operations that may need no instruction in the interpreter: its slots have 64
// bits for every type.
var noInstruction = regexp.MustCompile(`^(sext|zext|inttoptr|bitcast|load f64|add i32)`)

// exceptions are the rows that may cost less or more than their price.
var exceptions = []struct {
	re    *regexp.Regexp
	cheap bool
	why   string
}{
	{noInstruction, true, nothing},
	{regexp.MustCompile(`^(move|clear|moven|clearn|memeq|memcmp|indexbyte) `), true, "priced between cache and memory"},
	{regexp.MustCompile(`^(divs|divu|rems|remu|mulhi.) `), true, "priced for processors that are slow at it"},
	{regexp.MustCompile(`^(new|newarray) `), true, "priced for a heap with live objects"},
	{regexp.MustCompile(`^(\[\]rune\(string\)|string\(\[\]rune\)|map\[struct\]|select 2)`), true, "each round is charged by its dearest way"},
}
