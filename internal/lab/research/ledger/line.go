// Package ledger keeps the log of a research session: what was proposed, checked, measured and
// decided. line.go has the kinds of lines, log.go reads and writes the file.
//
// The log is a file of JSON lines that only grows. It is a write-ahead log: every line is on disk
// before the step that it announces has an effect elsewhere. So a session that was killed resumes
// from its log alone. The log has five kinds of lines:
//
//	config  opens a segment: the objective, the evaluator, the machine
//	event   a session began, ended, paused, raised an alarm
//	phase   a candidate reached a step on its way to a verdict
//	sample  one pair of measured values
//	row     the verdict on a candidate, its last word
//
// The config and row lines are those of pi-autoresearch (.auto/log.jsonl). Readers of that format
// accept them and skip the other kinds, which have no numeric "run". A row's status is one of pi's
// four, because its readers take an unknown status for a keep. "verdict" has the finer word.
//
// A crash or a full disk may tear the last line. Reading drops it, and opening cuts it off. Only the
// session's driver writes here: a broken line elsewhere, and one that it did not write, is damage
// (seal.go).
package ledger

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// Schema is the version of the lines that this package writes.
const Schema = 1

// The statuses of a row are pi's.
const (
	Keep         = "keep"
	Discard      = "discard"
	Crash        = "crash"
	ChecksFailed = "checks_failed"
)

// The verdicts of a row. If a check failed, its name follows after a colon: "checks_failed:golden".
const (
	VerdictKeep           = "keep"
	VerdictBaseline       = "baseline"        // the base itself, status keep
	VerdictSimpler        = "simpler"         // kept: no effect, but less code
	VerdictNoEffect       = "no_effect"       // the objective did not change
	VerdictWorse          = "worse"           // the objective moved the wrong way
	VerdictUnconfirmed    = "unconfirmed"     // gained at first, but not with fresh samples
	VerdictGuardFailed    = "guard_failed"    // a guard's loss is beyond its tolerance
	VerdictGuardUncertain = "guard_uncertain" // a guard's loss may be beyond its tolerance, after the last look
	VerdictChecksFailed   = "checks_failed"   // a check of the battery failed
	VerdictHiddenFailed   = "hidden_failed"   // the hidden checks failed
	VerdictRisk           = "risk"            // a rule of the risk lint refuses the diff
	VerdictReview         = "review"          // the reviewer refuses the diff
	VerdictScope          = "scope"           // files outside the scope, or a diff that is too large
	VerdictCrash          = "crash"           // proposer or benchmark failed
	VerdictTimeout        = "timeout"         // proposer or benchmark took too long
	VerdictQuarantined    = "quarantined"     // too good or inconsistent: for a human
	VerdictUnchecked      = "unchecked"       // gains, but a check that was asked for did not run
	VerdictDuplicate      = "duplicate"       // the tree of an earlier run
	VerdictConflict       = "conflict"        // does not apply to the branch's tip
	VerdictEmpty          = "empty"           // nothing was changed
	VerdictDepends        = "depends"         // of a replay: builds on an earlier commit that was refused
	VerdictCanary         = "aa"              // an identical tree without effect, as it should be
)

// A row judges the idea apart from its implementation: a faulty implementation may hide a sound
// gain.
const (
	IdeaGains   = "gains"   // the objective improves
	IdeaNoGain  = "no_gain" // measured, without improvement
	IdeaUnknown = "unknown" // never measured

	ImplSound     = "sound"     // every check passed
	ImplFaulty    = "faulty"    // a check failed
	ImplUnchecked = "unchecked" // not all checks ran
)

// Env describes the machine and the tools of a session. Samples of different environments are not
// compared.
type Env struct {
	Go     string  `json:"go,omitempty"`
	OS     string  `json:"os,omitempty"`
	Arch   string  `json:"arch,omitempty"`
	CPU    string  `json:"cpu,omitempty"`
	CPUs   int     `json:"cpus,omitempty"`
	Kernel string  `json:"kernel,omitempty"`
	Load   float64 `json:"load,omitempty"` // of the last minute; not part of the fingerprint
	Hash   string  `json:"hash,omitempty"` // the fingerprint
}

