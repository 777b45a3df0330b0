package main

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/gyrvm/gyr"
)

// statRows are the figures that -stats prints, in this order.
var statRows = []struct {
	name, doc string
	value     func(s gyr.Stats, c gyr.CompileStats) any
}{
	{"gas", "units charged; no more than the limit", func(s gyr.Stats, _ gyr.CompileStats) any { return s.Gas }},
	{"instructions", "instructions of the interpreter, superinstructions count once", func(s gyr.Stats, _ gyr.CompileStats) any { return s.Instructions }},
	{"allocations", "objects allocated on the heap", func(s gyr.Stats, _ gyr.CompileStats) any { return s.Mallocs }},
	{"allocated_bytes", "their bytes", func(s gyr.Stats, _ gyr.CompileStats) any { return s.AllocBytes }},
	{"heap_peak_bytes", "the most that counted against -mem at a time", func(s gyr.Stats, _ gyr.CompileStats) any { return s.HeapPeak }},
	{"collections", "garbage collections", func(s gyr.Stats, _ gyr.CompileStats) any { return s.Collections }},
	{"std_init_packages", "packages of std that were initialised at the start, before anything is charged", func(s gyr.Stats, _ gyr.CompileStats) any { return s.InitPackages }},
	{"std_init_gas", "what that would have cost", func(s gyr.Stats, _ gyr.CompileStats) any { return s.InitGas }},
	{"std_init_instructions", "instructions of it; the figure instructions has them too", func(s gyr.Stats, _ gyr.CompileStats) any { return s.InitInstructions }},
	{"wall_ns", "time of the run", func(s gyr.Stats, _ gyr.CompileStats) any { return s.Wall.Nanoseconds() }},
	{"compile_load_ns", "time before it: parsing and type-checking", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Load.Nanoseconds() }},
	{"compile_lower_ns", "turning functions into IR", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Lower.Nanoseconds() }},
	{"compile_optimise_ns", "inlining and escape analysis", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Optimise.Nanoseconds() }},
	{"functions", "functions in the program", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Functions }},
	{"functions_compiled", "those that were called or came compiled from the cache", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Compiled }},
	{"cache", "off, hit or miss: whether the compiled program came from the cache", func(_ gyr.Stats, c gyr.CompileStats) any { return c.Cached }},
}

// statsHelp tells what the figures are.
func statsHelp() string {
	var b strings.Builder
	b.WriteString("The figures of -stats are\n")
	for _, f := range statRows {
		fmt.Fprintf(&b, "\n\t%-21s %s", f.name, f.doc)
	}
	return b.String()
}

// printStats prints the figures of a run: a line each, or one JSON object.
func printStats(w io.Writer, form string, in *gyr.Instance, p *gyr.Program) {
	s, c := in.Stats(), p.Stats()
	if form == "json" {
		m := map[string]any{}
		for _, f := range statRows {
			m[f.name] = f.value(s, c)
		}
		b, _ := json.Marshal(m)
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	for _, f := range statRows {
		fmt.Fprintf(w, "%s %v\n", f.name, f.value(s, c))
	}
}
