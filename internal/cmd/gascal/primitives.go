package main

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

//go:embed _guest/*.go
var guestFiles embed.FS

const (
	primitiveMemory = 1 << 30 // of a row's instance
	samples         = 5
	primitiveWindow = 20e6 // shortest duration of a sample, in ns
	plainWindow     = 4e6
	maxExecutions   = 1 << 24
)

// compilePrimitives compiles the guest.
func compilePrimitives() (*gyr.Program, error) {
	dir, err := os.MkdirTemp("", "gascal")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	list, err := guestFiles.ReadDir("_guest")
	if err != nil {
		return nil, err
	}
	var files []string
	for _, f := range list {
		text, err := guestFiles.ReadFile("_guest/" + f.Name())
		if err != nil {
			return nil, err
		}
		name := filepath.Join(dir, f.Name())
		if err := os.WriteFile(name, text, 0o666); err != nil {
			return nil, err
		}
		files = append(files, name)
	}
	return gyr.Compile(context.Background(), gyr.Source{Patterns: files, Exports: true}, nil)
}

// A trial is an instance of the guest.
type trial struct{ in *gyr.Instance }

func newTrial(p *gyr.Program, t gyr.Tier) (trial, error) {
	in, err := p.NewInstance(context.Background(), gyr.Config{Tier: t, Memory: primitiveMemory})
	return trial{in}, err
}

// newRow is newTrial for one row. It executes the row's primitive once.
func newRow(p *gyr.Program, t gyr.Tier, name string) (trial, error) {
	tr, err := newTrial(p, t)
	if err != nil {
		return tr, err
	}
	out, err := tr.in.Call(context.Background(), "Set", name)
	if err == nil && out[0] != true {
		err = errors.New("the guest has no such row")
	}
	if err == nil {
		_, _, err = tr.call("Do", 1)
	}
	if err != nil {
		tr.in.Close()
		return tr, fmt.Errorf("%s: %w", name, err)
	}
	return tr, nil
}

// call calls a function of the guest with a number of executions. It returns the processor time in
// ns, and the gas.
func (tr trial) call(fn string, n int) (ns, units float64, err error) {
	cpu := cpuTime()
	_, s, err := tr.in.CallWith(context.Background(), gyr.CallOptions{}, fn, n)
	return float64(cpuTime() - cpu), float64(s.Gas), err
}

// count returns the charge for n executions.
func (tr trial) count(n int) (float64, error) {
	_, units, err := tr.call("Do", n)
	if err != nil {
		return 0, err
	}
	_, base, err := tr.call("Base", n)
	return max(units-base, 0.01*float64(n)), err
}

// A meter measures in one tier.
type meter struct {
	tier   gyr.Tier
	guest  *gyr.Program
	beside trial // with the plain loop, for rows that have no instance of the guest
	plainN int   // iterations of the plain loop that fill a plainWindow
}

func newMeter(t gyr.Tier) (*meter, error) {
	p, err := compilePrimitives()
	if err != nil {
		return nil, err
	}
	mt := &meter{tier: t, guest: p, plainN: 1 << 10}
	if mt.beside, err = newTrial(p, t); err != nil {
		return nil, err
	}
	for warm := false; ; warm = true { // the first call is without code
		ns, _, err := mt.beside.call("Plain", mt.plainN)
		if err != nil {
			return nil, err
		}
		if ns >= plainWindow && warm {
			return mt, nil
		}
		mt.plainN *= 2
	}
}

func (mt *meter) close() { mt.beside.in.Close() }

// plain measures the current time of a unit of the plain loop, in ns.
func (mt *meter) plain(tr trial) (float64, error) {
	ns, units, err := tr.call("Plain", mt.plainN)
	return ns / units, err
}

// figure makes a figure of a time and of the plain loop measured now; nil if one is no time.
func (mt *meter) figure(ns float64) (*figure, error) {
	var plains []float64
	for range samples {
		p, err := mt.plain(mt.beside)
		if err != nil {
			return nil, err
		}
		plains = append(plains, p)
	}
	return newFigure(ns, measure.Median(plains)), nil
}

