package gcproof

import (
	"bytes"
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
)

// A Package is a package's sources with the measured loops of its benchmarks, and the empty twins of
// their functions.
type Package struct {
	Files      map[string][]byte // contents with the twins, by the name of the file
	benchmarks []*proof.Benchmark
	loops      map[place]*loop
	reasons    map[place]string // why a loop has no twin
}

// A place identifies a loop of the source.
type place struct {
	file  string
	first int
}

// A loop is a measured loop with its twin.
type loop struct {
	twin proof.Loop // its lines in Files
	name string     // the twin's function
	work int        // operations of the source that are work
	// drops are the calls whose results the source drops.
	drops   []dropped
	dropped map[int]bool // lines of all calls whose results the source drops
	// The calls and the allocations of the body, to name them.
	calls, allocs []*proof.Loop
	texts         map[*proof.Loop]string
}

// A dropped is a call whose result nothing reads, alone in its lines.
type dropped struct {
	text  string
	lines proof.Loop
}

// Read finds the benchmarks in the files of a package and makes the twins. replace maps files to the
// places of their contents.
func Read(names []string, replace map[string]string) *Package {
	p := &Package{Files: map[string][]byte{}, loops: map[place]*loop{}, reasons: map[place]string{}}
	fset := token.NewFileSet()
	var files []*ast.File
	sources := map[*ast.File][]byte{}
	for _, name := range names {
		src, err := os.ReadFile(cmp.Or(replace[name], name))
		if err != nil {
			continue
		}
		if f, err := parser.ParseFile(fset, name, src, parser.ParseComments); err == nil {
			files = append(files, f)
			sources[f] = src
		}
	}
	p.benchmarks = proof.Benchmarks(fset, files)
	measured := map[place]*proof.Loop{}
	for _, b := range p.benchmarks {
		for _, l := range b.Loops {
			measured[place{l.File, l.First}] = l
		}
	}
	returns := map[string]bool{}
	for _, f := range files {
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Type.Results != nil {
				returns[d.Name.Name] = true
			}
		}
	}
	for _, f := range files {
		name := fset.Position(f.Package).Filename
		t := &twins{Package: p, fset: fset, src: sources[f], file: filepath.Clean(name), measured: measured, returns: returns}
		for _, d := range f.Decls {
			if d, ok := d.(*ast.FuncDecl); ok && d.Body != nil {
				t.function(d)
			}
		}
		if t.out.Len() > 0 {
			t.write(name, f.Name.Name)
		}
	}
	return p
}

// twins makes the twins of one file.
type twins struct {
	*Package
	fset     *token.FileSet
	src      []byte
	file     string
	measured map[place]*proof.Loop
	returns  map[string]bool // functions of the package with results
	out      bytes.Buffer    // to be appended to the file
	kept     []string        // expressions that name the twins
	inserts  []insert        // into the file
}

// An insert is text that is put into a line of a file.
type insert struct {
	at   int
	text string
}

// write adds the file with its twins, and the function that keeps them from being removed. The
// package itself must have that one too if some of its files that are no tests have twins.
func (t *twins) write(name, pkg string) {
	if len(t.kept) > 0 {
		t.out.WriteString("\n\nfunc init() {\n")
		for _, k := range t.kept {
			fmt.Fprintf(&t.out, "\tgyrKeep(%s)\n", k)
		}
		t.out.WriteString("}\n")
	}
	src := slices.Clone(t.src)
	for _, i := range slices.Backward(t.inserts) {
		src = slices.Insert(src, i.at, []byte(i.text)...)
	}
	t.Files[name] = append(src, t.out.Bytes()...)
	keeper := "gyr_keep_" + pkg + "_twins" // the last part of the name is no system's
	if strings.HasSuffix(pkg, "_test") {
		keeper += "_test"
	}
	t.Files[filepath.Join(filepath.Dir(name), keeper+".go")] = []byte("package " + pkg + "\n\n//go:noinline\nfunc gyrKeep(interface{}) {}\n")
}

func (t *twins) line(at token.Pos) int   { return t.fset.Position(at).Line }
func (t *twins) offset(at token.Pos) int { return t.fset.Position(at).Offset }

