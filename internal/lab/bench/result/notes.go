package result

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/measure"
)

// A rule finds one kind of mistake in figures. Its code never changes: scripts and comments in
// sources use it.
type rule struct {
	code     string
	severity Severity
	name     string // in two or three words
	cure     string
	cell     func(r *Report, row *Row, c *Cell) *found // checks a cell, or nil
	row      func(r *Report, row *Row) *found          // checks a row, or nil
	run      func(r *Report) *found                    // checks the whole run, or nil
}

// found is a rule's finding: one sentence, and the evidence.
type found struct {
	cause    string
	evidence []string
	engines  []string // of a row; nil: all measured ones
	place    string
	severity Severity // empty: the rule's severity
}

// rules is the table of the diagnoses that need figures. Packages proof and benchvet make the
// others, which need the compiler's proof or only the sources.
var rules = []rule{
	{code: "BP06", severity: Warning, name: "loop overhead", cell: loopOverhead,
		cure: "Do more in an iteration, or declare the function with //gyr:bench, whose loop has three instructions."},
	{code: "BP09", severity: Error, name: "too short", cell: tooShort,
		cure: "Measure longer batches (-benchtime), or more work in an iteration."},
	{code: "BP10", severity: Error, name: "b.N ignored", cell: ignoresN,
		cure: "Write the loop as for b.Loop() { ... }."},
	{code: "BP12", severity: Warning, name: "setup within the time", row: setupTimed,
		cure: "Use b.Loop, which leaves out what comes before it, or call b.ResetTimer once behind the setup. Exact figures are without it."},
	{code: "BP12", severity: Warning, name: "timer stopped for little", cell: stopsOften,
		cure: "Make what the iterations need beforehand, for all of them or for many at a time, and time them together."},
	{code: "BP13", severity: Warning, name: "state grows", cell: stateGrows,
		cure: "Begin every iteration from the same state, of a size that does not depend on b.N."},
	{code: "BP14", severity: Warning, name: "collector dominates", cell: collectorDominates,
		cure: "Compare allocations instead of times, or measure with the live heap of the real program (-live)."},
	{code: "BP15", severity: Warning, name: "several modes", cell: severalModes,
		cure: "Look at the series of batches for what alternates; one number does not describe it."},
	{code: "BP16", severity: Warning, name: "too noisy", cell: tooNoisy,
		cure: "Close what else runs, or take more visits (-count, -thorough)."},
	{code: "BP17", severity: Warning, name: "not steady", cell: notSteady,
		cure: "Look at the series of batches; a median of what changes describes no part of it."},
	{code: "BP20", severity: Error, name: "results differ", row: resultsDiffer,
		cure: "Compare what it prints in both engines: they do different work."},
	{code: "BP21", severity: Error, name: "implausible rate", cell: implausibleRate,
		cure: "Check SetBytes, and that the data are touched at all."},
	{code: "BP23", severity: Warning, name: "loaded machine", run: loadedMachine,
		cure: "Close what else runs, or believe differences alone, which were taken in turns."},
	{code: "BP26", severity: Info, name: "gas mispriced", cell: mispriced,
		cure: "Its operations cost more time for their gas than others here do; 'gyr disasm -ir' shows the charges."},
	{code: "BP27", severity: Warning, name: "state remembered", cell: stateRemembered,
		cure: "If the first time is what counts, make the state anew in every iteration; else make it before the loop."},
	{code: "BP28", severity: Warning, name: "machine drifted", run: machineDrifted,
		cure: "Measure again when the machine is cool and idle; comparisons are of pairs and less affected."},
	{code: "BP29", severity: Warning, name: "drifting", cell: drifting,
		cure: "Look at what is left behind between processes: files, caches of the system, a service that it talks to."},
	{code: "BP33", severity: Warning, name: "clock read each time", cell: readsClock,
		cure: "Leave the time to b, or read the clock around many iterations."},
	{code: "BP30", severity: Info, name: "rare collections", cell: rareCollections,
		cure: "Look at p95 and the maximum too (-v), or let batches be longer (-benchtime)."},
}

