package main

import (
	"fmt"
	"math"
)

// StreamCosts are what units of a pipeline cost. docs/scale.md says how each is measured.
type StreamCosts struct {
	Call     float64 `json:"call_us"`     // worker: a call of the function, with a thousand keys in its partition
	Message  float64 `json:"message_us"`  // worker: reading a message and publishing one
	Decade   float64 `json:"decade_us"`   // worker: what a call takes more with ten times as many keys
	State    float64 `json:"state_us"`    // worker: a difference by itself
	Commit   float64 `json:"commit_us"`   // worker: publishing a commit
	Page     float64 `json:"page_us"`     // worker: a page that a commit has changed: found, hashed, encoded
	Compact  float64 `json:"compact_ms"`  // worker: compacting a MB of heap
	Snapshot float64 `json:"snapshot_ms"` // worker: a MB of a snapshot, encoded, sent and read back

	StateMB     float64 `json:"state_mb"`      // a partition's state without keys, encoded
	KeyBytes    float64 `json:"key_bytes"`     // what a key adds to it; messages find their keys on pages with as many bytes of each
	PageBytes   float64 `json:"page_bytes"`    // a page with a key that has changed, encoded
	CommitBytes float64 `json:"commit_bytes"`  // a difference by itself
	Alloc       float64 `json:"alloc_bytes"`   // what the function allocates for a message
	Garbage     float64 `json:"garbage_bytes"` // what a message adds to a difference that was not compacted
	HeapBytes   float64 `json:"heap_bytes"`    // memory of a key, garbage included
	WorkerMiB   float64 `json:"worker_mib"`    // memory of a worker
	PartMiB     float64 `json:"partition_mib"` // memory of a partition without keys
	RestoreMS   float64 `json:"restore_ms"`    // worker: going on from a MB of snapshot
	StartMS     float64 `json:"start_ms"`      // worker: its start, and loading the function

	ServerMessage float64 `json:"server_us"`        // servers, all together: a message that is delivered and one that is published
	ServerStore   float64 `json:"store_us"`         // servers: a message of the input that is stored
	ServerCommit  float64 `json:"server_commit_us"` // servers: a commit by itself
	ServerMB      float64 `json:"server_ms"`        // servers: a MB of a commit or snapshot
	Idle          float64 `json:"idle_us"`          // servers: a partition for a second, its consumer and Raft group
	Turn          float64 `json:"turn_us"`          // servers: a worker's turn with the leases, by itself
	List          float64 `json:"list_us"`          // servers: a lease or a worker that a turn lists
	Round         float64 `json:"round_ms"`         // network and Raft, from the end of a server's work to the worker's next batch
}

// A Stream is a configuration: a pipeline of workers and partitions, and three servers.
type Stream struct {
	Keys       int     `json:"keys"`
	Workers    int     `json:"workers"`
	Partitions int     `json:"partitions"` // 0: four for each worker
	Batch      int     `json:"batch"`
	Snapshots  int     `json:"snapshots"`
	Payload    float64 `json:"payload_kb"` // largest message of the servers
	Lease      float64 `json:"lease_s"`
	Processors int     `json:"processors"` // of each worker, and of each server
	Shared     bool    `json:"shared"`     // one machine with these processors for all
	Stored     bool    `json:"stored"`     // the input is there already
	Memory     float64 `json:"memory_mib"` // limit of a partition
	Seconds    float64 `json:"seconds"`    // that are simulated, and half as much before
	Seed       uint64  `json:"seed"`
}

func (c *Stream) check() error {
	for _, f := range []struct {
		name  string
		value float64
		least float64
	}{
		{"keys", float64(c.Keys), 1}, {"workers", float64(c.Workers), 1}, {"partitions", float64(c.Partitions), 0}, {"batch", float64(c.Batch), 1}, {"snapshots", float64(c.Snapshots), 1},
		{"payload", c.Payload, 8}, {"lease", c.Lease, 0.5}, {"processors", float64(c.Processors), 1}, {"memory", c.Memory, 1}, {"seconds", c.Seconds, 1},
	} {
		if !(f.value >= f.least) || math.IsInf(f.value, 0) {
			return fmt.Errorf("-%s is %v, the least is %v", f.name, f.value, f.least)
		}
	}
	return nil
}

func (c *Stream) partitions() int {
	if c.Partitions == 0 {
		return 4 * c.Workers
	}
	return c.Partitions
}

