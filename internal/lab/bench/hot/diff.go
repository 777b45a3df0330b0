package hot

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/sample"
	"github.com/gyrvm/gyr/internal/printable"
)

// A Row of a difference has an instruction of each listing, or of only one.
type Row struct {
	A, B *record.Instr // nil: none
	Same bool          // both do the same, apart from registers and addresses
}

// Scores of two aligned instructions. A gap scores nothing. Aligning equal instructions scores more
// than any use of them apart.
const (
	sameText = 5 // the same instruction with the same operands, apart from registers
	sameOp   = 3 // the same machine operation, for the same operation of the IR
	sameIR   = 2 // for the same operation of the IR
	sameName = 1 // the same machine operation
)

// maxCells bounds the table of an alignment. For larger listings, instructions that hardly matter
// are left out of both.
const maxCells = 16 << 20

// Diff aligns two listings in order, by the effect and the purpose of their instructions. If the
// listings are too long for the memory that this takes, it compares only the parts that Render
// shows.
func Diff(a, b *record.Listing) []Row {
	x, y := features(a.Code), features(b.Code)
	if len(x)*len(y) > maxCells {
		x, y = features(kept(a.Code)), features(kept(b.Code))
	}
	for len(x)*len(y) > maxCells { // still too large: their beginnings
		x, y = x[:(len(x)+1)/2], y[:(len(y)+1)/2]
	}
	return align(x, y)
}

// kept are the instructions of a listing that Render shows.
func kept(code []record.Instr) (out []record.Instr) {
	for i, yes := range shown(code, false) {
		if yes {
			out = append(out, code[i])
		}
	}
	return out
}

// Pair finds the listings of two profiles that are worth comparing. These are the listings of the
// program's own function with the largest share in both, if they have one in common, else of the
// function with the largest share in each. Nil: a profile has no listing.
func Pair(p, q *record.Profile) (a, b *record.Listing) {
	best := 0.0
	for i := range p.Listings {
		for j := range q.Listings {
			x, y := &p.Listings[i], &q.Listings[j]
			if n := min(x.Share, y.Share); x.Func == y.Func && own(p, x.Func) && (a == nil || n > best) {
				a, b, best = x, y, n
			}
		}
	}
	if a != nil {
		return a, b
	}
	return hottest(p), hottest(q)
}

// own reports whether a function belongs to the program, not to a runtime.
func own(p *record.Profile, name string) bool {
	for _, s := range p.Shares {
		if s.Func == name {
			return s.Kind == sample.Guest
		}
	}
	return true // it was listed by request
}

// hottest is the listing of the program's function with the largest share, or of another function
// if the program's own has none.
func hottest(p *record.Profile) (best *record.Listing) {
	for i := range p.Listings {
		x := &p.Listings[i]
		if best == nil || own(p, x.Func) && !own(p, best.Func) || own(p, x.Func) == own(p, best.Func) && x.Share > best.Share {
			best = x
		}
	}
	return best
}

// A feature is what instructions are compared by.
type feature struct {
	in       *record.Instr
	text, op string // without registers and addresses; op is the operation alone
	ir       string // operations of the IR without the numbers of values
}

// patterns match the parts that do not count when instructions are compared. They are compiled on
// first use: otherwise every start of the command would pay for them.
var patterns = sync.OnceValue(func() (p struct{ registers, targets, throughTable, values *regexp.Regexp }) {
	p.registers = regexp.MustCompile(`%?\b(?:[re]?[abcd]x|[re]?[sd]il?|r(?:[89]|1[0-5])[dwb]?|[xyz]mm\d+|[re][sb]p|[abcd][lh])\b|\b[XYZ]\d+\b`)
	p.targets = regexp.MustCompile(`\b(?:b|l|out|edge)[0-9a-f]+\b|\b0x[0-9a-f]{5,}\b`)
	p.throughTable = regexp.MustCompile(`\*table\[(.*)\]`) // guests call functions by name like this
	p.values = regexp.MustCompile(`\b[vb]\d+\b`)
	return p
})

func features(code []record.Instr) []feature {
	out := make([]feature, len(code))
	p := patterns()
	for i := range code {
		x := &code[i]
		text, _, _ := strings.Cut(x.Text, "  #")
		text = p.throughTable.ReplaceAllString(text, "$1")
		op, _, _ := strings.Cut(text, " ")
		if op != "" && op[0] == 'j' && !strings.HasPrefix(op, "jmp") {
			op = "jcc" // the condition depends on which way falls through
		}
		out[i] = feature{
			in: x, op: op, text: p.targets.ReplaceAllString(p.registers.ReplaceAllString(text, "r"), "l"),
			ir: p.values.ReplaceAllString(strings.Join(x.IR, "; "), "v"),
		}
	}
	return out
}

func (x *feature) score(y *feature) int32 {
	ir := x.ir == y.ir && x.ir != ""
	switch {
	case x.text == y.text && (x.ir == y.ir || x.ir == "" || y.ir == ""):
		return sameText + 1
	case x.text == y.text:
		return sameText
	case x.op == y.op && ir:
		return sameOp
	case ir:
		return sameIR
	case x.op == y.op:
		return sameName
	}
	return 0
}

