package research

import (
	"slices"
	"testing"
	"time"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestReach: a check with -race runs the tests of the packages that a change reaches, also if only
// their tests import it, and its notes say so. A test of another package that fails under the race
// detector does not refuse the change.
func TestReach(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{
		"apart/apart.go":      "package apart\n\nfunc One() int { return 1 }\n",
		"apart/apart_test.go": "package apart\n\nimport (\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestOne(t *testing.T) {\n\tif os.Getenv(\"RESEARCH_CHECK\") != \"\" {\n\t\tt.Error(\"not reached\")\n\t}\n}\n",
		"user/user.go":        "package user\n",
		"user/user_test.go":   "package user\n\nimport (\n\t\"testing\"\n\n\t\"example.com/hot\"\n)\n\nfunc TestUser(t *testing.T) { hot.Render(nil) }\n",
	})
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "more packages")
	b.write(b.side, map[string]string{"patches/01.patch": fixturePatches[0].patch(t)})
	c := b.config(func(c map[string]any) {
		byText(c)
		// The command is go test -race without the detector, which takes a minute to build.
		c["battery"] = []any{map[string]any{"name": "race", "when": "keep", "run": []string{"go", "test", "-vet=off", "./..."}}}
	})
	s := b.open(c)
	defer s.Close()
	if _, err := s.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	row := s.state.rows[len(s.state.rows)-1]
	if row.Verdict != ledger.VerdictKeep {
		t.Fatalf("%s %s", row.Verdict, row.Reason)
	}
	sub, err := s.subjectOf(t.Context(), 2, row.Parent, row.Parent, row.Object, row.Tree)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.bothSides(t.Context(), sub); err != nil {
		t.Fatal(err)
	}
	k := Check{Name: "race", Kind: "command", Run: []string{"go", "test", "-vet=off", "./...", "-count=1"},
		Env: map[string]string{goFlags: "-tags=some", "RESEARCH_CHECK": "1"}}
	whole := k.Run
	note, err := s.restrict(t.Context(), &k, sub)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"go", "test", "-vet=off", "example.com/hot", "example.com/hot/cmd/golden", "example.com/hot/user", "-count=1"}
	if !slices.Equal(k.Run, want) || note != "race: 3 of 4 packages, those that the change reaches" {
		t.Errorf("%q is restricted to %q: %s", whole, k.Run, note)
	}
	k.Run = whole
	out, err := s.check(t.Context(), &k, sub)
	if err != nil || out.Status != pass || len(out.Notes) != 1 {
		t.Errorf("%+v, %v", out, err)
	}
	// A file that is not Go may belong to any package.
	sub.changes[0].Path = "data.bin"
	if note, err := s.restrict(t.Context(), &k, sub); note != "" || err != nil || !slices.Equal(k.Run, whole) {
		t.Errorf("restricted to %q", k.Run)
	}
}

// TestLimits: a check has its own time limit, or that of its kind.
func TestLimits(t *testing.T) {
	c := &Config{Limits: Limits{Build: Duration(time.Second), Race: Duration(time.Minute)}}
	for _, x := range []struct {
		k    Check
		want time.Duration
	}{
		{Check{Run: []string{"go", "build", "./..."}}, time.Second},
		{Check{Run: []string{"go", "test", "./..."}}, checkTimeout},
		{Check{Run: []string{"go", "test", "-race", "./..."}}, time.Minute},
		{Check{Run: []string{"go", "test", "-race", "./..."}, Timeout: Duration(time.Hour)}, time.Hour},
		{Check{Run: []string{"make"}}, checkTimeout},
	} {
		if got := c.limit(&x.k); got != x.want {
			t.Errorf("%v may take %v, want %v", x.k.Run, got, x.want)
		}
	}
}
