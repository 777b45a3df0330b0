package record

import (
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
)

// Schema is the version of the format that this package writes.
const Schema = 1

// A Run begins a record. It says what was measured, where and how.
type Run struct {
	Schema   int                  `json:"schema"`
	Gyr      string               `json:"gyr"` // version of the tool
	Time     time.Time            `json:"time"`
	Args     []string             `json:"args"`
	Env      *measure.Environment `json:"env"`
	Engines  []string             `json:"engines"` // labels, in column order; the first is the yardstick
	Plan     Plan                 `json:"plan"`
	Revision string               `json:"revision,omitempty"` // of the sources; with "+dirty" if files differ
	Against  string               `json:"against,omitempty"`  // the other revision
	// Unpaired: visits of an engine in two revisions were not taken together. It is not written.
	// Merged records have it.
	Unpaired bool `json:"-"`
}

// A Plan says how much a run measures.
type Plan struct {
	Mode    string `json:"mode"` // quick, default or thorough
	Visits  int    `json:"visits"`
	Batches int    `json:"batches"`  // counted batches of each visit
	BatchNS int64  `json:"batch_ns"` // approximate length of a batch
	// Iterations of a batch, if given. Otherwise a batch has as many as last about BatchNS.
	Iterations int     `json:"iterations,omitempty"`
	Seed       uint64  `json:"seed"`
	Delta      float64 `json:"delta"`      // smaller differences count as none: 0.01 is 1 %
	Precision  float64 `json:"precision"`  // a cell with a narrower interval gets no more visits; 0: always
	LiveBytes  int64   `json:"live_bytes"` // live heap beside the benchmark (-live)
}

// A Bench describes a benchmark.
type Bench struct {
	Key      string `json:"bench"`
	Package  string `json:"package"` // import path
	Name     string `json:"name"`    // without Benchmark: "Sum/n=8"
	Func     string `json:"func"`    // the measured function: "BenchmarkSum", or a declared one's "sum"
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Declared bool   `json:"declared,omitempty"` // by //gyr:bench, not a BenchmarkXxx
	Group    string `json:"group,omitempty"`    // benchmarks of a group are compared with each other; empty: none
	Baseline bool   `json:"baseline,omitempty"` // the other benchmarks of its group are compared with this one
	// Params are the values that a declared benchmark has, or that the name of a sub-benchmark
	// gives: n=8.
	Params []Param  `json:"params,omitempty"`
	Bytes  int64    `json:"bytes,omitempty"`  // processed by an iteration; 0: unknown
	Ignore []string `json:"ignore,omitempty"` // codes of diagnoses that the source says to ignore
	Hints  []Hint   `json:"hints,omitempty"`
}

// A Hint is something that a source shows, and that figures judge.
type Hint struct {
	Kind  string `json:"kind"`
	Place string `json:"place"` // file:line
}

// The kinds of hints.
const (
	HintSetup = "setup" // what may take time stands before the loop, within the time
	HintStop  = "stop"  // every iteration stops the timer
	HintClock = "clock" // every iteration reads the clock
)

// A Param is a named value of a benchmark.
type Param struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// A Cell is a benchmark in an engine. Most lines are about one.
type Cell struct {
	Bench  string `json:"bench"`
	Engine string `json:"engine"`
}

// A Calibration says how many iterations a batch has.
type Calibration struct {
	Cell
	N  int     `json:"n"`
	NS float64 `json:"ns_op"` // of the last reading
	// FixedNS is what a batch takes however many iterations it has: a setup within the time. It is
	// as inexact as one reading.
	FixedNS float64 `json:"fixed_ns,omitempty"`
	// Fixed has what such a batch of native Go allocates, by unit of an iteration: B/op, allocs/op.
	Fixed map[string]float64 `json:"fixed,omitempty"`
}

// A Batch is N iterations that were timed together.
type Batch struct {
	N  int     `json:"n"`
	NS float64 `json:"ns"` // of all iterations; divide by N

	// WaitNS is the part of NS in which the thread was ready to run but others had the processors.
	// The machine caused it, not the benchmark.
	WaitNS float64 `json:"wait_ns,omitempty"`

	// Events in the engine during the batch.
	Gas      float64 `json:"gas,omitempty"`      // of all iterations: equal work takes equal gas, however long it takes
	Compiled int     `json:"compiled,omitempty"` // functions
	GCs      int     `json:"gcs,omitempty"`
	GCNS     float64 `json:"gc_ns,omitempty"`

	Metrics map[string]float64 `json:"metrics,omitempty"` // by unit: MB/s, B/op, allocs/op, and the units of ReportMetric
}

