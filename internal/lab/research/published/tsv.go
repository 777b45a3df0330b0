package published

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// tsv reads the table of karpathy/autoresearch, with tabs between the columns: commit, the metric
// under its name, memory_gb, status and description. The commit of the first row may be the word
// baseline. A crash has no value, whatever its column contains. A repeated header begins a segment.
// Comment lines begin with #.
func tsv(text []byte) ([]*ledger.Row, error) {
	var header []string
	var rows []*ledger.Row
	number := 0
	for line := range strings.Lines(string(text)) {
		number++
		line = strings.TrimRight(line, "\r\n")
		if strings.HasPrefix(line, "#") || strings.TrimSpace(line) == "" {
			continue
		}
		fields := strings.Split(line, "\t")
		if header == nil || fields[0] == header[0] {
			header = fields
			if len(header) < 4 || header[0] != "commit" || !slices.Contains(header, "status") {
				return nil, fmt.Errorf("line %d: %q is no header of a table of results", number, line)
			}
			continue
		}
		if n := len(header); len(fields) > n && header[n-1] == "description" {
			fields = append(fields[:n-1:n-1], strings.Join(fields[n-1:], " "))
		}
		row := &ledger.Row{Run: len(rows) + 1, Status: ledger.Keep}
		for i, text := range fields[:min(len(fields), len(header))] {
			text = strings.TrimSpace(text)
			switch header[i] {
			case "commit":
				row.Commit = text
			case "status":
				row.Status = status(text)
			case "description":
				row.Description = text
			default:
				if v, err := strconv.ParseFloat(text, 64); i == 1 && err == nil && !math.IsInf(v, 0) && !math.IsNaN(v) {
					row.Metric = &v
				}
			}
		}
		if row.Status == ledger.Crash {
			row.Metric = nil
		}
		rows = append(rows, row)
	}
	if header == nil {
		return nil, errors.New("the table has no header")
	}
	return rows, nil
}
