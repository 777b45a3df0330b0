package proof

import (
	"fmt"
	"sync"
	"testing"

	"github.com/gyrvm/gyr"
)

// bothTiers returns the tiers of this machine.
func bothTiers() []gyr.Tier {
	if gyr.CheckNative() != nil {
		return []gyr.Tier{gyr.TierInterp}
	}
	return []gyr.Tier{gyr.TierInterp, gyr.TierNative}
}

// TestTiers: machine code gives the interpreter's output, gas and heap figures, even if eight
// instances start a cold program at once, and with a collector that runs often and poisons dead
// memory. TestPasses leaves out passes.
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
			wg.Go(func() { all[i], errs[i] = runSuiteIn(p, gyr.TierNative, nil) })
		}
		wg.Wait()
		for i := range instances {
			if errs[i] != nil {
				t.Fatal(errs[i])
			}
			same(t, fmt.Sprintf("native instance %d of %d", i+1, instances), all[i], want, true)
		}
	})
	t.Run("gcstress=97 poison", func(t *testing.T) {
		t.Parallel()
		debug := map[string]string{"gcstress": "97", "poison": ""}
		stressed, err := runSuiteIn(plainSuite(t), gyr.TierInterp, debug)
		if err != nil {
			t.Fatal(err)
		}
		got, err := runSuiteIn(plainSuite(t), gyr.TierNative, debug)
		if err != nil {
			t.Fatal(err)
		}
		same(t, "native, gcstress=97 poison", got, stressed, true)
	})
}
