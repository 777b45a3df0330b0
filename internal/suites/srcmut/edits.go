package srcmut

import (
	"fmt"
	"go/ast"
	"go/constant"
	"go/token"
	"go/types"
	"math/rand/v2"
	"slices"
	"strings"
)

// An edit replaces a piece of a source, and adds declarations at its end and imports at its
// beginning.
type edit struct {
	start, end int
	text       string
	decls      string
	imports    string
}

// A draw is the material of an edit.
type draw struct {
	r     *rand.Rand
	f     *File
	other *File
}

// edits are the kinds of changes.
var edits = []struct {
	name string
	make func(*draw) (edit, bool)
}{
	{"constant", (*draw).constant}, {"constant", (*draw).constant},
	{"operator", (*draw).operator}, {"operator", (*draw).operator},
	{"variable", (*draw).variable},
	{"narrow", (*draw).narrow}, {"narrow", (*draw).narrow},
	{"statement", (*draw).statement},
	{"around", (*draw).around},
	{"crossed expression", (*draw).crossExpr}, {"crossed expression", (*draw).crossExpr},
	{"crossed statement", (*draw).crossStmt}, {"crossed statement", (*draw).crossStmt},
	{"crossed statement", (*draw).crossStmt},
	{"crossed function", (*draw).crossFunc}, {"crossed function", (*draw).crossFunc},
}

func pick[T any](r *rand.Rand, list []T) (x T, ok bool) {
	if len(list) == 0 {
		return x, false
	}
	return list[r.IntN(len(list))], true
}

// expr returns an expression of the file for which ok holds.
func (d *draw) expr(f *File, ok func(ast.Expr) bool) (ast.Expr, bool) {
	for range 20 {
		if e, found := pick(d.r, f.exprs); found && ok(e) {
			return e, true
		}
	}
	return nil, false
}

func (d *draw) replace(n ast.Node, format string, args ...any) (edit, bool) {
	return edit{start: d.f.at(n.Pos()), end: d.f.at(n.End()), text: fmt.Sprintf(format, args...)}, true
}

// constant replaces an integer literal by another number.
func (d *draw) constant() (edit, bool) {
	e, ok := d.expr(d.f, func(e ast.Expr) bool {
		lit, ok := e.(*ast.BasicLit)
		return ok && lit.Kind == token.INT
	})
	if !ok {
		return edit{}, false
	}
	v := d.f.info.Types[e].Value
	if v == nil {
		return edit{}, false
	}
	k := uint(d.r.IntN(64))
	one, at := constant.MakeInt64(1), constant.Shift(constant.MakeInt64(1), token.SHL, k)
	list := []constant.Value{constant.BinaryOp(v, token.ADD, one), constant.BinaryOp(v, token.SUB, one),
		constant.MakeInt64(0), one, constant.MakeInt64(-1), at, constant.BinaryOp(at, token.SUB, one),
		constant.UnaryOp(token.SUB, at, 0), constant.UnaryOp(token.SUB, v, 0), constant.MakeInt64(int64(d.r.IntN(70)))}
	x := list[d.r.IntN(len(list))]
	if constant.Sign(x) < 0 {
		return d.replace(e, "(%s)", x.ExactString())
	}
	return d.replace(e, "%s", x.ExactString())
}

// classes are groups of operators that can replace each other.
var classes = [][]token.Token{
	{token.ADD, token.SUB, token.MUL, token.AND, token.OR, token.XOR, token.AND_NOT, token.QUO, token.REM, token.SHL,
		token.SHR},
	{token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ},
	{token.LAND, token.LOR},
}

func (d *draw) operator() (edit, bool) {
	e, ok := d.expr(d.f, func(e ast.Expr) bool { _, ok := e.(*ast.BinaryExpr); return ok })
	if !ok {
		return edit{}, false
	}
	b := e.(*ast.BinaryExpr)
	for _, c := range classes {
		if slices.Contains(c, b.Op) {
			return edit{start: d.f.at(b.OpPos), end: d.f.at(b.OpPos) + len(b.Op.String()),
				text: c[d.r.IntN(len(c))].String()}, true
		}
	}
	return edit{}, false
}

