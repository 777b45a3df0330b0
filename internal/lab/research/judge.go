package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// judge takes the pending candidate to its row. It resumes where the log ends.
func (s *Session) judge(ctx context.Context) error {
	start, waited := s.now(), s.waiting
	for i, q := range slices.Clone(s.state.queue) {
		if i > 0 && s.queue == nil {
			break // it waits until it is pending
		}
		if err := s.rebase(ctx, q.run, q.proposal); err != nil {
			return err
		}
	}
	s.resolve()
	p, id := s.state.pending, s.state.pendingID
	row := &ledger.Row{Run: id, Description: firstLine(p.Description), Source: p.Source, Parent: p.Parent, Tree: p.Tree,
		Settings: p.Settings, ASI: p.ASI, Cost: p.Cost,
		Hypothesis: p.Hypothesis, Lesson: p.Lesson, Apart: p.Kind == kindApart, With: p.With, Segment: s.state.segments, Idea: ledger.IdeaUnknown, Implementation: ledger.ImplUnchecked}
	if p.Object != "" {
		now, err := s.repo.Ref(ctx, s.runRef(id))
		if err != nil {
			return err
		}
		if err := s.repo.SetRef(ctx, s.runRef(id), p.Object, now); err != nil {
			return err
		}
	}
	if err := s.decide(ctx, p, row); err != nil {
		return err
	}
	if again, err := s.findCause(ctx, p, row); err != nil || again {
		return err
	}
	row.Waited = (s.waiting - waited).Round(time.Millisecond).Seconds()
	return s.conclude(ctx, p, row, s.since(start))
}

// refuse sets a final verdict.
func refuse(row *ledger.Row, verdict, format string, args ...any) error {
	row.Verdict, row.Reason = verdict, fmt.Sprintf(format, args...)
	return nil
}

// statuses are pi's words for verdicts. A verdict that is missing here is a discard.
var statuses = map[string]string{
	ledger.VerdictKeep: ledger.Keep, ledger.VerdictSimpler: ledger.Keep, ledger.VerdictBaseline: ledger.Keep,
	ledger.VerdictCrash: ledger.Crash, ledger.VerdictTimeout: ledger.Crash,
	ledger.VerdictChecksFailed: ledger.ChecksFailed, ledger.VerdictHiddenFailed: ledger.ChecksFailed,
	ledger.VerdictRisk: ledger.ChecksFailed, ledger.VerdictReview: ledger.ChecksFailed,
}

