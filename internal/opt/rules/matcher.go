package rules

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/printer"
	"go/token"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// # The matcher
//
// A rule becomes a list of tests and an action. Adjacent rules of an operation that begin with the
// same tests share them, as in handwritten code:
//
//	if y.Op == ir.OpConst {
//		if x.Op == ir.OpAdd {
//			…

// A compiled rule is the matcher's code for one rule.
type compiled struct {
	tests  []string
	action string
	name   string
}

// Go returns the source of the matcher.
func Go(list []*Rule) ([]byte, error) {
	var b bytes.Buffer
	b.WriteString(`// Code generated from rules/*.rules by rules/gen. DO NOT EDIT.

package opt

import "github.com/gyrvm/gyr/internal/ir"

// The rules by number.
const (
	noRule rule = iota
`)
	for _, r := range list {
		fmt.Fprintln(&b, ident(r.Name))
	}
	b.WriteString("numRules\n)\n\nvar ruleNames = [numRules]string{\n")
	for _, r := range list {
		fmt.Fprintf(&b, "%s: %q,\n", ident(r.Name), r.Name)
	}
	b.WriteString("}\n\n")

	byOp := map[ir.Op][]*Rule{}
	var views []*Rule
	for _, r := range list {
		switch {
		case r.IsView():
			views = append(views, r)
		case r.Root() != ir.OpInvalid:
			byOp[r.Root()] = append(byOp[r.Root()], r)
		}
	}
	b.WriteString("// rewrite applies the first rule of v's operation that matches.\nfunc (p *simplifier) rewrite(v *ir.Value) rule {\nswitch v.Op {\n")
	for op := ir.Op(0); op < ir.NumOps; op++ {
		if byOp[op] != nil {
			fmt.Fprintf(&b, "case ir.%s:\nreturn p.rewrite%s(v)\n", opIdent(op), opIdent(op)[2:])
		}
	}
	b.WriteString("}\nreturn noRule\n}\n")
	for op := ir.Op(0); op < ir.NumOps; op++ {
		if byOp[op] == nil {
			continue
		}
		head := fmt.Sprintf("func (p *simplifier) rewrite%s(v *ir.Value) rule {\n", opIdent(op)[2:])
		if err := section(&b, head, "return noRule\n}\n", byOp[op]); err != nil {
			return nil, err
		}
	}
	if err := viewFunction(&b, views); err != nil {
		return nil, err
	}
	return format.Source(b.Bytes())
}

// viewFunction writes the function that recognises inverted conditions.
func viewFunction(b *bytes.Buffer, views []*Rule) error {
	if len(views) == 0 {
		return nil
	}
	b.WriteString("\n// invertedBool returns x when v is the inversion of a condition x, else nil.\nfunc invertedBool(v *ir.Value) *ir.Value {\nswitch v.Op {\n")
	for len(views) > 0 {
		op := views[0].Root()
		n := 1
		for n < len(views) && views[n].Root() == op {
			n++
		}
		if err := section(b, fmt.Sprintf("case ir.%s:\n", opIdent(op)), "", views[:n]); err != nil {
			return err
		}
		views = views[n:]
	}
	b.WriteString("}\nreturn nil\n}\n")
	return nil
}

// section writes the rules of one operation between a head and a tail.
func section(b *bytes.Buffer, head, tail string, list []*Rule) error {
	var all []compiled
	for _, r := range list {
		c, err := r.compile()
		if err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
		all = append(all, c)
	}
	var body bytes.Buffer
	if err := write(&body, all, 0); err != nil {
		return err
	}
	b.WriteString("\n" + head)
	for i, name := range rootNames {
		if mentions(body.String(), name) {
			fmt.Fprintf(b, "%s := v.Args[%d]\n", name, i)
		}
	}
	b.Write(body.Bytes())
	b.WriteString(tail)
	return nil
}

var rootNames = []string{"x", "y", "z", "w"}

// mentions reports whether Go text uses a variable.
func mentions(text, name string) bool {
	for i := 0; ; {
		k := strings.Index(text[i:], name)
		if k < 0 {
			return false
		}
		i += k
		word := func(c byte) bool {
			return c == '_' || c == '.' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z'
		}
		if !word(text[i-1]) && (i+len(name) == len(text) || text[i+len(name)] == '.' || !word(text[i+len(name)])) {
			return true
		}
		i += len(name)
	}
}

