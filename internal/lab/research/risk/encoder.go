package risk

import (
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"
)

// handEncoder: a function that called an encoder now writes bytes itself. The package's tests pass
// as long as the package reads back what it wrote. Only a comparison of both versions tells whether
// the bytes, and hashes of them, are the same.
func handEncoder(old, f *function) (list []hit) {
	before, now := old.encoders(), f.encoders()
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if now[name] {
			continue
		}
		if at := f.writesBytes(); at != nil {
			return []hit{f.pkg.hitAt(at, "%s writes bytes itself in place of %s: they may differ, and hashes of them", f.key,
				name)}
		}
		if g := f.callsNewEncoder(old); g != nil {
			return []hit{f.pkg.hitAt(g.Name,
				"%s writes bytes itself in place of %s in %s: they may differ, and hashes of them", g.key, name, f.key)}
		}
	}
	return nil
}

// encoders are the functions with an encoder's name that a function calls.
func (f *function) encoders() map[string]bool {
	m := map[string]bool{}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if _, name := f.pkg.called(call); marshals(name) && !strings.HasPrefix(strings.ToLower(name), "un") &&
				!strings.Contains(strings.ToLower(name), "decode") {
				m[f.pkg.expr(call.Fun)] = true
			}
		}
		return true
	})
	return m
}

// writesBytes is a place where a function encodes byte by byte, nil if it has none: it appends
// something other than a whole slice of bytes, calls the Put and Append functions of encodings, or
// splits numbers.
func (f *function) writesBytes() (at ast.Node) {
	p := f.pkg
	ast.Inspect(f.Body, func(n ast.Node) bool {
		if at != nil {
			return false
		}
		switch n := n.(type) {
		case *ast.CallExpr:
			path, name := p.called(n)
			last := path[strings.LastIndexByte(path, '/')+1:]
			switch {
			case last == "binary" && (strings.HasPrefix(name, "Put") || strings.HasPrefix(name, "Append")),
				last == "protowire" && strings.HasPrefix(name, "Append"),
				path == "strconv" && strings.HasPrefix(name, "Append"):
				at = n
			case p.isBuiltin(n, "append") && len(n.Args) > 1 && isBytes(p, n.Args[0]):
				at = n
			case strings.HasPrefix(name, "WriteByte"):
				at = n
			}
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if ix, ok := lhs.(*ast.IndexExpr); ok && isBytes(p, ix.X) && i < len(n.Rhs) && n.Tok == token.ASSIGN {
					at = n
				}
			}
		}
		return true
	})
	return at
}

// isBytes reports whether an expression is a slice or an array of bytes.
func isBytes(p *pkg, e ast.Expr) bool {
	t := p.info.Types[e].Type
	if t == nil {
		return false
	}
	text := t.Underlying().String()
	return strings.HasSuffix(text, "]byte") || strings.HasSuffix(text, "]uint8")
}

// callsNewEncoder is a function that is newly called and writes bytes itself.
func (f *function) callsNewEncoder(old *function) (found *function) {
	before := map[string]bool{}
	ast.Inspect(old.Body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok {
			if _, name := old.pkg.called(call); name != "" {
				before[name] = true
			}
		}
		return true
	})
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok || found != nil {
			return found == nil
		}
		if _, name := f.pkg.called(call); before[name] {
			return true
		}
		if g := f.pkg.declared(f.pkg.local(call)); g != nil && g.writesBytes() != nil {
			found = g
		}
		return true
	})
	return found
}