// of is the severity of a finding.
func (ru *rule) of(f *found) Severity { return cmp.Or(f.severity, ru.severity) }

// A Code is a diagnosis of this package, for the documentation.
type Code struct {
	Code     string
	Severity Severity
	Title    string
	Cure     string
}

// Codes lists the diagnoses that need figures.
func Codes() (list []Code) {
	for i := range rules {
		list = append(list, Code{rules[i].code, rules[i].severity, rules[i].name, rules[i].cure})
	}
	return list
}

// diagnose makes the notes of a report.
func (r *Report) diagnose() {
	add := func(ru *rule, f *found, row *Row, engines []string) {
		n := &Note{Code: ru.code, Severity: ru.of(f), Cause: f.cause, Cure: ru.cure, Evidence: f.evidence, Engines: engines, Place: f.place}
		if row != nil {
			n.Bench = row.Bench.Key
		}
		r.note(n)
	}
	r.Rows(func(row *Row) { r.given(row) })
	for _, entry := range rules {
		ru := &entry
		if ru.run != nil {
			if f := ru.run(r); f != nil {
				add(ru, f, nil, nil)
			}
		}
		r.Rows(func(row *Row) {
			if slices.Contains(row.Bench.Ignore, ru.code) {
				return
			}
			if ru.row != nil {
				if f := ru.row(r, row); f != nil {
					add(ru, f, row, f.engines)
				}
			}
			if ru.cell == nil {
				return
			}
			// One note for all engines with the same finding, in the words of the worst.
			var worst *found
			var engines []string
			for _, c := range row.Cells {
				if !measured(c) {
					continue
				}
				if f := ru.cell(r, row, c); f != nil {
					if worst == nil || rank(ru.of(f)) < rank(ru.of(worst)) {
						worst = f
					}
					engines = append(engines, c.Engine)
				}
			}
			if worst != nil {
				add(ru, worst, row, engines)
			}
		})
	}
	slices.SortStableFunc(r.Notes, func(a, b *Note) int { return rank(a.Severity) - rank(b.Severity) })
	for i, n := range r.Notes {
		n.Number = i + 1
	}
	r.Rows(func(row *Row) {
		for _, c := range row.Cells {
			if c == nil {
				continue
			}
			c.Notes = nil
			for _, n := range r.Notes {
				if n.Bench == row.Bench.Key && (len(n.Engines) == 0 || slices.Contains(n.Engines, c.Engine)) {
					c.Notes = append(c.Notes, n.Number)
				}
			}
		}
	})
}

func rank(s Severity) int { return slices.Index([]Severity{Error, Warning, Info}, s) }

// note adds a note, unless a note with the same code is about the same cells.
func (r *Report) note(n *Note) {
	for _, o := range r.Notes {
		if o.Code == n.Code && o.Bench == n.Bench {
			if len(o.Engines) == 0 || len(n.Engines) == 0 { // one of them is about all engines
				o.Engines = nil
				return
			}
			for _, e := range n.Engines {
				if !slices.Contains(o.Engines, e) {
					o.Engines = append(o.Engines, e)
				}
			}
			return
		}
	}
	r.Notes = append(r.Notes, n)
}

// given adds the record's own diagnoses, of the sources and of the compiler's proof.
func (r *Report) given(row *Row) {
	for _, s := range r.Record.Statics {
		if s.Bench != row.Bench.Key || slices.Contains(row.Bench.Ignore, s.Code) {
			continue
		}
		n := &Note{Code: s.Code, Severity: Severity(s.Severity), Bench: s.Bench, Cause: s.Text, Cure: s.Cure, Place: s.Place}
		if s.Engine != "" {
			n.Engines = []string{s.Engine}
		}
		if n.Severity == "" {
			n.Severity = Warning
		}
		r.note(n)
	}
}

