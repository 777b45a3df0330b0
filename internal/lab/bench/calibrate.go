package bench

import (
	"cmp"
	"context"
	"errors"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/bench/record"
	"github.com/gyrvm/gyr/internal/lab/bench/result"
)

// maxIterations bounds the iterations of a batch, as package testing does.
const maxIterations = 1_000_000_000

// calibrate finds how many iterations fill a batch. The number grows at most tenfold a step. A
// number that seems to be enough counts only if twice as many take longer by enough, too. This tells
// what iterations take from a setup within the time, and a single reading that other load
// interrupted does not end the search too early. Where the source times something before the loop,
// which may take longer at random, more batches are read, and four times as many must agree, too.
//
// Work while the benchmark's timer is stopped fills no batch but takes time. So the search also ends
// when two readings in a row leave no room for that work, or when a setup does.
func (r *runner) calibrate(ctx context.Context, c *cell) error {
	for _, x := range r.Log.Record().Calibrate {
		if x.Cell == c.Cell {
			c.n, c.fixed = x.N, x.Fixed
			return nil
		}
	}
	if c.n = r.Plan.Iterations; c.n > 0 {
		return nil
	}
	s, err := c.engine.Open(ctx, c.pkg)
	if err != nil {
		return r.giveUp(ctx, c, err)
	}
	defer s.Close()
	target := float64(r.Plan.BatchNS)
	n, enough, full := 1, 0, 0
	count, need := 2, 2
	if slices.ContainsFunc(c.bench.Hints, func(h record.Hint) bool { return h.Kind == record.HintSetup }) {
		count, need = 4, 3
	}
	if c.first > 0 && c.first < target {
		n = next(1, c.first, target)
	}
	ns, collections := 0.0, 0.0
	least, leastCPU := math.Inf(1), math.Inf(1)
	before, fixed := 0.0, 0.0        // the reading before, of half as many iterations; what does not grow with them
	var allocated map[string]float64 // the reading before
	var doubled doubling
	for enough < need && full < 2 {
		start := time.Now()
		// The fastest batch counts: the first one touches new memory, which no counted batch will do.
		rep, err := s.Run(ctx, &order{Bench: pattern(c.bench.Name), N: n, Count: count, Seconds: maxVisit})
		if err == nil && rep.Failed != "" {
			err = errors.New(rep.Failed)
		}
		if err == nil && (len(rep.Batches) != count || slices.ContainsFunc(rep.Batches, func(b named) bool { return b.N < 1 })) {
			err = errors.New("it printed no figures")
		}
		if err != nil {
			return r.giveUp(ctx, c, err)
		}
		b := slices.MinFunc(rep.Batches, func(a, b named) int { return cmp.Compare(a.PerOp(), b.PerOp()) })
		ns = b.PerOp() // without the time in which others had the processor, which fills no batch either
		took := ns * float64(b.N)
		timed, timedCPU, gcs, all := 0.0, 0.0, 0, 0
		for i := range rep.Batches {
			x := &rep.Batches[i]
			timed, timedCPU, gcs, all = timed+x.NS, timedCPU+x.Counted(), gcs+x.GCs, all+x.N
		}
		collections = float64(gcs) / float64(all)
		// The time of every run beyond its iterations, such as starting the process, does not grow
		// with their number. Processor time counts: a loaded machine makes every process wait. Work
		// that waits itself, while the timer is stopped, has a wider bound.
		untimed, untimedCPU := float64(time.Since(start))-timed, rep.CPUNS-timedCPU
		least, leastCPU = math.Min(least, untimed), math.Min(leastCPU, untimedCPU)
		most := math.Max(maxUntimed*target, leastUntimed)
		room := min(roomFor(n, untimedCPU-leastCPU, most), roomFor(n, untimed-least, maxWaiting*most))
		if enough >= 1 && b.N == n {
			fixed = math.Max(0, 2*before-took)
			doubled = doubling{n, allocated, b.Exact}
		}
		switch {
		case n >= maxIterations || b.N < n:
			enough++
		case fixed > most:
			enough = need
		case enough >= 1 && before-fixed >= target/2:
			before, allocated, enough = took, b.Exact, enough+1
			if enough < need {
				n = min(2*n, maxIterations)
			}
		case enough == 0 && took-fixed >= target:
			before, allocated, enough, full = took, b.Exact, 1, 0
			n = min(2*n, maxIterations)
		case room <= n:
			enough, full = 0, full+1
		default:
			enough, full = 0, 0
			n = min(room, next(n, took-fixed, target))
		}
	}
	// The last steps overshoot: take as many as fill the batch.
	if more := (ns*float64(n) - fixed) / target; more > 1.5 && n > 1 {
		n = max(1, int(float64(n)/more*1.1))
	}
	c.n = forCollections(n, collections)
	c.fixed = doubled.fixed(c.n)
	return r.Log.Write(&record.Calibration{Cell: c.Cell, N: c.n, NS: ns, FixedNS: fixed, Fixed: c.fixed})
}

