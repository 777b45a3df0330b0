package risk

import (
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"
)

// refers reports whether a value of this type may refer to memory that others see. An unknown type
// may. An error may not: nobody changes the operands that it holds.
func refers(t types.Type) bool {
	if t == nil {
		return true
	}
	if types.Identical(t, types.Universe.Lookup("error").Type()) {
		return false
	}
	switch u := t.Underlying().(type) {
	case *types.Basic:
		return u.Kind() == types.UnsafePointer || u.Kind() == types.Invalid
	case *types.Array:
		return refers(u.Elem())
	case *types.Struct:
		for f := range u.Fields() {
			if refers(f.Type()) {
				return true
			}
		}
		return false
	case *types.Tuple:
		for v := range u.Variables() {
			if refers(v.Type()) {
				return true
			}
		}
		return false
	}
	return true
}

// object is the object that an identifier denotes, nil if unknown.
func (p *pkg) object(id *ast.Ident) types.Object {
	if o := p.info.Defs[id]; o != nil {
		return o
	}
	return p.info.Uses[id]
}

// root is the variable at the bottom of an expression such as (&x.f[1:2])[0], nil if there is none.
func (p *pkg) root(e ast.Expr) types.Object {
	for {
		switch x := e.(type) {
		case *ast.ParenExpr:
			e = x.X
		case *ast.StarExpr:
			e = x.X
		case *ast.UnaryExpr:
			if x.Op != token.AND {
				return nil
			}
			e = x.X
		case *ast.IndexExpr:
			e = x.X
		case *ast.SliceExpr:
			e = x.X
		case *ast.TypeAssertExpr:
			e = x.X
		case *ast.SelectorExpr:
			if id, ok := x.X.(*ast.Ident); ok {
				if _, isPkg := p.object(id).(*types.PkgName); isPkg {
					return p.object(x.Sel)
				}
			}
			e = x.X
		case *ast.Ident:
			if v, ok := p.object(x).(*types.Var); ok {
				return v
			}
			return nil
		default:
			return nil
		}
	}
}

// same is the variable that an expression denotes as a whole, apart from taking its address,
// dereferencing, slicing or converting it: x, &x, *x, x[:0], x.(T), append(x, …). Nil if the
// expression is a part of a variable.
func (p *pkg) same(e ast.Expr) types.Object {
	switch x := e.(type) {
	case *ast.ParenExpr:
		return p.same(x.X)
	case *ast.StarExpr:
		return p.same(x.X)
	case *ast.UnaryExpr:
		if x.Op == token.AND {
			return p.same(x.X)
		}
	case *ast.SliceExpr:
		return p.same(x.X)
	case *ast.TypeAssertExpr:
		return p.same(x.X)
	case *ast.CallExpr:
		if len(x.Args) > 0 && (p.isBuiltin(x, "append") || p.isConversion(x)) {
			return p.same(x.Args[0])
		}
	case *ast.Ident:
		if v, ok := p.object(x).(*types.Var); ok {
			return v
		}
	}
	return nil
}

// called is the name of a called function: its package's path, empty if it has none, and its own
// name. A method has the package of its receiver's type.
func (p *pkg) called(call *ast.CallExpr) (pkgPath, name string) {
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		return "", f.Name
	case *ast.SelectorExpr:
		if id, ok := f.X.(*ast.Ident); ok {
			if n, isPkg := p.object(id).(*types.PkgName); isPkg {
				return n.Imported().Path(), f.Sel.Name
			}
			if p.object(id) == nil && p.info.Types[f.X].Type == nil {
				return p.imported(id), f.Sel.Name
			}
		}
		if o := p.info.Uses[f.Sel]; o != nil && o.Pkg() != nil {
			return o.Pkg().Path(), f.Sel.Name
		}
		return "", f.Sel.Name
	case *ast.IndexExpr:
		return p.called(&ast.CallExpr{Fun: f.X})
	}
	return "", ""
}

