package ratio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr"
)

// A layer adds passes to those of the layers above it, in the order in which they
// were built to stand on each other. The column of a layer is the program with the
// passes up to there.
type layer struct {
	tier   string
	name   string
	passes []string // added; the last layer of a tier has all there are
}

// cleanup are the passes without which no other one shows what it is worth: they
// fold what inlining has made constant and drop what is dead.
var cleanup = []string{"early-simplify", "early-graph", "early-dce", "noreturn", "simplify", "graph", "dce"}

// layers is the table of -layers.
var layers = []layer{
	{"interp", "none", nil},
	{"interp", "+inlining", append([]string{"inline", "devirtualise"}, cleanup...)},
	{"interp", "+checks", []string{"prove"}},
	{"interp", "+LICM/GVN", []string{"gvn", "loads", "hoist"}},
	{"interp", "+escape", []string{"escape", "capture", "sroa"}},
	{"interp", "all", nil},
}

// layerEngines makes an engine of each layer.
func layerEngines() ([]Engine, error) {
	all, _ := gyr.Passes()
	var list []Engine
	var on []string
	for i, l := range layers {
		if i == 0 || layers[i-1].tier != l.tier {
			on = nil
		}
		on = append(on, l.passes...)
		t, err := tierNamed(l.tier)
		if err != nil {
			return nil, err
		}
		var off []string
		for _, name := range all {
			if !slices.Contains(on, name) {
				off = append(off, name)
			}
		}
		for _, name := range l.passes {
			if !slices.Contains(all, name) {
				return nil, fmt.Errorf("layer %s of %s: no pass %s", l.name, l.tier, name)
			}
		}
		if i == len(layers)-1 || layers[i+1].tier != l.tier {
			off = nil
		}
		var flags []string
		if off != nil {
			flags = []string{"-d=nopass=" + strings.Join(off, ":")}
		}
		list = append(list, gyrEngine(l.tier+" "+l.name, t, flags...))
	}
	return list, nil
}
