package filetest

import (
	"cmp"
	"fmt"
	"go/build/constraint"
	"go/scanner"
	"go/token"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/gyrvm/gyr/internal/release"
	"github.com/gyrvm/gyr/internal/run/rt"
	"github.com/gyrvm/gyr/internal/tools/spelling"
)

// A form is how a directive is written.
type form uint8

const (
	line     form = iota // the value is on the line itself
	block                // the text is on the lines below
	function             // a block that names a function
)

// A kind is one kind of directive.
type kind struct {
	name   string
	form   form
	golden bool
	build  bool // a golden that needs no run
	figure bool // a golden that may be given again for a release of Go, which it names, and later ones
	set    func(in *Inputs, value string) error
}

// kinds lists all kinds, in the order in which update adds missing goldens.
var kinds = []*kind{
	{name: "Args", set: func(in *Inputs, v string) (err error) { in.Args, err = words(v); return err }},
	{name: "Env", set: setEnv},
	{name: "Seed", set: func(in *Inputs, v string) (err error) {
		in.Seed,
			err = strconv.ParseUint(v, 10, 64)
		return err
	}},
	{name: "GasLimit", set: func(in *Inputs, v string) (err error) { in.Gas, err = positive(v); return err }},
	{name: "MemoryLimit", set: setMemory},
	{name: "Timeout", set: setTimeout},
	{name: "Tier", set: setTier},
	{name: "Skip", set: setSkip},
	{name: "Stdin", form: block, set: func(in *Inputs, v string) error { in.Stdin = v; return nil }},
	{name: "CompileError", form: block, golden: true, build: true},
	{name: "Output", form: block, golden: true},
	{name: "Stderr", form: block, golden: true},
	{name: "Error", form: block, golden: true},
	{name: "Stacktrace", form: block, golden: true},
	{name: "ExitCode", golden: true},
	{name: "Gas", golden: true, figure: true},
	{name: "Allocs", golden: true, figure: true},
	{name: "MaxHeap", golden: true, figure: true},
	{name: "Host", form: block, golden: true},
	{name: "IR", form: function, golden: true, build: true},
	{name: "Asm", form: function, golden: true, build: true},
}

func kindOf(name string) *kind {
	i := slices.IndexFunc(kinds, func(k *kind) bool { return k.name == name })
	if i < 0 {
		return nil
	}
	return kinds[i]
}

// Inputs are the inputs of a filetest.
type Inputs struct {
	Args, Env []string
	Stdin     string
	Seed      uint64
	Gas       int64         // 0: not limited
	Memory    uint64        // 0: not given
	Timeout   time.Duration // 0: not given
	Tier      string
	Skip      constraint.Expr
	SkipWhy   string
}

// A Directive is one directive of a file.
type Directive struct {
	kind  *kind
	Arg   string // of IR and Asm: the function; of a figure: the release
	Value string // of a line: the rest of the line; of a block: the text
	Line  int    // the first line

	first, last int  // line indexes in the file, from 0
	empty       bool // a golden on a line without a value, which -update fills in
}

// Name is the directive's heading: its kind, and its argument if it has one.
func (d *Directive) Name() string { return heading(d.kind.name, d.Arg) }

func heading(name, arg string) string { return strings.TrimSpace(name + " " + arg) }

// A File is a parsed filetest.
type File struct {
	Name       string // as errors call it
	Inputs     Inputs
	Directives []*Directive

	src   []byte
	lines []string // with their newlines
}

// find returns the directive of a name, or nil.
func (f *File) find(name, arg string) *Directive {
	for _, d := range f.Directives {
		if d.kind.name == name && d.Arg == arg {
			return d
		}
	}
	return nil
}

// figure returns the golden of a figure that applies to a release of Go, or nil. It prefers the
// golden that names the newest release up to r, and falls back to the one that names none.
func (f *File) figure(name string, r *release.Release) (best *Directive) {
	for _, d := range f.Directives {
		if d.kind.name == name && d.minor() <= r.Minor && (best == nil || best.minor() < d.minor()) {
			best = d
		}
	}
	return best
}

