package research

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/gyrvm/gyr/internal/lab/research/gitx"
	"github.com/gyrvm/gyr/internal/lab/research/ledger"
)

// TestFinalize: ablation finds and drops a keep that a later one makes useless. The rest is on
// branches for review. gc removes the refs of discarded candidates.
func TestFinalize(t *testing.T) {
	ctx := t.Context()
	b := newBench(t)
	b.texts()
	b.write(b.repo, map[string]string{"measure.sh": "rm -f all; for f in *.txt; do [ -e skip-$f ] || cat $f >> all; done; echo METRIC bytes=$(wc -c < all); rm all\n"})
	b.git("commit", "-qam", "what is skipped does not count")
	patch := func(n, subject, file, after string) {
		before, _ := os.ReadFile(filepath.Join(b.repo, file))
		b.write(b.side, map[string]string{"patches/" + n + ".patch": filePatch(t, subject, file, string(before), after)})
	}
	patch("1", "a is short", "a.txt", "short\n")
	patch("2", "b is short", "b.txt", "short\n")
	patch("3", "nothing", "note", "nothing\n")
	patch("4", "b is skipped", "skip-b.txt", "x\n") // makes the second needless
	c := b.config(func(c map[string]any) {
		c["metrics"] = []any{map[string]any{"name": "bytes", "from": "command", "run": []string{"sh", "measure.sh"}, "goal": "min", "class": "exact"}}
		c["battery"] = []any{map[string]any{"name": "script", "run": []string{"cat", "measure.sh"}, "golden": "measure.sh"}}
	})
	s := b.open(c)
	stopped, err := s.Run(ctx)
	if err != nil || stopped.Keeps != 3 || stopped.Claim == nil {
		t.Fatalf("%+v, %v", stopped, err)
	}
	t.Logf("\n%s", stopped.Claim.Text(c))
	if st := stopped.Claim.Stats["bytes"]; st.Word != "better" || !near(st.Ratio, stopped.Claim.Product["bytes"]) {
		t.Errorf("the claim is %+v, the product %v", st, stopped.Claim.Product)
	}
	list, err := s.Ablate(ctx)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range list {
		got = append(got, a.Result)
	}
	if want := []string{Pays, PaysNot, Pays}; !slices.Equal(got, want) {
		t.Errorf("ablation %v, want %v", got, want)
	}
	f, err := s.Finalize(ctx, false)
	if err != nil {
		t.Fatal(err)
	}
	if len(f.Dropped) != 1 || f.Dropped[0].Description != "b is short" || len(f.Branches) != 1 || len(f.Branches[0].Rows) != 2 {
		t.Errorf("%+v", f)
	}
	if n := b.git("rev-list", "--count", "main..research/fixture-final"); n != "2" {
		t.Errorf("%s commits", n)
	}
	if f, err = s.Finalize(ctx, true); err != nil || len(f.Branches) != 2 {
		t.Errorf("groups: %+v, %v", f, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	repo, err := gitx.Open(ctx, b.repo)
	if err != nil {
		t.Fatal(err)
	}
	if n, err := GC(ctx, repo, "fixture", 0); err != nil || n != 1 {
		t.Errorf("%d refs removed, %v", n, err)
	}
	if n, err := GC(ctx, repo, "fixture", 0); err != nil || n != 0 {
		t.Errorf("again: %d refs removed, %v", n, err)
	}
}

func near(a, b float64) bool { return a > b-1e-9 && a < b+1e-9 }

func TestGroupRows(t *testing.T) {
	row := func(run int, files ...string) *ledger.Row { return &ledger.Row{Run: run, Files: files} }
	groups := groupRows([]*ledger.Row{row(1, "a"), row(2, "b"), row(3, "c"), row(4, "a", "c"), row(5, "d")})
	var got []string
	for _, g := range groups {
		s := ""
		for _, r := range g {
			s += jsonNumber(float64(r.Run))
		}
		got = append(got, s)
	}
	if want := []string{"134", "2", "5"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}