// function makes the twin of a function with measured loops.
func (t *twins) function(d *ast.FuncDecl) {
	type found struct {
		stmt ast.Stmt
		body *ast.BlockStmt
		l    *proof.Loop
	}
	var list []found
	ast.Inspect(d.Body, func(n ast.Node) bool {
		var body *ast.BlockStmt
		switch n := n.(type) {
		case *ast.ForStmt:
			body = n.Body
		case *ast.RangeStmt:
			body = n.Body
		}
		if body == nil {
			return true
		}
		l := t.measured[place{t.file, t.line(n.Pos())}]
		if l == nil || l.Last != t.line(n.End()) {
			return true
		}
		list = append(list, found{n.(ast.Stmt), body, l})
		return false
	})
	if len(list) == 0 {
		return
	}
	name := fmt.Sprintf("gyrEmpty%d_%d", t.line(d.Pos()), len(t.src))
	if !t.keep(d, name) {
		for _, x := range list {
			t.reasons[place{t.file, x.l.First}] = "nothing can name its function with its types, whose parameters have no names"
		}
		return
	}
	// The twin has lines of its own, behind those of the file, whatever line comments stand there.
	first := bytes.Count(t.src, []byte("\n")) + bytes.Count(t.out.Bytes(), []byte("\n")) + 4
	shift := first - t.line(d.Pos())
	fmt.Fprintf(&t.out, "\n\n//line %s:%d\n", t.file, first)
	bodies := make([]*ast.BlockStmt, len(list))
	for i, x := range list {
		bodies[i] = x.body
	}
	unused := unusedLabels(d, bodies)
	at := t.offset(d.Pos())
	copyTo := func(to int) {
		for len(unused) > 0 && t.offset(unused[0].Colon) < to {
			t.out.Write(t.src[at:t.offset(unused[0].Pos())])
			at = t.offset(unused[0].Colon) + 1
			unused = unused[1:]
		}
		t.out.Write(t.src[at:to])
		at = to
	}
	copyTo(t.offset(d.Name.Pos()))
	t.out.WriteString(name)
	at = t.offset(d.Name.End())
	for _, x := range list {
		copyTo(t.offset(x.stmt.Pos()))
		if used := outer(x.body, x.stmt, d); len(used) > 0 {
			fmt.Fprintf(&t.out, "%s = %s; ", strings.TrimSuffix(strings.Repeat("_, ", len(used)), ", "), strings.Join(used, ", "))
		}
		copyTo(t.offset(x.body.Lbrace) + 1)
		if own := header(x.stmt); len(own) > 0 {
			fmt.Fprintf(&t.out, " %s = %s", strings.TrimSuffix(strings.Repeat("_, ", len(own)), ", "), strings.Join(own, ", "))
		}
		lines := t.line(x.body.Rbrace) - t.line(x.body.Lbrace)
		t.out.WriteString(" " + strings.Repeat("\n", lines))
		at = t.offset(x.body.Rbrace)
		l := &loop{twin: proof.Loop{File: t.file, First: x.l.First + shift, Last: x.l.Last + shift}, name: name, dropped: map[int]bool{}, texts: map[*proof.Loop]string{}}
		t.body(l, d, x.stmt, x.body)
		t.loops[place{t.file, x.l.First}] = l
	}
	copyTo(t.offset(d.End()))
}

// keep lets something name a twin, so that gc compiles it. A twin with type parameters is named in the
// function itself, so that it is compiled for the same types. It reports whether that is possible.
func (t *twins) keep(d *ast.FuncDecl, name string) bool {
	params := typeParams(d.Type.TypeParams)
	if d.Recv != nil && len(d.Recv.List) == 1 {
		recv := d.Recv.List[0].Type
		params = receiverParams(recv)
		name = "(" + string(t.src[t.offset(recv.Pos()):t.offset(recv.End())]) + ")." + name
	} else if len(params) > 0 {
		name += "[" + strings.Join(params, ", ") + "]"
	}
	switch {
	case slices.Contains(params, "_"):
		return false
	case len(params) == 0:
		t.kept = append(t.kept, name)
	default:
		t.inserts = append(t.inserts, insert{t.offset(d.Body.Lbrace) + 1, " gyrKeep(" + name + ");"})
	}
	return true
}

// typeParams are the names of type parameters.
func typeParams(list *ast.FieldList) (names []string) {
	if list == nil {
		return nil
	}
	for _, f := range list.List {
		for _, id := range f.Names {
			names = append(names, id.Name)
		}
	}
	return names
}

