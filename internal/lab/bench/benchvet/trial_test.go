package benchvet_test

import (
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/bench/benchvet"
)

// TestTrial: the places that need a trial are found, the sources with the calls put in still parse
// and have their lines, and what a trial prints is read.
func TestTrial(t *testing.T) {
	const head = `package x
import ("encoding/json"; "strconv"; "strings"; "testing")
func parse(s string) (int, error) { return strconv.Atoi(s) }
func gen(n int) []int { return make([]int, n) }
func scan(l []int) int { return len(l) }
var sink int
`
	for _, c := range []struct{ name, text, want string }{
		{"blank", `for range b.N { n, _ := parse("x"); sink = n }`, "BP35 parse"},
		{"assigned", `for range b.N { sink, _ = parse("x") }`, "BP35 parse"},
		{"all blank", `for range b.N { _, _ = parse("x") }`, "BP35 parse"},
		{"statement", `for range b.N { parse("x") }`, "BP35 parse"},
		{"unknown type", `for range b.N { sink, _ = strconv.Atoi("x") }`, "BP35 strconv.Atoi"},
		{"unknown statement", `for range b.N { json.Unmarshal(nil, nil) }`, ""},
		{"in a branch", `for i := range b.N { if i > 0 { parse("x") } }`, "BP35 parse"},
		{"in a case", `for i := range b.N { switch { case i > 0: _, _ = parse("x") } }`, "BP35 parse"},
		{"looked at", `for range b.N { n, err := parse("x"); if err != nil { b.Fatal(err) }; sink = n }`, ""},
		{"no error", `m := map[int]int{}; for range b.N { n, _ := m[1]; sink = n }`, ""},
		{"a number dropped", `for range b.N { _, err := parse("x"); _ = err }`, ""},
		{"before the loop", `n, _ := parse("x"); for range b.N { sink += n }`, ""},
		{"b's method", `for range b.N { b.Log() }`, ""},
		{"made", `for b.Loop() { l := gen(100); sink += scan(l) }`, "BP12 gen(100)"},
		{"made of a variable", `for b.Loop() { l := gen(sink); sink += scan(l) }`, ""},
		{"made and kept", `for b.Loop() { l := gen(100); sink += len(l) }`, ""},
		{"made in a branch", `for i := 0; b.Loop(); i++ { if i > 0 { l := gen(100); sink += scan(l) } }`, ""},
		{"unknown result", `for b.Loop() { l := strings.Repeat("x", 100); parse(l) }`, "BP35 parse"},
	} {
		t.Run(c.name, func(t *testing.T) {
			file := filepath.Join(t.TempDir(), "x_test.go")
			src := head + "func BenchmarkX(b *testing.B) {\n" + c.text + "\n}\n"
			if err := os.WriteFile(file, []byte(src), 0o666); err != nil {
				t.Fatal(err)
			}
			trial := benchvet.NewTrial("m", []string{file}, nil)
			var got []string
			if trial != nil {
				for _, p := range trial.Places {
					got = append(got, p.Code+" "+p.What)
					if !strings.HasSuffix(p.Place, "x_test.go:8") || !p.IsOf("m.X") || !p.IsOf("m.X/sub") || p.IsOf("m.Y") || p.Rule().Cause == "" {
						t.Errorf("%+v", p)
					}
				}
				for name, text := range trial.Files {
					if _, err := parser.ParseFile(token.NewFileSet(), name, text, 0); err != nil {
						t.Errorf("%v:\n%s", err, text)
					}
				}
				if n := strings.Count(string(trial.Files[file]), "\n"); len(trial.Files) != 2 || n != strings.Count(src, "\n") {
					t.Errorf("%d files, %d lines", len(trial.Files), n)
				}
			}
			if text := strings.Join(got, ", "); text != c.want {
				t.Errorf("places are %q, want %q", text, c.want)
			}
		})
	}
	trial := &benchvet.Trial{Places: []benchvet.TrialPlace{{Code: "BP35"}, {Code: "BP12"}}}
	got := trial.Read("gyr-trial 0 1 0 \"\"\nsomething\ngyr-trial 0 8 3 \"not a number\"\ngyr-trial 1 4 900 1000\ngyr-trial 7 1 1\ngyr-trial 1\n")
	want := []benchvet.TrialResult{{TrialPlace: trial.Places[0], Calls: 8, Errors: 3, Text: "not a number"}, {TrialPlace: trial.Places[1], Calls: 4, Part: 900, Whole: 1000}}
	if !slices.EqualFunc(got, want, func(a, b benchvet.TrialResult) bool {
		return a.Code == b.Code && a.Calls == b.Calls && a.Errors == b.Errors && a.Text == b.Text && a.Part == b.Part && a.Whole == b.Whole
	}) {
		t.Errorf("read %+v, want %+v", got, want)
	}
}
