package research

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/queue"
)

// workerDir tells this test program to be a worker in that directory, with the key of workerKey.
const (
	workerDir = "GYR_RESEARCH_WORKER"
	workerKey = "GYR_RESEARCH_WORKER_KEY"
)

// serveWorker is that worker. It names its process in a file when it begins a trial.
func serveWorker(dir string) int {
	key, err := queue.LoadKey(os.Getenv(workerKey))
	if err == nil {
		w := &Worker{Dir: dir, Key: key, Unboxed: true, Out: os.Stderr}
		err = queue.Serve(context.Background(), os.Stdin, os.Stdout, func(ctx context.Context, m queue.Message) (queue.Message, error) {
			if err := os.WriteFile(os.Getenv(workerKey)+".trying", fmt.Append(nil, os.Getpid()), 0o666); err != nil {
				return m, err
			}
			return w.Try(ctx, m)
		})
		err = errors.Join(err, w.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// A testQueue has workers that are functions.
type testQueue struct {
	trials, results chan queue.Message

	mu   sync.Mutex
	gone map[string]bool
	sent []queue.Message
}

func newTestQueue() *testQueue {
	return &testQueue{trials: make(chan queue.Message, 100), results: make(chan queue.Message, 100), gone: map[string]bool{}}
}

func (q *testQueue) Send(m queue.Message) error {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.sent = append(q.sent, m)
	if m.Withdrawn {
		q.gone[m.ID] = true
		return nil
	}
	q.trials <- m
	return nil
}

func (q *testQueue) Receive(ctx context.Context) (queue.Message, error) {
	select {
	case m := <-q.results:
		return m, nil
	case <-ctx.Done():
		return queue.Message{}, ctx.Err()
	}
}

func (q *testQueue) Close() error { return nil }

// work tries trials until ctx ends. change turns a message into those that the worker sends.
func (q *testQueue) work(ctx context.Context, w *Worker, change func(m queue.Message) []queue.Message) error {
	for {
		select {
		case <-ctx.Done():
			return w.Close()
		case m := <-q.trials:
			q.mu.Lock()
			gone := q.gone[m.ID]
			q.mu.Unlock()
			if gone {
				continue
			}
			got, err := w.Try(ctx, m)
			if ctx.Err() != nil {
				continue
			}
			if err != nil {
				return errors.Join(err, w.Close())
			}
			for _, m := range change(got) {
				q.results <- m
			}
		}
	}
}

// clone makes a clone of the repository for a worker, and the worker with a key of its own.
func (b *bench) clone(name string) *Worker {
	b.t.Helper()
	dir := filepath.Join(b.side, name)
	b.git("clone", "-q", b.repo, dir)
	key, err := queue.LoadKey(filepath.Join(b.side, name+".key"))
	if err != nil {
		b.t.Fatal(err)
	}
	return &Worker{Dir: dir, Key: key, Unboxed: true, Out: testWriter{b.t}}
}

// openWith opens the session of a config with a queue and workers that are admitted.
func (b *bench) openWith(c *Config, q queue.Queue, workers ...*Worker) *Session {
	b.t.Helper()
	s, err := Open(b.t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{b.t}, Queue: q})
	if err != nil {
		b.t.Fatal(err)
	}
	s.linter = linter
	for i, w := range workers {
		if s.Workers()[queue.PublicKey(w.Key)] != "" {
			continue
		}
		if err := s.AddWorker(queue.PublicKey(w.Key), fmt.Sprintf("w%d", i+1)); err != nil {
			b.t.Fatal(err)
		}
	}
	return s
}

// remote is a config whose trials need no builds.
func (b *bench) remote(change func(c map[string]any)) *Config {
	b.t.Helper()
	return b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{map[string]any{"name": "width", "run": []string{"cat", "width.go"}, "golden": "width.go"}}
		c["parallel"] = map[string]any{"propose": 3}
		c["stop"] = map[string]any{"experiments": 5}
		c["risk"] = map[string]any{"off": []string{"differential", "mutation", "fresh-input"}}
		if change != nil {
			change(c)
		}
	})
}

