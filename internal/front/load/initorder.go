package load

import (
	"container/heap"
	"go/ast"
	"go/token"
	"go/types"
)

// initOrder sorts packages in the order of their initialisation: among the packages whose imports
// are all initialised, the one with the smallest path is next (the Go 1.21 rule). Package runtime
// and its imports come first, as in gc's programs.
//
// Like gc's linker, initOrder ignores packages without anything to initialise: they, and imports
// through them alone, do not delay another package. The loader cannot know exactly whether gc needs
// code to initialise a variable. needsInit follows gc's rules of static initialisation closely
// enough for variables of basic types, literals, addresses and functions.
func initOrder(list []*Package) []*Package {
	needs := map[*Package]bool{} // the package or one of its imports has something to run
	waits := map[*Package]int{}
	users := map[*Package][]*Package{}
	for _, p := range list { // dependencies first
		needs[p] = p.init
		for _, q := range p.Imports {
			needs[p] = needs[p] || needs[q]
		}
	}
	for _, p := range list {
		for _, q := range p.Imports {
			if needs[q] {
				waits[p]++
				users[q] = append(users[q], p)
			}
		}
	}
	var out []*Package
	placed := map[*Package]bool{}
	schedule := func(set map[*Package]bool) {
		var ready pathHeap
		for _, p := range list {
			if set[p] && !placed[p] && needs[p] && waits[p] == 0 {
				heap.Push(&ready, p)
			}
		}
		for ready.Len() > 0 {
			p := heap.Pop(&ready).(*Package)
			placed[p] = true
			out = append(out, p)
			for _, u := range users[p] {
				if waits[u]--; waits[u] == 0 && set[u] {
					heap.Push(&ready, u)
				}
			}
		}
	}
	all, runtime := map[*Package]bool{}, map[*Package]bool{}
	var add func(p *Package)
	add = func(p *Package) {
		if !runtime[p] {
			runtime[p] = true
			for _, q := range p.Imports {
				add(q)
			}
		}
	}
	// Packages without anything to run may be anywhere; put them first.
	for _, p := range list {
		all[p] = true
		if !needs[p] {
			out = append(out, p)
			placed[p] = true
		}
		if p.Std && p.Path == "runtime" {
			add(p)
		}
	}
	schedule(runtime)
	schedule(all)
	return out
}

// needsInit reports whether gc would emit code to initialise a package that was just type-checked.
func needsInit(p *Package) bool {
	for _, f := range p.Files {
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && fn.Name.Name == "init" {
				return true
			}
		}
	}
	for _, in := range p.Info.InitOrder {
		if len(in.Lhs) == 1 && in.Lhs[0].Name() == "_" && static(p.Info, in.Rhs) {
			continue
		}
		if !static(p.Info, in.Rhs) {
			return true
		}
	}
	return false
}

// static reports whether the compiler can lay out a value in the data segment.
func static(info *types.Info, e ast.Expr) bool {
	tv := info.Types[e]
	if tv.Value != nil || tv.IsNil() {
		return true
	}
	switch e := e.(type) {
	case *ast.ParenExpr:
		return static(info, e.X)
	case *ast.FuncLit:
		return true
	case *ast.Ident:
		_, fn := info.Uses[e].(*types.Func)
		return fn
	case *ast.SelectorExpr:
		_, fn := info.Uses[e.Sel].(*types.Func)
		return fn && info.Selections[e] == nil
	case *ast.UnaryExpr:
		if e.Op != token.AND {
			return false
		}
		switch x := e.X.(type) {
		case *ast.CompositeLit:
			return static(info, x)
		case *ast.Ident:
			return true
		}
		return false
	case *ast.CompositeLit:
		if _, ok := tv.Type.Underlying().(*types.Map); ok {
			return len(e.Elts) == 0
		}
		for _, x := range e.Elts {
			if kv, ok := x.(*ast.KeyValueExpr); ok {
				x = kv.Value
			}
			if !static(info, x) {
				return false
			}
		}
		return true
	case *ast.CallExpr: // a conversion
		return info.Types[e.Fun].IsType() && len(e.Args) == 1 && static(info, e.Args[0])
	}
	return false
}

// A pathHeap is a heap of packages with the smallest path on top.
type pathHeap []*Package

func (h pathHeap) Len() int           { return len(h) }
func (h pathHeap) Less(i, j int) bool { return h[i].Path < h[j].Path }
func (h pathHeap) Swap(i, j int)      { h[i], h[j] = h[j], h[i] }
func (h *pathHeap) Push(x any)        { *h = append(*h, x.(*Package)) }
func (h *pathHeap) Pop() any {
	old := *h
	x := old[len(old)-1]
	*h = old[:len(old)-1]
	return x
}
