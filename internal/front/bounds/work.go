package bounds

import (
	"go/ast"
	"go/token"

	"github.com/gyrvm/gyr/internal/front/budget"
)

// go/ssa builds the functions. Its dominator tree takes the square of a function's branches if
// these come one after the other.
type function struct {
	branches int
	at       token.Pos
}

// steps counts the steps of type checking and building that grow faster than the source.
type steps struct {
	nodes int64 // of the syntax
	sum   int64
	at    token.Pos // where the largest summand is
	most  int64

	fields, methods, required largest // of a struct, of a type, of an interface
	declared                  map[string]int64
	functions                 []function // that are being walked, the innermost last
}

type largest struct {
	n  int64
	at token.Pos
}

func (l *largest) note(n int64, at token.Pos) {
	if n > l.n {
		*l = largest{n, at}
	}
}

func (s *steps) add(n int64, at token.Pos) {
	s.sum = budget.Add(s.sum, n)
	if n > s.most {
		s.most, s.at = n, at
	}
}

// square returns the number of steps to compare n things with one another. A comparison of types
// counts as several.
func square(n int) int64 { return 4 * budget.Mul(int64(n), int64(n)) }

// branch notes that a function has more branches.
func (s *steps) branch(n int) {
	if len(s.functions) > 0 {
		s.functions[len(s.functions)-1].branches += n
	}
}

// leave notes the end of a function.
func (s *steps) leave() {
	f := s.functions[len(s.functions)-1]
	s.functions = s.functions[:len(s.functions)-1]
	s.add(2*square(f.branches), f.at)
}

func (s *steps) node(n ast.Node) {
	s.nodes++
	switch n := n.(type) {
	case *ast.FuncLit:
		s.functions = append(s.functions, function{at: n.Pos()})
	case *ast.IfStmt, *ast.ForStmt, *ast.RangeStmt, *ast.LabeledStmt, *ast.CommClause:
		s.branch(1)
	case *ast.CaseClause:
		s.branch(max(1, len(n.List)))
	case *ast.BinaryExpr:
		if n.Op == token.LAND || n.Op == token.LOR {
			s.branch(1)
		}
	case *ast.TypeSwitchStmt:
		types := 0
		for _, c := range n.Body.List {
			if c, ok := c.(*ast.CaseClause); ok {
				types += len(c.List)
			}
		}
		s.add(square(types), n.Pos())
	case *ast.SelectStmt:
		s.add(square(len(n.Body.List)), n.Pos())
	case *ast.StructType:
		fields := 0
		for _, f := range n.Fields.List {
			fields += max(1, len(f.Names))
		}
		s.fields.note(int64(fields), n.Pos())
	case *ast.InterfaceType:
		s.required.note(int64(len(n.Methods.List)), n.Pos())
	case *ast.FuncDecl:
		s.functions = append(s.functions, function{at: n.Pos()})
		if n.Recv != nil && len(n.Recv.List) > 0 {
			if s.declared == nil {
				s.declared = map[string]int64{}
			}
			name := Receiver(n)
			s.declared[name]++
			s.methods.note(s.declared[name], n.Pos())
		}
	}
}

// Receiver returns the name of the type that a method belongs to. It returns "" if the source names
// none or if the function is not a method.
func Receiver(fn *ast.FuncDecl) string {
	if fn.Recv == nil || len(fn.Recv.List) == 0 {
		return ""
	}
	t := fn.Recv.List[0].Type
	for {
		switch x := t.(type) {
		case *ast.StarExpr:
			t = x.X
		case *ast.ParenExpr:
			t = x.X
		case *ast.IndexExpr:
			t = x.X
		case *ast.IndexListExpr:
			t = x.X
		case *ast.Ident:
			return x.Name
		default:
			return ""
		}
	}
}

// One in selectorEvery nodes is a selector, one in conversionEvery a conversion to an interface.
const (
	selectorEvery   = 8
	conversionEvery = 16
)

// nodeSteps is the cost of a syntax node itself, with the data that is kept about it.
const nodeSteps = 896

// work adds the steps that depend on the largest types, and refuses too many steps. The first few
// members cost nothing beside the rest of the work.
func (c *checker) work() {
	s := &c.steps
	s.add(budget.Mul(max(0, s.nodes-1024), nodeSteps), c.Files[0].Pos())
	free := func(n int64) int64 { return max(0, n-64) }
	s.add(budget.Mul(s.nodes/selectorEvery, free(s.fields.n)), s.fields.at)
	s.add(budget.Mul(s.nodes/selectorEvery, free(s.methods.n)), s.methods.at)
	s.add(budget.Mul(s.nodes/conversionEvery, budget.Mul(free(s.required.n), s.methods.n)), s.required.at)
	c.atMost("CheckWork", c.Limits.CheckWork, s.sum, s.at,
		"a package that takes about %s steps to check, most of them for what stands here", count(s.sum))
}