// receiverParams are the names that a receiver gives to the parameters of its type.
func receiverParams(recv ast.Expr) (names []string) {
	recv = ast.Unparen(recv)
	if star, ok := recv.(*ast.StarExpr); ok {
		recv = ast.Unparen(star.X)
	}
	var list []ast.Expr
	switch x := recv.(type) {
	case *ast.IndexExpr:
		list = []ast.Expr{x.Index}
	case *ast.IndexListExpr:
		list = x.Indices
	}
	for _, x := range list {
		if id, ok := x.(*ast.Ident); ok {
			names = append(names, id.Name)
		}
	}
	return names
}

// unusedLabels are the labels of a function, in their order, that only the bodies use, which makes
// them errors without these. Labels in the bodies are not among them.
func unusedLabels(d *ast.FuncDecl, bodies []*ast.BlockStmt) (list []*ast.LabeledStmt) {
	used := map[string]bool{}
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BlockStmt:
			return !slices.Contains(bodies, n)
		case *ast.BranchStmt:
			if n.Label != nil {
				used[n.Label.Name] = true
			}
		case *ast.LabeledStmt:
			list = append(list, n)
		}
		return true
	})
	return slices.DeleteFunc(list, func(l *ast.LabeledStmt) bool { return used[l.Label.Name] })
}

// outer are the variables that a loop's body uses and that the function around it defines. Without
// the body nothing may use them.
func outer(body, stmt ast.Node, d *ast.FuncDecl) (names []string) {
	ast.Inspect(body, func(n ast.Node) bool {
		id, ok := n.(*ast.Ident)
		if !ok || id.Obj == nil || id.Obj.Kind != ast.Var || id.Name == "_" || slices.Contains(names, id.Name) {
			return true
		}
		if at := id.Obj.Pos(); at >= d.Pos() && at < stmt.Pos() {
			names = append(names, id.Name)
		}
		return true
	})
	return names
}

// header are the variables that a loop's header defines.
func header(stmt ast.Stmt) (names []string) {
	add := func(tok token.Token, list ...ast.Expr) {
		for _, x := range list {
			if id, ok := x.(*ast.Ident); ok && tok == token.DEFINE && id.Name != "_" {
				names = append(names, id.Name)
			}
		}
	}
	switch s := stmt.(type) {
	case *ast.RangeStmt:
		add(s.Tok, s.Key, s.Value)
	case *ast.ForStmt:
		if init, ok := s.Init.(*ast.AssignStmt); ok {
			add(init.Tok, init.Lhs...)
		}
	}
	return names
}

// # The source's work

// body notes what a loop's body does. A loop over b.Loop drops no result: gc keeps them.
func (t *twins) body(l *loop, d *ast.FuncDecl, stmt ast.Stmt, body *ast.BlockStmt) {
	lines := func(n ast.Node) *proof.Loop {
		return &proof.Loop{File: t.file, First: t.line(n.Pos()), Last: t.line(n.End())}
	}
	text := func(n ast.Node) string { return string(t.src[t.offset(n.Pos()):t.offset(n.End())]) }
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			id, isIdent := n.Fun.(*ast.Ident)
			sel, isSel := n.Fun.(*ast.SelectorExpr)
			at := lines(n)
			switch {
			case isIdent && (id.Name == "make" || id.Name == "new"):
				l.allocs = append(l.allocs, at)
			case isIdent && basic[id.Name], isSel && ofB[sel.Sel.Name]:
				return true
			default:
				l.calls = append(l.calls, at)
			}
			l.texts[at] = text(n.Fun)
			l.work++
		case *ast.UnaryExpr:
			if lit, ok := n.X.(*ast.CompositeLit); ok && n.Op == token.AND {
				at := lines(n)
				l.allocs, l.texts[at] = append(l.allocs, at), "&"+text(lit.Type)
				l.work++
			}
			if n.Op == token.ARROW {
				l.work++
			}
		case *ast.IndexExpr, *ast.StarExpr, *ast.SliceExpr, *ast.SendStmt, *ast.TypeAssertExpr:
			l.work++
		case *ast.BinaryExpr:
			_, x := n.X.(*ast.BasicLit)
			_, y := n.Y.(*ast.BasicLit)
			if !x && !y {
				l.work++
			}
		case *ast.RangeStmt:
			if n.Value != nil {
				l.work++
			}
		case *ast.AssignStmt:
			if _, constant := n.Rhs[0].(*ast.BasicLit); n.Tok != token.ASSIGN && n.Tok != token.DEFINE && !constant {
				l.work++
			}
		}
		return true
	})
	if overLoop(stmt) {
		return
	}
	for _, st := range body.List {
		call := t.dropsResult(d, st)
		if call == nil {
			continue
		}
		at := lines(st)
		l.dropped[at.First] = true
		alone := !slices.ContainsFunc(body.List, func(o ast.Stmt) bool {
			return o != st && t.line(o.Pos()) <= at.Last && t.line(o.End()) >= at.First
		})
		if alone && at.First > t.line(body.Lbrace) && at.Last < t.line(body.Rbrace) {
			l.drops = append(l.drops, dropped{"call " + text(call.Fun), *at})
		}
	}
}

