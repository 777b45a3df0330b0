package main

import (
	"bytes"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// near fails if a value is further from what is wanted than a part of that.
func near(t *testing.T, what string, got, want, part float64) {
	t.Helper()
	if !(math.Abs(got-want) <= part*want) {
		t.Errorf("%s: %.5g, want %.5g within %.0f %%", what, got, want, 100*part)
	}
}

// TestErlangC: a station with Poisson arrivals and exponential times has the mean wait of M/M/c.
func TestErlangC(t *testing.T) {
	for _, c := range []struct {
		servers int
		load    float64 // of a server
	}{{1, 0.5}, {1, 0.9}, {2, 0.8}, {8, 0.9}} {
		s := newSim(7)
		x := s.station("", c.servers)
		var waits []float64
		s.arrivals(c.load*float64(c.servers), func() {
			at := s.now
			x.acquire(func() {
				waits = append(waits, s.now-at)
				s.after(s.rand.ExpFloat64(), x.release)
			})
		})
		s.run(400_000 / c.load / float64(c.servers))
		// Erlang's formula, by the recursion of the blocking probability.
		offered, blocked := c.load*float64(c.servers), 1.0
		for n := 1; n <= c.servers; n++ {
			blocked = offered * blocked / (float64(n) + offered*blocked)
		}
		delayed := blocked / (1 - c.load*(1-blocked))
		near(t, "wait", mean(waits), delayed/(float64(c.servers)*(1-c.load)), 0.04)
		near(t, "use", x.use(s.now), c.load, 0.01)
	}
}

// TestPollaczek: a pipeline with one partition, batches of one message and costs of messages alone is
// M/D/1.
func TestPollaczek(t *testing.T) {
	c := Stream{Keys: 1, Workers: 1, Partitions: 1, Batch: 1, Snapshots: 1 << 30, Payload: 1024, Lease: 1e9, Processors: 1, Seconds: 1000, Seed: 3}
	u := StreamCosts{Message: 10_000}
	for _, load := range []float64{0.3, 0.6, 0.8} {
		r := c.run(&u, load*100)
		near(t, "latency", r.mean, 0.01*(1+load/(2*(1-load))), 0.03)
		near(t, "use of the worker", r.Use[workers], load, 0.02)
	}
	c.Seconds = 100
	bend := findBend(10, func(rate float64) Result { return c.run(&u, rate) })
	near(t, "capacity", bend.Capacity, 100, 0.03)
	if bend.Resource != workers && bend.Resource != turns {
		t.Error(bend.Resource)
	}
}

// TestBlocks: a transaction waits for half of the time between blocks, and throughput ends with the
// mempool, the room in blocks or the executor, each at the rate that arithmetic has.
func TestBlocks(t *testing.T) {
	c := Chain{Contracts: 1, Live: 1, Block: 1000, Mempool: 1000, Wait: 800, Round: 200, Processors: 2, Seconds: 60, Seed: 5}
	u := ChainCosts{Tx: 10, Block: 50_000}
	near(t, "latency", c.run(&u, 100).mean, 0.5+0.05+0.001, 0.02)
	for _, k := range []struct {
		resource string
		capacity float64
		change   func(c *Chain, u *ChainCosts)
	}{
		{mempool, 1000, func(c *Chain, u *ChainCosts) { c.Block = 5000 }},
		{blockRoom, 1000, func(c *Chain, u *ChainCosts) { c.Mempool = 1 << 20 }},
		{executor, 500, func(c *Chain, u *ChainCosts) {
			u.Tx, u.Verify, c.Block, c.Mempool, c.Round = 1500, 1000, 1<<20, 1<<20, 1
		}},
		{checker, 250, func(c *Chain, u *ChainCosts) { u.Check = 4000 }},
	} {
		c, u := c, u
		k.change(&c, &u)
		b := findBend(50, func(rate float64) Result { return c.run(&u, rate) })
		near(t, k.resource, b.Capacity, k.capacity, 0.05)
		if b.Resource != k.resource {
			t.Errorf("%s: the busiest is %s, %v", k.resource, b.Resource, b.Ladder[len(b.Ladder)-1].Use)
		}
	}
}

// TestRestored: with uniform calls of twice as many contracts as instances stay, half of the calls find
// none; as long as there are enough instances all calls do.
func TestRestored(t *testing.T) {
	c := Chain{Contracts: 200, Live: 100, Block: 1, Mempool: 1000, Wait: 1, Round: 0, Processors: 1, Seconds: 100, Seed: 5}
	r := c.run(&ChainCosts{}, 500)
	near(t, "restored", r.Work["restored"], 250, 0.03)
	c.Live = 200
	if r := c.run(&ChainCosts{}, 500); r.Work["restored"] != 0 {
		t.Error(r.Work)
	}
}

// TestSlots: JetStream's limit of atomic batches refuses commits of more partitions at a time, and of
// no fewer.
func TestSlots(t *testing.T) {
	u := StreamCosts{Commit: 1000, Round: 100}
	for _, k := range []struct {
		partitions int
		refused    bool
	}{{mostBatches, false}, {4 * mostBatches, true}} {
		c := Stream{Keys: 1, Workers: 100, Partitions: k.partitions, Batch: 10, Snapshots: 256, Payload: 1024, Lease: 10, Processors: 2, Seconds: 10, Seed: 1}
		if r := c.run(&u, 20_000); (r.Work["refused commits"] > 0) != k.refused {
			t.Errorf("%d partitions: %v", k.partitions, r.Work)
		}
	}
}

// TestSnapshots: a batch whose difference does not fit into a message writes a snapshot, so that a large
// state carries less with large batches than with small ones.
func TestSnapshots(t *testing.T) {
	u := StreamCosts{Message: 10, KeyBytes: 400, PageBytes: 2700, Alloc: 1e6, HeapBytes: 400, Snapshot: 10}
	c := Stream{Keys: 1_000_000, Workers: 1, Partitions: 8, Batch: 512, Snapshots: 256, Payload: 1024, Lease: 10, Processors: 1, Seconds: 10, Seed: 1}
	n := c.largest(&u)
	if n == 0 || n > 512 {
		t.Fatalf("the smallest batch with a snapshot is %d", n)
	}
	large := c.run(&u, 50_000)
	c.Batch = n - 1
	if c.largest(&u) != 0 {
		t.Errorf("a batch of %d has a snapshot", n-1)
	}
	if small := c.run(&u, 50_000); large.Throughput > small.Throughput/2 {
		t.Errorf("%.0f a second with batches of 512, %.0f of %d", large.Throughput, small.Throughput, n-1)
	}
}

// TestMeasured compares the simulation with what was measured, at the points of testdata/measured.json
// and within the error that each of them names. docs/scale.md has these errors.
func TestMeasured(t *testing.T) {
	text, err := os.ReadFile("testdata/measured.json")
	if err != nil {
		t.Fatal(err)
	}
	var points struct {
		Within float64 // the largest error, as a part of what was measured
		Chain  []struct {
			Contracts, Block, Live int
			CPU                    float64 `json:"cpu_us"` // of a transaction
		}
		State []struct { // a partition by itself
			Keys, Batch int
			Bytes       float64 // of a commit
			CPU         float64 `json:"cpu_us"` // of its calls and state
		}
		Stream []struct {
			Keys, Workers, Batch int
			Worker               float64 `json:"worker_us"` // of a message
			Servers              float64 `json:"servers_us"`
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&points); err != nil {
		t.Fatal(err)
	}
	u, err := readCosts("")
	if err != nil {
		t.Fatal(err)
	}
	compared := 0
	compare := func(point any, what string, got, want float64) {
		t.Helper()
		compared++
		t.Logf("%+v, %s: simulated %.0f, measured %.0f, %+.0f %%", point, what, got, want, 100*(got/want-1))
		if !(got < want*(1+points.Within) && want < got*(1+points.Within)) {
			t.Errorf("%+v: %s is further off than %.0f %%", point, what, 100*points.Within)
		}
	}
	for _, p := range points.Chain {
		c := Chain{Contracts: p.Contracts, Live: p.Live, InTurn: true, Block: p.Block, Mempool: 4 * p.Block, Wait: 1, Processors: 2, Seconds: max(20*float64(p.Block)*p.CPU/1e6, 1), Seed: 1}
		r := c.run(&u.Chain, 2*1e6/p.CPU)
		compare(p, "a transaction", r.Work[processorTime], p.CPU)
	}
	alone := u.Stream
	alone.Message, alone.Commit = 0, 0
	for _, p := range points.State {
		c := Stream{Keys: p.Keys, Workers: 1, Partitions: 1, Batch: p.Batch, Snapshots: 1 << 30, Payload: 1e9, Lease: 1e9, Processors: 1, Seconds: 3, Seed: 1}
		r := c.run(&alone, 60_000)
		compare(p, "bytes", r.Work["state MB"]/r.Work["commits"]*1e6, p.Bytes)
		compare(p, "processor", r.Work[processorTime]*float64(p.Batch), p.CPU)
	}
	for _, p := range points.Stream {
		c := Stream{Keys: p.Keys, Workers: p.Workers, Partitions: 8, Batch: p.Batch, Snapshots: 256, Payload: 1024, Lease: 1, Processors: 2, Shared: true, Stored: true, Seconds: 2, Seed: 1}
		r := c.run(&u.Stream, 60_000)
		compare(p, "worker", r.Work[processorTime], p.Worker)
		compare(p, "servers", r.Work[serverProcessorTime], p.Servers)
	}
	if compared < 20 {
		t.Errorf("%d points", compared)
	}
}

// TestCommand: results are equal each time, and errors name what is wrong.
func TestCommand(t *testing.T) {
	other := filepath.Join(t.TempDir(), "costs.json")
	if err := os.WriteFile(other, []byte(`{"chain": {"tx_ms": 1}}`), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ args, want string }{
		{"", "usage: scale"},
		{"-h", "usage: scale"},
		{"trains", `no model "trains"`},
		{"chain -h", "timeout_commit"},
		{"stream -h", "max_payload"},
		{"chain -contracts ten", `-contracts: "ten" is no number`},
		{"chain -contracts 0", "-contracts is 0, the least is 1"},
		{"chain -wait 0 -round 0", "-wait and -round are 0"},
		{"chain -wait NaN", "-wait is NaN"},
		{"stream -workers 1,0", "-workers is 0, the least is 1"},
		{"stream -from 0", "-from is 0"},
		{"stream extra", `"extra" is no flag`},
		{"stream -lane 5", "-lane"},
		{"chain -costs none.json", "none.json"},
		{"chain -costs " + other, `unknown field "tx_ms"`},
	} {
		var out strings.Builder
		if err := run(strings.Fields(c.args), &out); err != nil {
			out.WriteString(err.Error())
		}
		if !strings.Contains(out.String(), c.want) {
			t.Errorf("scale %s: %q, want %q", c.args, out.String(), c.want)
		}
	}
	for _, args := range []string{"chain -contracts 10,3000 -seconds 5 -from 50", "stream -keys 1000 -workers 2 -seconds 1 -from 5000"} {
		var texts [2]strings.Builder
		for i := range texts {
			if err := run(strings.Fields(args+" -json"), &texts[i]); err != nil {
				t.Fatal(err)
			}
		}
		var reports []Report
		if err := json.Unmarshal([]byte(texts[0].String()), &reports); err != nil || texts[0].String() != texts[1].String() {
			t.Errorf("scale %s: %v; twice: %s and %s", args, err, texts[0].String(), texts[1].String())
		}
		var table strings.Builder
		if err := run(strings.Fields(args+" -ladder"), &table); err != nil {
			t.Fatal(err)
		}
		for _, r := range reports {
			if r.Capacity <= 0 || !strings.Contains(table.String(), number(r.Capacity)) {
				t.Errorf("scale %s: capacity %v is not in\n%s", args, r.Capacity, table.String())
			}
		}
	}
}