// PerOp is the time of an iteration in nanoseconds, without the time in which others had the
// processor.
func (b *Batch) PerOp() float64 { return b.Counted() / float64(b.N) }

// Counted is the time of a batch without that of others.
func (b *Batch) Counted() float64 { return b.NS - b.WaitNS }

// A Visit is a new process in which a cell was measured.
type Visit struct {
	Cell
	Visit   int     `json:"visit"`          // number of the round, from 0
	Order   int     `json:"order"`          // its place in the whole run, from 0
	Warm    []Batch `json:"warm,omitempty"` // batches before the counted ones, in their order
	Batches []Batch `json:"batches,omitempty"`
	// Larger are counted batches of more iterations, one for each of Batches, of another process. A
	// setup within the time has the same part of both, so their difference is without it.
	Larger    []Batch `json:"larger,omitempty"`
	StartNS   float64 `json:"start_ns,omitempty"`  // until the benchmark began: process, loading, initialisation
	CanaryNS  float64 `json:"canary_ns,omitempty"` // time of a fixed piece of work before the visit: the machine's speed
	Load      float64 `json:"load,omitempty"`
	PeakBytes int64   `json:"peak_bytes,omitempty"` // of the process
	Failed    string  `json:"failed,omitempty"`     // why there are no batches
}

// PerOp are the times of an iteration in the counted batches.
func (v *Visit) PerOp() []float64 {
	list := make([]float64, len(v.Batches))
	for i := range v.Batches {
		list[i] = v.Batches[i].PerOp()
	}
	return list
}

// Slopes are the times of an iteration in pairs of batches of the two sizes: what the larger one
// takes more, for each iteration that it has more. Noise can make one of them negative. They are nil
// if larger batches have no more iterations, and empty if there are none.
func (v *Visit) Slopes() []float64 {
	list := make([]float64, min(len(v.Batches), len(v.Larger)))
	for i := range list {
		small, large := &v.Batches[i], &v.Larger[i]
		more := float64(large.N - small.N)
		if more <= 0 {
			return nil
		}
		list[i] = (large.Counted() - small.Counted()) / more
	}
	return list
}

// A Count has the exact figures of a cell. They are the difference between a run of N iterations
// and one of 2N. First has the rest: what the first iterations cost beyond that. Figures that an
// engine does not have are absent.
type Count struct {
	Cell
	N     int                `json:"n"`
	Mean  map[string]float64 `json:"mean,omitempty"`  // of the first N iterations; PerOp is of the next N
	PerOp map[string]float64 `json:"per_op"`          // by unit: gas/op, instructions/op, ops/op, B/op, allocs/op, exits/op
	First map[string]float64 `json:"first,omitempty"` // of the first iteration alone, by the same units
	// Again is First for another run in the same process, where objects that the program makes once
	// exist already.
	Again  map[string]float64 `json:"again,omitempty"`
	Result string             `json:"result,omitempty"` // what the benchmark printed, as a hash, to compare engines

	// Figures of a process in which nothing had been compiled before, for gyr's engines.
	FirstNS   float64 `json:"first_ns,omitempty"`   // the very first iteration, including the compilation for it
	CompileNS float64 `json:"compile_ns,omitempty"` // compiling all functions that one iteration needs
	CodeBytes int64   `json:"code_bytes,omitempty"`
	Functions int     `json:"functions,omitempty"` // compiled

	Failed string `json:"failed,omitempty"`
}

// Counters are hardware counters per iteration. They are absent where the machine has none.
type Counters struct {
	Cell
	N     int                `json:"n"`
	PerOp map[string]float64 `json:"per_op"` // by unit: cycles/op, hw-instructions/op, branch-misses/op, cache-misses/op
}

// A Gone is an operation of the benchmark that the measured loop no longer executes.
type Gone struct {
	What   string `json:"what"`   // as it was lowered: "new 272 bytes", "call strings.Repeat"
	Place  string `json:"place"`  // file:line
	Pass   string `json:"pass"`   // of the optimiser
	Reason string `json:"reason"` // one of constant, unused, equal, hoisted, scalar, inlined, proved; Why has more
	Why    string `json:"why,omitempty"`
	Class  string `json:"class,omitempty"` // of the operation, in the table of package ir: "allocation", "call", "arithmetic" …
	Work   bool   `json:"work,omitempty"`  // it computes, loads, allocates or calls: not a check or a store
	Level  int    `json:"level,omitempty"` // inlined calls between the loop's body and the operation
}

