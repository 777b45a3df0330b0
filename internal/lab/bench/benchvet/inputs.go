package benchvet

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strconv"
	"strings"
)

// This file has the check of what compared benchmarks work on (BP34).

// A compared is a sub-benchmark that makes its input with one call.
type compared struct {
	name  string
	at    token.Pos
	input string // how it makes its input
	made  string // what makes it, without the numbers among the arguments
	sizes string // those numbers
	does  string // what the loop calls
}

// A tableRow has the expressions of a table's fields for one sub-benchmark. A nil row has none.
type tableRow struct {
	value  types.Object // the variable that goes over the table
	fields map[string]ast.Expr
	at     token.Pos
}

// inputs finds sub-benchmarks that compare different code and make their inputs with the same
// function, but of different sizes. They are calls of b.Run with literals, or rows of a table. Names
// that hold a number, or the size of an input, say that the inputs are meant to differ.
func (s *scope) inputs() {
	var all []compared
	for _, st := range s.body.List {
		switch st := st.(type) {
		case *ast.ExprStmt:
			all = append(all, s.compared(st, nil)...)
		case *ast.RangeStmt:
			for _, row := range s.table(st) {
				for _, in := range st.Body.List {
					if x, ok := in.(*ast.ExprStmt); ok {
						all = append(all, s.compared(x, row)...)
					}
				}
			}
		}
	}
	for i, x := range all {
		for _, y := range all[:i] {
			if x.made == y.made && x.sizes != y.sizes && x.does != y.does {
				s.report("BP34", x.at, "%s works on %s, %s on %s", x.name, x.input, y.name, y.input)
				break
			}
		}
	}
}

// compared is the sub-benchmark that a call of b.Run makes, if it has one input and a name without
// numbers.
func (s *scope) compared(st *ast.ExprStmt, row *tableRow) []compared {
	if s.method(st.X) != "Run" || len(st.X.(*ast.CallExpr).Args) != 2 {
		return nil
	}
	run := st.X.(*ast.CallExpr)
	name, isLit := s.inRow(row, run.Args[0]).(*ast.BasicLit)
	lit, isFunc := run.Args[1].(*ast.FuncLit)
	if !isLit || !isFunc || strings.ContainsAny(name.Value, "0123456789=") {
		return nil
	}
	this := compared{name: name.Value}
	calls := 0
	for _, st := range lit.Body.List {
		switch st := st.(type) {
		case *ast.AssignStmt:
			call, ok := st.Rhs[0].(*ast.CallExpr)
			if !ok || len(st.Rhs) != 1 || st.Tok != token.DEFINE || s.isType(call) {
				continue
			}
			if made, sizes, input := s.madeOf(call, row); sizes != "" {
				this.made, this.sizes, this.input, this.at, calls = made, sizes, input, call.Pos(), calls+1
			}
		case *ast.ForStmt:
			this.does += s.calls(st.Body, row)
		case *ast.RangeStmt:
			this.does += s.calls(st.Body, row)
		}
	}
	if calls != 1 || this.does == "" {
		return nil
	}
	if row != nil {
		this.at = row.at
	}
	return []compared{this}
}

// inRow is an expression, or what a table's row has in its place.
func (s *scope) inRow(row *tableRow, x ast.Expr) ast.Expr {
	if sel, ok := ast.Unparen(x).(*ast.SelectorExpr); ok && row != nil {
		if id, ok := sel.X.(*ast.Ident); ok && s.info.Uses[id] == row.value && row.fields[sel.Sel.Name] != nil {
			return row.fields[sel.Sel.Name]
		}
	}
	return x
}

// madeOf takes apart a call that makes an input: what it calls and with what, without the constant
// numbers among its arguments; these numbers; and the whole as text.
func (s *scope) madeOf(call *ast.CallExpr, row *tableRow) (made, sizes, input string) {
	made = types.ExprString(s.inRow(row, call.Fun))
	var args []string
	for _, a := range call.Args {
		a = s.inRow(row, a)
		args = append(args, types.ExprString(a))
		if n := s.number(a); n != 0 {
			sizes += strconv.FormatInt(n, 10) + " "
		} else {
			made += " " + types.ExprString(a)
		}
	}
	return made, sizes, types.ExprString(call.Fun) + "(" + strings.Join(args, ", ") + ")"
}

// calls names what a loop's body calls, in its order.
func (s *scope) calls(body ast.Node, row *tableRow) (names string) {
	ast.Inspect(body, func(n ast.Node) bool {
		if call, ok := n.(*ast.CallExpr); ok && !s.isType(call) {
			names += types.ExprString(s.inRow(row, call.Fun)) + " "
		}
		return true
	})
	return names
}

// table are the rows of the table that a loop goes over: a literal of structs, or a variable that
// was defined as one.
func (s *scope) table(r *ast.RangeStmt) (rows []*tableRow) {
	value, ok := r.Value.(*ast.Ident)
	if !ok || s.info.Defs[value] == nil {
		return nil
	}
	lit, ok := ast.Unparen(r.X).(*ast.CompositeLit)
	if id, isIdent := r.X.(*ast.Ident); isIdent {
		lit = s.literalOf(s.info.Uses[id])
		ok = lit != nil
	}
	str, isStruct := s.info.Defs[value].Type().Underlying().(*types.Struct)
	if !ok || !isStruct {
		return nil
	}
	for _, x := range lit.Elts {
		el, ok := x.(*ast.CompositeLit)
		if !ok {
			return nil
		}
		row := &tableRow{s.info.Defs[value], map[string]ast.Expr{}, el.Pos()}
		for i, x := range el.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				if id, ok := kv.Key.(*ast.Ident); ok {
					row.fields[id.Name] = kv.Value
				}
			} else if i < str.NumFields() {
				row.fields[str.Field(i).Name()] = x
			}
		}
		rows = append(rows, row)
	}
	return rows
}

// literalOf is the composite literal that a variable is defined as, and that nothing else is
// assigned to; nil: there is none.
func (s *scope) literalOf(v types.Object) (lit *ast.CompositeLit) {
	if v == nil {
		return nil
	}
	assigned := 0
	define := func(names []ast.Expr, values []ast.Expr) {
		i := slices.IndexFunc(names, func(x ast.Expr) bool { id, ok := x.(*ast.Ident); return ok && s.object(id) == v })
		if i >= 0 && len(names) == len(values) {
			lit, _ = values[i].(*ast.CompositeLit)
			assigned++
		}
	}
	for _, f := range s.files {
		ast.Inspect(f, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.AssignStmt:
				define(n.Lhs, n.Rhs)
			case *ast.ValueSpec:
				var names []ast.Expr
				for _, id := range n.Names {
					names = append(names, id)
				}
				define(names, n.Values)
			}
			return true
		})
	}
	if assigned != 1 {
		return nil
	}
	return lit
}
