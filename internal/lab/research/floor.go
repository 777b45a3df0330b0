package research

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// A time below which no machine does the work is no gain: the work is not done any more, as with a
// constant for the benchmark's own input. The least work is what must be read of the inputs, which
// the probe finds with the parent's functions (probe/floor.go). Its bytes over the widest loads of
// the machine are the floor. Times far above it, which are most, do not ask for it.

// A floor is what an iteration of a benchmark must read.
type floor struct {
	bytes float64
	reads []string // "hot.Sum 8000"
}

// worthwhile is the part of the parent's time below which a candidate may be under the floor. The
// parent's code is far above it: no code reads as fast as the machine can load.
const worthwhile = 0.7

// belowFloor says which time of a row is too short for its work; empty if none is.
func (s *Session) belowFloor(ctx context.Context, c *subject, stats map[string]ledger.Stat) (string, error) {
	rate, cpus := measure.LoadRate(), runtime.NumCPU()
	if m := c.machine; m != nil {
		rate, cpus = m.Rate, m.Env.CPUs
	}
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		st := stats[m.Name]
		if m.Bench == "" || !m.time() || st.Parent == nil || st.Candidate == nil || *st.Candidate >= worthwhile**st.Parent {
			continue
		}
		if m.Unit == "ns/op" && stopsTimer(filepath.Join(s.parent.wt.Dir, m.Pkg)) {
			continue // what runs beside the time does not bound it
		}
		f, err := s.floorOf(ctx, c, m)
		if err != nil {
			return "", err
		}
		least := f.bytes / rate
		if m.Unit != cpuPerOp {
			least /= float64(cpus) // which may share the work
		}
		if *st.Candidate < least && *st.Parent >= least {
			return fmt.Sprintf("%s is %s ns, but an iteration must read at least %.0f bytes of its input (%s), which takes this machine %s ns or more: the work is not done",
				m.Name, number(*st.Candidate), f.bytes, strings.Join(f.reads, ", "), number(least)), nil
		}
	}
	return "", nil
}

// stopsTimer reports whether a benchmark of a package may leave work out of its time.
func stopsTimer(dir string) bool {
	files, _ := filepath.Glob(filepath.Join(dir, "*_test.go")) // the pattern is valid
	return slices.ContainsFunc(files, func(file string) bool {
		text, err := os.ReadFile(file)
		return err != nil || bytes.Contains(text, []byte(".StopTimer("))
	})
}

// floorOf finds what a benchmark must read, with the parent's code of its package and of the changed
// ones. It is empty if that cannot be found.
func (s *Session) floorOf(ctx context.Context, c *subject, m *Metric) (*floor, error) {
	dirs := []string{filepath.ToSlash(filepath.Clean(m.Pkg))}
	for _, dir := range c.changedDirs() {
		if dir != dirs[0] {
			dirs = append(dirs, dir)
		}
	}
	key := fmt.Sprint(c.parentTree, "|", c.parentSet, "|", m.benchKey(), "|", dirs)
	if f := s.floors[key]; f != nil {
		return f, nil
	}
	f := &floor{}
	if s.floors == nil {
		s.floors = map[string]*floor{}
	}
	s.floors[key] = f
	if err := errors.Join(s.parent.dress(c.parentSet), s.parent.checkout(ctx, c.parentCommit, c.parentTree)); err != nil {
		return nil, err
	}
	user := readSourcePackage(filepath.Join(s.parent.wt.Dir, m.Pkg))
	name := m.Bench
	if !strings.HasPrefix(name, "Benchmark") {
		name = "Benchmark" + name
	}
	for _, dir := range dirs {
		p := user
		if dir != dirs[0] {
			p = readSourcePackage(filepath.Join(s.parent.wt.Dir, dir))
		}
		mod, reason, err := s.moduleOf(ctx, s.parent, dir)
		if err != nil {
			return nil, err
		}
		if reason != "" || p.name == "" || mod.reaches != "" && s.box == nil {
			continue // functions with changed inputs run natively only where they reach nothing
		}
		bin, reason, err := s.probeBinary(ctx, s.parent, p, user, sortedKeys(p.functions), mod, false, false)
		if err != nil {
			return nil, err
		}
		if reason != "" {
			continue
		}
		r, err := s.probeFloor(ctx, bin, name)
		if err != nil {
			return nil, err
		}
		for _, name := range sortedKeys(r.Reads) {
			f.bytes += r.Reads[name]
			f.reads = append(f.reads, fmt.Sprintf("%s.%s %.0f", p.name, name, r.Reads[name]))
		}
	}
	return f, nil
}

// probeFloor runs a benchmark of the parent in the probe, and returns its report, an empty one if
// there is none.
func (s *Session) probeFloor(ctx context.Context, bin *calls, benchmark string) (*probe.Report, error) {
	desk := filepath.Join(s.work, "probe")
	order, report := filepath.Join(desk, "order.json"), filepath.Join(desk, "report.jsonl")
	text, err := json.Marshal(probe.Order{Floor: benchmark})
	if err != nil {
		return nil, err
	}
	if err := errors.Join(os.RemoveAll(desk), os.MkdirAll(desk, 0o777), os.WriteFile(order, text, 0o666)); err != nil {
		return nil, err
	}
	env, name, args := bin.command(s.runner.self, desk, s.parent.settings, map[string]string{probe.OrderFile: order, probe.ReportFile: report}, false)
	if _, err := s.runner.boxed(ctx, s.parent, false, []string{desk}, bin.dir, env, probeTime, name, args...); err != nil {
		return nil, err
	}
	text, _ = readWritten(report) // a process that wrote nothing ended earlier
	r := &probe.Report{}
	if json.Unmarshal(text, r) != nil || r.Name != probe.Floor || r.Stuck {
		return &probe.Report{}, nil
	}
	return r, nil
}
