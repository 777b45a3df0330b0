package prove

import (
	"flag"
	"fmt"
	"go/ast"
	"go/token"
	"os"
	"slices"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/gyrvm/gyr/internal/opt/rules"
	"github.com/gyrvm/gyr/internal/opt/rules/smt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// siblings are operations that are easily confused.
var siblings = [][]string{
	{"add", "sub", "mul"}, {"and", "or", "xor", "andnot"}, {"shl", "shru", "shrs", "rotl"}, {"divs", "divu"}, {"rems", "remu"},
	{"neg", "not"}, {"eq", "ne"}, {"lts", "les", "ltu", "leu"}, {"feq", "fne"}, {"flt", "fle"}, {"sext", "zext"},
	{"fmul", "fdiv"}, {"fneg", "fabs"}, {"move", "clear"},
}

// otherFact has facts that are easily confused.
var otherFact = map[string]string{"bits": "umax", "umax": "bits", "smin": "smax", "smax": "smin"}

var otherOperator = map[token.Token]token.Token{
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR, token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.ADD: token.SUB, token.SUB: token.ADD, token.MUL: token.ADD, token.AND: token.OR, token.OR: token.AND, token.XOR: token.AND,
	token.SHL: token.SHR, token.SHR: token.SHL, token.LAND: token.LOR, token.LOR: token.LAND,
}

// A mutator makes every small mistake in a rule, one at a time: it changes the rule, keeps its
// text, and changes it back.
type mutator struct {
	r     *rules.Rule
	texts []string
}

func mutants(t *testing.T, r *rules.Rule) (list []*rules.Rule) {
	again, err := rules.Parse(r.File, r.String())
	if err != nil {
		t.Fatal(err)
	}
	m := &mutator{r: again[0]}
	m.conditions()
	m.r.Pattern.Walk(m.pattern)
	m.result()
	slices.Sort(m.texts)
	for _, text := range slices.Compact(m.texts) {
		if text == r.String() {
			continue
		}
		// Mutants that do not parse are refused for their types.
		if one, err := rules.Parse(r.File, text); err == nil {
			one[0].Sampled = r.Sampled
			list = append(list, one...)
		}
	}
	return list
}

var allMutants = flag.Bool("rules.mutants", false, "judge all mutants of each rule, not every third one")

func (m *mutator) keep() { m.texts = append(m.texts, m.r.String()) }

func (m *mutator) conditions() {
	all := m.r.Conds
	for i := range all {
		m.r.Conds = slices.Delete(slices.Clone(all), i, i+1)
		m.keep()
	}
	m.r.Conds = all
	for _, e := range all {
		m.expression(e)
	}
}

// expression makes mistakes in operators, numbers and facts.
func (m *mutator) expression(e ast.Expr) {
	ast.Inspect(e, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BinaryExpr:
			if other, ok := otherOperator[n.Op]; ok {
				was := n.Op
				n.Op = other
				m.keep()
				n.Op = was
			}
		case *ast.BasicLit:
			was := n.Value
			n.Value = fmt.Sprintf("(%s + 1)", was)
			m.keep()
			n.Value = was
		case *ast.CallExpr:
			id := n.Fun.(*ast.Ident)
			if other := otherFact[id.Name]; other != "" {
				was := id.Name
				id.Name = other
				m.keep()
				id.Name = was
			}
		}
		return true
	})
}

// pattern widens a pattern: other constants, other operations, two values instead of one repeated
// value.
func (m *mutator) pattern(n *rules.Node) {
	if n.Kind == rules.Lit {
		for _, d := range []int64{1, -1} {
			n.Lit += d
			m.keep()
			n.Lit -= d
		}
	}
	if n != m.r.Pattern {
		m.operation(n)
	}
	if n.Kind == rules.Var || n.Kind == rules.Const {
		was := n.Name
		n.Name = map[bool]string{true: "qq", false: "QQ"}[n.Kind == rules.Var]
		m.keep() // parses only if the name is repeated
		n.Name = was
	}
}

// operation replaces an operation by others, and swaps its operands.
func (m *mutator) operation(n *rules.Node) {
	if n.Kind != rules.Op {
		return
	}
	was := n.Op
	for _, s := range siblings {
		if slices.Contains(s, was) {
			for _, n.Op = range s {
				m.keep()
			}
		}
	}
	n.Op = was
	for i := 1; i < len(n.Args); i++ {
		n.Args[i-1], n.Args[i] = n.Args[i], n.Args[i-1]
		m.keep()
		n.Args[i-1], n.Args[i] = n.Args[i], n.Args[i-1]
	}
}

