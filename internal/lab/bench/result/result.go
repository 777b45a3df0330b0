// Package result turns a record into a report: estimates with intervals (of.go), comparisons with
// verdicts (compare.go) and diagnoses (notes.go, with the table of all). The diagnoses are in files by
// subject: setup.go (what else is timed, and is taken off), iteration.go (what an iteration is),
// spread.go (how batches differ), rate.go (bytes and gas a second) and machine.go. merge.go makes one
// record of two, to compare a run with an older one. The package measures nothing and prints nothing.
// Of depends on the record alone, so the same record always gives the same report.
package result

import (
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Report is the content of all outputs.
type Report struct {
	Record  *record.Record
	Engines []string // labels, in the order of the columns; the first is the yardstick
	Tables  []*Table
	Notes   []*Note // in the order of their numbers
	Means   []Mean  // ratios of an engine to the yardstick, over rows with both
}

// A Table holds the benchmarks of a package.
type Table struct {
	Package string
	Rows    []*Row
}

// A Row is a benchmark in all engines.
type Row struct {
	Bench *record.Bench
	Cells []*Cell // one for each engine; nil: not measured
	// Fastest: the fastest of its group in the yardstick's column, shown to be faster than all
	// others, or alone.
	Fastest bool
	// BreakEven is how many iterations machine code needs, its compilation included, to be ahead of
	// the interpreter. It is 0 if it never is, or if one of the tiers was not measured.
	BreakEven float64

	setup *timedSetup // nil: none within its time
}

// A Cell holds the figures of a benchmark in an engine.
type Cell struct {
	Bench  *record.Bench
	Engine string
	NS     Interval  // nanoseconds per iteration: median of the visits
	Visits []float64 // median of the batches of each visit, by round; NaN: failed
	// WithoutSetup: a setup within the time is taken off. Then NS, Visits and the quantiles are of
	// pairs of batches (Samples).
	WithoutSetup bool

	P50 float64 // of all batches, nanoseconds per iteration
	P95 float64
	Max float64
	// GCShare is the part of the time spent in collections, GCBatches the part of the batches with
	// a collection.
	GCShare   float64
	GCBatches float64
	Warmup    Warmup
	CompileNS float64 // median of the visits
	CodeBytes int64
	FirstNS   float64            // of the first iteration, median of the visits
	PerOp     map[string]float64 // exact figures and metrics by unit: gas/op, instructions/op, B/op, allocs/op, MB/s, ns/gas …
	InGroup   *Comparison        // with its group's baseline in the same engine; nil: it is the baseline, or none
	ToOther   *Comparison        // with the cell of the same row in the engine that Report.Other names; nil: none
	Notes     []int              // numbers of the notes about this cell
	Failed    string             // why there are no figures
	Raw       []*record.Visit    // by round
	Count     *record.Count      // nil: none
	Proof     *record.Proof
	Profile   *record.Profile
	Counters  *record.Counters
}

// An Interval is an estimate with the ends of its interval at 95 %. The ends are NaN with too few
// visits.
type Interval struct {
	Value  float64
	Lo, Hi float64
}

// Warmup says how the time of an iteration went on in the visits of a cell.
type Warmup string

const (
	Flat         Warmup = "flat"     // steady from the first counted batch
	Warming      Warmup = "warm-up"  // became faster, then steady
	Slowing      Warmup = "slowdown" // became slower
	Unsteady     Warmup = "no steady state"
	Inconsistent Warmup = "inconsistent" // the visits differ
)

// A Verdict is the outcome of a comparison.
type Verdict string

const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	Same       Verdict = "same"       // within ±delta
	Unresolved Verdict = "unresolved" // neither; Comparison.Visible says which difference would have been seen
	Few        Verdict = "too few visits"
)

// A Comparison compares a cell with another one, by pairs of visits.
type Comparison struct {
	With    string  // the other side: a benchmark's name, or an engine's label
	Ratio   float64 // of the cell's time to the other's: above 1 is slower
	Lo, Hi  float64 // ends of the interval at 95 %, corrected for all comparisons of the report (Holm)
	P       float64 // two-sided, corrected likewise
	U       float64 // p-value of the test of Mann and Whitney, as benchstat computes it, not corrected
	N       int     // pairs
	Verdict Verdict
	Delta   float64 // differences below this part count as none
	Visible float64 // the least difference that this many pairs can show, as a part
}

// A Severity is the severity of a note.
type Severity string

const (
	Error   Severity = "error"   // the figure does not mean what it says
	Warning Severity = "warning" // the conclusion may be different
	Info    Severity = "info"
)

// A Note is a diagnosis.
type Note struct {
	Number   int
	Code     string // BP01 …
	Severity Severity
	Bench    string   // key; empty: the whole run
	Engines  []string // of the cells that it is about
	Cause    string   // one sentence
	Cure     string   // one sentence
	Evidence []string // lines that show it
	Place    string   // file:line, if the note is about a place
}

// A Mean is the geometric mean of the ratios of an engine.
type Mean struct {
	Engine string
	Of     string // package; empty: all
	Rows   int
	Ratio  float64
}
