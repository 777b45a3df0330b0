package exchange

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A piLine has every key by which a line of a pi log, or of a log that wants to be one, says
// something.
type piLine struct {
	Type string          `json:"type"`
	Run  json.RawMessage `json:"run"`

	// Of a fork of vitess.
	ID       json.RawMessage `json:"id"`
	TS       json.RawMessage `json:"ts"`
	Desc     string          `json:"desc"`
	Decision string          `json:"decision"`

	// Of logs by hand.
	Experiment json.RawMessage `json:"experiment"`
	Result     json.RawMessage `json:"result"`
	Detail     string          `json:"detail"`

	Metric    json.RawMessage            `json:"metric"`
	Metrics   map[string]json.RawMessage `json:"metrics"`
	Status    string                     `json:"status"`
	Timestamp json.RawMessage            `json:"timestamp"`
	Segment   json.RawMessage            `json:"segment"`
}

// ImportPi reads a log of pi-autoresearch as its own reader does: lines that are no JSON and lines of
// unknown kinds are skipped, a status that is unknown or missing is a keep, and a
// config line behind a result begins a segment. Unlike that reader it leaves a missing metric missing.
// Rows of other shapes that are found in public logs are taken too. An error says that nothing in the
// text is a log.
func ImportPi(text []byte) (*Log, error) {
	log := &Log{}
	var cfg *ledger.Config
	segment, inSegment, number := 0, 0, 0
	for raw := range bytes.Lines(text) {
		number++
		raw = bytes.TrimSpace(raw)
		if len(raw) == 0 {
			continue
		}
		var l piLine
		if err := json.Unmarshal(raw, &l); err != nil && !bytes.HasPrefix(raw, []byte("{")) {
			log.note(number, "no JSON object, skipped")
			continue
		} else if err != nil && !json.Valid(raw) {
			log.note(number, "broken JSON, skipped")
			continue
		}
		if l.Type == "config" {
			c := &ledger.Config{}
			if err := json.Unmarshal(raw, c); err != nil {
				log.note(number, "config with values of other types: %v", err)
			}
			c.Type = "config"
			if c.BestDirection != "higher" {
				c.BestDirection = "lower"
			}
			if inSegment > 0 {
				segment, inSegment = segment+1, 0
			}
			cfg = c
			log.Entries = append(log.Entries, c)
			continue
		}
		if cfg == nil {
			cfg = &ledger.Config{Type: "config", BestDirection: "lower"}
			log.Entries = append(log.Entries, cfg)
			log.note(number, "no config before it, less is taken to be better")
		}
		row := log.piRow(number, raw, &l, cfg)
		if row == nil {
			continue
		}
		if row.Segment = segment; len(l.Segment) > 0 {
			if n, ok := integer(l.Segment); ok && n >= 0 {
				row.Segment, segment = n, max(segment, n)
			}
		}
		if last := log.Rows(); len(last) > 0 && row.Run <= last[len(last)-1].Run {
			log.note(number, "run %d comes again, it is %d here", row.Run, last[len(last)-1].Run+1)
			row.Run = last[len(last)-1].Run + 1
		}
		inSegment++
		log.Entries = append(log.Entries, row)
	}
	if len(log.Entries) == 0 {
		return nil, fmt.Errorf("no line of a pi log")
	}
	return log, nil
}

// piRow makes a row of a line, nil if it is none.
func (log *Log) piRow(number int, raw []byte, l *piLine, cfg *ledger.Config) *ledger.Row {
	row := &ledger.Row{}
	if err := json.Unmarshal(raw, row); err != nil {
		// Some value has another type; take what is usual and look at the rest below.
		row = &ledger.Row{}
		var plain struct {
			Commit      string          `json:"commit"`
			Description string          `json:"description"`
			ASI         json.RawMessage `json:"asi"`
		}
		json.Unmarshal(raw, &plain) // what does not fit stays empty
		row.Commit, row.Description, row.ASI = plain.Commit, plain.Description, plain.ASI
	}
	status := l.Status
	switch {
	case slices.Contains([]string{"hook", "phase", "sample", "event"}, l.Type):
		return nil
	case isNumber(l.Run):
		row.Run, _ = integer(l.Run)
	case len(l.ID) > 0 && (l.Decision != "" || l.Desc != ""):
		row.Run, _ = integer(l.ID)
		row.Description, status = l.Desc, l.Decision
		row.Timestamp = milliseconds(l.TS)
		log.note(number, "a row of the form id, desc, decision")
	case len(l.Experiment) > 0 && (len(l.Result) > 0 || l.Detail != ""):
		row.Run, _ = integer(l.Experiment)
		row.Description, status = l.Detail, word(l.Result)
		if v, ok := float(l.Result); ok {
			row.Metric, status = &v, ""
		}
		if row.Run == 0 {
			row.Description = strings.TrimSpace(word(l.Experiment) + " " + l.Detail)
		}
		log.note(number, "a row of the form experiment, result, detail")
	default:
		if l.Type == "" {
			log.note(number, "neither a config nor a run, skipped")
		}
		return nil
	}
	if row.Run < 1 {
		row.Run = 1
		if rows := log.Rows(); len(rows) > 0 {
			row.Run = rows[len(rows)-1].Run + 1
		}
	}
	row.Metrics = map[string]float64{}
	for name, text := range l.Metrics {
		if v, ok := float(text); ok {
			row.Metrics[name] = v
		} else {
			log.note(number, "metric %s is no number", name)
		}
	}
	if len(l.Metric) > 0 {
		row.Metric = nil
		if v, ok := float(l.Metric); ok {
			row.Metric = &v
		}
	} else if v, ok := row.Metrics[cfg.MetricName]; ok && row.Metric == nil {
		row.Metric = &v
		delete(row.Metrics, cfg.MetricName)
	}
	row.Status = log.piStatus(number, status)
	if row.Metric != nil && *row.Metric == 0 && row.Status != ledger.Keep {
		row.Metric = nil // pi's way of writing that there is none
	} else if row.Metric != nil && *row.Metric == 0 && cfg.BestDirection == "lower" {
		log.note(number, "run %d has the value 0: the best there is, or a benchmark that did not run", row.Run)
	}
	if row.Verdict == "" {
		row.Verdict = verdicts[row.Status]
	}
	if row.Commit != "" && !Commit().MatchString(row.Commit) {
		log.note(number, "%q is no commit", row.Commit)
	}
	return row
}

