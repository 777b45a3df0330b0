package research

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A proposal is the data of the phase line "proposed".
type proposal struct {
	Kind        string          `json:"kind"` // candidate, canary, try
	Index       int             `json:"index,omitempty"`
	Parent      string          `json:"parent"` // commit
	Tree        string          `json:"tree,omitempty"`
	Settings    settings        `json:"settings,omitempty"`
	Object      string          `json:"object,omitempty"` // commit of the tree, without trailers
	Description string          `json:"description"`
	Source      string          `json:"source,omitempty"`
	Author      string          `json:"author,omitempty"` // name, mail and date, as gitx.Ident, separated by NUL
	Hypothesis  string          `json:"hypothesis,omitempty"`
	Lesson      string          `json:"lesson,omitempty"` // from earlier rows
	Expected    string          `json:"expected,omitempty"`
	ASI         json.RawMessage `json:"asi,omitempty"`
	Cost        *ledger.Cost    `json:"cost,omitempty"`
	Failure     string          `json:"failure,omitempty"` // verdict, if the proposal gave no candidate
	Reason      string          `json:"reason,omitempty"`
	Before      string          `json:"before,omitempty"`  // object of the same proposal on an earlier tip
	Accepts     int             `json:"accepts,omitempty"` // run of the row that is accepted in spite of its verdict
	Why         string          `json:"why,omitempty"`
	With        []int           `json:"with,omitempty"` // runs of a replay whose changes are part of it
}

// A round is the data of the event "round": proposals that are made at the same time.
type round struct {
	First int `json:"first"` // run of the first one
	Index int `json:"index"` // its number among all proposals
	N     int `json:"n"`
}

// An exhausted is the data of the event "exhausted": a run of a round has no proposal.
type exhausted struct {
	Run int `json:"run"`
}

// Kinds of proposals.
const (
	kindCandidate = "candidate" // from the proposer
	kindCanary    = "canary"    // an identical tree
	kindTry       = "try"       // given by hand
	kindAccept    = "accept"    // a row that a human accepted
	kindApart     = "apart"     // of a replay: a commit on its own parent instead of the branch's tip
)

// A verification is the data of the phase line "verified".
type verification struct {
	Battery []ledger.Check `json:"battery"`
	Failed  string         `json:"failed,omitempty"` // the check that refused
	// of a replay: the parent's tests do not build with the candidate, so its own judge it
	OwnTests bool                `json:"ownTests,omitempty"`
	Labels   []string            `json:"labels,omitempty"`
	Findings []ledger.Finding    `json:"findings,omitempty"`
	Checks   []string            `json:"checks,omitempty"` // checks that the risks ask for
	State    map[string][]string `json:"state,omitempty"`  // variables that the change writes to, by directory
}

// A calibration is the data of the event "calibrated".
type calibration struct {
	Env     string                   `json:"env"`
	Classes map[string]measure.Class `json:"classes"`
	Values  map[string]float64       `json:"values"`          // of the base
	Noise   map[string]float64       `json:"noise,omitempty"` // standard deviation of the log ratios
	Pairs   map[string]int           `json:"pairs,omitempty"` // pairs that the least effect needs; absent: more than the looks
	Held    map[string]float64       `json:"held,omitempty"`  // loss that a guard can exclude, as a part of the value
	PerOp   map[string]float64       `json:"perOp,omitempty"` // nanoseconds of an iteration of benchmarks, by benchKey
}

// A state is the session's state according to its log. It depends on the lines alone. Anything else
// that the driver knows is lost with the process and not needed.
type state struct {
	segment     *ledger.Config
	segments    int // index of the last one
	rows        []*ledger.Row
	current     []*ledger.Row // of the segment
	next        int           // run of the next candidate
	tip         string        // commit of the branch, by the rows
	before      string        // the tip before the last row
	settings    settings      // of the tip
	started     bool          // the base passed its battery
	calibration *calibration
	planted     []Planted // in the calibration; nil: not yet
	proposals   int       // proposals of the proposer, in the segment
	sinceCanary int
	unmeasured  int // consecutive rows without a measurement
	sinceKeep   int // measured candidates since the last keep
	sinceTest   int // noisy tests since the last keep
	cost        float64
	tokens      int64
	lessons     []string      // of all segments
	active      time.Duration // of all runs of the segment
	alarms      int
	boxReason   string // why candidates run without the sandbox that exists

	workers map[string]string    // names of the workers whose results count, by key; of all segments
	tried   map[int]*trialResult // results of workers, by run

	// The incomplete round, and its missing runs.
	round   round
	missing []int

	// Candidates without a row, by run; the first one is pending.
	queue      []queued
	pending    *proposal // the first one; nil if there is none
	pendingID  int
	verified   *verification
	pendingRow *ledger.Row // written, but not settled
	pairs      pairs
	lastStart  int64
	lastLine   int64
}

