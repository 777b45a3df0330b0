package research

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
	"github.com/gyrvm/gyr/internal/lab/research/risk"
)

// pointed is a package whose functions copy, guard and allocate more than necessary.
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

// TestProbe: calls with random inputs refuse candidates that share memory or answer differently
// where the parent does not. Changes that only look that way pass.
func TestProbe(t *testing.T) {
	byTurns(t)
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
		{"checks_failed:differential", "hot.Twice of nil gives panic of the runtime"},
		{ledger.VerdictKeep, ""},
	} {
		if r := rows[i]; r.Verdict != x.verdict || !strings.Contains(r.Reason, x.reason) {
			t.Errorf("%s: %s: %s", r.Description, r.Verdict, r.Reason)
		}
	}
	for _, k := range rows[2].Battery {
		if k.Name == risk.FreshInput && k.Status == pass {
			continue // it calls the same functions, and has nothing to note
		}
		if k.Status != pass || !strings.HasPrefix(strings.Join(k.Notes, " "), "called: hot.Length, hot.Key, hot.Render, hot.Twice") {
			t.Errorf("%+v", k)
		}
	}
}

// TestSourcePackage: which parts of a package are called, where their inputs come from, and how its
// functions are watched.
func TestSourcePackage(t *testing.T) {
	b := &bench{t: t}
	dir := t.TempDir()
	b.write(dir, map[string]string{"a.go": `package a

type T struct{ F int ` + "`json:\"tag\"`" + ` }
type u struct{}
type G[X any] struct{}
type N[X interface{ m() }] struct{}

var state, other int

func F(a, b int, c string) (n int, err error) { return }
func f(int, string) error                     { return nil }
func (T) M(x ...byte)                         {}
func (_ *T) N(_ int) (_ int, _ error)         { return 77, nil }
func (u) Hidden()                             {}
func (G[X]) Generic()                         {}
func (N[X]) Narrow()                          {}
func Generic[X any](x X) string               { return "word" }
func Hides[X any](Hides X)                    {}
func init()                                   {}
func main()                                   {}
`, "a_test.go": "package a\n\nimport \"testing\"\n\nfunc TestA(t *testing.T) {}\nfunc TestNone() {}\nfunc ExampleF() {}\n",
		"b_test.go":                "package a_test\n\nimport \"testing\"\n\nfunc TestB(t *testing.T) { _ = \"from the test\" }\n",
		"a_windows.go":             "package a\n\nfunc Windows() {}\n",
		"testdata/fuzz/FuzzA/seed": "go test fuzz v1\n[]byte(\"seed\")\nint(4711)\n"})
	got := readSourcePackage(dir)
	if names := strings.Join(sortedKeys(got.functions), " "); got.name != "a" || names != "(*T).N (G).Generic (N).Narrow (T).M (u).Hidden F Generic Hides f" || got.functions["F"].signature != "| int int string | int error" {
		t.Errorf("%s: %s", got.name, names)
	}
	if call := got.functions["(G).Generic"].calls[0] + " " + got.functions["Generic"].calls[0]; call != "(G[int]).Generic Generic[int]" {
		t.Error(call)
	}
	if calls := got.functions["(N).Narrow"].calls; len(calls) > 0 {
		t.Error("a constraint that is not known allows", calls)
	}
	if !got.vars["state"] || strings.Join(got.tests, " ") != "TestA ExampleF" || strings.Join(got.outer, " ") != "TestB" {
		t.Errorf("%v %v %v", got.vars, got.tests, got.outer)
	}
	words, numbers := dictionary(got, got)
	if strings.Join(words, "|") != "from the test|seed|word" || fmt.Sprint(numbers) != "[77 4711]" {
		t.Errorf("%q %v", words, numbers)
	}
	text := got.instrument("m/probe")["a.go"]
	for _, want := range []string{
		`package a; import researchProbe "m/probe"`,
		`(n int, err error) { defer researchProbe.Enter("F", false, &a, &b, &c)(&n, &err); return }`,
		`func f(researchP0 int, researchP1 string) (researchO0 error) `,
		`func (researchR0 T) M(x ...byte)`, `defer researchProbe.Enter("(T).M", true, &researchR0, &x)();`,
		`func (researchR0 *T) N(researchP0 int) (researchO0 int, researchO1 error) `,
		`{ researchProbe.Instantiate("(N).Narrow", (N[X]).Narrow); defer `,
		`{ researchProbe.Instantiate("Generic", Generic[X]); defer `,
		`func Hides[X any](Hides X)                    { defer `,
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %s in\n%s", want, text)
		}
	}
}
