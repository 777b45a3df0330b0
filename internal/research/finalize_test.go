package research

import (
	"slices"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/internal/research/gitx"
	"github.com/gyrvm/gyr/internal/research/ledger"
)

// TestFinalize: a keep that a later one makes useless is found by ablation and dropped; what is left
// stands on branches for review. gc removes the refs of what was not kept.
func TestFinalize(t *testing.T) {
	notShort(t)
	ctx := t.Context()
	b := newBench(t)
	cases := []struct{ subject, file, after, want string }{
		{"number by strconv", "number.go", "package hot\n\nimport \"strconv\"\n\nfunc number(n int) string { return strconv.Itoa(n) }\n", Pays},
		{"join with room", "join.go", "package hot\n\nfunc join(tags []string) string {\n\treturn string(joined(tags))\n}\n", PaysNot},
		{"nothing", "sep.go", strings.ReplaceAll(fixture["sep.go"], "space", "blank"), ""},
	}
	// The second one's gain is in a file of its own, the last one's too, which makes it needless.
	b.write(b.repo, map[string]string{
		"joined.go": "package hot\n\nfunc joined(tags []string) []byte {\n\tvar b []byte\n\tfor _, t := range tags {\n\t\tb = append(append(b, t...), ',')\n\t}\n\treturn b\n}\n"})
	b.git("add", "-A")
	b.git("commit", "-qm", "joined")
	for i, x := range cases {
		b.write(b.side, map[string]string{"patches/" + string(rune('1'+i)) + ".patch": filePatch(t, x.subject, x.file, fixture[x.file], x.after)})
	}
	useless := strings.Replace(fixture["render.go"], "join(r.Tags)...", "[]byte(\"red,green,blue,\")...", 1)
	useless = strings.Replace(useless, "\t\tout = append(out, []byte", "\t\tif len(r.Tags) == 3 && len(rs) == 10 {\n\t\t\tout = append(out, []byte(\"red,green,blue,\")...)\n\t\t\tout = append(append(out, mark(r)...), end()...)\n\t\t\tcontinue\n\t\t}\n\t\tout = append(out, []byte", 1)
	useless = strings.Replace(useless, "\t\tout = append(out, []byte(\"red,green,blue,\")...)\n\t\tout = append(out, mark", "\t\tout = append(out, join(r.Tags)...)\n\t\tout = append(out, mark", 1)
	b.write(b.side, map[string]string{"patches/4.patch": filePatch(t, "another way", "render.go", fixture["render.go"], useless)})
	c := b.config(nil)
	s := b.open(c)
	stopped, err := s.Run(ctx)
	if err != nil || stopped.Keeps != 3 || stopped.Claim == nil {
		t.Fatalf("%+v, %v", stopped, err)
	}
	t.Logf("\n%s", stopped.Claim.Text(c))
	if st := stopped.Claim.Stats["allocs_per_op"]; st.Word != "better" || !near(st.Ratio, stopped.Claim.Product["allocs_per_op"]) {
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
	if len(f.Dropped) != 1 || f.Dropped[0].Description != "join with room" || len(f.Branches) != 1 || len(f.Branches[0].Rows) != 2 {
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
