package ratio

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/tools/process"
)

// A Row is the measurement of a program.
type Row struct {
	Program string  `json:"program"`
	Family  string  `json:"family"`
	BoundNS float64 `json:"bound_ns,omitempty"` // lower bound for the full size; 0: none is known
	Cells   []*Cell `json:"cells"`              // one an engine
}

// A Cell is the measurement of a program in an engine. Times are medians less
// those of the tiny size, in seconds.
type Cell struct {
	Engine    string  `json:"engine"`
	Size      string  `json:"size"`
	Wall      float64 `json:"wall_s"`
	CPU       float64 `json:"cpu_s"`   // user and system, of all threads
	StartWall float64 `json:"start_s"` // of the tiny size
	StartCPU  float64 `json:"start_cpu_s"`
	Peak      int64   `json:"peak_bytes"` // of the process
	BaseWall  float64 `json:"go_s"`       // of native Go at the same size
	BaseCPU   float64 `json:"go_cpu_s"`
	RatioWall float64 `json:"ratio_wall"`
	RatioCPU  float64 `json:"ratio_cpu"`
	Failed    string  `json:"failed,omitempty"`

	*Figures                 // of gyr, of the last run
	Samples  []process.Usage `json:"samples"` // one a round
	Tiny     []process.Usage `json:"tiny_samples"`

	out []byte
}

// runTimeout ends a run that does not end.
const runTimeout = 15 * time.Minute