// has reports whether a row already has one of these notes.
func (r *Report) has(row *Row, codes ...string) bool {
	return slices.ContainsFunc(r.Notes, func(n *Note) bool { return n.Bench == row.Bench.Key && slices.Contains(codes, n.Code) })
}

// percent prints a part for people.
func percent(x float64) string { return fmt.Sprintf("%.3g %%", 100*x) }

// Shares of the loop itself in the loop's instructions from which on there is a note, and a
// warning. With a warning the figure is as much the loop's as the benchmark's.
const (
	overheadShare = 0.2
	overheadHalf  = 0.45
)

func loopOverhead(r *Report, row *Row, c *Cell) *found {
	p := c.Proof
	// If iterations are not what b.N counts, or the time is not theirs, the share means something
	// else.
	if p == nil || p.Unknown != "" || p.Left == 0 || p.Calls > 0 || p.Allocs > 0 || r.has(row, "BP01", "BP02", "BP03", "BP04", "BP10", "BP12") {
		return nil
	}
	// An operation is about an instruction; only all instructions are counted exactly.
	all := c.PerOp["instructions/op"]
	share := float64(p.Overhead) / all
	if !(all > 0) || share < overheadShare || share > 1 || row.Bench.Declared {
		return nil
	}
	f := &found{cause: fmt.Sprintf("Of the %.3g instructions of an iteration, about %d are the loop's own: its counter, its poll and its gas.",
		all, p.Overhead)}
	if share < overheadHalf {
		f.severity = Info
	}
	return f
}

// shortBatch is the least length of a batch: a thousand steps of a clock of 100 ns.
const shortBatch = 100e3

// shortIteration is less time than any iteration takes: a loop's branch takes one cycle.
const shortIteration = 0.15

// shortGas is less gas than 100 microseconds of computing take, and more than the readings around a
// batch.
const shortGas = 100e3

// tooShort is for information alone on a loaded machine, unless gas shows that the batches are short:
// there a calibration may end too early.
func tooShort(r *Report, row *Row, c *Cell) *found {
	// Other load on the machine may have interrupted the longest batches.
	var batches, gas []float64
	for _, v := range c.Raw {
		for i := range v.Batches {
			batches, gas = append(batches, v.Batches[i].NS), append(gas, v.Batches[i].Gas)
		}
	}
	severity := r.byTime()
	if work := measure.Median(gas); work > 0 && work < shortGas {
		severity = ""
	}
	switch half := measure.Median(batches); {
	case half < shortBatch:
		return &found{cause: fmt.Sprintf("Half of its batches last %s or less, which the clock cannot measure.", duration(half)), severity: severity}
	case ignoresN(r, row, c) != nil: // then the time is not that of one iteration
		return nil
	case c.NS.Value < shortIteration:
		return &found{cause: fmt.Sprintf("An iteration takes %s, less than a processor's cycle: nothing is left in it.", duration(c.NS.Value)), severity: severity}
	}
	return nil
}

// duration prints a time with a unit, for sentences.
func duration(ns float64) string {
	for _, u := range []struct {
		name string
		ns   float64
	}{{"s", 1e9}, {"ms", 1e6}, {"us", 1e3}, {"ns", 1}} {
		if ns >= u.ns {
			return fmt.Sprintf("%.3g %s", ns/u.ns, u.name)
		}
	}
	return fmt.Sprintf("%.3g ps", ns*1e3)
}

// manyIterations is a number of iterations that cannot take as little time as a few.
const manyIterations = 1e9

