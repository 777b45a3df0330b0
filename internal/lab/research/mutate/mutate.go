// Package mutate makes small mechanical rewrites of Go source that often gain: memory reserved in
// advance, receivers that are not copied, slices in place of maps. It knows no types, so a rewrite
// may not compile or may mean something else. The caller checks each rewrite.
package mutate

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"slices"
	"strings"
)

// A Mutation is a file with one rewrite.
type Mutation struct {
	Key         string // names the place; it is the same in other versions of the file if the place did not change
	Description string
	Why         string // why it should gain
	Text        []byte
}

// A rule finds the places of one kind of rewrite in a file.
type rule struct {
	name, why string
	find      func(f *file)
}

// rules are all rules, in the order in which they are tried.
func rules() []rule {
	return []rule{
		{"preallocate", "append does not have to grow the slice", preallocate},
		{"size-map", "the map does not have to grow", sizeMap},
		{"pointer-receiver", "the receiver is not copied", pointerReceiver},
		{"map-to-slice", "an index costs less than a hash", mapToSlice},
		{"itoa", "no format is interpreted", itoa},
		{"grow-builder", "the builder does not have to grow", growBuilder},
		{"range-pointer", "elements are not copied", rangePointer},
	}
}

// Names are the names of the rewrites.
func Names() []string {
	var list []string
	for _, r := range rules() {
		list = append(list, r.name)
	}
	return list
}

// An edit replaces the text between two offsets.
type edit struct {
	from, to int
	text     string
}

// A file is a source file that is searched.
type file struct {
	fset *token.FileSet
	ast  *ast.File
	text []byte

	found []place
	fn    string // function around the place
}

type place struct {
	fn, what string
	edits    []edit
}

// File lists the rewrites of a file by the named rules; no names mean all. A file that does not
// parse has none.
func File(name string, text []byte, names []string) []Mutation {
	fset := token.NewFileSet()
	parsed, err := parser.ParseFile(fset, name, text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil || ast.IsGenerated(parsed) {
		return nil
	}
	was, err := format.Source(text)
	formatted := err == nil && bytes.Equal(was, text)
	var list []Mutation
	for _, r := range rules() {
		if len(names) > 0 && !slices.Contains(names, r.name) {
			continue
		}
		f := &file{fset: fset, ast: parsed, text: text}
		r.find(f)
		seen := map[string]int{}
		for _, p := range f.found {
			key := fmt.Sprintf("%s %s %s %s", r.name, name, p.fn, p.what)
			if seen[key]++; seen[key] > 1 {
				key += fmt.Sprintf(" #%d", seen[key])
			}
			out := p.apply(text)
			if formatted {
				if now, err := format.Source(out); err == nil {
					out = now
				} else {
					continue // the rewrite broke it
				}
			}
			if bytes.Equal(out, text) {
				continue
			}
			list = append(list, Mutation{key, fmt.Sprintf("%s: %s in %s", r.name, p.what, p.fn), r.why, out})
		}
	}
	return list
}

// apply makes the edits, which do not overlap.
func (p place) apply(text []byte) []byte {
	edits := slices.Clone(p.edits)
	slices.SortStableFunc(edits, func(a, b edit) int { return b.from - a.from })
	out := string(text)
	for _, e := range edits {
		out = out[:e.from] + e.text + out[e.to:]
	}
	return []byte(out)
}

func (f *file) offset(p token.Pos) int { return f.fset.Position(p).Offset }

// source is the text of a node.
func (f *file) source(n ast.Node) string { return string(f.text[f.offset(n.Pos()):f.offset(n.End())]) }

func (f *file) replace(n ast.Node, text string) edit {
	return edit{f.offset(n.Pos()), f.offset(n.End()), text}
}

func (f *file) add(what string, edits ...edit) {
	f.found = append(f.found, place{f.fn, what, edits})
}

// functions calls visit for each function with a body.
func (f *file) functions(visit func(fn *ast.FuncDecl)) {
	for _, d := range f.ast.Decls {
		if fn, ok := d.(*ast.FuncDecl); ok && fn.Body != nil {
			f.fn = fn.Name.Name
			if fn.Recv != nil && len(fn.Recv.List) == 1 {
				f.fn = strings.TrimPrefix(f.source(fn.Recv.List[0].Type), "*") + "." + f.fn
			}
			visit(fn)
		}
	}
}

// blocks calls visit for each list of statements.
func (f *file) blocks(visit func(list []ast.Stmt)) {
	f.functions(func(fn *ast.FuncDecl) {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			if b, ok := n.(*ast.BlockStmt); ok {
				visit(b.List)
			}
			return true
		})
	})
}

