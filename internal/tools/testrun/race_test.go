package testrun

import (
	"context"
	"reflect"
	"testing"
)

// TestRace makes workers interfere: packages that pass, fail, exit and are not built, filetests,
// shared compilations, and results that are remembered and looked up, eight at a time. The output
// is the same as with one. CI runs it with the race detector.
func TestRace(t *testing.T) {
	if !raceEnabled {
		t.Skip("for the race detector; without it others compare the same")
	}
	dir := module(t)
	age(t, dir)
	patterns := []string{"./good", "./bad", "./broken", "./none", "./exits", "./quiet", "./reads", "./usage"}
	var want string
	var used *Report
	for i, jobs := range []int{1, 8, 8} {
		o, out, errs := options(t, dir, patterns...)
		o.Jobs, o.Verbose = jobs, true
		finished := 0
		o.Progress = func(p Progress) { finished = max(finished, p.Done) }
		sum, err := Run(context.Background(), o)
		if err != nil || finished != len(patterns) {
			t.Fatalf("%v: %d packages finished", err, finished)
		}
		got := plain(out.String()) + errs.String()
		if i == 0 {
			want, used = got, sum.Report
			continue
		}
		if got != want || !reflect.DeepEqual(sum.Report, used) {
			t.Errorf("-jobs %d:\n%s\nwith one:\n%s", jobs, got, want)
		}
	}
	files := filetests(t, 8)
	o, _, _ := options(t, files, "./...")
	o.Jobs = 8
	if sum, err := Run(context.Background(), o); err != nil || sum.Failed != 2 {
		t.Errorf("%+v, %v", sum, err)
	}
}
