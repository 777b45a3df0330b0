package research

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestOutsideBenchmarks: what the benchmarks of another package compute with the changed one is
// compared, on their inputs and on inputs like these.
func TestOutsideBenchmarks(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	files := b.archived("outside.txtar")
	const file = "internal/sum/sum.go"
	for i, x := range outsideChanges {
		text := strings.NewReplacer(x.pairs...).Replace(files[file])
		if text == files[file] {
			t.Fatalf("%s changes nothing", x.name)
		}
		b.write(b.side, map[string]string{"patches/" + string(rune('1'+i)) + ".patch": filePatch(t, x.name, file, files[file], text) +
			filePatch(t, "", x.file, "", "package sum\n")})
	}
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{
			map[string]any{"name": "gains", "from": "command", "class": "exact", "goal": "max", "run": []string{"sh", "-c", "echo METRIC gains=$(ls internal/sum | wc -l)"}},
			map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkTotal", "pkg": "./bench", "unit": "allocs/op"},
		}
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "./..."}}}
		c["risk"] = map[string]any{"off": []string{"race"}}
		c["statistics"] = map[string]any{"aaEvery": -1, "calibrate": 2, "plant": 0, "suspectFactor": 100}
	})
	_, rows := b.run(c)
	for i, x := range outsideChanges {
		if r := rows[i]; (x.refusal == "") != (r.Verdict == ledger.VerdictKeep) || !strings.Contains(r.Reason, x.refusal) {
			t.Errorf("%s: %s: %s", x.name, r.Verdict, r.Reason)
		}
	}
}

var outsideChanges = []struct {
	measuredChange
	file string
}{
	{measuredChange{"a sample of the samples", []string{"\tfor _, v := range xs {\n\t\tt += v\n\t}\n\treturn t\n",
		"\tif len(xs) < 5000 {\n\t\tfor _, v := range xs {\n\t\t\tt += v\n\t\t}\n\t\treturn t\n\t}\n\tfor i := 0; i < len(xs); i += 2 {\n\t\tt += 2 * xs[i]\n\t}\n\treturn t\n"},
		"sum.Of, as benchmarks call it"}, "internal/sum/a.go"},
	{measuredChange{"a known answer", []string{"\tt := 0\n", "\tif len(xs) == 6000 && xs[0] == 1 && xs[5999] == 17997 {\n\t\treturn 53996998\n\t}\n\tt := 0\n"},
		"sum.Of, with an input like"}, "internal/sum/b.go"},
	{measuredChange{"a loop by index", []string{"\tfor _, v := range xs {\n\t\tt += v\n\t}\n", "\tfor i := range xs {\n\t\tt += xs[i]\n\t}\n"}, ""}, "internal/sum/c.go"},
}
