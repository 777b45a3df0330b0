package testrun

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
)

// report runs tests and returns what they used.
func report(t *testing.T, o Options) *Report {
	t.Helper()
	sum, err := Run(context.Background(), o)
	if err != nil {
		t.Fatal(err)
	}
	return sum.Report
}

// TestUsage: a test's usage does not include its neighbours', however many packages run at a time,
// in both tiers.
func TestUsage(t *testing.T) {
	dir := module(t)
	var first *Report
	for _, tier := range []api.Tier{api.TierInterp, engine.DefaultTier} {
		for _, jobs := range []int{1, 2, 8} {
			o, out, _ := options(t, dir, "./usage", "./good", "./panics")
			o.Jobs, o.Config.Tier = jobs, tier
			r := report(t, o)
			if first == nil {
				first = r
			} else if !reflect.DeepEqual(r, first) {
				t.Errorf("%s, -jobs %d: %+v, before %+v\n%s", tier, jobs, r, first, out)
			}
		}
	}
	if len(first.Packages) != 3 || first.Packages[0].Package != "m/usage" {
		t.Fatalf("%+v", first)
	}
	p := first.Packages[0]
	var sum Usage
	for i, want := range []struct {
		test string
		gas  int64
	}{
		{"TestSmall", 1000}, {"TestLarge", 1_000_000}, {"TestGoroutines", 5_000_000}, {"TestA", 4_000_000}, {"TestB", 5_000_000},
		{"FuzzLarge", 7_000_000}, {"ExampleSmall", 6_000_000},
	} {
		got := p.Tests[i]
		sum.add(got.Usage)
		if got.Test != want.test || got.Gas < want.gas || got.Gas > want.gas+150_000 {
			t.Errorf("%s used %d units, want %s and %d", got.Test, got.Gas, want.test, want.gas)
		}
	}
	if large := p.Tests[1]; large.Bytes < 1<<20 || large.Allocations != 1 || large.Peak < 1<<20 || p.Tests[0].Peak > 1<<20 {
		t.Errorf("%+v, before it %+v", large, p.Tests[0])
	}
	if rest := p.Gas - sum.Gas; rest <= 0 || rest > 500_000 || p.Peak < sum.Peak || p.Bytes < sum.Bytes+1000 {
		t.Errorf("the package %+v, its tests %+v", p.Usage, sum)
	}
}

// TestGasOfTests: each test has the whole limit.
func TestGasOfTests(t *testing.T) {
	dir := module(t)
	o, out, _ := options(t, dir, "./usage")
	o.Config.Gas = 5_500_000
	r := report(t, o)
	text := out.String()
	for _, name := range []string{"ExampleSmall", "FuzzLarge"} {
		if !strings.Contains(text, "--- FAIL: "+name+" ") {
			t.Errorf("no failure of %s in:\n%s", name, text)
		}
	}
	if n := strings.Count(text, "out of gas: limit of 5500000 units reached in m/usage.spend"); n != 2 {
		t.Errorf("%d times out of gas:\n%s", n, text)
	}
	for _, u := range r.Packages[0].Tests {
		if u.Gas > o.Config.Gas {
			t.Errorf("%s used %d units", u.Test, u.Gas)
		}
	}
}

// TestChanges: a report shows exactly what changed since a file or a revision.
func TestChanges(t *testing.T) {
	dir := module(t)
	o, _, _ := options(t, dir, "./usage", "./good")
	before := report(t, o)
	var file bytes.Buffer
	if err := before.WriteJSON(&file); err != nil {
		t.Fatal(err)
	}
	read, err := ReadReport(file.Bytes())
	if err != nil || !reflect.DeepEqual(read, before) {
		t.Fatalf("%v: %+v, want %+v", err, read, before)
	}
	for _, args := range [][]string{{"init", "-q"}, {"add", "."}, {"-c", "user.name=x", "-c", "user.email=x@x", "commit", "-qm", "x"}} {
		cmd := exec.Command("git", args...)
		cmd.Dir = dir
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Skipf("git %v: %v\n%s", args, err, text)
		}
	}
	name := filepath.Join(dir, "usage", "usage_test.go")
	src, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	src = bytes.Replace(src, []byte("spend(1000)"), []byte("spend(1100)"), 1)
	src = bytes.Replace(src, []byte("ExampleSmall"), []byte("ExampleLittle"), 1)
	if err := os.WriteFile(name, bytes.Replace(src, []byte("func Small"), []byte("func Little"), 1), 0o666); err != nil {
		t.Fatal(err)
	}
	after := report(t, o)
	rev, err := OpenRevision(context.Background(), dir, "HEAD")
	if err != nil {
		t.Fatal(err)
	}
	defer rev.Close()
	o.Revision = rev
	for _, old := range []*Report{before, report(t, o)} {
		changes, err := after.Changes(old)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := WriteChanges(&text, changes); err != nil {
			t.Fatal(err)
		}
		got := strings.Fields(text.String())
		want := "m/usage gas * -> * * m/usage.TestSmall gas * -> * +9.33% m/usage.ExampleLittle new gas 6000072 m/usage.ExampleSmall gone gas 6000072"
		if s := strings.Join(got, " "); !like(s, want) {
			t.Errorf("got %s\nwant %s", s, want)
		}
	}
	if _, err := OpenRevision(context.Background(), dir, "nothing"); err == nil || !strings.Contains(err.Error(), "neither a file nor a revision") {
		t.Error(err)
	}
	other := *before
	other.GasTable++
	if _, err := after.Changes(&other); err == nil {
		t.Error("compared with figures of another price list")
	}
}

// like compares words; * in pattern matches any word.
func like(s, pattern string) bool {
	words, want := strings.Fields(s), strings.Fields(pattern)
	if len(words) != len(want) {
		return false
	}
	for i, w := range want {
		if w != "*" && w != words[i] {
			return false
		}
	}
	return true
}
