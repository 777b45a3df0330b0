package main

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// judge compares a run with the record of -gate. An exact metric that got worse is a regression at
// once. Times are measured again first, since one of many cells is always unlucky. They do not
// count if the record is from another machine.
func (b *benchFlags) judge(ctx context.Context, o bench.Options, rec *record.Record) error {
	found := bench.ExactRegressions(b.old, rec)
	var slow []bench.Regression
	if rec.Run.Env.Fingerprint() == b.old.Run.Env.Fingerprint() {
		slow = bench.SlowerThan(b.old, rec)
	} else {
		fmt.Fprintf(stderr, "gyr: gate: times are not compared: %s is of another machine or another Go (%s, %s; here %s, %s)\n", b.gate,
			b.old.Run.Env.CPU, b.old.Run.Env.Go, rec.Run.Env.CPU, rec.Run.Env.Go)
	}
	if len(slow) > 0 {
		fmt.Fprintf(stderr, "gyr: gate: %d of the times seem to be longer; measuring these again\n", len(slow))
		again, err := b.again(ctx, o, slow)
		if err != nil {
			return err
		}
		slow = bench.Both(slow, bench.SlowerThan(b.old, again))
	}
	found = append(found, slow...)
	if len(found) == 0 {
		fmt.Fprintf(stdout, "gate: nothing is worse than in %s\n", b.gate)
		return nil
	}
	fmt.Fprintf(stdout, "gate: worse than in %s:\n", b.gate)
	for i := range found {
		fmt.Fprintf(stdout, "\t%s\n", found[i].String())
	}
	return statusError(benchGate)
}

// again measures the benchmarks of some cells once more, in new processes and in another order.
func (b *benchFlags) again(ctx context.Context, o bench.Options, cells []bench.Regression) (*record.Record, error) {
	var tops []string
	for _, c := range cells {
		for _, p := range o.Packages {
			if name, ok := strings.CutPrefix(c.Bench, p.Path+"."); ok {
				top, _, _ := strings.Cut(name, "/")
				if top = regexp.QuoteMeta(top); !slices.Contains(tops, top) {
					tops = append(tops, top)
				}
			}
		}
	}
	o.Bench = "^Benchmark(" + strings.Join(tops, "|") + ")$"
	o.Plan.Seed += 2
	o.Profile, o.NoCount, o.NoProof = false, true, true
	run := &record.Run{Plan: o.Plan, Env: b.old.Run.Env}
	for _, e := range o.Engines {
		run.Engines = append(run.Engines, e.Label)
	}
	log, err := record.NewLog(nil, run)
	if err != nil {
		return nil, err
	}
	if err := b.execute(ctx, o, log); err != nil {
		return nil, err
	}
	return log.Record(), nil
}
