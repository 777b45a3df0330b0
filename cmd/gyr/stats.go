package main

import (
	"encoding/json"
	"fmt"
	"io"

	"github.com/gyrvm/gyr"
)

// printStats prints the figures of a run: a line each, or one JSON object.
func printStats(w io.Writer, form string, in *gyr.Instance, p *gyr.Program) {
	s, c := in.Stats(), p.Stats()
	rows := []struct {
		name  string
		value any
	}{
		{"gas", s.Gas},
		{"instructions", s.Instructions},
		{"allocations", s.Mallocs},
		{"allocated_bytes", s.AllocBytes},
		{"heap_peak_bytes", s.HeapPeak},
		{"collections", s.Collections},
		{"wall_ns", s.Wall.Nanoseconds()},
		{"compile_load_ns", c.Load.Nanoseconds()},
		{"compile_lower_ns", c.Lower.Nanoseconds()},
		{"compile_optimise_ns", c.Optimise.Nanoseconds()},
		{"functions", c.Functions},
	}
	if form == "json" {
		m := map[string]any{}
		for _, r := range rows {
			m[r.name] = r.value
		}
		b, _ := json.Marshal(m)
		fmt.Fprintf(w, "%s\n", b)
		return
	}
	for _, r := range rows {
		fmt.Fprintf(w, "%s %v\n", r.name, r.value)
	}
}
