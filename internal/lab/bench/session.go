package bench

import (
	"context"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// An engine executes the benchmarks of packages in one revision.
type engine interface {
	// Label names the engine in tables and in the record.
	Label() string
	// Build does the part of compiling a package's test binary that is done once.
	Build(ctx context.Context, p *pkg) error
	// Open starts a session: a new process, or a source of one process for each order.
	Open(ctx context.Context, p *pkg) (session, error)
}

// A session runs the test binary of one package. It is used by one goroutine.
type session interface {
	Run(ctx context.Context, o *order) (*reply, error)
	Close() error
}

// A pkg is a package whose benchmarks are measured.
type pkg struct {
	Path string // import path
	Dir  string // absolute

	sources     *sources
	gyr, native extras
}

// An order is one run of a test binary.
type order struct {
	List    bool    `json:"list,omitempty"` // list the benchmarks, run none
	Bench   string  `json:"bench"`          // -test.bench
	N       int     `json:"n"`              // iterations of a batch
	Count   int     `json:"count"`          // batches
	Virtual bool    `json:"virtual"`        // the guest's clock counts gas, and figures are exact; native Go: only allocations
	Seconds float64 `json:"seconds"`        // time limit; 0: an hour

	Prove []*proof.Benchmark `json:"prove,omitempty"` // prove what is left of these, run nothing

	// Profile: sample the N iterations, and count Counted iterations, instead of timing them.
	// Always are functions that are listed in any case.
	Profile bool     `json:"profile,omitempty"`
	Counted int      `json:"counted,omitempty"`
	Always  []string `json:"always,omitempty"`
}

// A reply is the result of an order.
type reply struct {
	Names    []string           `json:"names,omitempty"`
	Batches  []named            `json:"batches,omitempty"`
	Proofs   []proved           `json:"proofs,omitempty"`
	Profile  *record.Profile    `json:"profile,omitempty"`
	Counters map[string]float64 `json:"counters,omitempty"` // of the hardware, per iteration
	Said     string             `json:"said,omitempty"`     // the benchmarks' own output
	// Failed says why the run failed: the output of a failed benchmark, or the text of a panic.
	// Batches may hold what ran before.
	Failed string `json:"failed,omitempty"`

	StartNS   float64 `json:"start_ns,omitempty"`   // of the process, until the order began
	CPUNS     float64 `json:"cpu_ns,omitempty"`     // processor time of the order
	CompileNS float64 `json:"compile_ns,omitempty"` // of functions, since the process began
	Functions int     `json:"functions,omitempty"`  // compiled since then
	CodeBytes int64   `json:"code_bytes,omitempty"`
	PeakBytes int64   `json:"peak_bytes,omitempty"`
}

// named is a batch of a benchmark. An order may have several benchmarks.
type named struct {
	Name string `json:"name"` // without Benchmark
	record.Batch
	// Exact figures of all N iterations, by unit without "/op"; nil: none.
	Exact map[string]float64 `json:"exact,omitempty"`
}