// visible returns the variables in scope at a place, by type.
func (f *File) visible(pos token.Pos) map[string][]string {
	vars := map[string][]string{}
	seen := map[string]bool{}
	for s := f.pkg.Scope().Innermost(pos); s != nil && s != types.Universe; s = s.Parent() {
		for _, name := range s.Names() {
			obj := s.Lookup(name)
			if seen[name] || name == "_" || obj.Pos() > pos && s != f.pkg.Scope() {
				continue
			}
			seen[name] = true
			if v, ok := obj.(*types.Var); ok {
				if t := typeName(v.Type()); t != "" {
					vars[t] = append(vars[t], name)
				}
			}
		}
	}
	return vars
}

// variable replaces an expression by a variable.
func (d *draw) variable() (edit, bool) {
	e, ok := d.expr(d.f, func(ast.Expr) bool { return true })
	if !ok {
		return edit{}, false
	}
	name, ok := pick(d.r, d.f.visible(e.Pos())[typeName(d.f.info.TypeOf(e))])
	if !ok {
		return edit{}, false
	}
	return d.replace(e, "%s", name)
}

var integers = []string{"int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64", "int", "uint"}

// narrow converts an integer through other types, perhaps with a mask.
func (d *draw) narrow() (edit, bool) {
	e, ok := d.expr(d.f, func(e ast.Expr) bool {
		tv := d.f.info.Types[e]
		return tv.Value == nil && isInteger(tv.Type) && typeName(tv.Type) != ""
	})
	if !ok {
		return edit{}, false
	}
	text := d.f.text(e)
	for range 1 + d.r.IntN(2) {
		text = fmt.Sprintf("%s(%s)", integers[d.r.IntN(len(integers))], text)
		if d.r.IntN(3) == 0 {
			text = fmt.Sprintf("(%s %s %d)", text, []string{"&", "|", "^", "&^", "%", "+"}[d.r.IntN(6)], 1+d.r.IntN(100))
		}
	}
	return d.replace(e, "%s(%s)", typeName(d.f.info.TypeOf(e)), text)
}

// stmt returns a statement of the file, with what follows it in its block.
func (d *draw) stmt(f *File) ([]ast.Stmt, bool) {
	list, ok := pick(d.r, f.stmts)
	if !ok {
		return nil, false
	}
	return list[d.r.IntN(len(list)):], true
}

// statement removes a statement, duplicates it, or moves it after the next.
func (d *draw) statement() (edit, bool) {
	list, ok := d.stmt(d.f)
	if !ok {
		return edit{}, false
	}
	s := list[0]
	switch d.r.IntN(3) {
	case 0:
		return d.replace(s, "")
	case 1:
		return d.replace(s, "%s; %[1]s", d.f.text(s))
	}
	if len(list) < 2 {
		return edit{}, false
	}
	e, _ := d.replace(s, "%s; %s", d.f.text(list[1]), d.f.text(s))
	e.end = d.f.at(list[1].End())
	return e, true
}

// around puts a loop, a function or a condition around a statement.
func (d *draw) around() (edit, bool) {
	list, ok := d.stmt(d.f)
	if !ok {
		return edit{}, false
	}
	vars := d.f.visible(list[0].Pos())
	cond := "len(\"ab\") == 2"
	if name, ok := pick(d.r, vars["bool"]); ok {
		cond = name
	} else if name, ok := pick(d.r, vars["int"]); ok {
		cond = fmt.Sprintf("%s&%d != 0", name, 1+d.r.IntN(7))
	}
	form := []string{"for range 2 {\n%s\n}", "if " + cond + " {\n%s\n}", "func() {\n%s\n}()", "defer func() {\n%s\n}()",
		"for i := range 3 {\nif i == 1 { continue }\n%s\n}", "func() {\ndefer func() { recover() }()\n%s\n}()",
		"switch {\ncase " + cond + ":\n%s\n}"}[d.r.IntN(7)]
	return d.replace(list[0], form, d.f.text(list[0]))
}

// A foreign is a piece of the other program, prepared for insertion into the first.
type foreign struct {
	text    string
	vars    string // declarations of variables that it needs
	imports string
}

