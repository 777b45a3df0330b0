package research

import (
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/tools/research/ledger"
)

// pointed is a package whose functions copy, guard and allocate more than they need to.
const pointed = `package hot

// A Point has a name.
type Point struct{ Name []byte }

func (p *Point) length() int {
	if p == nil {
		return 0
	}
	return len(p.Name)
}

// Key is a copy of a name.
func Key(name []byte) []byte {
	var out []byte
	for _, c := range name {
		out = append(out, c)
	}
	return out
}

// Length counts.
func Length(p *Point) int {
	if p == nil {
		return 0
	}
	all := make([]int, len(p.Name))
	return p.length() + len(all) - len(p.Name)
}

// Twice counts.
func Twice(p *Point) int {
	if p == nil {
		return 0
	}
	all := make([]int, 2*len(p.Name))
	return len(all)
}
`

// TestProbe: candidates that share memory, or answer otherwise, where the parent does not, are refused
// by calls with random inputs; what only looks so is not.
func TestProbe(t *testing.T) {
	notShort(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{"point.go": pointed})
	b.git("add", "-A")
	b.git("commit", "-qm", "points")
	loop := "\tvar out []byte\n\tfor _, c := range name {\n\t\tout = append(out, c)\n\t}\n\treturn out\n"
	guard := "\tif p == nil {\n\t\treturn 0\n\t}\n"
	patch := func(n, subject, old, new string) {
		after := strings.Replace(pointed, old, new, 1)
		b.write(b.side, map[string]string{"patches/" + n + ".patch": filePatch(t, subject, "point.go", pointed, after)})
	}
	patch("1", "a key that is no copy", loop, "\treturn name\n")
	patch("2", "no guard", guard+"\tall := make([]int, 2*len(p.Name))\n\treturn len(all)\n", "\treturn 2 * len(p.Name)\n")
	patch("3", "no guard, where one is behind", guard+"\tall := make([]int, len(p.Name))\n\treturn p.length() + len(all) - len(p.Name)\n", "\treturn p.length()\n")
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "lines", "from": "command", "class": "exact", "goal": "min", "run": []string{"sh", "-c", "echo METRIC lines=$(wc -l < point.go)"}}}
		c["battery"] = []any{map[string]any{"name": "race", "run": []string{"true"}, "when": "risk:alias"}}
	})
	_, rows := b.run(c)
	for i, x := range []struct{ verdict, reason string }{
		{"checks_failed:mutation", "hot.Key keeps or returns memory of its input"},
		{"checks_failed:differential", "hot.Twice of nil gives panic, the parent's 0"},
		{ledger.VerdictKeep, ""},
	} {
		if r := rows[i]; r.Verdict != x.verdict || !strings.Contains(r.Reason, x.reason) {
			t.Errorf("%s: %s: %s", r.Description, r.Verdict, r.Reason)
		}
	}
	checks := rows[2].Battery
	if k := checks[len(checks)-1]; k.Name != "differential" || k.Status != pass || !strings.HasPrefix(strings.Join(k.Notes, " "), "called: hot.Key, hot.Length, hot.Render, hot.Twice") {
		t.Errorf("%+v", checks)
	}
}

// TestExportedFunctions: what of a package is called.
func TestExportedFunctions(t *testing.T) {
	b := &bench{t: t}
	dir := t.TempDir()
	b.write(dir, map[string]string{"a.go": `package a

type T struct{}
type u struct{}
type G[X any] struct{}

func F(a, b int, c string) (n int, err error) { return }
func f()                                      {}
func (T) M(x ...byte)                         {}
func (t *T) N()                               {}
func (u) Hidden()                             {}
func (G[X]) Generic()                         {}
func Generic[X any]()                         {}
`, "a_test.go": "package a\n\nfunc Test() {}\n", "a_windows.go": "package a\n\nfunc Windows() {}\n"})
	got := exportedFunctions(dir)
	if got.name != "a" || strings.Join(sortedKeys(got.functions), " ") != "(*T).N (T).M F" || got.functions["F"] != "| int int string | int error" {
		t.Errorf("%+v", got)
	}
}