// write writes rules. Their first depth tests have passed.
func write(b *bytes.Buffer, list []compiled, depth int) error {
	for i := 0; i < len(list); {
		if len(list[i].tests) == depth {
			fmt.Fprintf(b, "%s\n", list[i].action)
			if i+1 < len(list) && !strings.HasSuffix(list[i].action, "\n}") {
				return fmt.Errorf("rule %s never matches, since %s does", list[i+1].name, list[i].name)
			}
			i++
			continue
		}
		n := i + 1
		for n < len(list) && len(list[n].tests) > depth && list[n].tests[depth] == list[i].tests[depth] {
			n++
		}
		group, shared := list[i:n], depth+1
		cond := list[i].tests[depth]
		for sharedTest(group, shared) {
			cond += " && " + group[0].tests[shared]
			shared++
		}
		fmt.Fprintf(b, "if %s {\n", cond)
		if err := write(b, group, shared); err != nil {
			return err
		}
		b.WriteString("}\n")
		i = n
	}
	return nil
}

// sharedTest reports whether the next test of all rules in a list is the same, and is not a
// statement.
func sharedTest(list []compiled, depth int) bool {
	for _, c := range list {
		if len(c.tests) == depth || c.tests[depth] != list[0].tests[depth] || strings.Contains(c.tests[depth], ";") {
			return false
		}
	}
	return true
}

// A matching is a rule during its compilation to Go.
type matching struct {
	*Rule
	paths  map[*Node]string  // of the pattern's terms
	values map[string]string // by name
	consts map[string]*Node
	aux    map[string]AuxPlace
	types  map[*Type]string // Go's name for the type of a class
	tests  []string
	err    error
}

func (r *Rule) compile() (compiled, error) {
	if r.Pattern == nil {
		return compiled{name: r.Name, action: fmt.Sprintf("if p.%s(v) {\nreturn %s\n}", method(r.Name), ident(r.Name))}, nil
	}
	m := &matching{Rule: r, paths: map[*Node]string{}, values: map[string]string{}, types: map[*Type]string{},
		aux: r.AuxNames()}
	_, m.consts = r.Bound()
	m.match()
	m.typeTests()
	for _, e := range r.Conds {
		if name, _ := IsFact(e); name != "inobject" { // holds for every address
			m.tests = append(m.tests, m.condition(e))
		}
	}
	return compiled{tests: m.tests, action: m.action(), name: r.Name}, m.err
}

// condition returns an expression that can be an operand of &&.
func (m *matching) condition(e ast.Expr) string {
	text := m.expr(e)
	switch e := e.(type) {
	case *ast.BinaryExpr:
		if e.Op == token.LOR {
			return "(" + text + ")"
		}
	case *ast.UnaryExpr:
		return text
	}
	return text
}

// match makes the tests of the pattern, level by level, the last operand first. In most rules that
// is a constant.
func (m *matching) match() {
	m.paths[m.Pattern] = "v"
	m.values["v"] = "v"
	constants := map[string]string{}
	level := []*Node{m.Pattern}
	for len(level) > 0 {
		var next []*Node
		for _, n := range level {
			m.auxTests(n, constants)
			for i := len(n.Args) - 1; i >= 0; i-- {
				a := n.Args[i]
				path := fmt.Sprintf("%s.Args[%d]", m.paths[n], i)
				if n == m.Pattern {
					path = rootNames[i]
				} else if n.Op == Inverted {
					path = m.paths[n]
				}
				m.paths[a] = path
				switch a.Kind {
				case Op:
					if a.Op == Inverted {
						m.paths[a] = path + "i"
						m.test("%si := invertedBool(%s); %si != nil", path, path, path)
						break
					}
					m.test("%s.Op == ir.%s", path, opIdent(opByName[a.Op]))
				case Const, Lit:
					m.test("%s.Op == ir.OpConst", path)
				}
				if a.Kind == Lit {
					m.test("%s.Aux == %d", path, a.Lit)
				}
				if a.Kind == Const {
					m.equal(constants, a.Name, path+".Aux")
				}
				if a.Kind == Var {
					m.equal(m.values, a.Name, path)
				}
				if a.As != "" {
					m.equal(m.values, a.As, path)
				}
			}
			for _, a := range n.Args {
				next = append(next, a)
			}
		}
		level = next
	}
}

func (m *matching) test(format string, args ...any) {
	m.tests = append(m.tests, fmt.Sprintf(format, args...))
}

// equal binds a name to a path, or tests whether the path has the bound value.
func (m *matching) equal(bound map[string]string, name, path string) {
	if old, ok := bound[name]; ok {
		m.test("%s == %s", old, path)
		return
	}
	bound[name] = path
}

func auxField(path string, n int) string { return path + []string{".Aux", ".Aux2"}[n] }

func (m *matching) auxTests(n *Node, constants map[string]string) {
	for i, a := range n.Aux {
		field := auxField(m.paths[n], i)
		if a.Name != "" {
			m.equal(constants, a.Name, field)
		} else {
			m.test("%s == %s", field, m.expr(a.Expr))
		}
	}
}

