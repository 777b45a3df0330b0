package exchange

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// memoryColumn is the third column of the table.
const memoryColumn = "memory_gb"

// ImportTSV reads the table of karpathy/autoresearch: commit, the metric under its name, memory_gb, status and
// description, with tabs between them. The commit of the first row may be the word baseline. A crash has no value,
// whatever stands there. Less is better unless higher is set, of which the table does not speak; a comment line of
// the form "# direction: higher" does. Other columns are metrics if they hold numbers.
func ImportTSV(text []byte, name string, higher bool) (*Log, error) {
	log := &Log{}
	cfg := &ledger.Config{Type: "config", Name: name, BestDirection: "lower"}
	if higher {
		cfg.BestDirection = "higher"
	}
	var header []string
	number, run, segment := 0, 0, 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if comment, ok := strings.CutPrefix(line, "#"); ok {
			if _, d, ok := strings.Cut(strings.ToLower(comment), "direction:"); ok {
				switch strings.Fields(d + " ?")[0] {
				case "higher", "higher_is_better", "max":
					cfg.BestDirection = "higher"
				case "lower", "lower_is_better", "min":
					cfg.BestDirection = "lower"
				}
			}
			continue
		}
		if strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, "\t")
		if header == nil || fields[0] == header[0] {
			if header = fields; len(log.Entries) > 0 { // another segment
				cfg = &ledger.Config{Type: "config", Name: name, BestDirection: "lower"}
				segment++
			}
			if len(header) < 4 || header[0] != "commit" || !slices.Contains(header, "status") {
				return nil, fmt.Errorf("line %d: %q is no header of a table of results", number, line)
			}
			cfg.MetricName = header[1]
			log.Entries = append(log.Entries, cfg)
			continue
		}
		run++
		row := log.tsvRow(number, run, header, fields)
		row.Segment = segment
		log.Entries = append(log.Entries, row)
	}
	if header == nil {
		return nil, fmt.Errorf("the table has no header")
	}
	return log, nil
}

func (log *Log) tsvRow(number, run int, header, fields []string) *ledger.Row {
	row := &ledger.Row{Run: run, Metrics: map[string]float64{}}
	if len(fields) < len(header) {
		log.note(number, "%d columns of %d", len(fields), len(header))
	}
	if n := len(header); len(fields) > n && header[n-1] == "description" {
		fields = append(fields[:n-1:n-1], strings.Join(fields[n-1:], " "))
	}
	baseline := false
	for i, text := range fields {
		text = strings.TrimSpace(text)
		if i >= len(header) {
			break
		}
		switch header[i] {
		case "commit":
			row.Commit = text
		case "status":
			row.Status = log.piStatus(number, text)
			baseline = baseline || strings.EqualFold(text, "baseline")
		case "description":
			row.Description = text
		default:
			v, err := strconv.ParseFloat(text, 64)
			switch {
			case err != nil || math.IsInf(v, 0) || math.IsNaN(v):
				if text != "" && text != "-" {
					log.note(number, "%s is %q, no number", header[i], text)
				}
			case i == 1:
				row.Metric = &v
			default:
				row.Metrics[header[i]] = v
			}
		}
	}
	if row.Status == "" {
		row.Status = log.piStatus(number, "")
	}
	row.Verdict = verdicts[row.Status]
	if baseline || row.Commit == "baseline" {
		row.Verdict = ledger.VerdictBaseline
	}
	if row.Status == ledger.Crash {
		row.Metric = nil
		delete(row.Metrics, memoryColumn) // 0.0, which it is not
	}
	return row
}

// ExportTSV writes the table, of several segments one behind the other, each with its header behind a comment line. What has no
// value is 0.000000, as there. A status that the table does not have is a discard, and the description says more.
func ExportTSV(lines []ledger.Line) ([]byte, error) {
	var cfg *ledger.Config
	var b strings.Builder
	clean := strings.NewReplacer("\t", " ", "\n", " ", "\r", " ")
	segment, rows := 0, 0
	header := func() {
		if segment++; segment > 1 {
			fmt.Fprintf(&b, "# segment %d: %s\n", segment, clean.Replace(cfg.Name))
		}
		if cfg.BestDirection == "higher" {
			b.WriteString("# direction: higher\n")
		}
		fmt.Fprintf(&b, "commit\t%s\t%s\tstatus\tdescription\n", cfg.MetricName, memoryColumn)
	}
	for _, l := range lines {
		if l.Config != nil {
			cfg, rows = l.Config, 0
		}
		if l.Row == nil || cfg == nil || cfg.MetricName == "" {
			continue
		}
		// A segment without rows is not there.
		if rows++; rows == 1 {
			header()
		}
		r, commit := l.Row, l.Row.Commit
		switch {
		case r.Verdict == ledger.VerdictBaseline && !Commit().MatchString(commit):
			commit = "baseline"
		case Commit().MatchString(commit):
			commit = commit[:7]
		}
		value := 0.0
		if r.Metric != nil {
			value = *r.Metric
		}
		status, description := r.Status, r.Description
		if status == ledger.ChecksFailed {
			status, description = ledger.Discard, description+" ("+cmp.Or(r.Verdict, r.Status)+")"
		}
		fmt.Fprintf(&b, "%s\t%s\t%s\t%s\t%s\n", clean.Replace(commit), digits(value, 6), digits(r.Metrics[memoryColumn], 1),
			status, clean.Replace(description))
	}
	if cfg == nil || cfg.MetricName == "" {
		return nil, fmt.Errorf("the log has no metric's name")
	}
	if segment == 0 {
		header()
	}
	return []byte(b.String()), nil
}

// digits prints a number with so many digits behind the point, or with as many as it needs.
func digits(v float64, n int) string {
	s := strconv.FormatFloat(v, 'f', n, 64)
	if w, err := strconv.ParseFloat(s, 64); err == nil && w == v {
		return s
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
