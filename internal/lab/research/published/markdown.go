package published

import (
	"bytes"
	"errors"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// markdown reads the first table with a column for the status. The value is the first number in a
// column without a meaning of its own; a cell that is not a number, such as a dash, gives no value.
func markdown(text []byte) ([]*ledger.Row, error) {
	var head []string
	var rows []*ledger.Row
	for line := range bytes.Lines(text) {
		cells := strings.Split(strings.Trim(strings.TrimSpace(string(line)), "|"), "|")
		if !bytes.HasPrefix(bytes.TrimSpace(line), []byte("|")) {
			if len(rows) > 0 {
				break
			}
			head = nil
			continue
		}
		for i := range cells {
			cells[i] = strings.Trim(strings.TrimSpace(cells[i]), "`*")
		}
		if head == nil {
			for i := range cells {
				cells[i] = strings.ToLower(cells[i])
			}
			if slices.Contains(cells, "status") {
				head = cells
			}
			continue
		}
		if strings.Trim(strings.Join(cells, ""), ":- ") == "" {
			continue
		}
		row := &ledger.Row{Run: len(rows) + 1, Status: ledger.Discard}
		for i, cell := range cells[:min(len(cells), len(head))] {
			v, err := strconv.ParseFloat(strings.ReplaceAll(cell, ",", ""), 64)
			switch name := head[i]; {
			case name == "commit":
				if row.Commit = cell; strings.HasPrefix(cell, "[") {
					row.Commit, _, _ = strings.Cut(cell[1:], "]")
				}
				row.Commit = strings.Trim(row.Commit, "`")
			case name == "status":
				if strings.Contains(strings.ToLower(cell), "keep") || strings.Contains(strings.ToLower(cell), "kept") {
					row.Status = ledger.Keep
				}
			case name == "description" || name == "change" || name == "experiment":
				row.Description = cell
			case name == "#" || name == "number" || name == "run" || err != nil:
			case row.Metric == nil:
				row.Metric = &v
			}
		}
		if row.Description == "" || strings.EqualFold(row.Description, "baseline") {
			continue
		}
		rows = append(rows, row)
	}
	if len(rows) == 0 {
		return nil, errors.New("no table with a column named status")
	}
	return rows, nil
}
