package page

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/hot"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/bench/show"
	"github.com/gyrvm/gyr/internal/lab/markup"
)

// profile writes a cell's profile: functions, flame graph, listings.
func (p *page) profile(c *result.Cell) {
	if c == nil || c.Profile == nil {
		return
	}
	pr := c.Profile
	p.Add("<details class=\"profile\"><summary>Where the time goes: %s</summary>\n<div class=\"body\">\n", c.Engine)
	if pr.Failed != "" {
		p.Add("<p class=\"failed\">no profile: %s</p>\n", pr.Failed)
	}
	p.Add("<p class=\"about\">%s samples of %s, over %s iterations of a run of its own</p>\n", show.Number(float64(pr.Samples)), pr.By, show.Number(float64(pr.N)))
	if len(pr.Shares) > 0 {
		p.Table("shares")
		for _, s := range pr.Shares[:min(len(pr.Shares), 20)] {
			p.Add(`<tr><td class="n">%s</td><td class="meter"><svg width="100%%" height="10" aria-hidden="true"><rect class="%s" width="%.1f%%" height="10"/></svg></td><td><code>%s</code></td><td class="quiet">%s`,
				show.Percent(s.Share), markup.Markup(cmp.Or(kindClasses[s.Kind], "k-guest")), 100*min(max(s.Share, 0), 1), s.Func, s.Kind)
			p.AddIf(" at <code>%s</code>", s.Place)
			p.Add("</td></tr>\n")
		}
		p.EndTable()
	}
	p.flame(pr)
	listings := slices.Clone(pr.Listings)
	slices.SortStableFunc(listings, func(a, b record.Listing) int { return cmp.Compare(b.Share, a.Share) })
	for i := range listings {
		if i == mostListings {
			p.Add("<p class=\"about\">%d more functions are left out.</p>\n", len(listings)-i)
			break
		}
		p.listing(&listings[i])
	}
	p.Add("</div>\n</details>\n")
}

// A lineKey is a line of source.
type lineKey struct {
	file string
	line int
}

// links numbers the links between the panes of a listing: lines of source, and groups of
// instructions. The operation of the IR that became the group, or the several operations that begin
// together, link to it.
type links struct {
	lines  map[lineKey]int
	groups []int  // group of each instruction; -1: none
	begins []bool // whether the instruction is the first of its group
}

func newLinks(code []record.Instr) *links {
	l := &links{lines: map[lineKey]int{}}
	group, next := -1, 0
	var ops []string // operations of the group
	for i := range code {
		in := &code[i]
		if k := (lineKey{in.File, in.Line}); in.Line > 0 {
			if _, ok := l.lines[k]; !ok {
				l.lines[k] = len(l.lines)
			}
		}
		switch {
		case len(in.IR) > 0 && group >= 0 && slices.Equal(in.IR, ops):
			// The same operation continues.
		case len(in.IR) > 0:
			group, next, ops = next, next+1, in.IR
		case i > 0 && in.Cold != code[i-1].Cold:
			// Out-of-line code does not continue the code before it.
			group = -1
		}
		l.begins = append(l.begins, group >= 0 && (i == 0 || l.groups[i-1] != group))
		l.groups = append(l.groups, group)
	}
	return l
}

// attributes links an instruction, or one of its operations, with the other panes.
func (l *links) attributes(in *record.Instr, group int) markup.Markup {
	var b strings.Builder
	if in.Line > 0 {
		fmt.Fprintf(&b, ` data-s="%d"`, l.lines[lineKey{in.File, in.Line}])
	}
	if group >= 0 {
		fmt.Fprintf(&b, ` data-i="%d"`, group)
	}
	return markup.Markup(b.String())
}

// heat is the class of a share of all samples.
func heat(share float64) markup.Markup {
	for _, h := range []struct {
		from  float64
		class markup.Markup
	}{{.1, "l h3"}, {.05, "l h2"}, {.01, "l h1"}} {
		if share >= h.from {
			return h.class
		}
	}
	return "l"
}

// share prints a part of the samples, and nothing if it is negligible.
func share(v float64) string {
	if v < .0005 {
		return ""
	}
	return show.Percent(v)
}

// listing writes a function as panes of source, IR and code. Parts that belong together have the
// same numbers in data-s (line of source) and data-i (group of instructions).
func (p *page) listing(l *record.Listing) {
	code, gaps := shorten(l.Code, min(mostCode, mostOnPage-p.code))
	left := len(l.Code) - len(code)
	p.code += len(code)
	id := p.lists
	p.lists++
	p.Add("<h4><code>%s</code> <span class=\"quiet\">%s code, %s, %s of the samples</span></h4>\n", l.Func, l.Kind, show.Bytes(int64(l.Bytes)), show.Percent(l.Share))
	if left > 0 {
		p.Add("<p class=\"about\">%d of %d instructions are left out, first those that take no time: a page has its limits.</p>\n", left, len(l.Code))
	}
	if len(code) == 0 {
		return
	}
	k := newLinks(code)
	p.Add("<div class=\"listing\">\n")
	p.source(l, code, k)
	p.ir(code, k)
	p.instructions(code, gaps, k, id)
	p.Add("</div>\n")
}