// pages returns how many pages of keys a batch changes: they are drawn with replacement.
func (c *Stream) pages(u *StreamCosts, batch int) float64 {
	of := max(float64(c.Keys)/float64(c.partitions())*u.KeyBytes/4096, 1)
	return of * (1 - math.Pow(1-1/of, float64(batch)))
}

// difference returns the bytes of a batch's difference and the pages that it takes. messages is how many
// were handled since the last compaction; compacts says that the state is compacted first, as package
// stream does if the gas of that is worth it. What the messages have allocated is in the difference as
// garbage, or as what becomes zero where earlier differences had it.
func (c *Stream) difference(u *StreamCosts, batch, messages int) (bytes, pages float64, compacts bool) {
	garbage := batch
	if compacts = float64(messages)*u.Alloc*gasOfByte > c.heap(u)*gasOfHeap; compacts {
		garbage = messages - batch
	}
	pages = c.pages(u, batch)
	return u.CommitBytes + pages*u.PageBytes + float64(garbage)*u.Garbage, pages + float64(garbage)*u.Garbage/4096, compacts
}

// heap returns the bytes of a partition's heap.
func (c *Stream) heap(u *StreamCosts) float64 {
	return u.PartMiB*(1<<20) + float64(c.Keys)/float64(c.partitions())*u.HeapBytes
}

// state returns the MB of a partition's snapshot.
func (c *Stream) state(u *StreamCosts) float64 {
	return u.StateMB + float64(c.Keys)/float64(c.partitions())*u.KeyBytes/1e6
}

// Limits of JetStream and of package stream.
const (
	replicas    = 3
	mostBatches = 50   // atomic batches of a stream at a time
	commitRoom  = 4096 // bytes that a commit needs beside its difference
	firstWait   = 0.05 // seconds after a commit that the servers had no room for; doubled each time
	longestWait = 2
	gasOfByte   = 50   // what a byte of garbage in a commit is worth
	gasOfHeap   = 0.25 // what compacting a byte of heap takes
)