// A Config opens a segment. The rows after it are compared with each other.
type Config struct {
	Type          string `json:"type"` // "config"
	Name          string `json:"name"`
	MetricName    string `json:"metricName"` // the first objective
	MetricUnit    string `json:"metricUnit"`
	BestDirection string `json:"bestDirection"` // "lower" or "higher"

	Tool      string            `json:"tool,omitempty"`
	Schema    int               `json:"schema,omitempty"`
	Session   string            `json:"session,omitempty"`
	Base      string            `json:"base,omitempty"`      // commit, full
	Evaluator string            `json:"evaluator,omitempty"` // hash of everything that judges: "sha256:…"
	Hash      string            `json:"hash,omitempty"`      // of research.json
	Classes   map[string]string `json:"classes,omitempty"`   // metric -> exact, near-exact, noisy
	Metrics   []Metric          `json:"metricList,omitempty"`
	Env       *Env              `json:"env,omitempty"`
	Timestamp int64             `json:"timestamp,omitempty"` // milliseconds since 1970
}

// A Metric is one value that the session follows.
type Metric struct {
	Name  string   `json:"name"`
	Unit  string   `json:"unit,omitempty"`
	Goal  string   `json:"goal,omitempty"`  // "min" or "max"; empty: no objective
	Guard string   `json:"guard,omitempty"` // the tolerance in words; empty: no guard
	Of    []string `json:"of,omitempty"`    // metrics whose geometric mean it is
}

// An Event is a line about the session itself.
type Event struct {
	Type      string          `json:"type"`  // "event"
	Event     string          `json:"event"` // "start", "stop", "calibrated", "alarm", …
	Reason    string          `json:"reason,omitempty"`
	Data      json.RawMessage `json:"data,omitempty"`
	Timestamp int64           `json:"timestamp"`
}

// EventLesson is the event whose reason is a lesson for later proposers.
const EventLesson = "lesson"

// EventClaim is the event whose data is the gain of a branch against its base.
const EventClaim = "claim"

// EventWorker is the event whose data is a Worker.
const EventWorker = "worker"

// EventRefused is the event of a result that was not taken, with the reason.
const EventRefused = "refused"

// A Worker is a key by which results may be signed from this line on, or no longer.
type Worker struct {
	Key     string `json:"key"`  // public, of ed25519, in base64
	Name    string `json:"name"` // for rows
	Removed bool   `json:"removed,omitempty"`
}

// EventReplayed is the event whose data is a Replayed.
const EventReplayed = "replayed"

// A Replayed compares a series of commits with a published table.
type Replayed struct {
	Shift  int               `json:"shift,omitempty"` // between the table's commits and its rows
	Matrix [3][2]int         `json:"matrix"`          // published keep, discard, nothing; found keep, discard
	Rows   map[int]Published `json:"rows"`            // by run
	Extra  []Published       `json:"extra,omitempty"` // rows without a commit of the series
}

// A Published is a table's verdict on a commit.
type Published struct {
	Status      string   `json:"status"`
	Metric      *float64 `json:"metric,omitempty"`
	Description string   `json:"description,omitempty"`
	Agrees      bool     `json:"agrees,omitempty"`
}

// The phases of a candidate, in their order.
const (
	Proposed = "proposed" // its tree is stored under refs/research
	Tried    = "tried"    // in place of the next two: a worker has checked and measured it
	Verified = "verified" // the battery ran
	Measured = "measured" // all samples are taken
	Decided  = "decided"  // the row's commit exists
	Done     = "done"     // the refs are where the row says
)

// A Phase is a line about a candidate's progress. The id is the number that its row will have in
// "run".
type Phase struct {
	Type      string          `json:"type"` // "phase"
	ID        int             `json:"id"`
	Phase     string          `json:"phase"`
	Data      json.RawMessage `json:"data,omitempty"` // the phase's data for resuming
	Timestamp int64           `json:"timestamp"`
}

// A Sample is one pair: the parent's value and the candidate's, measured side by side. A missing
// value could not be measured.
type Sample struct {
	Type      string   `json:"type"` // "sample"
	ID        int      `json:"id"`   // run of the candidate; 0: calibration or a final claim
	Stage     string   `json:"stage,omitempty"`
	Metric    string   `json:"metric"`
	Pair      int      `json:"pair"` // from 1, within the stage
	Parent    *float64 `json:"parent,omitempty"`
	Candidate *float64 `json:"candidate,omitempty"`
	Env       string   `json:"env,omitempty"` // fingerprint
	// of a worker's pairs: the machines of the parent's value and of the candidate's
	On []string `json:"on,omitempty"`
}

