package report

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"image/png"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/tools/headless"
)

var out = flag.String("report.out", "", "directory in which TestPage leaves the pages and what they look like")

func ptr(v float64) *float64 { return &v }

// session is a session with exact allocations, a noisy guard and all verdicts.
func session() *Session {
	s := &Session{}
	add := func(v any) {
		var l ledger.Line
		switch v := v.(type) {
		case *ledger.Config:
			l.Config = v
		case *ledger.Row:
			l.Row = v
		case *ledger.Sample:
			l.Sample = v
		case *ledger.Event:
			l.Event = v
		}
		s.Lines = append(s.Lines, l)
	}
	add(&ledger.Config{Name: "block production <allocations>", MetricName: "allocs", MetricUnit: "allocs/op", BestDirection: "lower", Session: "s1", Base: strings.Repeat("ab", 20), Tool: "gyr 1",
		Metrics: []ledger.Metric{{Name: "allocs", Unit: "allocs/op", Goal: "min"}, {Name: "bytes", Unit: "B/op", Goal: "min"}, {Name: "time", Unit: "ns/op", Guard: "at most 2 % worse"}},
		Env:     &ledger.Env{Go: "go1.26", OS: "linux", Arch: "amd64", CPU: "a processor"}})
	r := rand.New(rand.NewPCG(1, 1))
	rows := []struct {
		value             float64
		verdict, status   string
		description, note string
	}{
		{81, ledger.VerdictBaseline, ledger.Keep, "baseline", ""},
		{79, ledger.VerdictKeep, ledger.Keep, "pool the hashes of leaves", ""},
		{79, ledger.VerdictNoEffect, ledger.Discard, "preallocate a map", "allocs did not move"},
		{0, "checks_failed:golden", ledger.ChecksFailed, "write the header by hand", "golden differs in 3 lines"},
		{77, ledger.VerdictKeep, ledger.Keep, "serialise the data without a copy | and more", ""},
		{195, ledger.VerdictWorse, ledger.Discard, "a map in place of the slice", "allocs is worse"},
		{76, ledger.VerdictGuardFailed, ledger.Discard, "sort in place", "time is 4 % worse"},
		{77, ledger.VerdictCanary, ledger.Discard, "identical tree", ""},
		{0, ledger.VerdictCrash, ledger.Crash, "the proposer\ncrashed", "exit status 3"},
		{70, ledger.VerdictKeep, ledger.Keep, "one buffer for the whole block", ""},
		{69, ledger.VerdictRisk, ledger.Discard, "return the pooled buffer", "pool-aliased"},
		{66, ledger.VerdictKeep, ledger.Keep, "reuse the encoder <script>alert(1)</script>", ""},
	}
	for i, x := range rows {
		row := &ledger.Row{Run: i + 1, Commit: fmt.Sprintf("%040x", 0xabc1230+i), Status: x.status, Verdict: x.verdict, Description: x.description, Reason: x.note, Timestamp: 1775292593926 + int64(i)*60000,
			Metrics: map[string]float64{}, Files: []string{"types/hash.go"}, Added: 12, Removed: 5, Idea: ledger.IdeaGains, Implementation: ledger.ImplSound,
			Battery: []ledger.Check{{Name: "build", Status: "pass", Seconds: 1.2}, {Name: "golden", Status: "pass", Seconds: 3}}}
		if x.status == ledger.ChecksFailed {
			row.Battery[1].Status, row.Battery[1].Detail = "fail", "line 3:\n-0a02\n+0a04"
		}
		if x.value != 0 {
			row.Metric = ptr(x.value)
			row.Metrics = map[string]float64{"bytes": 25934 - 700*float64(i), "time": 34001.25 - 150*float64(i)}
			row.Stats = map[string]ledger.Stat{
				"allocs": {Class: "exact", Parent: ptr(81), Candidate: ptr(x.value), Ratio: x.value / 81, N: 1},
				"time":   {Class: "noisy", Parent: ptr(34000), Candidate: ptr(33900), Ratio: 0.997, Lo: 0.981, Hi: 1.012, N: 16, P: ptr(0.31), Word: "inside"},
			}
			for pair := range 8 {
				add(&ledger.Sample{ID: i + 1, Stage: ledger.StageMeasure, Metric: "time", Pair: pair + 1, Parent: ptr(34000 * math.Exp(0.01*r.NormFloat64())), Candidate: ptr(33900 * math.Exp(0.01*r.NormFloat64()))})
			}
		}
		if x.verdict == ledger.VerdictRisk {
			row.Risk = []string{"sync.Pool"}
			row.Findings = []ledger.Finding{{Rule: "pool-aliased", File: "types/hash.go", Line: 12, Message: "the result refers to memory of buf", Blocking: true}}
		}
		if i == 1 {
			row.ASI, _ = json.Marshal(map[string]string{"hypothesis": "sha256.New allocates"})
			row.Cost, row.Uncovered, row.Source = &ledger.Cost{USD: 0.04, Tokens: 2904}, []string{"types/hash.go:12-14"}, "0001.patch"
		}
		add(row)
	}
	for pair := range 8 {
		add(&ledger.Sample{Stage: ledger.StageClaim, Metric: "allocs", Pair: pair + 1, Parent: ptr(81), Candidate: ptr(66)})
	}
	add(&ledger.Event{Event: "alarm", Reason: "a canary was kept"})
	s.Diff = func(r *ledger.Row) (string, error) {
		if r.Status == ledger.Crash {
			return "", errors.New("no tree")
		}
		return "diff --git a/types/hash.go b/types/hash.go\n--- a/types/hash.go\n+++ b/types/hash.go\n@@ -1,3 +1,3 @@ func leaf\n \th := x\n-\th := sha256.New()\n+\th := pool.Get().(hash.Hash) // run " + fmt.Sprint(r.Run) + "\n", nil
	}
	return s
}

