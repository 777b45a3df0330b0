//go:build unix

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/constant"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// modulePath is the path of gyr's module.
const modulePath = "github.com/gyrvm/gyr"

// neutral are the packages that serve all processors and have mutants: the optimiser and the back ends.
var neutral = []string{"internal/opt", "internal/opt/facts", "internal/back/bytecode", "internal/back/native/plan",
	"internal/back/native/regalloc"}

// mutated returns the packages whose mutants are drawn: of another processor than amd64, the processor's own.
func mutated() []string {
	own := "internal/back/native/" + *arch
	if *arch != "amd64" {
		return []string{own}
	}
	return append(slices.Clone(neutral), own)
}

// skipped are files that do not affect what a program does.
var skipped = map[string]string{
	"internal/opt/log.go":                    "remarks for people about what passes decided",
	"internal/opt/stop.go":                   "when a compilation ends early",
	"internal/back/bytecode/print.go":        "text for people",
	"internal/back/bytecode/verify.go":       "looks for faults, makes none",
	"internal/back/native/regalloc/check.go": "looks for faults, makes none",
	"internal/back/native/plan/notes.go":     "comments in listings",
}

// A source is a file with its mutation points.
type source struct {
	name   string // relative to the module's root
	text   []byte
	pkg    string // name of the package
	dir    string // relative to the module's root
	points []*mutant
}

// A mutant is one small change of a source. The text between start and end stays and gets before
// and after around it, which choose between it and its replacement.
type mutant struct {
	id            int // number among the drawn mutants, from 1
	file          string
	line          int
	fn            string // the function, or "init"
	from, to      string // for people
	nth           int    // number among equal changes in the function
	start, end    int
	before, after string // with %d in place of the id
	asked         int    // tests that reach it and did not find it
}

// key names the mutant. It stays the same while its function is unchanged.
func (m *mutant) key() string {
	s := fmt.Sprintf("%s %s: %s => %s", m.file, m.fn, m.from, m.to)
	if m.nth > 0 {
		s += fmt.Sprintf(" (%d)", m.nth)
	}
	return s
}

func (m *mutant) String() string {
	return fmt.Sprintf("%s:%d %s: %s => %s", m.file, m.line, m.fn, m.from, m.to)
}

func moduleRoot() (string, error) {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", modulePath).Output()
	return strings.TrimSpace(string(out)), err
}

// findSources type-checks the mutated packages, with their imports from the go command's export
// data, and finds their mutation points.
func findSources(root string) ([]*source, error) {
	args := []string{"list", "-deps", "-export", "-json=ImportPath,Dir,GoFiles,Export"}
	packages := mutated()
	for _, dir := range packages {
		args = append(args, "./"+dir)
	}
	cmd := exec.Command("go", args...)
	cmd.Dir, cmd.Env, cmd.Stderr = root, environ(), os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	var sources []*source
	export := map[string]string{}
	fset := token.NewFileSet()
	conf := types.Config{Importer: importer.ForCompiler(fset, "gc",
		func(path string) (io.ReadCloser, error) { return os.Open(export[path]) })}
	for d := json.NewDecoder(bytes.NewReader(out)); d.More(); {
		var p struct {
			ImportPath, Dir, Export string
			GoFiles                 []string
		}
		if err := d.Decode(&p); err != nil {
			return nil, err
		}
		export[p.ImportPath] = p.Export
		dir := strings.TrimPrefix(p.ImportPath, modulePath+"/")
		if !slices.Contains(packages, dir) {
			continue
		}
		list, err := packagePoints(fset, &conf, root, dir, p.GoFiles)
		if err != nil {
			return nil, err
		}
		sources = append(sources, list...)
	}
	slices.SortFunc(sources, func(a, b *source) int { return strings.Compare(a.name, b.name) })
	return sources, nil
}

