package ledger

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func value(x float64) *float64 { return &x }

// write appends one line of each kind to a new log.
func write(t *testing.T, name, mirror string) []any {
	t.Helper()
	lines := []any{
		&Config{Name: "s", MetricName: "allocs", MetricUnit: "allocs/op", BestDirection: "lower", Schema: Schema},
		&Event{Event: "start", Timestamp: 1},
		&Phase{ID: 1, Phase: Proposed, Data: json.RawMessage(`{"tree":"x"}`)},
		&Sample{ID: 1, Stage: StageMeasure, Metric: "allocs", Pair: 1, Parent: value(3), Candidate: value(0)},
		&Row{Run: 1, Commit: "1234567", Metric: value(0), Status: Keep, Description: "none left", Verdict: VerdictKeep},
	}
	l, err := Open(name, mirror)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, v := range lines {
		if err := l.Append(v); err != nil {
			t.Fatal(err)
		}
	}
	return lines
}

// TestTorn cuts a log at every byte. Reading gives the whole lines before the cut, and a log opened
// there continues it.
func TestTorn(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "log.jsonl")
	want := write(t, name, "")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for n := range len(text) + 1 {
		lines, size, err := Read(text[:n])
		if err != nil || len(lines) != bytes.Count(text[:n], []byte("\n")) {
			t.Fatalf("cut at %d: %d lines, %v", n, len(lines), err)
		}
		if n > 0 && size != int64(bytes.LastIndexByte(text[:n], '\n')+1) {
			t.Fatalf("cut at %d: whole lines end at %d", n, size)
		}
	}
	cut := filepath.Join(dir, "cut.jsonl")
	if err := os.WriteFile(cut, text[:len(text)-5], 0o666); err != nil {
		t.Fatal(err)
	}
	l, err := Open(cut, "")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if err := l.Append(want[len(want)-1]); err != nil {
		t.Fatal(err)
	}
	if got, _ := os.ReadFile(cut); !bytes.Equal(got, text) {
		t.Errorf("continued log:\n%s\nwant\n%s", got, text)
	}
}

// TestBroken: a broken line before the last is an error that names it.
func TestBroken(t *testing.T) {
	_, _, err := Read([]byte("{\"type\":\"event\"}\n{\"type\":\n{\"type\":\"event\"}\n"))
	if err == nil || !strings.Contains(err.Error(), "line 2") {
		t.Errorf("error %v", err)
	}
}

// TestPi reads a log by the rules of pi's reader. It sees the config and the rows, and no other
// line counts as a result.
func TestPi(t *testing.T) {
	dir := t.TempDir()
	name, mirror := filepath.Join(dir, "log.jsonl"), filepath.Join(dir, ".auto", "log.jsonl")
	write(t, name, mirror)
	for _, file := range []string{name, mirror} {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		configs, runs := 0, 0
		for line := range bytes.Lines(text) {
			var m map[string]any
			if err := json.Unmarshal(line, &m); err != nil {
				t.Fatal(err)
			}
			if m["type"] == "config" {
				configs++
			}
			if run, ok := m["run"].(float64); ok {
				runs++
				if run != 1 || m["status"] != Keep || m["metric"] != 0.0 {
					t.Errorf("%s: row %s", file, line)
				}
			}
		}
		if configs != 1 || runs != 1 {
			t.Errorf("%s: %d configs, %d runs", file, configs, runs)
		}
	}
	again, err := Open(name, mirror)
	if err != nil {
		t.Fatal(err)
	}
	defer again.Close()
	if text, _ := os.ReadFile(mirror); bytes.Count(text, []byte("\n")) != 2 {
		t.Errorf("mirror after opening again:\n%s", text)
	}
}

// TestRefused: a row that pi's readers would mistake for a keep is not written.
func TestRefused(t *testing.T) {
	l, err := Open(filepath.Join(t.TempDir(), "log.jsonl"), "")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	for _, v := range []any{&Row{Run: 1, Status: "no_effect"}, &Row{Status: Keep}, "text"} {
		if err := l.Append(v); err == nil {
			t.Errorf("%+v is written", v)
		}
	}
	if len(l.Lines()) != 0 {
		t.Errorf("%d lines", len(l.Lines()))
	}
}

// TestRestore: any foreign change to the file is found and undone.
func TestRestore(t *testing.T) {
	for name, harm := range map[string]func(file string) error{
		"nothing": func(string) error { return nil },
		"appended": func(file string) error {
			return appendTo(file, []byte("{\"run\":9,\"status\":\"keep\"}\n"))
		},
		"cut":     func(file string) error { return os.Truncate(file, 10) },
		"removed": os.Remove,
		"replaced": func(file string) error {
			text, err := os.ReadFile(file)
			if err != nil {
				return err
			}
			if err := os.Remove(file); err != nil {
				return err
			}
			return os.WriteFile(file, text, 0o666)
		},
	} {
		file := filepath.Join(t.TempDir(), "log.jsonl")
		lines := write(t, file, "")
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		l, err := Open(file, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := harm(file); err != nil {
			t.Fatal(err)
		}
		if changed, err := l.Restore(); err != nil || changed != (name != "nothing") {
			t.Errorf("%s: changed %v, %v", name, changed, err)
		}
		if err := l.Append(lines[1]); err != nil {
			t.Error(err)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.HasPrefix(text, want) || bytes.Count(text, []byte("\n")) != len(lines)+1 {
			t.Errorf("%s: %v, the log is\n%s", name, err, text)
		}
		l.Close()
	}
}
