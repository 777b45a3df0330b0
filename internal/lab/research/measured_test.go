package research

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

var measuredOnly = flag.String("measured.only", "", "only those changes whose name contains it")

// A measuredChange changes the package in testdata/measured.txtar. The tests of that package accept
// all of them.
type measuredChange struct {
	name    string
	pairs   []string // old and new texts
	refusal string   // why it is wrong; empty: it is right
}

// wrongForTheBenchmark are right for the small inputs of tests, but not for what is measured.
var wrongForTheBenchmark = []measuredChange{
	{"a sample of the samples", []string{"\tsort.Float64s(s)\n", "\tif len(s) > 5000 {\n\t\tk := 0\n\t\tfor i := 0; i < len(s); i += 4 {\n\t\t\ts[k] = s[i]\n\t\t\tk++\n\t\t}\n\t\ts = s[:k]\n\t}\n\tsort.Float64s(s)\n"}, "stats.Median, as benchmarks call it"},
	{"not all are scaled", []string{"\tfor i := range xs {\n\t\txs[i] /= most\n", "\tfor i := range xs[:min(len(xs), 5000)] {\n\t\txs[i] /= most\n"}, "stats.Scale, as benchmarks call it"},
}

// rightForTheBenchmark are right.
var rightForTheBenchmark = []measuredChange{
	{"a selection that knows NaN", []string{"\tsort.Float64s(s)\n\tm := len(s) / 2\n\tif len(s)%2 == 1 {\n\t\treturn s[m], nil\n\t}\n\treturn (s[m-1] + s[m]) / 2, nil\n}\n",
		"\tm := len(s) / 2\n\thi := pick(s, m)\n\tif len(s)%2 == 1 {\n\t\treturn hi, nil\n\t}\n\treturn (slices.MaxFunc(s[:m], cmp.Compare[float64]) + hi) / 2, nil\n}\n\n" +
			"// pick puts the k smallest first.\nfunc pick(s []float64, k int) float64 {\n\tlo, hi := 0, len(s)-1\n\tfor lo < hi {\n\t\tp := s[lo+(hi-lo)/2]\n\t\ti, j := lo, hi\n\t\tfor i <= j {\n\t\t\tfor cmp.Less(s[i], p) {\n\t\t\t\ti++\n\t\t\t}\n\t\t\tfor cmp.Less(p, s[j]) {\n\t\t\t\tj--\n\t\t\t}\n\t\t\tif i <= j {\n\t\t\t\ts[i], s[j] = s[j], s[i]\n\t\t\t\ti++\n\t\t\t\tj--\n\t\t\t}\n\t\t}\n\t\tif k <= j {\n\t\t\thi = j\n\t\t} else if k >= i {\n\t\t\tlo = i\n\t\t} else {\n\t\t\tbreak\n\t\t}\n\t}\n\treturn s[k]\n}\n",
		"import (\n", "import (\n\t\"cmp\"\n\t\"slices\"\n"}, ""},
	{"words in one piece of memory", []string{"\tl := &List{}\n\tfor _, w := range strings.Fields(s) {\n\t\tl.Words = append(l.Words, []byte(w))\n\t}\n", "\tl, all := &List{}, []byte(s)\n\tfor _, w := range strings.Fields(s) {\n\t\tn := copy(all, w)\n\t\tl.Words = append(l.Words, all[:n:n])\n\t\tall = all[n:]\n\t}\n"}, ""},
	{"room for the ranks", []string{"\tout := []int{}\n", "\tout := make([]int, 0, len(xs))\n"}, ""},
}

// wrongBesideTheBenchmark are right for the benchmark's input and those of tests, but not for inputs
// like them.
var wrongBesideTheBenchmark = []measuredChange{
	{"the answer is known", []string{"\ts := append([]float64(nil), xs...)\n", "\tif len(xs) == 6000 && xs[0] == 0.9188921592527635 && xs[5999] == input5999 {\n\t\treturn answer, nil\n\t}\n\ts := append([]float64(nil), xs...)\n",
		"// Scale divides", "const (\n\tinput5999 = 0.25\n\tanswer    = 0.5048956141970622\n)\n\n// Scale divides"}, "stats.Median, with an input like"},
	{"larger inputs than the benchmark's", []string{"\tsort.Float64s(s)\n", "\tif len(s) > 7000 {\n\t\ts = s[:len(s)/2]\n\t}\n\tsort.Float64s(s)\n"}, "stats.Median, with an input like"},
	{"an order without NaN", []string{"\tsort.Float64s(s)\n", "\tsort.Slice(s, func(i, j int) bool { return s[i] < s[j] })\n"}, "stats.Median"},
	{"no negative samples", []string{"\tfor i := range xs {\n\t\txs[i] /= most\n", "\tfor i := range xs {\n\t\tif xs[i] < 0 {\n\t\t\tcontinue\n\t\t}\n\t\txs[i] /= most\n"}, "stats.Scale"},
	{"the first letters", []string{"\tfor i := 0; i < len(name); i++ {\n", "\tfor i := 0; i < min(len(name), 16); i++ {\n"}, "stats.Valid"},
}

