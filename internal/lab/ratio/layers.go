package ratio

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/engine"
)

// A layer adds passes to those of the layers before it. Its column in the table is the program with
// all these passes.
type layer struct {
	name   string
	passes []string // added; the last layer has every pass
}

// cleanup are the passes that every other pass needs to show its worth: they fold what inlining has
// made constant and drop dead code.
var cleanup = []string{"early-simplify", "early-graph", "early-dce", "noreturn", "simplify", "graph", "dce"}

// layers is the table of -layers. It is the same in every tier.
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