// Commit matches the names of commits, whole or shortened. Logs have other words in their place.
var Commit = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`^[0-9a-f]{7,64}$`) })

// piStatus is one of the four statuses.
func (log *Log) piStatus(number int, s string) string {
	switch strings.ReplaceAll(strings.ToLower(s), "-", "_") {
	case "keep", "kept", "accept", "accepted", "baseline":
		return ledger.Keep
	case "discard", "discarded", "reject", "rejected", "revert", "reverted", "no_op", "noop":
		return ledger.Discard
	case "crash", "crashed", "error", "metric_error":
		return ledger.Crash
	case "checks_failed", "hook_blocked":
		return ledger.ChecksFailed
	}
	log.note(number, "status %q is read as keep, as pi does", s)
	return ledger.Keep
}

func isNumber(raw json.RawMessage) bool {
	return len(raw) > 0 && (raw[0] >= '0' && raw[0] <= '9' || raw[0] == '-')
}

// integer reads a whole number, also one in quotes.
func integer(raw json.RawMessage) (int, bool) {
	n, err := strconv.Atoi(word(raw))
	return n, err == nil
}

// float reads a finite number, also one in quotes.
func float(raw json.RawMessage) (float64, bool) {
	v, err := strconv.ParseFloat(word(raw), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// word is a scalar without its quotes.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	return string(raw)
}

// milliseconds since 1970 of a number of seconds or of milliseconds; 0 of anything else.
func milliseconds(raw json.RawMessage) int64 {
	v, ok := float(raw)
	if !ok {
		return 0
	}
	if v < 1e11 {
		v *= 1000
	}
	return int64(v)
}

// ExportPi writes a log that pi reads: configs and rows, with pi's confidence and commits of seven digits. What
// pi does not know of a row stays in it, as it skips such keys.
func ExportPi(lines []ledger.Line) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	var cfg *ledger.Config
	var segment []*ledger.Row
	for _, line := range lines {
		switch {
		case line.Config != nil:
			c := *line.Config
			c.Type = "config"
			if cfg != nil {
				segment = nil
			}
			cfg = &c
			if err := enc.Encode(&c); err != nil {
				return nil, err
			}
		case line.Row != nil:
			r := *line.Row
			segment = append(segment, &r)
			if r.Metrics == nil {
				r.Metrics = map[string]float64{}
			}
			if Commit().MatchString(r.Commit) {
				r.Commit = r.Commit[:7]
			}
			if !slices.Contains([]string{ledger.Keep, ledger.Discard, ledger.Crash, ledger.ChecksFailed}, r.Status) {
				return nil, fmt.Errorf("run %d has the status %q, which pi takes for a keep", r.Run, r.Status)
			}
			r.Confidence = Confidence(segment, cfg != nil && cfg.BestDirection == "higher")
			if err := enc.Encode(&r); err != nil {
				return nil, err
			}
		}
	}
	return out.Bytes(), nil
}

// Confidence is the figure of that name in a pi log, behind the last of a segment's rows: the distance of the best kept
// value from the first one, in units of the median absolute deviation of all of them. As wins make that
// deviation larger, it says nothing about noise; pi shows it. Nil if there are less than three
// positive values, if the deviation is 0, or if none is better.
func Confidence(segment []*ledger.Row, higher bool) *float64 {
	var values []float64
	best := math.NaN()
	for _, r := range segment {
		if r.Metric == nil || *r.Metric <= 0 {
			continue
		}
		v := *r.Metric
		values = append(values, v)
		if r.Status == ledger.Keep && (math.IsNaN(best) || higher && v > best || !higher && v < best) {
			best = v
		}
	}
	if len(values) < 3 {
		return nil
	}
	median := measure.Median(values)
	deviations := make([]float64, len(values))
	for i, v := range values {
		deviations[i] = math.Abs(v - median)
	}
	spread := measure.Median(deviations)
	c := math.Abs(best-values[0]) / spread
	if spread == 0 || math.IsNaN(best) || best == values[0] {
		return nil
	}
	return &c
}