// shorten drops instructions from code that is too long: first those that are not executed and take
// no time, except a few around the others, then those at the end. gaps says before which of the
// kept instructions some are missing.
func shorten(code []record.Instr, most int) (kept []record.Instr, gaps []bool) {
	const margin = 3
	most = max(most, 0)
	if len(code) <= most {
		return code, make([]bool, len(code))
	}
	show := make([]bool, len(code))
	for i := range code {
		if code[i].Share > 0 || code[i].Count > 0 {
			for k := max(i-margin, 0); k <= min(i+margin, len(code)-1); k++ {
				show[k] = true
			}
		}
	}
	for i, yes := range show {
		if yes && len(kept) < most {
			gaps = append(gaps, i > 0 && !show[i-1])
			kept = append(kept, code[i])
		}
	}
	return kept, gaps
}

func (p *page) pane(name string) {
	p.Add("<div class=\"pane %s\" tabindex=\"0\" role=\"group\" aria-label=\"%s; arrow keys move\">\n<div class=\"title\">%s</div>\n", markup.Markup(strings.ToLower(name[:2])), name, name)
}

// source writes the source lines of the code, and the lines around them that the record has.
func (p *page) source(l *record.Listing, code []record.Instr, k *links) {
	shares := map[lineKey]float64{}
	for i := range code {
		shares[lineKey{code[i].File, code[i].Line}] += code[i].Share
	}
	var lines []lineKey
	for file, list := range l.Source {
		for line := range list {
			lines = append(lines, lineKey{file, line})
		}
	}
	for key := range k.lines {
		if _, ok := l.Source[key.file][key.line]; !ok {
			lines = append(lines, key)
		}
	}
	if len(lines) == 0 {
		return
	}
	slices.SortFunc(lines, compareLines)
	p.pane("Source")
	left := max(len(lines)-mostSource, 0)
	for i, key := range lines[:len(lines)-left] {
		if i == 0 || lines[i-1].file != key.file {
			p.Add("<div class=\"file\" title=\"%s\">%s</div>\n", key.file, lastElements(key.file))
		} else if lines[i-1].line+1 != key.line {
			p.Add("<div class=\"file\">⋯</div>\n")
		}
		p.Add(`<div class="%s"`, heat(shares[key]))
		if n, ok := k.lines[key]; ok {
			p.Add(` data-s="%d"`, n)
		}
		p.Add("><span class=\"p\">%s</span><span class=\"at\">%d</span><code>%s</code></div>\n", share(shares[key]), key.line, l.Source[key.file][key.line])
	}
	if left > 0 {
		p.Add("<div class=\"file\">%d lines are left out</div>\n", left)
	}
	p.Add("</div>\n")
}

