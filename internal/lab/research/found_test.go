package research

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestFound: changes that users found to be kept, and that are wrong, are refused for what they
// compute.
func TestFound(t *testing.T) {
	byTurns(t)
	gains := map[string]any{"name": "gains", "from": "command", "class": "exact", "goal": "max", "run": []string{"sh", "-c", "echo METRIC gains=$(ls | wc -l)"}}
	for _, x := range []struct {
		name    string
		metrics []any
		patches int
	}{
		{"median", []any{gains, map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkMedian", "pkg": ".", "unit": "allocs/op"}}, 6},
		{"list", []any{gains}, 2},
	} {
		t.Run(x.name, func(t *testing.T) {
			a, err := txtar.ParseFile(filepath.Join("testdata", "found", x.name+".txtar"))
			if err != nil {
				t.Fatal(err)
			}
			b := newBench(t)
			repo, patches := map[string]string{}, map[string]string{}
			for _, f := range a.Files {
				if name, ok := strings.CutPrefix(f.Name, "repo/"); ok {
					repo[name] = string(f.Data)
				} else {
					// The first objective is better with each change, so that each meets the checks of a gain.
					gain := strings.TrimSuffix(filepath.Base(f.Name), ".patch") + ".txt"
					patches[f.Name] = string(f.Data) + filePatch(t, "", gain, "", "gain\n")
				}
			}
			b.hold(repo, x.name)
			b.write(b.side, patches)
			c := b.config(func(c map[string]any) {
				c["metrics"] = x.metrics
				c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "./..."}}}
				c["scope"] = map[string]any{"allow": []string{"**"}}
				c["risk"] = map[string]any{"allow": []string{"cache"}, "off": []string{"race"}}
				c["stop"] = map[string]any{"plateau": 100, "failures": 100}
				c["statistics"] = map[string]any{"aaEvery": -1, "calibrate": 2, "plant": 0, "suspectFactor": 100}
			})
			_, rows := b.run(c)
			if len(rows) != x.patches {
				t.Fatalf("%d rows of %d patches", len(rows), x.patches)
			}
			for _, r := range rows {
				if r.Verdict != ledger.VerdictChecksFailed+":differential" && r.Verdict != ledger.VerdictChecksFailed+":mutation" {
					t.Errorf("%s: %s: %s", r.Description, r.Verdict, r.Reason)
				}
			}
		})
	}
}
