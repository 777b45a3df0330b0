package load

import (
	"bytes"
	"go/ast"
	"go/scanner"
	"go/token"
	"go/types"
	"hash/crc32"
	"reflect"

	"github.com/gyrvm/gyr/internal/front/load/filetree"
)

// The ends of errors. Error texts have only the position where the erroneous source begins. Its end
// is for programs that show it.

// endOf returns the end of the source that a type error is about, or the zero value if it is not
// known. It is the type checker's end, else the end of the smallest syntax node that begins at the
// error's position, else the end of the token there.
func (l *loader) endOf(p *pkg, fset *token.FileSet, te types.Error) token.Position {
	end := checkerEnd(te)
	if end <= te.Pos {
		for _, f := range p.files {
			if f.ast.FileStart <= te.Pos && te.Pos < f.ast.FileEnd {
				if end = nodeEnd(f.ast, te.Pos); !end.IsValid() {
					end = l.tokenEnd(p, f, te.Pos)
				}
			}
		}
	}
	return ending(fset.Position(te.Pos), fset.Position(end))
}

// ending returns end, or the zero value if end is not after pos in the same file.
func ending(pos, end token.Position) token.Position {
	if end.Filename != pos.Filename || end.Line < pos.Line || end.Line == pos.Line && end.Column <= pos.Column {
		return token.Position{}
	}
	return end
}

// checkerEnd returns the end that the type checker keeps with an error, or none. The field is
// unexported. gopls reads it in the same way.
func checkerEnd(te types.Error) token.Pos {
	v := reflect.ValueOf(te).FieldByName("go116end")
	if !v.IsValid() || v.Type() != reflect.TypeFor[token.Pos]() {
		return token.NoPos
	}
	return token.Pos(v.Int())
}

// nodeEnd returns the end of the smallest node that begins at a position, or none.
func nodeEnd(f *ast.File, pos token.Pos) (end token.Pos) {
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil || n != f && (pos < n.Pos() || n.End() <= pos) {
			return false
		}
		if n.Pos() == pos && n != f {
			end = n.End() // inside the previous one, and so smaller
		}
		return true
	})
	return end
}

// tokenEnd returns the end of the token at a position. It returns none if no token is there or the
// file has changed meanwhile.
func (l *loader) tokenEnd(p *pkg, f *file, pos token.Pos) token.Pos {
	if f.generated || p.origin.std() {
		return token.NoPos // the file may differ from the source that was parsed
	}
	src, err := l.treeOf(p, f).ReadFile(f.sourceName(p), filetree.MaxSource)
	if err != nil || len(src) != f.size || crc32.Checksum(src, castagnoli()) != f.sum {
		return token.NoPos
	}
	if n := tokenSize(src, f.token.Offset(pos)); n > 0 {
		return pos + token.Pos(n)
	}
	return token.NoPos
}

// tokenSize returns the length of the token at an offset, or 0 if no token is there, as at the end
// of a line.
func tokenSize(src []byte, offset int) int {
	if offset < 0 || offset >= len(src) {
		return 0
	}
	src = src[offset:]
	failed := false
	tf := token.NewFileSet().AddFile("", -1, len(src))
	var s scanner.Scanner
	s.Init(tf, src, func(token.Position, string) { failed = true }, 0)
	at, tok, lit := s.Scan()
	switch {
	case failed || tf.Offset(at) != 0 || tok == token.EOF || tok == token.SEMICOLON && lit == "\n":
		return 0
	case src[0] == '`':
		return bytes.IndexByte(src[1:], '`') + 2 // the literal has no carriage returns
	case lit != "":
		return len(lit)
	}
	return len(tok.String())
}
