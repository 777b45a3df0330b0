package load

import (
	"bytes"
	"errors"
	"go/ast"
	"go/scanner"
	"go/token"
	"regexp"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/front/load/diag"
)

// Syntax errors. go/parser finds the same errors as the compiler's parser, but words them
// differently, and after an error it resumes at another place. syntaxErrors rewrites the common
// ones into the compiler's words, and leaves out a missing closing brace at the end of a file with
// other errors, because it is usually a consequence of those.

// A rewording replaces the part of a message of go/parser that a regular expression matches. In the
// replacement $T is the unexpected token, which the first subexpression matches, in the compiler's
// words.
type rewording struct {
	re   func() *regexp.Regexp // compiled when there is an error to reword
	with string
}

// expr compiles a regular expression at its first use.
func expr(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

var rewordings = []rewording{
	{expr(`^expected '}', found 'EOF'$`), "unexpected EOF, expected }"},
	{expr(`^expected if statement or block, found .*$`), "else must be followed by if or statement block"},
	{expr(`^expected '{', found (?P<tok>.*)$`), "unexpected $T, expected {$C"},
	{expr(`^expected declaration, found .*`), "non-declaration statement outside function body"},
	{expr(`^expected ';', found (?P<tok>.*)$`), "unexpected $T $W"},
	{expr(`^expected operand, found (?P<tok>.*)$`), "unexpected $T, expected expression"},
	{expr(`^expected 'IDENT', found (?P<tok>.*)$`), "unexpected $T, expected name"},
	{expr(`^expected type, found (?P<tok>.*)$`), "unexpected $T, expected type"},
	{expr(`^missing ',' before (?P<tok>newline) in (argument list|parameter list)$`),
		"unexpected $T in $2; possibly missing comma or )"},
	{expr(`^missing ',' before (?P<tok>newline) in composite literal$`),
		"unexpected $T in composite literal; possibly missing comma or }"},
	{expr(`^missing ',' in (argument list|parameter list)$`),
		"unexpected $N in $1; possibly missing comma or )"},
	{expr(`^missing ',' in composite literal$`),
		"unexpected $N in composite literal; possibly missing comma or }"},
	{expr(`^expected '([^']+)', found (?P<tok>.*)$`), "unexpected $T, expected $1"},
}

// withoutPrefix rewords errors of the compiler's scanner or parser that do not begin with "syntax
// error:".
var withoutPrefix = []rewording{
	{expr(`^illegal character (U\+.*)$`), "invalid character $1"},
	{expr(`^string literal not terminated$`), "newline in string"},
	{expr(`^raw string literal not terminated$`), "string not terminated"},
	{expr(`^rune literal not terminated$`), "newline in rune literal"},
	{expr(`^illegal rune literal$`), "more than one character in rune literal"},
	{expr(`^'_' must separate successive digits$`), "'_' must separate successive digits"},
	{expr(`^unknown escape sequence$`), "unknown escape"},
	{expr(`^(invalid digit .*)$`), "$1"},
	{expr(`^((middle|final) index required in 3-index slice|interface method must have no type parameters)$`), "$1"},
	{expr(`^(can only use \.\.\. with final parameter)$`), "$1"},
	{expr(`^comment not terminated$`), "comment not terminated"},
}

// syntaxErrors converts the parser's errors for a file.
func (l *loader) syntaxErrors(p *pkg, f *file, src []byte, err error) (out diag.Errors) {
	var list scanner.ErrorList
	if !errors.As(err, &list) {
		return diag.Errors{{Package: p.importPath, Msg: err.Error()}}
	}
	for _, e := range list {
		pos, end := e.Pos, token.Position{}
		if n := tokenSize(src, e.Pos.Offset); n > 0 {
			end = ending(e.Pos, f.token.Position(token.Pos(f.token.Base()+e.Pos.Offset+n)))
		}
		if strings.HasSuffix(e.Msg, "found 'EOF'") {
			if len(out) > 0 {
				continue
			}
			pos.Line, pos.Column = endOfFile(src)
		}
		if strings.HasPrefix(e.Msg, "string literal not") || strings.HasPrefix(e.Msg, "rune literal not") {
			pos.Column += bytes.IndexByte(append(src[e.Pos.Offset:len(src):len(src)], '\n'), '\n')
		}
		if strings.HasPrefix(e.Msg, "expected 'package'") || strings.HasPrefix(e.Msg, "missing import path") {
			// The go command finds these errors itself, before it calls the compiler.
			pos.Filename = l.Short(pos.Filename)
			f.head = &diag.Error{Pos: pos, End: end, Msg: e.Msg}
			return nil
		}
		pos.Filename = diag.DotSlash(l.Short(pos.Filename))
		out = append(out, &diag.Error{Package: p.importPath, Pos: pos, End: end, Msg: reword(e, f, src)})
	}
	return out
}

// endOfFile returns the line and column after the last byte of a file.
func endOfFile(src []byte) (line, column int) {
	return bytes.Count(src, []byte("\n")) + 1, len(src) - bytes.LastIndexByte(src, '\n')
}

func reword(e *scanner.Error, f *file, src []byte) string {
	for _, r := range withoutPrefix {
		if r.re().MatchString(e.Msg) {
			return r.re().ReplaceAllString(e.Msg, r.with)
		}
	}
	for _, r := range rewordings {
		m := r.re().FindStringSubmatch(e.Msg)
		if m == nil {
			continue
		}
		msg := r.re().ReplaceAllString(e.Msg, strings.NewReplacer("$T", "\x01", "$W", "\x02", "$N", "\x03", "$C",
			"\x04").Replace(r.with))
		found := ""
		if i := r.re().SubexpIndex("tok"); i >= 0 {
			found = m[i]
		}
		where := whereIs(f.ast, token.Pos(f.token.Base()+e.Pos.Offset))
		return "syntax error: " + strings.NewReplacer(
			"\x01", tokenWords(found),
			"\x02", where,
			"\x03", tokenWords(tokenAt(src, e.Pos.Offset)),
			"\x04", clause(src, e.Pos.Offset),
		).Replace(msg)
	}
	return "syntax error: " + strings.Replace(e.Msg, "expecting", "expected", 1)
}

// whereIs returns the compiler's words for the place where a semicolon was expected, from the part
// of the file that could be parsed.
func whereIs(f *ast.File, pos token.Pos) string {
	where := "after top level declaration"
	for _, d := range f.Decls {
		if d.Pos() < pos {
			where = "after top level declaration"
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
				where = "at end of statement"
			}
		}
		ast.Inspect(d, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.StructType:
				if n.Fields.Opening < pos && (pos <= n.Fields.Closing || !n.Fields.Closing.IsValid()) {
					where = "in struct type; possibly missing semicolon or newline or }"
				}
			case *ast.InterfaceType:
				if n.Methods.Opening < pos && (pos <= n.Methods.Closing || !n.Methods.Closing.IsValid()) {
					where = "in interface type; possibly missing semicolon or newline or }"
				}
			}
			return true
		})
	}
	return where
}