// lines reads the log.
func (b *bench) lines(c *Config) []ledger.Line {
	b.t.Helper()
	repo, err := gitx.Open(b.t.Context(), b.repo)
	if err != nil {
		b.t.Fatal(err)
	}
	lines, err := ledger.ReadFile(LogFile(repo, c.Session))
	if err != nil {
		b.t.Fatal(err)
	}
	wrong, err := Contradictions(b.t.Context(), repo, c.Session, lines)
	if err != nil || len(wrong) > 0 {
		b.t.Errorf("the log contradicts itself: %v, %v", wrong, err)
	}
	return lines
}

// inWords are the rows in words: what must be equal with and without workers.
func inWords(rows []*ledger.Row) string {
	var text strings.Builder
	for _, r := range rows {
		fmt.Fprintf(&text, "%d %s %s %v\n", r.Run, r.Verdict, r.Description, r.Metrics)
	}
	return text.String()
}

// TestWorkers: two workers that send each result twice give the rows that one machine gives. All
// measured rows name their worker, each pair has one machine, and the log verifies. With -long it is
// the fixture's whole battery, its benchmark and all its patches.
func TestWorkers(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.patches()
	c := b.remote(nil)
	if *long {
		c = b.config(func(c map[string]any) { c["parallel"] = map[string]any{"propose": 3} })
	}
	alone, local := b.run(c)
	b.forget(c)

	q := newTestQueue()
	workers := []*Worker{b.clone("one"), b.clone("two")}
	s := b.openWith(c, q, workers...)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, len(workers))
	for _, w := range workers {
		go func() {
			ended <- q.work(ctx, w, func(m queue.Message) []queue.Message { return []queue.Message{m, m} })
		}()
	}
	stopped, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	rows := s.state.rows[1:]
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	for range workers {
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	if got, want := inWords(rows), inWords(local); got != want || stopped.Reason != alone.Reason {
		t.Errorf("%s: rows of workers\n%swant\n%s", stopped.Reason, got, want)
	}
	lines := b.lines(c)
	counted := map[string]int{}
	for _, l := range lines {
		if l.Phase != nil && l.Phase.Phase == ledger.Tried {
			var line triedLine
			if err := json.Unmarshal(l.Phase.Data, &line); err != nil {
				t.Fatal(err)
			}
			var r queue.Result
			if err := line.Read(queue.KindResult, &r); err != nil {
				t.Error(err)
			}
			counted[r.Trial]++
			if host, _ := os.Hostname(); r.Machine.Host != host || r.Machine.Env.CPUs == 0 || r.Versions.Go == "" {
				t.Errorf("machine %+v, versions %+v", r.Machine, r.Versions)
			}
		}
		if l.Event != nil && l.Event.Event == ledger.EventRefused {
			t.Errorf("refused: %s", l.Event.Reason)
		}
	}
	for id, n := range counted {
		if n != 1 {
			t.Errorf("the result of trial %s counts %d times", id, n)
		}
	}
	for _, r := range rows {
		if len(r.Battery) == 0 {
			continue // refused before it was checked
		}
		if !strings.HasPrefix(r.Worker, "w") {
			t.Errorf("row %d is of worker %q", r.Run, r.Worker)
		}
		samples := ledger.Samples(lines, r.Run)
		if len(r.Stats) > 0 && len(samples) < exactPairs {
			t.Errorf("row %d has %d samples", r.Run, len(samples))
		}
		for _, x := range samples {
			if !slices.Equal(x.On, []string{queue.Here(), queue.Here()}) {
				t.Errorf("row %d: a pair on %v", r.Run, x.On)
			}
		}
	}
}

