package proof

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
)

// runNative runs every guest in machine code.
func runNative(p *gyr.Program, debug map[string]string) ([]result, error) {
	list, err := guests()
	if err != nil {
		return nil, err
	}
	all := make([]result, len(list))
	for i, g := range list {
		if all[i], err = g.runWith(p, gyr.Config{Tier: gyr.TierNative, Debug: debug}); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// TestTiers: machine code gives the output, gas and heap figures that the interpreter
// gives, also when eight instances start a cold program at once, without passes of phase B,
// and with a collector that runs often and poisons what is dead.
func TestTiers(t *testing.T) {
	if err := plainSuite(t).NativeError(); err != nil {
		t.Skip(err)
	}
	want := reference(t)
	t.Run("cold", func(t *testing.T) {
		t.Parallel()
		p := compileSuite(t)
		const instances = 8
		var all [instances][]result
		var errs [instances]error
		var wg sync.WaitGroup
		for i := range instances {
			wg.Go(func() { all[i], errs[i] = runNative(p, nil) })
		}
		wg.Wait()
		for i := range instances {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			same(t, fmt.Sprintf("native instance %d of %d", i+1, instances), all[i], want, true)
		}
	})
	sets := [][]string{{"phaseb"}}
	if *full {
		sets = passSets()
	}
	for _, set := range sets {
		t.Run(fmt.Sprint(set), func(t *testing.T) {
			t.Parallel()
			got, err := runNative(compileSuite(t, set...), nil)
			if err != nil {
				t.Fatal(err)
			}
			same(t, fmt.Sprint("native without ", set), got, want, true)
		})
	}
	t.Run("gcstress=97 poison", func(t *testing.T) {
		t.Parallel()
		debug := map[string]string{"gcstress": "97", "poison": ""}
		stressed, err := runSuite(plainSuite(t), debug)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runNative(plainSuite(t), debug)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "native, gcstress=97 poison", got, stressed, true)
	})
}