// The stages of samples.
const (
	StageMeasure   = "measure"
	StageConfirm   = "confirm"
	StageCalibrate = "calibrate"
	StagePlant     = "plant"  // the base with a planted slow-down against the base
	StageClaim     = "claim"  // the base against the branch's tip
	StageAblate    = "ablate" // the tip against itself without one keep
)

// A Stat compares candidate and parent by the samples of one metric.
type Stat struct {
	Class     string   `json:"class,omitempty"` // exact, near-exact, noisy
	Parent    *float64 `json:"parent,omitempty"`
	Candidate *float64 `json:"candidate,omitempty"`
	Ratio     float64  `json:"ratio,omitempty"` // candidate over parent
	Lo        float64  `json:"lo,omitempty"`    // confidence interval of the ratio
	Hi        float64  `json:"hi,omitempty"`
	N         int      `json:"n,omitempty"` // pairs
	P         *float64 `json:"p,omitempty"` // one-sided; absent if no test was needed
	Word      string   `json:"word,omitempty"`
}

// A Check is the outcome of one check of the battery.
type Check struct {
	Name    string   `json:"name"`
	Status  string   `json:"status"` // pass, fail, timeout, skip
	Seconds float64  `json:"seconds,omitempty"`
	Detail  string   `json:"detail,omitempty"` // the first lines of the reason
	Notes   []string `json:"notes,omitempty"`
	Failed  []string `json:"failed,omitempty"` // tests that failed, and packages that did not build
}