func ignoresN(r *Report, row *Row, c *Cell) *found {
	n := 0
	for _, x := range r.Record.Calibrate {
		if x.Bench == row.Bench.Key && x.Engine == c.Engine {
			n = x.N
		}
	}
	longest := 0.0
	for _, v := range c.Raw {
		for i := range v.Batches {
			longest = math.Max(longest, v.Batches[i].NS)
		}
	}
	if n >= manyIterations && longest < math.Max(float64(r.Record.Run.Plan.BatchNS), shortIteration*manyIterations) {
		return &found{cause: fmt.Sprintf("It takes %s however many iterations are asked for, so the number of iterations means nothing.", duration(longest))}
	}
	// No iteration takes less than a unit of gas. A setup within the time also makes one iteration as
	// dear as many.
	if gas, mean := c.gas(), c.meanGas(); c.Count != nil && c.Count.N >= 10 && c.Count.Failed == "" && mean > 0 && gas < 1 && gas*10 < mean &&
		c.Count.First["gas/op"] > 0.9*mean*float64(c.Count.N) {
		return &found{cause: fmt.Sprintf("%d iterations take as much gas as one.", 2*c.Count.N)}
	}
	return nil
}

// setupShare is the share of a batch that does not grow with its iterations from which on there is
// a note. Calibration knows it from single readings, so by times alone it must be larger.
const (
	setupShare       = 0.05
	setupShareByTime = 0.25
)

// setupTimed finds a part of the time that does not grow with the iterations, where the source times
// something before the loop. Else such a part belongs to the first iteration, which BP27 looks at.
func setupTimed(r *Report, row *Row) *found {
	if hinted(row, record.HintSetup) == "" || r.has(row, "BP10", "BP11", "BP12") {
		return nil
	}
	var worst *found
	most := 0.0
	for _, c := range row.Cells {
		if !measured(c) || len(c.Raw) == 0 || len(c.Raw[0].Batches) == 0 {
			continue
		}
		n := float64(c.Raw[0].Batches[0].N)
		if gas := c.gas(); gas > 0 && c.meanGas() > 0 {
			fixed := (c.meanGas() - gas) * float64(c.Count.N)
			if share := fixed / (fixed + n*gas); share > math.Max(most, setupShare) {
				most = share
				worst = &found{cause: fmt.Sprintf("What stands before the loop is timed, and is %s of a batch of %.0f iterations: it takes %.3g units of gas, an iteration %.4g.",
					percent(share), n, fixed, gas)}
			}
			continue
		}
		for _, x := range r.Record.Calibrate {
			if x.Bench != row.Bench.Key || x.Engine != c.Engine || worst != nil {
				continue
			}
			if share := x.FixedNS / (n * c.NS.Value); share > setupShareByTime {
				worst = &found{cause: fmt.Sprintf("What stands before the loop is timed, and takes about %s of the %s of a batch of %.0f iterations.",
					duration(x.FixedNS), duration(n*c.NS.Value), n)}
			}
		}
	}
	if worst != nil {
		worst.place = hinted(row, record.HintSetup)
	}
	return worst
}

// hinted are the places of a row's hints of one kind; empty: it has none.
func hinted(row *Row, kind string) string {
	var list []string
	for _, h := range row.Bench.Hints {
		if h.Kind == kind {
			list = append(list, h.Place)
		}
	}
	return strings.Join(list, ", ")
}

// littleToTime is how long an iteration must be so that two readings of the clock are about a
// hundredth of it, and what they make caches forget is little.
const littleToTime = 10e3

func stopsOften(r *Report, row *Row, c *Cell) *found {
	if at := hinted(row, record.HintStop); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration stops the timer, and is timed for %s, of which starting and stopping it is a large part.", duration(c.NS.Value)), place: at}
	}
	return nil
}

func readsClock(r *Report, row *Row, c *Cell) *found {
	if at := hinted(row, record.HintClock); at != "" && c.NS.Value < littleToTime && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("Each iteration reads the clock, which is a large part of the %s that it takes.", duration(c.NS.Value)), place: at}
	}
	return nil
}

// gas is the gas of an iteration; 0: unknown.
func (c *Cell) gas() float64 {
	if c.Count == nil || c.Count.PerOp == nil {
		return 0
	}
	return c.Count.PerOp["gas/op"]
}