// overLoop reports whether a statement is a loop over b.Loop.
func overLoop(stmt ast.Stmt) bool {
	f, ok := stmt.(*ast.ForStmt)
	if !ok {
		return false
	}
	call, ok := f.Cond.(*ast.CallExpr)
	if !ok {
		return false
	}
	sel, ok := call.Fun.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Loop"
}

// basic are functions and conversions that every program has instructions for.
var basic = map[string]bool{"len": true, "cap": true, "min": true, "max": true, "int": true, "int8": true, "int16": true, "int32": true, "int64": true,
	"uint": true, "uint8": true, "uint16": true, "uint32": true, "uint64": true, "uintptr": true, "float32": true, "float64": true, "byte": true,
	"rune": true, "string": true, "panic": true, "print": true, "println": true}

// ofB are methods of *testing.B that are no work.
var ofB = map[string]bool{"Fatal": true, "Fatalf": true, "FailNow": true, "Error": true, "Errorf": true, "Fail": true, "Log": true, "Logf": true,
	"Skip": true, "StopTimer": true, "StartTimer": true, "ResetTimer": true, "Helper": true}

// dropsResult is the call of a function of the package whose result a statement drops, or assigns to
// a variable that nothing reads; nil: it does something else.
func (t *twins) dropsResult(d *ast.FuncDecl, st ast.Stmt) *ast.CallExpr {
	var call *ast.CallExpr
	switch st := st.(type) {
	case *ast.ExprStmt:
		call, _ = st.X.(*ast.CallExpr)
	case *ast.AssignStmt:
		if len(st.Rhs) != 1 || slices.ContainsFunc(st.Lhs, func(x ast.Expr) bool { return !unread(d, x) }) {
			return nil
		}
		call, _ = st.Rhs[0].(*ast.CallExpr)
	}
	if call == nil {
		return nil
	}
	if id, ok := call.Fun.(*ast.Ident); !ok || !t.returns[id.Name] {
		return nil
	}
	return call
}

// unread reports whether nothing reads what is assigned to an expression, but for _ = x.
func unread(d *ast.FuncDecl, x ast.Expr) bool {
	id, ok := x.(*ast.Ident)
	if !ok {
		return false
	}
	if id.Name == "_" {
		return true
	}
	if id.Obj == nil || id.Obj.Pos() < d.Body.Pos() || id.Obj.Pos() > d.Body.End() {
		return false
	}
	writes, uses := 0, 0
	ast.Inspect(d.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.Ident:
			if n.Obj == id.Obj {
				uses++
			}
		case *ast.ValueSpec:
			for _, name := range n.Names {
				if name.Obj == id.Obj {
					writes++
				}
			}
		case *ast.AssignStmt:
			for _, l := range n.Lhs {
				if l, ok := l.(*ast.Ident); ok && l.Obj == id.Obj && (n.Tok == token.ASSIGN || n.Tok == token.DEFINE) {
					writes++
				}
			}
			if len(n.Lhs) == 1 && len(n.Rhs) == 1 {
				blank, ok1 := n.Lhs[0].(*ast.Ident)
				r, ok2 := n.Rhs[0].(*ast.Ident)
				if ok1 && ok2 && blank.Name == "_" && r.Obj == id.Obj {
					writes++
				}
			}
		}
		return true
	})
	return uses == writes
}