// transplant returns the text of a piece of the other program with variables that are visible at a
// place in the first: every variable that is declared outside the piece becomes one of its type, or
// a new one.
func (d *draw) transplant(n ast.Node, pos token.Pos) (foreign, bool) {
	o := d.other
	vars := d.f.visible(pos)
	names := map[types.Object]string{}
	type cut struct {
		at   int
		n    int
		text string
	}
	var cuts []cut
	var imports []string
	fresh := ""
	ok := true
	ast.Inspect(n, func(m ast.Node) bool {
		switch m := m.(type) {
		case *ast.ReturnStmt, *ast.LabeledStmt:
			ok = false
		case *ast.BranchStmt:
			ok = ok && m.Label == nil
		case *ast.Ident:
			obj := o.info.Uses[m]
			if obj == nil || obj.Parent() == types.Universe {
				break
			}
			if obj.Pos() >= n.Pos() && obj.Pos() < n.End() {
				break
			}
			switch obj := obj.(type) {
			case *types.PkgName:
				imports = append(imports, fmt.Sprintf("import %q", obj.Imported().Path()))
			case *types.Var:
				if obj.IsField() {
					break
				}
				t := typeName(obj.Type())
				if ok = ok && t != ""; !ok {
					return false
				}
				if names[obj] == "" {
					name, has := pick(d.r, vars[t])
					if !has {
						name = fmt.Sprintf("crossed%d", len(names))
						fresh += fmt.Sprintf("var %s %s%s\n", name, t, d.start(obj.Type()))
					}
					names[obj] = name
				}
				cuts = append(cuts, cut{o.at(m.Pos()), len(m.Name), names[obj]})
			case *types.Const:
				if obj.Pkg() == o.pkg {
					t := typeName(obj.Type())
					if ok = ok && (t != "" || strings.Contains(obj.Type().String(), "untyped")) &&
						obj.Val().Kind() == constant.Int; ok {
						cuts = append(cuts, cut{o.at(m.Pos()), len(m.Name), t + "(" + obj.Val().ExactString() + ")"})
					}
				}
			default:
				if obj.Pkg() == o.pkg {
					ok = false // types, constants and functions of the other program
				}
			}
		}
		return ok
	})
	if !ok {
		return foreign{}, false
	}
	var b strings.Builder
	from := o.at(n.Pos())
	for _, c := range cuts {
		b.WriteString(o.Src[from:c.at] + c.text)
		from = c.at + c.n
	}
	b.WriteString(o.Src[from:o.at(n.End())])
	return foreign{b.String(), fresh, d.missing(imports)}, true
}

// start returns the initial value of a new variable.
func (d *draw) start(t types.Type) string {
	switch {
	case isInteger(t):
		return fmt.Sprintf(" = %d", d.r.IntN(100))
	case hasInfo(t, types.IsString):
		return " = \"crossed out\""
	}
	return ""
}

// missing returns the imports that the file does not have.
func (d *draw) missing(imports []string) string {
	var list []string
	for _, s := range imports {
		has := slices.ContainsFunc(d.f.file.Imports, func(i *ast.ImportSpec) bool { return "import "+i.Path.Value == s })
		if !has && !slices.Contains(list, s) {
			list = append(list, s)
		}
	}
	return strings.Join(list, "; ")
}

// crossExpr replaces an expression by one of the other program with the same type.
func (d *draw) crossExpr() (edit, bool) {
	e, ok := d.expr(d.f, func(e ast.Expr) bool { return typeName(d.f.info.TypeOf(e)) != "" })
	if !ok {
		return edit{}, false
	}
	want := typeName(d.f.info.TypeOf(e))
	x, ok := d.expr(d.other, func(x ast.Expr) bool {
		_, ident := x.(*ast.Ident)
		return !ident && typeName(d.other.info.TypeOf(x)) == want && d.other.info.Types[x].Value == nil
	})
	if !ok {
		return edit{}, false
	}
	t, ok := d.transplant(x, e.Pos())
	if !ok {
		return edit{}, false
	}
	if t.vars != "" {
		// A function around the expression declares the variables.
		t.text = "func() " + want + " {\n" + t.vars + "return " + t.text + "\n}()"
	}
	r, _ := d.replace(e, "(%s)", t.text)
	r.imports = t.imports
	return r, true
}

// crossStmt puts a statement of the other program before one of the file.
func (d *draw) crossStmt() (edit, bool) {
	to, ok := d.stmt(d.f)
	if !ok {
		return edit{}, false
	}
	for range 8 {
		from, ok := d.stmt(d.other)
		if !ok {
			break
		}
		if _, decl := from[0].(*ast.DeclStmt); decl {
			continue
		}
		if t, ok := d.transplant(from[0], to[0].Pos()); ok {
			at := d.f.at(to[0].Pos())
			return edit{start: at, end: at, text: "{\n" + t.vars + t.text + "\n}\n", imports: t.imports}, true
		}
	}
	return edit{}, false
}

