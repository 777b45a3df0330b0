package research

import (
	"context"
	"crypto/ed25519"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
)

// Workers on other machines can try candidates: they run the battery and measure the pairs (package
// queue, worker.go). All else stays here. The session proposes, calibrates, decides by the pairs,
// examines gains with the more expensive checks, the reviewer and the hidden checks, and writes the
// log.
//
// A trial is all that one candidate needs, so both sides of each pair, and all pairs that are
// compared, are of one machine. All queued candidates are given out at once. A keep moves the
// branch's tip. The others are then applied to the new tip, which makes other trials of them.
//
// A result counts if an admitted key has signed it, it is of this trial and of the same versions,
// and its pairs lead to a decision. It becomes the phase line "tried", with its signature. Any other
// result is an event, and the trial is given out again.

// A given is a trial that workers have.
type given struct {
	trial   queue.Trial
	id      string
	attempt int
}

// maxAttempts is how often a trial is given out before its refused results end the session.
const maxAttempts = 10

// maxPair is more than the number of any pair of a stage.
const maxPair = 1 << 10

// A trialResult is a result that counts.
type trialResult struct {
	trial    *queue.Trial
	result   queue.Result
	by       string // the worker's name
	verified *verification
	pairs    pairs
}

// A triedLine is the data of the phase line "tried": a result, and its trial without the pack.
type triedLine struct {
	queue.Signed
	Trial queue.Trial `json:"trial"`
}

// readTried reads the data of a run's phase line. It verifies that one of the workers has signed the
// result, that it is of the trial, and that each pair is of one machine.
func readTried(run int, data []byte, workers map[string]string) (*trialResult, error) {
	var line triedLine
	if err := json.Unmarshal(data, &line); err != nil {
		return nil, &queue.RefusedError{What: queue.RefusedText, Have: err.Error()}
	}
	name, ok := workers[line.Key]
	if !ok {
		return nil, &queue.RefusedError{What: queue.RefusedKey, Have: line.Key, Want: "the key of a worker that gyr research workers -add has admitted"}
	}
	t := &trialResult{by: name, trial: &line.Trial}
	if err := line.Read(queue.KindResult, &t.result); err != nil {
		return nil, err
	}
	r := &t.result
	if e := r.Error; e != nil {
		return nil, &queue.RefusedError{What: e.What, Have: name + " on " + r.Machine.Host + " cannot try it: " + e.Have, Want: e.Want}
	}
	id, err := t.trial.ID()
	if err != nil {
		return nil, err
	}
	if r.Trial != id || t.trial.Run != run {
		return nil, &queue.RefusedError{What: queue.RefusedTrial, Have: fmt.Sprintf("%.60q", r.Trial), Want: fmt.Sprintf("%s of run %d", id, run)}
	}
	if err := r.Versions.Check(t.trial.Versions); err != nil {
		return nil, err
	}
	if t.trial.Boxed != (r.Sandbox == sandboxName) {
		return nil, &queue.RefusedError{What: queue.RefusedSandbox, Have: fmt.Sprintf("%.200q", r.Sandbox), Want: "that of the session"}
	}
	if err := json.Unmarshal(r.Verified, &t.verified); err != nil || t.verified == nil {
		return nil, &queue.RefusedError{What: queue.RefusedText, Have: fmt.Sprintf("%.60q", r.Verified), Want: "what the checks said"}
	}
	if r.Failure != "" && !slices.Contains([]string{ledger.VerdictCrash, ledger.VerdictTimeout}, r.Failure) {
		return nil, &queue.RefusedError{What: queue.RefusedText, Have: fmt.Sprintf("failure %.60q", r.Failure), Want: ledger.VerdictCrash + " or " + ledger.VerdictTimeout}
	}
	st := &state{}
	for _, x := range r.Samples {
		if x == nil || x.Pair < 1 || x.Pair > maxPair || x.Parent == nil || x.Candidate == nil {
			return nil, &queue.RefusedError{What: queue.RefusedPair, Have: "a sample without a number or a value"}
		}
		if r.Machine.ID == "" || !slices.Equal(x.On, []string{r.Machine.ID, r.Machine.ID}) {
			return nil, &queue.RefusedError{What: queue.RefusedPair, Have: fmt.Sprintf("pair %d of %s: %s was measured on %q", x.Pair, x.Stage, x.Metric, x.On),
				Want: "both sides on the result's machine " + r.Machine.ID}
		}
		st.sample(x, x.Env)
	}
	t.pairs = st.pairs
	return t, nil
}

