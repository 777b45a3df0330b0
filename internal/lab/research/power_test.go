package research

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

var (
	powerSessions = flag.Int("power", 0, "sessions of TestPower, each with 5 gains of 10 % and 15 changes without effect; 0: one with one of each, of which the verdicts do not matter")
	powerBench    = flag.String("power.bench", "1us,50ms", "its benchmarks")
)

// powerFixture is a package with a benchmark that takes a certain time: turns of an empty loop, in
// stages. Each stage is a tenth of the time left after those before it.
func powerFixture(turns, stages, idle int) map[string]string {
	files := map[string]string{"go.mod": "module example.com/hot\n\ngo 1.24\n"}
	sum := "rest"
	left := float64(turns)
	for i := range stages {
		name := fmt.Sprintf("stage%d", i+1)
		files[name+".go"] = fmt.Sprintf("package hot\n\nconst %s = %d\n", name, int(left/10))
		sum += " + " + name
		left *= 0.9
	}
	for i := range idle {
		files[fmt.Sprintf("idle%d.go", i+1)] = fmt.Sprintf("package hot\n\nfunc idle%d(n int) int {\n\ttwice := 2 * n\n\treturn twice + %d\n}\n", i+1, i)
	}
	var calls []string
	for i := range idle {
		calls = append(calls, fmt.Sprintf("\tn = idle%d(n)\n", i+1))
	}
	files["hot.go"] = fmt.Sprintf(`// Package hot takes time.
package hot

const rest = %d

// Work returns what it was given, later.
func Work(n int) int {
	x := uint64(n) | 1
	for range %s {
		x = x*6364136223846793005 + 1442695040888963407
	}
	if x == 42 {
		n++
	}
	return n
}

// Idle is not measured.
func Idle(n int) int {
%s	return n
}
`, int(left), sum, strings.Join(calls, ""))
	files["hot_test.go"] = `package hot

import "testing"

func TestWork(t *testing.T) {
	if Work(3) != 3 || Idle(1) == 0 {
		t.Error("wrong")
	}
}

func BenchmarkWork(b *testing.B) {
	for b.Loop() {
		Work(1)
	}
}
`
	return files
}

// TestPower runs sessions with the config that init writes and a queue of changes: gains of 10 % in
// the time, and changes without effect. With -power it prints how many of each were kept and the
// time of a row. At least nine of ten gains must be kept, and no other change.
func TestPower(t *testing.T) {
	byTurns(t)
	for _, kind := range []struct {
		name  string
		turns int
	}{{"1us", 750}, {"50ms", 37_500_000}} {
		if !slices.Contains(strings.Split(*powerBench, ","), kind.name) || *powerSessions == 0 && kind.name != "1us" {
			continue
		}
		t.Run(kind.name, func(t *testing.T) {
			stages, idle := 5, 15
			if *powerSessions == 0 {
				stages, idle = 1, 1
			}
			kept, gains, falsely, noops, rows := 0, 0, 0, 0, 0
			var seconds float64
			for session := range max(*powerSessions, 1) {
				b := newBench(t)
				files := powerFixture(kind.turns, stages, idle)
				for name := range fixture {
					if files[name] == "" {
						b.git("rm", "-q", name)
					}
				}
				b.write(b.repo, files)
				b.git("add", "-A")
				b.git("commit", "-q", "-m", "power")
				gain, noop := 0, 0
				for i := range stages + idle {
					var patch string
					if i%4 == 1 && gain < stages {
						gain++
						name := fmt.Sprintf("stage%d.go", gain)
						patch = filePatch(t, "gain", name, files[name], fmt.Sprintf("package hot\n\nconst stage%d = 0\n", gain))
					} else {
						noop++
						name := fmt.Sprintf("idle%d.go", noop)
						patch = filePatch(t, "idle", name, files[name], strings.ReplaceAll(files[name], "twice", "double"))
					}
					b.write(b.side, map[string]string{fmt.Sprintf("patches/%02d.patch", i+1): patch})
				}
				text, err := NewConfig(Benchmark{Pkg: ".", Name: "BenchmarkWork"})
				if err != nil {
					t.Fatal(err)
				}
				queue := strings.Replace(string(text), `{"kind": "manual"}`, `{"kind": "patches", "dir": "patches"}`, 1)
				b.write(b.side, map[string]string{"research.json": queue})
				c, err := LoadConfig(filepath.Join(b.side, "research.json"))
				if err != nil {
					t.Fatal(err)
				}
				start := time.Now()
				_, list := b.run(c)
				seconds += time.Since(start).Seconds()
				for _, r := range list {
					rows++
					switch {
					case r.Description == "gain":
						gains++
						if r.Kept() {
							kept++
						}
					case r.Description == "idle" || r.Verdict == ledger.VerdictCanary:
						noops++
						if r.Kept() {
							falsely++
						}
					}
					if len(r.Stats) == 0 {
						t.Errorf("run %d was not measured: %s %s", r.Run, r.Verdict, r.Reason)
					}
				}
				t.Logf("session %d: %d of %d gains kept, %d of %d without effect, %.1f s a row", session+1, kept, gains, falsely, noops, seconds/float64(rows))
			}
			if *powerSessions > 0 && (kept*10 < gains*9 || falsely > 0) {
				t.Errorf("%d of %d gains kept, %d of %d without effect", kept, gains, falsely, noops)
			}
		})
	}
}