// meanGas is the mean gas of the first iterations. Count.N were executed.
func (c *Cell) meanGas() float64 {
	if c.Count == nil || c.Count.Mean == nil {
		return 0
	}
	return c.Count.Mean["gas/op"]
}

// growth is how many times as much gas iterations N+1 to 2N take as 1 to N: 1 if they are alike; 0:
// unknown.
func (c *Cell) growth() float64 {
	if c.Count == nil || c.Count.N < 8 || c.meanGas() <= 0 {
		return 0
	}
	return c.gas() / c.meanGas()
}

// If the work is quadratic in N, the second half takes three times as much as the first; if the
// work grows by a part of itself, a little more. The former is an error: each N has another figure.
const (
	growthOfSize  = 2.2
	growthOfState = 1.05
)

// stateGrows leaves the case to BP11, which reads sources, if b.N is the size.
func stateGrows(r *Report, row *Row, c *Cell) *found {
	g := c.growth()
	if g <= growthOfState || r.has(row, "BP10", "BP11") {
		return nil
	}
	f := &found{cause: fmt.Sprintf("The second %d iterations take %s more gas than the first: something is kept that grows.", c.Count.N, percent(g-1))}
	if g > growthOfSize {
		f.severity = Error
		f.cause = fmt.Sprintf("Iterations get dearer the more there are: %d of them take %.3g times the gas of %d, so the figure is that of one b.N alone.", 2*c.Count.N, 1+g, c.Count.N)
	}
	return f
}

// collectorShare is the share of the time from which on the benchmark measures the collector. A
// benchmark that only allocates spends about a third of its time on collections, and rightly so.
const collectorShare = 0.4

func collectorDominates(r *Report, row *Row, c *Cell) *found {
	if c.GCShare < collectorShare {
		return nil
	}
	return &found{cause: fmt.Sprintf("Collections take %s of its time, and depend on what else lives in the program.", percent(c.GCShare))}
}

func rareCollections(r *Report, row *Row, c *Cell) *found {
	if c.GCBatches == 0 || c.GCBatches >= 1 {
		return nil
	}
	return &found{cause: fmt.Sprintf("There is a collection in %s of the batches, and none in the others.", percent(c.GCBatches))}
}

// Modes are apart by more than this part, and each has at least this share of the batches.
const (
	modesApart = 0.15
	modesShare = 0.2
)

func severalModes(r *Report, row *Row, c *Cell) *found {
	modesOf := func(all []float64, name func(float64) string) string {
		modes := measure.Modes(all, modesApart, modesShare)
		if len(modes) < 2 {
			return ""
		}
		var parts []string
		for _, m := range modes {
			parts = append(parts, fmt.Sprintf("%s at %s", percent(m.Share), name(m.At)))
		}
		return strings.Join(parts, ", ")
	}
	var times []float64
	for _, v := range c.Raw {
		for i := range v.Batches {
			times = append(times, v.Batches[i].PerOp())
		}
	}
	if work := slices.Concat(c.work()...); levels(work) {
		if parts := modesOf(work, gasOf); parts != "" {
			return &found{cause: "The batches do different work: " + parts + "."}
		}
	} else if _, _, yes := scattered(work); yes {
		return nil // BP16 covers this, whatever the times are
	}
	if parts := modesOf(times, duration); parts != "" {
		f := &found{cause: "The times of the batches have several modes: " + parts + ".", severity: r.byTime()}
		if len(c.Raw) < Fewest {
			f.severity = Info // a few batches always have gaps between them
		}
		return f
	}
	return nil
}

// levels reports whether the work of nearly all batches belongs to a mode. Work is exact, so its
// modes are a few values.
func levels(work []float64) bool {
	near := 0
	modes := measure.Modes(work, modesApart, modesShare)
	for _, x := range work {
		if slices.ContainsFunc(modes, func(m measure.Mode) bool { return math.Abs(x-m.At) < 0.02*m.At }) {
			near++
		}
	}
	return 10*near >= 9*len(work) && near > 0
}