// minor is the number of the release that a figure is for, 0 if it names none.
func (d *Directive) minor() int { return minorOf(d.Arg) }

// minorOf returns 27 for go1.27, and 0 for a name that is no release.
func minorOf(name string) int {
	number, ok := strings.CutPrefix(name, "go1.")
	if n, err := strconv.Atoi(number); ok && err == nil {
		return n
	}
	return 0
}

// Golden returns the value of a golden, if the file has it. arg is the function of IR and Asm.
func (f *File) Golden(name, arg string) (value string, ok bool) {
	if d := f.find(name, arg); d != nil && d.kind.golden {
		return d.Value, true
	}
	return "", false
}

// An Error is a mistake in the directives of a file.
type Error struct {
	Line int
	Msg  string
}

// Errors are the errors of a file, sorted by line.
type Errors []Error

func (e Errors) Error() string {
	var b strings.Builder
	for i, x := range e {
		if i > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "line %d: %s", x.Line, x.Msg)
	}
	return b.String()
}

// A comment is one // comment of the source, or a line of a /* comment.
type comment struct {
	line    int // from 1
	column  int // from 1
	text    string
	general bool // a /* comment
}

// Parse reads the directives of a filetest. The error is of type Errors.
func Parse(name string, src []byte) (*File, error) {
	f := &File{Name: name, src: src, lines: slices.Collect(strings.Lines(string(src)))}
	p := &parser{f: f}
	p.parse()
	if p.errs != nil {
		slices.SortStableFunc(p.errs, func(a, b Error) int { return cmp.Compare(a.Line, b.Line) })
		return f, p.errs
	}
	return f, nil
}

type parser struct {
	f    *File
	errs Errors
}

func (p *parser) errorf(line int, format string, args ...any) {
	p.errs = append(p.errs, Error{line, fmt.Sprintf(format, args...)})
}

// parse splits the comments at the last token of the file. The file need not be correct Go.
func (p *parser) parse() {
	fset := token.NewFileSet()
	file := fset.AddFile(p.f.Name, -1, len(p.f.src))
	var s scanner.Scanner
	s.Init(file, p.f.src, func(token.Position, string) {}, scanner.ScanComments)
	var comments []comment
	last, code := 0, 0 // line of the last token; comments above or on it
	for {
		pos, tok, lit := s.Scan()
		if tok == token.EOF {
			break
		}
		at := file.PositionFor(pos, false)
		if tok == token.SEMICOLON && lit == "\n" {
			continue
		}
		if tok != token.COMMENT {
			last, code = at.Line+strings.Count(lit, "\n"), len(comments)
			continue
		}
		text, isLine := strings.CutPrefix(lit, "//")
		if isLine {
			comments = append(comments, comment{line: at.Line, column: at.Column, text: text})
			continue
		}
		for i, l := range strings.Split(strings.TrimSuffix(lit[2:], "*/"), "\n") {
			comments = append(comments, comment{line: at.Line + i, text: l, general: true})
		}
	}
	for code < len(comments) && comments[code].line == last {
		code++
	}
	for _, c := range comments[:code] {
		if h, ok := readHead(strings.TrimLeft(c.text, " \t*")); ok && h.certain() {
			p.errorf(c.line,
				"directive %s above the end of the code, where nobody reads it: directives stand behind everything else",
				heading(h.name, h.arg))
		}
	}
	comments = comments[code:]
	for len(comments) > 0 {
		n := 1
		for n < len(comments) && comments[n].line == comments[n-1].line+1 && comments[n].general == comments[0].general {
			n++
		}
		p.group(comments[:n])
		comments = comments[n:]
	}
	p.conflicts()
}

// A head is a line that reads like the beginning of a directive.
type head struct {
	name, arg, value string
}