// decide takes a candidate through scope, battery, measuring and the checks of a keep,
// and sets the row's verdict.
func (s *Session) decide(ctx context.Context, p *proposal, row *ledger.Row) error {
	changes, verdict, reason, err := s.refusal(ctx, p)
	if err != nil {
		return err
	}
	for _, c := range changes {
		row.Files = append(row.Files, c.Path)
		row.Added, row.Removed = row.Added+c.Added, row.Removed+c.Removed
	}
	if p.Accepts != 0 && p.Failure == "" {
		row.Accepted = fmt.Sprintf("run %d: %s", p.Accepts, p.Why)
	}
	if verdict != "" {
		return refuse(row, verdict, "%s", reason)
	}
	c, err := s.subjectFor(ctx, row.Run, p, changes)
	if err != nil {
		return err
	}
	v := s.state.verified
	if s.queue != nil && v == nil {
		if err := s.await(ctx); err != nil {
			return err
		}
	}
	t := s.state.tried[row.Run]
	if t != nil {
		v, s.state.pairs = t.verified, t.pairs
		if err := s.bothSides(ctx, c); err != nil {
			return err
		}
	}
	if v == nil {
		if v, err = s.verify(ctx, c); err != nil {
			return err
		}
		if err := s.phase(row.Run, ledger.Verified, v); err != nil {
			return err
		}
	}
	row.Battery, row.Risk, row.Findings = v.Battery, v.Labels, v.Findings
	row.Sandbox, c.state = s.boxWord(), v.State
	if t != nil {
		row.Sandbox, row.Worker, c.machine = t.result.Sandbox, t.by+" on "+t.result.Machine.Host, &t.result.Machine
		s.waiting += time.Duration(t.result.Waited * float64(time.Second))
	}
	if v.OwnTests {
		if err := s.judgeByOwn(ctx, c); err != nil {
			return err
		}
	}
	s.noteUncovered(row)
	if v.Failed != "" {
		row.Implementation = ledger.ImplFaulty
		return s.refuseCheck(row, v.Failed)
	}
	d, err := s.measure(ctx, c)
	if bad := (*sampleError)(nil); errors.As(err, &bad) {
		row.Implementation = ledger.ImplFaulty
		verdict := ledger.VerdictCrash
		if bad.timeout {
			verdict = ledger.VerdictTimeout
		}
		return refuse(row, verdict, "%s", bad.msg)
	}
	if bad := (*parentError)(nil); p.Kind == kindApart && errors.As(err, &bad) {
		return refuse(row, ledger.VerdictCrash, "%v", bad)
	}
	if err != nil {
		return err
	}
	row.Stats = d.stats
	values := map[string]float64{}
	for name, st := range d.stats {
		values[name] = *st.Candidate
	}
	s.setMetrics(row, values)
	row.Idea = ledger.IdeaNoGain
	if d.gains {
		row.Idea = ledger.IdeaGains
	}
	row.Verdict, row.Reason = d.verdict, strings.TrimPrefix(d.reason+togetherWith(p), "; ")
	if p.Kind == kindCanary {
		return s.canary(row)
	}
	doubt := s.suspicious(d.stats)
	if doubt == "" {
		if doubt, err = s.belowFloor(ctx, c, d.stats); err != nil {
			return err
		}
	}
	if d.verdict == ledger.VerdictNoEffect && s.config.Statistics.KeepSimpler && row.Removed > row.Added {
		row.Verdict, row.Reason = ledger.VerdictSimpler, fmt.Sprintf("no effect with %d lines less", row.Removed-row.Added)
	}
	if !slices.Contains([]string{ledger.VerdictKeep, ledger.VerdictSimpler}, row.Verdict) {
		if doubt != "" {
			row.Reason += "; " + doubt
		}
		return nil
	}
	c.stats = effects(d.stats)
	if err := s.verifyKeep(ctx, c, v, row); err != nil {
		return err
	}
	if !slices.Contains([]string{ledger.VerdictKeep, ledger.VerdictSimpler}, row.Verdict) {
		return nil
	}
	// Some verdicts are for a human to decide; a human may have accepted the row already.
	if row.Implementation == ledger.ImplUnchecked && s.config.Risk.Unchecked == uncheckedRefuse {
		verdict, reason = ledger.VerdictUnchecked, unchecked(row.Battery)
	} else if doubt != "" {
		verdict, reason = ledger.VerdictQuarantined, doubt
	}
	switch {
	case verdict == "":
	case p.Accepts != 0:
		row.Reason = fmt.Sprintf("accepted: %s; else %s: %s", p.Why, verdict, reason)
	default:
		return refuse(row, verdict, "%s", reason)
	}
	return nil
}

// refusal lists the changes of a candidate, and says why it is refused without looking at what they
// do; the verdict is empty if it is not.
func (s *Session) refusal(ctx context.Context, p *proposal) (changes []gitx.Change, verdict, reason string, err error) {
	if p.Tree != "" {
		if changes, err = s.repo.Changes(ctx, p.Parent, p.Tree); err != nil {
			return nil, "", "", err
		}
	}
	if p.Failure != "" {
		return changes, p.Failure, p.Reason, nil
	}
	if p.Kind == kindCanary {
		return changes, "", "", nil
	}
	if len(changes) == 0 && p.Settings.equal(s.parentSet(p)) {
		return changes, ledger.VerdictEmpty, "nothing was changed", nil
	}
	if reason := s.scope(changes); reason != "" {
		return changes, ledger.VerdictScope, reason, nil
	}
	if r := s.duplicate(p); r != nil && p.Accepts == 0 {
		return changes, ledger.VerdictDuplicate, fmt.Sprintf("the tree of run %d", r.Run), nil
	}
	return changes, "", "", nil
}

