package rules

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"strconv"
	"strings"
	"unicode"
)

// Parse reads a file of rules.
func Parse(file, text string) ([]*Rule, error) {
	lines, err := logicalLines(file, text)
	if err != nil {
		return nil, err
	}
	var list []*Rule
	for _, l := range lines {
		if theorem, ok := strings.CutPrefix(l.text, "sampled: "); ok && len(list) > 0 {
			list[len(list)-1].Sampled = theorem
			continue
		}
		r, err := parseRule(l.text)
		if err != nil {
			return nil, fmt.Errorf("%s:%d: %w", file, l.line, err)
		}
		r.File, r.Line = file, l.line
		list = append(list, r)
	}
	return list, nil
}

type line struct {
	line int
	text string
}

// logicalLines drops comments, joins continued lines and expands blocks.
func logicalLines(file, text string) (list []line, err error) {
	var block []line // of the open block
	var vars map[string][]string
	columns := 0
	for i, s := range strings.Split(text, "\n") {
		if k := strings.Index(s, "#"); k >= 0 {
			s = s[:k]
		}
		indented := strings.HasPrefix(s, "\t") || strings.HasPrefix(s, "  ")
		s = strings.TrimSpace(s)
		switch {
		case s == "":
		case strings.HasPrefix(s, "with ") && strings.HasSuffix(s, "{"):
			vars = map[string][]string{}
			for _, def := range strings.Split(strings.TrimSuffix(s[5:], "{"), ";") {
				name, values, ok := strings.Cut(def, "=")
				if !ok {
					return nil, fmt.Errorf("%s:%d: %q is no NAME = texts", file, i+1, def)
				}
				vars[strings.TrimSpace(name)] = strings.Fields(values)
				if n := len(strings.Fields(values)); columns != 0 && n != columns {
					return nil, fmt.Errorf("%s:%d: %d texts, not %d", file, i+1, n, columns)
				} else {
					columns = n
				}
			}
		case s == "}" && vars != nil:
			for c := range columns {
				for _, l := range block {
					for _, name := range sortedNames(vars) {
						l.text = strings.ReplaceAll(l.text, "$"+name, vars[name][c])
					}
					list = append(list, l)
				}
			}
			block, vars, columns = nil, nil, 0
		default:
			to := &list
			if vars != nil {
				to = &block
			}
			if n := len(*to); indented && n > 0 && !strings.HasPrefix(s, "sampled: ") {
				(*to)[n-1].text += " " + s
			} else {
				*to = append(*to, line{i + 1, s})
			}
		}
	}
	if vars != nil {
		return nil, fmt.Errorf("%s: a block is not closed", file)
	}
	return list, nil
}

func parseRule(text string) (*Rule, error) {
	if code, ok := strings.CutPrefix(text, "code "); ok {
		head, doc, ok := strings.Cut(code, ":")
		f := strings.Fields(head)
		if !ok || len(f) == 0 || len(f) > 2 {
			return nil, fmt.Errorf("no code NAME [OP]: what it does")
		}
		r := &Rule{Name: f[0], Code: strings.TrimSpace(doc)}
		if len(f) == 2 {
			op, ok := opByName[f[1]]
			if !ok {
				return nil, fmt.Errorf("no operation %s", f[1])
			}
			r.Op = op
		}
		return r, nil
	}
	name, rest, ok := strings.Cut(text, ":")
	left, right, ok2 := strings.Cut(rest, " => ")
	if !ok || !ok2 || strings.ContainsAny(name, " ()") {
		return nil, fmt.Errorf("no NAME: pattern => replacement")
	}
	pattern, cond, conditional := strings.Cut(left, " if ")
	r := &Rule{Name: name}
	var err error
	if r.Pattern, err = parseTerm(pattern, true); err != nil {
		return nil, err
	}
	if r.Pattern.Kind != Op || r.Pattern.Op == Inverted {
		return nil, fmt.Errorf("the pattern is no operation")
	}
	r.Pattern.As = "v"
	if conditional {
		e, err := parser.ParseExpr(cond)
		if err != nil {
			return nil, fmt.Errorf("condition: %w", err)
		}
		r.Conds = conjuncts(e)
	}
	if strings.TrimSpace(right) != "nothing" {
		if r.Result, err = parseTerm(right, false); err != nil {
			return nil, err
		}
	}
	if err := r.infer(); err != nil {
		return nil, err
	}
	return r, r.check()
}

