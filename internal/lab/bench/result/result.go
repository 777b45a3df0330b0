// Package result says what a record shows: estimates with intervals, comparisons with verdicts, diagnoses. It measures
// nothing and prints nothing; Of depends on nothing but the record, so a report that is made twice is the same.
package result

import (
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// A Report is what all outputs show.
type Report struct {
	Record  *record.Record
	Engines []string // labels, in the order of the columns; the first is the yardstick of the others
	Tables  []*Table
	Notes   []*Note // in the order of their numbers
	Means   []Mean  // of the ratios of an engine to the yardstick, rows with both alone
}

// A Table is the benchmarks of a package.
type Table struct {
	Package string
	Rows    []*Row
}

// A Row is a benchmark in all engines.
type Row struct {
	Bench *record.Bench
	Cells []*Cell // one an engine; nil: not measured
	// Fastest: of its group and of the yardstick's column, and shown to be faster than all others or alone.
	Fastest bool
	// BreakEven is how many iterations the machine code needs to be ahead of the interpreter, its compilation
	// counted; 0: both tiers were not measured, or it never is.
	BreakEven float64
}

// A Cell is what is known of a benchmark in an engine.
type Cell struct {
	Bench  *record.Bench
	Engine string
	NS     Interval  // an iteration, nanoseconds: median of the visits
	Visits []float64 // median of the batches of each visit, by round; NaN: it failed
	P50    float64   // of all batches, nanoseconds an iteration
	P95    float64
	Max    float64
	// GCShare is the part of the time that collections took, GCBatches that of the batches with one.
	GCShare   float64
	GCBatches float64
	Warmup    Warmup
	CompileNS float64 // median of the visits
	CodeBytes int64
	FirstNS   float64            // median: the first iteration
	PerOp     map[string]float64 // exact figures and metrics by unit: gas/op, instructions/op, B/op, allocs/op, MB/s, ns/gas …
	InGroup   *Comparison        // with the baseline of its group in the same engine; nil: it is that, or there is none
	ToOther   *Comparison        // with the cell of the same row in the engine that Report.Other names; nil: there is none
	Notes     []int              // numbers of the notes that are about this cell
	Failed    string             // why there are no figures
	Raw       []*record.Visit    // by round
	Count     *record.Count      // nil: none
	Proof     *record.Proof
	Profile   *record.Profile
	Counters  *record.Counters
}

// An Interval is an estimate with the ends of its interval at 95 %; the ends are NaN if there are too few visits for one.
type Interval struct {
	Value  float64
	Lo, Hi float64
}

// Warmup says how the time of an iteration went on in the visits of a cell.
type Warmup string

const (
	Flat         Warmup = "flat"     // steady from the first batch that counts
	Warming      Warmup = "warm-up"  // became faster, then steady
	Slowing      Warmup = "slowdown" // became slower
	Unsteady     Warmup = "no steady state"
	Inconsistent Warmup = "inconsistent" // the visits differ in this
)

// A Verdict is what a comparison shows.
type Verdict string

const (
	Faster     Verdict = "faster"
	Slower     Verdict = "slower"
	Same       Verdict = "same"       // within ±delta
	Unresolved Verdict = "unresolved" // neither; Comparison.Visible says what could have been seen
	Few        Verdict = "too few visits"
)

// A Comparison is of a cell with another one, by pairs of visits.
type Comparison struct {
	With    string  // what the cell is compared with: a benchmark's name, or an engine's label
	Ratio   float64 // of the cell's time to the other's: above 1 it is slower
	Lo, Hi  float64 // of its interval at 95 %, corrected for all comparisons of the report (Holm)
	P       float64 // two-sided, corrected likewise
	U       float64 // p-value of the test of Mann and Whitney, as benchstat has it, not corrected
	N       int     // pairs
	Verdict Verdict
	Delta   float64 // differences below this part count as none
	Visible float64 // the least difference that this many pairs show, as a part
}

// A Severity of a note.
type Severity string

const (
	Error   Severity = "error"   // the figure does not mean what it says
	Warning Severity = "warning" // the conclusion may be another one
	Info    Severity = "info"
)

// A Note is a diagnosis.
type Note struct {
	Number   int
	Code     string // BP01 …
	Severity Severity
	Bench    string   // key; empty: it is about the whole run
	Engines  []string // of the cells that it is about
	Cause    string   // one sentence
	Cure     string   // one sentence
	Evidence []string // what it was seen by, in lines
	Place    string   // file:line, if it is about a place
}

// A Mean is the geometric mean of the ratios of an engine.
type Mean struct {
	Engine string
	Of     string // package; empty: all
	Rows   int
	Ratio  float64
}