// noisySession has a noisy objective for which more is better.
func noisySession() *Session {
	s := &Session{Lines: []ledger.Line{{Config: &ledger.Config{Name: "throughput", MetricName: "speed", MetricUnit: "MB/s", BestDirection: "higher"}}}}
	r := rand.New(rand.NewPCG(2, 2))
	best := 120.0
	for i := range 60 {
		row := &ledger.Row{Run: i + 1, Commit: "0123456", Status: ledger.Discard, Verdict: ledger.VerdictNoEffect, Description: fmt.Sprintf("idea %d", i+1)}
		v := best * math.Exp(0.02*r.NormFloat64()-0.01)
		switch {
		case i == 0:
			v, row.Status, row.Verdict = best, ledger.Keep, ledger.VerdictBaseline
		case i%11 == 5:
			parent := best
			best *= 1.06
			v, row.Status, row.Verdict = best, ledger.Keep, ledger.VerdictKeep
			row.Stats = map[string]ledger.Stat{"speed": {Class: "noisy", Parent: &parent, Candidate: &v, Ratio: 1.06, Lo: 1.04, Hi: 1.08, N: 16, P: ptr(0.0001)}}
		case i%11 == 9:
			row.Verdict = ledger.VerdictCanary
			row.Stats = map[string]ledger.Stat{"speed": {Class: "noisy", Parent: ptr(best), Ratio: 1, Lo: 0.985, Hi: 1.015, N: 8}}
		}
		row.Metric = &v
		s.Lines = append(s.Lines, ledger.Line{Row: row})
	}
	return s
}

