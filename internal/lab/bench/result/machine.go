package result

import (
	"fmt"
	"math"
	"slices"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// This file has the notes of the machine: its load (BP23) and changes of its speed (BP28).

// waiting is the part of the time that threads wait for a processor from which on a machine counts
// as loaded.
const waiting = 0.05

// byTime is the severity of a finding that only times show, and that a loaded machine can cause as
// well. It is the rule's severity, hence empty, if the machine was not loaded.
func (r *Report) byTime() Severity {
	if loadedMachine(r) != nil || machineDrifted(r) != nil {
		return Info
	}
	wait, all := 0.0, 0.0
	for _, v := range r.Record.Visits {
		for i := range v.Batches {
			wait, all = wait+v.Batches[i].WaitNS, all+v.Batches[i].NS
		}
	}
	if wait > waiting*all {
		return Info
	}
	return ""
}

// busyShare is the share of busy processors from which on a machine counts as loaded.
const busyShare = 0.75

func loadedMachine(r *Report) *found {
	var loads []float64
	for _, v := range r.Record.Visits {
		if v.Load > 0 {
			loads = append(loads, v.Load)
		}
	}
	env := r.Record.Run.Env
	// The measurement itself is one of the running processes.
	if len(loads) == 0 || env == nil || measure.Median(loads) < math.Max(1.5, busyShare*float64(env.CPUs)) {
		return nil
	}
	return &found{cause: fmt.Sprintf("The machine was loaded while it was measured: %.2g processes wanted to run on %d processors.", measure.Median(loads), env.CPUs)}
}

// drift is the part by which the machine's speed may change in a run.
const drift = 0.1

func machineDrifted(r *Report) *found {
	var canaries []float64
	visits := slices.Clone(r.Record.Visits)
	slices.SortStableFunc(visits, func(a, b *record.Visit) int { return a.Order - b.Order })
	for _, v := range visits {
		if v.CanaryNS > 0 {
			canaries = append(canaries, v.CanaryNS)
		}
	}
	if len(canaries) < 12 {
		return nil
	}
	third := len(canaries) / 3
	a, b := measure.Median(canaries[:third]), measure.Median(canaries[len(canaries)-third:])
	if math.Abs(math.Log(b/a)) < drift {
		return nil
	}
	return &found{cause: fmt.Sprintf("The same piece of work took %s at the beginning of the run and %s at its end.", duration(a), duration(b))}
}
