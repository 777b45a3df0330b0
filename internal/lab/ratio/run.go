package ratio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// wallUnit is the metric that holds the wall time of a visit to a program. The visit's own time is
// processor time.
const wallUnit = "wall-ns/op"

// programs measures programs/.
func (o *options) programs(env Env, m *measure.Machine, peers []Engine) error {
	var list []Program
	from := Programs
	if o.real {
		from = RealPrograms
	}
	for _, p := range from {
		if o.wanted(p.Name) {
			list = append(list, p)
		}
	}
	if len(list) == 0 {
		return errors.New("no program to measure")
	}
	engines, err := o.columns(peers)
	if err == nil {
		engines, err = setup(env, engines, list)
	}
	if err != nil {
		return err
	}
	if len(engines) == 1 {
		return errors.New("no engine beside native Go")
	}
	var names, gaps []string
	for _, e := range engines {
		names = append(names, e.Name)
		if e.Peer {
			gaps = append(gaps, e.Name)
		}
	}
	log, err := o.log(env, record.Plan{Mode: "programs", Seed: 1}, names)
	if err != nil {
		return err
	}
	for i, p := range list {
		words, err := measureProgram(env, log, p, engines, o.rounds, o.small)
		if err != nil {
			return err
		}
		fmt.Fprintf(os.Stderr, "%d/%d %s:%s\n", i+1, len(list), p.Name, words)
	}
	if err := log.Write(&record.End{Time: time.Now().UTC()}); err != nil {
		return err
	}
	rep := result.Of(log.Record())
	if o.layers {
		return o.print(rep, gaps, m, layerTable(rep))
	}
	return o.print(rep, gaps, m, rowTable(rep, "program", programColumns(m)), meanTable(rep, wallRatio, cpuRatio))
}

// columns are the engines that the flags ask for, with native Go first.
func (o *options) columns(peers []Engine) (list []Engine, err error) {
	var add []Engine
	if o.layers {
		if add, err = layerEngines(); err != nil {
			return nil, err
		}
	} else {
		for _, t := range tiers {
			add = append(add, gyrEngine(string(t), t))
			if o.noGas {
				add = append(add, gyrEngine(string(t)+" nogas", t, "-realtime", "-d=nogas"))
			}
		}
		add = append(add, peers...)
	}
	list = []Engine{yardstick}
	for _, e := range add {
		if o.engines.MatchString(e.Name) {
			list = append(list, e)
		}
	}
	return list, nil
}

// runTimeout kills a run that takes too long.
const runTimeout = 15 * time.Minute

// run is one run of a program in an engine.
func (e *Engine) run(env Env, p Program, size string) (process.Usage, []byte, *Figures, error) {
	argv := e.Command(env, p, size)
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = p.dir(env), &out, &errs
	err := p.prepare(env, size)
	if err != nil {
		return process.Usage{}, nil, nil, err
	}
	u, err := process.Command(cmd)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("more than %v", runTimeout)
		}
		return u, nil, nil, fmt.Errorf("%v: %w: %s", argv, err, excerpt(errs.Bytes()))
	}
	if err := p.addOutput(env, &out); err != nil {
		return u, nil, nil, err
	}
	if e.Tier == "" {
		return u, out.Bytes(), nil, nil
	}
	f, err := figures(errs.Bytes())
	if err == nil && f.Tier != e.Tier {
		err = fmt.Errorf("the run was in tier %q", f.Tier)
	}
	return u, out.Bytes(), f, err
}

// excerpt is the beginning of a failed command's output.
func excerpt(b []byte) string {
	s := strings.TrimSpace(string(b))
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}

// A place is an engine at a size.
type place struct {
	engine  *Engine
	size    string
	samples []process.Usage // one a round
	tiny    []process.Usage
	out     []byte // of the last run
	figures *Figures
	failed  error
}