// parentSet are the settings of a candidate's parent.
func (s *Session) parentSet(p *proposal) settings {
	if p.Kind == kindApart {
		return nil
	}
	return s.state.settings
}

// subjectFor makes a proposal the subject of checks.
func (s *Session) subjectFor(ctx context.Context, run int, p *proposal, changes []gitx.Change) (*subject, error) {
	tests := s.testsOf(p.Parent)
	judged, err := s.judgedTree(ctx, p.Tree, tests)
	if err != nil {
		return nil, err
	}
	if err := s.setParent(ctx); err != nil {
		return nil, err
	}
	parentTree := s.parentTree
	if p.Kind == kindApart {
		if parentTree, err = s.judgedTree(ctx, p.Parent, tests); err != nil {
			return nil, err
		}
	}
	c := &subject{run: run, side: s.candidate, commit: p.Object, tree: p.Tree, judged: judged,
		parentCommit: p.Parent, parentTree: parentTree, changes: changes,
		settings: p.Settings, parentSet: s.parentSet(p), tests: tests}
	c.ownTests = s.bringsTests(c)
	return c, nil
}

// duplicate is the measured row of the same tree, nil if there is none.
func (s *Session) duplicate(p *proposal) *ledger.Row {
	for _, r := range s.state.current {
		if apart := p.Kind == kindApart; r.Apart != apart || apart && r.Parent != p.Parent {
			continue
		}
		if r.Tree == p.Tree && p.Settings.equal(r.Settings) && (len(r.Stats) > 0 || r.Verdict == ledger.VerdictBaseline) &&
			r.Verdict != ledger.VerdictCanary {
			return r
		}
	}
	return nil
}

// refuseCheck sets the verdict for a check that refused the candidate.
func (s *Session) refuseCheck(row *ledger.Row, name string) error {
	detail := ""
	for _, k := range row.Battery {
		if k.Name == name {
			detail = k.Detail
			if k.Status == timeout {
				detail = "timeout: " + detail
			}
		}
	}
	switch name {
	case "hidden":
		return refuse(row, ledger.VerdictHiddenFailed, "the hidden checks failed")
	case riskCheck:
		return refuse(row, ledger.VerdictRisk, "%s", detail)
	}
	return refuse(row, ledger.VerdictChecksFailed+":"+name, "%s: %s", name, detail)
}

// noteUncovered copies the lines that the coverage check lists into the row.
func (s *Session) noteUncovered(row *ledger.Row) {
	row.Uncovered = nil
	for _, k := range row.Battery {
		for _, c := range s.config.Battery {
			if c.Name == k.Name && c.Kind == "diffcover" {
				row.Uncovered = append(row.Uncovered, k.Notes...)
			}
		}
	}
}

// verify lints the change and runs the battery.
func (s *Session) verify(ctx context.Context, c *subject) (*verification, error) {
	v := &verification{}
	if err := s.lint(ctx, c, v); err != nil {
		return nil, err
	}
	if v.Failed != "" {
		return v, nil
	}
	always := func(when string) bool { return when == "always" }
	done, failed, err := s.battery(ctx, c, always)
	if err == nil && failed != "" && c.ownTests {
		if v.OwnTests, err = s.testsGone(ctx, c); err == nil && v.OwnTests {
			if err = s.judgeByOwn(ctx, c); err == nil {
				done, failed, err = s.battery(ctx, c, always)
			}
		}
	}
	v.Battery, v.Failed = append(v.Battery, done...), failed
	return v, err
}

// verifyKeep runs the checks that only a candidate with a gain meets: those of its risks, those of
// a keep, and the hidden ones.
func (s *Session) verifyKeep(ctx context.Context, c *subject, v *verification, row *ledger.Row) error {
	done, failed, err := s.riskChecks(ctx, c, v)
	row.Battery = append(slices.Clone(row.Battery), done...)
	if err == nil && failed == "" {
		done, failed, err = s.battery(ctx, c, func(when string) bool {
			label, risk := strings.CutPrefix(when, "risk:")
			return when == "keep" || risk && slices.Contains(v.Labels, label)
		})
		row.Battery = append(row.Battery, done...)
	}
	if err == nil && failed == "" && s.config.Hidden != nil {
		var k ledger.Check
		k, err = s.checkHidden(ctx, c)
		row.Battery = append(row.Battery, k)
		if k.Status != pass {
			failed = k.Name
		}
	}
	if err != nil {
		return err
	}
	s.noteUncovered(row)
	s.noteEffort(row, v.Labels)
	row.Implementation = ledger.ImplSound
	if unchecked(row.Battery) != "" {
		row.Implementation = ledger.ImplUnchecked
	}
	if failed == risk.FreshInput {
		row.Implementation = ledger.ImplUnchecked
	} else if failed != "" {
		row.Implementation = ledger.ImplFaulty
	}
	if failed != "" {
		return s.refuseCheck(row, failed)
	}
	return nil
}

