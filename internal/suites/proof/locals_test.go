package proof

import (
	"bytes"
	"context"
	"testing"

	"github.com/gyrvm/gyr"
)

// localsWant is native Go's output for testdata/locals: at which collections (+) an object existed.
const localsWant = `last +-
passed ++--
chosen +-
not chosen --
linked +-
returned +-
overwritten +-
turns ---
sliced +-
closure +-
recovered +++-
parameter +-
sent ++-
chain +-
`

// TestLocals checks that locals keep alive what they keep alive in Go, whatever passes run, and
// that the passes of phase B change no figure.
func TestLocals(t *testing.T) {
	var first gyr.Stats
	without := [][]string{nil, {"phaseb"}, {"gvn"}, {"loads"}, {"prove"}, {"phasea"}, {"all"}}
	const phaseA = 5 // the first set that is not of phase B
	for i, off := range without {
		p := compile(t, gyr.Source{Patterns: []string{"testdata/locals/main.go"}}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoPass: off, Verify: true}})
		for _, debug := range []map[string]string{nil, {"gcstress": "7", "poison": ""}} {
			for k, tier := range bothTiers() {
				var out bytes.Buffer
				in, err := p.NewInstance(context.Background(), gyr.Config{Stdout: &out, Stderr: &out, Tier: tier, Debug: debug})
				if err != nil {
					t.Fatal(err)
				}
				if err := in.Run(context.Background()); err != nil {
					t.Errorf("%s, without %v, debug %v: %v", tier, off, debug, err)
				}
				if out.String() != localsWant {
					t.Errorf("%s, without %v, debug %v:\n%s", tier, off, debug, out.String())
				}
				s := in.Stats()
				in.Close()
				s = s.Repeatable()
				if i == 0 && k == 0 && debug == nil {
					first = s
				} else if i < phaseA && debug == nil && s != first {
					t.Errorf("%s, without %v: %+v, not %+v", tier, off, s, first)
				}
			}
		}
	}
}