// run is one run of a program in an engine.
func (e *Engine) run(env Env, p Program, size string) (process.Usage, []byte, *Figures, error) {
	argv := e.Command(env, p, size)
	ctx, cancel := context.WithTimeout(context.Background(), runTimeout)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	var out, errs bytes.Buffer
	cmd.Dir, cmd.Stdout, cmd.Stderr = env.Root, &out, &errs
	u, err := process.Command(cmd)
	if err != nil {
		if ctx.Err() != nil {
			err = fmt.Errorf("more than %v", runTimeout)
		}
		return u, nil, nil, fmt.Errorf("%v: %w: %s", argv, err, excerpt(errs.Bytes()))
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

// excerpt is the beginning of what a failed command said.
func excerpt(b []byte) string {
	s := strings.TrimSpace(string(b))
	if len(s) > 300 {
		s = s[:300] + "…"
	}
	return s
}

// A place is a column of the measurement: an engine at full or at small sizes.
type place struct {
	engine *Engine
	small  bool
	cell   *Cell
}

func (p place) size(prog Program) string {
	if p.small {
		return prog.Small
	}
	return prog.Size
}

// measureRow measures a program in all engines, of which the first is the
// yardstick. allSmall takes the small sizes throughout. failed says what it
// is that makes the measurement as a whole fail.
func measureRow(env Env, p Program, engines []Engine, rounds int, allSmall bool) (row *Row, failed error) {
	row = &Row{Program: p.Name, Family: p.Family}
	var places []place
	base := map[bool]*Cell{} // native Go, by small
	add := func(e *Engine, small bool) *Cell {
		c := &Cell{Engine: e.Name}
		pl := place{e, small, c}
		c.Size = pl.size(p)
		places = append(places, pl)
		return c
	}
	for i := range engines {
		e := &engines[i]
		small := allSmall || e.Slow
		if base[small] == nil {
			base[small] = add(&engines[0], small)
		}
		if i > 0 {
			row.Cells = append(row.Cells, add(e, small))
		} else {
			row.Cells = append(row.Cells, base[small])
		}
	}
	fail := func(pl place, err error) {
		pl.cell.Failed = err.Error()
		if !pl.engine.Peer {
			failed = errors.Join(failed, fmt.Errorf("%s in %s: %w", p.Name, pl.engine.Name, err))
		}
	}
	// What the first run finds in the cache and in the kernel's, all others find too.
	for _, pl := range places {
		if _, _, _, err := pl.engine.run(env, p, p.Tiny); err != nil {
			fail(pl, err)
		}
	}
	for range rounds {
		for _, tiny := range []bool{false, true} {
			for _, pl := range places {
				c := pl.cell
				if c.Failed != "" {
					continue
				}
				size, samples := pl.size(p), &c.Samples
				if tiny {
					size, samples = p.Tiny, &c.Tiny
				}
				u, out, f, err := pl.engine.run(env, p, size)
				if err != nil {
					fail(pl, err)
					continue
				}
				*samples = append(*samples, u)
				if !tiny {
					c.out, c.Figures = out, f
					if want := base[pl.small]; want.Failed == "" && !bytes.Equal(out, want.out) {
						fail(pl, fmt.Errorf("prints %.100q, native Go %.100q", out, want.out))
					}
				}
			}
		}
	}
	for _, pl := range places {
		if pl.cell.Failed == "" {
			pl.cell.sum()
		}
	}
	for _, pl := range places {
		c, b := pl.cell, base[pl.small]
		if c.Failed == "" && b.Failed == "" {
			c.BaseWall, c.BaseCPU = b.Wall, b.CPU
			c.RatioWall, c.RatioCPU = c.Wall/b.Wall, c.CPU/b.CPU
		} else if c.Failed == "" {
			c.Failed = "no yardstick"
		}
	}
	return row, failed
}

// check fails the cells whose times say nothing.
func (r *Row) check() (failed error) {
	for _, c := range r.Cells {
		if c.Failed == "" && min(c.Wall, c.CPU, c.BaseWall, c.BaseCPU) <= 0 {
			c.Failed = fmt.Sprintf("the size %s takes no longer than the tiny one", c.Size)
			failed = errors.Join(failed, fmt.Errorf("%s in %s: %s", r.Program, c.Engine, c.Failed))
		}
	}
	return failed
}

// bound fills in the lower bound.
func (r *Row) bound(p Program, m *measure.Machine) {
	if n, err := strconv.ParseFloat(r.Cells[0].Size, 64); err == nil && p.bound != nil && m != nil {
		r.BoundNS = p.bound(m, n)
	}
}

// sum computes what there is to say from the samples.
func (c *Cell) sum() {
	median := func(us []process.Usage, f func(process.Usage) float64) float64 {
		var xs []float64
		for _, u := range us {
			xs = append(xs, f(u))
		}
		return measure.Median(xs)
	}
	wall := func(u process.Usage) float64 { return u.Wall.Seconds() }
	cpu := func(u process.Usage) float64 { return u.CPU.Seconds() }
	c.StartWall, c.StartCPU = median(c.Tiny, wall), median(c.Tiny, cpu)
	c.Wall, c.CPU = median(c.Samples, wall)-c.StartWall, median(c.Samples, cpu)-c.StartCPU
	c.Peak = int64(median(c.Samples, func(u process.Usage) float64 { return float64(u.Peak) }))
}

// A Mean is the geometric means of the ratios of an engine over some programs.
type Mean struct {
	Engine   string  `json:"engine"`
	Family   string  `json:"family"` // empty: all
	Programs int     `json:"programs"`
	Wall     float64 `json:"ratio_wall"`
	CPU      float64 `json:"ratio_cpu"`
	Most     float64 `json:"ratio_cpu_max"`
}

// means takes the means of every engine but the first over all rows and each
// family, in the order in which families occur.
func means(rows []*Row, engines []Engine) (list []Mean) {
	families := []string{""}
	seen := map[string]bool{}
	for _, r := range rows {
		if !seen[r.Family] {
			seen[r.Family] = true
			families = append(families, r.Family)
		}
	}
	for i := 1; i < len(engines); i++ {
		for _, f := range families {
			m := Mean{Engine: engines[i].Name, Family: f}
			var wall, cpu []float64
			for _, r := range rows {
				if c := r.Cells[i]; c.Failed == "" && (f == "" || r.Family == f) {
					wall, cpu = append(wall, c.RatioWall), append(cpu, c.RatioCPU)
					m.Most = max(m.Most, c.RatioCPU)
				}
			}
			if m.Programs = len(wall); m.Programs > 0 {
				m.Wall, m.CPU = measure.GeoMean(wall), measure.GeoMean(cpu)
			}
			list = append(list, m)
		}
	}
	return list
}

// setup prepares the engines. A peer that is not here is left out, with a word.
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