// calledFunction is the path and name of a called function, empty for a method.
func (p *pkg) calledFunction(call *ast.CallExpr) string {
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.info.Selections[sel] != nil {
		return ""
	}
	path, name := p.called(call)
	return path + "." + name
}

// imported is the path that an identifier's file imports under its name, empty if none.
func (p *pkg) imported(id *ast.Ident) string {
	for _, f := range p.files {
		if id.Pos() < f.FileStart || id.Pos() > f.FileEnd {
			continue
		}
		for _, imp := range f.Imports {
			name := strings.Trim(imp.Path.Value, `"`)
			if imp.Name != nil && imp.Name.Name == id.Name || imp.Name == nil &&
				(name == id.Name || strings.HasSuffix(name, "/"+id.Name)) {
				return name
			}
		}
	}
	return ""
}

func (p *pkg) isBuiltin(call *ast.CallExpr, names ...string) bool {
	id, ok := ast.Unparen(call.Fun).(*ast.Ident)
	if !ok || !slices.Contains(names, id.Name) {
		return false
	}
	o := p.object(id)
	_, builtin := o.(*types.Builtin)
	return builtin || o == nil
}

func (p *pkg) isConversion(call *ast.CallExpr) bool {
	tv, ok := p.info.Types[ast.Unparen(call.Fun)]
	return ok && tv.IsType()
}

// local is the called function if it belongs to the package, else nil.
func (p *pkg) local(call *ast.CallExpr) *types.Func {
	var id *ast.Ident
	switch f := ast.Unparen(call.Fun).(type) {
	case *ast.Ident:
		id = f
	case *ast.SelectorExpr:
		id = f.Sel
	default:
		return nil
	}
	fn, _ := p.info.Uses[id].(*types.Func)
	if fn == nil || !p.own(fn) {
		return nil
	}
	return fn.Origin()
}

// refs are the variables of a function that may refer to the same memory as some given ones. It
// follows assignments wherever they are, but nothing that is stored in other memory.
type refs struct {
	p       *pkg
	seeds   []types.Object
	vars    map[types.Object]bool
	shallow bool // does not follow elements that append puts into a new slice
}

// follow finds the references that start from some variables.
func (p *pkg) follow(body ast.Node, seeds ...types.Object) *refs {
	return p.followDepth(false, body, seeds)
}

func (p *pkg) followDepth(shallow bool, body ast.Node, seeds []types.Object) *refs {
	r := &refs{p: p, seeds: seeds, vars: map[types.Object]bool{}, shallow: shallow}
	for _, s := range seeds {
		r.vars[s] = true
	}
	for n := -1; n != len(r.vars); {
		n = len(r.vars)
		r.pass(body)
	}
	return r
}

func (r *refs) pass(body ast.Node) {
	ast.Inspect(body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for i, lhs := range n.Lhs {
				if len(n.Rhs) == len(n.Lhs) {
					r.assign(lhs, n.Rhs[i])
				} else if len(n.Rhs) == 1 {
					r.assign(lhs, n.Rhs[0])
				}
			}
		case *ast.ValueSpec:
			for i, id := range n.Names {
				if i < len(n.Values) {
					r.assign(id, n.Values[i])
				}
			}
		case *ast.RangeStmt:
			if n.Value != nil && r.has(n.X) {
				r.mark(n.Value)
			}
		}
		return true
	})
}

// assign notes that the left side refers to what the right side refers to. A part of a local
// variable makes the whole variable refer to it.
func (r *refs) assign(lhs, rhs ast.Expr) {
	if r.has(rhs) {
		r.mark(lhs)
	}
}

func (r *refs) mark(lhs ast.Expr) {
	// A string in a slice is no means to write to another slice.
	if o := r.p.root(lhs); o != nil && (refers(o.Type()) || isString(o.Type()) && !r.shallow) && !r.p.global(o) {
		r.vars[o] = true
	}
}

