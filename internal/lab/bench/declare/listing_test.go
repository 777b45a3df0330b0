package declare

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/ir"
	"github.com/gyrvm/gyr/internal/tools/listing"
)

var update = flag.Bool("update", false, "write testdata/loops.txt")

const loops = `package m

func natural(n int) {
	for i := 0; i < n; i++ {
	}
}

func main() { natural(8) }

//gyr:bench
func empty() {}

//gyr:bench x=3
func square(x int) int { return x * x }

//gyr:bench x=3 inline=never
func called(x int) int { return x * x }

type point struct{ x, y float64 }

func newPoint() *point { return &point{3, 4} }

//gyr:bench setup=newPoint
func (p *point) length() float64 { return p.x*p.x + p.y*p.y }

//gyr:bench n=32
func list(n int) []int { return append([]int(nil), n) }

//gyr:bench x=1
func long(x int) int {
LONG
	return x
}

//gyr:bench x=1 inline=always
func longInlined(x int) int {
LONG
	return x
}
`

// TestListing compares the code of two measured loops, and of an ordinary one, with
// testdata/loops.txt, and counts instructions. An empty measured loop has three instructions per
// iteration, consuming a result costs none, and no measured loop has a poll.
func TestListing(t *testing.T) {
	m := newModule(t, Gyr, map[string]string{"m.go": strings.ReplaceAll(loops, "LONG", strings.Repeat("\tx = x*3 ^ x>>1\n", 25)), "m_test.go": "package m\n\nimport \"testing\"\n\nfunc TestNatural(*testing.T) { main() }\n"})
	p, err := engine.Compile(context.Background(), m.source())
	if err != nil {
		t.Fatal(err)
	}
	view := p.View()
	env, src := listing.NewEnv(view), &listing.Sources{}
	funcs := map[string]*ir.Func{}
	for _, f := range view.Mod.Own() {
		funcs[strings.TrimPrefix(f.Name, "example.com/m.")] = f
	}
	var out bytes.Buffer
	count, calls := map[string]int{}, map[string]bool{}
	for i, name := range []string{"empty", "square", "called", "(*point).length", "list", "long", "longInlined", "natural"} {
		fn := fmt.Sprintf("gyrBenchLoop%d", i)
		if name == "natural" {
			fn = name
		}
		f := funcs[fn]
		if f == nil {
			t.Fatalf("%s is not in the program", fn)
		}
		var b bytes.Buffer
		if err := listing.Asm(&b, view, f, env, src, listing.AsmOptions{Syntax: "gnu"}); err != nil {
			t.Fatal(err)
		}
		hot, _, _ := strings.Cut(b.String(), "; out of line\n")
		switch name {
		case "empty", "square", "natural":
			fmt.Fprintf(&out, "# %s\n%s\n", name, hot)
		}
		count[name] = innermost(hot)
		if flags := f.Flags & ir.Measured; flags == 0 != (name == "natural") {
			t.Errorf("%s: flags %v", name, f.Flags)
		}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if v.Op == ir.OpGasLoop && name != "natural" {
					t.Errorf("%s has a poll: %v", name, f)
				}
				calls[name] = calls[name] || v.Op == ir.OpCall
			}
		}
	}
	t.Log("instructions an iteration:", count)
	if count["empty"] != 3 {
		t.Errorf("an iteration of the empty loop has %d instructions, want 3", count["empty"])
	}
	// The gas of the callee's body, a copy of the operand, and the product.
	if payload := count["square"] - count["empty"]; payload != 3 {
		t.Errorf("an iteration of square has %d instructions besides the loop's, want 3", payload)
	}
	if count["natural"] <= count["empty"] {
		t.Errorf("an iteration of a natural loop has %d instructions", count["natural"])
	}
	for name, want := range map[string]bool{"square": false, "called": true, "long": true, "longInlined": false} {
		if calls[name] != want {
			t.Errorf("the loop over %s has a call: %v, want %v", name, calls[name], want)
		}
	}
	const golden = "testdata/loops.txt"
	if *update {
		if err := os.WriteFile(golden, out.Bytes(), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), want) {
		t.Errorf("the code is not that of %s (go test -run TestListing -update writes it):\n%s", golden, out.String())
	}
}

var (
	labelForm = regexp.MustCompile(`^(\w+):`)
	jumpForm  = regexp.MustCompile(`^  [0-9a-f]{4}  j\w+ +(\w+)`)
	instrForm = regexp.MustCompile(`^  [0-9a-f]{4}  `)
)

// innermost counts the instructions of the shortest loop of a listing: from a label to a jump back
// to it.
func innermost(text string) int {
	at := map[string]int{} // by label: instructions before it
	n, least := 0, 0
	for line := range strings.Lines(text) {
		if m := labelForm.FindStringSubmatch(line); m != nil {
			at[m[1]] = n
		}
		if !instrForm.MatchString(line) {
			continue
		}
		n++
		if m := jumpForm.FindStringSubmatch(line); m != nil {
			if from, back := at[m[1]]; back && (least == 0 || n-from < least) {
				least = n - from
			}
		}
	}
	return least
}