// simple reports whether an expression can be repeated: a name, or a field of one.
func simple(e ast.Expr) bool {
	switch e := e.(type) {
	case *ast.Ident:
		return true
	case *ast.SelectorExpr:
		return simple(e.X)
	}
	return false
}

// declared is the name and the type of an empty slice or map that a statement makes: var x []T, x
// := []T{}, x := map[K]V{} or x := make(map[K]V).
func declared(s ast.Stmt) (name string, of ast.Expr) {
	switch s := s.(type) {
	case *ast.DeclStmt:
		g, ok := s.Decl.(*ast.GenDecl)
		if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
			return "", nil
		}
		v := g.Specs[0].(*ast.ValueSpec)
		if _, slice := v.Type.(*ast.ArrayType); len(v.Names) == 1 && len(v.Values) == 0 && slice {
			return v.Names[0].Name, v.Type
		}
	case *ast.AssignStmt:
		if s.Tok != token.DEFINE || len(s.Lhs) != 1 || len(s.Rhs) != 1 {
			return "", nil
		}
		id, ok := s.Lhs[0].(*ast.Ident)
		if !ok {
			return "", nil
		}
		switch v := s.Rhs[0].(type) {
		case *ast.CompositeLit:
			if len(v.Elts) == 0 && v.Type != nil {
				return id.Name, v.Type
			}
		case *ast.CallExpr:
			if fn, ok := v.Fun.(*ast.Ident); ok && fn.Name == "make" && len(v.Args) == 1 {
				return id.Name, v.Args[0]
			}
		}
	}
	return "", nil
}

// fills reports whether a statement is a loop over a simple expression that appends to a slice or
// sets keys of a map, and over what it loops.
func fills(s ast.Stmt, name string, isMap bool) (over ast.Expr) {
	loop, ok := s.(*ast.RangeStmt)
	if !ok || !simple(loop.X) {
		return nil
	}
	found := false
	ast.Inspect(loop.Body, func(n ast.Node) bool {
		a, ok := n.(*ast.AssignStmt)
		if !ok || len(a.Lhs) != 1 || len(a.Rhs) != 1 {
			return true
		}
		if isMap {
			ix, ok := a.Lhs[0].(*ast.IndexExpr)
			found = found || ok && isName(ix.X, name)
			return true
		}
		call, ok := a.Rhs[0].(*ast.CallExpr)
		found = found || ok && isName(call.Fun, "append") && isName(a.Lhs[0], name) && len(call.Args) == 2 &&
			isName(call.Args[0], name) && call.Ellipsis == token.NoPos
		return true
	})
	if !found {
		return nil
	}
	return loop.X
}

func isName(e ast.Expr, name string) bool {
	id, ok := e.(*ast.Ident)
	return ok && id.Name == name
}

// preallocate gives a slice that a loop appends to room for all elements that the loop goes over.
func preallocate(f *file) {
	f.blocks(func(list []ast.Stmt) {
		for i, s := range list {
			name, of := declared(s)
			if t, ok := of.(*ast.ArrayType); !ok || t.Len != nil {
				continue
			}
			for _, next := range list[i+1:] {
				if over := fills(next, name, false); over != nil {
					f.add(name, f.replace(s, fmt.Sprintf("%s := make(%s, 0, len(%s))", name, f.source(of), f.source(over))))
					break
				}
			}
		}
	})
}

// sizeMap does the same for a map.
func sizeMap(f *file) {
	f.blocks(func(list []ast.Stmt) {
		for i, s := range list {
			name, of := declared(s)
			if _, ok := of.(*ast.MapType); !ok {
				continue
			}
			for _, next := range list[i+1:] {
				if over := fills(next, name, true); over != nil {
					f.add(name, f.replace(s, fmt.Sprintf("%s := make(%s, len(%s))", name, f.source(of), f.source(over))))
					break
				}
			}
		}
	})
}

// pointerReceiver makes a receiver a pointer if it is a struct of the file and the method does not
// write to it.
func pointerReceiver(f *file) {
	structs := map[string]bool{}
	for _, d := range f.ast.Decls {
		if g, ok := d.(*ast.GenDecl); ok {
			for _, spec := range g.Specs {
				if t, ok := spec.(*ast.TypeSpec); ok {
					_, structs[t.Name.Name] = t.Type.(*ast.StructType)
				}
			}
		}
	}
	f.functions(func(fn *ast.FuncDecl) {
		if fn.Recv == nil || len(fn.Recv.List) != 1 || len(fn.Recv.List[0].Names) != 1 {
			return
		}
		recv := fn.Recv.List[0]
		if t, ok := recv.Type.(*ast.Ident); !ok || !structs[t.Name] {
			return
		}
		name, changes := recv.Names[0].Name, false
		root := func(e ast.Expr) bool {
			for {
				switch x := e.(type) {
				case *ast.SelectorExpr:
					e = x.X
				case *ast.IndexExpr:
					e = x.X
				default:
					return isName(e, name)
				}
			}
		}
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				changes = changes || slices.ContainsFunc(n.Lhs, root)
			case *ast.IncDecStmt:
				changes = changes || root(n.X)
			case *ast.UnaryExpr:
				changes = changes || n.Op == token.AND && root(n.X)
			}
			return true
		})
		if !changes {
			f.add("receiver", f.replace(recv.Type, "*"+f.source(recv.Type)))
		}
	})
}