// gasOf prints the gas of an iteration, for sentences.
func gasOf(x float64) string { return fmt.Sprintf("%.4g units of gas", x) }

// work is the gas of an iteration in the counted batches of each visit. It separates what a program
// does from the load of the machine: the same work takes the same gas on a loaded machine. nil: the
// engine does not count gas.
func (c *Cell) work() (visits [][]float64) {
	for _, v := range c.Raw {
		var list []float64
		for i := range v.Batches {
			if b := &v.Batches[i]; b.Gas > 0 {
				list = append(list, b.Gas/float64(b.N))
			}
		}
		if len(list) > 0 {
			visits = append(visits, list)
		}
	}
	return visits
}

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

// noisy is the half width of an interval, as a part of the value, from which on the interval is too
// wide.
const noisy = 0.05

// differing is the part by which the quartiles of the batches' work must differ so that no number
// of visits makes their times alike.
const differing = 0.1

// scattered reports whether the work of batches differs by that much, in more than a few levels.
func scattered(work []float64) (lo, hi float64, yes bool) {
	work = slices.Sorted(slices.Values(work))
	lo, hi = measure.Quantile(work, 0.25), measure.Quantile(work, 0.75)
	return lo, hi, len(work) >= 8 && hi-lo > differing*measure.Median(work) && !levels(work)
}

func tooNoisy(r *Report, row *Row, c *Cell) *found {
	if lo, hi, yes := scattered(slices.Concat(c.work()...)); yes && !r.has(row, "BP10") {
		return &found{cause: fmt.Sprintf("The batches do different work: half of them between %s and %s.", gasOf(lo), gasOf(hi))}
	}
	half := (c.NS.Hi - c.NS.Lo) / 2 / c.NS.Value
	if !(half > noisy) {
		return nil
	}
	f := &found{cause: fmt.Sprintf("Its interval is ±%s wide.", percent(half))}
	if r.settled(row, c) {
		f.severity = Info
	}
	return f
}

// settled reports whether all comparisons of a cell are by pairs, which share disturbances, and
// have a verdict.
func (r *Report) settled(row *Row, c *Cell) bool {
	n, open := 0, 0
	see := func(cmp *Comparison) {
		if cmp == nil {
			return
		}
		n++
		if cmp.Verdict == Unresolved || cmp.Verdict == Few {
			open++
		}
	}
	see(c.ToOther)
	see(c.InGroup)
	for _, o := range row.Cells {
		if o != nil && o != c && o.ToOther != nil && o.ToOther.With == c.Engine {
			see(o.ToOther)
		}
	}
	r.Rows(func(o *Row) {
		if x := o.Cell(r, c.Engine); x != nil && x != c && x.InGroup != nil && o.Bench.Group == row.Bench.Group && x.InGroup.With == row.Bench.Name {
			see(x.InGroup)
		}
	})
	return n > 0 && open == 0
}

// A run whose work grows with earlier runs grows in nearly all pairs of batches, and by at least a
// part at the end.
const (
	growing   = 0.9
	growsMore = 0.05
)

func notSteady(r *Report, row *Row, c *Cell) *found {
	slower, visits := 0, c.work()
	for _, list := range visits {
		if tau, _ := measure.Trend(list); tau > growing && list[len(list)-1] > (1+growsMore)*list[0] {
			slower++
		}
	}
	if n := len(visits); n > 0 && slower == n {
		first, last := visits[0][0], visits[0][len(visits[0])-1]
		return &found{cause: fmt.Sprintf("Each batch does more than the one before it in the same process: %s at first, %s at last.", gasOf(first), gasOf(last))}
	}
	switch c.Warmup {
	case Slowing:
		return &found{cause: "It gets slower within a process, batch by batch.", severity: r.byTime()}
	case Unsteady:
		return &found{cause: "Its level changes again and again within a process.", severity: r.byTime()}
	case Inconsistent:
		return &found{cause: "Some processes keep their level, others change it.", severity: Info}
	}
	return nil
}

