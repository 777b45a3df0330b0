package research

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestForged: a keep that somebody wrote into the log, and a garbled line, are named. The session
// does not go on with them; it keeps what it has, and a new segment begins after them.
func TestForged(t *testing.T) {
	byTurns(t)
	b := newBench(t)
	b.write(b.side, map[string]string{"patches/1.patch": fixturePatches[0].patch(t)})
	c := b.config(func(c map[string]any) {
		byText(c)
		c["battery"] = []any{map[string]any{"name": "build", "run": []string{"go", "build", "."}}}
		c["risk"] = map[string]any{"off": []string{"differential", "mutation"}}
	})
	if _, rows := b.run(c); rows[0].Verdict != ledger.VerdictKeep {
		t.Fatalf("%+v", rows[0])
	}
	tip := b.git("rev-parse", "research/"+c.Session)
	repo := mustOpen(t, b.repo)
	file := LogFile(repo, c.Session)
	genuine, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	said := func() string {
		lines, err := ledger.ReadFile(file)
		if damage := ledger.DamageError(nil); err != nil && !errors.As(err, &damage) {
			t.Fatal(err)
		}
		list, cerr := Contradictions(t.Context(), repo, c.Session, lines)
		if cerr != nil {
			t.Fatal(cerr)
		}
		text := strings.Join(list, "\n")
		if err != nil {
			text += "\n" + err.Error()
		}
		return strings.TrimSpace(text)
	}
	if s := said(); s != "" {
		t.Errorf("of a genuine log: %s", s)
	}
	// With sums, as by somebody who knows them.
	for _, x := range []struct {
		row  ledger.Row
		want string
	}{
		{ledger.Row{Run: 9, Status: ledger.Keep, Verdict: ledger.VerdictKeep, Description: "forged", Object: tip}, "row 9 (keep, forged): nobody proposed it"},
		{ledger.Row{Run: 9, Status: ledger.Keep, Verdict: ledger.VerdictWorse, Description: "forged"}, "row 9 (worse, forged): its status is keep"},
		{ledger.Row{Run: 2, Status: ledger.Keep, Verdict: ledger.VerdictKeep, Description: "again", Object: tip}, "there is another row of that number"},
		{ledger.Row{Run: 9, Status: ledger.Keep, Verdict: ledger.VerdictKeep, Description: "forged", Object: tip}, "refs/research/fixture/9 is missing"},
	} {
		if err := os.WriteFile(file, genuine, 0o666); err != nil {
			t.Fatal(err)
		}
		l, err := ledger.Open(file, "")
		if err != nil {
			t.Fatal(err)
		}
		if err := errors.Join(l.Append(&x.row), l.Close()); err != nil {
			t.Fatal(err)
		}
		if s := said(); !strings.Contains(s, x.want) {
			t.Errorf("no %q in %s", x.want, s)
		}
	}
	for _, x := range []struct{ line, want string }{
		{`{"run":9,"commit":"1234567","status":"keep","verdict":"keep","description":"forged","metrics":{},"object":"` + tip + `"}`, "the session did not write it (row 9, keep: forged)"},
		{"{\"type\":\x00\x00", "cannot be read"},
	} {
		if err := os.WriteFile(file, append([]byte(string(genuine)+x.line), "\n{}\n"...), 0o666); err != nil {
			t.Fatal(err)
		}
		if s := said(); !strings.Contains(s, x.want) {
			t.Errorf("no %q in %s", x.want, s)
		}
		_, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}})
		if !errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), "line ") || !strings.Contains(err.Error(), "-new-segment") {
			t.Errorf("%s: %v", x.want, err)
		}
		if now := b.git("rev-parse", "research/"+c.Session); now != tip {
			t.Error("the branch moved")
		}
	}
	s, err := Open(t.Context(), Options{Dir: b.repo, Config: c, Out: testWriter{t}, NewSegment: true})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	s = b.open(c) // the damage is in an earlier segment now
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
