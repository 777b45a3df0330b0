package hot

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/printable"
)

// Options say how a profile is printed.
type Options struct {
	Color bool // shares above a tenth and a twentieth in colours
	All   bool // all listed functions in full, nothing folded
	Width int  // columns of the terminal; 0: unlimited
	Most  int  // how many listings, largest shares first; 0: all
}

// Shares from which on an instruction or a function is highlighted.
const (
	veryHot = 0.1
	warm    = 0.05
	// rowShare and rowMost select the functions of the table: least share, largest number.
	rowShare, rowMost = 0.01, 10
)

// Render prints a profile: the table of functions, then the listings.
func Render(w io.Writer, p *record.Profile, o Options) error {
	r := newRenderer(w, o)
	r.profile(p)
	return r.w.Flush()
}

type renderer struct {
	w *bufio.Writer
	o Options
}

func newRenderer(w io.Writer, o Options) *renderer { return &renderer{bufio.NewWriter(w), o} }

func (r *renderer) line(format string, args ...any) {
	s := strings.TrimRight(fmt.Sprintf(format, args...), " ")
	fmt.Fprintln(r.w, r.cut(s))
}

// cut ends a line at the edge of the terminal.
func (r *renderer) cut(s string) string {
	if r.o.Width <= 0 || utf8.RuneCountInString(s) <= r.o.Width {
		return s
	}
	return string([]rune(s)[:max(r.o.Width-1, 0)]) + "…"
}

// colored prints a line in the colour of a share. The line must have been cut before.
func (r *renderer) colored(share float64, s string) string {
	switch {
	case !r.o.Color || share < warm:
		return s
	case share < veryHot:
		return "\x1b[33m" + s + "\x1b[0m"
	}
	return "\x1b[1;31m" + s + "\x1b[0m"
}

// how says how the shares of a profile were obtained.
func how(p *record.Profile) string {
	switch p.By {
	case "":
		return "nothing was recorded"
	case "blocks":
		return "by executed instructions, each counted alike"
	case "ticks":
		return fmt.Sprintf("%s samples of the interpreter, exact to the operation", thousands(p.Samples))
	case "pprof":
		return fmt.Sprintf("%s samples of runtime/pprof", thousands(p.Samples))
	}
	return fmt.Sprintf("%s samples of %s, skid ±1 instruction", thousands(p.Samples), p.By)
}

func (r *renderer) profile(p *record.Profile) {
	r.line("Hot code when running %s  (%s, %s)", printable.Line(p.Bench), p.Engine, how(p))
	if p.Failed != "" {
		r.line("  %s", printable.Line(p.Failed))
	}
	width := 0
	rows := p.Shares
	if !r.o.All {
		for n, s := range rows {
			if n == rowMost || s.Share < rowShare {
				rows = rows[:n]
				break
			}
		}
	}
	for _, s := range rows {
		width = max(width, utf8.RuneCountInString(printable.Line(s.Func)))
	}
	width = min(width, 60)
	for _, s := range rows {
		text := fmt.Sprintf("%s  %-*s  %-10s %s", percent(s.Share), width, printable.Line(s.Func), "["+s.Kind+"]", printable.Line(s.Place))
		fmt.Fprintln(r.w, r.colored(s.Share, r.cut(strings.TrimRight(text, " "))))
	}
	if rest := len(p.Shares) - len(rows); rest > 0 {
		sum := 0.0
		for _, s := range p.Shares[len(rows):] {
			sum += s.Share
		}
		r.line("%s  %d others", percent(sum), rest)
	}
	left := 0
	for i := range p.Listings {
		if r.o.Most > 0 && i >= r.o.Most {
			left = len(p.Listings) - i
			break
		}
		r.line("")
		r.listing(&p.Listings[i])
	}
	if left > 0 {
		r.line("%d more functions are listed with -v, and by 'gyr bench asm'", left)
	}
	if len(p.Listings) > 0 {
		r.line("")
		r.legend(p)
	}
}

func (r *renderer) legend(p *record.Profile) {
	kinds := map[string]bool{}
	counted := false
	for _, l := range p.Listings {
		kinds[l.Kind] = true
		for _, x := range l.Code {
			counted = counted || x.Count >= 0
		}
	}
	text := "self%: of all samples; the time of an instruction may show at the one behind it."
	if p.By == "blocks" {
		text = "self%: of all instructions that were executed."
	}
	if counted {
		text += " n/op: executions an iteration, counted; never: not once."
	}
	r.line("%s", text)
	if kinds["native"] {
		r.line("%%mem: where the guest's memory begins, %%gas: what may be charged.")
	}
}