func resultsDiffer(r *Report, row *Row) *found {
	var engines []string
	results := map[string]bool{}
	for _, c := range row.Cells {
		if c != nil && c.Count != nil && c.Count.Result != "" && c.Failed == "" {
			engines, results[c.Count.Result] = append(engines, c.Engine), true
		}
	}
	if len(results) < 2 {
		return nil
	}
	return &found{cause: "It does not print the same in " + strings.Join(engines, " and ") + ".", engines: engines}
}

// fastMemory is more than one core of any processor moves: 1 TB/s.
const fastMemory = 1e6 // MB/s

func implausibleRate(r *Report, row *Row, c *Cell) *found {
	if rate := c.PerOp["MB/s"]; rate > fastMemory {
		return &found{cause: fmt.Sprintf("It would process %.3g GB/s, more than a core can load.", rate/1e3)}
	}
	return sizeDoesNothing(r, row, c)
}

// At eight times the size anything takes at least fewTimes as much. Gas and a processor's
// instructions do not tell how long bulk operations take. So where they are counted, the time must
// also have grown by less than hardlyTimes. Fewer than fewBytes are moved in a few instructions,
// next to which everything else is large.
const (
	fewTimes    = 1.25
	hardlyTimes = 2
	fewBytes    = 1024
)

// sizeDoesNothing compares the largest with the smallest of benchmarks that differ in one number of
// their names.
func sizeDoesNothing(r *Report, row *Row, c *Cell) *found {
	var smallest *Cell
	most, name, largest := 0.0, "", true
	r.Rows(func(other *Row) {
		o := other.Cell(r, c.Engine)
		if other == row || other.Bench.Package != row.Bench.Package || other.Bench.Func != row.Bench.Func || !measured(o) {
			return
		}
		if more, _ := sizeFactor(row.Bench, other.Bench); more > 1 {
			largest = false
		}
		if factor, by := sizeFactor(other.Bench, row.Bench); factor > most && o.PerOp["MB/s"] > 0 {
			smallest, most, name = o, factor, by
		}
	})
	if !largest || most < 8 || c.bytes() < fewBytes {
		return nil
	}
	times := c.NS.Value / smallest.NS.Value
	if a, b := smallest.gas(), c.gas(); a > 0 && b > 0 {
		ratio := math.Max(b/a, math.Max(grew(smallest, c, "instructions/op"), grew(smallest, c, "ops/op")))
		if ratio < fewTimes && times < hardlyTimes {
			return &found{cause: fmt.Sprintf("With %s times the %s it takes %.2f times the gas.", trim(most), name, b/a)}
		}
		return nil
	}
	if times < fewTimes {
		return &found{cause: fmt.Sprintf("With %s times the %s it takes %.2f times as long.", trim(most), name, times), severity: r.byTime()}
	}
	return nil
}

// bytes are the bytes of an iteration, as the benchmark says; 0: it does not say. They come from
// the batch in which other programs took the least time.
func (c *Cell) bytes() (n float64) {
	if c.Bench.Bytes > 0 {
		return float64(c.Bench.Bytes)
	}
	for _, v := range c.Raw {
		for i := range v.Batches {
			b := &v.Batches[i]
			n = math.Max(n, b.Metrics["MB/s"]*b.NS/float64(b.N)/1e3)
		}
	}
	return n
}

// grew is how many times as much of a unit the second cell takes; 0: unknown.
func grew(a, b *Cell, unit string) float64 {
	if x := a.PerOp[unit]; x > 0 {
		return b.PerOp[unit] / x
	}
	return 0
}

func trim(x float64) string { return fmt.Sprintf("%.3g", x) }