// TestWorkersOnBase: candidates that are judged on the base are tried once each, whatever was kept, and
// so is a canary.
func TestWorkersOnBase(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.patches()
	c := b.remote(func(c map[string]any) {
		c["proposer"] = map[string]any{"kind": "patches", "dir": "patches", "onBase": true}
		c["statistics"] = map[string]any{"aaEvery": 3, "calibrate": 2, "plant": 0}
		c["stop"] = map[string]any{"experiments": 4}
	})
	_, local := b.run(c)
	b.forget(c)
	q, w := newTestQueue(), b.clone("one")
	s := b.openWith(c, q, w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- q.work(ctx, w, func(m queue.Message) []queue.Message { return []queue.Message{m} }) }()
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	rows := s.state.rows[1:]
	cancel()
	if err := errors.Join(<-ended, s.Close()); err != nil {
		t.Error(err)
	}
	if got, want := inWords(rows), inWords(local); got != want || !strings.Contains(got, ledger.VerdictCanary) {
		t.Errorf("rows\n%swant\n%s", got, want)
	}
	trials := 0
	for _, m := range q.sent {
		if m.Trial != nil {
			trials++
		}
	}
	if trials != len(rows) {
		t.Errorf("%d trials for %d rows", trials, len(rows))
	}
	b.lines(c)
}

// A forgery makes another message of a genuine one, which the session refuses for what.
type forgery struct {
	name, what string
	forge      func(t *testing.T, w, stranger *Worker, m queue.Message) queue.Message
}

// changed signs a changed result.
func changed(change func(r *queue.Result)) func(t *testing.T, w, _ *Worker, m queue.Message) queue.Message {
	return func(t *testing.T, w, _ *Worker, m queue.Message) queue.Message {
		t.Helper()
		var r queue.Result
		if err := m.Result.Read(queue.KindResult, &r); err != nil {
			t.Error(err)
		}
		change(&r)
		signed, err := queue.Sign(w.Key, queue.KindResult, r)
		if err != nil {
			t.Error(err)
		}
		m.Result = signed
		return m
	}
}

var forgeries = []forgery{
	{"a key that is not admitted", queue.RefusedKey, func(t *testing.T, _, stranger *Worker, m queue.Message) queue.Message {
		return changed(func(*queue.Result) {})(t, stranger, nil, m)
	}},
	{"another's key", queue.RefusedSignature, func(t *testing.T, w, stranger *Worker, m queue.Message) queue.Message {
		m = changed(func(*queue.Result) {})(t, stranger, nil, m)
		m.Result.Key = queue.PublicKey(w.Key)
		return m
	}},
	{"a body that was changed", queue.RefusedSignature, func(t *testing.T, _, _ *Worker, m queue.Message) queue.Message {
		x := *m.Result
		x.Body = slices.Concat(x.Body[:len(x.Body)-1], []byte(`,"reason":"x"}`))
		m.Result = &x
		return m
	}},
	{"no result", queue.RefusedText, func(_ *testing.T, _, _ *Worker, m queue.Message) queue.Message { m.Result = nil; return m }},
	{"a trial that was not given out", queue.RefusedTrial, func(_ *testing.T, _, _ *Worker, m queue.Message) queue.Message { m.ID = "other"; return m }},
	{"another trial", queue.RefusedTrial, changed(func(r *queue.Result) { r.Trial = "other" })},
	{"another gyr", queue.RefusedGyr, changed(func(r *queue.Result) { r.Versions.Gyr += "x" })},
	{"another Go", queue.RefusedGo, changed(func(r *queue.Result) { r.Versions.Go = "go1.1" })},
	{"another determinism version", queue.RefusedDeterminism, changed(func(r *queue.Result) { r.Versions.Determinism++ })},
	{"a pair on two machines", queue.RefusedPair, changed(func(r *queue.Result) { r.Samples[0].On = []string{r.Machine.ID, "elsewhere"} })},
	{"a side on two machines", queue.RefusedPair, changed(func(r *queue.Result) { r.Samples[0].On[0] += " elsewhere" })},
	{"pairs on other machines", queue.RefusedPair, changed(func(r *queue.Result) { r.Machine.ID = "elsewhere" })},
	{"no machine", queue.RefusedPair, changed(func(r *queue.Result) {
		r.Machine.ID = ""
		for _, x := range r.Samples {
			x.On = []string{"", ""}
		}
	})},
	{"pair 0", queue.RefusedPair, changed(func(r *queue.Result) { r.Samples[0].Pair = 0 })},
	{"a pair of a great number", queue.RefusedPair, changed(func(r *queue.Result) { r.Samples[0].Pair = 1 << 40 })},
	{"half a pair", queue.RefusedPair, changed(func(r *queue.Result) { r.Samples[0].Parent = nil })},
	{"too few pairs", queue.RefusedPairs, changed(func(r *queue.Result) { r.Samples = r.Samples[:1] })},
	{"no pairs", queue.RefusedPairs, changed(func(r *queue.Result) { r.Samples = nil })},
	{"no word of the checks", queue.RefusedText, changed(func(r *queue.Result) { r.Verified = nil })},
	{"checks that are no object", queue.RefusedText, changed(func(r *queue.Result) { r.Verified = []byte("[]") })},
	{"an unknown failure", queue.RefusedText, changed(func(r *queue.Result) { r.Failure = "keep" })},
	{"another sandbox", queue.RefusedSandbox, changed(func(r *queue.Result) {
		r.Sandbox = map[bool]string{true: "none: it was off", false: sandboxName}[r.Sandbox == sandboxName]
	})},
	{"a worker that could not", queue.RefusedWorker, changed(func(r *queue.Result) { r.Error = &queue.RefusedError{What: queue.RefusedWorker, Have: "no disk"} })},
	{"a worker with another Go", queue.RefusedGo, changed(func(r *queue.Result) {
		r.Error = &queue.RefusedError{What: queue.RefusedGo, Have: "go1.1", Want: "go1.2"}
	})},
}

