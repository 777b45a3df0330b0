package research

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/measure"
	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/published"
)

// tuned is a module whose allocations depend on two constants: chunks of 64 in 2
// stages are best.
var tuned = map[string]string{
	"go.mod": "module example.com/tuned\n\ngo 1.24\n",
	"tuned.go": `package tuned

const (
	chunk  = 4 //research:param chunk
	stages = 1 //research:param stages
)

var sink []*int

// Work allocates by its constants.
func Work() {
	n := 10 + (chunk-64)*(chunk-64)/64 + 5*(stages-2)*(stages-2)
	sink = sink[:0]
	for range n {
		sink = append(sink, new(int))
	}
}
`,
	"tuned_test.go": "package tuned\n\nimport \"testing\"\n\nfunc BenchmarkWork(b *testing.B) {\n\tfor b.Loop() {\n\t\tWork()\n\t}\n}\n",
}

// TestSweep finds the best point of a grid of 3 by 4 and stops by the plateau rule.
func TestSweep(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.git("rm", "-rq", ".")
	b.write(b.repo, tuned)
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "tuned")
	c := b.config(func(c map[string]any) {
		// The same sum, without a build.
		c["metrics"] = []any{map[string]any{"name": "allocs", "from": "command", "goal": "min", "minEffect": 1, "class": "exact", "run": []string{"sh", "-c",
			`set -- $(sed -n 's/^.*= *\([0-9]*\) *\/\/research.*/\1/p' tuned.go); echo METRIC allocs=$((10 + ($1-64)*($1-64)/64 + 5*($2-2)*($2-2)))`}}}
		if *long {
			c["metrics"] = []any{map[string]any{"name": "allocs", "from": "gobench", "bench": "BenchmarkWork", "unit": "allocs/op", "goal": "min", "minEffect": 1}}
		}
		c["battery"] = []any{map[string]any{"name": "format", "kind": "format"}, map[string]any{"name": "api", "kind": "api"}}
		c["proposer"] = map[string]any{"kind": "sweep", "params": []any{
			map[string]any{"name": "stages", "values": []string{"1", "2", "3"}},
			map[string]any{"name": "chunk", "values": []string{"4", "32", "64", "256"}},
		}}
		c["stop"] = map[string]any{"plateau": 4}
	})
	stopped, rows := b.run(c)
	if stopped.Reason != "plateau" {
		t.Errorf("stopped by %+v", stopped)
	}
	text := strings.Join(strings.Fields(b.git("show", "research/fixture:tuned.go")), " ")
	if !strings.Contains(text, "chunk = 64 //") || !strings.Contains(text, "stages = 2 //") {
		t.Errorf("the best point is\n%s", text)
	}
	if rows[0].Verdict != ledger.VerdictEmpty {
		t.Errorf("the base's own point: %s", rows[0].Verdict)
	}
}

// TestCanary: identical trees go the whole way and have no effect.
func TestCanary(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		c["statistics"] = map[string]any{"aaEvery": 1, "calibrate": 2, "plant": 0}
		c["battery"] = []any{}
		c["stop"] = map[string]any{"experiments": 2}
		byText(c)
	})
	_, rows := b.run(c)
	if len(rows) != 3 || rows[1].Verdict != ledger.VerdictCanary || rows[1].Status != ledger.Discard || len(rows[1].Stats) == 0 {
		t.Errorf("%d rows: %+v", len(rows), rows)
	}
}