// typeTests makes the type tests that the operations do not imply.
func (m *matching) typeTests() {
	implied := m.Implied()
	var nodes []*Node
	m.Pattern.Walk(func(n *Node) {
		if n.Type.Find().Set != 1<<ir.Void {
			nodes = append(nodes, n)
		}
	})
	slices.Reverse(nodes) // the whole term first
	slices.SortStableFunc(nodes, func(a, b *Node) int { return len(m.paths[a]) - len(m.paths[b]) })
	tested := map[*Type]bool{} // classes that the operations imply
	for _, n := range nodes {
		t, was := n.Type.Find(), implied[n].Find()
		path := m.paths[n] + ".Type"
		only, single := t.Set.Only()
		if _, known := m.types[t]; !known && single {
			m.types[t] = "ir." + typeIdent(only)
		}
		if tested[was] {
			continue
		}
		tested[was] = true
		first, known := m.types[t]
		if !known {
			m.types[t] = path
		}
		switch {
		case single && was.Set != t.Set || known && !single:
			m.test("%s == %s", path, m.types[t])
			_ = first
		case was.Set == t.Set:
		case t.Set == anyInt:
			m.test("%s.IsInt()", path)
		case t.Set == anyFloat:
			m.test("%s.IsFloat()", path)
		default:
			m.err = fmt.Errorf("no test for types %v", t.Set.List())
		}
	}
}

func (m *matching) typeOf(t *Type) string {
	t = t.Find()
	if only, ok := t.Set.Only(); ok {
		return "ir." + typeIdent(only)
	}
	if m.types[t] == "" {
		m.err = fmt.Errorf("no term of the pattern has the type of one of the replacement")
	}
	return m.types[t]
}

// action makes the statements of the replacement.
func (m *matching) action() string {
	r := m.Result
	if m.IsView() {
		return "return " + m.term(r.Args[0])
	}
	done := "\nreturn " + ident(m.Name)
	switch {
	case r == nil:
		return "p.remove(v)" + done
	case r.Kind == Var:
		return fmt.Sprintf("copyOf(v, %s)", m.term(r)) + done
	case r.Kind == Lit:
		return fmt.Sprintf("constOf(v, %d)", r.Lit) + done
	case r.Kind == Expr:
		return fmt.Sprintf("constOf(v, %s)", m.expr(r.Expr)) + done
	}
	args := []string{"v", "ir." + opIdent(opByName[r.Op])}
	name := "replace"
	if len(r.Aux) > 0 {
		name = "replaceAux"
		args = append(args, m.auxArgs(r)...)
	}
	for _, a := range r.Args {
		args = append(args, m.term(a))
	}
	return fmt.Sprintf("%s(%s)", name, strings.Join(args, ", ")) + done
}

func (m *matching) auxArgs(n *Node) []string {
	args := []string{"0", "0"}
	for i, a := range n.Aux {
		args[i] = m.expr(a.Expr)
	}
	return args
}

// term makes an operand of the replacement.
func (m *matching) term(n *Node) string {
	switch n.Kind {
	case Var:
		return m.values[n.Name]
	case Lit:
		return fmt.Sprintf("p.constant(%s, %d)", m.typeOf(n.Type), n.Lit)
	case Expr:
		return fmt.Sprintf("p.constant(%s, %s)", m.typeOf(n.Type), m.expr(n.Expr))
	}
	args := []string{"ir." + opIdent(opByName[n.Op]), m.typeOf(n.Type)}
	for _, a := range n.Args {
		args = append(args, m.term(a))
	}
	if slices.ContainsFunc(n.Aux, func(a Aux) bool { return m.expr(a.Expr) != "0" }) {
		m.err = fmt.Errorf("operands of the replacement have no aux")
	}
	return fmt.Sprintf("p.make(%s)", strings.Join(args, ", "))
}

// expr returns an expression in Go.
func (m *matching) expr(e ast.Expr) string {
	var b bytes.Buffer
	if err := printer.Fprint(&b, token.NewFileSet(), m.goExpr(e)); err != nil {
		m.err = err
	}
	return b.String()
}

func goText(format string, args ...any) ast.Expr { return ast.NewIdent(fmt.Sprintf(format, args...)) }

// goExpr replaces names and calls by Go's.
func (m *matching) goExpr(e ast.Expr) ast.Expr {
	switch e := e.(type) {
	case *ast.ParenExpr:
		return &ast.ParenExpr{X: m.goExpr(e.X)}
	case *ast.UnaryExpr:
		return &ast.UnaryExpr{Op: e.Op, X: m.goExpr(e.X)}
	case *ast.BinaryExpr:
		return &ast.BinaryExpr{X: m.goExpr(e.X), Op: e.Op, Y: m.goExpr(e.Y)}
	case *ast.Ident:
		switch {
		case e.Name == "early":
			return goText("p.early")
		case e.Name == "maxObject":
			return goText("ir.MaxObject")
		case m.consts[e.Name] != nil:
			return goText("%s.Aux", m.paths[m.consts[e.Name]])
		case m.aux[e.Name].Node != nil:
			a := m.aux[e.Name]
			return goText("%s", auxField(m.paths[a.Node], a.N))
		}
		return e
	case *ast.CallExpr:
		return m.goCall(e)
	}
	return e
}