// sharing are functions of the standard library whose result may share its memory with
// their first argument.
var sharing = map[string][]string{
	"bytes": {"Trim", "TrimSpace", "TrimLeft", "TrimRight", "TrimPrefix", "TrimSuffix", "TrimFunc", "Fields",
		"Split", "SplitN", "Cut", "CutPrefix", "CutSuffix", "NewBuffer", "NewReader"},
	"slices": {"Grow", "Clip", "Insert", "Delete", "Compact", "CompactFunc", "DeleteFunc", "Replace", "Chunk",
		"Values"},
	"unsafe":        {"Slice", "String", "SliceData", "StringData", "Add", "Pointer"},
	"strconv":       {"AppendInt", "AppendUint", "AppendQuote", "AppendFloat", "AppendBool"},
	"unicode/utf8":  {"AppendRune"},
	"encoding/hex":  {"AppendEncode"},
	"fmt":           {"Append", "Appendf", "Appendln"},
	"sort":          {"IntSlice", "StringSlice", "Reverse"},
	"encoding/json": {"NewDecoder", "NewEncoder"},
	"bufio":         {"NewReader", "NewWriter", "NewScanner"},
}

// giving are names of methods whose result is the receiver's memory. Results of other methods
// outside the package, such as Decode or Sum, are assumed to be new.
var giving = []string{"Bytes", "UnsafeBytes", "Next", "Peek", "ReadSlice", "AvailableBuffer", "Buf", "Buffer",
	"Slice", "Data", "Body", "Payload", "Value", "Elem", "At", "Index", "Text", "Token"}

// has reports whether an expression may refer to the memory.
func (r *refs) has(e ast.Expr) bool {
	p := r.p
	tv := p.info.Types[e]
	if call, ok := e.(*ast.CallExpr); ok {
		return r.call(call, tv.Type)
	}
	if id, ok := e.(*ast.Ident); ok {
		o := p.object(id)
		return o != nil && r.vars[o]
	}
	if tv.Type != nil && !refers(tv.Type) {
		return false
	}
	switch x := e.(type) {
	case *ast.ParenExpr:
		return r.has(x.X)
	case *ast.StarExpr:
		return r.has(x.X)
	case *ast.UnaryExpr:
		if x.Op != token.AND {
			return false
		}
		if _, lit := ast.Unparen(x.X).(*ast.CompositeLit); lit {
			return r.has(x.X)
		}
		o := p.root(x.X)
		return o != nil && r.vars[o]
	case *ast.IndexExpr:
		return r.has(x.X)
	case *ast.SliceExpr:
		if isString(p.info.Types[x.X].Type) {
			return false
		}
		return r.has(x.X)
	case *ast.TypeAssertExpr:
		return r.has(x.X)
	case *ast.SelectorExpr:
		return r.has(x.X)
	case *ast.CompositeLit:
		for _, el := range x.Elts {
			if kv, ok := el.(*ast.KeyValueExpr); ok {
				el = kv.Value
			}
			if r.has(el) {
				return true
			}
		}
	}
	return false
}

// call reports whether a call's result may refer to the memory.
func (r *refs) call(call *ast.CallExpr, result types.Type) bool {
	p := r.p
	path, name := p.called(call)
	if path == "unsafe" {
		return len(call.Args) > 0 && r.has(call.Args[0])
	}
	if result != nil && !refers(result) {
		return false
	}
	if p.isConversion(call) {
		return len(call.Args) == 1 && !isString(p.info.Types[call.Args[0]].Type) && r.has(call.Args[0])
	}
	if p.isBuiltin(call, "append") {
		return r.appends(call)
	}
	if slices.Contains(sharing[path], name) {
		return len(call.Args) > 0 && r.has(call.Args[0])
	}
	if fn := p.local(call); fn != nil {
		if s := p.summary(fn); s != nil {
			for i, arg := range p.operands(call) {
				if arg != nil && i < len(s.returned) && s.returned[i] && r.has(arg) {
					return true
				}
			}
			return false
		}
	}
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && slices.Contains(giving, sel.Sel.Name) {
		return r.has(sel.X)
	}
	// h.Sum(b) and the Append methods extend their argument.
	return (name == "Sum" || strings.HasPrefix(name, "Append")) && len(call.Args) > 0 && r.has(call.Args[0])
}