func packagePoints(fset *token.FileSet, conf *types.Config, root, dir string, names []string) ([]*source, error) {
	info := &types.Info{Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
		Defs: map[*ast.Ident]types.Object{}}
	var files []*ast.File
	var sources []*source
	for _, name := range names {
		s := &source{name: dir + "/" + name, dir: dir}
		var err error
		if s.text, err = os.ReadFile(filepath.Join(root, s.name)); err != nil {
			return nil, err
		}
		f, err := parser.ParseFile(fset, s.name, s.text, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		s.pkg = f.Name.Name
		files, sources = append(files, f), append(sources, s)
	}
	pkg, err := conf.Check(modulePath+"/"+dir, fset, files, info)
	if err != nil {
		return nil, err
	}
	var list []*source
	for i, s := range sources {
		if skipped[s.name] != "" {
			continue
		}
		f := &finder{source: s, fset: fset, info: info, pkg: pkg, imports: map[string]string{}, seen: map[string]int{}}
		f.file(files[i])
		if len(s.points) > 0 {
			list = append(list, s)
		}
	}
	return list, nil
}

func countPoints(sources []*source) (n int) {
	for _, s := range sources {
		n += len(s.points)
	}
	return n
}

// draw draws n mutants. It draws a file for each first, so that small passes get as many mutants as
// large ones.
func draw(sources []*source, n int, seed uint64, only string) []*mutant {
	r := rand.New(rand.NewPCG(seed, 0))
	left := make([][]*mutant, len(sources))
	for i, s := range sources {
		left[i] = slices.Clone(s.points)
	}
	var drawn []*mutant
	for len(drawn) < n {
		left = slices.DeleteFunc(left, func(p []*mutant) bool { return len(p) == 0 })
		if len(left) == 0 {
			break
		}
		i := r.IntN(len(left))
		j := r.IntN(len(left[i]))
		m := left[i][j]
		left[i] = slices.Delete(left[i], j, j+1)
		drawn = append(drawn, m)
	}
	if only != "" {
		drawn = slices.DeleteFunc(drawn, func(m *mutant) bool { return !strings.Contains(m.String(), only) })
	}
	for i, m := range drawn {
		m.id = i + 1
	}
	return drawn
}

// A finder finds the mutation points of one file.
type finder struct {
	*source
	fset    *token.FileSet
	info    *types.Info
	pkg     *types.Package
	imports map[string]string // name in this file by path
	fn      string
	seen    map[string]int
}

func (f *finder) file(file *ast.File) {
	for _, imp := range file.Imports {
		path := strings.Trim(imp.Path.Value, `"`)
		f.imports[path] = path[strings.LastIndex(path, "/")+1:]
		if imp.Name != nil {
			f.imports[path] = imp.Name.Name
		}
	}
	for _, d := range file.Decls {
		switch d := d.(type) {
		case *ast.FuncDecl:
			if d.Body == nil {
				continue
			}
			f.fn = d.Name.Name
			if d.Recv != nil {
				f.fn = strings.TrimPrefix(f.str(d.Recv.List[0].Type), "*") + "." + f.fn
			}
			f.early(d)
			f.walk(d.Body)
		case *ast.GenDecl:
			if f.fn = "init"; d.Tok == token.VAR {
				f.walk(d)
			}
		}
	}
}

func (f *finder) at(p token.Pos) int        { return f.fset.Position(p).Offset }
func (f *finder) str(n ast.Node) string     { return string(f.text[f.at(n.Pos()):f.at(n.End())]) }
func (f *finder) typ(e ast.Expr) types.Type { return f.info.TypeOf(e) }

// add adds a mutant that changes the node n.
func (f *finder) add(n ast.Node, to, before, after string) {
	f.enter(f.at(n.Pos()), f.at(n.End()), f.str(n), to, before, after)
}

func (f *finder) enter(start, end int, from, to, before, after string) {
	m := &mutant{file: f.name, line: 1 + bytes.Count(f.text[:start], []byte("\n")), fn: f.fn,
		from: short(from), to: short(to), start: start, end: end, before: before, after: after}
	key := m.key()
	m.nth = f.seen[key]
	f.seen[key]++
	f.points = append(f.points, m)
}

// short is text on one line.
func short(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	if len(s) > 90 {
		s = s[:60] + "…" + s[len(s)-25:]
	}
	return s
}

// walk finds the points under n.
func (f *finder) walk(n ast.Node) {
	ast.Inspect(n, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GenDecl:
			return n.Tok == token.VAR
		case *ast.ArrayType:
			return false
		case *ast.CompositeLit:
			for _, e := range n.Elts {
				if kv, ok := e.(*ast.KeyValueExpr); ok {
					e = kv.Value // keys of arrays are constants, other keys are names
				}
				f.walk(e)
			}
			return false
		case *ast.BlockStmt:
			f.statements(n.List)
		case *ast.CommClause:
			f.statements(n.Body)
		case *ast.SwitchStmt:
			f.cases(n)
		case *ast.CaseClause:
			f.statements(n.Body)
			for _, s := range n.Body {
				f.walk(s)
			}
			for _, e := range n.List {
				if tv := f.info.Types[e]; tv.IsValue() && tv.Value == nil {
					f.walk(e)
				}
			}
			return false
		case *ast.ExprStmt:
			return f.call(n.X)
		case *ast.DeferStmt:
			return f.call(n.Call)
		case *ast.GoStmt:
			return f.call(n.Call)
		case *ast.IfStmt:
			f.condition(n.Cond)
		case *ast.ForStmt:
			if n.Cond != nil {
				f.condition(n.Cond)
			}
		case ast.Expr:
			return f.expr(n)
		}
		return true
	})
}

