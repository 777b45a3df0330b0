package rules

import (
	"embed"
	"fmt"
	"go/ast"
	"sort"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

//go:embed *.rules
var files embed.FS

// A Rule is one entry.
type Rule struct {
	Name    string
	File    string
	Line    int
	Pattern *Node
	Conds   []ast.Expr // all must hold
	Result  *Node      // nil: removes the value
	Sampled string     // the theorem, if no solver has an answer

	// For rules with code in Go.
	Code string // what it does
	Op   ir.Op  // OpInvalid: all

	Types []*Type // of its terms, without duplicates
}

// Kind of a term.
type Kind uint8

const (
	Var   Kind = iota // a value
	Const             // a constant with a name
	Lit               // a constant
	Expr              // a computed constant: replacements only
	Op                // an operation
)

// A Node is a term of a pattern or a replacement.
type Node struct {
	Kind  Kind
	Name  string   // of Var and Const
	As    string   // the value's name: the text before @
	Lit   int64    // Lit
	Expr  ast.Expr // Expr
	Op    string   // Op: its name
	Info  *ir.OpInfo
	Aux   []Aux
	Args  []*Node
	Type  *Type
	label string // the type as written
}

// An Aux is a constant in the braces of an operation.
type Aux struct {
	Name string   // in patterns: the name of the constant, "" for a number
	Expr ast.Expr // in patterns a number
}

// Inverted is an operation of rules alone: the opposite of a condition. In a pattern it matches
// every pattern of a rule with this replacement.
const Inverted = "inverted"

var inverted = ir.OpInfo{Name: Inverted, Args: "b", Result: 'b', Doc: "the opposite of a condition"}

var opByName = func() map[string]ir.Op {
	m := map[string]ir.Op{}
	for i, o := range ir.Ops {
		m[o.Name] = ir.Op(i)
	}
	return m
}()

// OpOf returns the operation with a name; false for Inverted.
func OpOf(name string) (ir.Op, bool) { op, ok := opByName[name]; return op, ok }

// Root returns the operation on which the rule is tried.
func (r *Rule) Root() ir.Op {
	if r.Pattern == nil {
		return r.Op
	}
	return opByName[r.Pattern.Op]
}

// IsView reports whether the rule defines inverted conditions.
func (r *Rule) IsView() bool { return r.Result != nil && r.Result.Op == Inverted }

// Walk calls f for a term and its subterms, operands first.
func (n *Node) Walk(f func(*Node)) {
	if n == nil {
		return
	}
	for _, a := range n.Args {
		a.Walk(f)
	}
	f(n)
}

// Touches reports whether an operation of the pattern or the replacement has an effect. Such a rule
// is not an equation between numbers.
func (r *Rule) Touches(e ir.Effect) (yes bool) {
	for _, n := range []*Node{r.Pattern, r.Result} {
		n.Walk(func(n *Node) { yes = yes || n.Info != nil && n.Info.Effects&e != 0 })
	}
	return yes
}

// All returns the rules of all files in the order in which they are tried.
func All() ([]*Rule, error) {
	entries, err := files.ReadDir(".")
	if err != nil {
		return nil, err
	}
	var all []*Rule
	names := map[string]bool{}
	for _, e := range entries {
		text, err := files.ReadFile(e.Name())
		if err != nil {
			return nil, err
		}
		list, err := Parse(e.Name(), string(text))
		if err != nil {
			return nil, err
		}
		for _, r := range list {
			if names[r.Name] {
				return nil, fmt.Errorf("%s:%d: a second rule %s", r.File, r.Line, r.Name)
			}
			names[r.Name] = true
		}
		all = append(all, list...)
	}
	return all, nil
}

// A Type is a class of terms of the same type.
type Type struct {
	parent *Type
	Set    TypeSet
	Label  string // the name in the rule, or ""
}

// A TypeSet is a set of types.
type TypeSet uint16

const (
	anyInt   = 1<<ir.I8 | 1<<ir.I16 | 1<<ir.I32 | 1<<ir.I64
	anyFloat = 1<<ir.F32 | 1<<ir.F64
	anyType  = anyInt | anyFloat | 1<<ir.Ptr
)

// Has reports whether a type is in the set.
func (s TypeSet) Has(t ir.Type) bool { return s&(1<<t) != 0 }

// List returns the types of the set.
func (s TypeSet) List() (list []ir.Type) {
	for t := ir.I8; t <= ir.Ptr; t++ {
		if s.Has(t) {
			list = append(list, t)
		}
	}
	return list
}

// Only returns the type in a set of one.
func (s TypeSet) Only() (ir.Type, bool) {
	l := s.List()
	if len(l) == 1 {
		return l[0], true
	}
	return ir.Void, false
}

var sets = map[string]TypeSet{
	"i8": 1 << ir.I8, "i16": 1 << ir.I16, "i32": 1 << ir.I32, "i64": 1 << ir.I64,
	"f32": 1 << ir.F32, "f64": 1 << ir.F64, "ptr": 1 << ir.Ptr, "int": anyInt, "float": anyFloat,
}

// Find returns the class into which a class was merged.
func (t *Type) Find() *Type {
	for t.parent != nil {
		t = t.parent
	}
	return t
}

func (t *Type) unify(u *Type) error {
	t, u = t.Find(), u.Find()
	if t == u {
		return nil
	}
	if t.Set&u.Set == 0 {
		return fmt.Errorf("types %v and %v", t.Set.List(), u.Set.List())
	}
	t.Set &= u.Set
	if t.Label == "" {
		t.Label = u.Label
	}
	u.parent = t
	return nil
}

// A typer infers types.
type typer struct {
	names  map[string]*Type // of variables and of labels
	labels bool             // labels count
	all    []*Type
}

func (t *typer) fresh(s TypeSet) *Type {
	x := &Type{Set: s}
	t.all = append(t.all, x)
	return x
}

var letters = map[byte]TypeSet{'t': anyType, 'u': anyInt, 'i': anyInt, 'l': 1 << ir.I64, 'b': 1 << ir.I8,
	'p': 1 << ir.Ptr, 'f': anyFloat, 's': anyType, 'x': anyInt | 1<<ir.Ptr, 'v': 1 << ir.Void}

// node gives a term and its operands types.
func (t *typer) node(n *Node) error {
	n.Type = t.fresh(anyType)
	if n.Kind == Op {
		if err := t.op(n); err != nil {
			return fmt.Errorf("%s: %w", n.Op, err)
		}
	}
	for _, name := range []string{n.Name, n.As} {
		if name == "" {
			continue
		}
		if old := t.names[name]; old == nil {
			t.names[name] = n.Type
		} else if err := old.unify(n.Type); err != nil {
			return fmt.Errorf("%s: %w", name, err)
		}
	}
	if n.label == "" || !t.labels {
		return nil
	}
	if s, ok := sets[n.label]; ok {
		return n.Type.unify(&Type{Set: s})
	}
	key := ":" + n.label
	if t.names[key] == nil {
		t.names[key] = t.fresh(anyType)
		t.names[key].Label = n.label
	}
	return t.names[key].unify(n.Type)
}

// op types an operation by its line in the table of operations.
func (t *typer) op(n *Node) error {
	args := n.Info.Args
	many := strings.HasSuffix(args, "*")
	args = strings.TrimSuffix(args, "*")
	if len(n.Args) < len(args) || len(n.Args) > len(args) && !many {
		return fmt.Errorf("%d operands", len(n.Args))
	}
	n.Type.Set = letters[n.Info.Result]
	alike := map[byte]*Type{'t': n.Type}
	for i, a := range n.Args {
		if err := t.node(a); err != nil {
			return err
		}
		letter := byte('s')
		if i < len(args) {
			letter = args[i]
		}
		want := &Type{Set: letters[letter]}
		if strings.IndexByte("tufx", letter) >= 0 {
			if alike[letter] == nil {
				alike[letter] = t.fresh(letters[letter])
			}
			want = alike[letter]
		}
		if err := want.unify(a.Type); err != nil {
			return err
		}
	}
	return nil
}

// infer infers the types of all terms of a rule.
func (r *Rule) infer() error {
	t := &typer{names: map[string]*Type{}, labels: true}
	if err := t.node(r.Pattern); err != nil {
		return err
	}
	if r.Result != nil {
		if err := t.node(r.Result); err != nil {
			return err
		}
		if r.Pattern.Info.Result != 'v' || r.Result.Info == nil || r.Result.Info.Result != 'v' {
			if err := r.Pattern.Type.unify(r.Result.Type); err != nil {
				return err
			}
		}
	}
	seen := map[*Type]bool{}
	for _, x := range t.all {
		if x = x.Find(); !seen[x] && x.Set != 1<<ir.Void {
			seen[x] = true
			r.Types = append(r.Types, x)
		}
	}
	return nil
}

// Fixed reports whether a term must be a 64-bit integer or a pointer.
func (r *Rule) Fixed() bool {
	for _, t := range r.Types {
		if t.Set.Has(ir.Ptr) {
			return true
		}
		if only, ok := t.Set.Only(); ok && only == ir.I64 {
			return true
		}
	}
	return false
}

// Implied returns the types that the operations of the pattern imply for its terms. The matcher
// need not test these after it has matched the operations.
func (r *Rule) Implied() map[*Node]*Type {
	was := map[*Node]*Type{}
	r.Pattern.Walk(func(n *Node) { was[n] = n.Type })
	t := &typer{names: map[string]*Type{}}
	if err := t.node(r.Pattern); err != nil {
		panic(err) // it was typed with more constraints
	}
	got := map[*Node]*Type{}
	for n, old := range was {
		got[n], n.Type = n.Type, old
	}
	return got
}

// sortedNames returns the sorted names of a map.
func sortedNames[T any](m map[string]T) []string {
	var list []string
	for k := range m {
		list = append(list, k)
	}
	sort.Strings(list)
	return list
}
