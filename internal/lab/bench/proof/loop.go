package proof

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

// A graph is a function between two passes.
type graph struct {
	f  *ir.Func
	at map[*ir.Value]*ir.Block // the block of each operation

	domTree *ir.Dom // see dom
	forest  *ir.Loops
}

func newGraph(f *ir.Func) *graph {
	g := &graph{f: f, at: make(map[*ir.Value]*ir.Block, f.NumValues())}
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			g.at[v] = b
		}
	}
	return g
}

// dom and loops are computed on demand, before the next pass runs: most functions have no measured
// loop.
func (g *graph) dom() *ir.Dom {
	if g.domTree == nil {
		g.domTree = ir.NewDom(g.f)
	}
	return g.domTree
}

func (g *graph) loops() *ir.Loops {
	if g.forest == nil {
		g.forest = ir.NewLoops(g.dom())
	}
	return g.forest
}

func (g *graph) inside(v *ir.Value, lp *ir.Loop) bool {
	b := g.at[v]
	return b != nil && g.loops().Contains(lp, b)
}

// A frame is one step of a position: a line of a function as lowered.
type frame struct {
	fn   int32
	file int32
	line int
}

// A places knows the positions of a module.
type places struct {
	m     *ir.Module
	names map[int32]string // of files, as the parser knows them
	seen  map[ir.Pos][]frame
}

// maxFrames bounds the inlining depth of operations that are followed.
const maxFrames = 100

// frames lists the places of an operation, the innermost function first.
func (p *places) frames(pos ir.Pos) []frame {
	if list, ok := p.seen[pos]; ok {
		return list
	}
	var list []frame
	for at := pos; at != 0 && len(list) < maxFrames; {
		e, ok := p.m.Position(at)
		if !ok {
			break
		}
		if s, ok := p.m.Site(e.Site); ok {
			list = append(list, frame{s.Func, s.File, int(s.Line)})
		}
		at = e.Parent
	}
	p.seen[pos] = list
	return list
}

// file returns the name of a file of the module on this machine.
func (p *places) file(n int32) string {
	name, ok := p.names[n]
	if !ok {
		if n >= 0 && int(n) < len(p.m.Files) {
			name = filepath.Clean(engine.SourceFile(p.m.Files[n], ""))
		}
		p.names[n] = name
	}
	return name
}

// within returns how many inlined calls lie between a loop's lines and a position. It returns false
// if the position is outside of the loop.
func (p *places) within(pos ir.Pos, l *Loop) (level int, ok bool) {
	for i, f := range p.frames(pos) {
		if f.line >= l.First && f.line <= l.Last && p.file(f.file) == l.File {
			return i, true
		}
	}
	return 0, false
}

// ofHarness reports whether an operation belongs to the testing package's code that runs a
// benchmark: it calls that code, or was inlined from it.
func (p *places) ofHarness(v *ir.Value) bool {
	if v.Op == ir.OpCall && ofHarness(v.Fn.Name) {
		return true
	}
	for _, f := range p.frames(v.Pos) {
		if g := p.m.Func(int(f.fn)); g != nil && ofHarness(g.Name) {
			return true
		}
	}
	return false
}

// reports finds the blocks of a loop in which a benchmark reports a failure, with b.Fatal for
// example. They are not executed while the benchmark is measured.
func (p *places) reports(g *graph, lp *ir.Loop) map[*ir.Block]bool {
	set := map[*ir.Block]bool{}
	for _, b := range lp.Blocks {
		always := true
		for _, l := range lp.Latches {
			always = always && g.dom().Dominates(b, l)
		}
		if !always && slices.ContainsFunc(b.Values, p.tells) {
			set[b] = true
		}
	}
	return set
}

// tells reports whether an operation calls b.Fatal or the like.
func (p *places) tells(v *ir.Value) bool {
	const common = "testing.(*common)."
	if v.Op == ir.OpCall && strings.HasPrefix(v.Fn.Name, common) {
		return true
	}
	for _, f := range p.frames(v.Pos) {
		if g := p.m.Func(int(f.fn)); g != nil && strings.HasPrefix(g.Name, common) {
			return true
		}
	}
	return false
}

// made reports whether a function is the compiler-made loop l.
func (p *places) made(f *ir.Func, l *Loop) bool {
	if short(f.Name) != l.Func {
		return false
	}
	at := p.frames(f.Pos)
	return len(at) > 0 && p.file(at[0].file) == l.File
}

// find returns the outermost loops of a function that belong to a loop of the source.
func (p *places) find(g *graph, l *Loop) (list []*ir.Loop) {
	if g.loops().Irreducible {
		return nil
	}
	is := func(lp *ir.Loop) bool {
		if l.Func != "" {
			return p.made(g.f, l)
		}
		// The header's first operation with a position, which is the charge for the header as
		// lowered.
		for _, v := range lp.Header.Values {
			if v.Pos != 0 && v.Op != ir.OpPhi {
				level, ok := p.within(v.Pos, l)
				return ok && (level == 0 || p.ofHarness(v))
			}
		}
		return false
	}
	for _, lp := range g.loops().List {
		outer := false
		for x := lp.Parent; x != nil && !outer; x = x.Parent {
			outer = is(x)
		}
		if !outer && is(lp) {
			list = append(list, lp)
		}
	}
	return list
}