// factFunctions are the functions of package opt that compute facts.
var factFunctions = map[string]string{"bits": "possibleOnes", "umax": "maxUnsigned", "smin": "minSigned",
	"smax": "maxSigned", "bool": "isBool", "nonnil": "nonNil"}

func (m *matching) goCall(e *ast.CallExpr) ast.Expr {
	name := e.Fun.(*ast.Ident).Name
	node, path := m.argument(e.Args[0])
	switch name {
	case "u":
		return m.unsigned(node, path+".Aux")
	case "trunc":
		return goText("ir.TruncConst(%s.Type, %s)", path, m.expr(e.Args[1]))
	case "zext":
		return m.unsigned(node, m.expr(e.Args[1]))
	case "ones":
		return m.unsigned(node, "-1")
	case "width":
		return goText("uint64(%s.Type.Bits())", path)
	case "is":
		var list []string
		for _, a := range e.Args[1:] {
			list = append(list, fmt.Sprintf("%s.Op == ir.%s", path, opIdent(opByName[a.(*ast.Ident).Name])))
		}
		text := strings.Join(list, " || ")
		return &ast.ParenExpr{X: goText("%s", text)}
	case "constant":
		return &ast.ParenExpr{X: goText("%s.Op == ir.OpConst", path)}
	case "pow2", "log2", "int64", "uint64":
		f := map[string]string{"pow2": "isPowerOf2", "log2": "log2"}[name]
		if f == "" {
			f = name
		}
		return &ast.CallExpr{Fun: ast.NewIdent(f), Args: []ast.Expr{m.goExpr(e.Args[0])}}
	case "invertible", "inverse":
		return goText("%s(%s.Type, %s.Aux)", name, path, path)
	}
	return goText("%s(%s)", factFunctions[name], path)
}

// argument returns the term that an argument names.
func (m *matching) argument(e ast.Expr) (*Node, string) {
	id, ok := e.(*ast.Ident)
	if !ok {
		return nil, ""
	}
	if n := m.consts[id.Name]; n != nil {
		return n, m.paths[n]
	}
	values, _ := m.Bound()
	return values[id.Name], m.values[id.Name]
}

func (m *matching) unsigned(n *Node, number string) ast.Expr {
	if only, ok := n.Type.Find().Set.Only(); ok && only == ir.I64 && number != "-1" {
		return goText("uint64(%s)", number)
	}
	return goText("unsigned(%s.Type, %s)", m.paths[n], number)
}

// ident returns the constant of a rule: ruleAddZero for add-zero.
func ident(name string) string {
	s := method(name)
	return "rule" + strings.ToUpper(s[:1]) + s[1:]
}

// method returns the method of a rule with code in Go: phiSame for phi-same.
func method(name string) string {
	parts := strings.Split(name, "-")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}

func typeIdent(t ir.Type) string {
	s := t.String()
	return strings.ToUpper(s[:1]) + s[1:]
}

// opIdents are the Go names that differ from the capitalised name of the operation.
var opIdents = map[string]string{
	"divs": "DivS", "divu": "DivU", "rems": "RemS", "remu": "RemU", "andnot": "AndNot", "shrs": "ShrS", "shru": "ShrU",
	"lts": "LtS", "les": "LeS", "ltu": "LtU", "leu": "LeU", "feq": "FEq", "fne": "FNe", "flt": "FLt", "fle": "FLe",
	"sext": "SExt", "zext": "ZExt", "itof": "IToF", "utof": "UToF", "ftoi": "FToI", "ftou": "FToU", "fcvt": "FCvt",
	"ptrtoint": "PtrToInt", "inttoptr": "IntToPtr", "fadd": "FAdd", "fsub": "FSub", "fmul": "FMul", "fdiv": "FDiv",
	"fneg": "FNeg", "fabs": "FAbs", "ptradd": "PtrAdd", "ptridx": "PtrIdx", "localaddr": "LocalAddr", "moven": "MoveN",
	"clearn": "ClearN", "memeq": "MemEq", "memcmp": "MemCmp", "indexbyte": "IndexByte", "newarray": "NewArray",
	"nilcheck": "NilCheck", "gasn": "GasN",
}

func opIdent(op ir.Op) string {
	name := op.String()
	if s := opIdents[name]; s != "" {
		return "Op" + s
	}
	return "Op" + strings.ToUpper(name[:1]) + name[1:]
}