// crossFunc adds a function of the other program, with everything that it refers to. A call of the
// function replaces a value of its result's type.
func (d *draw) crossFunc() (edit, bool) {
	decl, ok := pick(d.r, d.other.file.Decls)
	fn, isFunc := decl.(*ast.FuncDecl)
	if !ok || !isFunc || fn.Recv != nil || fn.Body == nil || fn.Type.TypeParams != nil || fn.Name.Name == "main" ||
		fn.Name.Name == "init" {
		return edit{}, false
	}
	sig := d.other.info.Defs[fn.Name].Type().(*types.Signature)
	if sig.Variadic() {
		return edit{}, false
	}
	decls, imports := d.closure(fn)
	var at ast.Node
	switch {
	case sig.Results().Len() == 1 && typeName(sig.Results().At(0).Type()) != "":
		want := typeName(sig.Results().At(0).Type())
		e, ok := d.expr(d.f, func(e ast.Expr) bool { return typeName(d.f.info.TypeOf(e)) == want })
		if ok {
			at = e
		}
	case sig.Results().Len() == 0:
		if list, ok := d.stmt(d.f); ok {
			at = list[0]
		}
	}
	if at == nil {
		return edit{}, false
	}
	vars := d.f.visible(at.Pos())
	var args []string
	for p := range sig.Params().Variables() {
		t := typeName(p.Type())
		if t == "" {
			return edit{}, false
		}
		if name, ok := pick(d.r, vars[t]); ok {
			args = append(args, name)
		} else {
			args = append(args, "*new("+t+")")
		}
	}
	e, _ := d.replace(at, "crossed_%s(%s)", fn.Name.Name, strings.Join(args, ", "))
	if _, stmt := at.(ast.Stmt); stmt {
		e.end = e.start
		e.text += "\n"
	}
	e.decls, e.imports = decls, imports
	return e, true
}

// closure returns the text of a declaration of the other program and of everything that it refers
// to, under new names.
func (d *draw) closure(first ast.Decl) (text, imports string) {
	o := d.other
	of := map[types.Object]ast.Decl{}
	methods := map[types.Object][]ast.Decl{}
	for _, decl := range o.file.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			if decl.Recv == nil {
				of[o.info.Defs[decl.Name]] = decl
			} else if id := receiver(decl.Recv.List[0].Type); id != nil {
				methods[o.info.Uses[id]] = append(methods[o.info.Uses[id]], decl)
			}
		case *ast.GenDecl:
			for _, s := range decl.Specs {
				switch s := s.(type) {
				case *ast.TypeSpec:
					of[o.info.Defs[s.Name]] = decl
				case *ast.ValueSpec:
					for _, name := range s.Names {
						of[o.info.Defs[name]] = decl
					}
				}
			}
		}
	}
	var b strings.Builder
	var need []string
	done := map[ast.Decl]bool{}
	work := []ast.Decl{first}
	for len(work) > 0 {
		decl := work[0]
		work = work[1:]
		if done[decl] {
			continue
		}
		done[decl] = true
		from := o.at(decl.Pos())
		b.WriteString("\n\n")
		ast.Inspect(decl, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			obj := o.info.Uses[id]
			if obj == nil {
				obj = o.info.Defs[id]
			}
			if p, ok := obj.(*types.PkgName); ok {
				need = append(need, fmt.Sprintf("import %q", p.Imported().Path()))
			}
			if to := of[obj]; to != nil {
				b.WriteString(o.Src[from:o.at(id.Pos())] + "crossed_" + id.Name)
				from = o.at(id.End())
				work = append(append(work, to), methods[obj]...)
			}
			return true
		})
		b.WriteString(o.Src[from:o.at(decl.End())])
	}
	return b.String(), d.missing(need)
}

// receiver returns the name of a method's type.
func receiver(e ast.Expr) *ast.Ident {
	switch e := e.(type) {
	case *ast.Ident:
		return e
	case *ast.StarExpr:
		return receiver(e.X)
	case *ast.ParenExpr:
		return receiver(e.X)
	case *ast.IndexExpr:
		return receiver(e.X)
	case *ast.IndexListExpr:
		return receiver(e.X)
	}
	return nil
}