// A doubling is what two batches have allocated, one of n iterations and one of half as many.
type doubling struct {
	n           int
	once, twice map[string]float64
}

// fixed is the part of the allocations that twice as many iterations have no more of, if it is more
// than the few that the runtime makes in a batch of n iterations.
func (d doubling) fixed(n int) map[string]float64 {
	fixed := map[string]float64{}
	for unit, x := range d.once {
		part, each := 2*x-d.twice[unit], 2*(d.twice[unit]-x)/float64(d.n)
		if part > runtimeShare*(part+each*float64(n)) {
			fixed[unit+"/op"] = part
		}
	}
	return fixed
}

// runtimeShare bounds the runtime's own part of a batch's allocations.
const runtimeShare = 0.05

// withoutFixed takes the fixed part from what a batch allocates. As in package testing, figures are
// whole numbers.
func (b *named) withoutFixed(fixed map[string]float64) {
	for unit, part := range fixed {
		if all := b.Exact[strings.TrimSuffix(unit, "/op")]; part > 0 {
			b.Metrics[unit] = math.Max(0, math.Floor((all-part)/float64(b.N)+runtimeShare))
		}
	}
}

// manyCollections is the least number of collections in a batch that has any. With one or two, some
// batches would have one more than others, and the times would have two modes. longerForBatches
// bounds how many times longer a batch becomes for that.
const (
	manyCollections  = 5
	longerForBatches = 8
)

// forCollections lengthens batches of n iterations, which have each collections in the mean.
func forCollections(n int, each float64) int {
	have := each * float64(n)
	if have <= 0 || have >= manyCollections {
		return n
	}
	return int(float64(n) * math.Min(longerForBatches, manyCollections/have))
}

// The iterations of a batch may take as much processor time with the timer stopped as maxUntimed
// batches, or leastUntimed nanoseconds, and maxWaiting times as long by the clock. A setup may take
// as long.
const (
	maxUntimed   = 20
	leastUntimed = 0.2e9
	maxWaiting   = 10
)

// roomFor is the largest number of iterations that stay below most if n of them take this long
// while the timer is stopped.
func roomFor(n int, untimed, most float64) int {
	if untimed*maxIterations <= most*float64(n) {
		return maxIterations
	}
	return int(most / untimed * float64(n))
}

// next is the number of iterations to try after n of them took ns.
func next(n int, ns, target float64) int {
	want := math.MaxFloat64
	if ns > 0 {
		want = float64(n) * target / ns * 1.2
	}
	want = math.Min(want, 10*float64(n))
	return int(math.Max(float64(n+1), math.Min(want, maxIterations)))
}

// giveUp notes that a cell has no figures.
func (r *runner) giveUp(ctx context.Context, c *cell, err error) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	c.failed = err.Error()
	r.failed++
	return r.Log.Write(&record.Visit{Cell: c.Cell, Failed: c.failed})
}

// evenOut gives cells of similar speed the same number of iterations, so that a batch's fixed cost
// is the same part of both. Cells of different speed have batches of equal time instead.
func evenOut(cells []*cell) {
	most := 0
	for _, c := range cells {
		if c.failed == "" {
			most = max(most, c.n)
		}
	}
	for _, c := range cells {
		if c.failed == "" && 2*c.n >= most {
			c.n = most
		}
	}
}

// addLarger gives the cells of a benchmark with a setup within its time larger batches, in all
// engines, so that the setup can be taken off.
func (r *runner) addLarger(cells []*cell) {
	n := map[string]map[string]int{} // iterations by benchmark and engine
	for _, c := range cells {
		if n[c.Bench] == nil {
			n[c.Bench] = map[string]int{}
		}
		if c.failed == "" {
			n[c.Bench][c.Engine] = c.n
		}
	}
	for _, c := range cells {
		if times := result.LargerBatches(r.Log.Record(), c.bench, n[c.Bench]); times > 0 && c.n < maxIterations {
			c.larger = min(times*c.n, maxIterations)
		}
	}
}