// sizeFactor is the ratio of the one parameter in which two benchmarks differ; 0: they differ
// otherwise.
func sizeFactor(small, large *record.Bench) (factor float64, name string) {
	if len(small.Params) != len(large.Params) {
		return 0, ""
	}
	for i, p := range small.Params {
		q := large.Params[i]
		if p.Name != q.Name {
			return 0, ""
		}
		if p.Value == q.Value {
			continue
		}
		var a, b float64
		if _, err := fmt.Sscan(p.Value, &a); err != nil || factor != 0 {
			return 0, ""
		}
		if _, err := fmt.Sscan(q.Value, &b); err != nil || a <= 0 {
			return 0, ""
		}
		factor, name = b/a, p.Name
	}
	return factor, name
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

func drifting(r *Report, row *Row, c *Cell) *found {
	var medians []float64
	for _, x := range c.Visits {
		if x > 0 {
			medians = append(medians, x)
		}
	}
	tau, p := measure.Trend(medians)
	if len(medians) < 8 || p > 0.001 || math.Abs(math.Log(medians[len(medians)-1]/medians[0])) < drift {
		return nil
	}
	way := "longer"
	if tau < 0 {
		way = "less"
	}
	f := &found{cause: fmt.Sprintf("Each process takes %s than those before: %s at first, %s at last.", way, duration(medians[0]), duration(medians[len(medians)-1]))}
	var work []float64
	for _, list := range c.work() {
		work = append(work, measure.Median(list))
	}
	if more, _ := measure.Trend(work); more*tau < growing*math.Abs(tau) { // each batch does more, or less
		f.severity = r.byTime()
	}
	return f
}

// mispricedBy is the ratio of a benchmark's time per gas to the report's median from which on there
// is a note.
const mispricedBy = 3

func mispriced(r *Report, row *Row, c *Cell) *found {
	x := c.PerOp["ns/gas"]
	var all []float64
	r.Rows(func(o *Row) {
		if oc := o.Cell(r, c.Engine); measured(oc) && oc.PerOp["ns/gas"] > 0 {
			all = append(all, oc.PerOp["ns/gas"])
		}
	})
	if m := measure.Median(all); len(all) < 5 || !(x > mispricedBy*m) {
		return nil
	}
	return &found{cause: fmt.Sprintf("A unit of its gas takes %.2g ns, %.2g times the usual here.", x, x/measure.Median(all))}
}

// The first iteration differs from the rest if it takes this many times as much, and this much
// more. Less memory than a buffer belongs to variables that the benchmark makes before its loop.
const (
	remembered = 5
	muchWork   = 5000 // gas
	buffer     = 4096 // bytes
)

func stateRemembered(r *Report, row *Row, c *Cell) *found {
	if c.Count == nil || c.Count.Failed != "" || c.Count.N < 2 || c.meanGas() <= 0 || r.has(row, "BP01", "BP10", "BP12") {
		return nil
	}
	dear := func(first, rest float64) bool { return first > remembered*rest && first-rest > muchWork }
	first, again, rest := c.Count.First["gas/op"], c.Count.Again["gas/op"], c.gas()
	allocs, later := c.Count.Again["allocs/op"], c.Count.PerOp["allocs/op"]
	var f *found
	switch {
	case dear(again, rest):
		f = &found{cause: fmt.Sprintf("Whenever it is run, the first iteration takes %.3g units of gas and each of the others %.3g: they find its work done.", again, rest)}
	case dear(first, rest):
		// Tables that a program makes only once are made like that.
		f = &found{cause: fmt.Sprintf("The very first iteration of a process takes %.3g units of gas, each of the others %.3g: something is kept from it.", first, rest),
			severity: Info}
	case c.Count.Again["B/op"] >= buffer && later == 0:
		return &found{cause: fmt.Sprintf("The first iteration allocates %.3g bytes, the others none: the memory is used again, and what it costs is not in B/op.",
			c.Count.Again["B/op"]), severity: Info}
	default:
		return nil
	}
	if allocs > later {
		f.evidence = append(f.evidence, fmt.Sprintf("allocations: %.3g, then %.3g", allocs, later))
	}
	return f
}
