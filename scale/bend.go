package main

// A Result is what a simulation has found at one rate of arrivals.
type Result struct {
	Rate       float64            `json:"rate"`       // arrivals a second
	Throughput float64            `json:"throughput"` // served a second
	P50        float64            `json:"p50_ms"`     // from arrival to commit
	P99        float64            `json:"p99_ms"`
	Use        map[string]float64 `json:"use"` // of each resource, 1: always busy
	// Work counts by name, a second: restored contracts, commits, snapshots, bytes of state.
	Work map[string]float64 `json:"work"`

	mean float64 // latency in seconds
}

// busiest returns the resource that is used most.
func (r *Result) busiest() (name string) {
	for _, n := range resources {
		if r.Use[n] > r.Use[name] {
			name = n
		}
	}
	return name
}

// The resources of all models, the first one wins where two are used equally.
const (
	executor  = "executor"
	checker   = "checker"
	mempool   = "mempool"
	blockRoom = "block"
	workers   = "workers"
	servers   = "servers"
	leader    = "stream leader"
	slots     = "atomic batches"
	turns     = "partitions"
	machine   = "machine"
)

var resources = []string{executor, checker, mempool, blockRoom, machine, workers, servers, leader, slots, turns}

// Names in Result.Work, in microseconds of processors for a transaction or a message.
const (
	processorTime       = "processor µs" // of the executor, or of a worker
	serverProcessorTime = "servers' processor µs"
)

// A Bend says how far a configuration carries.
type Bend struct {
	Capacity float64  `json:"capacity"` // the highest rate found that is served
	Resource string   `json:"resource"` // that is used most when the rate is not served
	Latency  float64  `json:"latency"`  // the first rate of the ladder with three times the P99 of the lowest; 0: none that is served
	Overload float64  `json:"overload"` // served a second when twice the capacity arrives
	Ladder   []Result `json:"ladder"`   // rates, from the lowest on, up to the first that is not served
}

// A rate is served if this part of what arrives is, in the time that counts.
const served = 0.95

// findBend raises the rate by steps until it is not served, and halves the last step a few times.
func findBend(from float64, run func(rate float64) Result) Bend {
	const step, halvings, most = 1.25, 4, 100
	var b Bend
	ok := func(r Result) bool { return r.Throughput >= served*r.Rate }
	for rate := from; len(b.Ladder) < most; rate *= step {
		r := run(rate)
		b.Ladder = append(b.Ladder, r)
		if !ok(r) {
			b.Resource = r.busiest()
			break
		}
		b.Capacity = rate
		if b.Latency == 0 && r.P99 > 3*b.Ladder[0].P99 {
			b.Latency = rate
		}
	}
	if low, high := b.Capacity, b.Ladder[len(b.Ladder)-1].Rate; low > 0 {
		for range halvings {
			if r := run((low + high) / 2); ok(r) {
				low = r.Rate
			} else {
				high = r.Rate
			}
		}
		b.Capacity = low
		b.Overload = run(2 * low).Throughput
	}
	return b
}