// Columns of a listing.
const (
	codeColumn = 42
)

// codes are the kinds of code in listings.
var codes = map[string]string{"native": "machine code", "interp": "register code", "go": "Go's machine code"}

// head is the heading of a listing.
func head(l *record.Listing) string {
	return fmt.Sprintf("%s: %s of the time, %s bytes of %s", printable.Line(l.Func), strings.TrimSpace(percent(l.Share)), thousands(l.Bytes),
		cmp.Or(codes[l.Kind], l.Kind))
}

func (r *renderer) listing(l *record.Listing) {
	r.line("%s", head(l))
	show := shown(l.Code, r.o.All)
	counted, ir := false, ""
	for _, x := range l.Code {
		counted = counted || x.Count >= 0
		if len(x.IR) > 0 {
			ir = "; IR"
		}
	}
	n := "   n/op"
	if !counted {
		n = ""
	}
	r.line(" self%%%s   off  %-*s%s", n, codeColumn, "code", ir)
	file, at, inlined := "", 0, ""
	for i := 0; i < len(l.Code); i++ {
		if !show[i] {
			from, executed, known := i, 0.0, counted
			for i < len(l.Code) && !show[i] {
				executed = max(executed, l.Code[i].Count)
				known = known && l.Code[i].Count >= 0
				i++
			}
			r.folded(i-from, executed, known)
			i--
			file, at = "", 0
			continue
		}
		x := &l.Code[i]
		if in := strings.Join(x.Inlined, " < "); x.Line > 0 && (x.File != file || x.Line != at || in != inlined) {
			file, at, inlined = x.File, x.Line, in
			place := fmt.Sprintf("%s:%d", filepath.Base(x.File), x.Line)
			if len(x.Inlined) > 0 {
				place += " (inlined " + strings.Join(x.Inlined, " < ") + ")"
			}
			r.line("              %s   %s", printable.Line(place), printable.Line(strings.TrimSpace(l.Source[x.File][x.Line])))
		}
		if x.Label != "" && i > 0 {
			r.line("              %s:", printable.Line(x.Label))
		}
		r.instr(x, counted)
	}
}

// folded stands for n instructions, each executed at most this often if that is known.
func (r *renderer) folded(n int, executed float64, known bool) {
	what := "cold instructions"
	switch {
	case known && executed == 0:
		what = "instructions, never executed"
	case executed > 0:
		what = fmt.Sprintf("cold instructions, at most %s/op", times(executed))
	}
	r.line("  ...  %d %s ...", n, what)
}

func (r *renderer) instr(x *record.Instr, counted bool) {
	n := ""
	if counted {
		n = fmt.Sprintf(" %6s", times(x.Count))
	}
	text := fmt.Sprintf("%s%s  %4x  %s", self(x.Share), n, x.At, printable.Line(x.Text))
	if len(x.IR) > 0 {
		column := 14 + codeColumn
		if counted {
			column += 7
		}
		text += strings.Repeat(" ", max(1, column-utf8.RuneCountInString(text))) + "; " + printable.Line(strings.Join(x.IR, "; "))
	}
	fmt.Fprintln(r.w, r.colored(x.Share, r.cut(strings.TrimRight(text, " "))))
}

// percent is a share in six columns.
func percent(x float64) string { return fmt.Sprintf("%5.1f%%", 100*x) }

// self is the share of an instruction; a dot for none.
func self(x float64) string {
	switch {
	case x == 0:
		return "   .  "
	case x < 0.0005:
		return " <0.1%"
	}
	return percent(x)
}

// times is how often something is executed.
func times(n float64) string {
	switch {
	case n < 0:
		return "?"
	case n == 0:
		return "never"
	case n < 0.001:
		return "<0.001"
	case n == float64(int64(n)) && n < 1e6:
		return strconv.FormatInt(int64(n), 10)
	case n < 1000:
		return strconv.FormatFloat(n, 'g', 3, 64)
	case n < 1e6:
		return strconv.FormatFloat(n, 'f', 0, 64)
	}
	return strings.Replace(strconv.FormatFloat(n, 'e', 1, 64), "e+0", "e", 1)
}

// thousands is a number with commas.
func thousands(n int) string {
	s := strconv.Itoa(n)
	for i := len(s) - 3; i > 0 && s[i-1] != '-'; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return s
}
