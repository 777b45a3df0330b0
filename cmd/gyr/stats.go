package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// runFigures are the figures of a run.
type runFigures struct {
	tier string
	engine.Stats
	api.CompileStats
}

// statRows are the figures that -stats prints, in this order.
var statRows = []struct {
	name, doc string
	value     func(f runFigures) any
	counted   bool // left out by -stats=brief
}{
	{"tier", "what executed the code: native, machine code, or interp, the interpreter",
		func(f runFigures) any { return f.tier }, false},
	{"gas", "units charged; no more than the limit", func(f runFigures) any { return f.Gas }, false},
	{"instructions", "instructions of the interpreter, superinstructions count once; 0 of machine code",
		func(f runFigures) any { return f.Instructions }, true},
	{"allocations", "objects allocated on the heap", func(f runFigures) any { return f.Mallocs }, false},
	{"allocated_bytes", "their bytes", func(f runFigures) any { return f.AllocBytes }, false},
	{"heap_peak_bytes", "the most that counted against -mem at a time", func(f runFigures) any { return f.HeapPeak },
		false},
	{"collections", "garbage collections", func(f runFigures) any { return f.Collections }, false},
	{"std_init_packages", "packages of std that were initialised at the start, before anything is charged",
		func(f runFigures) any { return f.InitPackages }, false},
	{"std_init_gas", "what that would have cost", func(f runFigures) any { return f.InitGas }, false},
	{"std_init_instructions", "instructions of it; the figure instructions has them too",
		func(f runFigures) any { return f.InitInstructions }, true},
	{"wall_ns", "time of the run", func(f runFigures) any { return f.Wall.Nanoseconds() }, false},
	{"compile_load_ns", "time before it: parsing and type-checking",
		func(f runFigures) any { return f.Load.Nanoseconds() }, false},
	{"compile_lower_ns", "turning functions into IR", func(f runFigures) any { return f.Lower.Nanoseconds() }, false},
	{"compile_optimise_ns", "inlining and escape analysis", func(f runFigures) any { return f.Optimise.Nanoseconds() },
		false},
	{"front_end", "what lowered the program beside gyr; of an image, where it was built",
		func(f runFigures) any { return f.FrontEnd }, false},
	{"functions", "functions in the program", func(f runFigures) any { return f.Functions }, false},
	{"functions_compiled",
		"those compiled in this process, to register code or machine code; none if all came from the cache",
		func(f runFigures) any { return f.Compiled }, false},
	{"std", "precompiled, or whole: compiled with the program, as std under its own tests is",
		func(f runFigures) any {
			if f.OnBase {
				return "precompiled"
			}
			return "whole"
		}, false},
	{"checked", "no, or why machine code does not rely on types: image, test, exports, fs, or the package with unsafe",
		func(f runFigures) any { return cmp.Or(f.RunsChecked, "no") }, false},
	{"cache", "off, hit or miss: whether the compiled program came from the cache",
		func(f runFigures) any { return f.Cached }, false},
}

// statsHelp explains the figures.
func statsHelp() string {
	var b strings.Builder
	b.WriteString("The figures of -stats are\n")
	for _, f := range statRows {
		fmt.Fprintf(&b, "\n\t%-21s %s", f.name, f.doc)
	}
	return b.String()
}

// printStats prints the figures of a run, one a line or as one JSON object.
func printStats(w io.Writer, form string, in *engine.Instance, p *engine.Program) {
	all := runFigures{in.Tier(), in.Stats(), p.Stats()}
	var list []figure
	for _, f := range statRows {
		if !f.counted || form != "brief" {
			list = append(list, figure{f.name, f.value(all)})
		}
	}
	printFigures(w, form, list)
}

// A figure is a line of -stats.
type figure struct {
	name  string
	value any
}

// printFigures prints one figure a line, or for a form other than text one JSON object.
func printFigures(w io.Writer, form string, list []figure) {
	if form == "text" {
		for _, f := range list {
			fmt.Fprintf(w, "%s %v\n", f.name, f.value)
		}
		return
	}
	m := map[string]any{}
	for _, f := range list {
		m[f.name] = f.value
	}
	b, _ := json.Marshal(m)
	fmt.Fprintf(w, "%s\n", b)
}
