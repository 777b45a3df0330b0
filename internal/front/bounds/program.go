package bounds

import (
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"iter"

	"github.com/gyrvm/gyr/api"
)

// A TypedPackage is a type-checked package.
type TypedPackage struct {
	Types *types.Package
	Info  *types.Info // nil if the types are from export data
	Files []*ast.File
	Own   bool // of the program itself, not of the standard library
}

// A TypedProgram is the input of Program.
type TypedProgram struct {
	Packages []TypedPackage
	Position func(token.Pos) token.Position
	Limits   *api.Limits
	Stop     func() error
}

// Program refuses a program with too many instances of generic functions and types, or with a
// type that is too large. go/ssa makes each instance a function, all of them in one go.
//
// It finds the instances as go/ssa does: the program's non-generic functions name some, and the
// body of each of these names others. It also visits the types in generic functions, since other
// type checks do.
func Program(p *TypedProgram) (err error) {
	x := &closure{
		TypedProgram: p, ids: map[string]int32{}, closed: map[types.Type]int32{}, leaves: map[any]int32{},
		byPkg: map[*types.Package]*TypedPackage{}, bodies: map[types.Object]ast.Node{}, indexed: map[*TypedPackage]bool{},
		done: map[instanceKey]bool{}, own: map[*types.TypeParam]int{},
		nodes: make([]node, 1),
	}
	defer end(&err)
	for i := range p.Packages {
		x.byPkg[p.Packages[i].Types] = &p.Packages[i]
	}
	for i := range p.Packages {
		if q := &p.Packages[i]; q.Own && q.Info != nil {
			x.roots(q)
		}
	}
	return nil
}

// roots visits the non-generic declarations of a package.
func (x *closure) roots(p *TypedPackage) {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			proceed(x.Stop)
			x.read(p, d, nil)
			x.drain()
		}
	}
}

func isGeneric(fn *ast.FuncDecl) bool {
	if fn.Type.TypeParams != nil {
		return true
	}
	return fn.Recv != nil && len(fn.Recv.List) > 0 && len(receiverParams(fn)) > 0
}

// An instanceKey is a generic function, or the methods of a generic type, with type arguments.
type instanceKey struct {
	generic types.Object
	args    string // their numbers
}

type genericInstance struct {
	key  instanceKey
	args []int32
}

// A node is a type, written out with numbers of other types. Types that go/types shares are shared
// here, so a type with a long text has few nodes.
type node struct {
	bytes, parts int64 // of a value
	align        int64
	terms        int64 // types in the text
}

type closure struct {
	*TypedProgram
	ids    map[string]int32
	nodes  []node
	closed map[types.Type]int32 // types without type parameters
	leaves map[any]int32        // declared types, names and so on, as parts of keys

	byPkg   map[*types.Package]*TypedPackage
	bodies  map[types.Object]ast.Node // of generic functions
	indexed map[*TypedPackage]bool

	done  map[instanceKey]bool
	queue []genericInstance
	own   map[*types.TypeParam]int // for generic methods of generic types: how many parameters of the receiver come before it
	exprs int                      // visited so far
	at    token.Pos                // in the program's own source
	open  bool                     // the visited type has type parameters
}

// refuse ends the check with an error about the current position.
func (x *closure) refuse(limit string, max int64, what string) {
	panic(ended{tooMany(limit, max, what, x.Position(x.at))})
}

// read visits syntax. With type arguments, it is the body of an instance.
func (x *closure) read(p *TypedPackage, n ast.Node, env []int32) {
	ast.Inspect(n, func(n ast.Node) bool {
		e, ok := n.(ast.Expr)
		if !ok {
			return true
		}
		if x.exprs++; x.exprs%looksAt == 0 {
			proceed(x.Stop)
		}
		if env == nil {
			x.at = e.Pos()
			if tv, ok := p.Info.Types[e]; ok && tv.Type != nil {
				x.size(x.typ(tv.Type, nil))
			}
		}
		if id, ok := e.(*ast.Ident); ok {
			if inst, ok := p.Info.Instances[id]; ok {
				x.use(p.Info.Uses[id], inst, env)
			}
		}
		return true
	})
}

