package research

import (
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A Status is the state of a session, for programs.
type Status struct {
	Session  string             `json:"session"`
	Name     string             `json:"name,omitempty"`
	Base     string             `json:"base,omitempty"`
	Tip      string             `json:"tip,omitempty"` // of the branch
	Branch   string             `json:"branch"`
	Segment  int                `json:"segment"`
	Runs     int                `json:"runs"` // candidates of the segment
	Keeps    int                `json:"keeps"`
	Verdicts map[string]int     `json:"verdicts"`
	Current  map[string]float64 `json:"current"`  // values of the tip
	Baseline map[string]float64 `json:"baseline"` // values of the base
	Cost     float64            `json:"costUSD"`
	Seconds  float64            `json:"seconds"` // running time of the driver
	Alarms   int                `json:"alarms"`
	// why the last run of the driver ended; absent: it is running or was killed
	Stopped   string            `json:"stopped,omitempty"`
	Pending   int               `json:"pending,omitempty"` // the pending candidate
	Phase     string            `json:"phase,omitempty"`   // the step that it is in
	SinceKeep int               `json:"sinceKeep"`
	Settings  map[string]string `json:"settings,omitempty"` // of the tip, set by a sweep
	Queued    int               `json:"queued,omitempty"`   // candidates waiting after the pending one
	// seconds that the candidates waited for others that measure on the machine
	Waited float64 `json:"waited,omitempty"`
	// lines that the session did not write, and rows that contradict the repository
	Damage []string `json:"damage,omitempty"`
	// metrics for which the calibration missed a planted slow-down
	Unseen []string `json:"unseen,omitempty"`
}

// NewStatus reads a session's log.
func NewStatus(session string, lines []ledger.Line) (*Status, error) {
	st, err := newState(lines, "")
	if err != nil {
		return nil, err
	}
	out := &Status{Session: session, Branch: "research/" + session, Verdicts: map[string]int{},
		Baseline: map[string]float64{}, Current: map[string]float64{}}
	if st.segment == nil {
		return out, nil
	}
	out.Name, out.Base, out.Tip, out.Segment = st.segment.Name, st.segment.Base, st.tip, st.segments
	out.Runs, out.Keeps, out.Current = st.candidates(), len(st.keeps()), st.values()
	out.Cost, out.Seconds, out.Alarms, out.SinceKeep = st.cost, st.active.Round(time.Second).Seconds(), st.alarms,
		st.sinceKeep
	delete(out.Current, cpuMetric)
	out.Settings, out.Queued = st.settings, max(0, len(st.queue)-1)
	for _, p := range st.planted {
		if !p.Seen {
			out.Unseen = append(out.Unseen, p.Metric)
		}
	}
	if st.calibration != nil {
		out.Baseline = st.calibration.Values
	}
	for _, r := range st.current {
		out.Verdicts[r.Verdict]++
		out.Waited += r.Waited
	}
	for _, l := range lines {
		switch {
		case l.Event != nil && l.Event.Event == "start":
			out.Stopped = ""
		case l.Event != nil && l.Event.Event == "stop":
			out.Stopped = l.Event.Reason
		case l.Phase != nil:
			out.Phase = l.Phase.Phase
		}
	}
	if st.pending != nil {
		out.Pending = st.pendingID
	} else {
		out.Phase = ""
	}
	return out, nil
}

// RowLine is a row on one line, for a terminal, under the log segment's config.
func RowLine(r *ledger.Row, c *ledger.Config) string {
	if c == nil {
		c = &ledger.Config{}
	}
	objectives := []string{c.MetricName}
	for _, m := range c.Metrics {
		if m.Goal != "" && m.Name != c.MetricName {
			objectives = append(objectives, m.Name)
		}
	}
	return rowLine(r, objectives)
}
