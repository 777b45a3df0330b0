package bounds

import (
	"go/ast"
	"go/scanner"
	"go/token"

	"github.com/gyrvm/gyr/api"
)

// literalLevels is the number of nesting levels that a function literal counts as: a walk of it
// goes through a dozen functions, and its name includes those of all functions around it.
const literalLevels = 16

// Brackets refuses a file whose brackets are nested deeper than the limit: go/parser is recursive,
// and its own bound of 100,000 levels takes more stack than we like. Other nested syntax takes
// little stack there, and is left to Check.
func Brackets(name string, src []byte, l *api.Limits) error {
	open := int64(0)
	for _, b := range src {
		if b == '(' || b == '[' || b == '{' {
			open++
		}
	}
	if open <= l.Nesting {
		return nil
	}
	fset := token.NewFileSet()
	var s scanner.Scanner
	file := fset.AddFile(name, -1, len(src))
	s.Init(file, src, func(token.Position, string) {}, 0)
	depth := int64(0)
	for {
		pos, tok, _ := s.Scan()
		switch tok {
		case token.EOF:
			return nil
		case token.LPAREN, token.LBRACK, token.LBRACE:
			depth++
		case token.RPAREN, token.RBRACK, token.RBRACE:
			depth--
		}
		if depth > l.Nesting {
			p := file.Position(pos)
			return &api.CompileLimitError{Limit: "Nesting", Max: l.Nesting, What: "brackets nested too deep",
				Position: api.Position{File: name, Line: p.Line}, Column: p.Column}
		}
	}
}

// depth refuses syntax that is nested too deeply. It is the first recursive walk of a tree, and as
// deep as go/parser's recursion.
func (c *checker) depth(f *ast.File) {
	depth := int64(0)
	var stack []ast.Node
	levelsOf := func(n ast.Node) int64 {
		if _, ok := n.(*ast.FuncLit); ok {
			return literalLevels
		}
		return 1
	}
	ast.Inspect(f, func(n ast.Node) bool {
		if n == nil {
			last := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			depth -= levelsOf(last)
			switch last.(type) {
			case *ast.FuncDecl, *ast.FuncLit:
				c.steps.leave()
			}
			return true
		}
		levels := levelsOf(n)
		stack = append(stack, n)
		depth += levels
		c.atMost("Nesting", c.Limits.Nesting, depth, n.Pos(), "syntax nested too deep")
		if c.steps.node(n); c.steps.nodes%looksAt == 0 {
			c.proceed()
		}
		return true
	})
}