func conjuncts(e ast.Expr) []ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return conjuncts(e.X)
	case *ast.BinaryExpr:
		if e.Op == token.LAND {
			return append(conjuncts(e.X), conjuncts(e.Y)...)
		}
	}
	return []ast.Expr{e}
}

// A termParser reads one term.
type termParser struct {
	s       string
	pattern bool
}

func parseTerm(s string, pattern bool) (n *Node, err error) {
	p := &termParser{strings.TrimSpace(s), pattern}
	defer func() {
		if r := recover(); r != nil {
			if e, ok := r.(syntaxError); ok {
				n, err = nil, fmt.Errorf("%s, before %q", string(e), p.s)
				return
			}
			panic(r)
		}
	}()
	n = p.term()
	if p.space(); p.s != "" {
		return nil, fmt.Errorf("%q behind a term", p.s)
	}
	return n, nil
}

type syntaxError string

func (p *termParser) space() { p.s = strings.TrimLeft(p.s, " \t") }

func (p *termParser) eat(c string) bool {
	if strings.HasPrefix(p.s, c) {
		p.s = p.s[len(c):]
		return true
	}
	return false
}

func (p *termParser) word() string {
	n := strings.IndexFunc(p.s, func(r rune) bool {
		return r != '_' && r != '-' && !unicode.IsLetter(r) && !unicode.IsDigit(r)
	})
	if n < 0 {
		n = len(p.s)
	}
	w := p.s[:n]
	p.s = p.s[n:]
	if w == "" {
		panic(syntaxError("no name"))
	}
	return w
}

// until returns the text up to a closing bracket, and skips the bracket.
func (p *termParser) until(closing byte) string {
	depth := 0
	for i := range len(p.s) {
		switch c := p.s[i]; {
		case c == closing && depth == 0:
			text := p.s[:i]
			p.s = p.s[i+1:]
			return text
		case c == '(' || c == '[' || c == '{':
			depth++
		case c == ')' || c == ']' || c == '}':
			depth--
		}
	}
	panic(syntaxError("no " + string(closing)))
}

func (p *termParser) label(n *Node) *Node {
	if p.eat(":") {
		n.label = p.word()
	}
	return n
}

func (p *termParser) term() *Node {
	p.space()
	switch {
	case p.eat("("):
		return p.operation()
	case p.eat("["):
		e, err := parser.ParseExpr(p.until(']'))
		if err != nil || p.pattern {
			panic(syntaxError("no expression may stand here"))
		}
		return p.label(&Node{Kind: Expr, Expr: e})
	}
	w := p.word()
	if p.pattern && p.eat("@") {
		n := p.term()
		n.As = w
		return n
	}
	if n, err := strconv.ParseInt(w, 0, 64); err == nil {
		return p.label(&Node{Kind: Lit, Lit: n})
	}
	if w == strings.ToUpper(w) {
		if !p.pattern {
			panic(syntaxError("constants stand in brackets"))
		}
		return p.label(&Node{Kind: Const, Name: w})
	}
	return p.label(&Node{Kind: Var, Name: w})
}

func (p *termParser) operation() *Node {
	n := &Node{Kind: Op, Op: p.word()}
	if op, ok := opByName[n.Op]; ok {
		n.Info = op.Info()
	} else if n.Op == Inverted {
		n.Info = &inverted
	} else {
		panic(syntaxError("no operation " + n.Op))
	}
	p.label(n)
	if p.eat("{") {
		for _, s := range strings.FieldsFunc(p.until('}'), func(r rune) bool { return r == ',' || r == ' ' }) {
			e, err := parser.ParseExpr(s)
			if err != nil {
				panic(syntaxError("aux " + s))
			}
			a := Aux{Expr: e}
			if id, ok := e.(*ast.Ident); ok && p.pattern {
				a.Name = id.Name
			}
			n.Aux = append(n.Aux, a)
		}
	}
	for p.space(); !p.eat(")"); p.space() {
		if p.s == "" {
			panic(syntaxError("no )"))
		}
		n.Args = append(n.Args, p.term())
	}
	return n
}