// A Finding is a place that the risk lint or the reviewer reports.
type Finding struct {
	Rule     string `json:"rule"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Message  string `json:"message"`
	Blocking bool   `json:"blocking,omitempty"`
}

// Cost is the part of the budget that a proposal took.
type Cost struct {
	USD    float64 `json:"usd,omitempty"`
	Tokens int64   `json:"tokens,omitempty"`
}

// A Row is the verdict on one candidate.
type Row struct {
	Run         int                `json:"run"` // from 1
	Commit      string             `json:"commit"`
	Metric      *float64           `json:"metric,omitempty"` // of the first objective; absent: no value
	Metrics     map[string]float64 `json:"metrics"`          // all others
	Status      string             `json:"status"`
	Description string             `json:"description"`
	Timestamp   int64              `json:"timestamp"` // milliseconds since 1970
	Segment     int                `json:"segment"`
	Confidence  *float64           `json:"confidence"` // a figure of pi's, always null
	ASI         json.RawMessage    `json:"asi,omitempty"`

	Verdict        string `json:"verdict,omitempty"`
	Reason         string `json:"reason,omitempty"` // one sentence
	Idea           string `json:"idea,omitempty"`
	Implementation string `json:"implementation,omitempty"`
	Parent         string `json:"parent,omitempty"` // commit, full
	Tree           string `json:"tree,omitempty"`
	Object         string `json:"object,omitempty"` // commit, full, of refs/research/<session>/<run>
	// of a replay: judged on its own parent, and the branch does not move
	Apart   bool  `json:"apart,omitempty"`
	Depends []int `json:"depends,omitempty"` // refused runs without which it does not apply or pass
	With    []int `json:"with,omitempty"`    // runs without effect on which it builds, and that are judged together with it
	// of its builds and runs: variables, and "-X name" for the linker
	Settings map[string]string `json:"settings,omitempty"`
	// the proposer's expectation, and its lesson from earlier rows
	Hypothesis string          `json:"hypothesis,omitempty"`
	Lesson     string          `json:"lesson,omitempty"`
	Source     string          `json:"source,omitempty"` // origin of the proposal: a patch, a commit
	Files      []string        `json:"files,omitempty"`  // changed
	Added      int             `json:"added,omitempty"`  // lines
	Removed    int             `json:"removed,omitempty"`
	Stats      map[string]Stat `json:"stats,omitempty"`
	Battery    []Check         `json:"battery,omitempty"`
	Risk       []string        `json:"risk,omitempty"` // labels
	Findings   []Finding       `json:"findings,omitempty"`
	// changed lines that no check runs, as file:line or file:line-line
	Uncovered []string `json:"uncovered,omitempty"`
	Accepted  string   `json:"accepted,omitempty"` // who accepted the row in spite of what, in words
	Sandbox   string   `json:"sandbox,omitempty"`  // sandbox around its programs: bubblewrap, or none and why
	Worker    string   `json:"worker,omitempty"`   // who checked and measured it, if not the session's machine, and where
	Effort    string   `json:"effort,omitempty"`   // of its checks
	LeftOut   []string `json:"leftOut,omitempty"`  // what that effort leaves out
	Cost      *Cost    `json:"cost,omitempty"`
	Seconds   float64  `json:"seconds,omitempty"` // from proposal to verdict
	Waited    float64  `json:"waited,omitempty"`  // seconds of these for others that measure on the machine
}

// Kept reports whether the row's commit is part of the session's branch.
func (r *Row) Kept() bool { return r.Status == Keep && r.Verdict != VerdictBaseline && !r.Apart }

// A Line is one line of the log. Exactly one of the pointers is set, or none for a line of an
// unknown kind, which only Raw holds.
type Line struct {
	Config *Config
	Event  *Event
	Phase  *Phase
	Sample *Sample
	Row    *Row
	Raw    json.RawMessage // as in the file
}

// Parse reads one line.
func Parse(text []byte) (Line, error) {
	var head struct {
		Type string          `json:"type"`
		Run  json.RawMessage `json:"run"`
	}
	if err := json.Unmarshal(text, &head); err != nil {
		return Line{}, err
	}
	l := Line{Raw: slices.Clone(text)}
	var err error
	switch {
	case head.Type == "config":
		err = json.Unmarshal(text, &l.Config)
	case head.Type == "event":
		err = json.Unmarshal(text, &l.Event)
	case head.Type == "phase":
		err = json.Unmarshal(text, &l.Phase)
	case head.Type == "sample":
		err = json.Unmarshal(text, &l.Sample)
	case head.Type == "" && len(head.Run) > 0 && head.Run[0] >= '0' && head.Run[0] <= '9':
		err = json.Unmarshal(text, &l.Row)
	}
	return l, err
}

// marshal encodes a line of one of this package's types, with its newline.
func marshal(v any) ([]byte, error) {
	switch v := v.(type) {
	case *Config:
		v.Type = "config"
	case *Event:
		v.Type = "event"
	case *Phase:
		v.Type = "phase"
	case *Sample:
		v.Type = "sample"
	case *Row:
		if v.Run < 1 {
			return nil, fmt.Errorf("ledger: a row of run %d", v.Run)
		}
		if !slices.Contains([]string{Keep, Discard, Crash, ChecksFailed}, v.Status) {
			return nil, fmt.Errorf("ledger: run %d: unknown status %q", v.Run, v.Status)
		}
		if v.Metrics == nil {
			v.Metrics = map[string]float64{}
		}
	default:
		return nil, fmt.Errorf("ledger: no line of a %T", v)
	}
	text, err := json.Marshal(v)
	return append(text, '\n'), err
}

// Rows returns the rows in the order of the file.
func Rows(lines []Line) []*Row {
	var rows []*Row
	for _, l := range lines {
		if l.Row != nil {
			rows = append(rows, l.Row)
		}
	}
	return rows
}

// Segment returns the last config, nil if there is none.
func Segment(lines []Line) *Config {
	for _, l := range slices.Backward(lines) {
		if l.Config != nil {
			return l.Config
		}
	}
	return nil
}

// Samples returns the samples of a run in the order of the file. Those of a worker are in its
// result, and are all that count.
func Samples(lines []Line, run int) []*Sample {
	var s []*Sample
	for _, l := range lines {
		switch {
		case l.Sample != nil && l.Sample.ID == run:
			s = append(s, l.Sample)
		case l.Phase != nil && l.Phase.ID == run && l.Phase.Phase == Tried:
			var tried struct {
				Body struct {
					Samples []*Sample `json:"samples"`
				} `json:"body"`
			}
			if json.Unmarshal(l.Phase.Data, &tried) == nil {
				s = tried.Body.Samples
			}
		}
	}
	return s
}

// MetricNames returns the names of the rows' other metrics, sorted.
func MetricNames(rows []*Row) []string {
	names := map[string]bool{}
	for _, r := range rows {
		for n := range r.Metrics {
			names[n] = true
		}
	}
	return slices.Sorted(maps.Keys(names))
}