var headForm = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^([A-Z][A-Za-z]*)(?: ([^:]*[^: ]))?:(?:[ \t]+(.*))?$`)
})

// readHead parses a line, given without its slashes.
func readHead(text string) (head, bool) {
	m := headForm().FindStringSubmatch(strings.TrimRight(text, " \t\r"))
	if m == nil {
		return head{}, false
	}
	return head{m[1], m[2], m[3]}, true
}

// certain reports whether a line is a directive even inside a block's text. A block's head has
// nothing after the colon, so most lines that programs print are not mistaken for one.
func (h head) certain() bool {
	k := kindOf(h.name)
	switch {
	case k == nil:
		return false
	case k.form == function:
		return h.arg != "" && h.value == ""
	case h.arg != "" && !(k.figure && minorOf(h.arg) > 0):
		return false
	case k.form == block:
		return h.value == ""
	}
	return h.value != "" || k.golden
}

// group reads one comment: directives with a value on their line, and perhaps a block at the end.
func (p *parser) group(g []comment) {
	if g[0].general {
		p.errorf(g[0].line, "comment behind the code that is no directive")
		return
	}
	for i := 0; i < len(g); i++ {
		c := g[i]
		text, spaced := strings.CutPrefix(c.text, " ")
		h, ok := readHead(text)
		switch {
		case c.column != 1:
			p.errorf(c.line, "a directive begins its line")
			return
		case !ok:
			p.errorf(c.line, "comment behind the code that is no directive: want // Name:")
			return
		}
		k := kindOf(h.name)
		if k == nil {
			p.errorf(c.line, "unknown directive %s%s", h.name, suggestion(h.name))
			return
		}
		if !spaced {
			p.errorf(c.line, "directive %s: a blank is missing behind //", h.name)
		}
		d := &Directive{kind: k, Arg: h.arg, Value: h.value, Line: c.line, first: c.line - 1, last: c.line - 1}
		switch {
		case k.form == function && h.arg == "":
			p.errorf(c.line, "%s: no function named, as in // %s main.main:", k.name, k.name)
		case k.figure && h.arg != "" && minorOf(h.arg) == 0:
			p.errorf(c.line, "%s: %s is no release, as in // %s go1.27:", k.name, h.arg, k.name)
		case k.form != function && !k.figure && h.arg != "":
			p.errorf(c.line, "directive %s: a colon is missing behind the name", k.name)
		case k.form != line && h.value != "":
			p.errorf(c.line, "%s: the text begins on the next line", k.name)
		case k.form != line:
			d.Value = p.text(d, g[i+1:])
			d.last = g[len(g)-1].line - 1
			i = len(g)
		case h.value == "" && !k.golden:
			p.errorf(c.line, "%s: no value", k.name)
			continue
		case h.value == "":
			d.empty = true
		}
		p.add(d)
	}
}

// add keeps a directive if its value is valid and its name is new.
func (p *parser) add(d *Directive) {
	if old := p.f.find(d.kind.name, d.Arg); old != nil {
		p.errorf(d.Line, "second %s; the first is in line %d", d.Name(), old.Line)
		return
	}
	p.f.Directives = append(p.f.Directives, d)
	var err error
	switch {
	case d.kind.set != nil:
		err = d.kind.set(&p.f.Inputs, d.Value)
	case d.kind.form == line && !d.empty:
		_, err = strconv.ParseUint(d.Value, 10, 63)
	}
	if err != nil {
		if n, ok := err.(*strconv.NumError); ok {
			err = fmt.Errorf("%q is not a number that fits", n.Num)
		}
		p.errorf(d.Line, "%s: %v", d.Name(), err)
	}
}

// text reads the lines of a block.
func (p *parser) text(d *Directive, g []comment) string {
	var b strings.Builder
	for i, c := range g {
		text, spaced := strings.CutPrefix(c.text, " ")
		if raw := p.f.lines[c.line-1]; strings.HasSuffix(strings.TrimSuffix(raw, "\n"), "\r") {
			p.errorf(c.line, "the line ends in a carriage return")
		}
		if h, ok := readHead(text); ok && h.certain() {
			p.errorf(c.line, "directive %s inside the text of %s: put an empty line above it, or, if it is text, write \\%s",
				heading(h.name, h.arg), d.Name(), strconv.Quote(text))
			continue
		}
		if !spaced && text != "" {
			p.errorf(c.line, "%s: a blank is missing behind //", d.Name())
			continue
		}
		if text == `\` && i == len(g)-1 && i > 0 {
			return strings.TrimSuffix(b.String(), "\n")
		}
		l, err := unescape(text)
		if err != nil {
			p.errorf(c.line, "%s: %v", d.Name(), err)
		}
		b.WriteString(l + "\n")
	}
	return b.String()
}

// conflicts finds goldens that cannot be checked.
func (p *parser) conflicts() {
	f := p.f
	if c := f.find("CompileError", ""); c != nil && c.Value != "" {
		for _, d := range f.Directives {
			if d != c && d.kind.golden {
				p.errorf(d.Line, "%s is never checked: the program does not compile, says line %d", d.Name(), c.Line)
			}
		}
	}
	if s := f.Inputs.Skip; s != nil {
		s.Eval(func(tag string) bool {
			if !conditions[tag] {
				p.errorf(f.find("Skip", "").Line, "Skip: unknown condition %s", tag)
			}
			return false
		})
	}
}

// suggestion names the directive that the author may have meant.
func suggestion(name string) string {
	var names []string
	for _, k := range kinds {
		names = append(names, k.name)
	}
	best := spelling.Nearest(name, names)
	if best == "" {
		return ""
	}
	return "; did you mean " + best + "?"
}

// The functions below parse the values of lines.

func words(s string) (list []string, err error) {
	for s = strings.TrimLeft(s, " \t"); s != ""; s = strings.TrimLeft(s, " \t") {
		if s[0] == '"' || s[0] == '`' {
			q, err := strconv.QuotedPrefix(s)
			if err != nil {
				return nil, fmt.Errorf("%s: not a Go string", s)
			}
			w, _ := strconv.Unquote(q)
			s = s[len(q):]
			if s != "" && s[0] != ' ' && s[0] != '\t' {
				return nil, fmt.Errorf("no blank behind %s", q)
			}
			list = append(list, w)
			continue
		}
		n := strings.IndexFunc(s, unicode.IsSpace)
		if n < 0 {
			n = len(s)
		}
		list = append(list, s[:n])
		s = s[n:]
	}
	return list, nil
}