// TestAlarm: a canary detects figures that depend on the side, and pairs are doubled from then on.
// The log is mirrored for readers of pi's format.
func TestAlarm(t *testing.T) {
	b := newBench(t)
	b.patches()
	b.write(b.repo, map[string]string{"measure.sh": "case $PWD in */can) echo METRIC time=90;; *) echo METRIC time=100;; esac\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "a biased script")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "time", "from": "command", "run": []string{"sh", "measure.sh"}, "goal": "min", "class": "exact"}}
		c["battery"] = []any{}
		c["statistics"] = map[string]any{"aaEvery": 1, "calibrate": 2}
		c["stop"] = map[string]any{"experiments": 2}
		c["mirror"] = ".auto/log.jsonl"
	})
	_, rows := b.run(c)
	if len(rows) != 3 || rows[1].Verdict != ledger.VerdictCanary || !strings.Contains(rows[1].Reason, "alarm") || rows[1].Status != ledger.Discard {
		t.Errorf("%+v", rows)
	}
	lines, err := ledger.ReadFile(filepath.Join(b.repo, ".git/research/fixture/log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	st, err := NewStatus("fixture", lines)
	if err != nil || st.Alarms != 1 || st.Runs != 2 {
		t.Errorf("%+v, %v", st, err)
	}
	text, err := os.ReadFile(filepath.Join(b.repo, ".auto/log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	log, err := published.Read("log.jsonl", text)
	if err != nil || len(log) != len(rows) || bytes.Contains(text, []byte(`"phase"`)) {
		t.Errorf("the mirror is\n%s, %v", text, err)
	}
}

// TestBase: a base that fails its own battery is an error, before anything is proposed.
func TestBase(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	b.write(b.repo, map[string]string{"testdata/golden.txt": "other\n"})
	b.git("commit", "-qam", "another golden file")
	s := b.open(b.config(func(c map[string]any) { c["battery"] = c["battery"].([]any)[1:]; byText(c) }))
	_, err := s.Run(t.Context())
	var base *BaseError
	if !errors.As(err, &base) || base.Check != "golden" {
		t.Errorf("error %v", err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	// With the base corrected, a new segment begins.
	b.write(b.repo, fixture)
	b.git("commit", "-qam", "the right one")
	c := b.config(func(c map[string]any) {
		c["stop"] = map[string]any{"experiments": 1}
		c["battery"] = []any{}
		byText(c)
	})
	s = b.open(c)
	if stopped, err := s.Run(t.Context()); err != nil || stopped.Keeps != 1 {
		t.Errorf("%+v, %v", stopped, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// TestMetricGone: a metric that disappears is a crash, not a zero; the STOP file pauses.
func TestMetricGone(t *testing.T) {
	b := newBench(t)
	b.write(b.side, map[string]string{"patches/01.patch": filePatch(t, "no figure", "number.go", fixture["number.go"], strings.Replace(fixture["number.go"], "n)", "n+0)", 1))})
	b.write(b.repo, map[string]string{"measure.sh": "grep -q 'n+0' number.go || echo METRIC lines=$(wc -l < number.go)\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "a script")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "lines", "from": "command", "run": []string{"sh", "measure.sh"}, "goal": "min"},
			map[string]any{"name": "size", "from": "file", "path": "number.go"},
			map[string]any{"name": "cpu", "from": "rusage", "run": []string{"true"}, "unit": "cpu-ns"}}
		c["battery"] = []any{}
	})
	_, rows := b.run(c)
	if rows[0].Verdict != ledger.VerdictCrash || rows[0].Metric != nil || !strings.Contains(rows[0].Reason, "no line METRIC lines") {
		t.Errorf("%+v", rows[0])
	}
	stop := filepath.Join(b.repo, ".git/research/fixture/STOP")
	if err := os.WriteFile(stop, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if stopped, _ := b.run(c); stopped.Reason != "paused" {
		t.Errorf("%+v", stopped)
	}
}

// TestBranchMoved: if somebody else moved the branch, it is not moved back.
func TestBranchMoved(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		c["stop"] = map[string]any{"experiments": 1}
		c["battery"] = []any{}
		byText(c)
	})
	b.run(c)
	b.git("update-ref", "refs/heads/research/fixture", "main")
	if _, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}}); !errors.Is(err, gitx.ErrMoved) {
		t.Errorf("error %v", err)
	}
	if at := b.git("rev-parse", "research/fixture"); at != b.git("rev-parse", "main") {
		t.Error("the branch was moved back")
	}
	list, err := Doctor(t.Context(), b.repo, c)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, d := range list {
		found = found || d.Level == LevelError && d.Subject == "branch"
	}
	if !found {
		t.Errorf("the doctor says %+v", list)
	}
}

// TestFullDisk: on a full disk the session ends with an error, and continues when there is room.
func TestFullDisk(t *testing.T) {
	byTurns(t)
	if runtime.GOOS == "windows" {
		t.Skip("no limit of a file's size")
	}
	b := newBench(t)
	b.patches()
	c := b.config(func(c map[string]any) {
		c["stop"] = map[string]any{"experiments": 2}
		c["battery"] = []any{}
		byText(c)
	})
	// 2 kB of log: the blocks of ulimit are 1024 bytes in some shells, 512 in others, as POSIX
	// says.
	cmd := exec.Command("sh", "-c", "ulimit -f 4; exec \"$0\"", os.Args[0])
	cmd.Env = append(os.Environ(), childDir+"="+b.repo)
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Errorf("no error:\n%s", out)
	}
	if stopped, rows := b.run(c); stopped.Reason != "experiments" || len(rows) != 2 || rows[0].Status != ledger.Keep {
		t.Errorf("%+v, %d rows", stopped, len(rows))
	}
}

// TestChecks: the kinds of checks that gyr provides.
func TestChecks(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	patch := func(n, subject, file, after string) {
		b.write(b.side, map[string]string{"patches/" + n + ".patch": filePatch(t, subject, file, fixture[file], after)})
	}
	patch("1", "unformatted", "number.go", "package hot\n\nimport \"strconv\"\n\nfunc number(n int) string { return  strconv.Itoa(n) }\n")
	patch("2", "another API", "number.go", "package hot\n\nimport \"strconv\"\n\n// Number is new.\nfunc Number(n int) string { return strconv.Itoa(n) }\n\nfunc number(n int) string { return Number(n) }\n")
	patch("3", "an untested branch", "number.go", "package hot\n\nimport \"strconv\"\n\nfunc number(n int) string {\n\tif n < 0 {\n\t\treturn \"negative\"\n\t}\n\treturn strconv.Itoa(n)\n}\n")
	patch("4", "a reviewer objects", "join.go", "package hot\n\nimport \"strings\"\n\n// objection\nfunc join(tags []string) string {\n\tif len(tags) == 0 {\n\t\treturn \"\"\n\t}\n\treturn strings.Join(tags, \",\") + \",\"\n}\n")
	b.write(b.repo, map[string]string{"review.sh": "grep -q objection \"$RESEARCH_REVIEW\" && echo '{\"file\":\"join.go\",\"line\":5,\"message\":\"I object\",\"blocking\":true}'\necho '{\"message\":\"seen\"}'\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "a reviewer")
	c := b.config(func(c map[string]any) {
		byText(c)
		c["risk"] = map[string]any{"off": []string{"differential"}}
		c["battery"] = []any{
			map[string]any{"name": "format", "kind": "format"}, map[string]any{"name": "api", "kind": "api"},
			map[string]any{"name": "cover", "kind": "diffcover", "packages": []string{"."}},
			map[string]any{"name": "same", "run": []string{"cat", "width.go"}, "compare": "parent"},
			map[string]any{"name": "advice", "run": []string{"false"}, "advisory": true},
			map[string]any{"name": "review", "kind": "review", "run": []string{"sh", "review.sh"}, "when": "keep"},
		}
	})
	_, rows := b.run(c)
	for i, want := range []string{"checks_failed:format", "checks_failed:api", ledger.VerdictKeep, "checks_failed:review"} {
		if rows[i].Verdict != want {
			t.Errorf("%s: %s: %s", rows[i].Description, rows[i].Verdict, rows[i].Reason)
		}
	}
	if u := strings.Join(rows[2].Uncovered, " "); u != "number.go:7-8" {
		t.Errorf("uncovered: %s", u)
	}
	if rows[3].Idea != ledger.IdeaGains || rows[3].Implementation != ledger.ImplFaulty {
		t.Errorf("the idea %s, the implementation %s", rows[3].Idea, rows[3].Implementation)
	}
}

// TestPoison: the poisoned build shows an aliased object of a pool to a test that otherwise passes.
func TestPoison(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	pool := fixturePatches[6]
	b.write(b.side, map[string]string{"patches/1.patch": pool.patch(t)})
	b.write(b.side, map[string]string{"patches/2.patch": filePatch(t, "a pool that is right", "number.go", fixture["number.go"],
		"package hot\n\nimport (\n\t\"strconv\"\n\t\"sync\"\n)\n\nvar numbers = sync.Pool{New: func() any { return new([]byte) }}\n\nfunc number(n int) string {\n\tp := numbers.Get().(*[]byte)\n\tdefer numbers.Put(p)\n\t*p = strconv.AppendInt((*p)[:0], int64(n), 10)\n\treturn string(*p)\n}\n")})
	c := b.config(func(c map[string]any) {
		// The differential check may find the race first.
		c["risk"] = map[string]any{"allow": []string{"pool-aliased"}, "off": []string{"differential"}}
		// The race detector's runtime takes long to build: another test covers it.
		byText(c)
		c["battery"] = append(c["battery"].([]any)[1:], map[string]any{"name": "race", "run": []string{"true"}, "when": "risk:sync.Pool"})
	})
	_, rows := b.run(c)
	if r := rows[0]; r.Verdict != "checks_failed:poisoned" || !strings.Contains(r.Reason, "golden with poisoned") {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
	if r := rows[1]; r.Verdict != ledger.VerdictKeep {
		t.Errorf("%s: %s", r.Verdict, r.Reason)
	}
}

// TestDecide: decisions depend only on the pairs.
func TestDecide(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	make := func(n int, allocs, ns [2]float64) pairs {
		var list []pair
		for i := range n {
			wobble := 1 + float64(i%3)/1000
			list = append(list, pair{map[string]float64{"allocs_per_op": allocs[0], "ns_per_op": ns[0] * wobble}, map[string]float64{"allocs_per_op": allocs[1], "ns_per_op": ns[1] * wobble}})
		}
		return pairs{ledger.StageMeasure: list}
	}
	j := &judgement{config: c, classes: map[string]measure.Class{"allocs_per_op": measure.Exact, "ns_per_op": measure.Noisy}}
	for _, x := range []struct {
		name          string
		n             int
		allocs, ns    [2]float64
		want, verdict string
	}{
		{"too few", 1, [2]float64{80, 70}, [2]float64{100, 100}, ledger.StageMeasure, ""},
		{"no effect", 2, [2]float64{80, 80}, [2]float64{100, 50}, "", ledger.VerdictNoEffect},
		{"worse", 2, [2]float64{80, 81}, [2]float64{100, 50}, "", ledger.VerdictWorse},
		{"the guard is not decided", 4, [2]float64{80, 70}, [2]float64{100, 100}, ledger.StageMeasure, ""},
		{"the guard passes", 8, [2]float64{80, 70}, [2]float64{100, 100}, "", ledger.VerdictKeep},
		{"the guard fails", 8, [2]float64{80, 70}, [2]float64{100, 110}, "", ledger.VerdictGuardFailed},
	} {
		d := j.decide(make(x.n, x.allocs, x.ns))
		if d.want != x.want || d.verdict != x.verdict {
			t.Errorf("%s: wants %q, %s: %s", x.name, d.want, d.verdict, d.reason)
		}
	}
}

// TestNoisierThanCalibrated: on a machine that has become noisier, an automatic guard lets through most
// candidates without a loss, and none with a large one. A fixed guard stays as it is.
func TestNoisierThanCalibrated(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	j := &judgement{config: c, classes: map[string]measure.Class{"allocs_per_op": measure.Exact, "ns_per_op": measure.Noisy}}
	rng := rand.New(rand.NewPCG(5, 6))
	kept := func(ratio float64, auto bool) (n int) {
		c.Metrics[1].Guard.auto = auto
		for range 50 {
			p := pairs{}
			for {
				d := j.decide(p)
				if d.want == "" {
					if d.verdict == ledger.VerdictKeep {
						n++
					}
					break
				}
				p[d.want] = append(p[d.want], pair{map[string]float64{"allocs_per_op": 80, "ns_per_op": 100 * math.Exp(0.1*rng.NormFloat64())},
					map[string]float64{"allocs_per_op": 70, "ns_per_op": 100 * ratio * math.Exp(0.1*rng.NormFloat64())}})
			}
		}
		return n
	}
	if n := kept(1, false); n > 15 {
		t.Errorf("a fixed guard of 2%% passes %d of 50 times under noise of 14%%", n)
	}
	if n := kept(1, true); n < 40 {
		t.Errorf("an automatic guard passes %d of 50 times without a loss", n)
	}
	if n := kept(1.3, true); n > 0 {
		t.Errorf("an automatic guard passes %d of 50 times with a loss of 30%%", n)
	}
}

// TestZeros: a metric that is sometimes 0, because of the runtime's own allocations, is judged by
// its ranges. It neither sends a candidate to a human nor hides its real gain.
func TestZeros(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	j := &judgement{config: c, classes: map[string]measure.Class{"allocs_per_op": measure.Noisy, "ns_per_op": measure.Noisy}}
	for _, x := range []struct {
		parent, candidate [2]float64 // in turn
		verdict           string
	}{
		{[2]float64{0, 2}, [2]float64{2, 0}, ledger.VerdictNoEffect},
		{[2]float64{5, 5}, [2]float64{0, 2}, ledger.VerdictKeep},
		{[2]float64{0, 2}, [2]float64{5, 5}, ledger.VerdictWorse},
	} {
		var list []pair
		for i := range 8 {
			wobble := 1 + float64(i%3)/1000
			list = append(list, pair{map[string]float64{"allocs_per_op": x.parent[i%2], "ns_per_op": wobble}, map[string]float64{"allocs_per_op": x.candidate[i%2], "ns_per_op": wobble}})
		}
		if d := j.decide(pairs{ledger.StageMeasure: list}); d.verdict != x.verdict {
			t.Errorf("%v against %v: %s %s", x.candidate, x.parent, d.verdict, d.reason)
		}
	}
}

// TestWords: the words of a verdict follow from its interval, and the claim of a whole branch uses
// all pairs.
func TestWords(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(strings.Replace(smallConfig, `"unit": "ns/op", "guard": {"maxRegression": "2%"}`, `"unit": "ns/op", "goal": "min", "minEffect": "3%"`, 1)))
	if err != nil {
		t.Fatal(err)
	}
	j := &judgement{config: c, classes: map[string]measure.Class{"allocs_per_op": measure.Exact, "ns_per_op": measure.Noisy}}
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[string]int{}
	for i := range 300 {
		ratio := []float64{0.98, 0.99, 1, 1.02, 1.04}[i%5]
		var list []pair
		for range 32 {
			list = append(list, pair{map[string]float64{"allocs_per_op": 5, "ns_per_op": 100 * math.Exp(0.03*rng.NormFloat64())},
				map[string]float64{"allocs_per_op": 5, "ns_per_op": 100 * ratio * math.Exp(0.03*rng.NormFloat64())}})
		}
		p := pairs{ledger.StageMeasure: list, ledger.StageConfirm: list}
		d := j.decide(p)
		st := d.stats["ns_per_op"]
		seen[d.verdict]++
		told := st.Lo > 1 || st.Hi < 1
		if (d.verdict == ledger.VerdictWorse || d.verdict == ledger.VerdictKeep) && !told || (st.Word == "worse" || st.Word == "better") != told {
			t.Errorf("%s, %s beside [%v, %v]", d.verdict, st.Word, st.Lo, st.Hi)
		}
		if d.verdict == ledger.VerdictNoEffect && st.Hi < 1 && d.reason == "no gain is shown" {
			t.Errorf("%s beside [%v, %v]", d.reason, st.Lo, st.Hi)
		}
		if all := j.estimate(&c.Metrics[1], p, ledger.StageMeasure); all.N != 32 || all.Lo > all.Ratio || all.Hi < all.Ratio {
			t.Errorf("%+v", all)
		}
	}
	if seen[ledger.VerdictWorse] == 0 || seen[ledger.VerdictNoEffect] == 0 {
		t.Errorf("%v", seen)
	}
}

// TestDescription: a proposal cannot write trailers.
func TestDescription(t *testing.T) {
	c, err := ParseConfig("research.json", []byte(smallConfig))
	if err != nil {
		t.Fatal(err)
	}
	s := &Session{config: c}
	v := 3.0
	text := s.message(&proposal{Description: "title\n\nbody\n\nResult: {\"status\":\"keep\"}\nResearch-Run: x/1"}, &ledger.Row{Run: 1, Status: ledger.Discard, Metric: &v})
	if strings.Count(text, "Result:") != 1 || strings.Count(text, "Research-Run:") != 1 || !bytes.Contains([]byte(text), []byte("\nbody\n")) {
		t.Errorf("%s", text)
	}
}

// TestNoisy judges a figure with noise of 2 %, which a script makes from its process's number. A
// gain is found and confirmed by fresh pairs, and a guard's loss refuses.
func TestNoisy(t *testing.T) {
	b := newBench(t)
	b.write(b.repo, map[string]string{
		"speed.txt": "100\n", "memory.txt": "50\n",
		"measure.sh": "echo METRIC time=$(( $(cat speed.txt) * 1000 + ($$ * 7919) % 2000 )) ns\necho METRIC memory=$(( $(cat memory.txt) * 1000 + ($$ * 104729) % 100 ))\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "a script")
	patch := func(n, file, before, after string) {
		b.write(b.side, map[string]string{"patches/" + n + ".patch": filePatch(t, file+" "+strings.TrimSpace(after), file, before, after)})
	}
	patch("1", "speed.txt", "100\n", "90\n")
	patch("2", "note.txt", "", "nothing\n")
	patch("3", "speed.txt", "90\n", "99\n")
	two := filePatch(t, "at the cost of memory", "speed.txt", "90\n", "70\n") + strings.TrimPrefix(filePatch(t, "x", "memory.txt", "50\n", "60\n"), "x\n\n")
	b.write(b.side, map[string]string{"patches/4.patch": two})
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{
			map[string]any{"name": "time", "from": "command", "run": []string{"sh", "measure.sh"}, "unit": "ns", "goal": "min", "minEffect": "1%", "class": "noisy"},
			map[string]any{"name": "memory", "from": "command", "run": []string{"sh", "measure.sh"}, "class": "noisy", "guard": map[string]any{"maxRegression": "5%"}},
		}
		c["battery"] = []any{}
		c["statistics"] = map[string]any{"aaEvery": -1, "calibrate": 4}
	})
	stopped, rows := b.run(c)
	for i, want := range []string{ledger.VerdictKeep, ledger.VerdictNoEffect, ledger.VerdictWorse, ledger.VerdictGuardFailed} {
		if rows[i].Verdict != want {
			t.Errorf("%s: %s: %s", rows[i].Description, rows[i].Verdict, rows[i].Reason)
		}
	}
	st := rows[0].Stats["time"]
	if st.P == nil || st.N != 8 || st.Lo > 0.92 || st.Hi < 0.88 || st.Ratio < st.Lo || st.Ratio > st.Hi {
		t.Errorf("%+v", st)
	}
	if stopped.Claim == nil || stopped.Claim.Stats["time"].Ratio > 0.95 {
		t.Errorf("the claim is %+v", stopped.Claim)
	}
	lines, err := ledger.ReadFile(filepath.Join(b.repo, ".git/research/fixture/log.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	confirm := 0
	for _, x := range ledger.Samples(lines, rows[0].Run) {
		if x.Stage == ledger.StageConfirm && x.Metric == "time" {
			confirm++
		}
	}
	if confirm != 8 {
		t.Errorf("%d pairs of confirmation", confirm)
	}
}

// TestTwoSessions: two sessions of one repository at once end as they do alone.
func TestTwoSessions(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.patches()
	config := func(name string) *Config {
		return b.config(func(c map[string]any) {
			c["name"] = name
			c["battery"] = []any{}
			byText(c)
			c["stop"] = map[string]any{"experiments": 3}
		})
	}
	type result struct {
		stopped *Stopped
		err     error
	}
	done := make(chan result)
	for _, name := range []string{"one", "two"} {
		s := b.open(config(name))
		if name == "two" {
			s.linter = nil // a linter of its own
		}
		go func() {
			stopped, err := s.Run(t.Context())
			done <- result{stopped, errors.Join(err, s.Close())}
		}()
	}
	for range 2 {
		if r := <-done; r.err != nil || r.stopped.Keeps != 2 {
			t.Errorf("%+v, %v", r.stopped, r.err)
		}
	}
	one, two := b.git("rev-parse", "research/one^{tree}"), b.git("rev-parse", "research/two^{tree}")
	if one != two {
		t.Errorf("the branches differ: %s and %s", one, two)
	}
}

// TestProfiles: the brief says where time and memory go, unless the config turns that off.
func TestProfiles(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	c := b.config(func(c map[string]any) {
		c["battery"] = []any{}
		c["proposer"] = map[string]any{"kind": "command", "ideas": "ideas.md", "run": []string{"sh", "-c", `grep -q 'more pools' {brief} && grep -q '"name": "example.com/hot\.' {brief} && grep -q hot.Render {out}/cpu.txt && grep -q 'hot\.' {out}/alloc.txt && exit 3`}}
	})
	b.write(b.side, map[string]string{"ideas.md": "more pools\n"})
	if stopped, rows := b.run(c); stopped.Reason != "exhausted" || len(rows) != 0 {
		t.Errorf("%+v, %d rows", stopped, len(rows))
	}
}

// TestRiskSettings: the config can switch off, allow or reject rules and labels.
func TestRiskSettings(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[6].patch(t)})
	for name, x := range map[string]struct {
		risk    map[string]any
		verdict string
		labels  int
	}{
		// The pool is wrong, so the calls of several goroutines refuse it too if they are lucky.
		"off":    {map[string]any{"off": []string{"sync.Pool", "differential"}}, ledger.VerdictKeep, 0},
		"rule":   {map[string]any{"off": []string{"pool-aliased", "differential"}, "reject": []string{"sync.Pool"}}, ledger.VerdictKeep, 1},
		"reject": {map[string]any{"reject": []string{"sync.Pool"}}, ledger.VerdictRisk, 1},
	} {
		c := b.config(func(c map[string]any) {
			byText(c)
			c["name"], c["risk"] = name, x.risk
			c["battery"] = []any{map[string]any{"name": "race", "run": []string{"true"}}, map[string]any{"name": "poisoned", "run": []string{"true"}}}
		})
		if _, rows := b.run(c); rows[0].Verdict != x.verdict || len(rows[0].Risk) != x.labels {
			t.Errorf("%s: %s %v: %s", name, rows[0].Verdict, rows[0].Risk, rows[0].Reason)
		}
	}
}