// A queued is a candidate without a row.
type queued struct {
	run      int
	proposal *proposal
}

// enqueue adds a proposal, and replaces an earlier one of the same run.
func (st *state) enqueue(run int, p *proposal) {
	st.dequeue(run)
	i := slices.IndexFunc(st.queue, func(q queued) bool { return q.run > run })
	if i < 0 {
		i = len(st.queue)
	}
	st.queue = slices.Insert(st.queue, i, queued{run, p})
	st.pending, st.pendingID = st.queue[0].proposal, st.queue[0].run
}

// dequeue drops a run.
func (st *state) dequeue(run int) {
	st.queue = slices.DeleteFunc(slices.Clone(st.queue), func(q queued) bool { return q.run == run })
	st.missing = slices.DeleteFunc(slices.Clone(st.missing), func(m int) bool { return m == run })
	if st.pending, st.pendingID = nil, 0; len(st.queue) > 0 {
		st.pending, st.pendingID = st.queue[0].proposal, st.queue[0].run
	}
}

// newState reads the lines of a log.
func newState(lines []ledger.Line, env string) (*state, error) {
	st := &state{next: 1, segments: -1}
	for i, l := range lines {
		if err := st.add(l, env); err != nil {
			return nil, fmt.Errorf("line %d of the log: %w", i+1, err)
		}
	}
	st.endRun()
	return st, nil
}

// endRun adds the time of a run of the driver, from its start to its last line.
func (st *state) endRun() {
	if st.lastStart != 0 && st.lastLine > st.lastStart {
		st.active += time.Duration(st.lastLine-st.lastStart) * time.Millisecond
	}
	st.lastStart = 0
}

func (st *state) at(timestamp int64) {
	if timestamp != 0 {
		st.lastLine = timestamp
	}
}

func (st *state) add(l ledger.Line, env string) error {
	switch {
	case l.Config != nil:
		rows, next, segments := st.rows, st.next, st.segments+1
		*st = state{segment: l.Config, segments: segments, rows: rows, next: next, lessons: st.lessons, workers: st.workers, tip: l.Config.Base,
			before: l.Config.Base, lastStart: st.lastStart, lastLine: st.lastLine}
	case l.Event != nil:
		return st.event(l.Event)
	case l.Phase != nil:
		return st.phase(l.Phase)
	case l.Sample != nil:
		st.sample(l.Sample, env)
	case l.Row != nil:
		st.row(l.Row)
	}
	return nil
}

func (st *state) event(e *ledger.Event) error {
	switch e.Event {
	case "start":
		st.endRun()
		st.lastStart = e.Timestamp
	case "base":
		st.started = true
	case "alarm":
		st.alarms++
	case ledger.EventLesson:
		st.lessons = append(st.lessons, e.Reason)
	case "sandbox":
		st.boxReason = e.Reason
	case ledger.EventWorker:
		var err error
		if st.workers, err = admit(st.workers, e); err != nil {
			return err
		}
	case "calibrated":
		st.calibration, st.planted = nil, nil
		if err := json.Unmarshal(e.Data, &st.calibration); err != nil {
			return err
		}
		st.pairs = nil
	case "planted":
		if err := json.Unmarshal(e.Data, &st.planted); err != nil {
			return err
		}
	case "round":
		if err := json.Unmarshal(e.Data, &st.round); err != nil {
			return err
		}
		st.missing = nil
		for i := range st.round.N {
			st.missing = append(st.missing, st.round.First+i)
		}
		st.next = max(st.next, st.round.First+st.round.N)
	case "exhausted":
		var x exhausted
		if err := json.Unmarshal(e.Data, &x); err != nil {
			return err
		}
		st.dequeue(x.Run)
	}
	st.at(e.Timestamp)
	return nil
}