// count takes the exact figures of a cell from a run of N iterations and one of 2N. The second has
// N more iterations and the same fixed costs, so the difference holds only the cost of iterations.
// The first iteration is a run of its own.
func (r *runner) count(ctx context.Context, c *cell) error {
	for _, x := range r.Log.Record().Counts {
		if x.Cell == c.Cell {
			return nil
		}
	}
	out := &record.Count{Cell: c.Cell, Result: hash(c.said)}
	if err := r.exact(ctx, c, out); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		out.Failed = err.Error()
	}
	return r.Log.Write(out)
}

func (r *runner) exact(ctx context.Context, c *cell, out *record.Count) error {
	e, ok := c.engine.(*gyrEngine)
	if !ok {
		out.FirstNS = c.first
		return nil
	}
	s, err := e.Fresh(ctx, c.pkg)
	if err != nil {
		return err
	}
	defer s.Close()
	run := func(n int, virtual bool) (*named, *reply, error) {
		rep, err := s.Run(ctx, &order{Bench: pattern(c.bench.Name), N: n, Count: 1, Virtual: virtual, Seconds: maxVisit})
		if err != nil {
			return nil, nil, err
		}
		if rep.Failed != "" {
			return nil, nil, errors.New(rep.Failed)
		}
		if len(rep.Batches) != 1 {
			return nil, nil, errors.New("it printed no figures")
		}
		return &rep.Batches[0], rep, nil
	}
	b, rep, err := run(1, false)
	if err != nil {
		return err
	}
	out.FirstNS, out.CompileNS = b.NS, rep.CompileNS
	out.CodeBytes, out.Functions = rep.CodeBytes, rep.Functions
	// Two runs in one process: objects that are made only once are not part of the second one's
	// first iteration.
	rep, err = s.Run(ctx, &order{Bench: pattern(c.bench.Name), N: 1, Count: 2, Virtual: true, Seconds: maxVisit})
	if err == nil && (rep.Failed != "" || len(rep.Batches) != 2) {
		err = errors.New(cmp.Or(rep.Failed, "it printed no figures"))
	}
	if err != nil {
		return err
	}
	first := rep.Batches[0]
	out.First, out.Again = perOp(first.Exact, 1), perOp(rep.Batches[1].Exact, 1)
	// Package testing runs one iteration before any other number of them, in the same process. So
	// two are the fewest that come after objects which are made only once.
	out.N = max(2, countIterations(first.Exact["gas"], c.bench.Declared))
	var once, twice *named
	var diff map[string]float64
	for {
		if once, _, err = run(out.N, true); err != nil {
			return err
		}
		if twice, _, err = run(2*out.N, true); err != nil {
			return err
		}
		if once.N != out.N || twice.N != 2*out.N { // the benchmark chooses the number itself
			out.PerOp = perOp(twice.Exact, float64(twice.N))
			return nil
		}
		diff = less(twice.Exact, once.Exact)
		// A setup within the time makes the first iteration look dear. Without it there is room for
		// more of them.
		more := min(countIterations(diff["gas"]/float64(out.N), c.bench.Declared), moreIterations*out.N)
		if c.bench.Declared || more < 2*out.N {
			break
		}
		out.N = more
	}
	if c.bench.Declared {
		// Its loop runs in strips, each twice as long as the one before. Twice the iterations are
		// one strip more. A third run cancels that strip's cost.
		more, _, err := run(4*out.N, true)
		if err != nil {
			return err
		}
		diff = less(less(more.Exact, twice.Exact), diff)
	}
	out.Mean, out.PerOp = perOp(once.Exact, float64(out.N)), perOp(diff, float64(out.N))
	return nil
}

// moreIterations is how many times as many iterations are counted next if there is room for more.
const moreIterations = 16

// less subtracts b's figures from a's.
func less(a, b map[string]float64) map[string]float64 {
	d := map[string]float64{}
	for unit, v := range a {
		d[unit] = v - b[unit]
	}
	return d
}

// perOp divides figures by iterations and renames the units accordingly.
func perOp(exact map[string]float64, n float64) map[string]float64 {
	m := map[string]float64{}
	for unit, v := range exact {
		m[unit+"/op"] = v / n
	}
	return m
}