// measureProgram measures a program in all engines; the first engine is the yardstick. It writes
// the results to the record, a benchmark for each size, and returns a line about the ratios. small
// selects the small sizes throughout.
func measureProgram(env Env, log *record.Log, p Program, engines []Engine, rounds int, small bool) (string, error) {
	var places []*place
	bases := map[string]*place{} // native Go, by size
	for i := range engines {
		size := p.Size
		if small || engines[i].Slow {
			size = p.Small
		}
		if bases[size] == nil {
			bases[size] = &place{engine: &engines[0], size: size}
			places = append(places, bases[size])
		}
		if i > 0 {
			places = append(places, &place{engine: &engines[i], size: size})
		}
	}
	// The first runs fill the program cache and the kernel's page cache, so that all later runs
	// find them full.
	for _, pl := range places {
		_, _, _, pl.failed = pl.engine.run(env, p, p.Tiny)
	}
	for range rounds {
		for _, pl := range places {
			pl.visit(env, p, pl.size, &pl.samples)
			if base := bases[pl.size]; pl.failed == nil && base.failed == nil && !bytes.Equal(pl.out, base.out) {
				pl.failed = fmt.Errorf("prints %.100q, native Go %.100q", pl.out, base.out)
			}
		}
		for _, pl := range places {
			pl.visit(env, p, p.Tiny, &pl.tiny)
		}
	}
	words := ""
	for _, pl := range places {
		base := bases[pl.size]
		key := p.Family + "." + p.Name + "/" + pl.size
		if pl == base {
			if err := log.Write(&record.Bench{Key: key, Package: p.Family, Name: p.Name, Params: []record.Param{{Name: "size", Value: pl.size}}}); err != nil {
				return "", err
			}
		}
		visits := pl.visits(record.Cell{Bench: key, Engine: pl.engine.Name})
		for _, v := range visits {
			if err := log.Write(v); err != nil {
				return "", err
			}
		}
		switch {
		case pl.failed != nil:
			words += " " + pl.engine.Name + " failed"
		case pl != base && base.failed == nil:
			words += " " + pl.engine.Name + " " + times(pl.cpu()/base.cpu())
		}
	}
	return words, nil
}

// visit runs the program once, unless the engine has failed.
func (pl *place) visit(env Env, p Program, size string, samples *[]process.Usage) {
	if pl.failed != nil {
		return
	}
	u, out, f, err := pl.engine.run(env, p, size)
	if pl.failed = err; err != nil {
		return
	}
	*samples = append(*samples, u)
	if size == pl.size {
		pl.out, pl.figures = out, f
	}
}

// cpu is the median of the processor's time.
func (pl *place) cpu() float64 {
	var list []float64
	for i := range pl.samples {
		list = append(list, (pl.samples[i].CPU - pl.tiny[i].CPU).Seconds())
	}
	return measure.Median(list)
}

// visits are the record's visits of the place, one for each round. A visit's time is processor
// time, less that of the tiny size, so that the start is not counted.
func (pl *place) visits(cell record.Cell) (list []*record.Visit) {
	for i, u := range pl.samples {
		if pl.failed != nil {
			break
		}
		tiny := pl.tiny[i]
		b := record.Batch{N: 1, NS: float64(u.CPU - tiny.CPU), Metrics: map[string]float64{wallUnit: float64(u.Wall - tiny.Wall)}}
		if f := pl.figures; f != nil {
			b.Gas = float64(f.Gas)
			b.Metrics["gas/op"], b.Metrics["B/op"], b.Metrics["allocs/op"] = b.Gas, float64(f.AllocBytes), float64(f.Mallocs)
		}
		if b.NS <= 0 || b.Metrics[wallUnit] <= 0 {
			pl.failed = fmt.Errorf("the size %s takes no longer than the tiny one", pl.size)
		}
		list = append(list, &record.Visit{Cell: cell, Visit: i, Batches: []record.Batch{b}, StartNS: float64(tiny.Wall), PeakBytes: u.Peak})
	}
	if pl.failed != nil {
		return []*record.Visit{{Cell: cell, Failed: pl.failed.Error()}}
	}
	return list
}

// setup prepares the engines. A peer that is not installed is left out, with a message.
func setup(env Env, engines []Engine, list []Program) (ready []Engine, err error) {
	for _, e := range engines {
		if e.Setup != nil {
			if err := e.Setup(env, list); err != nil {
				if !e.Peer {
					return nil, fmt.Errorf("%s: %w", e.Name, err)
				}
				fmt.Fprintf(os.Stderr, "ratio: without %s: %v\n", e.Name, err)
				continue
			}
		}
		ready = append(ready, e)
	}
	return ready, nil
}