// align finds the alignment with the largest sum of scores.
func align(x, y []feature) (rows []Row) {
	w := len(y) + 1
	best := make([]int32, (len(x)+1)*w) // best score of the rest after both positions
	for i := len(x) - 1; i >= 0; i-- {
		for j := len(y) - 1; j >= 0; j-- {
			n := max(best[(i+1)*w+j], best[i*w+j+1])
			if s := x[i].score(&y[j]); s > 0 {
				n = max(n, s+best[(i+1)*w+j+1])
			}
			best[i*w+j] = n
		}
	}
	i, j := 0, 0
	for i < len(x) || j < len(y) {
		switch here := best[i*w+j]; {
		case i < len(x) && j < len(y) && here > 0 && x[i].score(&y[j]) > 0 && here == x[i].score(&y[j])+best[(i+1)*w+j+1]:
			rows = append(rows, Row{x[i].in, y[j].in, x[i].text == y[j].text})
			i, j = i+1, j+1
		case i < len(x) && (j == len(y) || here == best[(i+1)*w+j]):
			rows = append(rows, Row{A: x[i].in})
			i++
		default:
			rows = append(rows, Row{B: y[j].in})
			j++
		}
	}
	return rows
}

// sideBySide is the least width for listings side by side.
const sideBySide = 120

// RenderDiff prints the difference of two listings: side by side if it fits, else one below the
// other, with - and + before instructions that only one of them has. It folds instructions that
// take no time if they are equal or hardly ever executed.
func RenderDiff(w io.Writer, a, b *record.Listing, o Options) error {
	r := newRenderer(w, o)
	rows := Diff(a, b)
	shownRows := make([]bool, len(rows))
	busyA, busyB := busiest(a.Code), busiest(b.Code)
	for i := range rows {
		x := &rows[i]
		cold := (x.A == nil || isCold(x.A, busyA)) && (x.B == nil || isCold(x.B, busyB))
		if o.All || !x.Same && !cold || hotIn(x.A) || hotIn(x.B) {
			for k := max(0, i-diffMargin); k <= min(len(rows)-1, i+diffMargin); k++ {
				shownRows[k] = true
			}
		}
	}
	r.line("--- %s", head(a))
	r.line("+++ %s", head(b))
	same, only := 0, [2]int{}
	for i, x := range rows {
		switch {
		case x.A == nil:
			only[1]++
		case x.B == nil:
			only[0]++
		case x.Same:
			same++
		}
		if !shownRows[i] {
			if i+1 == len(rows) || shownRows[i+1] {
				n := 1
				for n <= i && !shownRows[i-n] {
					n++
				}
				r.line("  ...  %d instructions, equal or cold ...", n)
			}
			continue
		}
		if o.Width >= sideBySide {
			r.beside(x)
		} else {
			r.below(x)
		}
	}
	r.line("%d instructions are equal, %d changed, %d only in the first listing, %d only in the second", same,
		len(rows)-same-only[0]-only[1], only[0], only[1])
	return r.w.Flush()
}

// diffMargin is how many equal instructions are shown around a difference.
const diffMargin = 3

// hotIn reports whether an instruction takes enough time to be shown.
func hotIn(x *record.Instr) bool { return x != nil && x.Share >= seedShare }

// sideText is an instruction in a column of the side-by-side view.
func sideText(x *record.Instr) string {
	if x == nil {
		return ""
	}
	text := fmt.Sprintf("%s %6s  %s", self(x.Share), times(x.Count), printable.Line(x.Text))
	if len(x.IR) > 0 {
		text += "  ; " + printable.Line(strings.Join(x.IR, "; "))
	}
	return text
}

func (r *renderer) beside(x Row) {
	half := (r.o.Width - 3) / 2
	left := fit(sideText(x.A), half)
	mark := "|"
	switch {
	case x.A == nil:
		mark = ">"
	case x.B == nil:
		mark = "<"
	case x.Same:
		mark = " "
	}
	share := 0.0
	for _, in := range []*record.Instr{x.A, x.B} {
		if in != nil {
			share = max(share, in.Share)
		}
	}
	fmt.Fprintln(r.w, r.colored(share, strings.TrimRight(left+" "+mark+" "+strings.TrimRight(fit(sideText(x.B), half), " "), " ")))
}

func (r *renderer) below(x Row) {
	put := func(mark string, in *record.Instr) {
		fmt.Fprintln(r.w, r.colored(in.Share, r.cut(strings.TrimRight(mark+" "+sideText(in), " "))))
	}
	switch {
	case x.A != nil && x.B != nil && x.Same && x.A.Share == x.B.Share && x.A.Count == x.B.Count:
		put(" ", x.B)
	default:
		if x.A != nil {
			put("-", x.A)
		}
		if x.B != nil {
			put("+", x.B)
		}
	}
}

// fit pads or cuts a text to n columns.
func fit(s string, n int) string {
	if k := utf8.RuneCountInString(s); k <= n {
		return s + strings.Repeat(" ", n-k)
	}
	return string([]rune(s)[:max(n-1, 0)]) + "…"
}