// A Vanished is a call or an allocation in the lines of the loop's body that the loop no longer
// executes at all. A call includes everything that was inlined for it.
type Vanished struct {
	Kind   string `json:"kind"` // call or allocation
	What   string `json:"what"` // "call strings.Repeat", "new 272 bytes"
	Place  string `json:"place"`
	Reason string `json:"reason"` // the reason of most of its operations, one of Gone's
	// Unread: nothing uses its result: a call's results, or the content of the memory.
	Unread bool `json:"unread,omitempty"`
}

// A Proof says what the compiler left of a benchmark in its measured loop: gyr's in the code that
// the engine native executes, or gc in that of native Go, whose operations are instructions.
type Proof struct {
	Cell
	Func     string   `json:"func"` // the function with the loop
	Place    string   `json:"place"`
	Lowered  int      `json:"lowered"`  // payload operations of the loop as lowered, including the inlined ones; 0: unknown
	Left     int      `json:"left"`     // those that all passes left in the loop
	Calls    int      `json:"calls"`    // calls among the operations left; their own work is not counted here
	Allocs   int      `json:"allocs"`   // allocations among the operations left
	Overhead int      `json:"overhead"` // operations left of the loop itself: counter, poll, gas
	Kept     []string `json:"kept,omitempty"`
	Gone     []Gone   `json:"gone,omitempty"`
	// Work is how many of the operations as lowered compute, load, allocate or call; the others are
	// checks and stores. WorkLeft is how many of them are left and serve more than checks.
	Work     int `json:"work"`
	WorkLeft int `json:"work_left"`
	// Idle is how many of the operations left do no new work: they add a value from before the loop
	// to a variable (x += c), or compare two such values.
	Idle     int        `json:"idle,omitempty"`
	Vanished []Vanished `json:"vanished,omitempty"`
	Unknown  string     `json:"unknown,omitempty"` // why the proof is empty: no loop was found
}

// An Instr is a machine instruction, or an operation of register code, in a listing.
type Instr struct {
	At      int      `json:"at"` // offset from the function's beginning
	Text    string   `json:"text"`
	IR      []string `json:"ir,omitempty"` // operations that begin at this instruction
	File    string   `json:"file,omitempty"`
	Line    int      `json:"line,omitempty"`
	Inlined []string `json:"inlined,omitempty"` // functions that it was inlined from, the innermost first
	Label   string   `json:"label,omitempty"`   // label of this place; jumps name it
	To      string   `json:"to,omitempty"`      // label that it jumps to
	Share   float64  `json:"share"`             // of all samples of the profile, 0 to 1
	Count   float64  `json:"count"`             // executions per iteration; -1: unknown
	Cold    bool     `json:"cold,omitempty"`    // out of line
}

// A Listing is the code of a function.
type Listing struct {
	Func  string  `json:"func"`
	Kind  string  `json:"kind"` // kind of code: native, interp, go
	Share float64 `json:"share"`
	Bytes int     `json:"bytes"`
	Code  []Instr `json:"code"`
	// Source has the source lines of the code, by file.
	Source map[string]map[int]string `json:"source,omitempty"`
}

// A Share is a function's part of a profile.
type Share struct {
	Func  string  `json:"func"`
	Kind  string  `json:"kind"` // guest, runtime, gc, compiler, host, kernel
	Place string  `json:"place,omitempty"`
	Share float64 `json:"share"`
}

// A Stack is a call stack with its samples, the innermost frame first.
type Stack struct {
	Frames  []Frame `json:"frames"`
	Samples float64 `json:"samples"`
}

// A Frame of a stack.
type Frame struct {
	Func string `json:"func"`
	File string `json:"file,omitempty"`
	Line int    `json:"line,omitempty"`
}

// A Profile shows where a separate run spent its time.
type Profile struct {
	Cell
	By       string    `json:"by"` // cycles, cpu-clock, ticks (of the interpreter), blocks, pprof
	Samples  int       `json:"samples"`
	N        int       `json:"n"` // iterations
	Shares   []Share   `json:"shares"`
	Listings []Listing `json:"listings"`
	Stacks   []Stack   `json:"stacks,omitempty"`
	Failed   string    `json:"failed,omitempty"`
}

// A Static is a diagnosis made before anything was measured: from sources alone (gyr bench vet), or
// from the code that the compiler left of a loop.
type Static struct {
	Bench    string `json:"bench"`
	Code     string `json:"code"`               // BP04
	Severity string `json:"severity,omitempty"` // error, warning or info; empty: warning
	Place    string `json:"place,omitempty"`
	Text     string `json:"text"`             // one sentence: the cause
	Cure     string `json:"cure,omitempty"`   // one sentence
	Engine   string `json:"engine,omitempty"` // the engine that it is about; empty: all
}

// An End closes a complete run.
type End struct {
	Time   time.Time `json:"time"`
	Failed int       `json:"failed"` // cells without figures
}