// use notes an instance.
func (x *closure) use(obj types.Object, inst types.Instance, env []int32) {
	fn, ok := obj.(*types.Func)
	if !ok {
		x.size(x.typ(inst.Type, env))
		return
	}
	var args []int32
	x.open = false
	for t := range instanceArgs(fn, inst) {
		id := x.typ(t, env)
		x.size(id)
		args = append(args, id)
	}
	if !x.open || env != nil {
		x.enqueue(fn.Origin(), args, true)
	}
}

// instanceArgs returns the type arguments of an instance of a function: those of a method's
// receiver, then its own.
func instanceArgs(fn *types.Func, inst types.Instance) iter.Seq[types.Type] {
	return func(yield func(types.Type) bool) {
		if recv := fn.Signature().Recv(); recv != nil {
			t := types.Unalias(recv.Type())
			if p, ok := t.(*types.Pointer); ok {
				t = types.Unalias(p.Elem())
			}
			if n, ok := t.(*types.Named); ok {
				for a := range n.TypeArgs().Types() {
					if !yield(a) {
						return
					}
				}
			}
		}
		for a := range inst.TypeArgs.Types() {
			if !yield(a) {
				return
			}
		}
	}
}

// enqueue counts a new instance. Its bodies are visited if go/ssa makes it. An instance in a
// generic function is not made as long as that function has no type arguments itself.
func (x *closure) enqueue(generic types.Object, args []int32, made bool) {
	key := instanceKey{generic, string(appendIDs(nil, args))}
	if x.done[key] {
		return
	}
	x.done[key] = true
	if most := x.Limits.Instances; int64(len(x.done)) > most {
		x.refuse("Instances", most, "more instances of generic functions and types")
	}
	if made {
		x.queue = append(x.queue, genericInstance{key, args})
	}
}

// drain visits the bodies of instances.
func (x *closure) drain() {
	for len(x.queue) > 0 {
		last := len(x.queue) - 1
		i := x.queue[last]
		x.queue = x.queue[:last]
		switch g := i.key.generic.(type) {
		case *types.Func:
			x.body(g, i.args)
		case *types.TypeName:
			named, ok := g.Type().(*types.Named)
			if !ok {
				continue
			}
			for m := range named.Methods() {
				if m.Signature().TypeParams().Len() == 0 { // a generic method is made when it is used
					x.body(m, i.args)
				}
			}
		}
	}
}

func (x *closure) body(fn *types.Func, env []int32) {
	p := x.byPkg[fn.Pkg()]
	if p == nil || p.Info == nil {
		return
	}
	if !x.indexed[p] {
		x.indexed[p] = true
		for _, f := range p.Files {
			for _, d := range f.Decls {
				if d, ok := d.(*ast.FuncDecl); ok && isGeneric(d) {
					x.bodies[p.Info.Defs[d.Name]] = d
				}
			}
		}
	}
	if b := x.bodies[fn]; b != nil {
		if before := fn.Signature().RecvTypeParams().Len(); before > 0 {
			for t := range fn.Signature().TypeParams().TypeParams() {
				x.own[t] = before
			}
		}
		x.read(p, b, env)
	}
}

// size refuses a type whose values are too large. A type above the default limit is an error of the
// language, which the loader reports.
func (x *closure) size(id int32) {
	n := &x.nodes[id]
	if most := x.Limits.TypeSize; n.bytes > most && most < api.DefaultLimits().TypeSize {
		x.refuse("TypeSize", most, fmt.Sprintf("a type of %s bytes", count(n.bytes)))
	}
	if most := x.Limits.TypeExpansion; n.parts > most {
		x.refuse("TypeExpansion", most, fmt.Sprintf("a type of %s parts", count(n.parts)))
	}
}