// appends handles append: the result may share the first operand's memory, and appended elements
// may refer to it.
func (r *refs) appends(call *ast.CallExpr) bool {
	for i, arg := range call.Args {
		if !r.has(arg) {
			continue
		}
		switch {
		case i == 0:
			return true
		case r.shallow:
			return false
		case !call.Ellipsis.IsValid():
			return true
		}
		if s, ok := underlying(r.p.info.Types[arg].Type).(*types.Slice); !ok || refers(s.Elem()) {
			return ok
		}
	}
	return false
}

func underlying(t types.Type) types.Type {
	if t == nil {
		return nil
	}
	return t.Underlying()
}

func isString(t types.Type) bool {
	b, ok := underlying(t).(*types.Basic)
	return ok && b.Info()&types.IsString != 0
}

// operands are a call's receiver, nil for a function, and its arguments.
func (p *pkg) operands(call *ast.CallExpr) []ast.Expr {
	var recv ast.Expr
	if sel, ok := ast.Unparen(call.Fun).(*ast.SelectorExpr); ok && p.info.Selections[sel] != nil {
		recv = sel.X
	}
	return append([]ast.Expr{recv}, call.Args...)
}

// A summary says what a function of the package does with its operands. The receiver comes first.
type summary struct {
	returned []bool // a result may refer to the operand
	mutated  []bool // memory that the operand refers to may be written
}

// summary of a function; nil if it has no body here. For a recursive function it holds what a first
// pass finds.
func (p *pkg) summary(fn *types.Func) *summary {
	if s, ok := p.summaries[fn]; ok {
		return s
	}
	p.summaries[fn] = nil
	f := p.declared(fn)
	if f == nil {
		return nil
	}
	params := f.operandObjects()
	s := &summary{make([]bool, len(params)), make([]bool, len(params))}
	p.summaries[fn] = s
	for i, o := range params {
		if o == nil || !refers(o.Type()) {
			continue
		}
		r := p.follow(f.Body, o)
		s.returned[i] = len(f.returns(r)) > 0
		s.mutated[i] = len(f.mutations(p.followDepth(true, f.Body, []types.Object{o}))) > 0
	}
	return s
}

// operandObjects are the variables of the receiver and the parameters; nil for unnamed ones, or
// without a receiver.
func (f *function) operandObjects() []types.Object {
	list := []types.Object{nil}
	name := func(id *ast.Ident) types.Object {
		if o, ok := f.pkg.info.Defs[id].(*types.Var); ok && id.Name != "_" {
			return o
		}
		return nil
	}
	if f.Recv != nil && len(f.Recv.List) == 1 && len(f.Recv.List[0].Names) == 1 {
		list[0] = name(f.Recv.List[0].Names[0])
	}
	for _, field := range f.Type.Params.List {
		for _, id := range field.Names {
			list = append(list, name(id))
		}
		if len(field.Names) == 0 {
			list = append(list, nil)
		}
	}
	return list
}

// returns are the places where the function returns such a reference to its caller.
func (f *function) returns(r *refs) []ast.Node {
	var list []ast.Node
	inspectOwn(f.Body, func(n ast.Node) {
		ret, ok := n.(*ast.ReturnStmt)
		if !ok {
			return
		}
		for _, e := range ret.Results {
			if r.has(e) {
				list = append(list, ret)
				return
			}
		}
		if len(ret.Results) == 0 && f.Type.Results != nil {
			for _, field := range f.Type.Results.List {
				for _, id := range field.Names {
					if o := f.pkg.info.Defs[id]; o != nil && r.vars[o] {
						list = append(list, ret)
						return
					}
				}
			}
		}
	})
	return list
}

