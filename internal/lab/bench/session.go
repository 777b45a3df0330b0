package bench

import (
	"context"

	"github.com/gyrvm/gyr/internal/lab/bench/proof"
	"github.com/gyrvm/gyr/internal/lab/bench/record"
)

// An engine executes the benchmarks of packages, those of one revision.
type engine interface {
	// Label names the engine in tables and in the record.
	Label() string
	// Build compiles the test binary of a package, as far as that is done once.
	Build(ctx context.Context, p *pkg) error
	// Open starts what is measured: a new process, or what makes one for each order.
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
	List    bool    `json:"list,omitempty"` // say which benchmarks there are, run none
	Bench   string  `json:"bench"`          // -test.bench
	N       int     `json:"n"`              // iterations of a batch
	Count   int     `json:"count"`          // batches
	Virtual bool    `json:"virtual"`        // the guest's clock counts gas, and exact figures are taken; natively: allocations alone
	Seconds float64 `json:"seconds"`        // at most so long; 0: an hour

	Prove []*proof.Benchmark `json:"prove,omitempty"` // prove what is left of these, run nothing

	// Profile has the N iterations sampled, and Counted of them counted, instead of timed. Always are functions that are listed in any
	// case.
	Profile bool     `json:"profile,omitempty"`
	Counted int      `json:"counted,omitempty"`
	Always  []string `json:"always,omitempty"`
}

// A reply is what became of an order.
type reply struct {
	Names    []string           `json:"names,omitempty"`
	Batches  []named            `json:"batches,omitempty"`
	Proofs   []proved           `json:"proofs,omitempty"`
	Profile  *record.Profile    `json:"profile,omitempty"`
	Counters map[string]float64 `json:"counters,omitempty"` // of the hardware, an iteration
	Said     string             `json:"said,omitempty"`     // what the benchmarks printed of their own
	// Failed is why the run did not end well: the output of a failed benchmark or the text of a panic. There may be batches
	// of what ran before.
	Failed string `json:"failed,omitempty"`

	StartNS   float64 `json:"start_ns,omitempty"`   // of the process, until the order began
	CompileNS float64 `json:"compile_ns,omitempty"` // of functions, since the process began
	Functions int     `json:"functions,omitempty"`  // compiled since then
	CodeBytes int64   `json:"code_bytes,omitempty"`
	FrontNS   float64 `json:"front_ns,omitempty"` // loading, lowering, optimising
	PeakBytes int64   `json:"peak_bytes,omitempty"`
}

// named is a batch of a benchmark, which may be one of several in an order.
type named struct {
	Name string `json:"name"` // without Benchmark
	record.Batch
	// Exact figures of all N iterations, by unit without "/op"; nil: the engine has none.
	Exact map[string]float64 `json:"exact,omitempty"`
}
