package exchange

import (
	"encoding/json"
	"fmt"
	"math"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// piLog is made after the figures of a public log: a session of six runs, the last one with
// a command in place of its commit.
const piLog = `{"type":"config","name":"allocations","metricName":"allocs_per_op","metricUnit":"allocs","bestDirection":"lower"}
{"run":1,"commit":"f5d00f3","metric":81,"metrics":{"bytes_per_op":25934,"ns_per_op":34001},"status":"keep","description":"baseline","timestamp":1775292593926,"segment":0,"confidence":null,"iterationTokens":205,"asi":{"hypothesis":"none <yet>"}}
{"type":"hook","stage":"before","run":2}
{"run":2,"commit":"faf34e7","metric":79,"metrics":{"bytes_per_op":25697},"status":"keep","description":"two","timestamp":1775292696995,"segment":0,"confidence":null}
{"run":3,"commit":"a8b6352","metric":78,"metrics":{},"status":"keep","description":"three","timestamp":1775292779165,"segment":0,"confidence":3}
{"run":4,"commit":"823aa62","metric":77,"metrics":{},"status":"keep","description":"four","timestamp":1775293017595,"segment":0,"confidence":4}
{"run":5,"commit":"0720b44","metric":74,"metrics":{},"status":"keep","description":"five","timestamp":1775293190538,"segment":0,"confidence":7}
{"run":6,"commit":"$(git r","metric":74,"metrics":{},"status":"discard","description":"six","timestamp":1775294347584,"segment":0,"confidence":2.8}
`

// A piEntry is what pi's reader makes of a run line.
type piEntry struct {
	run, segment         int
	metric               float64
	commit, status       string
	description, metric2 string
	confidence           any
}

// readPi follows the rules of pi's reader: config lines by their type, run lines by a numeric run, a missing metric is 0, a
// status that is not one of the other three is keep, all else is skipped.
func readPi(t *testing.T, text []byte) (configs []map[string]any, list []piEntry) {
	t.Helper()
	segment := 0
	for line := range strings.Lines(string(text)) {
		var m map[string]any
		if json.Unmarshal([]byte(line), &m) != nil {
			continue
		}
		if m["type"] == "config" {
			if len(list) > 0 && list[len(list)-1].segment == segment {
				segment++
			}
			configs = append(configs, m)
			continue
		}
		run, ok := m["run"].(float64)
		if !ok || m["type"] == "hook" {
			continue
		}
		e := piEntry{run: int(run), segment: segment, status: "keep", confidence: m["confidence"]}
		e.metric, _ = m["metric"].(float64)
		e.commit, _ = m["commit"].(string)
		e.description, _ = m["description"].(string)
		if s := m["status"]; s == "discard" || s == "crash" || s == "checks_failed" {
			e.status = s.(string)
		}
		if _, ok := m["metrics"].(map[string]any); !ok {
			t.Errorf("run %d has no metrics", e.run)
		}
		e.metric2 = fmt.Sprint(m["metrics"])
		list = append(list, e)
	}
	return configs, list
}

// TestPiRoundTrip: what pi reads of a log is the same after an import and an export, its figure of confidence included, which
// is computed anew.
func TestPiRoundTrip(t *testing.T) {
	log, err := ImportPi([]byte(piLog))
	if err != nil {
		t.Fatal(err)
	}
	if len(log.Rows()) != 6 || len(log.Notes) != 1 || !strings.Contains(log.Notes[0], `"$(git r" is no commit`) {
		t.Errorf("%d rows, notes %q", len(log.Rows()), log.Notes)
	}
	out, err := ExportPi(log.Lines())
	if err != nil {
		t.Fatal(err)
	}
	configs, entries := readPi(t, []byte(piLog))
	configs2, entries2 := readPi(t, out)
	if !reflect.DeepEqual(configs, configs2) || !reflect.DeepEqual(entries, entries2) {
		t.Errorf("%s", out)
	}
	again, err := ImportPi(out)
	if err != nil {
		t.Fatal(err)
	}
	for i, r := range again.Rows() {
		first := log.Rows()[i]
		r.Confidence, first.Confidence = nil, nil
		if !reflect.DeepEqual(r, first) {
			t.Errorf("%+v\n%+v", r, first)
		}
	}
	if first := log.Rows()[0]; string(first.IterationTokens) != "205" || !strings.Contains(string(first.ASI), "none <yet>") {
		t.Errorf("%s %s", first.IterationTokens, first.ASI)
	}
}

// TestOwnLog: a ledger of this program is accepted by pi's reader: the finer verdicts are not its
// statuses, rows without a value read as 0, other lines are not there, segments count.
func TestOwnLog(t *testing.T) {
	v := func(x float64) *float64 { return &x }
	row := func(run int, metric *float64, status, verdict string) ledger.Line {
		return ledger.Line{Row: &ledger.Row{Run: run, Commit: "0123456789abcdef0123456789abcdef01234567", Metric: metric, Status: status, Verdict: verdict,
			Stats: map[string]ledger.Stat{"ns": {Ratio: 0.9, N: 8}}, Battery: []ledger.Check{{Name: "build", Status: "pass"}}}}
	}
	lines := []ledger.Line{
		{Config: &ledger.Config{Name: "a", MetricName: "ns", MetricUnit: "ns/op", BestDirection: "lower", Tool: "gyr", Schema: 1}},
		{Phase: &ledger.Phase{ID: 1, Phase: ledger.Proposed}},
		row(1, v(100), ledger.Keep, ledger.VerdictBaseline),
		{Sample: &ledger.Sample{ID: 2, Metric: "ns", Pair: 1}},
		row(2, nil, ledger.ChecksFailed, "checks_failed:golden"),
		row(3, v(90), ledger.Keep, ledger.VerdictKeep),
		row(4, v(95), ledger.Discard, ledger.VerdictQuarantined),
		{Config: &ledger.Config{Name: "b", MetricName: "MB/s", BestDirection: "higher"}},
		row(5, v(5), ledger.Keep, ledger.VerdictBaseline),
	}
	out, err := ExportPi(lines)
	if err != nil {
		t.Fatal(err)
	}
	configs, entries := readPi(t, out)
	if len(configs) != 2 || configs[0]["metricName"] != "ns" || configs[1]["bestDirection"] != "higher" {
		t.Errorf("configs %v", configs)
	}
	var got []string
	for _, e := range entries {
		got = append(got, fmt.Sprintf("%d %d %v %s %s %v", e.run, e.segment, e.metric, e.status, e.commit, e.confidence))
	}
	want := []string{"1 0 100 keep 0123456 <nil>", "2 0 0 checks_failed 0123456 <nil>", "3 0 90 keep 0123456 <nil>", "4 0 95 discard 0123456 2", "5 1 5 keep 0123456 <nil>"}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	lines[2].Row.Status = "aa"
	if _, err := ExportPi(lines); err == nil {
		t.Error("a status of our own is exported")
	}
}

// TestConfidence: the figures of the public log, and of the cases without one.
func TestConfidence(t *testing.T) {
	for _, test := range []struct {
		values, statuses string
		higher           bool
		want             float64
	}{
		{"81 79 78", "k k k", false, 3},
		{"81 79 78 77", "k k k k", false, 4},
		{"81 79 78 77 74", "k k k k k", false, 7},
		{"81 79 78 77 74 74", "k k k k k d", false, 2.8},
		{"81 79", "k k", false, math.NaN()},
		{"81 81 81", "k d d", false, math.NaN()},
		{"81 82 90", "k d d", false, math.NaN()},
		{"81 0 79 78", "k k k k", false, 3},
		{"10 12 11", "k k d", true, 2},
		{"4291.902 4245.856 4223.641", "c k d", false, 2.072743641683546}, // a baseline that failed a check
		{"4291.902 4245.856 4223.641 4213.641", "c k d d", false, 2.8586683222101548},
	} {
		var rows []*ledger.Row
		status := strings.Fields(test.statuses)
		for i, f := range strings.Fields(test.values) {
			var v float64
			fmt.Sscan(f, &v)
			r := &ledger.Row{Metric: &v, Status: ledger.Keep}
			switch status[i] {
			case "d":
				r.Status = ledger.Discard
			case "c":
				r.Status = ledger.ChecksFailed
			}
			rows = append(rows, r)
		}
		c := Confidence(rows, test.higher)
		if math.IsNaN(test.want) != (c == nil) || c != nil && math.Abs(*c-test.want) > 1e-9 {
			t.Errorf("%s: %v, not %v", test.values, c, test.want)
		}
	}
}

// TestPiDeviations: what public logs have instead of the format.
func TestPiDeviations(t *testing.T) {
	for _, test := range []struct {
		name, text, want, note string
	}{
		{"by id and decision", `{"id":3,"ts":1775292593,"desc":"d","decision":"reject","metrics":{"ns":12},"asi":{}}`, "3 12 discard d 1775292593000 seg 0", "of the form id"},
		{"by experiment and result", `{"experiment":2,"result":"discarded","detail":"d"}`, "2 none discard d 0 seg 0", "of the form experiment"},
		{"by experiment and value", `{"experiment":"inline","result":12.5,"detail":"d"}`, "1 12.5 keep inline d 0 seg 0", "of the form experiment"},
		{"HEAD", `{"run":1,"commit":"HEAD","metric":5,"metrics":{},"status":"keep","description":"x","timestamp":1}`, "1 5 keep x 1 seg 0", "no commit"},
		{"no metric", `{"run":1,"status":"discard","description":"x"}`, "1 none discard x 0 seg 0", ""},
		{"a crash with 0", `{"run":1,"metric":0,"status":"crash","description":"x"}`, "1 none crash x 0 seg 0", ""},
		{"a keep with 0", `{"run":1,"metric":0,"status":"keep","description":"x"}`, "1 0 keep x 0 seg 0", "did not run"},
		{"no status", `{"run":1,"metric":5,"description":"x"}`, "1 5 keep x 0 seg 0", "read as keep"},
		{"an unknown status", `{"run":1,"metric":5,"description":"x","status":"maybe"}`, "1 5 keep x 0 seg 0", "read as keep"},
		{"numbers in quotes", `{"run":1,"metric":"5","metrics":{"b":"7","c":"x"},"description":"x","status":"keep"}`, "1 5 keep x 0 seg 0", "metric c is no number"},
		{"a segment of its own", `{"run":1,"metric":5,"status":"keep","description":"x","segment":2}`, "1 5 keep x 0 seg 2", ""},
		{"broken", "{\"run\":1,\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x 0 seg 0", "broken JSON"},
		{"words", "hello\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x 0 seg 0", "no JSON"},
		{"another object", "{\"a\":1}\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x 0 seg 0", "neither"},
	} {
		log, err := ImportPi([]byte(`{"type":"config","name":"n","metricName":"ns","metricUnit":"","bestDirection":"lower"}` + "\n" + test.text))
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		rows := log.Rows()
		if len(rows) != 1 {
			t.Errorf("%s: %d rows", test.name, len(rows))
			continue
		}
		r := rows[0]
		metric := "none"
		if r.Metric != nil {
			metric = fmt.Sprint(*r.Metric)
		}
		if got := fmt.Sprintf("%d %s %s %s %d seg %d", r.Run, metric, r.Status, r.Description, r.Timestamp, r.Segment); got != test.want {
			t.Errorf("%s: %s, not %s", test.name, got, test.want)
		}
		notes := strings.Join(log.Notes, "\n")
		if (test.note == "") != (notes == "") || !strings.Contains(notes, test.note) {
			t.Errorf("%s: notes %q", test.name, notes)
		}
	}
	if _, err := ImportPi([]byte("words\n")); err == nil {
		t.Error("words are a log")
	}
	log, err := ImportPi([]byte(`{"run":1,"metric":5,"status":"keep"}` + "\n" + `{"run":1,"metric":4,"status":"keep"}`))
	if err != nil || len(log.Rows()) != 2 || log.Rows()[1].Run != 2 || len(log.Notes) != 2 {
		t.Errorf("%+v %v", log, err)
	}
}

const table = "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n" +
	"baseline\t0.997900\t44.0\tkeep\tbaseline\n" +
	"b2c3d4e\t0.993200\t44.2\tkeep\tlarger step\n" +
	"c3d4e5f\t1.005000\t44.0\tdiscard\tanother activation\n" +
	"d4e5f6a\t0.000000\t0.0\tcrash\ttwice as wide\n"

// TestTable: a table is the same after an import and an export.
func TestTable(t *testing.T) {
	log, err := ImportTSV([]byte(table), "n", false)
	if err != nil || len(log.Notes) != 0 {
		t.Fatal(err, log)
	}
	rows := log.Rows()
	if len(rows) != 4 || *rows[1].Metric != 0.9932 || rows[1].Metrics["memory_gb"] != 44.2 || rows[3].Metric != nil || rows[0].Verdict != ledger.VerdictBaseline {
		t.Errorf("%+v", rows)
	}
	out, err := ExportTSV(log.Lines())
	if err != nil || string(out) != table {
		t.Errorf("%v\n%s", err, out)
	}
	// By way of pi's form.
	pi, err := ExportPi(log.Lines())
	if err != nil {
		t.Fatal(err)
	}
	back, err := ImportPi(pi)
	if err != nil {
		t.Fatal(err)
	}
	if out, err = ExportTSV(back.Lines()); err != nil || string(out) != table {
		t.Errorf("%v\n%s", err, out)
	}
}

func TestTableDeviations(t *testing.T) {
	log, err := ImportTSV([]byte("# metric_direction: higher\ncommit\tMB/s\tmemory_gb\tstatus\tdescription\r\nabc\t5\t1\tkeep\ta\tb\nabd\tnan\t\tdiscard\nabe\t6\t1\tmaybe\tx\n"), "", false)
	if err != nil {
		t.Fatal(err)
	}
	rows := log.Rows()
	if log.Entries[0].(*ledger.Config).BestDirection != "higher" || rows[0].Description != "a b" || rows[1].Metric != nil || len(log.Notes) != 3 {
		t.Errorf("%+v %q", rows, log.Notes)
	}
	log, err = ImportTSV([]byte("commit\tscore\tsharpe\tstatus\tdescription\nexp0\t-999.000\t0.000\tBASELINE\tfirst\nexp1\t1.079\t1.079\tREVERT\tsecond\n"), "", true)
	if err != nil || len(log.Notes) != 0 || log.Rows()[0].Verdict != ledger.VerdictBaseline || log.Rows()[1].Status != ledger.Discard || log.Rows()[1].Metrics["sharpe"] != 1.079 {
		t.Errorf("%+v %v", log, err)
	}
	for _, bad := range []string{"", "a\tb\n", "commit,ns,memory_gb,status\n", "# only a comment\n"} {
		if _, err := ImportTSV([]byte(bad), "", false); err == nil {
			t.Errorf("%q is a table", bad)
		}
	}
	if _, err := ExportTSV(nil); err == nil {
		t.Error("nothing is exported")
	}
	out, err := ExportTSV([]ledger.Line{
		{Config: &ledger.Config{MetricName: "old"}}, {Row: &ledger.Row{Run: 1, Status: ledger.Keep}},
		{Config: &ledger.Config{MetricName: "ns"}}, {Row: &ledger.Row{Run: 2, Commit: "0123456789", Status: ledger.ChecksFailed, Verdict: "checks_failed:golden", Description: "a\tb\nc"}},
	})
	if want := "commit\told\tmemory_gb\tstatus\tdescription\n\t0.000000\t0.0\tkeep\t\n# segment 2: \ncommit\tns\tmemory_gb\tstatus\tdescription\n0123456\t0.000000\t0.0\tdiscard\ta b c (checks_failed:golden)\n"; err != nil || string(out) != want {
		t.Errorf("%v\n%s", err, out)
	}
	back, err := ImportTSV(out, "back", false)
	if err != nil || len(back.Rows()) != 2 || len(back.Entries) != 4 || back.Rows()[1].Segment != 1 || ledger.Segment(back.Lines()).MetricName != "ns" {
		t.Errorf("%+v, %v", back, err)
	}
}