// canary concludes an identical tree. A gain or a loss is an alarm.
func (s *Session) canary(row *ledger.Row) error {
	found := row.Verdict
	row.Verdict, row.Reason, row.Idea = ledger.VerdictCanary, "no effect, as it should be", ledger.IdeaUnknown
	if found == ledger.VerdictKeep || found == ledger.VerdictWorse && surelyWorse(row) {
		row.Reason = "alarm: an identical tree is judged " + found + "; the session's verdicts are unreliable"
		return s.event("alarm", row.Reason, nil)
	}
	return nil
}

// surelyWorse reports whether a loss is larger than many canaries explain: two of a thousand
// identical trees look like this.
func surelyWorse(row *ledger.Row) bool {
	for _, st := range row.Stats {
		if st.Word == "worse" && (st.P == nil || *st.P >= 0.998) {
			return true
		}
	}
	return false
}

// measure takes pairs until the judgement wants no more.
func (s *Session) measure(ctx context.Context, c *subject) (*decision, error) {
	j := &judgement{config: s.config, classes: s.classes(), since: s.state.sinceTest, double: s.state.alarms > 0}
	if t := s.state.tried[c.run]; t != nil {
		if t.result.Failure != "" {
			return nil, &sampleError{t.result.Reason, t.result.Failure == ledger.VerdictTimeout}
		}
		j.since, j.double = t.trial.Since, t.trial.Double
	}
	if s.state.pairs == nil {
		s.state.pairs = pairs{}
	}
	sources := s.config.sources()
	for stage := range s.state.pairs {
		names := wanted(sources, nil)
		for _, m := range s.config.wholes(names) {
			names = append(names, m.Name)
		}
		s.state.pairs.whole(stage, names)
	}
	ready := false
	for {
		d := j.decide(s.state.pairs)
		if d.want == "" {
			return &d, s.phase(c.run, ledger.Measured, nil)
		}
		if s.state.tried[c.run] != nil {
			return nil, fmt.Errorf("the result of run %d has too few pairs", c.run)
		}
		if !ready {
			if err := s.bothSides(ctx, c); err != nil {
				return nil, err
			}
			ready = true
		}
		if _, err := s.takePair(ctx, c, d.want, len(s.state.pairs[d.want])+1, sources); err != nil {
			return nil, err
		}
	}
}

// bothSides checks out parent and candidate.
func (s *Session) bothSides(ctx context.Context, c *subject) error {
	if err := errors.Join(s.parent.dress(c.parentSet), c.side.dress(c.settings)); err != nil {
		return err
	}
	if err := s.parent.checkout(ctx, c.parentCommit, c.parentTree); err != nil {
		return err
	}
	return c.side.checkout(ctx, c.commit, c.judged)
}

// wanted are all metric names of the sources that give a metric in list. If list is nil, they are
// those of all sources.
func wanted(sources []*source, list []*Metric) []string {
	var names []string
	for _, src := range sources {
		if list == nil || slices.ContainsFunc(src.metrics, func(m *Metric) bool { return slices.Contains(list, m) }) {
			names = append(names, src.names()...)
		}
	}
	return names
}

