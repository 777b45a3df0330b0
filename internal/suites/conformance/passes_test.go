package conformance

import (
	"bytes"
	"context"
	"flag"
	"reflect"
	"regexp"
	"testing"
	"time"

	"github.com/gyrvm/gyr/api"
	"github.com/gyrvm/gyr/internal/engine"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/tools/testrun"
)

var passesFlag = flag.String("passes", "", "run the tests of these packages of the standard library, `a,b,…` or a list of std.go, with each pass of phase B switched off")

// passesSample is the list that runs without a flag, with all passes off at once.
var passesSample = []string{"container/heap"}

// passesOf returns the settings that must not matter: the tier, and each pass that only makes code
// faster.
func passesOf(all bool) (list []engine.Source, tiers []api.Tier) {
	list, tiers = []engine.Source{{}, {}}, []api.Tier{engine.DefaultTier, api.TierInterp}
	off := []string{"phaseb"}
	if all {
		off = append(off, opt.Passes("phaseb")...)
	}
	for _, pass := range off {
		list = append(list, engine.Source{NoPass: []string{pass}})
		tiers = append(tiers, engine.DefaultTier)
	}
	return list, tiers
}

var wallTime = regexp.MustCompile(`(?m)^(ok|FAIL)(  )?(\t\S+\t)[0-9.]+s`)

// TestPasses: the tests of the standard library give the same output, gas, allocations and memory
// in both tiers and with any pass of phase B switched off.
func TestPasses(t *testing.T) {
	root := goroot(t)
	settings, tiers := passesOf(*passesFlag != "")
	for _, name := range stdNames(*passesFlag, passesSample) {
		pkg := stdPackage(root, name)
		var want string
		var used *testrun.Report
		tests, gas := 0, int64(0)
		for i, src := range settings {
			src.GOROOT = root
			var out bytes.Buffer
			o := testrun.Options{
				Source: src, Patterns: []string{name}, Flags: []string{"-test.short"}, Verbose: true, Timeout: time.Hour,
				Config: engine.Config{Config: api.Config{Tier: tiers[i]}}, Jobs: 1, Stdout: &out, Stderr: &out,
			}
			for _, d := range pkg.dirs {
				if d != pkg.dir {
					o.Config.Dirs = append(o.Config.Dirs, api.Dir{Host: d, ReadOnly: true})
				}
			}
			sum, err := testrun.Run(context.Background(), o)
			if err != nil {
				t.Fatal(err)
			}
			got := wallTime.ReplaceAllString(out.String(), "$1$2$3")
			if i == 0 {
				want, used = got, sum.Report
				for _, p := range used.Packages {
					tests, gas = tests+len(p.Tests), gas+p.Gas
				}
				if tests == 0 {
					t.Errorf("%s: no tests ran:\n%s", name, got)
				}
				continue
			}
			if got != want {
				t.Errorf("%s, %s, without %v: printed\n%s\nwith all:\n%s", name, tiers[i], src.NoPass, got, want)
			}
			if !reflect.DeepEqual(sum.Report, used) {
				changes, err := sum.Report.Changes(used)
				var text bytes.Buffer
				testrun.WriteChanges(&text, changes)
				t.Errorf("%s, %s, without %v: %v\n%s", name, tiers[i], src.NoPass, err, &text)
			}
		}
		t.Logf("%s: %d tests, %d units of gas, %d settings", name, tests, gas, len(settings))
	}
}
