package published

import (
	"fmt"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// piLog imitates a public log: a session of six runs, the last one with a command in place of its
// commit.
const piLog = `{"type":"config","name":"allocations","metricName":"allocs_per_op","metricUnit":"allocs","bestDirection":"lower"}
{"run":1,"commit":"f5d00f3","metric":81,"metrics":{"bytes_per_op":25934,"ns_per_op":34001},"status":"keep","description":"baseline","timestamp":1775292593926,"segment":0,"confidence":null,"iterationTokens":205,"asi":{"hypothesis":"none <yet>"}}
{"type":"hook","stage":"before","run":2}
{"run":2,"commit":"faf34e7","metric":79,"metrics":{"bytes_per_op":25697},"status":"keep","description":"two","timestamp":1775292696995,"segment":0,"confidence":null}
{"run":3,"commit":"a8b6352","metric":78,"metrics":{},"status":"keep","description":"three","timestamp":1775292779165,"segment":0,"confidence":3}
{"run":4,"commit":"823aa62","metric":77,"metrics":{},"status":"keep","description":"four","timestamp":1775293017595,"segment":0,"confidence":4}
{"run":5,"commit":"0720b44","metric":74,"metrics":{},"status":"keep","description":"five","timestamp":1775293190538,"segment":0,"confidence":7}
{"run":6,"commit":"$(git r","metric":74,"metrics":{},"status":"discard","description":"six","timestamp":1775294347584,"segment":0,"confidence":2.8}
`

// print prints a row.
func print(r *ledger.Row) string {
	metric := "none"
	if r.Metric != nil {
		metric = fmt.Sprint(*r.Metric)
	}
	return fmt.Sprintf("%d %s %s %s", r.Run, metric, r.Status, r.Description)
}

func read(t *testing.T, name, text string) []*ledger.Row {
	t.Helper()
	rows, err := Read(name, []byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// TestPi: the rows of a log without the baseline and without lines that are no rows.
func TestPi(t *testing.T) {
	rows := read(t, "log.jsonl", piLog)
	if len(rows) != 5 || print(rows[0]) != "2 79 keep two" || rows[0].Commit != "faf34e7" || print(rows[4]) != "6 74 discard six" || rows[4].Commit != "$(git r" {
		t.Errorf("%+v", rows)
	}
}

// TestPiDeviations: deviations of public logs from the format.
func TestPiDeviations(t *testing.T) {
	for _, test := range []struct{ name, text, want string }{
		{"by id and decision", `{"id":3,"ts":1775292593,"desc":"d","decision":"reject","metrics":{"ns":12},"asi":{}}`, "3 12 discard d"},
		{"by experiment and result", `{"experiment":2,"result":"discarded","detail":"d"}`, "2 none discard d"},
		{"by experiment and value", `{"experiment":"inline","result":12.5,"detail":"d"}`, "1 12.5 keep inline d"},
		{"HEAD", `{"run":1,"commit":"HEAD","metric":5,"metrics":{},"status":"keep","description":"x","timestamp":1}`, "1 5 keep x"},
		{"no metric", `{"run":1,"status":"discard","description":"x"}`, "1 none discard x"},
		{"a crash with 0", `{"run":1,"metric":0,"status":"crash","description":"x"}`, "1 none crash x"},
		{"a keep with 0", `{"run":1,"metric":0,"status":"keep","description":"x"}`, "1 0 keep x"},
		{"no status", `{"run":1,"metric":5,"description":"x"}`, "1 5 keep x"},
		{"an unknown status", `{"run":1,"metric":5,"description":"x","status":"maybe"}`, "1 5 keep x"},
		{"numbers in quotes", `{"run":1,"metric":"5","metrics":{"b":"7","c":"x"},"description":"x","status":"keep"}`, "1 5 keep x"},
		{"broken", "{\"run\":1,\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x"},
		{"words", "hello\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x"},
		{"another object", "{\"a\":1}\n{\"run\":2,\"metric\":5,\"status\":\"keep\",\"description\":\"x\"}", "2 5 keep x"},
		{"another name for the metric", `{"run":1,"metrics":{"ns":7},"description":"x"}`, "1 7 keep x"},
	} {
		rows := read(t, "log.jsonl", `{"type":"config","name":"n","metricName":"ns","metricUnit":"","bestDirection":"lower"}`+"\n"+test.text)
		if len(rows) != 1 || print(rows[0]) != test.want {
			t.Errorf("%s: %v, not %s", test.name, rows, test.want)
		}
	}
	rows := read(t, "log.jsonl", `{"run":1,"metric":5,"status":"keep"}`+"\n"+`{"run":1,"metric":4,"status":"keep"}`)
	if len(rows) != 2 || rows[1].Run != 2 {
		t.Errorf("%v", rows)
	}
}

const table = "commit\tval_bpb\tmemory_gb\tstatus\tdescription\n" +
	"baseline\t0.997900\t44.0\tkeep\tbaseline\n" +
	"b2c3d4e\t0.993200\t44.2\tkeep\tlarger step\n" +
	"c3d4e5f\t1.005000\t44.0\tdiscard\tanother activation\n" +
	"d4e5f6a\t0.000000\t0.0\tcrash\ttwice as wide\n"

// TestTable: the table of karpathy/autoresearch without its baseline.
func TestTable(t *testing.T) {
	rows := read(t, "results.tsv", table)
	for i, want := range []string{"2 0.9932 keep larger step", "3 1.005 discard another activation", "4 none crash twice as wide"} {
		if len(rows) != 3 || print(rows[i]) != want {
			t.Fatalf("%v, want %s", rows, want)
		}
	}
}

func TestTableDeviations(t *testing.T) {
	for _, test := range []struct {
		text string
		want []string
	}{
		{"# metric_direction: higher\ncommit\tMB/s\tmemory_gb\tstatus\tdescription\r\nabc\t5\t1\tkeep\ta\tb\nabd\tnan\t\tdiscard\nabe\t6\t1\tmaybe\tx\n",
			[]string{"1 5 keep a b", "2 none discard ", "3 6 keep x"}},
		{"commit\tscore\tsharpe\tstatus\tdescription\nexp0\t-999.000\t0.000\tBASELINE\tfirst\nexp1\t1.079\t1.079\tREVERT\tsecond\n",
			[]string{"1 -999 keep first", "2 1.079 discard second"}},
		{"commit\told\tmemory_gb\tstatus\tdescription\na\t2\t0.0\tkeep\tx\n# segment 2: \ncommit\tns\tmemory_gb\tstatus\tdescription\n0123456\t0.5\t0.0\tdiscard\ta b\n",
			[]string{"1 2 keep x", "2 0.5 discard a b"}},
	} {
		rows := read(t, "x.tsv", test.text)
		if len(rows) != len(test.want) {
			t.Fatalf("%d rows of %q", len(rows), test.text)
		}
		for i, want := range test.want {
			if got := print(rows[i]); got != want {
				t.Errorf("%q, want %q", got, want)
			}
		}
	}
}

// TestNoTable: a text without a table is an error.
func TestNoTable(t *testing.T) {
	for _, x := range [][2]string{{"a.jsonl", "words\n"}, {"a.tsv", ""}, {"a.tsv", "a\tb\n"}, {"a.tsv", "commit,ns,memory_gb,status\n"}, {"a.tsv", "# only a comment\n"},
		{"a.md", "| a | b |\n"}, {"a.txt", table}} {
		if rows, err := Read(x[0], []byte(x[1])); err == nil {
			t.Errorf("%q is a table: %v", x[1], rows)
		}
	}
}
