package research

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestPanicsOnDerivedInput: a candidate that panics only with inputs that derive from the
// benchmark's is refused by name, and the session goes on.
func TestPanicsOnDerivedInput(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	joined := func(more string) string {
		return "package hot\n\nimport \"strings\"\n\nfunc join(tags []string) string {\n" + more + "\tvar s strings.Builder\n\tfor _, t := range tags {\n\t\ts.WriteString(t)\n\t\ts.WriteByte(',')\n\t}\n\treturn s.String()\n}\n"
	}
	for i, more := range []string{"\tif len(tags) > 0 && len(tags) < 3 {\n\t\tpanic(\"few tags\")\n\t}\n", ""} {
		b.write(b.side, map[string]string{fmt.Sprintf("patches/%d.patch", i+1): filePatch(t, fmt.Sprint("join ", i), "join.go", fixture["join.go"], joined(more))})
	}
	c := b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{map[string]any{"name": "test", "run": []string{"go", "test", "-vet=off", "."}}}
	})
	_, rows := b.run(c)
	if len(rows) != 2 || rows[0].Verdict != "checks_failed:differential" || !strings.Contains(rows[0].Reason, "gives panic") || rows[1].Verdict != ledger.VerdictKeep {
		for _, r := range rows {
			t.Errorf("%s: %s", r.Verdict, r.Reason)
		}
	}
}

// TestBaseDoesNotBuild: the session names what does not build and keeps its log. When the base
// builds, it goes on. The doctor names it before.
func TestBaseDoesNotBuild(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.repo, map[string]string{"broken.go": "package hot\n\nvar x = notThere\n"})
	b.git("add", "-A")
	b.git("commit", "-q", "-m", "broken")
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[2].patch(t)})
	for i, battery := range [][]any{
		{map[string]any{"name": "build", "run": []string{"go", "build", "./..."}}},
		{map[string]any{"name": "true", "run": []string{"true"}}},
	} {
		c := b.config(func(c map[string]any) { c["battery"], c["name"] = battery, fmt.Sprint("broken ", i) })
		diagnoses, err := Doctor(t.Context(), b.repo, c)
		if err != nil {
			t.Fatal(err)
		}
		named := false
		for _, d := range diagnoses {
			named = named || d.Level == LevelError && strings.Contains(d.Text, "notThere")
		}
		if !named {
			t.Errorf("the doctor says %v", diagnoses)
		}
		s := b.open(c)
		_, err = s.Run(t.Context())
		if err == nil || !strings.Contains(err.Error(), "notThere") {
			t.Errorf("run: %v", err)
		}
		if base := (*BaseError)(nil); i == 0 && !errors.As(err, &base) {
			t.Errorf("%T", err)
		}
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		lines, err := ledger.ReadFile(LogFile(mustOpen(t, b.repo), c.Session))
		if err != nil || len(lines) < 2 {
			t.Errorf("the log has %d lines, %v", len(lines), err)
		}
	}
	b.git("rm", "-q", "broken.go")
	b.git("commit", "-q", "-m", "whole again")
	c := b.config(func(c map[string]any) {
		byText(c)
		c["battery"], c["name"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "./..."}}}, "broken 0"
		c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
	})
	if _, rows := b.run(c); len(rows) != 1 || rows[0].Verdict != ledger.VerdictKeep {
		t.Errorf("%+v", rows)
	}
}