func htmlOf(t *testing.T, s *Session) string {
	t.Helper()
	var b bytes.Buffer
	if err := HTML(&b, s); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestHTML: the page has the chart, the table and each run's diff, loads nothing, runs no script,
// and contains foreign text only as text.
func TestHTML(t *testing.T) {
	page := htmlOf(t, session())
	for _, want := range []string{
		"<title>block production &lt;allocations&gt;</title>", `class="chart"`, `class="steps"`, `class="guard-failed"`, `class="samples"`, "81 → 66", "-18.5 %", `class="pareto"`, "measured anew", "-18.5 % exact", "product of the steps", "alarm: a canary was kept",
		"checks_failed:golden", "pool-aliased", "line 3:\n-0a02", "no diff: no tree", "sha256.New allocates", "0001.patch", "hash.go:12-14", "&lt;script&gt;alert",
		`<circle class="dot discard beyond"`, `class="cross"`, "-0.30 % [-1.9, +1.2] n=16",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page has no %q", want)
		}
	}
	for run := range 12 {
		if !strings.Contains(page, fmt.Sprintf(`<details id="s1-run%d"`, run+1)) || run != 8 && !strings.Contains(page, fmt.Sprintf("// run %d\n", run+1)) {
			t.Errorf("run %d has no details or no diff", run+1)
		}
	}
	for _, bad := range []string{"<script", "http://", "https://", "javascript:", "ZgotmplZ", "NaN", "Inf", "@import", "url("} {
		if strings.Contains(page, bad) {
			t.Errorf("the page has %q", bad)
		}
	}
	for _, s := range []*Session{{}, {Lines: []ledger.Line{{Config: &ledger.Config{}}}}, {Lines: []ledger.Line{{Row: &ledger.Row{Run: 1, Status: ledger.Crash}}}}, noisySession()} {
		page := htmlOf(t, s)
		for _, bad := range []string{"NaN", "Inf", "ZgotmplZ"} {
			if strings.Contains(page, bad) {
				t.Errorf("a page has %q", bad)
			}
		}
		for _, drawing := range regexp.MustCompile(`(?s)<svg.*?</svg>`).FindAllString(page, -1) {
			d := xml.NewDecoder(strings.NewReader(drawing))
			for {
				if _, err := d.Token(); err == io.EOF {
					break
				} else if err != nil {
					t.Fatalf("%v in %s", err, drawing)
				}
			}
		}
	}
}

// TestFront: the kept runs that no other beats.
func TestFront(t *testing.T) {
	g := &segment{Config: &ledger.Config{MetricName: "a"}}
	for i, v := range [][2]float64{{5, 5}, {4, 6}, {4, 7}, {6, 4}, {1, 1}, {5, 5}} {
		r := &ledger.Row{Run: i + 1, Metric: &v[0], Metrics: map[string]float64{"b": v[1]}, Status: ledger.Keep}
		if i == 4 {
			r.Status = ledger.Discard
		}
		g.Rows = append(g.Rows, r)
	}
	less := ledger.Metric{Name: "b", Goal: "min"}
	if got := g.front(ledger.Metric{Name: "a", Goal: "min"}, less); !slices.Equal(got, []int{1, 0, 5, 3}) {
		t.Errorf("%v", got)
	}
	if got := g.front(ledger.Metric{Name: "a", Goal: "max"}, less); !slices.Equal(got, []int{3}) {
		t.Errorf("%v", got)
	}
}

func TestMarkdown(t *testing.T) {
	var b strings.Builder
	if err := Markdown(&b, session()); err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(b.String(), "\n")
	for i, want := range []string{
		"| # | commit | allocs/op | B/op | ns/op | status | description |",
		"|---:|---|---:|---:|---:|---|---|",
		"| 1 | 0000000 | 81 | 25,934 | 34,001 | keep (baseline) | baseline |",
	} {
		if lines[i] != want {
			t.Errorf("line %d is %s", i+1, lines[i])
		}
	}
	for _, want := range []string{`without a copy \| and more |`, "| 9 | 0000000 | – | – | – | crash | the proposer crashed |", "&lt;script&gt;"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %q in\n%s", want, b.String())
		}
	}
	for _, l := range lines[:len(lines)-1] {
		if n := strings.Count(strings.ReplaceAll(l, `\|`, ""), "|"); n != 8 {
			t.Errorf("%d columns: %s", n, l)
		}
	}
	b.Reset()
	if err := Markdown(&b, &Session{Lines: []ledger.Line{{Row: &ledger.Row{Run: 1, Commit: "$(git r", Status: ledger.Keep}}}}); err != nil || !strings.Contains(b.String(), "| 1 | – | – | keep |") {
		t.Errorf("%v %s", err, b.String())
	}
}