// clause names the statement that begins the line, after which an opening brace was expected.
func clause(src []byte, offset int) string {
	line := src[bytes.LastIndexByte(src[:min(offset, len(src))], '\n')+1:]
	word, _, _ := bytes.Cut(bytes.TrimLeft(line, " \t}"), []byte(" "))
	switch w := string(word); w {
	case "if", "for":
		return " after " + w + " clause"
	}
	return ""
}

// tokenWords describes a token of go/parser's messages as the compiler does.
func tokenWords(tok string) string {
	tok, quoted := strings.CutPrefix(tok, "'")
	if quoted {
		tok = strings.TrimSuffix(tok, "'")
	}
	switch {
	case tok == "newline" || tok == "EOF":
		return tok
	case token.IsKeyword(tok):
		return "keyword " + tok
	case quoted && tok == ";":
		return "semicolon"
	case quoted && tok == ",":
		return "comma"
	case quoted && len(tok) > 0 && !token.IsIdentifier(tok) && tok[0] != '"' && tok[0] != '`':
		return tok
	case token.IsIdentifier(tok):
		return "name " + tok
	}
	return "literal " + tok
}

// tokenAt returns the token at an offset in the form of go/parser's messages.
func tokenAt(src []byte, offset int) string {
	if offset >= len(src) {
		return "'EOF'"
	}
	fset := token.NewFileSet()
	tf := fset.AddFile("", -1, len(src)-offset)
	var s scanner.Scanner
	s.Init(tf, src[offset:], nil, 0)
	_, tok, lit := s.Scan()
	switch {
	case tok == token.SEMICOLON && lit == "\n":
		return "newline"
	case tok.IsLiteral():
		return lit
	}
	return "'" + tok.String() + "'"
}