// mapToSlice makes a local map with one-byte keys a slice with all keys.
func mapToSlice(f *file) {
	f.blocks(func(list []ast.Stmt) {
		for _, s := range list {
			name, of := declared(s)
			m, ok := of.(*ast.MapType)
			if !ok || !isName(m.Key, "byte") && !isName(m.Key, "uint8") {
				continue
			}
			f.add(name, f.replace(s, fmt.Sprintf("%s := make([]%s, 256)", name, f.source(m.Value))))
		}
	})
}

// itoa writes a number without a format.
func itoa(f *file) {
	f.functions(func(fn *ast.FuncDecl) {
		ast.Inspect(fn.Body, func(n ast.Node) bool {
			call, ok := n.(*ast.CallExpr)
			if !ok || len(call.Args) != 2 || f.source(call.Fun) != "fmt.Sprintf" || f.source(call.Args[0]) != `"%d"` {
				return true
			}
			edits := []edit{f.replace(call, "strconv.Itoa("+f.source(call.Args[1])+")")}
			// Imports: existing ones stay, and an unused package goes.
			alone := strings.Count(string(f.text), "fmt.") == 1
			has := false
			for _, im := range f.ast.Imports {
				has = has || im.Path.Value == `"strconv"`
			}
			for _, im := range f.ast.Imports {
				if im.Path.Value != `"fmt"` || im.Name != nil {
					continue
				}
				grouped := slices.ContainsFunc(f.ast.Decls, func(d ast.Decl) bool {
					g, ok := d.(*ast.GenDecl)
					return ok && g.Lparen.IsValid() && g.Pos() < im.Pos() && im.End() < g.End()
				})
				switch {
				case alone && !has:
					edits = append(edits, f.replace(im, `"strconv"`))
				case alone && grouped:
					edits = append(edits, f.replace(im, ""))
				case !alone && !has && grouped:
					edits = append(edits, f.replace(im, "\"fmt\"\n\t\"strconv\""))
				case !alone && !has:
					edits = append(edits, f.replace(im, "(\n\t\"fmt\"\n\t\"strconv\"\n)"))
				}
			}
			f.add(f.source(call.Args[1]), edits...)
			return true
		})
	})
}

// growBuilder gives a builder room.
func growBuilder(f *file) {
	f.blocks(func(list []ast.Stmt) {
		for _, s := range list {
			d, ok := s.(*ast.DeclStmt)
			if !ok {
				continue
			}
			g, ok := d.Decl.(*ast.GenDecl)
			if !ok || g.Tok != token.VAR || len(g.Specs) != 1 {
				continue
			}
			v := g.Specs[0].(*ast.ValueSpec)
			if len(v.Names) == 1 && v.Type != nil && len(v.Values) == 0 &&
				slices.Contains([]string{"strings.Builder", "bytes.Buffer"}, f.source(v.Type)) {
				f.add(v.Names[0].Name, f.replace(s, f.source(s)+"\n"+v.Names[0].Name+".Grow(128)"))
			}
		}
	})
}

// rangePointer takes the elements of a loop by address, if the loop uses only their fields.
func rangePointer(f *file) {
	f.blocks(func(list []ast.Stmt) {
		for _, s := range list {
			loop, ok := s.(*ast.RangeStmt)
			if !ok || loop.Tok != token.DEFINE || !isName(loop.Key, "_") || !simple(loop.X) {
				continue
			}
			v, ok := loop.Value.(*ast.Ident)
			if !ok {
				continue
			}
			uses, fields := 0, 0
			ast.Inspect(loop.Body, func(n ast.Node) bool {
				if sel, ok := n.(*ast.SelectorExpr); ok && isName(sel.X, v.Name) {
					fields++
				}
				if id, ok := n.(*ast.Ident); ok && id.Name == v.Name {
					uses++
				}
				return true
			})
			if uses == 0 || uses != fields {
				continue
			}
			body := f.offset(loop.Body.Lbrace) + 1
			f.add(v.Name, edit{f.offset(loop.Key.Pos()), f.offset(loop.Value.End()), "i" + v.Name},
				edit{body, body, fmt.Sprintf("\n%s := &%s[i%s]\n", v.Name, f.source(loop.X), v.Name)})
		}
	})
}