// inspectOwn visits the nodes of a body, except those of function literals, which have returns of
// their own.
func inspectOwn(body ast.Node, visit func(ast.Node)) {
	ast.Inspect(body, func(n ast.Node) bool {
		if _, ok := n.(*ast.FuncLit); ok {
			return false
		}
		if n != nil {
			visit(n)
		}
		return true
	})
}

// mutating are functions of the standard library that write to their first argument.
var mutating = map[string][]string{
	"sort": {"Slice", "SliceStable", "Sort", "Stable", "Ints", "Strings", "Float64s"},
	"slices": {"Sort", "SortFunc", "SortStableFunc", "Reverse", "Compact", "CompactFunc", "Delete",
		"DeleteFunc", "Insert", "Replace"},
	"encoding/binary": {"PutUint16", "PutUint32", "PutUint64", "PutUvarint", "PutVarint"},
	"encoding/hex":    {"Encode", "Decode"},
	"crypto/rand":     {"Read"},
	"crypto/subtle":   {"XORBytes"},
}

// mutations are the places where the function writes to the memory that slices and maps among the
// references refer to, or lets another function do so.
func (f *function) mutations(r *refs) []ast.Node {
	var list []ast.Node
	target := func(lhs ast.Expr, at ast.Node) {
		switch x := ast.Unparen(lhs).(type) {
		case *ast.IndexExpr:
			if r.has(x.X) {
				list = append(list, at)
			}
		case *ast.StarExpr:
			if r.has(x.X) && r.element(x.X) {
				list = append(list, at)
			}
		case *ast.SelectorExpr:
			// A field of the target of a pointer, or of an element.
			if r.has(x.X) && r.element(x.X) {
				list = append(list, at)
			} else if ix, ok := ast.Unparen(x.X).(*ast.IndexExpr); ok && r.has(ix.X) {
				list = append(list, at)
			}
		}
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.AssignStmt:
			for _, lhs := range n.Lhs {
				target(lhs, n)
			}
		case *ast.IncDecStmt:
			target(n.X, n)
		case *ast.CallExpr:
			if f.mutates(r, n) {
				list = append(list, n)
			}
		}
		return true
	})
	return list
}

// element reports whether a pointer points to an element of a seed, or is a seed itself. Other
// pointers among the references lead to memory that refers to a seed.
func (r *refs) element(e ast.Expr) bool {
	ptr, ok := underlying(r.p.info.Types[e].Type).(*types.Pointer)
	if !ok {
		return false
	}
	for _, s := range r.seeds {
		switch t := underlying(s.Type()).(type) {
		case *types.Slice:
			if types.Identical(t.Elem(), ptr.Elem()) {
				return true
			}
		case *types.Pointer:
			if types.Identical(t, ptr) {
				return true
			}
		}
	}
	return false
}

// mutates reports whether a call writes to the memory.
func (f *function) mutates(r *refs, call *ast.CallExpr) bool {
	p := f.pkg
	first := len(call.Args) > 0 && r.has(call.Args[0])
	switch {
	case p.isBuiltin(call, "copy", "clear", "delete"):
		return first
	case p.isBuiltin(call, "append"):
		if !first {
			return false
		}
		// It writes into the spare capacity of a part: append(x[:n], …). A full slice expression
		// has none.
		s, ok := ast.Unparen(call.Args[0]).(*ast.SliceExpr)
		return ok && s.High != nil && s.Max == nil
	}
	path, name := p.called(call)
	if slices.Contains(mutating[path], name) {
		return first
	}
	if fn := p.local(call); fn != nil {
		if s := p.summary(fn); s != nil {
			for i, arg := range p.operands(call) {
				if arg != nil && i < len(s.mutated) && s.mutated[i] && r.has(arg) {
					return true
				}
			}
		}
	}
	return false
}