// checkWorkers refuses a config whose first checks workers cannot do.
func (c *Config) checkWorkers() error {
	for i, k := range c.Battery {
		if k.Kind == "review" && k.When == "always" {
			return &ConfigError{c.File, fmt.Sprintf("battery[%d].when", i), "no worker has the reviewer: with workers it is asked with \"when\": \"keep\""}
		}
	}
	return nil
}

// await gives out the trials of all queued candidates, and takes results until the pending one has
// its own.
func (s *Session) await(ctx context.Context) error {
	for s.state.tried[s.state.pendingID] == nil {
		if err := s.giveOut(ctx); err != nil {
			return err
		}
		m, err := s.queue.Receive(ctx)
		if err != nil {
			return err
		}
		if err := s.receive(m); err != nil {
			return err
		}
	}
	return nil
}

// giveOut gives out the trials that no worker has yet, and withdraws those of candidates that have
// changed.
func (s *Session) giveOut(ctx context.Context) error {
	for i, q := range s.state.queue {
		p := q.proposal
		g := s.given[q.run]
		switch {
		case s.state.tried[q.run] != nil:
			continue
		case g != nil && g.trial.Object == p.Object && g.trial.Parent == p.Parent && settings(g.trial.Settings).equal(p.Settings):
			continue
		case g != nil:
			if err := s.withdraw(q.run); err != nil {
				return err
			}
		}
		if _, verdict, _, err := s.refusal(ctx, p); err != nil {
			return err
		} else if verdict != "" {
			continue
		}
		g, err := s.newTrial(ctx, q.run, p, s.state.sinceTest+i)
		if err != nil {
			return err
		}
		s.given[q.run] = g
		if err := s.give(g); err != nil {
			return err
		}
	}
	return nil
}

// newTrial makes the trial of a candidate.
func (s *Session) newTrial(ctx context.Context, run int, p *proposal, since int) (*given, error) {
	c := *s.state.calibration
	c.Values = s.state.values() // of the tip, which set the iterations
	text, err := json.Marshal(c)
	if err != nil {
		return nil, err
	}
	t := queue.Trial{Session: s.config.Session, Run: run, Base: s.segment.Base, Parent: p.Parent, Object: p.Object,
		Settings: p.Settings, ParentSet: s.parentSet(p), Config: s.config.without(append([]string{"hidden"}, judgesNothing...)...),
		Calibration: text, Since: since, Double: s.state.alarms > 0, Boxed: s.box != nil, Versions: s.versions}
	if t.Pack, err = s.repo.Pack(ctx, p.Object, s.segment.Base); err != nil {
		return nil, err
	}
	id, err := t.ID()
	return &given{trial: t, id: id}, err
}

// give gives a trial to the workers, again if they had it.
func (s *Session) give(g *given) error {
	key, err := s.key()
	if err != nil {
		return err
	}
	signed, err := queue.Sign(key, queue.KindTrial, g.trial)
	if err != nil {
		return err
	}
	g.attempt++
	return s.queue.Send(queue.Message{ID: g.id, Attempt: g.attempt, Trial: signed})
}

// withdraw tells the workers that nobody needs the result of a run's trial.
func (s *Session) withdraw(run int) error {
	g := s.given[run]
	delete(s.given, run)
	s.ended[g.id] = true
	return s.queue.Send(queue.Message{ID: g.id, Attempt: g.attempt, Withdrawn: true})
}

