package research

import (
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/probe"
)

// runsOf are versions of a function F that answer an input, run by run.
func runsOf(input string, outs ...string) (list []*version) {
	for _, out := range outs {
		list = append(list, &version{calls: map[string]*probe.Report{"F": {Name: "F", Cases: []probe.Case{
			{Args: input, Out: out}, {Args: "other", Out: "1"}}}}})
	}
	return list
}

// TestChangingAnswers: answers that change by themselves are compared by their elements if these do
// not change, and left out else. The notes say so, and such functions run more often.
func TestChangingAnswers(t *testing.T) {
	for _, c := range []struct {
		name        string
		before, now []string
		refused     string
		note        string
	}{
		{"settled and equal", []string{"[1 2]", "[1 2]"}, []string{"[1 2]"}, "", ""},
		{"settled and different", []string{"[1 2]", "[1 2]"}, []string{"[2 1]"}, "of x gives [2 1], the parent's [1 2]", ""},
		{"another order", []string{`["a b" "c"]`, `["c" "a b"]`}, []string{`["a b" "c"]`, `["c" "a b"]`}, "", "in any order"},
		{"other elements", []string{`["a b" "c"]`, `["c" "a b"]`}, []string{`["a b" "d"]`, `["d" "a b"]`}, "in any order", "in any order"},
		{"an element twice", []string{"[1 2 2]", "[2 1 2]"}, []string{"[1 1 2]", "[2 1 1]"}, "in any order", "in any order"},
		{"only some runs have others", []string{"[1 2]", "[2 1]"}, []string{"[3 1]", "[1 2]"}, "", "of 2 only the elements"},
		{"by chance", []string{"17", "23"}, []string{"5", "99"}, "", "left out"},
	} {
		p := &probed{name: "p", surface: []string{"F"}, exported: map[string]bool{"F": true},
			before: runsOf("x", c.before...), now: runsOf("x", c.now...)}
		got := p.differs(p.reportsOf("F", "F"))
		if (got == "") != (c.refused == "") || !strings.Contains(got, c.refused) {
			t.Errorf("%s: %q", c.name, got)
		}
		note := strings.Join(p.changing(), "; ")
		if c.name == "only some runs have others" {
			c.note = "left out"
		}
		if (note == "") != (c.note == "") || !strings.Contains(note, c.note) {
			t.Errorf("%s: %q", c.name, note)
		}
		want := confirmRuns
		if c.note != "" && c.refused != "" {
			want = settledRuns
		}
		if n := p.confirmations(effortNormal); n != want {
			t.Errorf("%s: confirmed %d times, not %d", c.name, n, want)
		}
	}
	for text, want := range map[string]string{
		`map["b":1 "a":2]`:     `"a":2 "b":1 map`,
		`{x [1 2, 3]}, nil`:    `1 2 3 nil x`,
		`["a \" b" "(c d)"]`:   `"(c d)" "a \" b"`,
		``:                     ``,
		`["never ends [1 2`:    `"never ends [1 2`,
		fmt.Sprint([]int{3}):   `3`,
		`"é" "e"`:              `"e" "é"`,
		`[true false] [false]`: `false false true`,
	} {
		if got := elements(text); got != want {
			t.Errorf("%s has %s, not %s", text, got, want)
		}
	}
}
