package published

import (
	"bytes"
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A piLine has every meaningful key of a line of a pi log, or of a similar log. In some logs the
// values have other types than pi's.
type piLine struct {
	Type        json.RawMessage `json:"type"`
	MetricName  json.RawMessage `json:"metricName"` // in a config
	Run         json.RawMessage `json:"run"`
	Commit      json.RawMessage `json:"commit"`
	Description json.RawMessage `json:"description"`
	Status      json.RawMessage `json:"status"`
	Metric      json.RawMessage `json:"metric"`
	Metrics     json.RawMessage `json:"metrics"`

	// In a fork of vitess.
	ID       json.RawMessage `json:"id"`
	Desc     json.RawMessage `json:"desc"`
	Decision json.RawMessage `json:"decision"`

	// In logs written by hand.
	Experiment json.RawMessage `json:"experiment"`
	Result     json.RawMessage `json:"result"`
	Detail     json.RawMessage `json:"detail"`
}

// pi reads a log of pi-autoresearch as its own reader does: it skips lines that are not JSON and
// lines of unknown kinds. Unlike that reader it leaves a missing value missing. It also accepts
// rows of other shapes that occur in public logs. It returns an error if the text contains no line
// of a log.
func pi(text []byte) ([]*ledger.Row, error) {
	var rows []*ledger.Row
	metric, log := "", false
	for raw := range bytes.Lines(text) {
		var l piLine
		if json.Unmarshal(raw, &l) != nil {
			continue
		}
		if word(l.Type) == "config" {
			metric, log = word(l.MetricName), true
			continue
		}
		row := l.row(metric)
		if row == nil {
			continue
		}
		if n := len(rows); row.Run < 1 || n > 0 && row.Run <= rows[n-1].Run {
			row.Run = 1
			if n > 0 {
				row.Run = rows[n-1].Run + 1
			}
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 && !log {
		return nil, errors.New("no line of a pi log")
	}
	return rows, nil
}

// row makes a row of a line, nil if the line is not one. metric is the objective of the config
// before it.
func (l *piLine) row(metric string) *ledger.Row {
	row := &ledger.Row{Commit: word(l.Commit), Description: word(l.Description)}
	said := word(l.Status)
	if v, ok := float(l.Metric); ok {
		row.Metric = &v
	}
	switch {
	case slices.Contains([]string{"hook", "phase", "sample", "event"}, word(l.Type)):
		return nil
	case len(l.Run) > 0 && (l.Run[0] >= '0' && l.Run[0] <= '9' || l.Run[0] == '-'):
		row.Run = integer(l.Run)
	case len(l.ID) > 0 && len(l.Decision)+len(l.Desc) > 0:
		row.Run, row.Description, said = integer(l.ID), word(l.Desc), word(l.Decision)
	case len(l.Experiment) > 0 && len(l.Result)+len(l.Detail) > 0:
		row.Run, row.Description, said = integer(l.Experiment), word(l.Detail), word(l.Result)
		if v, ok := float(l.Result); ok {
			row.Metric, said = &v, ""
		}
		if row.Run == 0 {
			row.Description = strings.TrimSpace(word(l.Experiment) + " " + row.Description)
		}
	default:
		return nil
	}
	var metrics map[string]json.RawMessage
	if len(l.Metric) == 0 && row.Metric == nil && json.Unmarshal(l.Metrics, &metrics) == nil {
		if v, ok := float(metrics[metric]); ok {
			row.Metric = &v
		}
	}
	row.Status = status(said)
	if row.Metric != nil && *row.Metric == 0 && row.Status != ledger.Keep {
		row.Metric = nil // pi's notation for no value
	}
	return row
}

// integer reads a whole number, also in quotes; 0 if it is not one.
func integer(raw json.RawMessage) int {
	n, _ := strconv.Atoi(word(raw))
	return n
}

// float reads a finite number, also in quotes.
func float(raw json.RawMessage) (float64, bool) {
	v, err := strconv.ParseFloat(word(raw), 64)
	return v, err == nil && !math.IsInf(v, 0) && !math.IsNaN(v)
}

// word is a scalar without its quotes; empty for null, an object or a list.
func word(raw json.RawMessage) string {
	var s string
	if json.Unmarshal(raw, &s) == nil {
		return s
	}
	if strings.ContainsAny(string(raw[:min(len(raw), 1)]), "[{n") {
		return ""
	}
	return string(raw)
}
