package release

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// tagPrefix and the name of an enabled experiment make the experiment's build tag, as in the go
// command.
const tagPrefix = "goexperiment."

// whyNot says why an experiment can only be as the release has it.
var whyNot = map[string]string{
	"arenas":                "package arena is the real runtime's",
	"boringcrypto":          "it is C, of which there is none in a guest",
	"cgocheck2":             "there is no C in a guest",
	"dwarf5":                "the compiler is gyr's",
	"fieldtrack":            "the compiler is gyr's",
	"goroutineleakprofile":  "the profile is the real runtime's",
	"greenteagc":            "the heap is gyr's",
	"heapminimum512kib":     "the heap is gyr's",
	"jsonv2":                "in the standard library of this release encoding/json stands on encoding/json/v2; Go 1.26 has the other one",
	"loopvar":               "the go line of a module decides what variables of loops are",
	"mapsplitgroup":         "maps would lie in memory another way",
	"newinliner":            "the compiler is gyr's",
	"preemptibleloops":      "the compiler is gyr's",
	"randomizedheapbase64":  "the heap is gyr's",
	"runtimefreegc":         "the heap is gyr's",
	"runtimesecret":         "it is of the real runtime's stacks",
	"simd":                  "there are no such instructions for wasm",
	"sizespecializedmalloc": "the heap is gyr's",
	"staticlockranking":     "it is of the real runtime's locks",
}

// noneOfWasm are experiments that the go command ignores for wasm, whatever $GOEXPERIMENT says
// about them.
var noneOfWasm = []string{"regabi", "regabiargs", "regabiwrappers"}

// Experiments returns the build tags that a value of $GOEXPERIMENT adds to those of the release, or
// why programs cannot be compiled with it. As in the go command, the last word about an experiment
// counts, and an unknown one is an error.
func (r *Release) Experiments(value string) (tags []string, err error) {
	want := map[string]bool{}
	for name := range strings.SplitSeq(value, ",") {
		if name == "" {
			continue
		}
		if name == "none" {
			clear(want)
			for _, t := range r.on() {
				want[t] = false
			}
			continue
		}
		name, no := strings.CutPrefix(name, "no")
		switch {
		case slices.Contains(noneOfWasm, name):
		case slices.Contains(r.on(), name), slices.Contains(r.Off, name):
			want[name] = !no
		default:
			return nil, fmt.Errorf("unknown GOEXPERIMENT %s", name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		switch {
		case want[name] == slices.Contains(r.on(), name):
		case want[name] && r.Takes(tagPrefix+name):
			tags = append(tags, tagPrefix+name)
		default:
			no := "no"
			if want[name] {
				no = ""
			}
			return nil, fmt.Errorf("GOEXPERIMENT=%s%s: %s; gyr compiles with the experiments that %s has on for wasm, %s", no, name,
				whyNot[name], r.Name(), strings.Join(r.on(), ", "))
		}
	}
	return tags, nil
}

// Takes reports whether the standard library of the release may be compiled with a build tag. It
// returns true for all tags that do not name an experiment.
func (r *Release) Takes(tag string) bool {
	return !strings.HasPrefix(tag, tagPrefix) || slices.Contains(r.Tags, tag) || slices.Contains(r.MayTags, tag)
}

// WhyNot says why programs cannot be built with the tag of an experiment; empty for an unknown one.
func WhyNot(tag string) string { return whyNot[strings.TrimPrefix(tag, tagPrefix)] }

// on lists the names of the experiments that the release enables.
func (r *Release) on() (names []string) {
	for _, t := range r.Tags {
		if name, ok := strings.CutPrefix(t, tagPrefix); ok {
			names = append(names, name)
		}
	}
	return names
}