// call visits a call that is a statement and cannot be wrapped.
func (f *finder) call(e ast.Expr) bool {
	call, ok := e.(*ast.CallExpr)
	if ok {
		f.walk(call.Fun)
		for _, a := range call.Args {
			f.walk(a)
		}
	}
	return !ok
}

// statements finds calls, assignments and jumps to leave out, and updates whose sign to change.
func (f *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch s := s.(type) {
		case *ast.ExprStmt:
			call, ok := s.X.(*ast.CallExpr)
			if !ok || f.isPanic(call) {
				continue
			}
			f.drop(s)
			f.swapped(call, func(text string) {
				f.add(s, text, "if mutantOn(%d) { "+text+" } else { ", " }")
			})
		case *ast.AssignStmt:
			if s.Tok == token.DEFINE || allBlank(s.Lhs) {
				continue
			}
			f.drop(s)
			if op := updates[s.Tok]; op != token.ILLEGAL && f.isInt(s.Lhs[0]) {
				text := f.str(s.Lhs[0]) + " " + op.String() + " " + f.str(s.Rhs[0])
				f.add(s, text, "if mutantOn(%d) { "+text+" } else { ", " }")
			}
		case *ast.IncDecStmt, *ast.SendStmt:
			f.drop(s)
		case *ast.BranchStmt:
			if s.Tok == token.BREAK || s.Tok == token.CONTINUE {
				f.drop(s)
			}
		}
	}
}

func (f *finder) drop(s ast.Stmt) { f.add(s, "nothing", "if !mutantOn(%d) { ", " }") }

var updates = map[token.Token]token.Token{
	token.ADD_ASSIGN: token.SUB_ASSIGN, token.SUB_ASSIGN: token.ADD_ASSIGN, token.OR_ASSIGN: token.AND_ASSIGN,
	token.AND_ASSIGN: token.OR_ASSIGN,
	token.MUL_ASSIGN: token.ADD_ASSIGN, token.SHL_ASSIGN: token.SHR_ASSIGN, token.SHR_ASSIGN: token.SHL_ASSIGN,
	token.AND_NOT_ASSIGN: token.AND_ASSIGN,
}

func allBlank(list []ast.Expr) bool {
	return !slices.ContainsFunc(list, func(e ast.Expr) bool { id, ok := e.(*ast.Ident); return !ok || id.Name != "_" })
}

func (f *finder) isPanic(call *ast.CallExpr) bool {
	id, ok := call.Fun.(*ast.Ident)
	return ok && id.Name == "panic"
}

// early makes a function with a boolean result return at once.
func (f *finder) early(d *ast.FuncDecl) {
	r := d.Type.Results
	if r == nil || r.NumFields() != 1 || !isBool(f.typ(r.List[0].Type)) || len(d.Body.List) == 0 {
		return
	}
	at := f.at(d.Body.Lbrace) + 1
	for _, v := range []string{"true", "false"} {
		f.enter(at, at, "(begin)", "return "+v, " if mutantOn(%d) { return "+v+" }; ", "")
	}
}

// condition negates a statement's condition, unless that happens where its operands are visited.
func (f *finder) condition(e ast.Expr) {
	switch b, binary := e.(*ast.BinaryExpr); {
	case binary && b.Op != token.EQL && b.Op != token.NEQ, !binary && isVariable(e):
		f.negate(e)
	}
}

