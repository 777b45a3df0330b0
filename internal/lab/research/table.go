package research

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/gyrvm/gyr/internal/lab/research/exchange"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// ReadLog reads a log of pi-autoresearch (.jsonl) or a table of karpathy/autoresearch
// (.tsv), by the file's name.
func ReadLog(name string, text []byte) (*exchange.Log, error) {
	switch filepath.Ext(name) {
	case ".jsonl", ".json":
		return exchange.ImportPi(text)
	case ".tsv":
		return exchange.ImportTSV(text, strings.TrimSuffix(filepath.Base(name), ".tsv"), false)
	}
	return nil, fmt.Errorf("%s is neither .jsonl nor .tsv", name)
}

// ReadTable reads the rows of a published table: those of ReadLog, or a table in
// Markdown (.md) with columns named commit, status and description, and others.
func ReadTable(name string, text []byte) ([]*ledger.Row, error) {
	if filepath.Ext(name) == ".md" {
		return markdownTable(text)
	}
	log, err := ReadLog(name, text)
	if err != nil {
		return nil, err
	}
	rows := log.Rows()
	if len(rows) > 0 && (rows[0].Commit == "baseline" || strings.EqualFold(rows[0].Description, "baseline")) {
		rows = rows[1:]
	}
	return rows, nil
}

// markdownTable reads the first table that has a column for the status. Where a row
// has no number, as a dash, it has no commit or value.
func markdownTable(text []byte) ([]*ledger.Row, error) {
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
		row := &ledger.Row{Run: len(rows) + 1, Status: ledger.Discard, Metrics: map[string]float64{}}
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
			default:
				row.Metrics[name] = v
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

// Import begins a session with what was imported. The session must not exist.
func Import(repo *gitx.Repo, session string, log *exchange.Log) error {
	if session != slug(session) {
		return fmt.Errorf("%q is no name of small letters, digits and dashes", session)
	}
	file := LogFile(repo, session)
	if _, err := os.Stat(file); err == nil {
		return fmt.Errorf("session %s exists already", session)
	}
	l, err := ledger.Open(file, "")
	if err != nil {
		return err
	}
	for _, e := range log.Entries {
		if err := l.Append(e); err != nil {
			return errors.Join(err, l.Close())
		}
	}
	return l.Close()
}
