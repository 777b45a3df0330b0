package proof

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
	"github.com/gyrvm/gyr/internal/opt"
	"github.com/gyrvm/gyr/internal/suites/daily"
)

// childVariable makes the test binary run the suite of the directory that the variable names, print
// the results as JSON and exit: the second process.
const childVariable = "GYR_PROOF_SUITE"

func child() int {
	p, err := gyr.Compile(context.Background(), gyr.Source{Dir: os.Getenv(childVariable)}, nil)
	if err == nil {
		var all []result
		if all, err = runSuite(p, nil); err == nil {
			err = json.NewEncoder(os.Stdout).Encode(all)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return 0
}

// runSuite runs every guest, in the default tier: machine code where available.
func runSuite(p *gyr.Program, debug map[string]string) ([]result, error) {
	return runSuiteIn(p, gyr.TierAuto, debug)
}

func runSuiteIn(p *gyr.Program, tier gyr.Tier, debug map[string]string) ([]result, error) {
	list, err := guests()
	if err != nil {
		return nil, err
	}
	all := make([]result, len(list))
	for i, g := range list {
		if all[i], err = g.runWith(p, gyr.Config{Tier: tier, Debug: debug}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// same compares results. If heap is false, it compares only output and gas, and only for programs
// that observe nothing.
func same(t *testing.T, what string, got, want []result, heap bool) {
	t.Helper()
	for i, g := range suite(t) {
		if g.observes && !heap {
			continue
		}
		a, b := got[i], want[i]
		if d := diff(a.Output, b.Output); d != "" {
			t.Errorf("%s: %s: output: %s", what, g, d)
		}
		if a.Stats.Gas != b.Stats.Gas {
			t.Errorf("%s: %s: %d gas, want %d", what, g, a.Stats.Gas, b.Stats.Gas)
		}
		if heap && a.Stats != b.Stats {
			t.Errorf("%s: %s: figures %+v, want %+v", what, g, a.Stats, b.Stats)
		}
	}
}

// want is the result of the first run of the suite, in the interpreter.
var want []result

func reference(t *testing.T) []result {
	t.Helper()
	if want == nil {
		var err error
		if want, err = runSuiteIn(plainSuite(t), gyr.TierInterp, nil); err != nil {
			t.Fatal(err)
		}
	}
	return want
}

// wholeReference returns the results of the suite with its own copy of the standard library.
// Programs without a pass of phase A are compared with these, since they too have their own copy,
// and other addresses.
func wholeReference(t *testing.T) []result {
	t.Helper()
	wholeOnce.Do(func() {
		dir, err := suiteDir()
		if err == nil {
			wholeWant, err = runSuite(compile(t, gyr.Source{Dir: dir}, &gyr.CompileOptions{Debug: gyr.CompileDebug{NoBase: true}}), nil)
		}
		if err != nil {
			t.Error(err)
		}
	})
	if wholeWant == nil {
		t.FailNow()
	}
	return wholeWant
}

var (
	wholeOnce sync.Once
	wholeWant []result
)

// TestDeterminism: the same program gives the same output, gas and heap figures whatever else
// happens (DESIGN, invariant 7).
func TestDeterminism(t *testing.T) {
	daily.Turn(t, 3, false)
	p := plainSuite(t)
	want := reference(t)

	// The second process works meanwhile.
	other := make(chan func() ([]result, error), 1)
	go func() {
		all, err := secondProcess()
		other <- func() ([]result, error) { return all, err }
	}()

	t.Run("runs", func(t *testing.T) {
		got, err := runSuite(p, nil)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "second run", got, want, true)
	})
	t.Run("parallel", func(t *testing.T) {
		// 8 instances at once; with the two above these are ten runs.
		const instances = 8
		var all [instances][]result
		var errs [instances]error
		var wg sync.WaitGroup
		for i := range instances {
			wg.Go(func() { all[i], errs[i] = runSuite(p, nil) })
		}
		wg.Wait()
		for i := range instances {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			same(t, fmt.Sprintf("instance %d of %d", i+1, instances), all[i], want, true)
		}
	})
	t.Run("statistics", func(t *testing.T) {
		for _, name := range []string{"count", "opstats"} {
			got, err := runSuite(p, map[string]string{name: ""})
			if err != nil {
				t.Fatal(err)
			}
			same(t, name, got, want, true)
		}
	})
	t.Run("seed", func(t *testing.T) {
		// Shows that the comparison is meaningful: another seed gives another output.
		for _, name := range []string{"selects", "mapranges"} {
			r, err := execute(p, gyr.Config{Args: []string{name}, Seed: 7})
			if err != nil {
				t.Fatal(err)
			}
			for i, g := range suite(t) {
				if g.name == name && r.Output == want[i].Output {
					t.Errorf("%s prints the same with another seed", name)
				}
			}
		}
	})
	t.Run("processes", func(t *testing.T) {
		got, err := (<-other)()
		if err != nil {
			t.Fatal(err)
		}
		same(t, "second process", got, want, true)
	})
}

func secondProcess() ([]result, error) {
	dir, err := suiteDir()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), childVariable+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, err
	}
	var all []result
	return all, json.Unmarshal(out, &all)
}

// TestPasses: switching off a pass of phase B changes nothing, in either tier. Switching off a pass
// of phase A does not change output and gas of programs that observe no address or collection.
func TestPasses(t *testing.T) {
	want := reference(t)
	for _, set := range daily.Part(t, passSets(), 1, *full) {
		t.Run(strings.Join(set, ","), func(t *testing.T) {
			t.Parallel()
			p := compileSuite(t, set...)
			for _, tier := range bothTiers() {
				got, err := runSuiteIn(p, tier, nil)
				if err != nil {
					t.Fatal(err)
				}
				same(t, fmt.Sprintf("%s without %s", tier, strings.Join(set, ", ")), got, want, true)
			}
		})
	}
	groups := []string{"all", "phasea"}
	if *full {
		groups = append(groups, opt.Passes("phasea")...)
	}
	for _, group := range daily.Part(t, groups, 1, *full) {
		t.Run(group, func(t *testing.T) {
			t.Parallel()
			got, err := runSuite(compileSuite(t, group), nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, "without "+group, got, wholeReference(t), false)
		})
	}
}

// passSets returns the subsets of phase B to switch off: all of it, and two halves. With -full also
// each pass, all but each, each pair, and 40 others.
func passSets() [][]string {
	passes := opt.Passes("phaseb")
	n := uint(len(passes))
	all := uint64(1)<<n - 1
	const odd = 0xaaaaaaaaaaaaaaaa
	masks := []uint64{odd & all, ^uint64(odd) & all}
	if *full {
		for i := range n {
			masks = append(masks, 1<<i, all&^(1<<i))
			for j := range i {
				masks = append(masks, 1<<i|1<<j)
			}
		}
		r := rand.New(rand.NewPCG(1, 2))
		for range 40 {
			masks = append(masks, r.Uint64()&all)
		}
	}
	sets := [][]string{{"phaseb"}}
	for _, mask := range masks {
		var set []string
		for i, name := range passes {
			if mask>>i&1 != 0 {
				set = append(set, name)
			}
		}
		sets = append(sets, set)
	}
	return sets
}

// TestStress: frequent collections and poisoning of dead memory change neither output nor gas of
// programs that observe no address or collection.
func TestStress(t *testing.T) {
	daily.Turn(t, 3, false)
	want := reference(t)
	for _, d := range []struct {
		name  string
		debug map[string]string
	}{
		{"poison", map[string]string{"poison": ""}},
		{"gcstress", map[string]string{"gcstress": ""}},
		{"gcstress=97 poison", map[string]string{"gcstress": "97", "poison": ""}},
	} {
		t.Run(d.name, func(t *testing.T) {
			got, err := runSuite(plainSuite(t), d.debug)
			if err != nil {
				t.Fatal(err)
			}
			same(t, d.name, got, want, false)
		})
	}
	t.Run("gcstress=997 poison without passes", func(t *testing.T) {
		got, err := runSuite(compileSuite(t, "all"), map[string]string{"gcstress": "997", "poison": ""})
		if err != nil {
			t.Fatal(err)
		}
		same(t, t.Name(), got, wholeReference(t), false)
	})
}
