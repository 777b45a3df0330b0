package plan

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/back/native/regalloc"
	"github.com/gyrvm/gyr/internal/ir"
)

// Blocks that only unlikely edges reach, or that always panic, come after the rest, but not the
// exits of a likely loop. Each block comes after one that leads to it.
func TestOrderOfBlocks(t *testing.T) {
	for _, test := range []struct{ name, graph, want string }{
		{"a slow path", "0: if likely 2 1 | 1: jump 2 | 2: ret", "0 2 | 1"},
		{"nested in a loop", "0: jump 1 | 1: if 2 6 | 2: if unlikely 3 5 | 3: if 4 5 | 4: jump 5 | 5: jump 1 | 6: ret", "0 1 2 5 6 | 3 4"},
		{"the end of a likely loop", "0: jump 1 | 1: if likely 2 3 | 2: jump 1 | 3: ret", "0 1 2 3 |"},
		{"panics", "0: if 1 3 | 1: if 2 4 | 2: unreachable | 3: ret | 4: unreachable", "0 3 | 1 2 4"},
		{"all ways panic", "0: if 1 2 | 1: unreachable | 2: unreachable", "0 | 1 2"},
		{"two entries to a loop", "0: if likely 3 1 | 1: jump 2 | 2: if unlikely 1 3 | 3: if unlikely 4 2 | 4: ret", "0 3 | 1 2 4"},
		{"a loop behind an unlikely edge", "0: if unlikely 1 3 | 1: if 2 3 | 2: jump 1 | 3: ret", "0 3 | 1 2"},
	} {
		f := graph(t, test.graph)
		order, cold := orderBlocks(f, ir.NewLoops(ir.NewDom(f)))
		var hot, late []string
		for i, b := range order {
			if b != f.Entry && !slices.ContainsFunc(b.Preds, func(p *ir.Block) bool { return slices.Contains(order[:i], p) }) {
				t.Errorf("%s: %s comes before all that leads to it", test.name, b)
			}
			if name := strings.TrimPrefix(b.String(), "b"); cold[b.ID] {
				late = append(late, name)
			} else if hot = append(hot, name); len(late) > 0 {
				t.Errorf("%s: %s behind cold blocks", test.name, b)
			}
		}
		if got := strings.TrimSpace(strings.Join(hot, " ") + " | " + strings.Join(late, " ")); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// A block comes behind the one that leads to it most often, and a loop's test behind a round. Blocks are written with
// the ones on critical edges, which have code here: 2-4 is the one between 2 and 4.
func TestPlacedBlocks(t *testing.T) {
	for _, test := range []struct{ name, graph, want string }{
		{"a block beside the way", "0: if 1 2 | 1: jump 2 | 2: ret", "0 1 0-2 2"},
		{"an unlikely block", "0: if unlikely 1 2 | 1: jump 2 | 2: ret", "0 0-2 2 1"},
		{"a loop that is left at its top", "0: jump 1 | 1: if 2 3 | 2: jump 1 | 3: ret", "0 2 1 3"},
		{"a loop that is left at its end", "0: jump 1 | 1: if 1 2 | 2: ret", "0 1-1 1 2"},
		{"numbers mostly differ", "0: jump 1 | 1: if 2 8 | 2: if equal 3 6 | 3: if 4 5 | 4: jump 7 | 5: jump 7 | 6: jump 7 | 7: jump 1 | 8: ret",
			"0 2 6 7 1 8 3 4 5"},
		{"a block between loops", "0: jump 1 | 1: if 1 2 | 2: jump 3 | 3: if 4 5 | 4: jump 3 | 5: ret", "0 1-1 1 2 4 3 5"},
	} {
		f := graph(t, test.graph)
		s := &selector{arenas: new(arenas), F: f, rf: &regalloc.Func{}, loops: ir.NewLoops(ir.NewDom(f))}
		s.order, s.cold = orderBlocks(f, s.loops)
		s.makeBlocks()
		for i := range s.rf.Blocks {
			b, in := &s.rf.Blocks[i], Inst{Kind: KJump}
			if x := s.blocks[i].b; x != nil && x.Kind == ir.BlockIf {
				in = Inst{Kind: KBranch, B: x, Cmp: &Comparison{Cond: LtS}}
				if x.Ctrl != nil {
					in.Cmp.Cond = Eq
				}
			}
			s.insts = append(s.insts, in)
			b.Insts = []regalloc.Inst{{Tag: int32(i)}}
			b.Steps = []regalloc.Step{{Inst: &b.Insts[0]}, {Inst: &b.Insts[0]}} // two, so that there is code
		}
		s.estimate()
		e := &Emitter{selector: s}
		e.findEmpty()
		var got []string
		for _, i := range e.placeBlocks()[1:] {
			switch x := s.blocks[i]; {
			case x.b != nil:
				got = append(got, strings.TrimPrefix(x.b.String(), "b"))
			default:
				got = append(got, strings.ReplaceAll(fmt.Sprintf("%s-%s", x.from, x.from.Succs[x.succ]), "b", ""))
			}
		}
		if got := strings.Join(got, " "); got != test.want {
			t.Errorf("%s: %s, want %s", test.name, got, test.want)
		}
	}
}

// graph makes a function of blocks, each with its terminator.
func graph(t *testing.T, text string) *ir.Func {
	t.Helper()
	f := &ir.Func{Name: "f"}
	lines := strings.Split(text, "|")
	for range lines {
		f.NewBlock()
	}
	f.Entry = f.Blocks[0]
	for i, l := range lines {
		words := strings.Fields(l)
		b := f.Blocks[i]
		if words[0] != fmt.Sprintf("%d:", i) {
			t.Fatalf("%q", l)
		}
		switch words = words[1:]; words[0] {
		case "ret":
			b.Kind = ir.BlockReturn
		case "unreachable":
			b.Kind = ir.BlockUnreachable
		case "jump":
			b.Kind = ir.BlockJump
		case "if":
			b.Kind = ir.BlockIf
		}
		for _, w := range words[1:] {
			switch w {
			case "likely":
				b.Likely = 1
			case "unlikely":
				b.Likely = -1
			case "equal":
				b.Ctrl = f.NewValue(ir.OpEq, ir.I8)
			default:
				var to int
				fmt.Sscan(w, &to)
				b.AddEdge(f.Blocks[to])
			}
		}
	}
	return f
}