// TestForgedResults: each forged result is refused for what is wrong with it, is an event and no more, and
// its trial is given out again. The genuine one counts then, once.
func TestForgedResults(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.patches()
	c := b.remote(func(c map[string]any) { c["stop"], c["parallel"] = map[string]any{"experiments": 1}, map[string]any{} })
	w, stranger := b.clone("one"), b.clone("two")
	q := newTestQueue()
	s := b.openWith(c, q, w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		n := 0
		ended <- q.work(ctx, w, func(m queue.Message) (out []queue.Message) {
			for n < len(forgeries) {
				forged := forgeries[n].forge(t, w, stranger, m)
				out = append(out, forged)
				if n++; forged.ID == m.ID {
					return out // the trial is given out again
				}
			}
			return append(out, m, m)
		})
	}()
	// The session gives up after some attempts.
	var reasons []string
	for range (len(forgeries) - 1) / maxAttempts {
		_, err := s.Run(t.Context())
		var refused *queue.RefusedError
		if !errors.As(err, &refused) {
			t.Fatalf("after %d results: %v", maxAttempts, err)
		}
		for _, g := range s.given {
			g.attempt = 0
			if err := s.give(g); err != nil {
				t.Fatal(err)
			}
		}
	}
	stopped, err := s.Run(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Error(err)
	}
	results := 0
	for _, l := range b.lines(c) {
		if l.Event != nil && l.Event.Event == ledger.EventRefused {
			reasons = append(reasons, l.Event.Reason)
		}
		if l.Phase != nil && l.Phase.Phase == ledger.Tried {
			results++
		}
	}
	if stopped.Reason != "experiments" || results != 1 {
		t.Errorf("%s, %d results", stopped.Reason, results)
	}
	if len(reasons) != len(forgeries) {
		t.Fatalf("%d of %d forgeries were refused: %q", len(reasons), len(forgeries), reasons)
	}
	for i, f := range forgeries {
		if !strings.Contains(reasons[i], ": "+f.what+": ") {
			t.Errorf("%s: refused for %q, want %s", f.name, reasons[i], f.what)
		}
	}
}