func isVariable(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.ParenExpr:
		return true
	}
	return false
}

// negate inverts a condition.
func (f *finder) negate(e ast.Expr) {
	f.add(e, "!("+f.str(e)+")", "(mutantOn(%d) != (", "))")
}

// near maps a comparison to the one that differs from it only for equal operands.
var (
	near = map[token.Token]token.Token{token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ,
		token.GEQ: token.GTR}
	arith = map[token.Token]token.Token{token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD,
		token.QUO: token.MUL, token.REM: token.QUO,
		token.AND: token.OR, token.OR: token.AND, token.XOR: token.OR, token.AND_NOT: token.AND, token.SHL: token.SHR,
		token.SHR: token.SHL}
)

// expr finds the points of an expression and reports whether to visit its operands.
func (f *finder) expr(e ast.Expr) bool {
	tv := f.info.Types[e]
	if tv.IsType() {
		return false
	}
	if tv.Value != nil {
		f.constant(e, tv)
		return false
	}
	switch e := e.(type) {
	case *ast.BinaryExpr:
		f.binary(e)
	case *ast.UnaryExpr:
		if e.Op == token.NOT {
			f.negate(e)
		}
	case *ast.CallExpr:
		if isBool(tv.Type) {
			f.negate(e)
		}
		f.swapped(e, func(text string) {
			if name, ok := f.spell(tv.Type); ok {
				f.add(e, text, "mutantDo["+name+"](%d, func() "+name+" { return ", " }, func() "+name+" { return "+text+" })")
			}
		})
	}
	return true
}

func (f *finder) binary(e *ast.BinaryExpr) {
	with := func(op token.Token) string { return f.str(e.X) + " " + op.String() + " " + f.str(e.Y) }
	switch e.Op {
	case token.LAND:
		f.enter(f.at(e.X.Pos()), f.at(e.X.End()), f.str(e), f.str(e.Y), "(mutantOn(%d) || (", "))")
		f.enter(f.at(e.Y.Pos()), f.at(e.Y.End()), f.str(e), f.str(e.X), "(mutantOn(%d) || (", "))")
	case token.LOR:
		f.enter(f.at(e.X.Pos()), f.at(e.X.End()), f.str(e), f.str(e.Y), "(!mutantOn(%d) && (", "))")
		f.enter(f.at(e.Y.Pos()), f.at(e.Y.End()), f.str(e), f.str(e.X), "(!mutantOn(%d) && (", "))")
	case token.EQL, token.NEQ:
		f.add(e, map[token.Token]string{token.EQL: with(token.NEQ), token.NEQ: with(token.EQL)}[e.Op], "(mutantOn(%d) != (",
			"))")
	case token.LSS, token.LEQ, token.GTR, token.GEQ:
		f.instead(e, "bool", near[e.Op])
	default:
		if name, ok := f.spell(f.typ(e)); ok && arith[e.Op] != token.ILLEGAL && f.isInt(e) {
			f.instead(e, name, arith[e.Op])
		}
	}
}

// instead computes another operation with the same operands. It computes both unless the expression
// has calls.
func (f *finder) instead(e *ast.BinaryExpr, typ string, op token.Token) {
	x, y := f.str(e.X), f.str(e.Y)
	text, other := x+" "+op.String()+" "+y, "("+x+") "+op.String()+" ("+y+")"
	if f.calls(e) {
		f.add(e, text, "mutantDo["+typ+"](%d, func() "+typ+" { return ", " }, func() "+typ+" { return "+other+" })")
	} else {
		f.add(e, text, "mutantPick["+typ+"](%d, ", ", "+other+")")
	}
}

// constant changes a literal number by one, and true to false.
func (f *finder) constant(e ast.Expr, tv types.TypeAndValue) {
	switch {
	case tv.Value.Kind() == constant.Bool:
		f.add(e, fmt.Sprint(!constant.BoolVal(tv.Value)), "(mutantOn(%d) != ", ")")
	case tv.Value.Kind() == constant.Int && f.isInt(e) && hasLiteral(e):
		name, ok := f.spell(tv.Type)
		if b, _ := tv.Type.(*types.Basic); b != nil && b.Kind() == types.UntypedInt {
			name, ok = "int", true // a shift count
		}
		if !ok {
			return
		}
		for _, op := range []token.Token{token.ADD, token.SUB} {
			v := constant.BinaryOp(tv.Value, op, constant.MakeInt64(1))
			if constant.Compare(v, token.EQL, constant.MakeInt64(-1)) && op == token.SUB {
				continue // 0 only becomes 1
			}
			if representable(v, tv.Type) {
				f.add(e, v.ExactString(), "mutantPick["+name+"](%d, ", ", "+v.ExactString()+")")
			}
		}
	}
}

