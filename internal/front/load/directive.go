package load

import (
	"bytes"
	"go/ast"
	"go/token"
	"strings"
)

// A directive is a //go: comment that the compiler would act on.
type directive struct {
	pos  token.Pos
	text string // after "//go:", without trailing space
}

// split returns the directive's name and its arguments.
func (d *directive) split() (name, args string) {
	name, args, _ = strings.Cut(d.text, " ")
	if i := strings.IndexByte(name, '\t'); i >= 0 {
		name, args = d.text[:i], d.text[i+1:]
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

// rawDirectives finds the directives of a file of the standard library in its text: lines that begin
// with //go:. That is several times cheaper than letting the parser keep comments. No raw string or
// block comment of the supported release's library contains such a line (a test checks it).
func rawDirectives(src []byte, tf *token.File) []directive {
	var out []directive
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

// commentDirectives finds the directives among the comments of a file.
func commentDirectives(f *ast.File) []directive {
	var out []directive
	for _, g := range f.Comments {
		for _, c := range g.List {
			if strings.HasPrefix(c.Text, "//go:") {
				out = addDirective(out, c.Pos(), c.Text)
			}
		}
	}
	return out
}

func addDirective(list []directive, pos token.Pos, line string) []directive {
	text := strings.TrimRight(line[len("//go:"):], " \t\r")
	for _, p := range ignoredDirectives {
		if strings.HasPrefix(text, p) {
			return list
		}
	}
	return append(list, directive{pos, text})
}

// pragmas are the directives about a function that later stages may look up.
var pragmas = map[string]Pragma{
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

// A linkname is a //go:linkname directive, or one that is the same but for what other packages may pull.
type linkname struct {
	name   string // of the directive
	local  string
	target string // empty: the directive only marks the symbol as accessible
	args   int    // how many there are
	pos    token.Pos
}

// linknameStd is the name of a directive that gives a symbol to the standard library alone. In a program it is as linkname, since gc's linker asks
// only who pulls what the standard library has.
const linknameStd = "linknamestd"

// linknames returns the linkname directives among those of a file.
func linknames(list []directive) []linkname {
	var out []linkname
	for i := range list {
		d := &list[i]
		name, args := d.split()
		if name != "linkname" && name != linknameStd {
			continue
		}
		a := strings.Fields(args)
		ln := linkname{name: name, args: len(a), pos: d.pos}
		switch len(a) {
		case 1:
			ln.local = a[0]
		case 2:
			ln.local, ln.target = a[0], a[1]
		}
		out = append(out, ln)
	}
	return out
}

// declDirectives returns those of a file's directives that stand before a declaration and after the end of the previous one.
func declDirectives(f *ast.File, list []directive, i int) []directive {
	if len(list) == 0 {
		return nil
	}
	decls := f.Decls
	start, end := f.Name.End(), decls[i].Pos()
	if i > 0 {
		start = decls[i-1].End()
	}
	// Pos of a FuncDecl or GenDecl is that of its keyword; doc comments come before it.
	var out []directive
	for _, d := range list {
		if start <= d.pos && d.pos < end {
			out = append(out, d)
		}
	}
	return out
}