func TestText(t *testing.T) {
	var b strings.Builder
	if err := Text(&b, session(), Terminal{Width: 90}); err != nil {
		t.Fatal(err)
	}
	want := `block production <allocations>: allocs/op, less is better
4 kept, 4 discarded, 1 failed checks, 1 crashed
81 █▇▇▇▆▆▆▆▆▃▃▁ 66  -18.5 %
B/op, less is better: 25,934 → 18,234  -29.7 %
alarm: a canary was kept

run  commit   allocs/op  B/op    ns/op   verdict               description
1    0000000  81         25,934  34,001  baseline              baseline
`
	if !strings.HasPrefix(b.String(), want) {
		t.Errorf("%s", b.String())
	}
	for line := range strings.Lines(b.String()) {
		if n := len([]rune(strings.TrimRight(line, "\n"))); n > 90 {
			t.Errorf("%d columns: %s", n, line)
		}
	}
	b.Reset()
	if err := Text(&b, &Session{}, Terminal{}); err != nil || !strings.Contains(b.String(), "nothing") {
		t.Errorf("%v %s", err, b.String())
	}
	b.Reset()
	if err := Text(&b, noisySession(), Terminal{Width: 60, Color: true}); err != nil || !strings.Contains(b.String(), "\x1b[32m▁") {
		t.Errorf("%v %s", err, b.String())
	}
}

func TestNumbers(t *testing.T) {
	for v, want := range map[float64]string{0: "0", 81: "81", 1234567: "1,234,567", -1234: "-1,234", 34001.25: "34,001", 1.5: "1.5", 0.00012345: "0.00012345", 12.3456: "12.346", 999.5: "999.5"} {
		if got := number(v); got != want {
			t.Errorf("%v is printed as %s, not %s", v, got, want)
		}
	}
	if got := oneLine(" a\n b  cdef", 5); got != "a b…" {
		t.Errorf("%q", got)
	}
}

// TestPage opens the pages in a browser, which shows text and a chart in its colours.
func TestPage(t *testing.T) {
	dir := *out
	if dir == "" {
		dir = t.TempDir()
	}
	for name, s := range map[string]*Session{"exact": session(), "noisy": noisySession()} {
		file := filepath.Join(dir, name+".html")
		// All runs are unfolded, so that the screenshot has them.
		text := strings.ReplaceAll(htmlOf(t, s), "<details ", "<details open ")
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		shot := filepath.Join(dir, name+".png")
		headless.Open(t, headless.Page{File: file, Width: 1200, Height: 2600, Screenshot: shot})
		data, err := os.ReadFile(shot)
		if err != nil {
			t.Fatal(err)
		}
		picture, err := png.Decode(bytes.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		colours := map[[3]uint32]int{}
		for y := picture.Bounds().Min.Y; y < picture.Bounds().Max.Y; y += 2 {
			for x := picture.Bounds().Min.X; x < picture.Bounds().Max.X; x += 2 {
				r, g, b, _ := picture.At(x, y).RGBA()
				colours[[3]uint32{r >> 8, g >> 8, b >> 8}]++
			}
		}
		if green := colours[[3]uint32{0x14, 0x80, 0x4a}]; green < 200 || len(colours) < 20 {
			t.Errorf("%s: %d colours, %d points of the kept runs' green", name, len(colours), green)
		}
	}
}

// TestGuardState: the strip says if a noisy guard was not tested.
func TestGuardState(t *testing.T) {
	for _, x := range []struct {
		status, verdict string
		stat            ledger.Stat
		want            string
	}{
		{ledger.Discard, ledger.VerdictWorse, ledger.Stat{Class: "noisy"}, "guard-untested"},
		{ledger.Discard, ledger.VerdictNoEffect, ledger.Stat{Class: "noisy", P: ptr(0.5)}, "guard-passed"},
		{ledger.Keep, ledger.VerdictKeep, ledger.Stat{Class: "exact"}, "guard-passed"},
		{ledger.Discard, ledger.VerdictGuardFailed, ledger.Stat{Class: "noisy", P: ptr(0.9)}, "guard-failed"},
		{ledger.Discard, ledger.VerdictGuardUncertain, ledger.Stat{Class: "noisy", P: ptr(0.1)}, "guard-uncertain"},
	} {
		r := &ledger.Row{Status: x.status, Verdict: x.verdict, Reason: "guard ns", Stats: map[string]ledger.Stat{"ns": x.stat}}
		if class, _ := guardState(r, "ns"); class != x.want {
			t.Errorf("%s: %s, want %s", x.verdict, class, x.want)
		}
	}
}