// takePair takes pair n of all sources and logs it. The order of the sides is random, by a seed of
// the run, so that drift affects both.
func (s *Session) takePair(ctx context.Context, c *subject, stage string, n int, sources []*source) (x pair,
	err error) {
	x = pair{map[string]float64{}, map[string]float64{}}
	h := fnv.New64a()
	fmt.Fprintf(h, "%s %d %s", s.config.Session, c.run, stage)
	rng := rand.New(rand.NewPCG(h.Sum64(), uint64(n)))
	s.parent.on, c.side.on = "", ""
	for _, of := range sources {
		src := *of
		src.layout = s.layoutOf(of, stage, n)
		for _, d := range []*side{s.parent, c.side} {
			_, built := d.built[src.binary()]
			err := s.runner.prepare(ctx, &src, d)
			// If the binary was built and changed since, the candidate's code did that.
			if bad := (*sampleError)(nil); errors.As(err, &bad) && d == s.parent && !built {
				return x, &parentError{bad.msg}
			}
			if err != nil {
				return x, err
			}
		}
		order := []*side{s.parent, c.side}
		if rng.IntN(2) == 1 {
			slices.Reverse(order)
		}
		got, err := s.samplesOf(ctx, &src, order)
		if err != nil {
			return x, err
		}
		for _, name := range src.names() {
			a, b := got[s.parent][name], got[c.side][name]
			x.parent[name], x.candidate[name] = a, b
			if err := s.append(&ledger.Sample{ID: c.run, Stage: stage, Metric: name, Pair: n, Parent: &a, Candidate: &b,
				Env: s.env.Fingerprint(), On: s.machines(c)}); err != nil {
				return x, err
			}
		}
	}
	return x, s.appendMeans(c, stage, n, x)
}

// samplesOf takes a sample of a source on each side, in the given order, while nobody else on the
// machine measures.
func (s *Session) samplesOf(ctx context.Context, src *source, order []*side) (map[*side]map[string]float64, error) {
	lock, err := s.measureLock(ctx, src)
	if err != nil {
		return nil, err
	}
	if lock != nil {
		defer lock.Release()
	}
	got := map[*side]map[string]float64{}
	for _, d := range order {
		// Prepare again: the other side has run since.
		if err := s.runner.prepare(ctx, src, d); err != nil {
			return nil, err
		}
		values, err := s.runner.sample(ctx, src, d)
		if bad := (*sampleError)(nil); errors.As(err, &bad) && d == s.parent {
			return nil, &parentError{bad.msg}
		}
		if err != nil {
			return nil, err
		}
		got[d] = values
		if s.works && !strings.Contains(d.on, queue.Here()) {
			d.on = strings.TrimSpace(d.on + " " + queue.Here())
		}
	}
	return got, nil
}

// classes are the classes of the metrics, from the config or from the calibration.
func (s *Session) classes() map[string]measure.Class {
	classes := map[string]measure.Class{}
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		if classes[m.Name] = measure.Class(m.Class); m.Class == "auto" {
			classes[m.Name] = s.state.calibration.Classes[m.Name]
		}
	}
	return classes
}

// Calibrate measures the base against itself anew.
func (s *Session) Calibrate(ctx context.Context) error {
	s.state.calibration = nil
	return s.begin(ctx)
}

// sampleTime is the length of a sample of a benchmark whose iterations the config does not set.
const sampleTime = 100 * time.Millisecond

// iterations is the number of iterations of a sample, if one takes perOp nanoseconds. They fill
// sampleTime. There are at least ten, unless these take more than two seconds: with ten, the
// runtime's own allocations vanish in the mean.
func iterations(perOp float64) int {
	turns := func(d time.Duration) int { return int(math.Ceil(float64(d) / max(perOp, 0.1))) }
	return max(turns(sampleTime), min(10, turns(2*time.Second)))
}

// resolve sets what the config leaves to the calibration: the iterations of benchmarks, by the time
// that the branch's tip takes, and the tightest guards that can be held.
func (s *Session) resolve() {
	c := s.state.calibration
	if c == nil {
		return
	}
	if s.metrics == nil {
		s.metrics = s.config.Metrics
	}
	config := *s.config
	config.Metrics = slices.Clone(s.metrics)
	values := s.state.values()
	for i := range config.Metrics {
		m := &config.Metrics[i]
		if perOp := c.PerOp[m.benchKey()]; m.Bench != "" && m.Iterations == 0 {
			for _, o := range s.metrics {
				if v := values[o.Name]; o.benchKey() == m.benchKey() && (o.Unit == "ns/op" || o.Unit == cpuPerOp) && v > 0 && v < perOp {
					perOp = v
				}
			}
			m.Iterations = iterations(perOp)
		}
		if g := m.Guard; g != nil && g.MaxRegression != nil && g.MaxRegression.Auto {
			guard := *g
			guard.MaxRegression, guard.auto = &Amount{Value: 100 * c.Held[m.Name], Percent: true}, true
			m.Guard = &guard
		}
	}
	s.config = &config
}