func (st *state) phase(p *ledger.Phase) error {
	st.at(p.Timestamp)
	switch p.Phase {
	case ledger.Proposed:
		x := &proposal{}
		if err := json.Unmarshal(p.Data, x); err != nil {
			return err
		}
		st.enqueue(p.ID, x)
		delete(st.tried, p.ID)
		st.verified, st.pairs = nil, nil
		st.next = max(st.next, p.ID+1)
		switch {
		case x.Before != "": // counted already
		case x.Kind == kindCandidate || x.Kind == kindApart:
			st.proposals = max(st.proposals, x.Index+1)
			st.sinceCanary++
		case x.Kind == kindCanary:
			st.sinceCanary = 0
		}
	case ledger.Tried:
		// One that no admitted worker has signed does not count; Contradictions names it.
		if t, err := readTried(p.ID, p.Data, st.workers); err == nil {
			if st.tried == nil {
				st.tried = map[int]*trialResult{}
			}
			st.tried[p.ID] = t
		}
	case ledger.Verified:
		st.verified = nil
		return json.Unmarshal(p.Data, &st.verified)
	case ledger.Done:
		st.pendingRow = nil
	}
	return nil
}

// sample notes one value of a pair. Values from another machine or another Go version do not count
// for the pending candidate.
func (st *state) sample(s *ledger.Sample, env string) {
	if s.Env != env {
		return
	}
	if st.pairs == nil {
		st.pairs = pairs{}
	}
	list := st.pairs[s.Stage]
	for len(list) < s.Pair {
		list = append(list, pair{map[string]float64{}, map[string]float64{}})
	}
	if s.Parent != nil && s.Candidate != nil {
		list[s.Pair-1].parent[s.Metric], list[s.Pair-1].candidate[s.Metric] = *s.Parent, *s.Candidate
	}
	st.pairs[s.Stage] = list
}

// whole drops an incomplete last pair, which is taken again.
func (p pairs) whole(stage string, metrics []string) {
	list := p[stage]
	for n := len(list); n > 0; n-- {
		complete := true
		for _, m := range metrics {
			_, ok := list[n-1].candidate[m]
			complete = complete && ok
		}
		if complete {
			break
		}
		list = list[:n-1]
	}
	p[stage] = list
}

func (st *state) row(r *ledger.Row) {
	st.at(r.Timestamp)
	st.rows, st.current = append(st.rows, r), append(st.current, r)
	st.next = max(st.next, r.Run+1)
	st.before = st.tip
	st.dequeue(r.Run)
	delete(st.tried, r.Run)
	st.pendingRow, st.verified, st.pairs = r, nil, nil
	if r.Lesson != "" && !slices.Contains(st.lessons, r.Lesson) {
		st.lessons = append(st.lessons, r.Lesson)
	}
	if r.Cost != nil {
		st.cost += r.Cost.USD
		st.tokens += r.Cost.Tokens
	}
	if r.Verdict == ledger.VerdictBaseline || r.Verdict == ledger.VerdictCanary {
		return
	}
	measured := len(r.Stats) > 0
	switch {
	case r.Kept():
		st.tip, st.settings = r.Object, r.Settings
		st.sinceKeep, st.sinceTest, st.unmeasured = 0, 0, 0
	case r.Apart && r.Status == ledger.Keep:
		st.sinceKeep, st.sinceTest, st.unmeasured = 0, 0, 0
	case measured:
		st.sinceKeep++
		st.unmeasured = 0
	default:
		st.unmeasured++
	}
	if measured && r.Status != ledger.Keep {
		for _, s := range r.Stats {
			if s.P != nil {
				st.sinceTest++
				break
			}
		}
	}
}

// values are the last measured metrics of the branch's tip.
func (st *state) values() map[string]float64 {
	v := map[string]float64{}
	if st.calibration != nil {
		maps.Copy(v, st.calibration.Values)
	}
	for _, r := range st.current {
		if r.Kept() {
			for name, s := range r.Stats {
				if s.Candidate != nil {
					v[name] = *s.Candidate
				}
			}
		}
	}
	return v
}

// keeps are the rows whose commits are on the branch.
func (st *state) keeps() []*ledger.Row {
	var list []*ledger.Row
	for _, r := range st.current {
		if r.Kept() {
			list = append(list, r)
		}
	}
	return list
}

// candidates counts the rows of proposals, without the baseline and canaries.
func (st *state) candidates() int {
	n := 0
	for _, r := range st.current {
		if r.Verdict != ledger.VerdictBaseline && r.Verdict != ledger.VerdictCanary {
			n++
		}
	}
	return n
}
