//go:build unix

package native

import (
	"testing"

	"github.com/gyrvm/gyr/internal/suites/irtest"
)

// TestPatterns: the machine code of every pattern computes what its operations do for all triples of
// boundary operands.
func TestPatterns(t *testing.T) {
	needsCode(t)
	for k := range irtest.Patterns {
		p := &irtest.Patterns[k]
		if testing.Short() && p.Code == "" && k%16 != 0 {
			continue
		}
		t.Run(p.Name, func(t *testing.T) {
			for _, i := range []int{0, 2} { // with and without package unsafe
				mod, err := p.Module()
				if err != nil {
					t.Fatal(err)
				}
				started.Compare(t, mod, i, 0)
			}
		})
	}
	t.Logf("%d patterns", len(irtest.Patterns))
}