// receive takes a result, or refuses it and gives the trial out again. A result that comes again,
// or of a trial that was withdrawn, is dropped.
func (s *Session) receive(m queue.Message) error {
	if s.ended[m.ID] {
		return nil
	}
	run, g := 0, (*given)(nil)
	for r, x := range s.given {
		if x.id == m.ID {
			run, g = r, x
		}
	}
	err := s.takeResult(run, g, m)
	var refused *queue.RefusedError
	if !errors.As(err, &refused) {
		return err
	}
	of := "a result"
	if g != nil {
		of += fmt.Sprintf(" of run %d", run)
	}
	s.printf("%s is refused: %v", of, refused)
	if err := s.event(ledger.EventRefused, fmt.Sprintf("%s: %v", of, refused), nil); err != nil || g == nil {
		return err
	}
	if g.attempt == maxAttempts {
		return fmt.Errorf("%d results of run %d were refused, the last one: %w", g.attempt, run, refused)
	}
	return s.give(g)
}

// takeResult logs the result of a trial. An error of type [*queue.RefusedError] says why it does
// not count.
func (s *Session) takeResult(run int, g *given, m queue.Message) error {
	if g == nil {
		return &queue.RefusedError{What: queue.RefusedTrial, Have: fmt.Sprintf("%.60q", m.ID), Want: "one that was given out"}
	}
	if m.Result == nil {
		return &queue.RefusedError{What: queue.RefusedText, Have: "no result"}
	}
	line := triedLine{*m.Result, g.trial}
	line.Trial.Pack = nil
	data, err := json.Marshal(line)
	if err != nil {
		return &queue.RefusedError{What: queue.RefusedText, Have: err.Error()}
	}
	t, err := readTried(run, data, s.state.workers)
	if err != nil {
		return err
	}
	if t.verified.Failed == "" && t.result.Failure == "" {
		j := &judgement{config: s.config, classes: s.classes(), since: t.trial.Since, double: t.trial.Double}
		if d := j.decide(t.pairs); d.want != "" {
			return &queue.RefusedError{What: queue.RefusedPairs, Have: fmt.Sprintf("%d of %s", len(t.pairs[d.want]), d.want), Want: "more"}
		}
	}
	if err := s.phase(run, ledger.Tried, line); err != nil {
		return err
	}
	return s.withdraw(run)
}

// key is the session's key, which signs its trials. It is a file beside the log, made when it is
// first needed.
func (s *Session) key() (ed25519.PrivateKey, error) {
	return queue.LoadKey(filepath.Join(s.dir, "key"))
}

// PublicKey is the key by which workers know the session.
func (s *Session) PublicKey() (string, error) {
	key, err := s.key()
	if err != nil {
		return "", err
	}
	return queue.PublicKey(key), nil
}

// admit is the list of workers, names by keys, after an event.
func admit(workers map[string]string, e *ledger.Event) (map[string]string, error) {
	var w ledger.Worker
	if err := json.Unmarshal(e.Data, &w); err != nil {
		return nil, err
	}
	workers = maps.Clone(workers)
	if workers == nil {
		workers = map[string]string{}
	}
	if workers[w.Key] = w.Name; w.Removed {
		delete(workers, w.Key)
	}
	return workers, nil
}

// Workers are the admitted workers: names by keys.
func (s *Session) Workers() map[string]string { return s.state.workers }

// AddWorker admits a worker's key: results that it signs count from now on.
func (s *Session) AddWorker(key, name string) error {
	if _, err := queue.ParseKey(key); err != nil {
		return err
	}
	if name == "" || name != slug(name) {
		return fmt.Errorf("%q is no name of small letters, digits and dashes", name)
	}
	for k, n := range s.state.workers {
		if k == key || n == name {
			return fmt.Errorf("worker %s has the key %s already", n, k)
		}
	}
	return s.event(ledger.EventWorker, "", ledger.Worker{Key: key, Name: name})
}

// RemoveWorker removes a worker by its name or key. Results in the log stay.
func (s *Session) RemoveWorker(worker string) error {
	for key, name := range s.state.workers {
		if worker == key || worker == name {
			return s.event(ledger.EventWorker, "", ledger.Worker{Key: key, Name: name, Removed: true})
		}
	}
	return fmt.Errorf("there is no worker %s", worker)
}
