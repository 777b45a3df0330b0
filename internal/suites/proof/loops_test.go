package proof

import (
	"context"
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
)

var update = flag.Bool("update", false, "rewrite the expected counts in testdata/loops.txt")

// kernels are the programs whose inner loops TestLoops examines.
var kernels = []string{"editdistance", "fannkuch", "fft", "lu", "mandelbrot", "matmul", "nbody", "quicksort", "sieve", "spectralnorm"}

// A loopCount counts what an inner loop contains besides the work. Charges that machine code makes
// together count as one.
type loopCount struct{ bounds, nils, checks, polls, charges int }

func countLoop(lp *ir.Loop) (c loopCount) {
	for _, b := range lp.Blocks {
		run, loop := false, false
		for _, v := range b.Values {
			switch v.Op {
			case ir.OpBounds:
				c.bounds++
			case ir.OpNilCheck:
				c.nils++
			case ir.OpCheck:
				c.checks++
			case ir.OpGasN:
				c.charges++
			case ir.OpGas, ir.OpGasLoop:
				if v.Op == ir.OpGasLoop {
					c.polls++
				}
				if !run || loop && v.Op == ir.OpGasLoop {
					c.charges++
					loop = false
				}
				run, loop = true, loop || v.Op == ir.OpGasLoop
				continue
			case ir.OpKeep:
				continue
			}
			run, loop = false, false
		}
	}
	return c
}

// TestLoops compares the checks, polls and charges in the inner loops of ten kernels with
// testdata/loops.txt: a line for each loop, in the order of the blocks. More than the file says is
// a loss. Fewer is an improvement, and the file must be updated.
func TestLoops(t *testing.T) {
	dir, err := suiteDir()
	if err != nil {
		t.Fatal(err)
	}
	p, err := engine.Compile(context.Background(), engine.Source{Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	view := p.View()
	var out strings.Builder
	for _, name := range kernels {
		n := 0
		for _, f := range view.Mod.Funcs() {
			if f == nil || !strings.HasPrefix(f.Name, "suite/"+name+".") || f.Name == "suite/"+name+".init" {
				continue
			}
			if err := view.Prepare(f); err != nil {
				t.Fatal(err)
			}
			d := ir.NewDom(f)
			list := slices.Clone(ir.NewLoops(d).List)
			slices.SortFunc(list, func(x, y *ir.Loop) int { return d.Number(x.Header) - d.Number(y.Header) })
			for _, lp := range list {
				if lp.Inner {
					c := countLoop(lp)
					fmt.Fprintf(&out, "%s bounds=%d nil=%d checks=%d polls=%d charges=%d\n", strings.TrimPrefix(f.Name, "suite/"), c.bounds, c.nils, c.checks, c.polls, c.charges)
					n++
				}
			}
		}
		if n == 0 {
			t.Errorf("%s has no loops", name)
		}
	}
	const golden = "testdata/loops.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	got, want := strings.Split(out.String(), "\n"), strings.Split(string(data), "\n")
	for i := range max(len(got), len(want)) {
		g, w := "", ""
		if i < len(got) {
			g = got[i]
		}
		if i < len(want) {
			w = want[i]
		}
		if g != w {
			t.Errorf("line %d is\n\t%s\nnot\n\t%s\n(see the comment of TestLoops; -update writes the file)", i+1, g, w)
		}
	}
}
