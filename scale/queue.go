package main

import (
	"container/heap"
	"math/rand/v2"
	"slices"
)

// A sim is a simulation by discrete events. Times are seconds. Events of one time happen in the order in
// which they were scheduled, so a seed decides everything.
type sim struct {
	now    float64
	events events
	count  int
	rand   *rand.Rand
}

func newSim(seed uint64) *sim { return &sim{rand: rand.New(rand.NewPCG(seed, 42))} }

type event struct {
	at     float64
	number int
	do     func()
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].number < e[j].number
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	last := (*e)[len(*e)-1]
	*e = (*e)[:len(*e)-1]
	return last
}

// after schedules an event.
func (s *sim) after(d float64, do func()) {
	s.count++
	heap.Push(&s.events, event{s.now + d, s.count, do})
}

// run lets time pass.
func (s *sim) run(until float64) {
	for len(s.events) > 0 && s.events[0].at <= until {
		e := heap.Pop(&s.events).(event)
		s.now = e.at
		e.do()
	}
	s.now = until
}

// arrivals calls each at the times of a Poisson process.
func (s *sim) arrivals(rate float64, each func()) {
	s.after(s.rand.ExpFloat64()/rate, func() {
		each()
		s.arrivals(rate, each)
	})
}

// A station is a resource with some servers and one queue, first come first served.
type station struct {
	s       *sim
	name    string
	servers int
	busy    int
	queue   []func()
	used    float64 // seconds of servers, up to since
	since   float64
}

func (s *sim) station(name string, servers int) *station {
	return &station{s: s, name: name, servers: servers}
}

func (t *station) count() {
	t.used += float64(t.busy) * (t.s.now - t.since)
	t.since = t.s.now
}

// acquire calls do when it has one of the servers, until release.
func (t *station) acquire(do func()) {
	if t.busy == t.servers {
		t.queue = append(t.queue, do)
		return
	}
	t.count()
	t.busy++
	do()
}

func (t *station) release() {
	if len(t.queue) > 0 {
		next := t.queue[0]
		t.queue = t.queue[1:]
		next()
		return
	}
	t.count()
	t.busy--
}

// serve occupies a server for a time, and calls done then.
func (t *station) serve(d float64, done func()) {
	t.acquire(func() {
		t.s.after(d, func() {
			t.release()
			done()
		})
	})
}

// use returns which part of the servers' time was used since reset.
func (t *station) use(seconds float64) float64 {
	t.count()
	return t.used / seconds / float64(t.servers)
}

func (t *station) reset() { t.count(); t.used = 0 }

// quantile returns the value below which a part of a list lies; 0: the list is empty.
func quantile(list []float64, part float64) float64 {
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return list[min(int(part*float64(len(list))), len(list)-1)]
}
