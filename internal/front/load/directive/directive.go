package directive

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// A Directive is a //go: comment that the compiler would act on.
type Directive struct {
	Pos  token.Pos
	Text string // after "//go:", without trailing space
}

// Split returns the directive's name and its arguments.
func (d *Directive) Split() (name, args string) {
	name, args, _ = strings.Cut(d.Text, " ")
	if i := strings.IndexByte(name, '\t'); i >= 0 {
		name, args = d.Text[:i], d.Text[i+1:]
	}
	return name, strings.TrimSpace(args)
}

// Pragma is a set of compiler directives of a function.
type Pragma uint32

const (
	NoInline Pragma = 1 << iota
	NoSplit
	NoEscape
	UintptrEscapes
	UintptrKeepAlive
	NoCheckPtr
	SystemStack
	NoWriteBarrier
)

// ignoredDirectives have no effect here.
var ignoredDirectives = []string{"build ", "generate ", "fix "}

// OfText finds the directives of a file of the standard library in its text: lines that begin
// with //go:. That is several times cheaper than letting the parser keep comments. No raw string or
// block comment of the supported release's library contains such a line (a test checks it).
func OfText(src []byte, tf *token.File) []Directive {
	var out []Directive
	prefix := []byte("//go:")
	for off := 0; ; {
		i := bytes.Index(src[off:], prefix)
		if i < 0 {
			return out
		}
		start := off + i
		end := len(src)
		if n := bytes.IndexByte(src[start:], '\n'); n >= 0 {
			end = start + n
		}
		off = end
		if start == 0 || src[start-1] == '\n' {
			out = addDirective(out, tf.Pos(start), string(src[start:end]))
		}
	}
}

// OfComments finds the directives among the comments of a file.
func OfComments(f *ast.File) []Directive {
	var out []Directive
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				out = addDirective(out, c.Pos(), c.Text)
			}
		}
	}
	return out
}

func addDirective(list []Directive, pos token.Pos, line string) []Directive {
	text := strings.TrimRight(line[len("//go:"):], " \t\r")
	for _, p := range ignoredDirectives {
		if strings.HasPrefix(text, p) {
			return list
		}
	}
	return append(list, Directive{pos, text})
}

// Pragmas are the directives about a function that later stages may look up.
var Pragmas = map[string]Pragma{
	"noinline":           NoInline,
	"nosplit":            NoSplit,
	"noescape":           NoEscape,
	"uintptrescapes":     UintptrEscapes,
	"uintptrkeepalive":   UintptrKeepAlive,
	"nocheckptr":         NoCheckPtr,
	"systemstack":        SystemStack,
	"nowritebarrier":     NoWriteBarrier,
	"nowritebarrierrec":  NoWriteBarrier,
	"yeswritebarrierrec": 0,
}

// A Linkname is a //go:linkname directive, or a variant that differs only in what other packages
// may pull.
type Linkname struct {
	Name   string // of the directive
	Local  string
	Target string // empty: the directive only marks the symbol as accessible
	Args   int    // how many arguments it has
	Pos    token.Pos
}

// LinknameStd is the name of a directive that gives a symbol only to the standard library. In a
// program it acts as linkname: gc's linker checks only references to symbols of the standard
// library.
const LinknameStd = "linknamestd"

// Linknames returns the linkname directives among the directives of a file.
func Linknames(list []Directive) []Linkname {
	var out []Linkname
	for i := range list {
		d := &list[i]
		name, args := d.Split()
		if name != "linkname" && name != LinknameStd {
			continue
		}
		a := strings.Fields(args)
		ln := Linkname{Name: name, Args: len(a), Pos: d.Pos}
		switch len(a) {
		case 1:
			ln.Local = a[0]
		case 2:
			ln.Local, ln.Target = a[0], a[1]
		}
		out = append(out, ln)
	}
	return out
}

// OfDecl returns the directives of a file that come before a declaration and after the end of the
// previous one.
func OfDecl(f *ast.File, list []Directive, i int) []Directive {
	if len(list) == 0 {
		return nil
	}
	decls := f.Decls
	start, end := f.Name.End(), decls[i].Pos()
	if i > 0 {
		start = decls[i-1].End()
	}
	// Pos of a FuncDecl or GenDecl is that of its keyword; doc comments come before it.
	var out []Directive
	for _, d := range list {
		if start <= d.Pos && d.Pos < end {
			out = append(out, d)
		}
	}
	return out
}
