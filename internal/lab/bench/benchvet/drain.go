package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
)

// This file has the check of readers that are at their end after the first iterations (BP27).

// Functions whose result can be read once. Sources hold their content, or read it from a file;
// streams read their first argument.
var (
	sources = map[string][]string{"bytes": {"NewReader", "NewBuffer", "NewBufferString"}, "strings": {"NewReader"}, "os": {"Open"}}
	streams = map[string][]string{"bufio": {"NewReader", "NewReaderSize", "NewScanner"}, "io": {"LimitReader", "NewSectionReader", "MultiReader", "TeeReader"},
		"encoding/json": {"NewDecoder"}, "encoding/xml": {"NewDecoder"}, "encoding/gob": {"NewDecoder"}, "encoding/csv": {"NewReader"},
		"encoding/base64": {"NewDecoder"}, "encoding/hex": {"NewDecoder"}, "compress/gzip": {"NewReader"}, "compress/flate": {"NewReader"},
		"compress/zlib": {"NewReader"}, "compress/bzip2": {"NewReader"}, "archive/tar": {"NewReader"}}
)

// drains are functions that read their argument to its end. takers are methods that take some of
// what is left; askers change nothing.
var (
	drains = map[string][]string{"io": {"Copy", "CopyBuffer", "ReadAll", "CopyN", "ReadFull"}, "io/ioutil": {"ReadAll"}}
	takers = []string{"Decode", "Scan", "Token", "ReadAll", "Read", "ReadByte", "ReadRune", "ReadString", "ReadBytes", "ReadLine", "ReadSlice", "Next", "WriteTo"}
	askers = []string{"Text", "Bytes", "Err", "More", "Len", "Buffered", "InputOffset", "Size"}
)

// drained finds readers that are made before a measured loop and that its iterations read to their
// end, without a way back to their beginning.
func (s *scope) drained() {
	for _, v := range s.readers() {
		for _, l := range s.loops {
			if l.stmt.Pos() < v.Pos() {
				continue
			}
			call, what := s.takes(l, v)
			if call != nil {
				s.report("BP27", call.Pos(), "%s, and nothing begins it anew", what)
			}
		}
	}
}

// readers are the local variables that hold a source, or a stream of one, and that are made before
// the loops. A source with something for each iteration is none.
func (s *scope) readers() (list []types.Object) {
	is := map[types.Object]bool{}
	finite := func(x ast.Expr) bool {
		switch x := ast.Unparen(x).(type) {
		case *ast.Ident:
			return is[s.object(x)]
		case *ast.CallExpr:
			pkg, name, _ := s.callee(x)
			return slices.Contains(sources[pkg], name) && !mentions(s, x) && !slices.ContainsFunc(x.Args, s.holdsN)
		}
		return false
	}
	s.walk(s.body, func(n ast.Node) bool {
		as, ok := n.(*ast.AssignStmt)
		if !ok || as.Tok != token.DEFINE || len(as.Rhs) != 1 || slices.ContainsFunc(s.loops, func(l *measuredLoop) bool { return within(as, l.body) }) {
			return true
		}
		call, ok := as.Rhs[0].(*ast.CallExpr)
		id, isIdent := as.Lhs[0].(*ast.Ident)
		if !ok || !isIdent || s.info.Defs[id] == nil {
			return true
		}
		pkg, name, _ := s.callee(call)
		if finite(call) || slices.Contains(streams[pkg], name) && len(call.Args) > 0 && finite(call.Args[0]) {
			is[s.info.Defs[id]] = true
			list = append(list, s.info.Defs[id])
		}
		return true
	})
	return list
}

// holdsN reports whether an expression names a variable that was made with b.N.
func (s *scope) holdsN(x ast.Expr) (yes bool) {
	ast.Inspect(x, func(n ast.Node) bool {
		if id, ok := n.(*ast.Ident); ok && s.info.Uses[id] != nil {
			yes = yes || s.sizedByN(s.info.Uses[id])
		}
		return !yes
	})
	return yes
}

// takes finds the call in a measured loop that takes what a reader has left; nil: there is none, or
// the loop may begin the reader anew or fill it.
func (s *scope) takes(l *measuredLoop, v types.Object) (taker *ast.CallExpr, what string) {
	known := 0 // uses that do not begin it anew
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && s.info.Uses[id] == v
	}
	take := func(call *ast.CallExpr, text string) {
		known++
		if taker == nil && !inConditional(l.body, call) {
			taker, what = call, text
		}
	}
	uses := 0
	ast.Inspect(l.body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if s.info.Uses[n] == v {
				uses++
			}
		case *ast.CallExpr:
			pkg, name, d := s.callee(n)
			arg := slices.IndexFunc(n.Args, is)
			sel, isMethod := n.Fun.(*ast.SelectorExpr)
			switch {
			case isMethod && is(sel.X) && slices.Contains(takers, name):
				take(n, types.ExprString(n.Fun)+" comes to the end of what "+v.Name()+" has to read")
			case isMethod && is(sel.X) && slices.Contains(askers, name):
				known++
			case arg >= 0 && slices.Contains(drains[pkg], name):
				take(n, pkg+"."+name+" reads "+v.Name()+" to its end in the first iteration")
			case arg >= 0 && d != nil && s.drainsParam(d, arg):
				take(n, name+" reads "+v.Name()+" to its end in the first iteration")
			}
		}
		return true
	})
	if known < uses {
		return nil, ""
	}
	return taker, what
}

// drainsParam reports whether a function reads a parameter to its end, and does nothing else with
// it.
func (s *scope) drainsParam(d *ast.FuncDecl, n int) (yes bool) {
	p := s.parameter(d, n)
	if p == nil {
		return false
	}
	readers := map[types.Object]bool{p: true}
	is := func(x ast.Expr) bool {
		id, ok := ast.Unparen(x).(*ast.Ident)
		return ok && readers[s.info.Uses[id]]
	}
	other := false
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			if call, ok := n.Rhs[0].(*ast.CallExpr); ok && len(n.Rhs) == 1 && len(call.Args) > 0 && is(call.Args[0]) {
				pkg, name, _ := s.callee(call)
				if id, ok := n.Lhs[0].(*ast.Ident); ok && slices.Contains(streams[pkg], name) && s.object(id) != nil {
					readers[s.object(id)] = true
				}
			}
		case *ast.CallExpr:
			pkg, name, _ := s.callee(n)
			yes = yes || slices.Contains(drains[pkg], name) && slices.ContainsFunc(n.Args, is) && !inConditional(d.Body, n)
			if sel, ok := n.Fun.(*ast.SelectorExpr); ok && is(sel.X) {
				other = other || !slices.Contains(takers, name) && !slices.Contains(askers, name)
			}
		case *ast.ForStmt: // for s.Scan()
			if call, ok := n.Cond.(*ast.CallExpr); ok {
				_, name, _ := s.callee(call)
				sel, isMethod := call.Fun.(*ast.SelectorExpr)
				yes = yes || isMethod && is(sel.X) && slices.Contains(takers, name)
			}
		}
		return true
	})
	return yes && !other
}
