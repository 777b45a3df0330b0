package rules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/printer"
	"go/token"
	"strings"
)

// String returns the rule as in its file, except for spaces.
func (r *Rule) String() string {
	if r.Pattern == nil {
		return fmt.Sprintf("code %s %s: %s", r.Name, r.Op, r.Code)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", r.Name, r.Pattern)
	for i, e := range r.Conds {
		b.WriteString([]string{" && ", " if "}[b2i(i == 0)])
		b.WriteString(exprString(e))
	}
	if r.Result == nil {
		return b.String() + " => nothing"
	}
	return b.String() + " => " + r.Result.String()
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

func exprString(e ast.Expr) string {
	var b bytes.Buffer
	printer.Fprint(&b, token.NewFileSet(), e)
	if x, ok := e.(*ast.BinaryExpr); ok && x.Op == token.LOR {
		return "(" + b.String() + ")"
	}
	return b.String()
}

func (n *Node) String() string {
	label := ""
	if n.label != "" {
		label = ":" + n.label
	}
	as := ""
	if n.As != "" && n.As != "v" {
		as = n.As + "@"
	}
	switch n.Kind {
	case Var, Const:
		return as + n.Name + label
	case Lit:
		return fmt.Sprint(as, n.Lit, label)
	case Expr:
		return "[" + exprString(n.Expr) + "]" + label
	}
	text := as + "(" + n.Op + label
	for i, a := range n.Aux {
		text += []string{",", "{"}[b2i(i == 0)] + strings.ReplaceAll(exprString(a.Expr), " ", "")
	}
	if len(n.Aux) > 0 {
		text += "}"
	}
	for _, a := range n.Args {
		text += " " + a.String()
	}
	return text + ")"
}