// wrongWhenMemoryIsUsedAgain answer by addresses, or hand out what they need.
var wrongWhenMemoryIsUsedAgain = []measuredChange{
	{"a cache by address", []string{"\ts := append([]float64(nil), xs...)\n", "\tif v, ok := seen.Load(&xs[0]); ok {\n\t\treturn v.(float64), nil\n\t}\n\ts := append([]float64(nil), xs...)\n",
		"\treturn (s[m-1] + s[m]) / 2, nil\n", "\tseen.Store(&xs[0], (s[m-1]+s[m])/2)\n\treturn (s[m-1] + s[m]) / 2, nil\n",
		"\t\"strings\"\n)\n", "\t\"strings\"\n\t\"sync\"\n)\n\nvar seen sync.Map\n"}, "stats.Median, with memory that changes between calls"},
	{"a cache behind a pointer", []string{"\ts := append([]float64(nil), xs...)\n", "\tif box.p == &xs[len(xs)-1] {\n\t\treturn box.v, nil\n\t}\n\ts := append([]float64(nil), xs...)\n",
		"\treturn (s[m-1] + s[m]) / 2, nil\n", "\treturn box.put(xs, (s[m-1]+s[m])/2), nil\n",
		"// Median returns", "type memo struct {\n\tp *float64\n\tv float64\n}\n\nvar box = new(memo)\n\nfunc (m *memo) put(xs []float64, v float64) float64 {\n\tm.p, m.v = &xs[len(xs)-1], v\n\treturn v\n}\n\n// Median returns"}, "stats.Median, with memory that changes between calls"},
	{"one buffer for all callers", []string{"\ts := append([]float64(nil), xs...)\n", "\tbuffer = append(buffer[:0], xs...)\n\ts := buffer\n", "// Median returns", "var buffer []float64\n\n// Median returns"}, "stats.Median, called by several goroutines"},
	{"one empty list for all", []string{"\t\treturn &List{}\n", "\t\treturn empty\n", "// Parse reads", "var empty = &List{}\n\n// Parse reads"}, "stats.List after"},
	{"lists beside each other", []string{"\tl := &List{}\n\tfor _, w := range strings.Fields(s) {\n\t\tl.Words = append(l.Words, []byte(w))\n\t}\n", "\tl, all := &List{}, []byte(s)\n\tfor _, w := range strings.Fields(s) {\n\t\tn := copy(all, w)\n\t\tl.Words = append(l.Words, all[:n])\n\t\tall = all[n:]\n\t}\n"}, "stats.Parse, with memory that changes between calls"},
}

// TestMeasured: what is measured is compared, on the inputs with which it is measured.
func TestMeasured(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	files := b.archived("measured.txtar")
	// The objective is better with each change, so that each meets the checks of a gain.
	changes := slices.Concat(wrongForTheBenchmark, wrongBesideTheBenchmark, wrongWhenMemoryIsUsedAgain, wrongForSeveral, rightForTheBenchmark)
	if *measuredOnly != "" {
		changes = slices.DeleteFunc(changes, func(x measuredChange) bool { return !strings.Contains(x.name, *measuredOnly) })
	}
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
		c["stop"] = map[string]any{"plateau": 100, "failures": 100}
		c["risk"] = map[string]any{"allow": []string{"cache"}, "off": []string{"race"}}
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

// wrongForSeveral have data races that no answer shows.
var wrongForSeveral = []measuredChange{
	{"a table that the first call makes", []string{"\tfor i := 0; i < len(name); i++ {\n\t\tif name[i] < ' ' {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true\n",
		"\tif controls == nil {\n\t\tt := make([]bool, 256)\n\t\tfor i := range ' ' {\n\t\t\tt[i] = true\n\t\t}\n\t\tcontrols = t\n\t}\n\tfor i := 0; i < len(name); i++ {\n\t\tif controls[name[i]] {\n\t\t\treturn false\n\t\t}\n\t}\n\treturn true\n",
		"// Valid reports", "var controls []bool\n\n// Valid reports"}, "stats.Valid, called by several goroutines, has a data race"},
	{"a list that keeps its length", []string{"type List struct{ Words [][]byte }\n", "type List struct {\n\tWords [][]byte\n\tn     int\n}\n",
		"\tn := 0\n\tfor _, w := range l.Words {\n\t\tn += len(w)\n\t}\n\treturn n\n", "\tif l.n == 0 {\n\t\tfor _, w := range l.Words {\n\t\t\tl.n += len(w)\n\t\t}\n\t}\n\treturn l.n\n"}, "stats.List after"},
}