// The least and the greatest loss for a guard whose config says "auto".
const (
	leastHeld = 0.02
	mostHeld  = 0.25
)

// held is the loss that a guard can exclude in nine of ten candidates without a loss, with the
// pairs of the last look.
func (s *Session) held(sd float64) float64 {
	looks := s.config.Statistics.Pairs
	return measure.GainFor(looks[len(looks)-1], sd, 0.015, 0.95)
}

// heldHalves is the loss that a guard can exclude in 49 of 50 candidates without a loss, in halves of
// the interval of the effect, which has 95 %.
const heldHalves = (2.17 + 2.05) / 1.96

// heldNow is the least loss that an automatic guard can exclude with the noise of a candidate's own
// pairs: the machine may be noisier than it was during the calibration.
func (j *judgement) heldNow(m *Metric, p pairs) float64 {
	e := j.estimate(m, p, ledger.StageMeasure)
	looks := j.config.Statistics.Pairs
	if e.N < looks[0] || e.Lo <= 0 || e.Hi <= 0 { // the interval has no end
		return 0
	}
	half := math.Log(e.Hi/e.Lo) / 2 * math.Sqrt(float64(e.N)/float64(looks[len(looks)-1]))
	return min(heldHalves*half, mostHeld)
}

// timeBenchmarks measures the time of an iteration of the benchmarks whose iterations are left to
// the calibration.
func (s *Session) timeBenchmarks(ctx context.Context, out *calibration) error {
	out.PerOp = map[string]float64{}
	for _, src := range s.config.sources() {
		m := src.metrics[0]
		if src.from != "gobench" || m.Iterations != 0 {
			continue
		}
		if err := s.runner.prepare(ctx, src, s.parent); err != nil {
			return err
		}
		o, err := s.runner.bench(ctx, src, s.parent, sampleTime.String())
		if err != nil {
			return err
		}
		result, err := oneResult(m, o)
		if err != nil {
			return err
		}
		v, ok := result.Value("ns/op")
		if !ok {
			return &sampleError{fmt.Sprintf("benchmark %s prints no ns/op", m.Bench), false}
		}
		out.PerOp[m.benchKey()] = v
	}
	return nil
}

// Calibration is the result of the last calibration. It has for each metric the class, the base's
// value, the noise, and the pairs that the least effect needs, 0 if unknown.
func (s *Session) Calibration() []CalibrationRow {
	var rows []CalibrationRow
	c := s.state.calibration
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		row := CalibrationRow{Name: m.Name, Unit: m.Unit, Class: string(s.classes()[m.Name]), Value: c.Values[m.Name],
			Noise: c.Noise[m.Name], Pairs: c.Pairs[m.Name], Iterations: m.Iterations}
		if m.Guard != nil && m.Guard.MaxRegression != nil && row.Class == string(measure.Noisy) {
			row.Guard, row.Held = m.Guard.MaxRegression.part(row.Value), s.held(row.Noise)
		}
		rows = append(rows, row)
	}
	return rows
}

// A CalibrationRow holds what is known of one metric.
type CalibrationRow struct {
	Name, Unit, Class string
	Value, Noise      float64
	Pairs             int
	Iterations        int     // of a sample of a benchmark
	Guard             float64 // loss that the metric's guard allows, as a part of the value; 0: none
	Held              float64 // loss that can be excluded if there is none
}