// run simulates arrivals at a rate.
//
// A message waits in its partition. A partition handles one batch at a time: its worker's processors do
// the calls and encode what has changed, or everything if that does not fit into a message or it is
// time. Then the commit takes one of the stream's atomic batches. The stream's leader does its third of
// the servers' work alone, one commit after the other, the followers do theirs beside it, and the
// network takes its time. Workers look at the leases all the while.
func (c Stream) run(u *StreamCosts, rate float64) Result {
	const us, ms = 1e-6, 1e-3
	s := newSim(c.Seed)
	var own, remote []*station // of workers and servers
	if c.Shared {
		one := s.station(machine, c.Processors)
		for range c.Workers {
			own = append(own, one)
		}
		remote = []*station{one, one, one}
	} else {
		for range c.Workers {
			own = append(own, s.station(workers, c.Processors))
		}
		for range replicas {
			remote = append(remote, s.station(servers, c.Processors))
		}
	}
	lead, batches := s.station(leader, 1), s.station(slots, mostBatches)
	type part struct {
		number  int
		queue   []float64
		busy    bool
		deltas  int
		garbage int // messages since the last compaction
	}
	parts := make([]*part, c.partitions())
	for i := range parts {
		parts[i] = &part{number: i}
	}
	var latencies []float64
	var arrived, done, commits, snapshots, written, refused, ownTime, serverTime float64
	busy := s.station(turns, len(parts))
	decades := math.Log10(max(float64(c.Keys)/float64(len(parts))/1000, 1))
	perMessage := u.ServerMessage
	if !c.Stored {
		perMessage += u.ServerStore
	}
	// onServers gives each server a third of some work, the leader's under a lock.
	onServers := func(lock *station, d float64, done func()) {
		left := replicas
		join := func() {
			if left--; left == 0 {
				done()
			}
		}
		lock.acquire(func() {
			remote[0].serve(d/replicas, func() {
				lock.release()
				join()
			})
		})
		for _, r := range remote[1:] {
			r.serve(d/replicas, join)
		}
	}
	var begin func(p *part)
	begin = func(p *part) {
		if p.busy || len(p.queue) == 0 {
			return
		}
		p.busy = true
		busy.acquire(func() {})
		n := min(len(p.queue), c.Batch)
		batch := p.queue[:n:n]
		p.queue = p.queue[n:]
		p.garbage += n
		bytes, pages, compacts := c.difference(u, n, p.garbage)
		work := (float64(n)*(u.Call+u.Message+u.Decade*decades) + u.State + u.Commit + pages*u.Page) * us
		whole := bytes > c.Payload*1024-commitRoom || p.deltas >= c.Snapshots
		if compacts || whole {
			work += c.heap(u) / 1e6 * u.Compact * ms
			p.garbage = 0
		}
		mb := bytes / 1e6
		if whole {
			mb = c.state(u)
			work += mb * u.Snapshot * ms
			p.deltas = 0
			snapshots++
		} else {
			p.deltas++
		}
		server := ((float64(n)*perMessage+u.ServerCommit)*us + mb*u.ServerMB*ms)
		var publish func(wait float64)
		publish = func(wait float64) {
			if batches.busy == batches.servers {
				refused++
				s.after(wait, func() { publish(min(2*wait, longestWait)) })
				return
			}
			batches.acquire(func() {})
			onServers(lead, server, func() {
				s.after(u.Round*ms, func() {
					batches.release()
					busy.release()
					for _, at := range batch {
						latencies = append(latencies, s.now-at)
					}
					done += float64(n)
					commits++
					ownTime += work
					serverTime += server
					written += mb
					p.busy = false
					begin(p)
				})
			})
		}
		own[p.number%c.Workers].serve(work, func() { publish(firstWait) })
	}
	s.arrivals(rate, func() {
		arrived++
		p := parts[s.rand.IntN(len(parts))]
		p.queue = append(p.queue, s.now)
		begin(p)
	})
	leases := s.station("leases", 1)
	look := (u.Turn + u.List*float64(c.Workers+len(parts))) * us
	for range c.Workers {
		var turn func()
		turn = func() {
			onServers(leases, look, func() { s.after(c.Lease*(0.25+s.rand.Float64()/12), turn) })
		}
		s.after(c.Lease*s.rand.Float64()/4, turn)
	}
	for range parts {
		var heartbeat func()
		heartbeat = func() { onServers(leases, u.Idle*us, func() { s.after(1, heartbeat) }) }
		s.after(s.rand.Float64(), heartbeat)
	}
	s.run(c.Seconds / 2)
	latencies, arrived, done, commits, snapshots, written, refused, ownTime, serverTime = nil, 0, 0, 0, 0, 0, 0, 0, 0
	all := append(append([]*station{lead, batches, busy}, own...), remote...)
	for _, t := range all {
		t.reset()
	}
	s.run(c.Seconds * 3 / 2)
	r := Result{
		Rate: rate, Throughput: done / arrived * rate, P50: quantile(latencies, 0.5) * 1e3, P99: quantile(latencies, 0.99) * 1e3, mean: mean(latencies), Use: map[string]float64{},
		Work: map[string]float64{
			"commits": commits / c.Seconds, "messages of a commit": done / max(commits, 1), "snapshots": snapshots / c.Seconds, "state MB": written / c.Seconds, "refused commits": refused / c.Seconds,
			processorTime: ownTime / max(done, 1) * 1e6, serverProcessorTime: serverTime / max(done, 1) * 1e6,
		},
	}
	for _, t := range all { // of several machines the busiest counts
		r.Use[t.name] = max(r.Use[t.name], t.use(c.Seconds))
	}
	return r
}

// need returns what the configuration takes besides time, by arithmetic alone.
func (c *Stream) need(u *StreamCosts) map[string]float64 {
	w, p := float64(c.Workers), float64(c.partitions())
	of := c.heap(u) / (1 << 20)
	return map[string]float64{
		"memory of a worker MiB": u.WorkerMiB + p/w*of, "heap of a partition MiB": of, "keys that fit into a partition": (c.Memory - u.PartMiB) * (1 << 20) / u.HeapBytes,
		"snapshots MB": p * c.state(u), "taking one worker's partitions s": (u.StartMS + p/w*c.state(u)*u.RestoreMS) / 1e3, "smallest batch that is a snapshot each time": float64(c.largest(u)),
	}
}

// largest returns the smallest batch whose difference does not fit into a message; 0: none.
func (c *Stream) largest(u *StreamCosts) int {
	for n := 1; n <= c.Batch; n++ {
		if bytes, _, _ := c.difference(u, n, n); bytes > c.Payload*1024-commitRoom {
			return n
		}
	}
	return 0
}