// newFigure makes a figure; nil if one of its parts is no time.
func newFigure(ns, plain float64) *figure {
	if !(ns > 0 && plain > 0) || math.IsInf(ns, 0) || math.IsInf(plain, 0) {
		return nil
	}
	return &figure{ns, plain}
}

// row makes a row with its figure in this tier.
func (mt *meter) row(name string, units float64, f *figure) row {
	r := row{Name: name, Gas: max(units, 0.01)}
	if mt.tier == gyr.TierNative {
		r.Native = f
	} else {
		r.Interp = f
	}
	if *verbose {
		fmt.Fprintf(os.Stderr, "%s: %s: %s ns, %.2f units, %s plain loops\n", mt.tier, name, r.ns(mt.tier), r.Gas, r.loopsText(mt.tier))
	}
	return r
}

// measurePrimitives measures the rows of the guest whose names match.
func (mt *meter) measurePrimitives(re *regexp.Regexp) ([]row, error) {
	out, err := mt.beside.in.Call(context.Background(), "Rows")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, name := range out[0].([]string) {
		if !re.MatchString(name) {
			continue
		}
		r, err := mt.measurePrimitive(name)
		if err != nil { // one row that fails must not lose the figures of all others
			fmt.Fprintln(os.Stderr, "gascal:", err)
			r = mt.row(name, 0, nil)
		}
		rows = append(rows, r)
	}
	return rows, nil
}

func (mt *meter) measurePrimitive(name string) (r row, err error) {
	n, err := mt.executions(name)
	if err != nil {
		return r, err
	}
	tr, err := newRow(mt.guest, mt.tier, name)
	if err != nil {
		return r, err
	}
	defer tr.in.Close()
	var times, plains []float64
	counted := 0.0
	for i := range samples {
		p, err := mt.plain(tr)
		if err != nil {
			return r, err
		}
		ns, units, err := tr.call("Do", n)
		if err != nil {
			return r, fmt.Errorf("%s: %w", name, err)
		}
		base, baseUnits, err := tr.call("Base", n)
		if err != nil {
			return r, err
		}
		if i == 0 {
			counted = max(units-baseUnits, 0.01*float64(n)) // as in recountPrimitive
		}
		times, plains = append(times, (ns-base)/float64(n)), append(plains, p)
	}
	r = mt.row(name, counted/float64(n), newFigure(measure.Median(times), measure.Median(plains)))
	r.N = n
	return r, nil
}

// executions determines how many executions a sample needs.
func (mt *meter) executions(name string) (int, error) {
	tr, err := newRow(mt.guest, mt.tier, name)
	if err != nil {
		return 0, err
	}
	defer tr.in.Close()
	for n := 1; ; {
		ns, _, err := tr.call("Do", n)
		if err != nil {
			return 0, fmt.Errorf("%s: %w", name, err)
		}
		if ns >= primitiveWindow || n >= maxExecutions {
			return n, nil
		}
		n = min(maxExecutions, max(2*n, min(16*n, int(1.2*primitiveWindow/max(ns, 1)*float64(n)))))
	}
}

// recountPrimitive counts the gas of a row again, over as many executions as before.
func recountPrimitive(p *gyr.Program, r *row) error {
	tr, err := newRow(p, gyr.TierAuto, r.Name)
	if err != nil {
		return err
	}
	defer tr.in.Close()
	n := max(r.N, 1)
	units, err := tr.count(n)
	if err != nil {
		return fmt.Errorf("%s: %w", r.Name, err)
	}
	r.Gas = units / float64(n)
	return nil
}

// primitiveNames returns the rows of the guest.
func primitiveNames(p *gyr.Program) ([]string, error) {
	tr, err := newTrial(p, gyr.TierAuto)
	if err != nil {
		return nil, err
	}
	defer tr.in.Close()
	out, err := tr.in.Call(context.Background(), "Rows")
	if err != nil {
		return nil, err
	}
	return slices.Clone(out[0].([]string)), nil
}