// calibrate measures the base against itself, so any difference is noise.
func (s *Session) calibrate(ctx context.Context) error {
	s.state.pairs = pairs{}
	c := &subject{side: s.candidate, commit: s.state.tip, tree: s.parentTree, judged: s.parentTree,
		parentCommit: s.state.tip, parentTree: s.parentTree,
		settings: s.state.settings, parentSet: s.state.settings}
	if err := s.bothSides(ctx, c); err != nil {
		return err
	}
	out := calibration{Env: s.env.Fingerprint(), Classes: map[string]measure.Class{}, Values: map[string]float64{},
		Noise: map[string]float64{}, Pairs: map[string]int{}, Held: map[string]float64{}}
	if s.metrics != nil { // as in the config
		config := *s.config
		config.Metrics = s.metrics
		s.config = &config
	}
	if err := s.timeBenchmarks(ctx, &out); err != nil {
		return fmt.Errorf("the base cannot be measured: %w", err)
	}
	if err := s.checkGas(ctx); err != nil {
		return fmt.Errorf("the base cannot be measured: %w", err)
	}
	s.state.calibration = &out
	s.resolve()
	s.state.calibration = nil
	sources := s.config.sources()
	for len(s.state.pairs[ledger.StageCalibrate]) < s.config.Statistics.Calibrate {
		_, err := s.takePair(ctx, c, ledger.StageCalibrate, len(s.state.pairs[ledger.StageCalibrate])+1, sources)
		if bad := (*sampleError)(nil); errors.As(err, &bad) {
			return fmt.Errorf("the base cannot be measured: %s", bad.msg)
		}
		if bad := (*parentError)(nil); errors.As(err, &bad) {
			return fmt.Errorf("the base cannot be measured: %s", bad.msg)
		}
		if err != nil {
			return err
		}
	}
	for i := range s.config.Metrics {
		m := &s.config.Metrics[i]
		a, b := s.state.pairs.values(ledger.StageCalibrate, m.Name)
		both := append(slices.Clone(a), b...)
		out.Classes[m.Name], out.Values[m.Name] = measure.Classify(both), measure.Median(both)
		out.Held[m.Name] = leastHeld
		if m.time() && out.Values[m.Name] <= 0 {
			return fmt.Errorf("the base cannot be measured: %s: its iterations take too little time to tell", m.Name)
		}
		if out.Classes[m.Name] != measure.Noisy {
			continue
		}
		var gains []float64
		for k := range a {
			if g, err := m.goal().Gain(a[k], b[k]); err == nil {
				gains = append(gains, g)
			}
		}
		if sd := measure.Noise(gains); sd > 0 && !math.IsInf(sd, 0) {
			out.Noise[m.Name] = sd
			out.Held[m.Name] = min(max(leastHeld, s.held(sd)), mostHeld)
			if part := m.MinEffect.part(out.Values[m.Name]); part > 0 {
				out.Pairs[m.Name] = measure.PairsFor(part, sd, s.config.Statistics.Alpha, 0.9)
			}
		}
	}
	return s.event("calibrated", "", out)
}

// effects puts the stats into words, for trailers and reviewers.
func effects(stats map[string]ledger.Stat) map[string]string {
	words := map[string]string{}
	for name, st := range stats {
		if name != cpuMetric {
			words[name] = effect(st)
		}
	}
	return words
}

// effect says how a metric moved: "-2 exact", "-0.4% [-1.9,+1.2] n=16".
func effect(st ledger.Stat) string {
	if st.P == nil {
		return strings.TrimSpace(fmt.Sprintf("%+g %s", rounded(*st.Candidate-*st.Parent), st.Class))
	}
	text := fmt.Sprintf("%+.1f%%", 100*(st.Ratio-1))
	if st.Hi > 0 {
		text += fmt.Sprintf(" [%+.1f,%+.1f]", 100*(st.Lo-1), 100*(st.Hi-1))
	}
	return fmt.Sprintf("%s n=%d", text, st.N)
}

// rounded removes the rounding errors of a difference.
func rounded(x float64) float64 { return math.Round(x*1e6) / 1e6 }

func firstLine(text string) string {
	text, _, _ = strings.Cut(strings.TrimSpace(text), "\n")
	return strings.TrimSpace(text)
}