func (m *mutator) result() {
	if m.r.Result == nil {
		return
	}
	values, _ := m.r.Bound()
	m.r.Result.Walk(func(n *rules.Node) {
		m.operation(n)
		switch n.Kind {
		case rules.Lit:
			n.Lit++
			m.keep()
			n.Lit--
		case rules.Expr:
			was := n.Expr
			n.Expr = &ast.BinaryExpr{X: &ast.ParenExpr{X: was}, Op: token.ADD, Y: &ast.BasicLit{Value: "1"}}
			m.keep()
			n.Expr = was
			m.expression(was)
		case rules.Var:
			was := n.Name
			for _, n.Name = range sorted(values) {
				if n.Name != "v" {
					m.keep()
				}
			}
			n.Name = was
		}
	})
	// Operands and constants in place of the whole.
	was := m.r.Result
	for _, m.r.Result = range was.Args {
		m.keep()
	}
	for i := range int64(2) {
		m.r.Result = &rules.Node{Kind: rules.Lit, Lit: i}
		m.keep()
	}
	m.r.Result = was
}

// TestMutants: the proofs refuse a rule with a mistake. The mutator breaks every rule in all ways
// that it knows. A mutant that is not refused must be proved at all widths: then it is as right as
// the rule (an operand of a sum swapped, a condition dropped that only asks for profit). Without z3
// there is no verdict on mutants that operands of small widths do not refuse, nor on a rule with no
// other mutants.
func TestMutants(t *testing.T) {
	daily.Turn(t, 3, false)
	if testing.Short() {
		t.Skip("takes a minute")
	}
	s, err := smt.Start(20 * time.Second)
	if err != nil {
		t.Log(err)
	} else {
		defer s.Close()
	}
	tab := tabwriter.NewWriter(os.Stdout, 0, 8, 2, ' ', 0)
	total, small, solved, right, open := 0, 0, 0, 0, 0
	for _, r := range all(t) {
		if !Algebra(r) {
			continue
		}
		refused, unsolved := 0, 0
		for i, m := range mutants(t, r) {
			if !Algebra(m) || i%3 != 0 && !*allMutants && refused > 0 {
				continue
			}
			total++
			switch verdict := judge(t, s, m); verdict {
			case "small":
				small++
				refused++
			case "solver":
				solved++
				refused++
			case "":
				right++
				fmt.Fprintf(tab, "right as well\t%s\n", m)
			case noSolver:
				unsolved++
			default:
				t.Errorf("neither refused nor proved: %s: %s", m, verdict)
			}
		}
		open += unsolved
		switch {
		case refused > 0:
		case unsolved > 0:
			t.Logf("skipped: only z3 can refuse a mistake in %s", r)
		default:
			t.Errorf("no mistake in %s is refused", r)
		}
	}
	if testing.Verbose() {
		tab.Flush()
	}
	t.Logf("%d mutants: %d refused at small widths, %d by the solver alone, %d are right as well, %d skipped for want of z3", total, small, solved, right, open)
}

// noSolver is the verdict on a mutant that only z3 can judge, if z3 is missing.
const noSolver = "no solver"

// judge returns the proof that refuses a mutant, or "" if the mutant is right.
func judge(t *testing.T, s *smt.Solver, m *rules.Rule) string {
	tried, all := uint64(0), true
	for _, w := range Small(m) {
		res := Exhaust(m, w, 1<<16)
		tried += res.Tried
		all = all && !res.TooMany
		if res.Counter != "" {
			return "small"
		}
	}
	if m.Sampled != "" {
		for _, w := range Real(m) {
			if Sample(m, w, 1, 20000).Counter != "" {
				return "small"
			}
		}
		return ""
	}
	if tried == 0 && all {
		return "small" // it never applies
	}
	if s == nil {
		return noSolver
	}
	for _, w := range Real(m) {
		queries := Queries(m, w)
		if queries == nil {
			return "no term"
		}
		for _, q := range queries {
			a, err := s.Prove(q)
			if err != nil {
				t.Fatal(m, err)
			}
			if a.Refuted {
				return "solver"
			}
			if !a.Proved {
				return strings.TrimSpace(w.Describe(m) + " " + a.String())
			}
		}
	}
	return ""
}