func representable(v constant.Value, t types.Type) bool {
	b := t.Underlying().(*types.Basic)
	if b.Info()&types.IsUnsigned != 0 {
		bits := map[types.BasicKind]int{types.Uint8: 8, types.Uint16: 16, types.Uint32: 32}[b.Kind()]
		if bits == 0 {
			bits = 64
		}
		return constant.Sign(v) >= 0 && constant.BitLen(v) <= bits
	}
	bits := map[types.BasicKind]int{types.Int8: 7, types.Int16: 15, types.Int32: 31}[b.Kind()]
	if bits == 0 {
		bits = 63
	}
	return constant.BitLen(v) <= bits
}

func hasLiteral(e ast.Expr) (has bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		_, lit := n.(*ast.BasicLit)
		has = has || lit
		return true
	})
	return has
}

// cases removes values from the cases of a switch.
func (f *finder) cases(s *ast.SwitchStmt) {
	if s.Tag == nil {
		for _, c := range s.Body.List {
			for _, e := range c.(*ast.CaseClause).List {
				f.condition(e)
			}
		}
		return
	}
	name, ok := f.spell(f.typ(s.Tag))
	if !ok || !f.isInt(s.Tag) {
		return
	}
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			if f.info.Types[e].Value != nil {
				f.add(e, "no case "+f.str(e), "mutantPick["+name+"](%d, ", ", ^"+name+"(0))")
			}
		}
	}
}

// swapped calls make with the text of the call after an exchange of two neighbouring arguments of
// the same type.
func (f *finder) swapped(call *ast.CallExpr, make func(text string)) {
	if f.info.Types[call.Fun].IsType() || f.info.Types[call.Fun].IsBuiltin() || call.Ellipsis.IsValid() {
		return
	}
	for i := 1; i < len(call.Args); i++ {
		a, b := call.Args[i-1], call.Args[i]
		if !types.Identical(f.typ(a), f.typ(b)) || f.str(a) == f.str(b) {
			continue
		}
		start := f.at(call.Pos())
		text := string(f.text[start:f.at(a.Pos())]) + f.str(b) + string(f.text[f.at(a.End()):f.at(b.Pos())]) + f.str(a) +
			string(f.text[f.at(b.End()):f.at(call.End())])
		make(text)
	}
}

// calls reports whether an expression has effects besides its value.
func (f *finder) calls(e ast.Expr) (calls bool) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.CallExpr:
			calls = calls || !f.info.Types[n.Fun].IsType() && !f.info.Types[n.Fun].IsBuiltin()
		case *ast.UnaryExpr:
			calls = calls || n.Op == token.ARROW
		case *ast.FuncLit:
			calls = true
		}
		return true
	})
	return calls
}

// spell returns the type as the file can write it.
func (f *finder) spell(t types.Type) (string, bool) {
	ok := true
	if b, basic := t.(*types.Basic); basic && b.Info()&types.IsUntyped != 0 {
		return "", false
	}
	if _, tuple := t.(*types.Tuple); tuple || t == nil {
		return "", false
	}
	s := types.TypeString(t, func(p *types.Package) string {
		if p == f.pkg {
			return ""
		}
		name := f.imports[p.Path()]
		ok = ok && name != ""
		return name
	})
	if n, named := t.(*types.Named); named && n.Obj().Pkg() != nil && n.Obj().Pkg() != f.pkg && !n.Obj().Exported() {
		ok = false
	}
	return s, ok
}

func (f *finder) isInt(e ast.Expr) bool {
	b, ok := f.typ(e).Underlying().(*types.Basic)
	return ok && b.Info()&types.IsInteger != 0
}

func isBool(t types.Type) bool {
	b, ok := t.Underlying().(*types.Basic)
	return ok && b.Kind() == types.Bool
}