// conclude makes the candidate's commit with its trailers, writes the row, and moves the refs. The
// commit exists before the row, and the refs move after it, so every visible ref has its row.
func (s *Session) conclude(ctx context.Context, p *proposal, row *ledger.Row, seconds float64) error {
	name, _, _ := strings.Cut(row.Verdict, ":")
	if row.Status = statuses[name]; row.Status == "" {
		row.Status = ledger.Discard
	}
	if p.Tree != "" {
		var err error
		if row.Object, err = s.commit(ctx, row.Run, p, p.Tree, s.message(p, row)); err != nil {
			return err
		}
		row.Commit = row.Object[:7]
	}
	row.Timestamp, row.Seconds = s.now().UnixMilli(), seconds
	if err := s.append(row); err != nil {
		return err
	}
	if err := s.settle(ctx, row); err != nil {
		return err
	}
	if row.Kept() {
		// The candidate becomes the next one's parent, with its checkout and its binaries.
		s.parent, s.candidate = s.candidate, s.parent
	}
	s.printf("%s", rowLine(row, s.config.objectives()))
	return nil
}

// rowLine is a row on one line, for the terminal, with the values of the objectives. The first
// objective is the row's metric.
func rowLine(r *ledger.Row, objectives []string) string {
	var values []string
	for i, name := range objectives {
		v := r.Metric
		if i > 0 {
			v = nil
			if x, ok := r.Metrics[name]; ok {
				v = &x
			}
		}
		if v == nil {
			continue
		}
		value := number(*v)
		if st, ok := r.Stats[name]; ok {
			value += " (" + effect(st) + ")"
		}
		if len(objectives) > 1 {
			value = name + " " + value
		}
		values = append(values, value)
	}
	if len(values) == 0 {
		values = []string{"-"}
	}
	text := fmt.Sprintf("%3d  %-7s  %-24s %-24s %s", r.Run, r.Commit, r.Verdict, strings.Join(values, ", "), r.Description)
	if r.Reason != "" {
		text += " — " + firstLine(r.Reason)
	}
	if r.Waited >= 1 {
		text += fmt.Sprintf(" (waited %.0f s for others that measure)", r.Waited)
	}
	return text
}

// message is a commit's message: the proposal's own text, and in the last paragraph pi's trailer
// and ours.
func (s *Session) message(p *proposal, row *ledger.Row) string {
	var body []string
	for line := range strings.Lines(p.Description) {
		line = strings.TrimRight(line, " \t\r\n")
		if name, _, ok := strings.Cut(line, ":"); ok && (name == "Result" || strings.HasPrefix(name, "Research-")) {
			continue // the last paragraph is reserved for our trailers
		}
		body = append(body, line)
	}
	text := strings.TrimSpace(strings.Join(body, "\n"))
	if text == "" {
		text = fmt.Sprintf("run %d", row.Run)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n\nResult: {\"status\":%q", text, row.Status)
	if row.Metric != nil {
		fmt.Fprintf(&b, ",%q:%s", s.config.Objective().Name, jsonNumber(*row.Metric))
	}
	for _, name := range sortedKeys(row.Metrics) {
		fmt.Fprintf(&b, ",%q:%s", name, jsonNumber(row.Metrics[name]))
	}
	fmt.Fprintf(&b, "}\nResearch-Run: %s/%d\nResearch-Verdict: %s\n", s.config.Session, row.Run, row.Verdict)
	var words []string
	for _, m := range s.config.Metrics {
		if st, ok := row.Stats[m.Name]; ok {
			words = append(words, m.Name+" "+effect(st))
		}
	}
	if len(words) > 0 {
		fmt.Fprintf(&b, "Research-Effect: %s\n", strings.Join(words, "; "))
	}
	if len(row.Settings) > 0 {
		fmt.Fprintf(&b, "Research-Settings: %v\n", settings(row.Settings))
	}
	if row.Accepted != "" {
		fmt.Fprintf(&b, "Research-Accepted: %s\n", row.Accepted)
	}
	if names := passed(row.Battery); len(names) > 0 {
		fmt.Fprintf(&b, "Research-Battery: %s\n", strings.Join(names, " "))
	}
	return b.String()
}

func jsonNumber(x float64) string {
	text, err := json.Marshal(x)
	if err != nil {
		return "null"
	}
	return string(text)
}
