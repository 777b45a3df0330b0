package ratio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
)

// A layer adds passes to those of the layers above it, in the order in which they
// were built to stand on each other. The column of a layer is the program with the
// passes up to there.
type layer struct {
	name   string
	passes []string // added; the last layer has all there are
}

// cleanup are the passes without which no other one shows what it is worth: they
// fold what inlining has made constant and drop what is dead.
var cleanup = []string{"early-simplify", "early-graph", "early-dce", "noreturn", "simplify", "graph", "dce"}

// layers is the table of -layers, the same in every tier.
var layers = []layer{
	{"none", nil},
	{"+inlining", append([]string{"inline", "devirtualise"}, cleanup...)},
	{"+checks", []string{"prove"}},
	{"+LICM/GVN", []string{"gvn", "loads", "hoist"}},
	{"+escape", []string{"escape", "capture", "sroa"}},
	{"all", nil},
}

// layerEngines makes an engine of each layer in each tier.
func layerEngines() (list []Engine, err error) {
	all, _ := engine.Passes()
	for _, t := range tiers {
		var on []string
		for i, l := range layers {
			for _, name := range l.passes {
				if !slices.Contains(all, name) {
					return nil, fmt.Errorf("layer %s: no pass %s", l.name, name)
				}
			}
			on = append(on, l.passes...)
			var flags []string
			if i < len(layers)-1 {
				off := slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(on, name) })
				flags = []string{"-d=nopass=" + strings.Join(off, ":")}
			}
			list = append(list, gyrEngine(string(t)+" "+l.name, t, flags...))
		}
	}
	return list, nil
}
