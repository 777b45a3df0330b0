package main

import (
	"fmt"
	"math"
	"sort"
)

// ChainCosts are what units of a chain cost a node. docs/scale.md says how each is measured.
type ChainCosts struct {
	Tx       float64 `json:"tx_us"`       // a call in a block, without its signature
	Verify   float64 `json:"verify_us"`   // parsing a transaction and checking its signature
	Check    float64 `json:"check_us"`    // CheckTx, once for each transaction, and again for each that waits when a block ends
	Contract float64 `json:"contract_us"` // a contract that a block has changed: its root and its pages in the store
	Block    float64 `json:"block_us"`    // a block by itself
	Sync     float64 `json:"sync_ms"`     // waiting for the disk, each block
	Restore  float64 `json:"restore_us"`  // an instance of a contract that has none

	BaseMiB     float64 `json:"base_mib"`     // memory of a node with one program
	ProgramKiB  float64 `json:"program_kib"`  // memory of a further program
	InstanceKiB float64 `json:"instance_kib"` // memory of a contract with an instance
	Mappings    float64 `json:"mappings"`     // of an instance
	RestKB      float64 `json:"rest_kb"`      // state of a contract on disk, where contracts of one program share pages
	SentKB      float64 `json:"sent_kb"`      // state of a contract in a snapshot
	CodeKB      float64 `json:"code_kb"`      // code of a program, in both
	SnapshotUS  float64 `json:"snapshot_us"`  // writing a contract into a snapshot
	SyncUS      float64 `json:"state_sync_us"`
	DeployMS    float64 `json:"deploy_ms"`  // of a program that is new
	DeployUS    float64 `json:"deploy_us"`  // of a program that is known
	StartMS     float64 `json:"compile_ms"` // loading a program from the cache at the first call after a start
	TxKB        float64 `json:"tx_kb"`      // state that a transaction writes
	ContractKB  float64 `json:"contract_kb"`
}

// A Chain is a configuration: contracts that are called, and a node that executes blocks of transactions.
type Chain struct {
	Contracts  int     `json:"contracts"`
	Programs   int     `json:"programs"`   // different ones
	Live       int     `json:"live"`       // instances that stay open between blocks
	Skew       float64 `json:"skew"`       // contract n is called as often as 1/n^skew; 0: all alike
	InTurn     bool    `json:"in_turn"`    // contracts are called one after the other, as gyr-chain bench does
	Block      int     `json:"block"`      // transactions that fit into a block
	Mempool    int     `json:"mempool"`    // transactions that may wait
	Wait       float64 `json:"wait_ms"`    // from one block to the next, at least
	Round      float64 `json:"round_ms"`   // consensus: proposal and votes
	Processors int     `json:"processors"` // of a node
	Seconds    float64 `json:"seconds"`    // that are simulated, and half as much before
	Seed       uint64  `json:"seed"`
}

func (c *Chain) check() error {
	for _, f := range []struct {
		name  string
		value float64
		least float64
	}{
		{"contracts", float64(c.Contracts), 1}, {"programs", float64(c.Programs), 0}, {"live", float64(c.Live), 1}, {"skew", c.Skew, 0}, {"block", float64(c.Block), 1},
		{"mempool", float64(c.Mempool), 1}, {"wait", c.Wait, 0}, {"round", c.Round, 0}, {"processors", float64(c.Processors), 1}, {"seconds", c.Seconds, 1},
	} {
		if !(f.value >= f.least) || math.IsInf(f.value, 0) {
			return fmt.Errorf("-%s is %v, the least is %v", f.name, f.value, f.least)
		}
	}
	if c.Wait+c.Round == 0 {
		return fmt.Errorf("-wait and -round are 0: empty blocks would take no time")
	}
	return nil
}

type transaction struct {
	at       float64
	contract int
}