func positive(s string) (int64, error) {
	n, err := strconv.ParseInt(s, 10, 64)
	if err == nil && n <= 0 {
		err = fmt.Errorf("%d is not positive", n)
	}
	return n, err
}

func setEnv(in *Inputs, v string) (err error) {
	in.Env, err = words(v)
	for _, e := range in.Env {
		if strings.Index(e, "=") < 1 {
			return fmt.Errorf("%q is not NAME=value", e)
		}
	}
	return err
}

func setMemory(in *Inputs, v string) (err error) {
	in.Memory, err = rt.ParseSize(v)
	return err
}

func setTimeout(in *Inputs, v string) (err error) {
	if in.Timeout, err = time.ParseDuration(v); err == nil && in.Timeout <= 0 {
		err = fmt.Errorf("%s is not positive", v)
	}
	return err
}

func setTier(in *Inputs, v string) error {
	if v != "native" && v != "interp" {
		return fmt.Errorf("%q is neither native nor interp", v)
	}
	in.Tier = v
	return nil
}

// conditions are the names that Skip may use.
var conditions = map[string]bool{
	"short": true, "native": true, "interp": true, "always": true,
	"linux": true, "darwin": true, "windows": true, "freebsd": true, "amd64": true, "arm64": true,
}

func setSkip(in *Inputs, v string) (err error) {
	cond, why, _ := strings.Cut(v, "//")
	in.SkipWhy = strings.TrimSpace(why)
	if in.Skip, err = constraint.Parse("//go:build " + strings.TrimSpace(cond)); err != nil {
		in.Skip = nil
		return fmt.Errorf("%q is not a condition as in //go:build", strings.TrimSpace(cond))
	}
	return nil
}