// TestForgedResultInLog: a result that somebody writes into the log without an admitted key, or of
// another run, does not count, and status names it.
func TestForgedResultInLog(t *testing.T) {
	b := newBench(t)
	c := b.remote(nil)
	w := b.clone("one")
	s := b.openWith(c, newTestQueue())
	signed, err := queue.Sign(w.Key, queue.KindResult, queue.Result{Trial: "x", Verified: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.phase(1, ledger.Tried, triedLine{Signed: *signed}); err != nil {
		t.Fatal(err)
	}
	if err := s.AddWorker(queue.PublicKey(w.Key), "one"); err != nil {
		t.Fatal(err)
	}
	trial := queue.Trial{Run: 1}
	id, err := trial.ID()
	if err != nil {
		t.Fatal(err)
	}
	signed, err = queue.Sign(w.Key, queue.KindResult, queue.Result{Trial: id, Verified: []byte("{}")})
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []triedLine{{*signed, queue.Trial{Run: 1, Since: 1}}, {*signed, queue.Trial{Run: 2}}} {
		if err := s.phase(line.Trial.Run, ledger.Tried, line); err != nil {
			t.Fatal(err)
		}
	}
	if err := s.phase(2, ledger.Tried, triedLine{*signed, trial}); err != nil {
		t.Fatal(err)
	}
	if len(s.state.tried) > 0 {
		t.Error("a forged result counts")
	}
	if err := s.phase(1, ledger.Tried, triedLine{*signed, trial}); err != nil || len(s.state.tried) != 1 {
		t.Errorf("a genuine result does not count: %v", err)
	}
	wrong, err := Contradictions(t.Context(), s.repo, c.Session, s.log.Lines())
	if err != nil || len(wrong) != 4 || !strings.Contains(wrong[0], "key: "+queue.PublicKey(w.Key)) ||
		slices.ContainsFunc(wrong[1:], func(text string) bool { return !strings.Contains(text, ": trial: ") }) {
		t.Errorf("%q, %v", wrong, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestAdmit: workers are added and removed by the log's lines, in all segments.
func TestAdmit(t *testing.T) {
	b := newBench(t)
	c := b.remote(nil)
	one, two := queue.PublicKey(b.clone("one").Key), queue.PublicKey(b.clone("two").Key)
	s := b.openWith(c, nil)
	for _, x := range []struct {
		err  error
		want string
	}{
		{s.AddWorker(one, "ada"), ""},
		{s.AddWorker(one, "bob"), "worker ada has the key"},
		{s.AddWorker(two, "ada"), "worker ada has the key"},
		{s.AddWorker(two, "Ada B"), "no name"},
		{s.AddWorker(two, ""), "no name"},
		{s.AddWorker(two[1:], "bob"), "32 bytes of an ed25519 key"},
		{s.AddWorker(two, "bob"), ""},
		{s.RemoveWorker("carl"), "there is no worker carl"},
		{s.RemoveWorker("ada"), ""},
		{s.RemoveWorker("ada"), "there is no worker ada"},
	} {
		if x.want == "" && x.err != nil || x.want != "" && (x.err == nil || !strings.Contains(x.err.Error(), x.want)) {
			t.Errorf("%v, want %q", x.err, x.want)
		}
	}
	key, err := s.PublicKey()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	s, err = Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}, NewSegment: true})
	if err != nil {
		t.Fatal(err)
	}
	if now, err := s.PublicKey(); err != nil || now != key || !maps.Equal(s.Workers(), map[string]string{two: "bob"}) {
		t.Errorf("key %s, workers %v, %v", now, s.Workers(), err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// refusedFor reports whether an error is a refusal for a reason.
func refusedFor(err error, what string) bool {
	var refused *queue.RefusedError
	return errors.As(err, &refused) && refused != nil && refused.What == what
}

// TestWorkerRefuses: a worker takes neither a trial of another session, nor of other versions, nor one
// without a box, nor one whose base it lacks. The result says why, and is signed.
func TestWorkerRefuses(t *testing.T) {
	b := newBench(t)
	w := b.clone("one")
	w.Unboxed = false
	session, err := queue.LoadKey(filepath.Join(b.side, "session.key"))
	if err != nil {
		t.Fatal(err)
	}
	w.From = queue.PublicKey(session)
	head := b.git("rev-parse", "HEAD")
	good := queue.Trial{Session: "s", Run: 1, Base: head, Parent: head, Object: head, Config: []byte(`{}`), Boxed: true,
		Versions: queue.Versions{Go: measure.CurrentEnvironment(b.repo).Go}}
	for _, x := range []struct {
		what, want string
		change     func(t *queue.Trial)
		key        *Worker
	}{
		{queue.RefusedKey, queue.PublicKey(w.Key), func(*queue.Trial) {}, w},
		{queue.RefusedGyr, "x", func(t *queue.Trial) { t.Versions.Gyr = "x" }, nil},
		{queue.RefusedGo, "go1", func(t *queue.Trial) { t.Versions.Go = "go1" }, nil},
		{queue.RefusedDeterminism, "7", func(t *queue.Trial) { t.Versions.Determinism = 7 }, nil},
		{queue.RefusedSandbox, "-unboxed", func(t *queue.Trial) { t.Boxed = false }, nil},
		{queue.RefusedWorker, "research.json of the trial: name: missing", func(*queue.Trial) {}, nil},
		{queue.RefusedWorker, "git fetch gets it", func(t *queue.Trial) {
			t.Config, t.Base = []byte(`{"name": "s", "metrics": [{"name": "size", "from": "file", "path": "go.mod", "goal": "min"}]}`), strings.Repeat("0", 40)
		}, nil},
	} {
		trial := good
		x.change(&trial)
		key := session
		if x.key != nil {
			key = x.key.Key
		}
		signed, err := queue.Sign(key, queue.KindTrial, trial)
		if err != nil {
			t.Fatal(err)
		}
		m, err := w.Try(t.Context(), queue.Message{ID: "id", Trial: signed})
		if err != nil {
			t.Fatal(err)
		}
		var r queue.Result
		if err := m.Result.Read(queue.KindResult, &r); err != nil || !refusedFor(r.Error, x.what) || !strings.Contains(r.Error.Error(), x.want) {
			t.Errorf("%v, %v, want %s: %q", r.Error, err, x.what, x.want)
		}
	}
	// What is no trial has a result, too.
	m, err := w.Try(t.Context(), queue.Message{ID: "id"})
	var r queue.Result
	if err := errors.Join(err, m.Result.Read(queue.KindResult, &r)); err != nil || !refusedFor(r.Error, queue.RefusedText) || r.Trial != "id" {
		t.Errorf("%+v, %v", r, err)
	}
	if err := w.Close(); err != nil {
		t.Error(err)
	}
}

// TestWorkerBox: what a candidate runs on a worker is in the box that the session has. It sees neither
// the worker's key nor its environment, and writes nothing of the machine.
func TestWorkerBox(t *testing.T) {
	if _, err := sandboxWorks(); err != nil {
		t.Skip(err)
	}
	b := newBench(t)
	b.patches()
	t.Setenv("WORKER_SECRET", "x")
	c := b.remote(func(c map[string]any) {
		c["stop"], c["sandbox"] = map[string]any{"experiments": 1}, sandboxRequire
		c["battery"] = []any{map[string]any{"name": "boxed", "run": []string{"sh", "-c", fmt.Sprintf("! test -e '%s' && ! touch '%s' && test -z \"$WORKER_SECRET\"",
			filepath.Join(b.side, "one.key"), filepath.Join(b.repo, ".git", "objects", "x"))}}}
	})
	w := b.clone("one")
	w.Unboxed = false
	q := newTestQueue()
	s := b.openWith(c, q, w)
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- q.work(ctx, w, func(m queue.Message) []queue.Message { return []queue.Message{m} }) }()
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	if r := s.state.rows[1]; r.Verdict != ledger.VerdictKeep || r.Sandbox != sandboxName || r.Worker == "" {
		t.Errorf("%s: %s; in %s by %q", r.Verdict, r.Reason, r.Sandbox, r.Worker)
	}
	cancel()
	if err := errors.Join(<-ended, s.Close()); err != nil {
		t.Error(err)
	}
}

// TestReviewer: a session with workers has no reviewer that candidates without a gain meet.
func TestReviewer(t *testing.T) {
	b := newBench(t)
	c := b.remote(func(c map[string]any) {
		c["battery"] = []any{map[string]any{"name": "read", "kind": "review", "run": []string{"true"}}}
	})
	_, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}, Queue: newTestQueue()})
	if bad := (*ConfigError)(nil); !errors.As(err, &bad) || bad.Path != "battery[0].when" {
		t.Error(err)
	}
}

// TestWithoutWorkers: a session that was interrupted after it had results goes on without workers. The
// results count, and what no worker has tried is tried here.
func TestWithoutWorkers(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.patches()
	c := b.remote(func(c map[string]any) { c["stop"] = map[string]any{"experiments": 3} })
	_, local := b.run(c)
	b.forget(c)
	q, w := newTestQueue(), b.clone("one")
	s := b.openWith(c, q, w)
	ctx, cancel := context.WithCancel(t.Context())
	sent := 0
	ended := make(chan error, 1)
	go func() {
		ended <- q.work(ctx, w, func(m queue.Message) []queue.Message {
			if sent++; sent == 2 {
				cancel() // the second result is never sent
				return nil
			}
			return []queue.Message{m}
		})
	}()
	if stopped, err := s.Run(ctx); err != nil || stopped.Reason != "paused" {
		t.Fatalf("%+v, %v", stopped, err)
	}
	if err := errors.Join(<-ended, s.Close()); err != nil {
		t.Error(err)
	}
	_, rows := b.run(c)
	if got, want := inWords(rows), inWords(local); got != want {
		t.Errorf("rows\n%swant\n%s", got, want)
	}
	for i, r := range rows {
		if (r.Worker != "") != (i == 0) {
			t.Errorf("row %d is of worker %q", r.Run, r.Worker)
		}
	}
	b.lines(c)
}

// TestKillWorker kills a worker, the program of the queue, while it tries a candidate. The session ends
// with an error that names it. With another worker it goes on, and has the rows of an undisturbed one.
func TestKillWorker(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.patches()
	c := b.remote(func(c map[string]any) { c["stop"] = map[string]any{"experiments": 3} })
	_, local := b.run(c)
	b.forget(c)
	w := b.clone("one")
	t.Setenv(workerDir, w.Dir)
	t.Setenv(workerKey, filepath.Join(b.side, "one.key"))
	trying := filepath.Join(b.side, "one.key.trying")
	for killed := false; ; killed = true {
		q, err := queue.Start(testWriter{t}, os.Args[0])
		if err != nil {
			t.Fatal(err)
		}
		s := b.openWith(c, q, w)
		ended := make(chan error, 1)
		go func() { _, err := s.Run(t.Context()); ended <- err }()
		if !killed {
			var pid int
			for pid == 0 {
				time.Sleep(time.Millisecond)
				text, _ := os.ReadFile(trying)
				fmt.Sscan(string(text), &pid)
			}
			if p, err := os.FindProcess(pid); err != nil || p.Kill() != nil {
				t.Fatal(err)
			}
			if err := <-ended; err == nil || !strings.Contains(err.Error(), filepath.Base(os.Args[0])) {
				t.Errorf("the worker was killed: %v", err)
			}
			if err := q.Close(); !errors.As(err, new(*exec.ExitError)) {
				t.Errorf("the worker's end: %v", err)
			}
			if err := s.Close(); err != nil {
				t.Error(err)
			}
			continue
		}
		if err := <-ended; err != nil {
			t.Fatal(err)
		}
		if got, want := inWords(s.state.rows[1:]), inWords(local); got != want {
			t.Errorf("rows\n%swant\n%s", got, want)
		}
		if err := errors.Join(s.Close(), q.Close()); err != nil {
			t.Error(err)
		}
		break
	}
	b.lines(c)
}
