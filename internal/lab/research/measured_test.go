package research

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// A measuredChange changes the package in testdata/measured.txtar. The tests of that package accept
// all of them.
type measuredChange struct {
	name    string
	pairs   []string // old and new texts
	refusal string   // why it is wrong; empty: it is right
}

// wrongForTheBenchmark are right for the small inputs of tests, but not for what is measured.
var wrongForTheBenchmark = []measuredChange{
	{"a sample of the samples", []string{"\tsort.Float64s(s)\n", "\tif len(s) > 5000 {\n\t\tk := 0\n\t\tfor i := 0; i < len(s); i += 4 {\n\t\t\ts[k] = s[i]\n\t\t\tk++\n\t\t}\n\t\ts = s[:k]\n\t}\n\tsort.Float64s(s)\n"}, "stats.Median, as the package's benchmarks call it"},
	{"not all are scaled", []string{"\tfor i := range xs {\n\t\txs[i] /= most\n", "\tfor i := range xs[:min(len(xs), 5000)] {\n\t\txs[i] /= most\n"}, "stats.Scale, as the package's benchmarks call it"},
}

var rightForTheBenchmark = []measuredChange{
	{"room for the ranks", []string{"\tout := []int{}\n", "\tout := make([]int, 0, len(xs))\n"}, ""},
}

// TestMeasured: what is measured is compared, on the inputs with which it is measured.
func TestMeasured(t *testing.T) {
	byTurns(t)
	a, err := txtar.ParseFile(filepath.Join("testdata", "measured.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string]string{}
	for _, f := range a.Files {
		files[f.Name] = string(f.Data)
	}
	b := newBench(t)
	b.git("rm", "-rqf", ".")
	b.write(b.repo, files)
	b.git("add", "-A")
	b.git("commit", "-qm", "statistics")
	// The objective is better with each change, so that each meets the checks of a gain.
	changes := append(wrongForTheBenchmark[:len(wrongForTheBenchmark):len(wrongForTheBenchmark)], rightForTheBenchmark...)
	for i, x := range changes {
		text := strings.NewReplacer(x.pairs...).Replace(files["stats.go"])
		if text == files["stats.go"] {
			t.Fatalf("%s changes nothing", x.name)
		}
		patch := filePatch(t, x.name, "stats.go", files["stats.go"], text) + filePatch(t, "", fmt.Sprintf("gain%02d.go", i), "", "package stats\n")
		b.write(b.side, map[string]string{fmt.Sprintf("patches/%02d.patch", i): patch})
	}
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "gains", "from": "command", "class": "exact", "goal": "max", "run": []string{"sh", "-c", "echo METRIC gains=$(ls | wc -l)"}}}
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "."}}}
		c["statistics"] = map[string]any{"aaEvery": -1, "calibrate": 2, "plant": 0, "suspectFactor": 100}
	})
	_, rows := b.run(c)
	if len(rows) != len(changes) {
		t.Fatalf("%d rows of %d changes", len(rows), len(changes))
	}
	for i, x := range changes {
		r := rows[i]
		t.Logf("%s: %s %s (%.1f s)", x.name, r.Verdict, r.Reason, r.Seconds)
		if (x.refusal == "") != (r.Verdict == ledger.VerdictKeep) || !strings.Contains(r.Reason, x.refusal) {
			t.Errorf("%s: %s: %s", x.name, r.Verdict, r.Reason)
		}
	}
}
