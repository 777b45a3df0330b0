package gas

import (
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/ir"
)

// A metering says which charges a function carries.
type metering uint8

const (
	meterAll  metering = iota // its blocks, counted work, calls of the runtime
	meterBulk                 // further iterations of loops, counted work
	meterLoop                 // further iterations of loops
	meterCall                 // only the charges in its own source
	meterNone                 // nothing
)

// byAddress are the functions of the runtime that look something up by its address. How often their
// loops iterate depends on the addresses of objects. Collections decide these, so gas must not show
// them. The functions need no charge: a search in the tree of semaphores takes 32 steps at most,
// the table of specials grows with its content, and the functions themselves charge for what a
// program can pile up on one address.
var byAddress = map[string]bool{
	"runtime.semaslot":     true,
	"runtime.semadelete":   true,
	"runtime.growspecials": true,
	"runtime.findspecial":  true,
	"runtime.dropspecial":  true,
	// The targets of references from types made at run time.
	"runtime.reflectOffsSlot": true,
}

// ChargesItself reports whether a function of the runtime has only the charges that its source
// makes: see byAddress.
func ChargesItself(f *ir.Func) bool { return f.Flags&ir.Runtime != 0 && byAddress[f.Name] }

// meteringOf returns how a function is charged. The price of a call includes the runtime's bounded
// work for it: the first iteration of a loop is included, the others are not. Counted work is
// charged at the call, where the optimiser may find that nothing has to be done. If the amount
// cannot be known there, the runtime charges by calling its function charge.
func meteringOf(f *ir.Func) metering {
	switch {
	case f.Flags&ir.Measured != 0:
		return meterNone
	case f.Flags&ir.Runtime == 0:
		return meterAll
	case strings.HasPrefix(f.Name, "internal/runtime/maps."):
		return meterBulk
	case ChargesItself(f):
		return meterCall
	}
	return meterLoop
}

// loops charges the loops of a function of the runtime. Each iteration after the first costs as
// much as the blocks on the dearest path through the loop. The charges are at the edge to the next
// iteration, and no goroutine gives way there.
func (p *placer) loops() {
	edges := retreatingEdges(p.f)
	for _, e := range edges {
		b := e.latch
		v := p.f.NewValue(ir.OpGas, ir.Void)
		v.Aux, v.Pos, v.Block = max((e.dearest(p.f, edges)+5)/10, 1), b.Pos, b
		if v.Pos == 0 {
			v.Pos = p.f.Pos
		}
		b.Values = slices.Insert(b.Values, firstOp(b), v)
	}
}

// A retreatingEdge leads from the end of a loop to its head.
type retreatingEdge struct{ latch, head *ir.Block }

// retreatingEdges finds the retreating edges of a depth-first walk.
func retreatingEdges(f *ir.Func) (edges []retreatingEdge) {
	const (
		white = iota
		grey
		black
	)
	color := make([]uint8, f.NumBlocks())
	type item struct {
		b *ir.Block
		i int
	}
	walk := func(root *ir.Block) {
		if root == nil || color[root.ID] != white {
			return
		}
		stack := []item{{root, 0}}
		color[root.ID] = grey
		for len(stack) > 0 {
			t := &stack[len(stack)-1]
			if t.i == len(t.b.Succs) {
				color[t.b.ID] = black
				stack = stack[:len(stack)-1]
				continue
			}
			s := t.b.Succs[t.i]
			t.i++
			switch color[s.ID] {
			case white:
				color[s.ID] = grey
				stack = append(stack, item{s, 0})
			case grey:
				edges = append(edges, retreatingEdge{t.b, s})
			}
		}
	}
	walk(f.Entry)
	walk(f.Recover)
	return edges
}

// dearest returns the cost of the dearest path from the head to the latch, in tenths of a unit.
// Inner loops count once.
func (e retreatingEdge) dearest(f *ir.Func, edges []retreatingEdge) int64 {
	const unknown = -1
	cost := make([]int64, f.NumBlocks()) // of the path from the head to a block's end
	inside := make([]bool, f.NumBlocks())
	for _, b := range e.loop(f) {
		cost[b.ID], inside[b.ID] = unknown, true
	}
	var way func(b *ir.Block) int64
	way = func(b *ir.Block) int64 {
		if c := cost[b.ID]; c != unknown {
			return c
		}
		before := int64(0)
		for _, p := range b.Preds {
			if b != e.head && inside[p.ID] && !slices.Contains(edges, retreatingEdge{p, b}) {
				before = max(before, way(p))
			}
		}
		cost[b.ID] = before + runtimeCost(b)
		return cost[b.ID]
	}
	return way(e.latch)
}

// runtimeCost is the price of a block of the runtime, with the calls of its other functions.
func runtimeCost(b *ir.Block) int64 {
	cost := int64(0)
	for _, v := range b.Values {
		cost += Op(v)
		if v.Op == ir.OpCall && v.Fn.Flags&ir.Runtime != 0 {
			cost += 10 * DefaultCall
		}
	}
	if b.Kind == ir.BlockIf || b.Kind == ir.BlockSwitch {
		cost += Branch
	}
	return cost
}

// loop returns the blocks from which a path leads to the edge without its head, and the head: the
// natural loop if the head dominates the edge.
func (e retreatingEdge) loop(f *ir.Func) []*ir.Block {
	seen := make([]bool, f.NumBlocks())
	list := []*ir.Block{e.head}
	seen[e.head.ID] = true
	add := func(b *ir.Block) {
		if !seen[b.ID] {
			seen[b.ID] = true
			list = append(list, b)
		}
	}
	add(e.latch)
	for i := 1; i < len(list); i++ {
		for _, p := range list[i].Preds {
			add(p)
		}
	}
	return list
}
