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
	Capacity float64  `json:"capacity"` // the most that is served a second, whatever arrives
	Resource string   `json:"resource"` // that is used most then
	Served   float64  `json:"served"`   // the last rate before the first that is not served
	Latency  float64  `json:"latency"`  // the first rate with three times the P99 of the lowest; 0: none that is served
	Overload float64  `json:"overload"` // served a second when twice the capacity arrives
	Ladder   []Result `json:"ladder"`   // rates, from the lowest on, until throughput does not grow any more
}

// findBend raises the rate by steps until throughput has not grown for two of them.
func findBend(from float64, run func(rate float64) Result) Bend {
	const (
		step, most = 1.25, 80
		enough     = 0.95 // a rate is served if this part of what arrives is
		growth     = 1.03
	)
	var b Bend
	all, flat := true, 0
	for rate := from; flat < 2 && len(b.Ladder) < most; rate *= step {
		r := run(rate)
		b.Ladder = append(b.Ladder, r)
		if all = all && r.Throughput >= enough*rate; all {
			b.Served = rate
			if b.Latency == 0 && r.P99 > 3*b.Ladder[0].P99 {
				b.Latency = rate
			}
		}
		flat++
		if r.Throughput > b.Capacity*growth {
			flat = 0
		}
		if r.Throughput > b.Capacity {
			b.Capacity, b.Resource = r.Throughput, r.busiest()
		}
	}
	b.Overload = run(2 * b.Capacity).Throughput
	return b
}