// lastElements are the last two elements of a path, which tell files apart in most packages.
func lastElements(path string) string {
	list := strings.Split(strings.ReplaceAll(path, `\`, "/"), "/")
	return strings.Join(list[max(len(list)-2, 0):], "/")
}

func compareLines(a, b lineKey) int {
	return cmp.Or(strings.Compare(a.file, b.file), cmp.Compare(a.line, b.line))
}

// ir writes the operations, in the order of their code.
func (p *page) ir(code []record.Instr, k *links) {
	if !slices.ContainsFunc(code, func(in record.Instr) bool { return len(in.IR) > 0 }) {
		return
	}
	sum := map[int]float64{}
	for i, g := range k.groups {
		sum[g] += code[i].Share
	}
	p.pane("IR")
	for i := range code {
		if !k.begins[i] {
			continue
		}
		for n, op := range code[i].IR {
			part := ""
			if n == 0 {
				part = share(sum[k.groups[i]])
			}
			p.Add("<div class=\"%s\"%s><span class=\"p\">%s</span><code>%s</code></div>\n", heat(sum[k.groups[i]]), k.attributes(&code[i], k.groups[i]), part, op)
		}
	}
	p.Add("</div>\n")
}

// instructions writes the code. Out-of-line code is folded up.
func (p *page) instructions(code []record.Instr, gaps []bool, k *links, id int) {
	labels := map[string]int{}
	for i := range code {
		if l := code[i].Label; l != "" {
			if _, ok := labels[l]; !ok {
				labels[l] = len(labels)
			}
		}
	}
	p.pane("Code")
	folded := false
	for i := range code {
		in := &code[i]
		if in.Cold && !folded {
			n := 0
			for i+n < len(code) && code[i+n].Cold {
				n++
			}
			p.Add("<details class=\"cold\"><summary>%d cold instructions</summary>\n", n)
			folded = true
		} else if !in.Cold && folded {
			p.Add("</details>\n")
			folded = false
		}
		if gaps[i] {
			p.Add("<div class=\"file\">⋯</div>\n")
		}
		if in.Label != "" {
			p.Add("<div class=\"label\" id=\"l%d-%d\">%s:</div>\n", id, labels[in.Label], in.Label)
		}
		if len(in.Inlined) > 0 && (i == 0 || !slices.Equal(in.Inlined, code[i-1].Inlined)) {
			p.Add("<div class=\"inlined\">inlined: %s</div>\n", strings.Join(in.Inlined, " ← "))
		}
		p.Add("<div class=\"%s\"%s><span class=\"p\">%s</span><span class=\"n\">%s</span><span class=\"at\">%s</span><code>%s</code>", heat(in.Share), k.attributes(in, k.groups[i]), share(in.Share), count(in.Count), strconv.FormatInt(int64(in.At), 16), in.Text)
		if in.To != "" {
			// Most code names the label itself.
			name := in.To
			if strings.Contains(in.Text, name) {
				name = ""
			}
			if n, ok := labels[in.To]; ok {
				p.Add(` <a class="to" href="#l%d-%d" tabindex="-1" title="to %s">→ %s</a>`, id, n, in.To, name)
			} else if name != "" {
				p.Add(` <span class="to">→ %s</span>`, name)
			}
		}
		p.Add("</div>\n")
	}
	if folded {
		p.Add("</details>\n")
	}
	p.Add("</div>\n")
}

// count prints how often an iteration executes an instruction.
func count(v float64) string {
	switch {
	case v < 0:
		return ""
	case v == 0:
		return "never"
	}
	text := show.Number(v)
	if strings.Contains(text, ".") {
		text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	}
	return text + "×"
}

// difference compares, line of source by line of source, the hottest function that the first engine
// and another one both have a listing of.
func (p *page) difference(row *result.Row) {
	first := row.Cells[0]
	if first == nil || first.Profile == nil {
		return
	}
	for _, c := range row.Cells[1:] {
		if c == nil || c.Profile == nil {
			continue
		}
		a, b := common(first.Profile.Listings, c.Profile.Listings)
		if a != nil {
			p.sideBySide(first.Engine, c.Engine, a, b)
		}
	}
}

// common finds the function with the largest share that both have.
func common(a, b []record.Listing) (x, y *record.Listing) {
	for i := range a {
		for k := range b {
			if a[i].Func == b[k].Func && len(a[i].Code) > 0 && len(b[k].Code) > 0 && (x == nil || a[i].Share+b[k].Share > x.Share+y.Share) {
				x, y = &a[i], &b[k]
			}
		}
	}
	return x, y
}

// sideBySide writes two listings of a function by lines of source. If both are code of one kind, it
// marks instructions that only one side has, registers aside.
func (p *page) sideBySide(nameA, nameB string, a, b *record.Listing) {
	codeA, codeB := a.Code[:min(len(a.Code), mostCode)], b.Code[:min(len(b.Code), mostCode)]
	if p.code+len(codeA)+len(codeB) > mostOnPage {
		p.Add("<p class=\"about\">The code of %s and %s is not set side by side: the page is at its limit.</p>\n", nameA, nameB)
		return
	}
	p.code += len(codeA) + len(codeB)
	same := map[*record.Instr]bool{}
	marked := a.Kind == b.Kind
	if marked {
		x, y := *a, *b
		x.Code, y.Code = codeA, codeB
		for _, row := range hot.Diff(&x, &y) {
			if row.Same {
				same[row.A], same[row.B] = true, true
			}
		}
	}
	lines := map[lineKey]bool{}
	for _, code := range [][]record.Instr{codeA, codeB} {
		for i := range code {
			lines[lineKey{code[i].File, code[i].Line}] = true
		}
	}
	p.Add("<details class=\"profile\"><summary>Code of <code>%s</code>: %s beside %s</summary>\n<div class=\"body scroll\">\n<table class=\"beside\"><thead><tr><th>%s, %d instructions</th><th>%s, %d instructions</th></tr></thead>\n<tbody>\n",
		a.Func, nameA, nameB, nameA, len(a.Code), nameB, len(b.Code))
	side := func(engine string, code []record.Instr, key lineKey, class markup.Markup) {
		p.Add("<td data-engine=\"%s\">", engine)
		for i := range code {
			if (lineKey{code[i].File, code[i].Line}) != key {
				continue
			}
			mark := markup.Markup("")
			if marked && !same[&code[i]] {
				mark = " " + class
			}
			p.Add("<div class=\"%s%s\"><span class=\"p\">%s</span><code>%s</code></div>", heat(code[i].Share), mark, share(code[i].Share), code[i].Text)
		}
		p.Add("</td>")
	}
	for _, key := range slices.SortedFunc(maps.Keys(lines), compareLines) {
		text, ok := a.Source[key.file][key.line]
		if !ok {
			text = b.Source[key.file][key.line]
		}
		p.Add("<tr><th colspan=\"2\"><span class=\"at\">%d</span><code>%s</code></th></tr>\n<tr>", key.line, text)
		side(nameA, codeA, key, "removed")
		side(nameB, codeB, key, "added")
		p.Add("</tr>\n")
	}
	p.Add("</tbody></table>\n</div>\n</details>\n")
}