// run simulates arrivals at a rate.
//
// A transaction passes CheckTx, one after the other, and waits. A block takes what waits, up to its
// room, and one executor executes it: the signatures on all processors, the transactions in turn, then
// the root of each contract that was called. A contract without an instance is restored. After the
// block the contracts that were used last keep theirs. CometBFT begins the next block when the wait is
// over, which runs beside the execution, and what still waits is checked again.
func (c Chain) run(u *ChainCosts, rate float64) Result {
	s := newSim(c.Seed)
	exec, check := s.station(executor, 1), s.station(checker, 1)
	const us, ms = 1e-6, 1e-3
	sums := make([]float64, c.Contracts) // of popularity
	sum := 0.0
	for n := range sums {
		sum += math.Pow(float64(n+1), -c.Skew)
		sums[n] = sum
	}
	var waiting []transaction
	var latencies []float64
	var arrived, done, blocks, filled, full, distinct, restored, kb, cpu float64
	next := 0
	call := func() int {
		if c.InTurn {
			next++
			return next % c.Contracts
		}
		return sort.SearchFloat64s(sums, s.rand.Float64()*sum)
	}
	s.arrivals(rate, func() {
		t := transaction{s.now, call()}
		arrived++
		check.serve(u.Check*us, func() {
			if len(waiting) < c.Mempool {
				waiting = append(waiting, t)
			}
		})
	})
	live := newLRU(c.Live)
	for n := range min(c.Contracts, c.Live) { // the node has run for a while
		live.use(n)
	}
	var block func()
	block = func() {
		n := min(len(waiting), c.Block)
		txs := waiting[:n:n]
		filled += float64(n) / float64(c.Block)
		full += float64(len(waiting)) / float64(c.Mempool)
		blocks++
		changed := map[int]bool{}
		missing := 0
		for _, t := range txs {
			if !changed[t.contract] {
				changed[t.contract] = true
				if !live.has(t.contract) {
					missing++
				}
			}
			live.use(t.contract)
		}
		live.evict()
		alone := (u.Block + float64(n)*u.Tx + float64(len(changed))*u.Contract + float64(missing)*u.Restore) * us
		verify := float64(n) * u.Verify * us
		began := s.now
		exec.serve(alone+verify/float64(c.Processors)+u.Sync*ms, func() {
			// Room in the mempool is made when the block is committed.
			waiting = append([]transaction(nil), waiting[n:]...)
			for _, t := range txs {
				latencies = append(latencies, s.now-t.at)
			}
			done += float64(n)
			distinct += float64(len(changed))
			restored += float64(missing)
			cpu += alone + verify
			kb += float64(n)*u.TxKB + float64(len(changed))*u.ContractKB
			check.serve(float64(len(waiting))*u.Check*us, func() {})
			s.after(max(c.Wait*ms-(s.now-began), 0)+c.Round*ms, block)
		})
	}
	block()
	s.run(c.Seconds / 2)
	latencies, arrived, done, blocks, filled, full, distinct, restored, kb, cpu = nil, 0, 0, 0, 0, 0, 0, 0, 0, 0
	exec.reset()
	check.reset()
	s.run(c.Seconds * 3 / 2)
	return Result{
		Rate: rate, Throughput: done / arrived * rate, P50: quantile(latencies, 0.5) * 1e3, P99: quantile(latencies, 0.99) * 1e3, mean: mean(latencies),
		Use: map[string]float64{executor: exec.use(c.Seconds), checker: check.use(c.Seconds), mempool: full / blocks, blockRoom: filled / blocks},
		Work: map[string]float64{
			"blocks": blocks / c.Seconds, "transactions of a block": done / blocks, "contracts of a block": distinct / blocks, "restored": restored / c.Seconds, "state KB": kb / c.Seconds,
			processorTime: cpu / max(done, 1) * 1e6,
		},
	}
}

// need returns what the configuration takes besides time, by arithmetic alone.
func (c *Chain) need(u *ChainCosts) map[string]float64 {
	programs := min(c.Programs, c.Contracts)
	if programs == 0 {
		programs = c.Contracts
	}
	n, p, live := float64(c.Contracts), float64(programs), float64(min(c.Live, c.Contracts))
	const s = 1e-6
	return map[string]float64{
		"memory MiB": u.BaseMiB + (p-1)*u.ProgramKiB/1024 + live*u.InstanceKiB/1024, "mappings": live * u.Mappings, "state MB": (n*u.RestKB + p*u.CodeKB) / 1e3, "snapshot MB": (n*u.SentKB + p*u.CodeKB) / 1e3,
		"deploying s": p*u.DeployMS/1e3 + (n-p)*u.DeployUS*s, "first calls s": p*u.StartMS/1e3 + n*u.Restore*s, "snapshot s": n * u.SnapshotUS * s, "state sync s": n * u.SyncUS * s,
	}
}

func mean(list []float64) (m float64) {
	for _, x := range list {
		m += x / float64(len(list))
	}
	return m
}

// An lru is the instances of a node: all that a block uses stay until it is committed, then the ones
// used last.
type lru struct {
	most  int
	clock int
	used  map[int]int // by contract
	order []use       // in the order of clocks; old entries of a contract do not count
}

type use struct{ contract, clock int }

func newLRU(most int) *lru { return &lru{most: most, used: map[int]int{}} }

func (l *lru) has(contract int) bool { return l.used[contract] != 0 }

func (l *lru) use(contract int) {
	l.clock++
	l.used[contract] = l.clock
	l.order = append(l.order, use{contract, l.clock})
}

func (l *lru) evict() {
	i := 0
	for ; len(l.used) > l.most; i++ {
		if o := l.order[i]; l.used[o.contract] == o.clock {
			delete(l.used, o.contract)
		}
	}
	l.order = l.order[i:]
}
